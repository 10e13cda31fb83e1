"""The way from one convention to another: what changes, in which order, one thing at a time."""

from __future__ import annotations

from gainful.conventions import Convention
from gainful.conventions.difference import between
from gainful.measures import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from gainful.conventions.difference import Difference

__all__ = ["LAST", "changes", "idle", "midway"]

#: The policies that are changed after the measure's parameters: they decide which queries count and
#: what becomes of their values, which is more of a sight once the values are those of B.
LAST = ("no_relevant", "missing", "extra", "unweighted", "rounding")


def changes(a: Convention, b: Convention, measure: Measure) -> list[Difference]:
    """Return what changes for a measure between two conventions, in the order of the account.

    First the policies about documents and their order, as the table of policies has them, then the
    parameters of the measure, and its cutoff, then the policies about queries and their mean.

    Examples
    --------
    >>> from gainful.measures import nDCG
    >>> other = Convention(missing="skip", ties="expected", defaults={"nDCG": {"ideal": "list"}})
    >>> [change.name for change in changes(Convention(), other, nDCG @ 10)]
    ['ties', 'ideal', 'missing']
    """
    policies = [each for each in a.diff(b) if each.family is None]
    return [
        *(each for each in policies if each.name not in LAST),
        *between(measure.resolve(a), measure.resolve(b)),
        *(each for each in policies if each.name in LAST),
    ]


def idle(a: Convention, b: Convention, measure: Measure) -> list[Difference]:
    """Return the parameters that the conventions set differently and the measure sets itself."""
    acting = {each.name for each in between(measure.resolve(a), measure.resolve(b))}
    bare = Measure(measure.family, {}, None)
    if bare.declaration.at is not None:
        return []
    return [each for each in between(bare.resolve(a), bare.resolve(b)) if each.name not in acting]


def midway(
    a: Convention, measure: Measure, changed: Iterable[Difference]
) -> tuple[Convention, Measure]:
    """Return convention A and the measure with some of the changes made.

    All that the measure takes from the convention is written into the measure.

    Raises
    ------
    MeasureError
        If the parameters belong to others that have not changed yet.

    Examples
    --------
    >>> from gainful.measures import nDCG
    >>> other = Convention(ties="expected", defaults={"nDCG": {"ideal": "list"}})
    >>> both = changes(Convention(), other, nDCG @ 10)
    >>> midway(Convention(), nDCG @ 10, both[:1])[0].ties
    'expected'
    >>> midway(Convention(), nDCG @ 10, both)[1]
    nDCG(gain='linear', discount='log2', ideal='list', judged_only=False)@10
    """
    policies: dict[str, Any] = {**a.to_dict(), "defaults": None, "name": "midway"}
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
    return Convention(**policies), Measure(measure.family, kept, cutoff)
