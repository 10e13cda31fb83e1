"""Write labels with their raters in the formats of other tools."""

from __future__ import annotations

from os import fspath
from os.path import splitext

from gainful.errors import FormatError, ParameterError
from gainful.formats.delimited import csv
from gainful.formats.json import text
from gainful.judging.cells import grade_value
from gainful.judging.label_studio import task_lines
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from gainful.judging.ratings import Ratings

__all__ = ["FORMATS", "label_lines", "left_out", "write"]

#: The formats by name.
FORMATS = ("csv", "jsonl", "qrels", "quepid-book", "label-studio")
_BY_SUFFIX = {".csv": "csv", ".jsonl": "jsonl", ".json": "label-studio"}


def write(ratings: Ratings, path: str | PathLike[str], format: str | None) -> tuple[str, ...]:
    """Implement `Ratings.write`."""
    name = fspath(path)
    style = format or _BY_SUFFIX.get(splitext(name)[1], "qrels")
    if style == "qrels":
        _one_rater(ratings)
        ratings.of(ratings.raters[0].name).write(name, "trec")
    else:
        lines = label_lines(ratings, style)
        write_whole(name, (line.encode("utf-8", "surrogateescape") for line in lines))
    return left_out(ratings, style)


def label_lines(ratings: Ratings, style: str) -> Iterator[str]:
    """Return the text of the labels in a format other than ``qrels``.

    Raises
    ------
    ParameterError
        For an unknown format.
    """
    if style == "csv":
        return iter(csv(ratings.columns, ratings.rows()))
    if style == "jsonl":
        return (text(dict(zip(ratings.columns, row, strict=True))) for row in ratings.rows())
    if style == "quepid-book":
        return _book(ratings)
    if style == "label-studio":
        return task_lines(ratings)
    raise ParameterError(where="format", found=repr(style), expected=f"one of {', '.join(FORMATS)}")


def left_out(ratings: Ratings, style: str) -> tuple[str, ...]:
    """Return what a format has no place for, in words; empty if it contains everything."""
    found = []
    sources = [rater for rater in ratings.raters if str(rater.source) != "unknown"]
    versions = [rater for rater in ratings.raters if rater.source.version]
    if style in ("qrels", "quepid-book") and ratings.final is not None:
        found.append(f"{len(ratings.grades(ratings.final)):,} final grades")
    if style in ("qrels", "quepid-book") and sources:
        found.append("the sources of the raters")
    if style == "label-studio" and versions:
        found.append("the versions of the models")
    return tuple(found)


def _one_rater(ratings: Ratings) -> None:
    if len(ratings.raters) != 1:
        raise FormatError(
            f"found {len(ratings.raters)} raters, but qrels have one grade per document",
            hint="combine the labels first",
        )


def _book(ratings: Ratings) -> Iterator[str]:
    """Return a Quepid book as CSV: query, docid, and one column per rater."""
    by_rater = [ratings.grades(rater.name) for rater in ratings.raters]
    rows = (
        [
            *pair,
            *(grade_value(own[pair]) if pair in own else "" for own in by_rater),
        ]
        for pair in ratings.pairs
        if any(pair in own for own in by_rater)
    )
    return iter(csv(["query", "docid", *(rater.name for rater in ratings.raters)], rows))
