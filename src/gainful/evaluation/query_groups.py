"""Weights, clusters and slices of queries, for every study of systems."""

from __future__ import annotations

from dataclasses import dataclass, field

from gainful.errors import MatchError, ParameterError
from gainful.evaluation.arguments import check_weights
from gainful.evaluation.slices import read_attribute, read_slices, slice_queries
from gainful.inference.design import Design

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gainful.evaluation.slices import Attribute, By

__all__ = ["QueryGroups", "describe_clusters", "read_query_groups", "refuse_missing"]

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
        return Design(
            len(queries), weights=self.weights_of(queries), clusters=self.clusters_of(queries)
        )

    def check(self, queries: Sequence[str]) -> None:
        """Reject clusters that lack a query, and attributes without a value of any.

        Raises
        ------
        ParameterError
            For such clusters or attributes.
        """
        self.clusters_of(queries)
        self.slice_queries(queries)

    def joined(self, other: QueryGroups) -> QueryGroups:
        """Return the groups of the queries of both, which differ.

        Raises
        ------
        MatchError
            If the attributes differ.
        """
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
        """Return the queries of each slice, in display order; empty without slices.

        Raises
        ------
        ParameterError
            If no query has a slice.
        """
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
