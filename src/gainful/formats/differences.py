"""Numbers and the changes between them, printed so that what is printed adds up."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["changed", "places_for", "signed", "units"]

#: Digits after the point: the least that show every change are taken.
_PLACES = (4, 6, 8, 10, 12)


def units(value: float | None, places: int) -> int | None:
    """Return a number as printed, in units of its last digit; ``None`` for what is no number.

    Examples
    --------
    >>> units(0.50583, 4), units(-0.25, 2), units(None, 4)
    (5058, -25, None)
    """
    if value is None or value - value != 0:
        return None
    return int(f"{value:.{places}f}".replace(".", ""))


def changed(before: float | None, after: float | None, places: int) -> int | None:
    """Return the change between two numbers as printed, in units of the last digit.

    Examples
    --------
    >>> changed(0.12344, 0.12346, 4)
    1
    """
    one, two = units(before, places), units(after, places)
    return None if one is None or two is None else two - one


def signed(change: int | None, places: int) -> str:
    """Write a change in units of the last digit, with its sign.

    Examples
    --------
    >>> signed(18, 4), signed(-12345, 4), signed(0, 4), signed(None, 4), signed(3, 0)
    ('+.0018', '-1.2345', '.0000', '–', '+3')
    """
    if change is None:
        return "–"
    sign = "+" if change > 0 else "-" if change < 0 else ""
    whole, rest = divmod(abs(change), 10**places)
    if not places:
        return f"{sign}{whole}"
    return f"{sign}{whole or ''}.{rest:0{places}d}"


def places_for(pairs: Iterable[tuple[float | None, float | None]], least: float) -> int:
    """Return how many digits show every change above a least one as something else than 0.

    Examples
    --------
    >>> places_for([(0.5, 0.6)], 1e-12), places_for([(0.5, 0.6), (0.5, 0.500003)], 1e-12)
    (4, 6)
    """
    apart = [
        (one, two)
        for one, two in pairs
        if one is not None and two is not None and abs(one - two) > least
    ]
    for places in _PLACES:
        if all(changed(one, two, places) for one, two in apart):
            return places
    return _PLACES[-1]
