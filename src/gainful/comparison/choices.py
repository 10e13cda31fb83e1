"""The options of a comparison, checked once."""

from __future__ import annotations

from math import ceil

from gainful.errors import ParameterError
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

__all__ = ["Choices"]

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


class Choices(Record):
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
    bootstrap: int = field(default=9_999, json={"minimum": 0})
    """The number of resamples for the BCa interval; 0 for no interval."""
    seed: int = field(default=0, json={"minimum": 0})
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
