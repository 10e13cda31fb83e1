"""What families of measures stand under where they are listed, in the order of the listings."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gainful.measures.family import Family

# From the word that a declaration names its group by to the heading.
GROUPS = {
    "cumulated-gain": "Cumulated gain",
    "precision-recall": "Precision and recall",
    "averaged-precision": "Precision averaged over the relevant documents",
    "first-hit": "The first relevant document",
    "user-models": "Models of a user",
    "incomplete-judgments": "Incomplete judgments",
    "diversity": "Diversity, and judgments in groups",
    "preferences": "Preferences",
    "counts": "Counts",
}


def grouped(families: Iterable[Family]) -> dict[str, list[Family]]:
    """Return families under their headings; headings without a family are left out.

    Examples
    --------
    >>> from gainful.measures import families
    >>> [family.name for family in grouped(families())["The first relevant document"]]
    ['RR', 'Success']
    """
    found: dict[str, list[Family]] = {heading: [] for heading in GROUPS.values()}
    for family in families:
        found.setdefault(GROUPS.get(family.group, "Others"), []).append(family)
    return {heading: members for heading, members in found.items() if members}
