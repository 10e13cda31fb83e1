"""The options of an assessment of judgments."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.records import Record, field

__all__ = ["Choices", "checked"]

_SCALES = ("ordinal", "interval", "nominal")
_WEIGHTS = ("quadratic", "linear", "none")


class Choices(Record):
    """The options of inter-annotator agreement."""

    scale: str = field(default="ordinal", json={"enum": list(_SCALES)})
    """The distance between grades for Krippendorff's alpha."""
    kappa: str = field(default="quadratic", json={"enum": list(_WEIGHTS)})
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
    for name, value, known in (
        ("scale", choices.scale, _SCALES),
        ("kappa", choices.kappa, _WEIGHTS),
    ):
        if value not in known:
            raise ParameterError(
                where=name, found=repr(value), expected=f"one of {', '.join(known)}"
            )
    if not 0.0 < choices.level < 1.0:
        raise ParameterError(where="level", found=repr(choices.level), expected="between 0 and 1")
    if type(choices.seed) is not int or not 0 <= choices.seed < 2**64:
        raise ParameterError(
            where="seed", found=repr(choices.seed), expected="a whole number from 0 to 2^64 - 1"
        )
    if type(choices.resamples) is not int or choices.resamples < 1:
        raise ParameterError(where="resamples", found=repr(choices.resamples), expected="1 or more")
    return choices
