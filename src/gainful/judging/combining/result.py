"""The result of combining the labels of several raters."""

from __future__ import annotations

from collections import Counter
from os import fspath
from os.path import splitext

from gainful.data import Qrels
from gainful.errors import ParameterError
from gainful.formats.delimited import csv
from gainful.formats.json import text
from gainful.formats.numbers import digits, percent, thousands, with_sign
from gainful.formats.table import Column, Note, Table, noted
from gainful.judging.cells import grade_value
from gainful.judging.combining.rules import (
    FEW_PER_DOCUMENT,
    FEW_PER_RATER,
    RULES,
    CombinedLabel,
    Estimates,
)
from gainful.judging.systems_result import SystemsByRater, means_table, verdicts_table
from gainful.records import Record, as_columns, derived, field
from gainful.records.tables import columns_of, table_of_columns
from gainful.results import Records, Result
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

__all__ = ["CombinedJudgments", "RaterShare"]

FORMATS = ("qrels", "csv", "jsonl")

_TIES = {
    "majority": "Ties go to the grade nearest to the median, then to the lower one.",
    "median": "For an even number of labels, the mean of the middle two.",
    "mean": "",
    "dawid-skene": "Of equally probable grades, the lowest.",
    "owner": "Documents without a grade of the owner get the majority grade; ties go to the grade"
    " nearest to the median, then to the lower one.",
}

_MODEL = Note(
    "accuracy",
    "accuracy: estimated probability that a rater gives the true grade. quality weight: its log"
    " odds; below 0, a vote counts against its grade.",
    explains=True,
)


class RaterShare(Record):
    """What a rater contributed."""

    rater: str = field(tables="raters")
    """The name."""
    labels: int = field(tables="raters", show=thousands, json={"minimum": 0})
    """The number of labels."""
    same: float | None = field(
        tables="raters", label="same as combined", show=percent, json={"minimum": 0, "maximum": 1}
    )
    """The share of them that equals the combined grade; None without labels."""


class CombinedJudgments(Result):
    """One grade per document, combined from the labels of several raters.

    Examples
    --------
    >>> import gainful
    >>> rows = [("q1", "d1", "ana", 3), ("q1", "d1", "ben", 2), ("q1", "d1", "eva", 2)]
    >>> found = gainful.Ratings(rows).combine("median")
    >>> found.qrels().to_dict(), found.labels[0].labels
    ({'q1': {'d1': 2}}, {'ana': 3.0, 'ben': 2.0, 'eva': 2.0})
    """

    SCHEMA = "gainful.combined-judgments/1"
    COMMAND = "assess-judgments --combine RULE"
    RECORDS = {"labels": None, "raters": None}

    method: str = field(json={"enum": list(RULES)})
    """The rule."""
    owner: str | None
    """Whose labels decide, under the rule ``owner``."""
    decided_by: dict[str, int] = derived(
        lambda combined: dict(Counter(item.decided_by for item in combined.labels).most_common()),
        json={"additionalProperties": {"type": "integer", "minimum": 1}},
    )
    """How many grades were decided by what, the most frequent first."""
    raters: tuple[RaterShare, ...]
    """The raters."""
    estimates: Estimates | None
    """The estimates of ``dawid-skene``; None for other rules."""
    systems: SystemsByRater | None
    """The systems under each rule that the labels allow."""
    labels: Sequence[CombinedLabel]
    """The grades, each with the labels that it comes from."""
    name: str | None = field(key="")
    """The name of the ratings."""

    def __len__(self) -> int:
        return len(self.labels)

    def qrels(self) -> Qrels:
        """Return the combined grades as judgments."""
        rows = [(label.query_id, label.doc_id, grade_value(label.grade)) for label in self.labels]
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
        rows = (label.to_dict() for label in self.labels)
        if style == "qrels":
            self.qrels().write(name, "trec")
        elif style == "csv":
            cells = ([*list(row.values())[:-1], text(row["labels"]).strip()] for row in rows)
            write_whole(name, (line.encode() for line in csv(list(CombinedLabel.FIELDS), cells)))
        else:
            write_whole(name, (text(row).encode() for row in rows))

    def tables(self) -> list[Table]:
        """Return the raters, and the systems under each rule."""
        columns, model = columns_of(self.raters, "raters"), self.estimates
        notes = noted("combined", _notes(self))
        if model is not None:
            names = [share.rater for share in self.raters]
            accuracy, weight = (
                Column("accuracy", show=digits),
                Column("weight", "quality weight", _weight),
            )
            columns.append((accuracy, [model.accuracy[name] for name in names]))
            columns.append((weight, [model.weight[name] for name in names]))
            notes.append(_MODEL)
        title = f"Labels combined by {self.method}"
        if self.owner is not None:
            title += f" ({self.owner})"
        tables = [table_of_columns(columns, title=title, notes=notes)]
        if self.systems is not None:
            verdicts = verdicts_table(self.systems)
            tables += [means_table(self.systems), *([verdicts] if verdicts else [])]
        return tables

    def _records(self, name: str) -> Records:
        if name == "labels":
            labels = [text(label.to_dict()["labels"]).strip() for label in self.labels]
            return {**as_columns(CombinedLabel, self.labels), "labels": list[object](labels)}
        model, names = self.estimates, [share.rater for share in self.raters]
        return {
            **as_columns(RaterShare, self.raters),
            "accuracy": [model and model.accuracy[name] for name in names],
            "weight": [model and model.weight[name] for name in names],
        }

    def __repr__(self) -> str:
        return f"<CombinedJudgments by {self.method}: {len(self)} documents>"


def _weight(value: float) -> str:
    return with_sign(value, 2)


def _notes(combined: CombinedJudgments) -> Iterator[str]:
    parts = ", ".join(f"{count:,} {name}" for name, count in combined.decided_by.items())
    line = f"{len(combined):,} documents, decided by: {parts}. {_TIES[combined.method]}"
    yield line.strip()
    model = combined.estimates
    if model is None:
        return
    yield (
        f"Log-likelihood {model.log_likelihood:.1f}; {model.agreeing_starts} of {model.starts}"
        " starts reached it."
    )
    if not model.converged:
        yield "The estimates did not converge: use majority or median."
    counts = [share.labels for share in combined.raters]
    if sum(counts) / len(combined) < FEW_PER_DOCUMENT or min(counts) < FEW_PER_RATER:
        yield (
            f"With fewer than {FEW_PER_DOCUMENT:g} labels per document or {FEW_PER_RATER} per"
            " rater, majority or median is as good or better."
        )
