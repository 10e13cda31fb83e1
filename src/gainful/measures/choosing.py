"""Choose the measures of a call, the requested ones or the defaults, and prepare them."""

from __future__ import annotations

from gainful.errors import MeasureError
from gainful.measures.algebra import Measure, check_verified, is_verified
from gainful.measures.notation import parse_measure, parse_measures
from gainful.measures.parameters import MEMORY, NamedFunction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gainful import _kernel
    from gainful.conventions import Convention

    Requested = Measure | str | Iterable[Measure | str] | None

__all__ = [
    "NDCG",
    "Defaults",
    "PreparedMeasures",
    "choose_measure",
    "choose_measures",
    "prepare_measures",
]

#: The default of calls that compare, explain or plan.
NDCG = ("nDCG@10",)


class Defaults(tuple[Measure, ...]):
    """Measures that nobody requested."""


def choose_measures(
    requested: Requested, *conventions: Convention, usual: Sequence[str] = NDCG
) -> tuple[Measure, ...]:
    """Return the measures of a call, each verified for all of its conventions.

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
    if isinstance(requested, Defaults):
        return requested
    if not isinstance(requested, (str, bytes, Measure)) and requested is not None:
        # Each convention may read it differently.
        requested = tuple(requested) if hasattr(requested, "__iter__") else requested
    results = MEMORY.results
    key = (requested, conventions, tuple(usual))
    try:
        chosen: tuple[Measure, ...] | None = results.get(key)
    except TypeError:  # Lists in a list have no hash.
        return _choose(requested, conventions, usual)
    if chosen is None:
        chosen = _choose(requested, conventions, usual)
        MEMORY.keep(results, key, chosen)
    return chosen


def _choose(
    requested: Requested, conventions: tuple[Convention, ...], usual: Sequence[str]
) -> tuple[Measure, ...]:
    if requested is None:
        return Defaults(_default(conventions, usual))
    readings = [
        _read(requested, convention, alone=len(conventions) == 1) for convention in conventions
    ]
    for convention, reading in zip(conventions, readings, strict=True):
        if reading != readings[0]:
            raise _ambiguous(conventions[0], readings[0], convention, reading)
        for measure in reading:
            check_verified(measure, convention)
    return readings[0]


class PreparedMeasures:
    """Measures under a convention, in the forms that an evaluation needs of them."""

    __slots__ = ("_kernels", "convention", "has_functions", "measures", "policies", "resolved")

    _kernels: list[_kernel.Kernel] | None

    def __init__(self, measures: tuple[Measure, ...], convention: Convention) -> None:
        self.measures = measures
        self.convention = convention
        #: The convention for the kernel.
        self.policies = convention.spec()
        #: The measures with every parameter set.
        self.resolved = tuple(measure.resolve(convention) for measure in measures)
        #: Whether a gain or a discount is a function.
        self.has_functions = any(
            isinstance(value, NamedFunction)
            for measure in self.resolved
            for value in measure.params.values()
        )
        self._kernels = None

    def kernels(self, grades: Callable[[], Iterable[float]] | None = None) -> list[_kernel.Kernel]:
        """Return the measures for the kernel, with the grades of judgments for functions."""
        kernels = self._kernels
        if kernels is None:
            kernels = [
                (repr(measure), *measure.spec(self.convention, grades)) for measure in self.measures
            ]
            if not self.has_functions:
                self._kernels = kernels
        return kernels


def prepare_measures(measures: tuple[Measure, ...], convention: Convention) -> PreparedMeasures:
    """Return measures in the forms that an evaluation under a convention needs."""
    results, key = MEMORY.results, (measures, convention)
    prepared: PreparedMeasures | None = results.get(key)
    if prepared is None:
        prepared = PreparedMeasures(measures, convention)
        MEMORY.keep(results, key, prepared)
    return prepared


def choose_measure(requested: Measure | str | None, *conventions: Convention) -> Measure:
    """Return the one measure of a call, as `choose_measures` chooses it.

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
