"""A test collection: judgments, queries and documents, each read when it is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gainful.data import Qrels

    Record = dict[str, str]

__all__ = ["Dataset", "Documents"]


class Documents(Mapping[str, "Record"]):
    """The documents of a test collection by id, which are read again by each iteration.

    Functions of Gainful take it as ``docs=`` or as a corpus.

    Parameters
    ----------
    read : callable
        Returns an iterator of ids, each with the title and the text.
    """

    def __init__(self, read: Callable[[], Iterator[tuple[str, Record]]]) -> None:
        self._read = read

    def items(self) -> Iterator[tuple[str, Record]]:  # type: ignore[override]
        """Yield the documents, without keeping them in memory."""
        return self._read()

    def __iter__(self) -> Iterator[str]:
        return (identifier for identifier, _ in self._read())

    def __len__(self) -> int:
        return sum(1 for _ in self._read())

    def __getitem__(self, identifier: str) -> Record:
        for each, record in self._read():
            if each == identifier:
                return record
        raise KeyError(identifier)

    def __repr__(self) -> str:
        return "<Documents, read when they are used>"


@dataclass(frozen=True, eq=False, kw_only=True)
class Dataset:
    """A test collection.

    Attributes
    ----------
    name : str
        The name: that of ir_datasets, or the path of a BEIR folder with the split.
    source : {"ir_datasets", "beir"}
        Where it is from.
    parts : tuple of str
        What it has, of "qrels", "queries" and "docs".

    `gainful.datasets.load_dataset` makes it.
    """

    name: str
    source: str
    parts: tuple[str, ...]
    _qrels: Callable[[], Qrels]
    _queries: Callable[[], Mapping[str, str]]
    _docs: Callable[[], Iterator[tuple[str, Record]]]

    @cached_property
    def qrels(self) -> Qrels:
        """The judgments.

        Raises
        ------
        ParameterError
            If the collection has no judgments.
        """
        self._need("qrels")
        return self._qrels()

    @cached_property
    def queries(self) -> dict[str, str]:
        """The texts of the queries by id; with judgments, only of the judged queries."""
        self._need("queries")
        found = self._queries()
        if "qrels" not in self.parts:
            return dict(found)
        return {query: found[query] for query in self.qrels if query in found}

    @property
    def docs(self) -> Documents:
        """The documents by id, which are read when they are used."""
        self._need("docs")
        return Documents(self._docs)

    def to_dict(self) -> dict[str, object]:
        """Return the name, the source and the parts."""
        return {"name": self.name, "source": self.source, "parts": list(self.parts)}

    def _need(self, part: str) -> None:
        if part not in self.parts:
            raise ParameterError(
                where=self.name, found=f"no {part}", expected=f"one of {', '.join(self.parts)}"
            )

    def __repr__(self) -> str:
        return f"<Dataset {self.name!r} of {self.source}: {', '.join(self.parts)}>"
