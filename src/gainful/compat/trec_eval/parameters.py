"""The parameters after a measure's name: ``P.5,10``, ``ndcg.1=3,2=9``, ``utility.1,-1,0,0``."""

from __future__ import annotations

from gainful.compat.trec_eval.c_numbers import atof, atol
from gainful.compat.trec_eval.stopping import FILES, Stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def cutoffs(text: str, measure: str) -> list[int]:
    """Read cutoffs, ascending.

    Raises
    ------
    Stop
        If one is below 1 or a duplicate.

    Examples
    --------
    >>> cutoffs("10,5,23.4", "P")
    [5, 10, 23]
    """
    found = sorted(atol(word) for word in text.split(","))
    if found[0] <= 0:
        raise _parameter_error("Negative cutoff detected", measure)
    _check_distinct(found, measure)
    return found


def points(text: str, measure: str) -> list[float]:
    """Read numbers with one value each, ascending.

    Raises
    ------
    Stop
        If there is a duplicate.

    Examples
    --------
    >>> points(".50,.25", "iprec_at_recall")
    [0.25, 0.5]
    """
    found = sorted(atof(word) for word in text.split(","))
    _check_distinct(found, measure)
    return found


def numbers(text: str) -> list[float]:
    """Read numbers in the order given.

    Examples
    --------
    >>> numbers("1,-1,0,0")
    [1.0, -1.0, 0.0, 0.0]
    """
    return [atof(word) for word in text.split(",")]


def pairs(text: str, measure: str) -> list[tuple[str, float]]:
    """Read pairs of a name and a number.

    Raises
    ------
    Stop
        If they are not pairs.

    Examples
    --------
    >>> pairs("1=3.5,2=9", "ndcg")
    [('1', 3.5), ('2', 9.0)]
    """
    found = []
    for word in text.split(","):
        name, equals, value = word.partition("=")
        if not equals or "=" in value:
            raise _parameter_error(f"malformed pair parameters in '{text}'", measure)
        found.append((name, atof(value)))
    return found


def gains(given: list[tuple[str, float]], version: int) -> list[tuple[int, float]]:
    """Return the gains of grades from pairs; the first pair of a grade counts.

    Version 9 uses the number that a name begins with; version 10 ignores names that are not whole
    numbers.

    Examples
    --------
    >>> gains([("1", 3.5), ("1", 4.0), ("x", 9.0)], 9), gains([("x", 9.0)], 10)
    ([(1, 3.5), (0, 9.0)], [])
    """
    found: dict[int, float] = {}
    for name, gain in given:
        if version == 9 or _is_whole(name):
            found.setdefault(atol(name), gain)
    return list(found.items())


def _is_whole(name: str) -> bool:
    digits = name[1:] if name[:1] in ("-", "+") else name
    return digits.isascii() and digits.isdigit()


def _check_distinct(found: Sequence[float], measure: str) -> None:
    if any(found[at] == found[at - 1] for at in range(1, len(found))):
        raise _parameter_error("duplicate cutoffs detected", measure)


def _parameter_error(what: str, measure: str) -> Stop:
    return Stop(FILES, f"trec_eval: {what}\ntrec_eval: Cannot initialize measure '{measure}'\n")
