"""Options for weights, clusters and slices of queries: ``--weights``, ``--clusters``, ``--by``."""

from __future__ import annotations

from dataclasses import dataclass

from gainful.cli.weights import WEIGHTS, read_weights
from gainful.errors import ParameterError
from gainful.parameters import Combined
from gainful.parameters.comparing import BY, CLUSTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["QueryGroupFiles", "query_group_options"]


@dataclass(frozen=True, slots=True)
class QueryGroupFiles:
    """The files of weights, clusters and slices, as given."""

    weights: str | None
    clusters: str | None
    by: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that were given, each with its column."""
        return tuple(path for path in (self.weights, self.clusters, *self.by) if path)

    def arguments(self) -> dict[str, Any]:
        """Return the Python arguments of the same names."""
        read = {"weights": read_weights(self.weights), "by": self.by or None}
        return read if self.clusters is None else {**read, "clusters": self.clusters}

    def arguments_by_collection(self, find: Callable[[str], dict[str, str]]) -> dict[str, Any]:
        """Return the arguments by collection; `find` returns the paths of a file by name."""
        read: dict[str, Any] = {}
        if self.clusters is not None:
            read["clusters"] = find(self.clusters)
        for file in self.by:
            for collection, path in find(file).items():
                read.setdefault("by", {}).setdefault(collection, []).append(path)
        if self.weights is not None:
            paths = find(self.weights)
            read["weights"] = {name: read_weights(path) for name, path in paths.items()}
        return read


def query_group_options(
    *, verb: str = "compare", where: str = "", refused_clusters: str | None = None
) -> Combined:
    """Declare ``--by``, ``--weights`` and ``--clusters``; the value is one `QueryGroupFiles`.

    Parameters
    ----------
    verb : str
        What the command does within slices.
    where : str
        A sentence about where the files are.
    refused_clusters : str, optional
        Why ``--clusters`` has no meaning for the command, which then refuses it.
    """

    def make(weights: str | None, clusters: str | None, by: tuple[str, ...]) -> QueryGroupFiles:
        if refused_clusters is not None and clusters is not None:
            raise ParameterError(
                refused_clusters, where="--clusters", hint="gainful compare resamples clusters"
            )
        return QueryGroupFiles(weights, clusters, by)

    slices = BY.replace(help=BY.help.replace("compare", verb, 1) + where)
    clusters = CLUSTERS.replace(hidden=refused_clusters is not None)
    return Combined("query_groups", make, slices, WEIGHTS, clusters)
