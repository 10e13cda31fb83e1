"""The arguments and options of a comparison, checked once."""

from __future__ import annotations

from math import ceil

from gainful.data.coercion import run_name
from gainful.errors import ArgumentError, ParameterError
from gainful.parameters.comparing import (
    ALPHA,
    BOOTSTRAP,
    CORRECTION,
    FAMILY,
    MARGINS,
    RESAMPLES,
    SEED,
    TESTS,
    TIE_MARGIN,
)
from gainful.records import Record, field
from gainful.vocabulary import EXTRA_TESTS, PAIR_FAMILIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.comparison.scores import Scores

__all__ = ["CompareOptions", "check_baselines", "check_systems", "check_tests", "list_couples"]

#: The power for required numbers of queries and minimum detectable differences.
POWER = 0.8

_CHECKED = (
    ALPHA,
    *MARGINS,
    TIE_MARGIN,
    TESTS,
    FAMILY,
    CORRECTION,
    RESAMPLES,
    BOOTSTRAP,
    SEED,
)


class CompareOptions(Record):
    """The options of one comparison; see `gainful.compare`.

    Raises
    ------
    ParameterError
        If a value is out of range.
    """

    alpha: float = field(default=0.05, json={"minimum": 0, "maximum": 1})
    """The family-wise error rate. The confidence level of intervals is 1 - alpha."""
    margin: float | None = None
    """The equivalence margin."""
    detect: float | None = None
    """The difference for which to report the required number of queries."""
    tie_margin: float = field(default=0.0, json={"minimum": 0})
    """Queries with a difference of at most this are ties."""
    tests: tuple[str, ...] = field(default=(), json={"items": {"enum": list(EXTRA_TESTS)}})
    """Tests that were requested in addition."""
    bayes: bool = False
    """Whether posterior probabilities were requested."""
    family: str = field(default="measure", json={"enum": list(PAIR_FAMILIES)})
    """Which pairs were corrected together: those of each measure, or all."""
    correction: str | None = field(default=None, key="")
    """The requested correction."""
    resamples: int = field(default=100_000, json={"minimum": 1})
    """The number of sign flips and permutations."""
    bootstrap: int = 9_999
    """The number of resamples for the BCa interval; 0 for no interval."""
    seed: int = 0
    """The random seed."""
    threads: int | None = field(default=None, key="")
    """The number of threads."""

    def __post_init__(self) -> None:
        for parameter in _CHECKED:
            parameter.check(getattr(self, parameter.name))
        if self.resamples + 1 < 1 / self.alpha:
            raise ParameterError(
                where="resamples",
                found=repr(self.resamples),
                expected=f"{ceil(1 / self.alpha):,} or more for this alpha",
            )

    @property
    def sought(self) -> float | None:
        """The difference for which the required number of queries is computed."""
        return self.margin if self.detect is None else self.detect

    def families(self, measures: int) -> list[list[int]]:
        """Return the measures, as indices, that are corrected together."""
        every = range(measures)
        return [[*every]] if self.family == "all" else [[measure] for measure in every]


def chosen_tests(tests: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of tests, without duplicates.

    Examples
    --------
    >>> chosen_tests("sign"), chosen_tests(["sign", "wilcoxon", "sign"])
    (('sign',), ('sign', 'wilcoxon'))
    """
    if isinstance(tests, str):
        return (tests,)
    if not isinstance(tests, (list, tuple)) or not all(isinstance(test, str) for test in tests):
        raise ParameterError(
            where="tests",
            found=repr(tests),
            expected=f"one or several of {', '.join(EXTRA_TESTS)}",
        )
    return tuple(dict.fromkeys(tests))


def check_systems(systems: Sequence[str]) -> None:
    """Reject fewer than two systems, and duplicate names."""
    if len(systems) < 2:
        raise ParameterError(
            where="runs", found=f"{len(systems)} run{'' if systems else 's'}", expected="at least 2"
        )
    for index, system in enumerate(systems):
        if system in systems[:index]:
            raise ParameterError(f"two runs have the name {system!r}", where="runs")


def check_baselines(
    baseline: str | Sequence[str] | None, systems: Sequence[str]
) -> tuple[str, ...]:
    """Return the named baselines without duplicates; each must be a system."""
    if baseline is None:
        return ()
    listed = [baseline] if isinstance(baseline, str) else baseline
    if not isinstance(listed, (list, tuple)) or not all(
        isinstance(baseline, str) for baseline in listed
    ):
        raise ArgumentError(
            where="baseline", found=repr(baseline), expected="one or several names of systems"
        )
    named = tuple(dict.fromkeys(listed))
    for name in named:
        if name not in systems:
            from difflib import get_close_matches

            # A file named like one of the runs probably means that run.
            meant = run_name(name)
            close = [meant] if meant in systems else get_close_matches(name, systems, n=1)
            raise ParameterError(
                where="baseline",
                found=repr(name),
                expected=f"one of {', '.join(systems)}",
                hint=f"did you mean {close[0]}?" if close else None,
            )
    return named


def list_couples(systems: Sequence[str], baselines: Sequence[str]) -> list[tuple[int, int]]:
    """Return the indices of the systems to compare: (system, baseline)."""
    if not baselines:
        return [
            (later, one) for one in range(len(systems)) for later in range(one + 1, len(systems))
        ]
    couples = []
    for name in baselines:
        base = systems.index(name)
        for index, system in enumerate(systems):
            # Compare two baselines with each other only once.
            earlier = system in baselines and baselines.index(system) < baselines.index(name)
            if index != base and not earlier:
                couples.append((index, base))
    return couples


def check_correction(choices: CompareOptions, baselines: Sequence[str]) -> None:
    """Reject corrections for all pairs if systems are compared with baselines."""
    if choices.correction == "tukey" and baselines:
        raise ParameterError(
            where="correction",
            found="tukey with a baseline",
            expected="holm or max-t",
            hint="randomized Tukey HSD compares all pairs",
        )


def check_tests(choices: CompareOptions, scores: Scores) -> None:
    """Reject tests that ignore weights and clusters if the queries have them."""
    for test in choices.tests:
        uneven = "weights" if scores.weights is not None else "clusters"
        if scores.weights is not None or scores.clusters is not None:
            raise ParameterError(
                f"{test} requires independent queries with equal weights, but there are {uneven}",
                where="tests",
            )
