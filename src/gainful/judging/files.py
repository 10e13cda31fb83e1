"""Read judgments with their raters from files."""

from __future__ import annotations

from gainful.judging.ratings import Ratings
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gainful.judging.reading import RatingsLike
    from gainful.judging.source import Source

__all__ = ["read_ratings"]


@suggest_keywords
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
    """Read judgments with their raters from one or more files.

    The kind of file is detected from its content:

    - *One row per label*: CSV, TSV or JSON lines with query, document and grade, and a column with
      the rater (``rater``, ``annotator``, ``assessor``, ``worker`` and the like), or with the
      source (``source``, ``model``, ``version``). Rows with the source ``final`` are final grades.
    - *One column per rater*: the same with several columns of grades, such as ``agent_1_rating`` or
      ``grade_ana``; a column ``final_rating``, ``gold`` or the like has the final grades.
    - *One rater*: any other file that `read_qrels` reads; the rater is named after the file.

    Missing grades are counted, but are not labels.

    Parameters
    ----------
    path : path, or several paths
        The files; a mapping of names to paths names their raters.
    raters, final, sources, columns, groups, duplicates, name
        As for `Ratings`.

    Returns
    -------
    Ratings
        All labels.

    Raises
    ------
    SourceError, SourceNotFoundError
        For a file that cannot be read.
    FormatError, DuplicateError
        For the first bad line; the message names it.
    ColumnError
        For a table without the required columns.

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
