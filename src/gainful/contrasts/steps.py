"""The steps between two conventions, in order."""

from __future__ import annotations

from gainful.conventions import Convention
from gainful.conventions.difference import Difference, compare_measures, diff
from gainful.errors import MeasureError
from gainful.measures import Measure
from gainful.policies import POLICIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from gainful.measures.family import Family
    from gainful.measures.parameters import Value

__all__ = ["LAST", "changes", "convert_partly", "list_overridden"]

#: The policies on queries change after the measure's parameters: they decide which queries count
#: and how values are aggregated, which is clearer when the values are those of B.
LAST = tuple(policy.name for policy in POLICIES if policy.governs == "queries")


def changes(a: Convention, b: Convention, measure: Measure) -> list[Difference]:
    """Return the changes between two conventions for a measure, in order.

    First the policies on documents and their order, in the order of `POLICIES`, then the measure's
    parameters and cutoff, then the policies on queries and their mean.

    Examples
    --------
    >>> from gainful.measures import nDCG
    >>> other = Convention(missing="skip", ties="expected", defaults={"nDCG": {"ideal": "list"}})
    >>> [change.name for change in changes(Convention(), other, nDCG @ 10)]
    ['ties', 'ideal', 'missing']
    """
    policies = [each for each in diff(a, b) if each.family is None]
    return [
        *(each for each in policies if each.name not in LAST),
        *compare_measures(measure.resolve(a), measure.resolve(b)),
        *(each for each in policies if each.name in LAST),
    ]


def list_overridden(a: Convention, b: Convention, measure: Measure) -> list[Difference]:
    """Return the parameters that differ but that the measure sets itself."""
    acting = {each.name for each in compare_measures(measure.resolve(a), measure.resolve(b))}
    bare = Measure(measure.family, {}, None)
    if bare.declaration.at is not None:
        return []
    return [
        each
        for each in compare_measures(bare.resolve(a), bare.resolve(b))
        if each.name not in acting
    ]


def convert_partly(
    a: Convention, measure: Measure, changed: Iterable[Difference]
) -> tuple[Convention, Measure]:
    """Return convention A and the measure after some of the changes.

    Everything that the measure takes from the convention is set on the measure instead.

    Raises
    ------
    MeasureError
        If a parameter depends on others that have not changed yet, or implies others.

    Examples
    --------
    >>> from gainful.measures import nDCG
    >>> other = Convention(ties="expected", defaults={"nDCG": {"ideal": "list"}})
    >>> both = changes(Convention(), other, nDCG @ 10)
    >>> convert_partly(Convention(), nDCG @ 10, both[:1])[0].ties
    'expected'
    >>> convert_partly(Convention(), nDCG @ 10, both)[1]
    nDCG(ideal='list')@10
    """
    policies: dict[str, Any] = {**a.to_dict(), "defaults": None, "name": "intermediate"}
    whole = measure.resolve(a)
    parameters: dict[str, object] = {**whole.params}
    cutoff = whole.cutoff
    for change in changed:
        if change.family is None:
            policies[change.name] = change.theirs
        elif change.name == "cutoff":
            cutoff = change.theirs  # type: ignore[assignment]
        else:
            parameters[change.name] = change.theirs
    kept = {name: value for name, value in parameters.items() if value is not None}
    # Unset parameters have their default, which distinguishes exclusive parameters.
    own = {
        name: value for name, value in kept.items() if value != _default(measure.declaration, name)
    }
    found = Measure(measure.family, own, cutoff)
    brought = found.resolve().params.keys() - kept.keys()
    if brought:
        raise MeasureError(
            f"the parameters imply {', '.join(sorted(brought))}, so they change together",
            where=repr(found),
        )
    return Convention(**policies), found


def _default(family: Family, name: str) -> Value | None:
    parameter = family.parameter(name)
    return None if parameter is None else parameter.default
