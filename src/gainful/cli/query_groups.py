"""Options for weights, clusters and slices of queries: ``--weights``, ``--clusters``, ``--by``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps

from gainful.cli.arguments import weights_option
from gainful.cli.comparing import clusters_option
from gainful.cli.option_groups import Group, complete_files, option
from gainful.cli.weights import read_weights
from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Command = TypeVar("Command", bound=Callable[..., Any])

__all__ = ["QueryGroupFiles", "query_group_options"]

_SLICES = (
    "Also {verb} within slices of the queries, such as categories: TSV, CSV or JSON lines with"
    " query ids, or lines of a query id and a value. Repeatable."
)


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
) -> Callable[[Command], Command]:
    """Add ``--by``, ``--weights`` and ``--clusters``; the command gets one `QueryGroupFiles`.

    Parameters
    ----------
    verb : str
        What the command does within slices.
    where : str
        A sentence about where the files are.
    refused_clusters : str, optional
        Why ``--clusters`` has no meaning for the command, which then refuses it.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def read(*arguments: Any, **values: Any) -> Any:
            files = QueryGroupFiles(*(values.pop(name) for name in ("weights", "clusters", "by")))
            if refused_clusters is not None and files.clusters is not None:
                raise ParameterError(
                    refused_clusters, where="--clusters", hint="gainful compare resamples clusters"
                )
            return command(*arguments, query_groups=files, **values)

        by = option(
            "--by",
            metavar="FILE[:COLUMN]",
            multiple=True,
            shell_complete=complete_files,
            help=_SLICES.format(verb=verb) + where,
        )
        clusters = (
            clusters_option
            if refused_clusters is None
            else option("--clusters", group=Group.STATISTICS, hidden=True)
        )
        return by(weights_option(clusters(read)))  # type: ignore[return-value]

    return decorate
