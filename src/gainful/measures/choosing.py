"""Choose the measures of a call: the requested ones or the conventions' defaults."""

from __future__ import annotations

from gainful.errors import MeasureError
from gainful.measures.algebra import Measure, check_verified, is_verified
from gainful.measures.notation import parse_measure, parse_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful.conventions import Convention

    Requested = Measure | str | Iterable[Measure | str] | None

__all__ = ["NDCG", "Defaults", "choose_measure", "choose_measures"]

#: The default of calls that compare, explain or plan.
NDCG = ("nDCG@10",)


class Defaults(tuple[Measure, ...]):
    """Measures that nobody requested."""


def choose_measures(
    requested: Requested, *conventions: Convention, usual: Sequence[str] = NDCG
) -> tuple[Measure, ...]:
    """Return the measures of a call, each verified for all of its conventions.

    Parameters
    ----------
    requested : Measure, str, several of them, or None
        The requested measures. Names have the meaning of the conventions' tools. None: the default
        measures of the conventions.
    *conventions : Convention
        The conventions of the evaluation.
    usual : sequence of str
        The default measures of the call; those that are verified are used.

    Raises
    ------
    MeasureError
        For an invalid measure, a measure that a preset is not verified for, a name with different
        meanings under the conventions, or conventions without a common default measure.

    Examples
    --------
    >>> from gainful.conventions import get
    >>> choose_measures("accuracy@1", get("sentence-transformers"))
    (Success@1,)
    >>> choose_measures(None, get("ndeval"))
    (ERR_IA@20,)
    >>> choose_measures(None, get("gainful"), get("tfma"), usual=["nDCG@10", "AP"])
    (nDCG@10,)
    """
    if requested is None:
        return Defaults(_default(conventions, usual))
    if isinstance(requested, Defaults):
        return requested
    if not isinstance(requested, (str, bytes, Measure)) and hasattr(requested, "__iter__"):
        # Each convention may read it differently.
        requested = list(requested)
    readings = [
        _read(requested, convention, alone=len(conventions) == 1) for convention in conventions
    ]
    for convention, reading in zip(conventions, readings, strict=True):
        if reading != readings[0]:
            raise _ambiguous(conventions[0], readings[0], convention, reading)
        for measure in reading:
            check_verified(measure, convention)
    return readings[0]


def choose_measure(requested: Measure | str | None, *conventions: Convention) -> Measure:
    """Return the one measure of a call, as `choose_measures` chooses it.

    Raises
    ------
    MeasureError
        As for `choose_measures`, and for a text that means several measures.

    Examples
    --------
    >>> from gainful.conventions import get
    >>> choose_measure(None, get("gdeval"))
    nDCG@20
    """
    if isinstance(requested, str):
        parse_measure(requested, conventions[0])
    return choose_measures(requested, *conventions)[0]


def _read(
    requested: Measure | str | Iterable[Measure | str], convention: Convention, *, alone: bool
) -> tuple[Measure, ...]:
    try:
        return tuple(parse_measures(requested, convention))
    except MeasureError as error:
        if alone:
            raise
        raise error.inside(f"under {convention.name}") from None


def _default(conventions: Sequence[Convention], usual: Sequence[str]) -> tuple[Measure, ...]:
    plain = tuple(parse_measures(usual))
    defaults = [_usual(convention, plain) for convention in conventions]
    common = tuple(
        measure for measure in defaults[0] if all(measure in default for default in defaults)
    )
    # Without a common default, use a measure that all are verified for.
    candidates = (
        common,
        *(
            tuple(
                convention
                for convention in default
                if all(is_verified(convention, one) for one in conventions)
            )
            for default in (plain, *defaults)
        ),
    )
    chosen = next(filter(None, candidates), None)
    if chosen is None:
        names = " and ".join(convention.label for convention in conventions)
        raise MeasureError(
            f"{names} are verified for different measures", hint="name the measures to compute"
        )
    return chosen if len(usual) > 1 else chosen[:1]


def _usual(convention: Convention, plain: tuple[Measure, ...]) -> tuple[Measure, ...]:
    preset = convention.preset
    if preset is not None and preset.usual:
        return tuple(parse_measures(preset.usual))
    return tuple(measure for measure in plain if is_verified(measure, convention))


def _ambiguous(
    first: Convention,
    one: tuple[Measure, ...],
    second: Convention,
    other: tuple[Measure, ...],
) -> MeasureError:
    one_measure, other_measure = next(
        (pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]), (one, other)
    )
    return MeasureError(
        f"one name means {one_measure!r} under {first.name}"
        f" and {other_measure!r} under {second.name}",
        hint="write the measure that you mean in Gainful's notation",
    )
