"""Parse the grades of ``--scale`` and the probabilities of ``--prior``."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.numerals import parse_number
from gainful.parameters import Parameter

__all__ = ["SCALE", "parse_prior", "parse_scale"]

SCALE = Parameter(
    "scale",
    metavar="GRADES",
    convert=lambda text, values: parse_scale(text),
    help="With --bounds or --sample, the possible grades of unjudged documents: 0,1,2,3. Default: 0"
    " and the grades of the judgments.",
    annotation="Iterable[float] | None",
)


def parse_scale(scale: str | None) -> list[float] | None:
    """Return the grades of ``--scale``.

    Raises
    ------
    ParameterError
        For anything but numbers and commas.

    Examples
    --------
    >>> parse_scale("0,1,2.5"), parse_scale(None)
    ([0.0, 1.0, 2.5], None)
    """
    if scale is None:
        return None
    try:
        return [parse_number(grade) for grade in scale.split(",")]
    except ValueError:
        raise ParameterError(
            where="--scale", found=repr(scale), expected="numbers and commas, as in 0,1,2,3"
        ) from None


def parse_prior(prior: str | None) -> str | dict[float, float] | None:
    """Return the prior of ``--prior``: a name, or probabilities by grade.

    Raises
    ------
    ParameterError
        For anything else.

    Examples
    --------
    >>> parse_prior("run"), parse_prior("0=0.9,1=0.1"), parse_prior(None)
    ('run', {0.0: 0.9, 1.0: 0.1}, None)
    """
    if prior is None or "=" not in prior:
        return prior
    try:
        pairs = [pair.split("=") for pair in prior.split(",")]
        return {parse_number(grade): parse_number(share) for grade, share in pairs}
    except ValueError:
        raise ParameterError(
            where="--prior",
            found=repr(prior),
            expected="run, pool, or as in 0=0.9,1=0.1",
        ) from None
