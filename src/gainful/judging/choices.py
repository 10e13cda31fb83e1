"""The options of an assessment of judgments."""

from __future__ import annotations

from dataclasses import dataclass

from gainful.errors import ParameterError
from gainful.vocabulary import KAPPA_WEIGHTS, SCALES

__all__ = ["Choices"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The options of inter-annotator agreement.

    Attributes
    ----------
    scale : {"ordinal", "interval", "nominal"}
        The distance between grades for Krippendorff's alpha.
    kappa : {"quadratic", "linear", "none"}
        The weights of kappa.
    level : float
        The confidence level of intervals.
    resamples : int
        Number of bootstrap resamples, of queries, for the intervals of tau.
    seed : int
        The random seed.
    """

    scale: str = "ordinal"
    kappa: str = "quadratic"
    level: float = 0.95
    resamples: int = 1_999
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value, known in (
            ("scale", self.scale, SCALES),
            ("kappa", self.kappa, KAPPA_WEIGHTS),
        ):
            if value not in known:
                raise ParameterError(
                    where=name, found=repr(value), expected=f"one of {', '.join(known)}"
                )
        if not 0.0 < self.level < 1.0:
            raise ParameterError(where="level", found=repr(self.level), expected="between 0 and 1")
        if type(self.seed) is not int or not 0 <= self.seed < 2**64:
            raise ParameterError(
                where="seed",
                found=repr(self.seed),
                expected="a whole number from 0 to 2^64 - 1",
            )
        if type(self.resamples) is not int or self.resamples < 1:
            raise ParameterError(
                where="resamples", found=repr(self.resamples), expected="1 or more"
            )
