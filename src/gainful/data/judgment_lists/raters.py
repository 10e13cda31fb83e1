"""Tables with grades of several raters, in columns or rows, and Quepid's books."""

from __future__ import annotations

from gainful.data.grades import grade_of
from gainful.data.judgment_lists.combining import COMBINATIONS, combine_grades
from gainful.data.judgment_lists.list_format import JudgmentFormat
from gainful.data.judgment_lists.quepid import query_columns
from gainful.data.rater_columns import Layout, detect_layout
from gainful.errors import DuplicateError, FormatError, GainfulError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gainful.data.delimited import Row
    from gainful.data.judgment_lists.entries import Entries
    from gainful.data.judgment_lists.json_text import Part

__all__ = ["FORMAT"]


class _Labels:
    """Collect the grades of each document by rater, in order of first appearance."""

    def __init__(self, into: Entries) -> None:
        self.into = into
        self.grades: dict[tuple[str, str], dict[str, float]] = {}
        self.raters: dict[str, None] = {}

    def document(self, query: str, document: object, **place: object) -> dict[str, float]:
        id = self.into.identifier(document, query=query, **place)  # type: ignore[arg-type]
        return self.grades.setdefault((query, id), {})

    def add(
        self,
        at: dict[str, float],
        rater: str,
        grade: float | None,
        key: tuple[str, str],
        line: int | None,
    ) -> None:
        self.raters[rater] = None
        if grade is None:
            return
        self.into.check_scale(grade, file=self.into.file, line=line, query=key[0], document=key[1])
        if rater in at and self.into.duplicates == "error" and at[rater] != grade:
            raise DuplicateError(
                f"{rater} gave two grades",
                file=self.into.file,
                line=line,
                query=key[0],
                document=key[1],
                hint="set duplicates='first' or 'last' to keep one",
            )
        if rater not in at or self.into.duplicates != "first":
            at[rater] = grade

    def combine(self, final: str | None) -> None:
        """Combine the grades of each document."""
        word = self.into.format.word
        if word not in self.raters and word.lower() in (*COMBINATIONS, "final"):
            word = word.lower()
        people = [rater for rater in self.raters if rater != final]
        known = [*COMBINATIONS, *(["final"] if final else []), *people]
        chosen = final if word == "final" and final else word
        if chosen not in (*COMBINATIONS, *self.raters) or not chosen:
            raise ParameterError(
                f"unknown combination {word!r}, expected one of {', '.join(known)}"
                if word
                else f"no combination, expected one of {', '.join(known)}",
                where=f"{self.into.file}, the grades of several raters",
                hint="choose it in the format, as in ⟪format=raters:mean⟫",
            )
        ambiguous = 0
        for (query, document), labels in self.grades.items():
            if chosen in COMBINATIONS:
                given = [labels[rater] for rater in people if rater in labels]
                grade, clear = combine_grades(chosen, given)
                ambiguous += not clear
            else:
                grade = labels.get(chosen)
            self.into.add_rating(query, document, grade)
        self.into.decided = _describe(chosen, final, len(people), ambiguous)


def _describe(chosen: str, final: str | None, raters: int, ambiguous: int) -> str:
    if chosen not in COMBINATIONS:
        return "the grades are the final ones" if chosen == final else f"the grades are {chosen}'s"
    note = f"the grade is the {COMBINATIONS[chosen]} {raters} raters"
    if ambiguous:
        note += f"; {ambiguous:,} documents have several most frequent grades"
    return note


def is_table(names: Sequence[str]) -> bool:
    """Return whether a table has columns of raters."""
    layout = _layout(names)
    return layout is not None and ("rater" in layout.who or bool(layout.raters))


def _layout(names: Sequence[str]) -> Layout | None:
    try:
        return detect_layout(names, {}, None, None)
    except GainfulError:
        return None


def read_csv(names: Sequence[str], rows: Iterable[Row], into: Entries) -> None:
    """Read a table with one column per rater, or with one row per label and a rater column."""
    layout = detect_layout(names, {}, None, None)
    if layout is None:
        raise FormatError(
            "no column of raters",
            file=into.file,
            hint="add a column rater, or several columns of grades, such as rater_1 and rater_2",
        )
    own, text = query_columns(names, layout.query)
    labels = _Labels(into)
    for line, row in rows:
        query = into.add_query(
            None if own is None else into.cell(row, own, line) or "",
            None if text is None else into.cell(row, text, line) or "",
            line=line,
        )
        document = row.get(layout.document)
        at = labels.document(query, document, line=line)
        key = (query, str(document))
        for rater, column in _columns(layout, row):
            grade = grade_of(row.get(column), *key, into.file, line)
            labels.add(at, rater, grade, key, line)
    labels.combine(layout.final)


def _columns(layout: Layout, row: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return the raters of a row, with their grade columns."""
    if layout.grade is not None:
        identities = [str(row.get(column) or "") for column in layout.who.values()]
        return [(next(filter(None, identities), "nobody"), layout.grade)]
    return [*layout.raters.items(), *([(layout.final, layout.final)] if layout.final else [])]


def read_book(whole: Part, into: Entries) -> None:
    """Read a Quepid book: pairs of query and document with their judgments."""
    labels = _Labels(into)
    for pair in whole["query_doc_pairs"].list():
        query = into.add_query(None, pair["query_text"].text(), where=pair.where)
        document = pair["doc_id"].value
        at = labels.document(query, document, where=pair.where)
        given = pair.get("judgements")
        for one in given.list() if given else ():
            email = one.get("user_email")
            rater = email.text() if email else "nobody"
            key = (query, str(document))
            labels.add(at, rater, grade_of(one.object().get("rating"), *key, into.file), key, None)
    labels.combine(None)


FORMAT = JudgmentFormat(
    summary="a table with the [grades of several people](judgment-lists.md#several-people); a"
    " Quepid book as JSON",
    queries="text, or an id column",
    evidence="files of Chorus; Quepid's exporter",
    word="how to combine the grades of raters",
    several_grades=True,
    is_json=lambda whole: isinstance(whole.value.get("query_doc_pairs"), list),
    read_json=read_book,
    is_table=is_table,
    read_table=read_csv,
)
