"""Reading judgments and runs from files."""

from __future__ import annotations

from gainful.data.paths import as_paths
from gainful.data.qrels import Qrels
from gainful.data.run import Run
from gainful.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.data.column_choice import Columns
    from gainful.data.judged import DiskQrels
    from gainful.data.paths import Paths

__all__ = ["read_qrels", "read_run"]


def read_qrels(
    path: Paths,
    *,
    format: str | None = None,
    header: bool | None = None,
    columns: Columns = None,
    comments: bool = False,
    split: str | None = None,
    subtopics: bool = False,
    duplicates: str = "error",
    name: str | None = None,
) -> Qrels:
    r"""Read judgments from a file, or from several as one.

    Parameters
    ----------
    path : str, path or list of them
        The file, or the folder of a BEIR collection; compressed files (gzip, bzip2, xz,
        zstandard) are read as what they hold, and ``"-"`` is the standard input. A folder of
        Parquet or Arrow files and a path with wildcards are several files.
    format : {"trec", "tsv", "csv", "json", "jsonl", "beir", "svmlight"} or str, optional
        Without it the content tells, and where it leaves a choice, the suffix. Or ``"parquet"``
        or ``"arrow"`` (an Arrow file or stream), or a judgment list of another tool:
        ``"quepid"``, ``"rre"``, ``"rank_eval"``, ``"es-ltr"``, ``"opensearch"``,
        ``"esci:amazon"``, ``"raters:mean"``, as
        `gainful.data.judgment_lists.read_judgment_list` has them.
    header : bool, optional
        Whether the first line of TSV or CSV names the columns; without it that line tells.
    columns : str, sequence of str, or mapping of str to str, optional
        Which column is which. Of text without a header, all columns from the first to the last:
        ``"query,doc,grade,-"``, or a list. ``"-"`` is a column that is not read, and so is any
        name in a list that is not known. Of text with a header, Parquet and Arrow, the names of
        the columns: ``"query=userId,doc=movieId,grade=rating"``, or a mapping such as
        ``{"grade": "stars"}``. Those that are not given are found by their names.
    comments : bool
        Whether lines that begin with ``#`` are comments (TREC, TSV, CSV). Ids may begin with it,
        so by default they are not.
    split : str, optional
        Which file of a BEIR folder, ``"test"`` without it; which layer of JSON with layers above
        the queries.
    subtopics : bool
        Whether each judgment is of a subtopic (or of a group of judgments): the second column of
        TREC text, a column ``subtopic`` of TSV, CSV and JSON lines. A document then has a grade
        for each; otherwise that column is not read.
    duplicates : {"error", "first", "last", "best", "count"}
        What to do with a document that stands twice under a query, or under a subtopic of it.
    name : str, optional
        What messages call them.

    Raises
    ------
    SourceError, SourceNotFoundError
        For what cannot be read.
    FormatError, DuplicateError
        For the first bad line; the message names it.
    ColumnError
        For a table without the needed columns.

    Examples
    --------
    >>> import gainful
    >>> gainful.read_qrels("qrels.txt")
    <Qrels 'qrels.txt': 6 queries, 27 judgments>

    Ratings of users without a header, as MovieLens has them:

    >>> with open("u.data", "w") as file:
    ...     _ = file.write("196\t242\t3\t881250949\n186\t302\t3\t891717742\n")
    >>> gainful.read_qrels("u.data", columns="query,doc,grade,-").to_dict()
    {'196': {'242': 3}, '186': {'302': 3}}
    """
    return Qrels(
        _paths(path, "read_qrels"),
        format=format,
        header=header,
        columns=columns,
        comments=comments,
        split=split,
        subtopics=subtopics,
        duplicates=duplicates,
        name=name,
    )


def read_run(
    path: Paths,
    *,
    format: str | None = None,
    header: bool | None = None,
    columns: Columns = None,
    comments: bool = False,
    split: str | None = None,
    duplicates: str = "error",
    judgments: Qrels | DiskQrels | None = None,
    name: str | None = None,
) -> Run:
    """Read a run from a file, or from several as one.

    Parameters
    ----------
    path, header, columns, comments, split, duplicates
        As for `read_qrels`.
    format : {"trec", "tsv", "csv", "json", "jsonl", "svmlight", "scores"} or str, optional
        Or ``"parquet"`` or ``"arrow"``. Without it the content tells, and where it leaves a choice,
        the suffix.
    judgments : Qrels, optional
        For a file of scores alone, one a line: whose they are, in the order of their rows.
    name : str, optional
        What results call the system; without it, the stem of the file's name.

    Raises
    ------
    SourceError, SourceNotFoundError
        For what cannot be read.
    FormatError, DuplicateError
        For the first bad line; the message names it.
    ColumnError
        For a table without the needed columns.

    Examples
    --------
    >>> import gainful
    >>> gainful.read_run("bm25.run")
    <Run 'bm25': 6 queries, 23 documents>
    """
    return Run(
        _paths(path, "read_run"),
        format=format,
        header=header,
        columns=columns,
        comments=comments,
        split=split,
        duplicates=duplicates,
        judgments=judgments,
        name=name,
    )


def _paths(path: object, where: str) -> list[str]:
    paths = as_paths(path)
    if paths is None:
        raise ArgumentError(
            where=where,
            found=f"{type(path).__module__}.{type(path).__qualname__}",
            expected="a path or a list of paths",
            hint="Qrels(...) and Run(...) take what is in memory",
        )
    return paths
