"""Collect and check the entries of a judgment list."""

from __future__ import annotations

from collections import Counter
from dataclasses import KW_ONLY, dataclass
from functools import cache
from re import compile as pattern
from re import fullmatch
from typing import NamedTuple

from gainful.data.memory import rows_in_memory
from gainful.data.read_options import ReadOptions
from gainful.data.records import id_text
from gainful.errors import DuplicateError, FormatError, GainfulError, GradeError, ParameterError
from gainful.numerals import parse_number
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gainful import _kernel
    from gainful.data.list_formats import ListedText, ListFormat

__all__ = ["Entries", "JudgmentList", "ListedQuery", "combine_grades", "grade_of"]


#: Larger whole numbers are not exact in 64-bit floats, and surely mistakes.
LARGEST = 2.0**53


def grade_of(
    grade: object,
    query: str,
    document: str,
    file: str | None = None,
    line: int | None = None,
    where: str | None = None,
) -> float | None:
    """Return a grade as a number, or ``None`` if it is missing.

    Examples
    --------
    >>> grade_of(" 2 ", "q1", "d1"), grade_of("", "q1", "d1"), grade_of(float("nan"), "q1", "d1")
    (2.0, None, None)
    """
    # Data frames use NaN for empty cells; in a file, NaN is an error.
    if grade is None or grade != grade or (isinstance(grade, str) and not grade.strip()):
        return None
    try:
        value = parse_number(grade)
    except (TypeError, ValueError, OverflowError):
        value = LARGEST * 2
    if isinstance(grade, str) and has_decimal_comma(grade):
        # The same message as the kernel's, which reads the other formats.
        problem: dict[str, Any] = {
            "found": f"{shown(grade)} has a decimal comma",
            "hint": "export numbers with decimal points, as in 0.5",
        }
    elif isinstance(grade, bool) or not -LARGEST <= value <= LARGEST:
        expected = "a grade (a finite number within ±2^53), or nothing"
        problem = {"found": shown(grade), "expected": expected}
    else:
        return value
    raise FormatError(file=file, line=line, where=where, query=query, document=document, **problem)


def has_decimal_comma(text: str) -> bool:
    """Return whether a text is a number with a decimal comma.

    Examples
    --------
    >>> has_decimal_comma(" -2,5 "), has_decimal_comma("2,5,1"), has_decimal_comma("2.5")
    (True, False, False)
    """
    whole, comma, fraction = text.strip().partition(",")
    digits = whole[1:] if whole[:1] in ("-", "+") else whole
    return bool(comma) and all(part.isascii() and part.isdigit() for part in (digits, fraction))


#: The ways to combine grades, described in words that precede the number of raters.
COMBINATIONS = {
    "mean": "mean over",
    "median": "median over",
    "majority": "most frequent of",
}


def combine_grades(how: str, grades: Sequence[float]) -> tuple[float | None, bool]:
    """Combine grades; return the result, and whether it is unambiguous.

    The median of an even number of grades is the mean of the middle two. Of several equally
    frequent grades, the majority is the one nearest to the median, or the lower of two.

    Examples
    --------
    >>> combine_grades("mean", [3, 3, 0]), combine_grades("median", [3, 0])
    ((2.0, True), (1.5, True))
    >>> [combine_grades("majority", grades) for grades in ([3, 3, 0], [0, 2, 3], [0, 3], [])]
    [(3, True), (2, False), (0, False), (None, True)]
    """
    if not grades:
        return None, True
    if how == "mean":
        return sum(grades) / len(grades), True
    ordered = sorted(grades)
    half = len(ordered) // 2
    median = ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
    if how == "median":
        return median, True
    counts = Counter(ordered)
    often = max(counts.values())
    tied = [grade for grade, count in counts.items() if count == often]
    return min(tied, key=lambda grade: (abs(grade - median), grade)), len(tied) == 1


class ListedQuery(NamedTuple):
    """A query of a judgment list.

    Attributes
    ----------
    id : str
        Its id in the judgments; its text if the list has no ids.
    text : str or None
        The text of the query, if known.
    fields : mapping of str to object
        Other attributes: parameters, notes, a weight.
    """

    id: str
    text: str | None
    fields: Mapping[str, object] = {}


@dataclass(frozen=True)
class JudgmentList:
    r"""A judgment list, which `Qrels` and `evaluate` accept as judgments.

    Attributes
    ----------
    source : str
        The files.
    format : ListFormat
        Its format.
    queries : tuple of ListedQuery
        All queries, including those without ratings.
    rows : sequence of (str, str, float)
        The query, document and grade of each rating.
    entries : int
        The number of rows, with or without a rating.
    unrated : int
        The number of rows without a rating. They are unjudged, not of grade 0.
    repeated : int
        The number of identical duplicates.
    decided : str
        How several grades, or labels, were converted to grades; empty if not needed.
    duplicates : str
        How duplicate documents of a query are handled.
    groups : sequence of str
        The group of each row, with its weight: the subtopics of the judgments. Empty without
        groups.

    Examples
    --------
    >>> import gainful
    >>> from gainful.data.judgment_lists import read_judgment_list
    >>> with open("list.csv", "w") as file:
    ...     _ = file.write("query,docid,rating\nsoup,r01,3\nsoup,r02,\nstew,r07,\n")
    >>> judged = read_judgment_list("list.csv")
    >>> gainful.Qrels(judged).to_dict(), [query.id for query in judged.queries]
    ({'soup': {'r01': 3}}, ['soup', 'stew'])
    >>> judged.note[:52]
    'list.csv, read as quepid: 1 of 3 rows is a judgment;'
    >>> judged.entries, judged.unrated, judged.repeated
    (3, 2, 0)
    """

    source: str
    format: ListFormat
    queries: tuple[ListedQuery, ...]
    rows: Sequence[tuple[str, str, float]]
    _: KW_ONLY
    entries: int
    unrated: int
    repeated: int
    decided: str = ""
    duplicates: str = "error"
    groups: Sequence[str] = ()

    def __repr__(self) -> str:
        return (
            f"<JudgmentList {self.source!r}: {len(self.queries):,} queries,"
            f" {len(self.rows):,} judgments>"
        )

    def listed_rows(self, *, subtopics: bool = False) -> _kernel.Rows:
        """Return the judgments in the form for `Qrels`.

        Parameters
        ----------
        subtopics : bool
            Whether judgments are per group. Otherwise a document has its highest grade.

        Raises
        ------
        FormatError
            If there are none.
        """
        if not self.rows:
            raise FormatError(
                f"no ratings ({count(len(self.queries), 'query', 'queries')})", file=self.source
            )
        options = ReadOptions(duplicates=self.duplicates)
        if not self.groups:
            return rows_in_memory(self.rows, "qrels", options)
        grouped = [
            (query, group, document, grade)
            for (query, document, grade), group in zip(self.rows, self.groups, strict=True)
        ]
        rows = rows_in_memory(grouped, "qrels", options.replace(subtopics=True))
        return rows if subtopics else rows.merged(sum=False)

    @property
    def judged(self) -> frozenset[str]:
        """The ids of the queries with judgments."""
        return frozenset(query for query, _, _ in self.rows)

    @property
    def note(self) -> str:
        """How it was read and what was skipped, in a sentence."""
        # If the policy keeps one of several grades, rows still contain the others.
        groups = self.groups or [""] * len(self.rows)
        pairs = zip(self.rows, groups, strict=True)
        rows = len({(query, group, document) for (query, document, _), group in pairs})
        repeated = self.repeated + len(self.rows) - rows
        whole = rows == self.entries
        verb = "is a judgment" if rows == 1 else "are judgments"
        summary = (
            count(rows, "judgment", "judgments")
            if whole or not self.entries
            else f"{rows:,} of {count(self.entries, 'row', 'rows')} {verb}"
        )
        parts = [summary]
        if self.unrated:
            parts.append(f"{self.unrated:,} without a rating (unjudged)")
        if repeated:
            parts.append(f"{repeated:,} {'duplicate' if repeated == 1 else 'duplicates'}")
        without = len({query.id for query in self.queries} - self.judged)
        if without:
            queries = count(len(self.queries), "query", "queries")
            parts.append(f"{without:,} of {queries} without judgments")
        if self.decided:
            parts.append(self.decided)
        return f"{self.source}, read as {self.format.name}: {'; '.join(parts)}."


def count(number: int, one: str, many: str) -> str:
    """Return a number with its noun.

    >>> count(1, "query", "queries"), count(1200, "query", "queries")
    ('1 query', '1,200 queries')
    """
    return f"{number:,} {one if number == 1 else many}"


_NUMBER = pattern(r"\s*(-?[0-9]+(?:\.[0-9]+)?)(?![\w.])")
#: The most queries that a note names.
_NAMED = 5
#: The name of a rater without one.
_UNKNOWN = "nobody"
#: The name of the rater whose grades are marked as final.
_FINAL = "final"


@cache
def _grade_of_word(word: str) -> object:
    """Return the grade of a word such as yes, which the kernel knows; None for other words."""
    try:
        rows = rows_in_memory([("q", "d", word)], "qrels", ReadOptions())
        return (rows.documents("q") or {}).get("d")
    except GainfulError:
        return None


def _summary(values: Mapping[str, float]) -> str:
    return ", ".join(f"{label} {value:g}" for label, value in values.items())


class Entries:
    """The queries and ratings of a list, added one by one.

    Parameters
    ----------
    format : ListFormat
        The format.
    duplicates : str
        How duplicate documents of a query are handled. With ``"error"``, identical ratings are
        skipped and counted.
    file : str
        The current file, for messages.
    """

    def __init__(self, format: ListFormat, duplicates: str, file: str = "") -> None:
        self.format = format
        self.layout = format.layout
        self.duplicates = duplicates
        self.queries: dict[str, ListedQuery] = {}
        self.rows: list[tuple[str, str, float]] = []
        self.entries = self.unrated = self.repeated = 0
        self.decided = ""
        self.file = file
        #: The column of final grades.
        self.final: str | None = None
        self._spelled = {
            **{label.lower(): label for label in self.format.grades},
            **{word.lower(): label for word, label in self.layout.spelled.items()},
        }
        self._grades: dict[tuple[str, str, str], float] = {}
        #: The group of each row, and the weight of each group of a query.
        self._groups: list[str] = []
        self._group_weights: dict[tuple[str, str], float] = {}
        #: By problem, references with their queries; questions without an answer.
        self._doubtful: dict[str, list[tuple[str, str]]] = {}
        self._unanswered: dict[str, None] = {}
        self._questions: dict[str, None] = {}
        #: The grades of raters by query and document, in order of first appearance.
        self._rated: dict[tuple[str, str], dict[str, float]] = {}
        self._raters: dict[str, None] = {}
        if self.format.grades:
            self.decided = f"the labels have the grades {_summary(self.format.grades)}"
        if self.format.weights:
            self.decided += f", and the groups the weights {_summary(self.format.weights)}"

    def add_query(
        self,
        own: str | None,
        text: str | None,
        fields: Mapping[str, object] | None = None,
        **place: Any,
    ) -> str:
        """Add a query by id, text or both, and return its id in the judgments."""
        if own is not None and self.layout.query_pattern:
            match = fullmatch(self.layout.query_pattern, own)
            own = own if match is None else match[1]
        id = text if self.format.texts_are_ids or own is None else own
        if not id:
            wanted = (
                "the text of the query" if own is None or self.format.texts_are_ids else "its id"
            )
            raise FormatError(
                "the query has no text" if own else "no query",
                file=self.file,
                query=own or None,
                hint=f"add {wanted}",
                **place,
            )
        known = self.queries.get(id)
        if known is None:
            self.queries[id] = ListedQuery(id, text, fields or {})
        elif known.text != text and None not in (known.text, text):
            raise FormatError(
                f"two texts for one id: {text!r} and, before, {known.text!r}",
                file=self.file,
                query=id,
                **place,
            )
        elif (known.text is None and text is not None) or (fields and not known.fields):
            self.queries[id] = ListedQuery(id, known.text or text, known.fields or fields or {})
        return id

    def add_text(self, text: ListedText) -> None:
        """Add the queries and ratings of a text."""
        queries = text.queries.items()
        ids = {query: self.add_query(query, *described) for query, described in queries}
        for line, query, document, grade in text.ratings:
            self.rate(ids[query], document, {"grade": grade}, line=line)

    def rate(self, query: str, document: object, found: Mapping[str, Any], **place: Any) -> None:
        """Add the rating of a document, by role; without a grade it is counted as unrated."""
        place = {"file": self.file, "query": query, **place}
        id = self.identifier(document, **place)
        if self.layout.unanswered and query.endswith(self.layout.unanswered):
            self._unanswered[query] = None
            return
        if self.layout.references is not None:
            referred, problem = self.layout.references(id, self.format.word)
            if problem:
                self._doubtful.setdefault(problem, []).append((query, id))
            for name in referred:
                if (query, "", name) not in self._grades:
                    self._add(query, name, found["grade"], place)
            return
        group = self._group(query, found, place)
        if group is None or not self._is_asked(found.get("question")):
            return
        place["document"] = id
        grade = None if found.get("unless") else self._grade(found["grade"], place)
        scale = self.format.scale
        if grade is not None and scale and not scale[0] <= grade <= scale[1]:
            low, high = scale
            raise GradeError(
                f"grade {grade:g} is outside the scale from {low:g} to {high:g}", **place
            )
        if not self.layout.several:
            self._add(query, id, grade, place, group)
            return
        rater = found.get("rater")
        name = _UNKNOWN if rater is None or rater == "" else str(rater)
        if found.get("final"):
            name = self.final = _FINAL
        self._raters[name] = None
        labels = self._rated.setdefault((query, id), {})
        if grade is None:
            return
        if name in labels and self.duplicates == "error" and labels[name] != grade:
            hint = "set duplicates='first' or 'last' to keep one"
            raise DuplicateError(f"{name} gave two grades", **place, hint=hint)
        if name not in labels or self.duplicates != "first":
            labels[name] = grade

    def _is_asked(self, question: str | None) -> bool:
        """Return whether a rating answers the question that the caller names, or the only one."""
        chosen = self.format.settings.get("question")
        if question is None or chosen is not None:
            return question is None or question == chosen
        self._questions[question] = None
        if len(self._questions) > 1:
            raise FormatError(
                f"ratings of {' and of '.join(map(repr, self._questions))}, expected one question",
                file=self.file,
                hint=f"name it, as in {self.format.name}:question={question}",
            )
        return True

    def _grade(self, value: Any, place: Mapping[str, Any]) -> float | None:
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        named = "LABEL" in self.layout.choices
        if named and isinstance(value, str):
            # A label may begin with its grade: 2 relevant.
            number = _NUMBER.match(value)
            known = _grade_of_word(value) if number is None else number[1]
            value = self.format.settings.get(value, value if known is None else known)
        if not self.format.grades:
            try:
                return grade_of(value, **place)
            except FormatError as error:
                hint = f"write its grade, as in {self.format.name}:{value}=1"
                raise error.replace(hint=hint) if named else error from None
        word = "" if value is None else str(value).strip()
        label = self._spelled.get(word.lower())
        if word and label is None:
            hint = f"labels are {', '.join([*self.format.grades, *self.layout.spelled])}"
            raise FormatError(f"unknown label {word!r}", **{**place, "document": None}, hint=hint)
        return None if label is None else self.format.grades[label]

    def _group(self, query: str, found: Mapping[str, Any], place: Mapping[str, Any]) -> str | None:
        """Return the group of a rating with its weight, or None if the weight is 0."""
        name, weight = found.get("group"), found.get("weight")
        if name is None:
            return ""
        group = str(name)
        if weight is None:
            return group
        try:
            number = (
                self.format.weights[weight]
                if weight in self.format.weights
                else parse_number(weight)
            )
        except (TypeError, ValueError, OverflowError):
            number = float("nan")
        if not 0 <= number < float("inf") or isinstance(weight, bool):
            expected = ", ".join([*self.format.weights, "a number from 0"])
            raise FormatError(
                found=f"the weight {shown(weight)}",
                expected=expected,
                **place,
            )
        before = self._group_weights.setdefault((query, group), number)
        if before != number:
            raise FormatError(
                f"two weights for the group {shown(group)}: {before:g} and {number:g}",
                **place,
            )
        if number == 0:
            return None
        return group if number == 1 else f"{group};weight={repr(number).removesuffix('.0')}"

    def _add(
        self,
        query: str,
        id: str,
        grade: float | None,
        place: Mapping[str, Any],
        group: str = "",
    ) -> None:
        self.entries += 1
        if grade is None:
            self.unrated += 1
            return
        if self.duplicates == "error":
            before = self._grades.setdefault((query, group, id), grade)
            if before != grade:
                raise DuplicateError(
                    f"two grades for the document: {before:g} and {grade:g}",
                    **place,
                    hint="keep one with ⟪duplicates=first⟫, last or max, or their mean with mean",
                )
            if len(self._grades) == len(self.rows):
                self.repeated += 1
                return
        self.rows.append((query, id, int(grade) if grade == int(grade) else grade))
        self._groups.append(group)

    def combine(self) -> None:
        """Combine the grades of the raters of each document of a file."""
        if not self.layout.several:
            return
        final, word = self.final, self.format.word
        if word not in self._raters and word.lower() in (*COMBINATIONS, _FINAL):
            word = word.lower()
        people = [rater for rater in self._raters if rater != final]
        known = [*COMBINATIONS, *([_FINAL] if final else []), *people]
        chosen = final if word == _FINAL and final else word
        if not word and len(self._raters) == 1:
            chosen = people[0]
        if chosen not in (*COMBINATIONS, *self._raters) or not chosen:
            raise ParameterError(
                f"unknown combination {word!r}, expected one of {', '.join(known)}"
                if word
                else f"no combination, expected one of {', '.join(known)}",
                where=f"{self.file}, the grades of several raters",
                hint=f"choose it in the format, as in ⟪format={self.format.name}:mean⟫",
            )
        ambiguous = 0
        for (query, document), labels in self._rated.items():
            if chosen in COMBINATIONS:
                grades = [labels[rater] for rater in people if rater in labels]
                grade, clear = combine_grades(chosen, grades)
                ambiguous += not clear
            else:
                grade = labels.get(chosen)
            self._add(query, document, grade, {})
        self._rated = {}
        if chosen not in COMBINATIONS:
            names = {final: "the final ones", _UNKNOWN: "those of one rater"}
            whose = names.get(chosen, f"{chosen}'s")
            self.decided = f"the grades are {whose}"
            return
        self.decided = f"the grade is the {COMBINATIONS[chosen]} {len(people)} raters"
        if ambiguous:
            self.decided += f"; {ambiguous:,} documents have several most frequent grades"

    def identifier(self, value: object, **place: Any) -> str:
        """Return an id as text; whole numbers are converted."""
        id = id_text(value)
        if not id:
            raise FormatError(
                f"document id {value!r} is neither text nor a whole number"
                if value
                else "a document without an id",
                **place,
            )
        return id

    def cell(self, row: Mapping[str, object], column: str | None, line: int) -> str | None:
        """Return a cell as text, None without a column; numbers are converted."""
        if column is None:
            return None
        value = row.get(column)
        text = "" if value is None else id_text(value)
        if text is None:
            problem = f"{column} {value!r} is neither text nor a whole number"
            raise FormatError(problem, file=self.file, line=line)
        return text

    def finish(self, source: str) -> JudgmentList:
        """Return the list."""
        decided = [self.decided] if self.decided else []
        if "grade" not in self.layout.roles and self.layout.roles:
            decided.append("relevant documents have the grade 1")
        if self._unanswered:
            questions = count(len(self._unanswered), "question", "questions")
            decided.append(f"{questions} without an answer left out")
        for problem, doubtful in self._doubtful.items():
            query, reference = doubtful[0]
            references = count(len(doubtful), "reference", "references")
            others = [other for other, _ in doubtful[1:_NAMED]]
            more = f", also of {', '.join(others)}" if others else ""
            more += ", ..." if len(doubtful) > _NAMED else ""
            decided.append(f"{references} {problem}: {shown(reference)} of {query}{more}")
        return JudgmentList(
            source,
            self.format,
            tuple(self.queries.values()),
            self.rows,
            entries=self.entries,
            unrated=self.unrated,
            repeated=self.repeated,
            decided="; ".join(decided),
            duplicates=self.duplicates,
            groups=self._groups if any(self._groups) else (),
        )
