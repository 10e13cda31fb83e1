"""Format numbers: values, shares, intervals and differences."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = [
    "chances",
    "digits",
    "percent",
    "places_adding_up",
    "places_for",
    "probability",
    "short",
    "span",
    "spans",
    "tallies",
    "thousands",
    "units",
    "with_sign",
]

#: Numbers of digits; the smallest that shows every change is used.
_PLACES = (4, 6, 8, 10, 12)


def digits(value: float | None, places: int = 4) -> str:
    """Format a value without the zero before the point.

    >>> digits(0.50583), digits(1.0), digits(-0.25), digits(12.5), digits(None)
    ('.5058', '1.0000', '-.2500', '12.5000', '–')
    """
    if value is None:
        return "–"
    text = f"{value:.{places}f}"
    if text.startswith("0."):
        return text[1:]
    if text.startswith("-0."):
        return "-" + text[2:]
    return text


def with_sign(value: float | None, places: int = 4) -> str:
    """Format a difference with its sign; a dash if it is not finite.

    >>> [with_sign(value) for value in (0.0388, -0.5, 0.0, -0.00001, float("inf"))]
    ['+.0388', '-.5000', '.0000', '.0000', '–']
    """
    if value is None or value - value != 0:
        return digits(None)
    text = digits(value, places)
    if not text.strip("-.0"):
        return text.removeprefix("-")
    return text if text.startswith("-") else f"+{text}"


def short(number: float) -> str:
    """Format a number that a user chose.

    >>> short(0.05), short(0.1), short(12.0), short(0.0)
    ('.05', '.1', '12', '0')
    """
    text = f"{number:g}"
    return text[1:] if text.startswith("0.") else text


def thousands(number: float) -> str:
    """Format a count with thousands separators.

    >>> thousands(12345)
    '12,345'
    """
    return f"{number:,}"


def percent(share: float | None) -> str:
    """Format a share in percent; only exactly 0 and 1 print as 0% and 100%.

    Examples
    --------
    >>> percent(0.9571), percent(1.0), percent(0.9999), percent(0.00001), percent(None)
    ('95.7%', '100.0%', '99.9%', '0.1%', '–')
    """
    if share is None:
        return "–"
    rounded = share if share in (0, 1) else min(max(share, 0.001), 0.999)
    return f"{rounded:.1%}"


def probability(p: float | None) -> str:
    """Format a p-value.

    Examples
    --------
    >>> probability(0.0312), probability(0.00001), probability(1.0), probability(None)
    ('.0312', '<.0001', '1.0000', '–')
    """
    if p is None:
        return "–"
    return "<.0001" if p < 0.0001 else digits(p)


def chances(parts: Sequence[float] | None) -> str:
    """Format probabilities that sum to 1; only exactly 0 and 1 print as 0 and 1.

    Examples
    --------
    >>> chances([0.982, 0.0175, 0.0005]), chances([0.99999, 0.00001]), chances(None)
    ('.982 / .018 / .001', '>.999 / <.001', '–')
    """
    if parts is None:
        return "–"
    return " / ".join(
        ("<.001" if part < 0.0005 else ">.999" if part >= 0.9995 else digits(part, 3))
        if 0 < part < 1
        else f"{part:g}"
        for part in parts
    )


def span(low: float | None, high: float | None, show: Callable[[float], str] = digits) -> str:
    """Format an interval.

    Examples
    --------
    >>> span(0.1, 0.25), span(-0.1, 0.25, with_sign), span(None, None)
    ('.1000 to .2500', '-.1000 to +.2500', '–')
    """
    return "–" if low is None or high is None else f"{show(low)} to {show(high)}"


def spans(
    show: Callable[[float], str] = digits,
) -> Callable[[tuple[float | None, float | None]], str]:
    """Return a function that formats intervals, with a function for their ends."""
    return lambda ends: span(*ends, show)


def tallies(counts: Iterable[Sequence[int]]) -> Callable[[Sequence[int]], str]:
    """Return a function that formats counts, aligned with the other rows of a table.

    Examples
    --------
    >>> show = tallies([(43, 17, 20), (9, 1, 70)])
    >>> show((9, 1, 70))
    ' 9 /  1 / 70'
    """
    wide = [max(len(str(count)) for count in column) for column in zip(*counts, strict=True)]
    return lambda row: " / ".join(
        str(count).rjust(width) for count, width in zip(row, wide, strict=True)
    )


def units(value: float | None, places: int) -> int | None:
    """Return a number as printed, in units of its last digit; None if not finite.

    Examples
    --------
    >>> units(0.50583, 4), units(-0.25, 2), units(None, 4)
    (5058, -25, None)
    """
    if value is None or value - value != 0:
        return None
    return int(f"{value:.{places}f}".replace(".", ""))


def places_for(changes: Iterable[tuple[float | None, ...]], least: float) -> int:
    """Return the number of digits that shows every change above a minimum as nonzero.

    Examples
    --------
    >>> places_for([(0.5, 0.6, 0.1)], 1e-12)
    4
    >>> places_for([(0.5, 0.6, 0.1), (0.5, 0.500003, 0.000003)], 1e-12)
    6
    """
    sizes = [abs(change[-1]) for change in changes if change[-1] is not None]
    for places in _PLACES:
        if all(units(size, places) != 0 for size in sizes if size > least):
            return places
    return _PLACES[-1]


def places_adding_up(changes: Iterable[tuple[float | None, ...]], places: int = 4) -> int:
    """Return the digits with which printed differences are those of the printed numbers.

    Up to two digits are added. If no number of digits suffices, none is.

    Examples
    --------
    The difference is .00995, and that of .4475 and .4574 is .0099:

    >>> places_adding_up([(0.447453, 0.457404, 0.009950)])
    5
    """
    rows = list(changes)
    for more in range(3):
        shown = [[units(number, places + more) for number in row] for row in rows]
        if all(
            None in (one, two, change) or two - one == change  # type: ignore[operator]
            for one, two, change in shown
        ):
            return places + more
    return places
