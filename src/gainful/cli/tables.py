"""Tables of means: their options, and how evaluations are written."""

from __future__ import annotations

from gainful.cli.arguments import check_records
from gainful.cli.output import draw, input_fields, send, write
from gainful.parameters import Combined, Group, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.cli.command import Values

__all__ = ["LAYOUT", "check_layout", "comparison_layout", "table_options", "write_evaluation"]

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


def comparison_layout(values: Values, *, is_wide: bool) -> dict[str, Any]:
    """Return the arguments of `gainful.comparison.Comparison.tables`.

    Parameters
    ----------
    values : Values
        The values of the command.
    is_wide : bool
        Whether LaTeX has one table of systems × measures by default.

    Raises
    ------
    ArgumentError
        For an option that only this table has.
    """
    wide = values.style == "latex" and is_wide if values.wide is None else values.wide
    if not wide or values.style not in ("markdown", "latex"):
        names = LAYOUT if wide else "digits sort percent"
        values.refuse(names, "works with --format latex, and --wide --format markdown")
        return {}
    return {"wide": True, **values.layout.look}


def check_layout(values: Values) -> None:
    """Refuse an option that a format with numbers in full precision does not have.

    Raises
    ------
    ArgumentError
        For the first of them.
    """
    if values.per_query:
        # The only layout of rows of queries that it checks.
        if values.wide is False:
            check_records("--per-query --long", values.style)
    elif values.style not in STYLES:
        hint = f"add --format {', '.join(STYLES[:-1])} or {STYLES[-1]}"
        values.refuse(LAYOUT, f"does not work with --format {values.style}", hint=hint)


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


def write_evaluation(result: Any, values: Values) -> None:
    """Write what ``gainful evaluate`` computed, also to the file of ``--publish``."""
    from gainful.evaluation import Evaluation

    style, per_query, layout = values.style, values.per_query, values.layout
    is_evaluation = isinstance(result, Evaluation)
    has_rows = is_evaluation or len(values.conventions) > 1
    if has_rows and (style == "jsonl" or (style == "json" and per_query)):
        draw(result)
        further = input_fields() if style == "json" else None
        send(result._json_chunks(style, per_query=per_query, further=further), values.output)
    else:
        tables = None
        if has_rows and per_query:
            tables = result.tables(per_query=True) if style in (*STYLES, "html") else None
        elif is_evaluation and style in STYLES:
            is_paper = style != "table"
            wide = (is_paper and result._is_wide) if layout.wide is None else layout.wide
            tables = result.tables(wide=wide, marks=is_paper, **layout.look)
        write(result, style, values.output, records=_records(values), tables=tables)
    if values.publish is not None:
        from gainful.published import summarize_published, write_published

        # Estimates from a sample and several conventions refuse the option.
        scores = summarize_published(result, collection=values.collection)
        write_published(values.publish, scores)


def _records(values: Values) -> str:
    """Return the name of the records in TSV, CSV and Parquet."""
    if not values.per_query:
        return "summary"
    return "values" if values.wide is False else "queries"
