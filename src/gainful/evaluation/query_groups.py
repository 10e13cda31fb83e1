"""Weights, clusters and slices of queries, for every study of systems."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass, field
from os import PathLike as AnyPath

from gainful.errors import ArgumentError, MatchError, ParameterError
from gainful.evaluation.arguments import check_weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from os import PathLike
    from typing import Any, TypeAlias

    from gainful.inference.design import Design

    Attribute: TypeAlias = Mapping[str, object] | str | PathLike[str]
    By: TypeAlias = Attribute | Sequence[Attribute] | Mapping[str, Mapping[str, object]]
    Values: TypeAlias = Mapping[str, Mapping[str, str]]

__all__ = [
    "QueryGroups",
    "describe_clusters",
    "read_attribute",
    "read_query_groups",
    "read_slices",
    "refuse_missing",
    "slice_by_attribute",
    "slice_queries",
    "slices_of",
]

#: With fewer clusters, intervals of a mean contain it too rarely if clusters differ much, and tests
#: have little power (docs/evidence.md).
FEWEST_CLUSTERS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryGroups:
    """What is known about queries besides their judgments.

    Attributes
    ----------
    weights : dict of str to float, or None
        The weight of each query.
    clusters : dict of str to str, or None
        The cluster of each query.
    slices : dict of str to dict of str to str
        The values of queries by attribute; those without one are in ``(none)``.
    cluster : str or None
        The name of the clusters' attribute.
    """

    weights: dict[str, float] | None = None
    clusters: dict[str, str] | None = None
    slices: dict[str, dict[str, str]] = field(default_factory=dict)
    cluster: str | None = None

    @property
    def attribute(self) -> str | None:
        """The names of the slices' attributes."""
        return ", ".join(self.slices) or None

    def weights_of(self, queries: Sequence[str]) -> list[float] | None:
        """Return the weight of each query; None without weights."""
        if self.weights is None:
            return None
        refuse_missing(self.weights, queries, "weight")
        return [self.weights[query] for query in queries]

    def clusters_of(self, queries: Sequence[str]) -> list[str] | None:
        """Return the cluster of each query; None without clusters."""
        if self.clusters is None:
            return None
        refuse_missing(self.clusters, queries, "cluster")
        return [self.clusters[query] for query in queries]

    def design(self, queries: Sequence[str]) -> Design:
        """Return the sampling design of some queries."""
        from gainful.inference.design import Design

        return Design(
            len(queries), weights=self.weights_of(queries), clusters=self.clusters_of(queries)
        )

    def check(self, queries: Sequence[str]) -> None:
        """Reject clusters that lack a query, and attributes without a value of any."""
        self.clusters_of(queries)
        self.slice_queries(queries)

    def joined(self, other: QueryGroups) -> QueryGroups:
        """Return the groups of the queries of both, which differ."""
        names = (self.cluster, list(self.slices)), (other.cluster, list(other.slices))
        if names[0] != names[1]:
            raise MatchError(
                where="concat",
                found="other clusters or slices",
                expected="the same attributes for all parts",
            )
        return QueryGroups(
            clusters=None if self.clusters is None else self.clusters | (other.clusters or {}),
            slices={name: queries | other.slices[name] for name, queries in self.slices.items()},
            cluster=self.cluster,
        )

    def slice_queries(self, queries: Sequence[str]) -> dict[str, list[str]]:
        """Return the queries of each slice, in display order; empty without slices."""
        return slice_queries(self.slices, queries)


def read_query_groups(
    *,
    weights: Mapping[str, float] | None = None,
    clusters: Attribute | None = None,
    by: By | None = None,
) -> QueryGroups:
    """Read weights, clusters and slices, as `gainful.compare` takes them."""
    cluster = None if clusters is None else read_attribute(clusters, "cluster")
    return QueryGroups(
        weights=None if weights is None else check_weights(weights),
        clusters=cluster and cluster[1],
        slices=read_slices(by),
        cluster=cluster and cluster[0],
    )


def refuse_missing(given: Mapping[str, object], queries: Sequence[str], what: str) -> None:
    """Reject a mapping that lacks a query."""
    for query in queries:
        if query not in given:
            raise ParameterError(
                f"a {what} is missing; every query needs one",
                where=f"{what}s",
                query=query,
            )


def describe_clusters(attribute: str | None, number: int) -> Iterator[str]:
    """Yield a note if there are too few clusters for claims about others.

    Examples
    --------
    >>> list(describe_clusters("conversation", 10))
    ['With 10 clusters (conversation), fewer than 20, the result says little about new ones.']
    """
    if number < FEWEST_CLUSTERS:
        yield (
            f"With {number} cluster{'s' * (number != 1)} ({attribute}), fewer than"
            f" {FEWEST_CLUSTERS}, the result says little about new ones."
        )


#: The value of queries without one.
_NONE = "(none)"


def read_attribute(given: Attribute, name: str) -> tuple[str, dict[str, str]]:
    """Return the name of an attribute and its values by query."""
    if isinstance(given, AnyMapping):
        # NaN, a data frame's missing value, is not equal to itself.
        return name, {
            str(query): str(value)
            for query, value in given.items()
            if not (
                value is None
                or (isinstance(value, str) and not value)
                or (isinstance(value, float) and value != value)
            )
        }
    if not isinstance(given, (str, AnyPath)):
        raise ArgumentError(
            where="clusters" if name == "cluster" else "by",
            found=type(given).__name__,
            expected="{query: value} or the path of a file",
        )
    from gainful.data.query_attributes import read_query_attribute, read_query_clusters

    attribute = (read_query_clusters if name == "cluster" else read_query_attribute)(given)
    return attribute.name, attribute.values


def read_slices(by: By | None, name: str = "segment") -> dict[str, dict[str, str]]:
    """Return the values of queries by attribute; a single mapping is called `name`."""
    if by is None:
        return {}
    if isinstance(by, AnyMapping) and by and all(isinstance(v, AnyMapping) for v in by.values()):
        named: Mapping[str, Attribute] = by  # type: ignore[assignment]
        read = [read_attribute(values, attribute) for attribute, values in named.items()]
    else:
        listed: Sequence[Any] = by if isinstance(by, (list, tuple)) else [by]
        read = [read_attribute(attribute, name) for attribute in listed]
    names = [attribute for attribute, _ in read]
    for attribute in names:
        if names.count(attribute) > 1:
            raise ParameterError(f"two attributes have the name {attribute!r}", where="by")
    return dict(read)


def slices_of(attributes: Values, query: str) -> list[str]:
    """Return the slices of a query, one for each attribute.

    Examples
    --------
    >>> slices_of({"kind": {"q1": "news"}}, "q1")
    ['news']
    >>> slices_of({"kind": {"q1": "news"}, "length": {}}, "q1")
    ['kind: news', 'length: (none)']
    """
    if len(attributes) == 1:
        return [values.get(query, _NONE) for values in attributes.values()]
    return [f"{name}: {values.get(query, _NONE)}" for name, values in attributes.items()]


def slice_queries(attributes: Values, queries: Sequence[str]) -> dict[str, list[str]]:
    """Return the queries of each slice, in display order."""
    parts = slice_by_attribute(attributes, queries).values()
    return {name: members for slices in parts for name, members in slices.items()}


def slice_by_attribute(
    attributes: Values, queries: Sequence[str]
) -> dict[str, dict[str, list[str]]]:
    """Return `slice_queries` of each attribute."""
    parts: dict[str, dict[str, list[str]]] = {}
    for place, (attribute, values) in enumerate(attributes.items()):
        known = [query for query in queries if query in values]
        if not known:
            raise ParameterError(
                "no query has a value",
                where="by",
                hint="check that the ids are those of the queries",
            )
        slices = parts[attribute] = {}
        # Queries without a value come last.
        for query in sorted(known, key=values.__getitem__) + [
            query for query in queries if query not in values
        ]:
            slices.setdefault(slices_of(attributes, query)[place], []).append(query)
    return parts
