"""Amazon's Shopping Queries (ESCI): labels E, S, C and I, or their words, instead of grades.

By default the grades are E 3, S 2, C 1, I 0; with ``esci:amazon`` the gains of the paper, 1, .1,
.01 and 0. (Reddy et al., arXiv:2206.06588.)
"""

from __future__ import annotations

from gainful._kernel import plain_name
from gainful.data.column_names import find_column, refuse_several
from gainful.data.columns import find_columns
from gainful.data.judgment_lists.list_format import JudgmentFormat
from gainful.data.judgment_lists.quepid import query_columns
from gainful.data.judgment_lists.writers import table_text
from gainful.errors import FormatError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful.data.delimited import Row
    from gainful.data.judgment_lists.entries import Entries
    from gainful.data.judgment_lists.list_format import Listed, ListFormat

__all__ = ["FORMAT", "grades"]

WORDS = {"E": "exact", "S": "substitute", "C": "complement", "I": "irrelevant"}
_GRADES: dict[str, dict[str, float]] = {
    "": {"E": 3, "S": 2, "C": 1, "I": 0},
    "amazon": {"E": 1.0, "S": 0.1, "C": 0.01, "I": 0.0},
}
#: The columns that describe the query.
_QUERY_COLUMNS = {plain_name(name): name for name in ("product_locale", "query_locale", "locale")}


def grades(format: ListFormat) -> dict[str, float]:
    """Return the grade of each label.

    Raises
    ------
    ParameterError
        For an unknown name, or a grade that is not a number.

    Examples
    --------
    >>> from gainful.data.judgment_lists.registry import list_format
    >>> grades(list_format("esci:E=4,S=2"))
    {'E': 4.0, 'S': 2.0, 'C': 1, 'I': 0}
    """
    if format.word.lower() not in _GRADES:
        raise ParameterError(
            where="the format esci",
            found=repr(format.word),
            expected="amazon, or grades as in esci:E=3,S=2,C=1,I=0",
        )
    chosen = dict(_GRADES[format.word.lower()])
    for label in WORDS:
        if label in format.settings:
            try:
                chosen[label] = float(format.settings[label])
            except ValueError:
                chosen[label] = float("nan")
            if chosen[label] - chosen[label] != 0.0:
                raise ParameterError(
                    where=f"{label} of the format esci",
                    found=repr(format.settings[label]),
                    expected="a grade",
                )
    return chosen


def is_table(names: Sequence[str]) -> bool:
    """Return whether a column of a table contains these labels."""
    return bool(_labels(names))


def _labels(names: Sequence[str]) -> list[str]:
    return [name for name in names if plain_name(name) == "escilabel"]


def read_csv(names: Sequence[str], rows: Iterable[Row], into: Entries) -> None:
    """Read a table whose grades are labels."""
    label_grades = grades(into.format)
    columns = _labels(names)
    refuse_several(columns, into.file)
    column = columns[0] if columns else find_column(names, "grade", into.file)
    found = find_columns(names, "qrels", {"grade": column} if column else None)
    for part in found:
        find_column(names, part, into.file)
    own, text = query_columns(names, found["query_id"])
    described = {name: key for name in names if (key := _QUERY_COLUMNS.get(plain_name(name)))}
    labels = {name.lower(): label for label, word in WORDS.items() for name in (label, word)}
    for line, row in rows:
        fields = {key: row[name] for name, key in described.items() if row.get(name)}
        query = into.add_query(
            None if own is None else into.cell(row, own, line) or "",
            None if text is None else into.cell(row, text, line) or "",
            fields,
            line=line,
        )
        label = str(row.get(found["grade"]) or "").strip()
        known = labels.get(label.lower())
        if label and known is None:
            raise FormatError(
                f"unknown label {label!r}",
                file=into.file,
                line=line,
                query=query,
                hint="labels are E, S, C and I, or Exact, Substitute, Complement and Irrelevant",
            )
        into.add_rating(
            query,
            row.get(found["doc_id"]),
            None if known is None else label_grades[known],
            line=line,
        )
    summary = ", ".join(f"{label} {grade:g}" for label, grade in label_grades.items())
    into.decided = f"the labels have the grades {summary}"


def _write(listed: Listed, format: ListFormat, file: str) -> str:
    label_grades = grades(format)
    labels = {grade: label for label, grade in reversed(label_grades.items())}
    rows: list[list[object]] = []
    for id, text, graded in listed:
        for document, grade in graded.items():
            if grade not in labels:
                known = ", ".join(f"{label} {value:g}" for label, value in label_grades.items())
                raise FormatError(
                    f"no label has the grade {grade:g} ({known})",
                    file=file,
                    query=id,
                    document=document,
                    hint="set the grades of the labels, as in esci:E=4,S=2,C=1,I=0",
                )
            rows.append([id, text, document, labels[grade]])
    return table_text(["query_id", "query", "product_id", "esci_label"], rows)


FORMAT = JudgmentFormat(
    summary="a table with Amazon's labels E, S, C and I, or their words",
    queries="`query_id`, or text",
    evidence="Amazon's files",
    cannot="grades without a label",
    choices=dict.fromkeys(WORDS, ""),
    word="the grades of the labels, such as amazon",
    is_table=is_table,
    read_table=read_csv,
    write=_write,
)
