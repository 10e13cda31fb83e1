"""Measures of ir_measures as Gainful's; nothing of ir_measures is imported for it."""

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
    """Return the measure of Gainful that gives what a measure of ir_measures asks for.

    Parameters
    ----------
    measure : ir_measures.Measure
        With its parameters; they have been validated by ir_measures.

    Returns
    -------
    Measure or None
        ``None`` if Gainful does not know the measure, or not this parameter of it.

    Raises
    ------
    MeasureError
        For a value that no program could take: a cutoff of 0, a persistence of 2.
    """
    name = str(measure.NAME)
    family = name if name in FAMILIES else ALIASES.get(plain(name))
    # What a user has defined under one of these names has an implementation of its own.
    if family is None or hasattr(measure, "runtime_impl"):
        return None
    own = _set_parameters(measure)
    if _out_of_reach(name, own):
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
    """Return the parameters that are set to something else than ir_measures' default."""
    known = measure.SUPPORTED_PARAMS
    return {name: value for name, value in measure.params.items() if value != known[name].default}


def _out_of_reach(name: str, given: Mapping[str, object]) -> bool:
    """Whether this means something that Gainful has no measure for.

    RBP without ``rel`` is of graded gains, on a scale that ir_measures leaves open. A negative
    grade is no judgment to trec_eval, which ir_measures circumvents by changing the judgments.
    """
    rel = given.get("rel")
    gains = given.get("gains")
    return (
        (name == "RBP" and rel is None)
        or (isinstance(rel, int) and rel < 0)
        or (isinstance(gains, dict) and any(each < 0 for pair in gains.items() for each in pair))
    )
