"""The options of tables of means: digits, order, percentages and layout."""

from __future__ import annotations

from gainful.parameters import Combined, Group, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["LAYOUT", "STYLES", "Layout", "table_options"]

#: The options, for commands that refuse them.
LAYOUT = "wide digits sort percent"

#: The formats that the options change.
STYLES = ("table", "markdown", "latex")


class Layout:
    """The given options of a table.

    Parameters
    ----------
    wide : bool or None
        Whether systems × measures was requested, or one row for each mean; None for the default.
    digits, sort, percent
        As for `gainful.Evaluation.tables`.
    """

    __slots__ = ("look", "wide")

    def __init__(
        self, wide: bool | None, digits: int | None, sort: str | None, percent: bool
    ) -> None:
        self.wide = wide
        self.look: dict[str, Any] = {"digits": digits, "sort": sort, "percent": percent}

    @property
    def given(self) -> str | None:
        """The first given option."""
        names = {
            name: value is not None and value is not False for name, value in self.look.items()
        }
        names["wide" if self.wide else "long"] = self.wide is not None
        return next((f"--{name}" for name, is_given in names.items() if is_given), None)

    def of_comparison(self, style: str, *, is_wide: bool) -> dict[str, Any]:
        """Return the arguments of `gainful.comparison.Comparison.tables`.

        Parameters
        ----------
        style : str
            The format.
        is_wide : bool
            Whether LaTeX has one table of systems × measures by default.

        Raises
        ------
        ArgumentError
            For an option that only this table has.
        """
        wide = style == "latex" and is_wide if self.wide is None else self.wide
        if self.given not in (None, "--long") and not (wide and style in ("markdown", "latex")):
            from gainful.errors import ArgumentError

            raise ArgumentError(
                f"{self.given} works with --format latex, and --wide --format markdown"
            )
        return {"wide": wide, **self.look} if wide else {}

    def check(self, style: str) -> None:
        """Refuse an option that a format does not have.

        Raises
        ------
        ParameterError
            For a format with numbers in full precision.
        """
        if self.given is not None and style not in STYLES:
            from gainful.errors import ParameterError

            raise ParameterError(
                f"{self.given} does not work with --format {style}",
                hint=f"add --format {', '.join(STYLES[:-1])} or {STYLES[-1]}",
            )


DIGITS = Parameter(
    "digits",
    int,
    group=Group.OUTPUT,
    range="[0, 15]",
    help="Digits of the means after the point. Default: 4, or 2 with --percent.",
)

SORT = Parameter(
    "sort",
    group=Group.OUTPUT,
    metavar="MEASURE",
    help="Sort the systems by this measure, the highest first, or by `name`. Default: the order of"
    " the runs.",
)

PERCENT = Parameter(
    "percent",
    bool,
    group=Group.OUTPUT,
    help="Show the means of measures from 0 to 1 as percentages.",
)


def table_options(wide: str) -> Combined:
    """Declare the options of tables of means; the value is the `Layout`.

    Parameters
    ----------
    wide : str
        The help of ``--wide/--long``.
    """
    switch = Parameter("wide", bool, None, flags=("--wide/--long",), group=Group.OUTPUT, help=wide)
    return Combined("layout", Layout, switch, DIGITS, SORT, PERCENT)
