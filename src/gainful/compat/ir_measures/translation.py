"""Translate measures of ir_measures, without importing it."""

from __future__ import annotations

from gainful.measures import Measure, describe
from gainful.measures.catalogue import plain
from gainful.measures.index import ALIASES, FAMILIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["translate"]


def translate(measure: Any) -> Measure | None:
    """Return the equivalent of a measure of ir_measures.

    Parameters
    ----------
    measure : ir_measures.Measure
        The measure; ir_measures has validated its parameters.

    Returns
    -------
    Measure or None
        ``None`` if Gainful does not support the measure or a parameter.

    Raises
    ------
    MeasureError
        For an invalid value: a cutoff of 0, a persistence of 2.
    """
    name = str(measure.NAME)
    family = name if name in FAMILIES else ALIASES.get(plain(name))
    # Measures that a user has defined with one of these names are the user's own.
    if family is None or hasattr(measure, "runtime_impl"):
        return None
    own = _set_parameters(measure)
    if _is_unsupported(name, own):
        return None
    cutoff = own.pop("cutoff", None)
    declared = describe(family)
    given = declared.named(name, own)
    if declared.translate is not None:
        family, given = declared.translate(given)
        declared = describe(family)
    if any(declared.parameter(each) is None for each in given):
        return None
    found = Measure(family, given)
    return found if cutoff is None else found(cutoff=cutoff)


def _set_parameters(measure: Any) -> dict[str, object]:
    """Return the parameters that differ from their defaults."""
    known = measure.SUPPORTED_PARAMS
    return {name: value for name, value in measure.params.items() if value != known[name].default}


def _is_unsupported(name: str, given: Mapping[str, object]) -> bool:
    """Return whether Gainful has no equivalent measure.

    RBP without ``rel`` has graded gains on an unspecified scale. For trec_eval a negative grade is
    not a judgment, which ir_measures circumvents by changing the judgments.
    """
    rel = given.get("rel")
    gains = given.get("gains")
    return (
        (name == "RBP" and rel is None)
        or (isinstance(rel, int) and rel < 0)
        or (isinstance(gains, dict) and any(each < 0 for pair in gains.items() for each in pair))
    )
