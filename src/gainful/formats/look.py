"""How the numbers of a table are shown: digits, percentages and the order of systems."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.formats.numbers import digits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gainful.conventions import Convention
    from gainful.measures import Measure

__all__ = ["Look"]

_MOST_DIGITS = 15


class Look:
    """The digits of means, whether they are percentages, and the order of the systems.

    Parameters
    ----------
    places : int, optional
        Digits after the point. Default: 4, or 2 for percentages.
    sort : str, optional
        The measure by whose mean systems are sorted, the highest first, or ``"name"``. Default: the
        order of the runs.
    percent : bool
        Whether to multiply by 100 the means of measures from 0 to 1.

    Raises
    ------
    ParameterError
        For a number of digits below 0 or above 15.

    Examples
    --------
    >>> Look().text(0.50583), Look(2).text(0.50583), Look(percent=True).text(50.583)
    ('.5058', '.51', '50.58')
    """

    __slots__ = ("percent", "places", "sort")

    def __init__(
        self, places: int | None = None, sort: str | None = None, percent: bool = False
    ) -> None:
        if places is not None and (type(places) is not int or not 0 <= places <= _MOST_DIGITS):
            raise ParameterError(
                where="digits",
                found=repr(places),
                expected=f"a whole number from 0 to {_MOST_DIGITS}",
            )
        self.places = (2 if percent else 4) if places is None else places
        self.sort = sort
        self.percent = percent

    def text(self, value: float) -> str:
        """Format a mean; an integer is a sum of counts."""
        return str(value) if isinstance(value, int) else digits(value, self.places)

    def scaled(self, measure: Measure, convention: Convention) -> bool:
        """Return whether the means of a measure are shown as percentages."""
        return (
            self.percent
            and measure.aggregate != "sum"
            and measure.range(convention) in ((0.0, 1.0), (0, 1))
        )

    def heading(self, measure: Measure, convention: Convention) -> str:
        """Return the heading of a measure's means."""
        return f"{measure!r} (%)" if self.scaled(measure, convention) else repr(measure)

    def order(
        self,
        systems: Sequence[str],
        measures: Sequence[Measure],
        means: Mapping[tuple[str, str], float],
    ) -> list[str]:
        """Return the systems in their order.

        Parameters
        ----------
        systems : sequence of str
            The names in the order of the runs.
        measures : sequence of Measure
            The measures.
        means : mapping of (str, str) to float
            The means by measure and system.

        Raises
        ------
        ParameterError
            If `sort` is neither a measure nor ``"name"``.
        """
        if self.sort is None:
            return list(systems)
        if self.sort == "name":
            return sorted(systems)
        names = [repr(measure) for measure in measures]
        if self.sort not in names:
            raise ParameterError(
                where="sort", found=repr(self.sort), expected=f"name or one of {', '.join(names)}"
            )

        direction = measures[names.index(self.sort)].direction

        def key(system: str) -> tuple[bool, float]:
            mean = means.get((str(self.sort), system), float("nan"))
            return mean != mean, -direction * mean

        return sorted(systems, key=key)
