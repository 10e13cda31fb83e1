"""Read judgment lists from files."""

from __future__ import annotations

from gainful.data.judgment_lists.content import open_content
from gainful.data.judgment_lists.entries import Entries
from gainful.data.judgment_lists.registry import list_format
from gainful.data.paths import as_paths
from gainful.data.read_options import ReadOptions
from gainful.errors import ArgumentError, FormatError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.data.judgment_lists.judgment_list import JudgmentList
    from gainful.data.paths import Paths

__all__ = ["read_judgment_list"]


def read_judgment_list(
    path: Paths,
    *,
    format: str | None = None,
    duplicates: str = "error",
) -> JudgmentList:
    r"""Read a judgment list: judgments, queries, and counts of skipped rows.

    Parameters
    ----------
    path : str, path or list of them
        The file; compressed files (gzip, bzip2, xz, zstandard) are decompressed, and ``"-"`` is the
        standard input. Several files form one list.
    format : str, optional
        Such as ``"quepid"``, ``"rank_eval"`` or ``"es-ltr"``. Default: detected from the content.
        Options follow a colon: ``"raters:mean"``, ``"raters:median"``,
        ``"raters:majority"``, ``"raters:final"`` or ``"raters:NAME"``; ``"esci:amazon"`` or
        ``"esci:E=4,S=2,C=1,I=0"``; for all formats ``scale=0-3``, which refuses other
        grades, and ``ids=texts``, which uses texts as query ids even if the list has ids.
    duplicates : {"error", "first", "last", "best", "count"}
        How duplicate documents of a query are handled. Identical duplicates are skipped and
        counted.

    Returns
    -------
    JudgmentList

    Raises
    ------
    FormatError, GradeError, DuplicateError, ParameterError
        For the first invalid entry, a grade outside the scale, or a missing option.
    SourceError
        For a file that cannot be read.

    Examples
    --------
    >>> import gainful
    >>> with open("ratings.csv", "w") as file:
    ...     _ = file.write("query,docid,rater_1,rater_2\nsoup,r01,3,2\nsoup,r02,0,\nstew,r07,,\n")
    >>> judged = read_judgment_list("ratings.csv", format="raters:mean")
    >>> gainful.Qrels(judged).to_dict()
    {'soup': {'r01': 2.5, 'r02': 0.0}}
    >>> judged.entries, judged.unrated, judged.decided
    (3, 1, 'the grade is the mean over 2 raters')
    """
    # Raises an error for invalid values.
    ReadOptions(format=format, duplicates=duplicates)
    paths = as_paths(path)
    if paths is None:
        raise ArgumentError(
            where="read_judgment_list",
            found=type(path).__name__,
            expected="a path or a list of paths",
        )
    chosen = None if format is None else list_format(format)
    if chosen is not None and chosen.name == "golden":
        raise ParameterError(
            where="format",
            found=repr(format),
            expected="another judgment list",
            hint="gainful.read_qrels reads golden sets, without options of the format",
        )
    into: Entries | None = None
    names = []
    for each in paths:
        found = open_content(each)
        names.append(found.name)
        kind = chosen or found.format()
        if kind is None:
            raise FormatError(
                "not a judgment list",
                file=found.name,
                hint="gainful.read_qrels reads other formats",
            )
        if into is None:
            into = Entries(kind, duplicates)
        elif into.format.name != kind.name:
            raise FormatError(
                f"a list of the format {kind.name}, but {paths[0]} is {into.format.name}",
                file=found.name,
            )
        into.file = found.name
        found.read(into)
    assert into is not None
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return into.finish(names[0] + more)
