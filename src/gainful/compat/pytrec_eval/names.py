"""pytrec_eval's names of measures: ``ndcg_cut.10``, ``ndcg_cut_10``, ``ndcg_cut.5,10``, ``set``.

names      =  nickname | measure [ ( "." | "_" ) number { "," number } ]
"""

from __future__ import annotations

from difflib import get_close_matches
from warnings import warn

from gainful.errors import ArgumentError, MeasureError
from gainful.measures.catalogue import trec_name
from gainful.measures.trec_names import NICKNAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["TAKES", "chosen", "supported_measures", "supported_nicknames"]

# Outputs of trec_eval that are not per query, for which pytrec_eval returns a number. They come
# first.
_BEFORE = {"num_q": "runid", "recall": "relstring"}

# Parameters for the numbers after a name, if there is not one value per number.
_NUMBERS = {"a": "coefficients", "recalls...": "levels", "weight": "weight"}


def _list_parameters() -> dict[str, str]:
    """Return the allowed parameters by name, in the order of trec_eval."""
    takes = {}
    for name in NICKNAMES["all_trec"]:
        if name in _BEFORE:
            takes[_BEFORE[name]] = "nothing" if _BEFORE[name] == "runid" else "length"
        trec = trec_name(name)
        takes[name] = _NUMBERS[trec.into[0]] if trec.takes == "numbers" else trec.takes
    return takes


# Numbers after a name without parameters are ignored, as in trec_eval.
TAKES = _list_parameters()

#: The supported measures.
supported_measures = set(TAKES)

#: Names of several measures. ``prefs``, ``all_prefs`` and ``qrels_jg`` need other judgments than
#: grades and are errors, as in pytrec_eval.
supported_nicknames = {name: {"runid", *measures} for name, measures in NICKNAMES.items()}
supported_nicknames["all_trec"] = set(TAKES)


def chosen(measures: Iterable[str]) -> dict[str, tuple[float, ...]]:
    """Return the requested measures in trec_eval's order, with their numbers.

    Numbers of the same measure are merged, ascending and unique, so that ``ndcg_cut.10`` and
    ``ndcg_cut_5`` are ``ndcg_cut.5,10``. Without numbers, trec_eval's defaults apply.

    Raises
    ------
    MeasureError
        For an unknown name, or invalid numbers.
    ArgumentError
        For a name that is not a text.

    Examples
    --------
    >>> chosen(["ndcg_cut_10", "map", "ndcg_cut.5,10"])
    {'map': (), 'ndcg_cut': (5, 10)}
    """
    found: dict[str, tuple[float, ...]] = {}
    for measure in _expand_nicknames(measures):
        name, rest = _split(measure)
        before = found.setdefault(name, ())
        if rest is not None:
            found[name] = _numbers(measure, name, rest, before)
    return {name: found[name] for name in TAKES if name in found}


def _expand_nicknames(measures: Iterable[str]) -> Iterable[str]:
    if isinstance(measures, str):
        raise MeasureError(
            f"found the text {measures!r}, expected a set of names",
            where="measures",
            hint=f"write {{{measures!r}}}",
        )
    if not hasattr(measures, "__iter__"):
        raise ArgumentError(where="measures", found=repr(measures), expected="a set of names")
    for measure in measures:
        if not isinstance(measure, str):
            raise ArgumentError(
                where="measures", found=repr(measure), expected="the name of a measure"
            )
        yield from supported_nicknames.get(measure, (measure,))


def _split(measure: str) -> tuple[str, str | None]:
    """Split a name into measure and numbers, None without numbers."""
    if measure in TAKES:
        return measure, None
    if any(measure in names for names in supported_nicknames.values()):
        raise _refused(
            measure,
            "a measure of grades",
            "it requires preferences or groups of judgments, but the dictionary contains grades",
        )
    for at in range(len(measure) - 1, 0, -1):
        if measure[at] in "._" and measure[:at] in TAKES:
            return measure[:at], measure[at + 1 :]
    raise _unsupported(measure)


def _numbers(measure: str, name: str, rest: str, before: tuple[float, ...]) -> tuple[float, ...]:
    takes = TAKES[name]
    if takes == "gains":
        hint = "gainful.evaluate supports gains: nDCG(gain={0: 0, 1: 3})"
        if name == "ndcg" and rest.isdecimal():
            hint = f"for nDCG@{rest} write ndcg_cut_{rest}"
        raise _refused(measure, f"{name} alone, because pytrec_eval does not support gains", hint)
    numbers = tuple(_number(text, measure, name) for text in rest.split(","))
    if takes == "nothing":
        warn(
            f"{measure}: {name} has no cutoff, as in trec_eval; the whole ranking is evaluated",
            stacklevel=5,
        )
        return ()
    if takes == "coefficients":
        if len(numbers) != 4 or before not in ((), numbers):
            raise _refused(measure, f"four numbers, once: {name}.1,-1,0,0")
        return numbers
    if min(numbers) < 0:
        raise _refused(measure, f"numbers of 0 or more after {name}")
    if takes == "weight" and len({*before, *numbers}) > 1:
        raise _refused(measure, f"one number: {name}.0.5")
    if takes == "cutoffs":
        # trec_eval truncates fractions.
        numbers = tuple(int(number) for number in numbers)
        if min(numbers) < 1 or max(numbers) >= 2**63:
            raise _refused(measure, "cutoffs of 1 or more")
    return tuple(sorted({*before, *numbers}))


def _number(text: str, measure: str, name: str) -> float:
    unsigned = text.removeprefix("-")
    whole, dot, fraction = unsigned.partition(".")
    if not (unsigned.isascii() and whole.isdigit() and (fraction.isdigit() or not dot)):
        raise _refused(measure, f"numbers after {name}, as in {name}.5 and {name}.5,10")
    return float(text) if dot else int(text)


def _refused(measure: str, expected: str, hint: str | None = None) -> MeasureError:
    return MeasureError(where="measures", found=repr(measure), expected=expected, hint=hint)


def _unsupported(measure: str) -> MeasureError:
    close = get_close_matches(measure, [*TAKES, *supported_nicknames], n=3)
    return MeasureError(
        f"unknown measure {measure!r}",
        where="measures",
        hint=f"did you mean {', '.join(close)}?" if close else None,
    )
