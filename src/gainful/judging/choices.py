"""The options of an assessment of judgments."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.parameters.comparing import SEED
from gainful.parameters.judging import AGREEMENT_RESAMPLES, AGREEMENT_SCALE, KAPPA
from gainful.records import Record, field
from gainful.vocabulary import KAPPA_WEIGHTS, SCALES

__all__ = ["Choices", "checked"]


class Choices(Record):
    """The options of inter-annotator agreement."""

    scale: str = field(default="ordinal", json={"enum": list(SCALES)})
    """The distance between grades for Krippendorff's alpha."""
    kappa: str = field(default="quadratic", json={"enum": list(KAPPA_WEIGHTS)})
    """The weights of Cohen's kappa."""
    level: float = field(default=0.95, json={"minimum": 0, "maximum": 1})
    """The confidence level of intervals."""
    resamples: int = field(default=1_999, json={"minimum": 1})
    """Number of bootstrap resamples, of queries, for the intervals of tau."""
    seed: int = 0
    """The random seed."""


def checked(choices: Choices) -> Choices:
    """Return the options, or refuse a wrong one.

    Raises
    ------
    ParameterError
        For an unknown scale or weights, or a number out of range.
    """
    for parameter in (AGREEMENT_SCALE, KAPPA, AGREEMENT_RESAMPLES, SEED):
        parameter.check(getattr(choices, parameter.name))
    if not 0.0 < choices.level < 1.0:
        raise ParameterError(where="level", found=repr(choices.level), expected="between 0 and 1")
    return choices
