"""The options of a comparison, checked once."""

from __future__ import annotations

from math import ceil
from numbers import Integral, Real

from gainful.errors import ParameterError
from gainful.records import Record, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CORRECTIONS", "FAMILIES", "TESTS", "Choices"]

#: Which pairs are corrected together: the pairs of one measure, or all pairs.
FAMILIES = ("measure", "all")

#: How p-values are corrected. Default: max-T for all pairs of three or more systems, else Holm.
CORRECTIONS = ("max-t", "tukey", "holm")

#: Tests that run only on request.
TESTS = ("wilcoxon", "sign")

#: The power for required numbers of queries and minimum detectable differences.
POWER = 0.8

#: More resamples take memory and time without a visible effect on results.
MOST_RESAMPLES = 100_000_000


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
    tests: tuple[str, ...] = field(default=(), json={"items": {"enum": list(TESTS)}})
    """Tests that were requested in addition."""
    bayes: bool = False
    """Whether posterior probabilities were requested."""
    family: str = field(default="measure", json={"enum": list(FAMILIES)})
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
        # Resampling cannot estimate smaller probabilities.
        if not (_number(self.alpha) and 1e-6 <= self.alpha < 1):
            raise _refused("alpha", self.alpha, "a number from .000001 to below 1, such as .05")
        for name in ("margin", "detect"):
            value = getattr(self, name)
            if value is not None and not (_number(value) and 0 < value < float("inf")):
                raise _refused(name, value, "a finite number above 0, in units of the measure")
        if not (_number(self.tie_margin) and 0 <= self.tie_margin < float("inf")):
            raise _refused("tie_margin", self.tie_margin, "a finite number of 0 or more")
        for test in self.tests:
            if test not in TESTS:
                raise _refused("tests", test, f"one of {', '.join(TESTS)}")
        if self.family not in FAMILIES:
            raise _refused("family", self.family, f"one of {', '.join(FAMILIES)}")
        if self.correction is not None and self.correction not in CORRECTIONS:
            raise _refused("correction", self.correction, f"one of {', '.join(CORRECTIONS)}")
        # With fewer than a hundred resamples even p = .01 is out of reach.
        if not (isinstance(self.resamples, Integral) and 100 <= self.resamples <= MOST_RESAMPLES):
            raise _refused("resamples", self.resamples, f"100 or more, up to {MOST_RESAMPLES:,}")
        if self.resamples + 1 < 1 / self.alpha:
            raise _refused(
                "resamples", self.resamples, f"{ceil(1 / self.alpha):,} or more for this alpha"
            )
        whole = isinstance(self.bootstrap, Integral)
        if not whole or not (self.bootstrap == 0 or 100 <= self.bootstrap <= MOST_RESAMPLES):
            raise _refused(
                "bootstrap",
                self.bootstrap,
                f"100 or more, up to {MOST_RESAMPLES:,}, or 0 for no bootstrap",
            )
        if not (isinstance(self.seed, Integral) and 0 <= self.seed < 1 << 64):
            raise _refused("seed", self.seed, "a whole number from 0 to 2^64 - 1")

    @property
    def sought(self) -> float | None:
        """The difference for which the required number of queries is computed."""
        return self.margin if self.detect is None else self.detect


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
        raise _refused("tests", tests, f"one or several of {', '.join(TESTS)}")
    return tuple(dict.fromkeys(tests))


def _number(value: object) -> bool:
    return isinstance(value, Real)


def _refused(where: str, found: object, expected: str) -> ParameterError:
    return ParameterError(where=where, found=repr(found), expected=expected)
