"""What a comparison is asked for beside its data, checked once."""

from __future__ import annotations

from dataclasses import dataclass

from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["FAMILIES", "TESTS", "Choices"]

#: What is corrected for together: the pairs of one measure, or those of all.
FAMILIES = ("measure", "all")

#: Tests that are made only where they are asked for.
TESTS = ("wilcoxon", "sign")

#: The power that the numbers of queries and the detectable differences are for.
POWER = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The choices of one comparison; `gainful.compare` tells what each means.

    Raises
    ------
    ParameterError
        For a value out of its range.
    """

    alpha: float = 0.05
    margin: float | None = None
    detect: float | None = None
    tie_margin: float = 0.0
    tests: tuple[str, ...] = ()
    family: str = "measure"
    resamples: int = 100_000
    bootstrap: int = 9_999
    seed: int = 0
    threads: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise _refused("alpha", self.alpha, "a number between 0 and 1, such as .05")
        for name in ("margin", "detect"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise _refused(name, value, "a finite number above 0, in units of the measure")
        if not 0 <= self.tie_margin < float("inf"):
            raise _refused("tie_margin", self.tie_margin, "a finite number of 0 or more")
        for test in self.tests:
            if test not in TESTS:
                raise _refused("tests", test, f"one of {', '.join(TESTS)}")
        if self.family not in FAMILIES:
            raise _refused("family", self.family, f"one of {', '.join(FAMILIES)}")
        # Of fewer, not even one in a hundred could be told.
        if self.resamples < 100:
            raise _refused("resamples", self.resamples, "100 or more")
        if self.bootstrap and self.bootstrap < 100:
            raise _refused("bootstrap", self.bootstrap, "100 or more, or 0 for no bootstrap")
        if self.seed < 0:
            raise _refused("seed", self.seed, "a whole number of 0 or more")

    @property
    def sought(self) -> float | None:
        """The difference that the number of queries is for."""
        return self.margin if self.detect is None else self.detect


def chosen_tests(tests: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of tests, each once.

    Examples
    --------
    >>> chosen_tests("sign"), chosen_tests(["sign", "wilcoxon", "sign"])
    (('sign',), ('sign', 'wilcoxon'))
    """
    return tuple(dict.fromkeys([tests] if isinstance(tests, str) else tests))


def _refused(where: str, found: object, expected: str) -> ParameterError:
    return ParameterError(where=where, found=repr(found), expected=expected)
