"""The result of combining the labels of several raters."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from os import fspath
from os.path import splitext
from typing import NamedTuple

from gainful.data import Qrels
from gainful.errors import ParameterError
from gainful.formats.delimited import csv
from gainful.formats.json import text
from gainful.judging.combining.rendering import tables
from gainful.judging.combining.rules import counted_by
from gainful.judging.contract import grade_value, systems_dict
from gainful.results import Records, Result, as_records
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from gainful.formats.table import Table
    from gainful.judging.combining.rules import CombinedLabel, Estimates
    from gainful.judging.systems import SystemsByRater

__all__ = ["CombinedJudgments", "RaterShare"]

COLUMNS = ("query_id", "doc_id", "grade", "decided_by", "probability", "labels")
FORMATS = ("qrels", "csv", "jsonl")


class RaterShare(NamedTuple):
    """What a rater contributed.

    Attributes
    ----------
    rater : str
        The name.
    labels : int
        The number of labels.
    same : float or None
        The share of them that equals the combined grade; None without labels.
    """

    rater: str
    labels: int
    same: float | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class CombinedJudgments(Result):
    """One grade per document, combined from the labels of several raters.

    Attributes
    ----------
    method : str
        The rule.
    owner : str or None
        Whose labels decide, under the rule ``owner``.
    labels : sequence of CombinedLabel
        The grades, each with the labels that it comes from.
    raters : tuple of RaterShare
        The raters.
    estimates : Estimates or None
        The estimates of ``dawid-skene``.
    systems : SystemsByRater or None
        The systems under each rule that the labels allow.
    name : str or None
        The name of the ratings.

    Examples
    --------
    >>> import gainful
    >>> rows = [("q1", "d1", "ana", 3), ("q1", "d1", "ben", 2), ("q1", "d1", "eva", 2)]
    >>> found = gainful.Ratings(rows).combine("median")
    >>> found.qrels().to_dict(), found.labels[0].labels
    ({'q1': {'d1': 2}}, {'ana': 3.0, 'ben': 2.0, 'eva': 2.0})
    """

    RECORDS = {"labels": None, "raters": None}

    method: str
    owner: str | None
    labels: Sequence[CombinedLabel]
    raters: tuple[RaterShare, ...]
    estimates: Estimates | None
    systems: SystemsByRater | None
    name: str | None

    def __len__(self) -> int:
        return len(self.labels)

    def decided_by(self) -> dict[str, int]:
        """Return how many grades were decided by what, the most frequent first."""
        return counted_by(self.labels)

    def qrels(self) -> Qrels:
        """Return the combined grades as judgments."""
        rows = [(each.query_id, each.doc_id, grade_value(each.grade)) for each in self.labels]
        return Qrels(rows, name=self.name)

    def write(self, path: str | PathLike[str], format: str | None = None) -> None:
        """Write the combined grades to a file, atomically.

        Parameters
        ----------
        path : path
            The file.
        format : {"qrels", "csv", "jsonl"}, optional
            ``qrels``: TREC judgments. ``csv`` and ``jsonl``: also how each grade was decided, and
            the labels of the raters. Default: from the suffix, else ``qrels``.

        Raises
        ------
        ParameterError
            For an unknown format.
        FormatError
            For qrels with white space in an id.
        SourceError
            If the file cannot be written.
        """
        name = fspath(path)
        style = format or {".csv": "csv", ".jsonl": "jsonl"}.get(splitext(name)[1], "qrels")
        if style not in FORMATS:
            raise ParameterError(
                where="format", found=repr(style), expected=f"one of {', '.join(FORMATS)}"
            )
        if style == "qrels":
            self.qrels().write(name, "trec")
        elif style == "csv":
            lines = csv(COLUMNS, ([*row[:-1], text(row[-1]).strip()] for row in self._rows()))
            write_whole(name, (line.encode() for line in lines))
        else:
            rows = (dict(zip(COLUMNS, row, strict=True)) for row in self._rows())
            write_whole(name, (text(row).encode() for row in rows))

    def _rows(self) -> Iterator[tuple[object, ...]]:
        for each in self.labels:
            grades = {rater: grade_value(grade) for rater, grade in each.labels.items()}
            place = (each.query_id, each.doc_id, grade_value(each.grade))
            yield (*place, each.decided_by, each.probability, grades)

    def tables(self) -> list[Table]:
        """Return the raters, and the systems under each rule."""
        return tables(self)

    def to_dict(self) -> dict[str, object]:
        """Return the result as the JSON contract ``gainful.combined-judgments/1``."""
        return {
            "schema": "gainful.combined-judgments/1",
            "method": self.method,
            "owner": self.owner,
            "decided_by": self.decided_by(),
            "raters": [each._asdict() for each in self.raters],
            "estimates": None if self.estimates is None else asdict(self.estimates),
            "systems": None if self.systems is None else systems_dict(self.systems),
            "labels": [dict(zip(COLUMNS, row, strict=True)) for row in self._rows()],
        }

    def _records(self, name: str) -> Records:
        if name == "raters":
            found = self.estimates
            rows: list[tuple[object, ...]] = [
                (*each, found and found.accuracy[each.rater], found and found.weight[each.rater])
                for each in self.raters
            ]
            return as_records(("rater", "labels", "same", "accuracy", "weight"), rows)
        rows = [
            (*row[:2], float(row[2]), *row[3:5], text(row[5]).strip())  # type: ignore[arg-type]
            for row in self._rows()
        ]
        return as_records(COLUMNS, rows)

    def __repr__(self) -> str:
        return f"<CombinedJudgments by {self.method}: {len(self)} documents>"
