"""The sources of labels, and how grades, names and shares of judgments are written."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from os.path import splitext
from typing import Any, NamedTuple

from gainful.data.samples import example_pairs
from gainful.errors import FormatError, ParameterError
from gainful.formats.numbers import digits
from gainful.formats.table import cut as shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Pair = tuple[str, str]

__all__ = [
    "AUDIT",
    "Evidence",
    "Rater",
    "Source",
    "by_grade",
    "companion_rows",
    "cut",
    "grade_text",
    "grade_value",
    "listed",
    "median",
    "share",
    "signed",
    "signed_grade",
    "spread",
]

#: Synonyms of each kind of source. Any other word is its own kind.
KINDS = {
    "human": ("human", "humans", "person", "people", "expert", "assessor", "annotator", "crowd"),
    "model": ("model", "llm", "machine", "automatic", "ai", "synthetic"),
    "clicks": ("clicks", "click", "click-log", "clicklog", "click-model", "implicit", "behaviour"),
}

_WORDS = {word: kind for kind, words in KINDS.items() for word in words}


@dataclass(frozen=True, slots=True)
class Source:
    """The kind of source of a label, with the model and its version.

    Attributes
    ----------
    kind : str
        ``"human"``, ``"model"``, ``"clicks"``, or another word; empty if unknown.
    model : str
        The name of the model or log; empty without one.
    version : str
        Its version; empty if unknown.

    Examples
    --------
    >>> Source.parse("llm:umbrela@2024-06")
    Source(kind='model', model='umbrela', version='2024-06')
    >>> str(Source("model", "umbrela", "2024-06")), str(Source("human")), str(Source())
    ('model umbrela, 2024-06', 'human', 'unknown')
    """

    kind: str = ""
    model: str = ""
    version: str = ""

    @classmethod
    def parse(cls, text: str) -> Source:
        """Parse ``KIND``, ``KIND:MODEL`` or ``KIND:MODEL@VERSION``.

        Raises
        ------
        ParameterError
            For a model without a kind, or a version without a model.
        """
        kind, colon, rest = text.partition(":")
        model, sign, version = rest.strip().rpartition("@")
        if not sign:
            model, version = version, ""
        # A name may begin with an @, as in some registries.
        if sign and not model:
            model, version = f"@{version}", ""
        if not kind.strip() or (colon and not model):
            raise ParameterError(
                where="a source of labels",
                found=repr(text),
                expected="KIND, KIND:MODEL or KIND:MODEL@VERSION, such as model:umbrela@2024-06",
            )
        return cls.of(kind, model, version)

    @classmethod
    def of(cls, kind: str = "", model: str = "", version: str = "") -> Source:
        """Return the source from three texts; a model implies the kind ``"model"``."""
        word = kind.strip().lower().replace("_", "-").replace(" ", "-")
        known = _WORDS.get(word, kind.strip())
        return cls(known or ("model" if model.strip() else ""), model.strip(), version.strip())

    def __str__(self) -> str:
        named = " ".join(part for part in (self.kind, self.model) if part) or "unknown"
        return f"{named}, {self.version}" if self.version else named


@dataclass(frozen=True, slots=True)
class Rater:
    """A rater.

    Attributes
    ----------
    name : str
        The name in results.
    source : Source
        The source of the labels.
    """

    name: str
    source: Source


#: The suffix of the file with a model's answers that are not labels.
AUDIT = ".audit.jsonl"

#: The columns of a file that `gainful.judge_llm` writes.
_OURS = ("outcome", "characters", "prompt_hash")


class Injected(NamedTuple):
    """The answer to a document with an injected instruction.

    Attributes
    ----------
    query_id, doc_id : str
        The document.
    name : str
        The name of the instruction.
    demanded : float
        The grade that it demands.
    grade : float or None
        The grade that the model gave; None without one.
    """

    query_id: str
    doc_id: str
    name: str
    demanded: float
    grade: float | None


@dataclass
class Evidence:
    """What is known about the labels of a model.

    Attributes
    ----------
    outcomes : Counter
        The number of documents by outcome, such as ``"grade"`` and ``"refusal"``.
    lengths : dict of (query, document) to int
        The number of characters of each document.
    examples : set of (query, document)
        The documents that the prompt shows with their grades.
    injected : list of Injected
        The answers to injected instructions.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    lengths: dict[Pair, int] = field(default_factory=dict)
    examples: set[Pair] = field(default_factory=set)
    injected: list[Injected] = field(default_factory=list)

    def add(self, query: str, document: str, row: Mapping[str, object]) -> None:
        """Add a row of a file; rows of other programs add nothing."""
        if not all(name in row for name in _OURS):
            return
        self.examples.update(example_pairs(row.get("examples")))
        if row.get("injection"):
            demanded, grade = (_number(row.get(name)) for name in ("demanded", "grade"))
            if demanded is not None:
                name = str(row["injection"])
                self.injected.append(Injected(query, document, name, demanded, grade))
            return
        self.outcomes[str(row["outcome"])] += 1
        length = _number(row["characters"])
        if length is not None:
            self.lengths[query, document] = int(length)

    def update(self, other: Evidence) -> None:
        """Add the evidence of another file."""
        self.outcomes.update(other.outcomes)
        self.lengths.update(other.lengths)
        self.examples |= other.examples
        self.injected += other.injected


def companion_rows(path: str) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of the answers that are not labels, if there is such a file."""
    name = splitext(path)[0] + AUDIT
    if name == path or not os.path.isfile(name):
        return
    with open(name, encoding="utf-8", errors="replace") as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            if not isinstance(row, dict):
                raise FormatError("not a JSON object", file=name, line=number)
            yield row


def _number(value: object) -> float | None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if number else None  # type: ignore[arg-type]


#: The maximum length of a name in a table.
_NAME = 24


def grade_text(grade: float) -> str:
    """Return a grade as text, integers without a point.

    Examples
    --------
    >>> grade_text(3.0), grade_text(0.5)
    ('3', '0.5')
    """
    return str(int(grade)) if grade == int(grade) else repr(grade)


def grade_value(grade: float) -> float | int:
    """Return an integral grade as an integer, as it was read.

    Examples
    --------
    >>> grade_value(3.0), grade_value(0.5)
    (3, 0.5)
    """
    return int(grade) if grade == int(grade) else grade


def by_grade(counts: dict[float, int]) -> dict[str, int]:
    """Return counts with the text of their grades, as JSON has them."""
    return {grade_text(grade): count for grade, count in counts.items()}


def cut(name: str, most: int = _NAME) -> str:
    """Shorten a name for a table; keep its beginning and end.

    Examples
    --------
    >>> cut("gpt-4o-2024-08-06 with the prompt of umbrela")
    'gpt-4o-2024-… of umbrela'
    """
    return shortened(name, most, middle=True)


def signed_grade(value: float) -> str:
    """Return a difference of grades, with its sign."""
    text = digits(value, 2)
    return text if text.startswith("-") or not float(text) else f"+{text}"


def signed(value: float) -> str:
    """Return a difference, with its sign."""
    text = digits(value)
    return text if text.startswith("-") or not float(text) else f"+{text}"


def spread(ends: tuple[float, float]) -> str:
    """Return the minimum and maximum of differences between means."""
    one, two = map(_difference, ends)
    return one if one == two else f"{one} to {two}"


def _difference(value: float) -> str:
    text = digits(value)
    return text if text.startswith("-") else f"+{text}"


def share(value: float) -> str:
    """Return a share in percent."""
    return f"{100 * value:.1f}%"


def median(distribution: dict[float, int]) -> str:
    """Return the lower median of grades with counts."""
    half = (sum(distribution.values()) + 1) // 2
    for grade, count in distribution.items():
        half -= count
        if half <= 0:
            return grade_text(grade)
    return "–"


def listed(names: Sequence[str], most: int) -> str:
    """Return names in a line, with the number of those left out."""
    shown = ", ".join(map(cut, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
