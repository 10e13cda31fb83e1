"""Test collections: those of ir_datasets, and BEIR folders on disk."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial

from gainful.data import Qrels
from gainful.data.corpus import each_document, find_in_folder, read_queries
from gainful.data.records import DOCUMENT, QUERY
from gainful.errors import ParameterError, SourceError, SourceNotFoundError
from gainful.formats.table import Column, Table, noted
from gainful.keywords import suggest_keywords
from gainful.packages import load_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from gainful.data.records import Fields

    Record = dict[str, str]

__all__ = ["Dataset", "Documents", "list_datasets", "load_dataset"]


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
        for name, record in self._read():
            if name == identifier:
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
        listed = self._queries()
        if "qrels" not in self.parts:
            return dict(listed)
        return {query: listed[query] for query in self.qrels if query in listed}

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


#: How deep below a folder collections are searched.
_DEEPEST = 4


@suggest_keywords
def list_datasets(folder: str | os.PathLike[str] | None = None) -> tuple[Dataset, ...]:
    r"""List test collections. Nothing is read or downloaded.

    Parameters
    ----------
    folder : path, optional
        List the BEIR folders in and below this folder: those with a folder ``qrels``, and
        ``queries.jsonl`` or ``corpus.jsonl``. Each split of the judgments is a collection of its
        own. Default: list the collections of ir_datasets.

    Returns
    -------
    tuple of Dataset
        In alphabetical order.

    Raises
    ------
    SourceError
        If the folder cannot be read.
    MissingPackageError
        Without a folder, if ir_datasets is not installed.

    Examples
    --------
    >>> import os
    >>> os.makedirs("beir/soups/qrels")
    >>> for name, line in {
    ...     "corpus.jsonl": '{"_id": "d1", "title": "Lentil soup", "text": "Red lentils."}',
    ...     "queries.jsonl": '{"_id": "q1", "text": "soup"}',
    ...     "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t2",
    ... }.items():
    ...     with open(f"beir/soups/{name}", "w") as file:
    ...         _ = file.write(line)
    >>> list_datasets("beir")
    (<Dataset 'beir/soups/test' of beir: qrels, queries, docs>,)
    """
    if folder is None:
        return tuple(_list_ir_datasets())
    top = os.fspath(folder)
    if not os.path.exists(top):
        raise SourceNotFoundError(file=top, found="no such folder")
    if not os.path.isdir(top):
        raise SourceError(file=top, found="a file", expected="a folder")
    return tuple(_list_folders(top))


@suggest_keywords
def load_dataset(name: str | os.PathLike[str]) -> Dataset:
    r"""Return a test collection, whose parts are read when they are used.

    Parameters
    ----------
    name : str or path
        The path of a BEIR folder, with the split at its end if it has several, or a name of
        ir_datasets. ir_datasets downloads what is not on disk when it is used.

    Returns
    -------
    Dataset

    Raises
    ------
    ParameterError
        For an unknown name, or a folder with several splits or none.
    MissingPackageError
        For a name that is not a folder, if ir_datasets is not installed.

    Examples
    --------
    >>> import os
    >>> os.makedirs("soups/qrels")
    >>> with open("soups/queries.jsonl", "w") as file:
    ...     _ = file.write('{"_id": "q1", "text": "soup"}')
    >>> with open("soups/qrels/test.tsv", "w") as file:
    ...     _ = file.write("query-id\tcorpus-id\tscore\nq1\td1\t2")
    >>> dataset = load_dataset("soups")
    >>> dataset.qrels.to_dict(), dataset.queries
    ({'q1': {'d1': 2}}, {'q1': 'soup'})
    """
    path = os.fspath(name)
    folder, _, split = path.rpartition("/")
    for top, wanted in ((path, None), (folder, split)):
        if not (top and os.path.isdir(top) and _is_collection(top)):
            continue
        files = {file.name[len(top) + 1 :]: file for file in _of_folder(top)}
        if wanted is None and len(files) == 1:
            return next(iter(files.values()))
        if wanted in files:
            return files[wanted]
        raise ParameterError(
            where=top,
            found="no split" if wanted is None else f"the split {wanted!r}",
            expected=f"one of {', '.join(files)}",
            hint=f"name it as in {top}/{next(iter(files))}",
        )
    if os.path.exists(path):
        raise ParameterError(
            where=path,
            found="no BEIR folder",
            expected="a folder qrels, and queries.jsonl or corpus.jsonl",
        )
    package = load_package("ir_datasets", where=f"the dataset {path}", package="ir-datasets")
    try:
        loaded = package.load(path)
    except KeyError:
        raise ParameterError(
            where="name",
            found=repr(path),
            expected="the path of a BEIR folder, or a name of ir_datasets",
            hint="gainful.datasets.list_datasets() lists them",
        ) from None
    return _of_ir_datasets(path, loaded)


# --- BEIR folders -------------------------------------------------------------------------------


def _list_folders(top: str) -> Iterator[Dataset]:
    above = top.rstrip("/").count("/")
    for folder, folders, _ in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if _is_collection(folder):
            yield from _of_folder(folder)
            folders.clear()
        elif folder.count("/") - above >= _DEEPEST:
            folders.clear()


def _is_collection(folder: str) -> bool:
    return bool(_splits(folder)) and (_has(folder, QUERY) or _has(folder, DOCUMENT))


def _has(folder: str, fields: Fields) -> bool:
    try:
        find_in_folder(folder, fields)
    except SourceNotFoundError:
        return False
    return True


def _splits(folder: str) -> dict[str, str]:
    """Return the files of judgments by split."""
    inside = os.path.join(folder, "qrels")
    names = sorted(os.listdir(inside)) if os.path.isdir(inside) else []
    return {
        name.partition(".tsv")[0]: os.path.join(inside, name)
        for name in names
        if ".tsv" in name and not name.startswith(".")
    }


def _of_folder(folder: str) -> Iterator[Dataset]:
    kinds = (("queries", QUERY), ("docs", DOCUMENT))
    parts = ("qrels", *(part for part, fields in kinds if _has(folder, fields)))

    def read_texts() -> dict[str, str]:
        return {query: text.text for query, text in read_queries(folder).found.items()}

    def read_documents() -> Iterator[tuple[str, dict[str, str]]]:
        for identifier, text in each_document(folder):
            yield identifier, {"title": text.title, "text": text.text}

    for split, path in _splits(folder).items():
        yield Dataset(
            name=f"{folder}/{split}",
            source="beir",
            parts=parts,
            _qrels=partial(Qrels, path, format="beir"),
            _queries=read_texts,
            _docs=read_documents,
        )


# --- ir_datasets --------------------------------------------------------------------------------


def _list_ir_datasets() -> Iterator[Dataset]:
    package = load_package("ir_datasets", where="list_datasets", package="ir-datasets")
    # It reports each deprecated name, which is another name of a collection that is listed.
    quiet = "IR_DATASETS_SKIP_DEPRECATED_WARNING"
    before = os.environ.get(quiet)
    os.environ[quiet] = "true"
    try:
        loaded = [(name, package.registry[name]) for name in sorted(package.registry)]
    finally:
        if before is None:
            del os.environ[quiet]
        else:
            os.environ[quiet] = before
    for name, dataset in loaded:
        datasets = _of_ir_datasets(name, dataset)
        if datasets.parts and not hasattr(dataset, "deprecated"):
            yield datasets


def _of_ir_datasets(name: str, loaded: Any) -> Dataset:
    kinds = ("qrels", "queries", "docs")
    parts = tuple(part for part in kinds if getattr(loaded, f"has_{part}")())

    def read_texts() -> dict[str, str]:
        return {query.query_id: _text_of(query) for query in loaded.queries_iter()}

    def read_documents() -> Iterator[tuple[str, dict[str, str]]]:
        for document in loaded.docs_iter():
            title = getattr(document, "title", None) or ""
            text = (
                getattr(document, "text", None)
                or getattr(document, "body", None)
                or _text_of(document)
            )
            yield document.doc_id, {"title": str(title), "text": str(text)}

    return Dataset(
        name=name,
        source="ir_datasets",
        parts=parts,
        _qrels=lambda: Qrels(loaded),
        _queries=read_texts,
        _docs=read_documents,
    )


def _text_of(record: Any) -> str:
    """Return the text of a query or document, as ir_datasets chooses it."""
    text = getattr(record, "default_text", None)
    return str(text() if callable(text) else record[1])


def dataset_table(found: tuple[Dataset, ...]) -> Table:
    """Return test collections as a table."""
    rows = [[dataset.name, dataset.source, ", ".join(dataset.parts)] for dataset in found]
    notes = (
        []
        if found
        else ["A BEIR folder has a folder qrels, and queries.jsonl or corpus.jsonl next to it."]
    )
    columns = map(Column, ("dataset", "source", "parts"))
    return Table(list(columns), rows, notes=noted("datasets", notes))
