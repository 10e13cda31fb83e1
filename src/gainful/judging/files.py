"""Reading judgments with those who gave them from files."""

from __future__ import annotations

from gainful.judging.ratings import Ratings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gainful.judging.reading import RatingsLike
    from gainful.judging.source import Source

__all__ = ["read_ratings"]


def read_ratings(
    path: RatingsLike,
    *,
    raters: Sequence[str] | None = None,
    final: str | None = None,
    sources: Mapping[str, Source | str] | None = None,
    columns: Mapping[str, str] | None = None,
    groups: bool = False,
    duplicates: str = "error",
    name: str | None = None,
) -> Ratings:
    """Read judgments with those who gave them from a file, or from several together.

    Three kinds of files are told apart by their content.

    - *A row a label*: CSV, TSV or JSON lines with query, document and grade, and a column that says
      who judged (``rater``, ``annotator``, ``assessor``, ``worker`` and the like), or columns that
      say what did (``source``, ``model``, ``version``).
    - *A column a rater*: the same with several columns of grades, such as ``agent_1_rating`` or
      ``grade_ana``; one called ``final_rating``, ``gold`` or the like holds the settled grades.
    - *One rater*: any other file that `read_qrels` reads; the rater is called as the file.

    A grade that is missing is no label, and counted.

    Parameters
    ----------
    path : path, or several paths
        The files; a mapping of names to paths names the raters of files that do not.
    raters, final, sources, columns, groups, duplicates, name
        As `Ratings` has them.

    Returns
    -------
    Ratings
        All labels.

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
    >>> from gainful.demo import annotations_path
    >>> gainful.read_ratings(annotations_path(), name="demo")
    <Ratings 'demo': 27 queries, 466 documents, 932 labels of ana, ben>
    """
    return Ratings(
        path,
        raters=raters,
        final=final,
        sources=sources,
        columns=columns,
        groups=groups,
        duplicates=duplicates,
        name=name,
    )
