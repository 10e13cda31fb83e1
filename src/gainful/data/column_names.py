"""Find columns and fields by the kernel's names."""

from __future__ import annotations

from dataclasses import dataclass
from re import IGNORECASE
from re import compile as pattern

from gainful._kernel import names_of, names_with, plain_name
from gainful.data.columns import find_columns, repeated
from gainful.errors import ArgumentError, ColumnError
from gainful.quoting import names_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "RaterColumns",
    "find_column",
    "find_rater_columns",
    "missing_column",
    "refuse_repeated",
    "refuse_several",
]


#: The number of accepted names in a message.
_SHOWN = 8


def find_column(
    names: Sequence[str], part: str, file: str | None = None, where: str | None = None
) -> str | None:
    """Return the column with the best name of a part of a record; None if there is none.

    Examples
    --------
    >>> find_column(["kind", "Query-ID", "query"], "query_id")
    'Query-ID'
    >>> find_column(["kind", "Query-ID", "query_id"], "query_id")
    Traceback (most recent call last):
    gainful.errors.ColumnError: several columns called 'Query-ID', 'query_id'. Hint: rename or ...
    """
    matches = names_with(list(names), part)
    if not matches:
        return None
    best = plain_name(matches[0])
    refuse_several([name for name in matches if plain_name(name) == best], file, where)
    return matches[0]


def refuse_several(names: Sequence[str], file: str | None, where: str | None = None) -> None:
    """Refuse several columns of one name."""
    if len(names) > 1:
        raise ColumnError(
            f"several columns called {', '.join(map(repr, dict.fromkeys(names)))}",
            file=file,
            where=where,
            hint="rename or leave out all but one",
        )


def refuse_repeated(names: Sequence[str], file: str | None) -> None:
    """Refuse columns of one name in a table of which all columns are kept."""
    for name in repeated(filter(None, names))[:1]:
        refuse_several([name, name], file)


def missing_column(
    names: Sequence[str], part: str, what: str, file: str | None = None, where: str | None = None
) -> ColumnError:
    """Return the error of a table without a part."""
    accepted = names_of(part)
    more = ", ..." if len(accepted) > _SHOWN else ""
    return ColumnError(
        file=file,
        where=where,
        found=f"the columns {names_shown(names)}" if names else "no columns",
        expected=f"a column for {what} ({', '.join(accepted[:_SHOWN])}{more})",
    )


#: What identifies the rater of a row.
_IDENTITY = ("rater", "source", "model", "version")
#: What else a column of judgments or of a run may be.
_OTHERS = ("description", "query_id", "doc_id", "grade", "score", "rank", "subtopic")

_GRADE = r"(?:grade|relevance|rel|label|rating|judge?ment|vote)"
_PERSON = r"(?:rater|annotator|assessor|judge|agent|worker|labell?er|reviewer|coder|expert)"
#: Names of grade columns, one per rater: agent_1_rating, grade_ana, rater_2, judge_b.
_BY_RATER = (
    pattern(rf"(?P<rater>.+)[-_ ]{_GRADE}", IGNORECASE),
    pattern(rf"{_GRADE}[-_ ](?P<rater>.+)", IGNORECASE),
    pattern(rf"(?P<rater>{_PERSON}[-_ ]?(?:\d+|[a-z]))", IGNORECASE),
)
#: Words in the names of grade columns that mark the final grade instead of a rater.
_FINAL = frozenset(
    ("final", "gold", "golden", "adjudicated", "consensus", "majority", "agreed", "resolved")
)


@dataclass(frozen=True, slots=True)
class RaterColumns:
    """The columns of a label table: of ids, of the grade of each row or of each rater.

    The rater of a row is identified by the columns `who`, by role.
    """

    query: str
    document: str
    grade: str | None
    who: dict[str, str]
    raters: dict[str, str]
    final: str | None


def find_rater_columns(
    names: Sequence[str],
    columns: Mapping[str, str],
    raters: Sequence[str] | None,
    final: str | None,
) -> RaterColumns | None:
    """Find the columns of labels and raters; ``None`` if there is no rater.

    `columns`, `raters` and `final` are the caller's names: by role, of one grade column per rater,
    and of the final grade.

    Examples
    --------
    >>> names = ["query", "docid", "agent_1_rating", "agent_2_rating", "final_rating"]
    >>> layout = find_rater_columns(names, {}, None, None)
    >>> layout.raters, layout.final
    ({'agent_1': 'agent_1_rating', 'agent_2': 'agent_2_rating'}, 'final_rating')
    >>> find_rater_columns(["query_id", "doc_id", "annotator", "grade"], {}, None, None).who
    {'rater': 'annotator'}
    >>> find_rater_columns(["query_id", "doc_id", "grade"], {}, None, None) is None
    True
    """
    _check(names, columns, raters, final)
    ids = {role: columns[role] for role in ("query_id", "doc_id", "grade") if role in columns}
    who = _find_identity(names, columns)
    by_rater = {} if raters is None else {name: name for name in raters}
    final_column = final if final in names else None
    if "rater" not in who or by_rater:
        named, grade_columns = _find_grades(names, {*who.values(), *ids.values(), *by_rater})
        final_column = final_column or grade_columns
        by_rater = by_rater or named
        by_rater = {name: column for name, column in by_rater.items() if column != final_column}
        if raters is None and len(by_rater) + (final_column is not None) < 2:
            by_rater = {}
    if not by_rater and not who and raters is None and _is_book(names):
        for name in names[2:]:
            refuse_several([other for other in names if other == name], None, _WHERE)
        by_rater = {name: name for name in names[2:]}
    if by_rater:
        needed = find_columns([*names, _ANY], "qrels", {**ids, "grade": _ANY})
        if final_column is None:
            final_column = _plain_grade(
                names, {*by_rater.values(), *who.values(), *needed.values()}
            )
        return RaterColumns(needed["query_id"], needed["doc_id"], None, who, by_rater, final_column)
    if not who:
        return None
    needed = find_columns([name for name in names if name not in who.values()], "qrels", ids)
    return RaterColumns(needed["query_id"], needed["doc_id"], needed["grade"], who, {}, None)


def _is_book(names: Sequence[str]) -> bool:
    """Return whether the columns are those of a Quepid book: query, docid, and names of people.

    Examples
    --------
    >>> _is_book(["query", "docid", "Ana Lee", "ben@example.com"]), _is_book(["query", "docid"])
    (True, False)
    """
    people = list(names[2:])
    is_pair = list(names[:2]) == ["query", "docid"]
    return is_pair and bool(people) and not any(names_with(people, part) for part in _OTHERS)


#: A placeholder for the grade while the ids are looked up.
_ANY = "\0"
_WHERE = "the columns of the labels"


def _check(
    names: Sequence[str],
    columns: Mapping[str, str],
    raters: Sequence[str] | None,
    final: str | None,
) -> None:
    roles = ("query_id", "doc_id", "grade", *_IDENTITY)
    for role, name in columns.items():
        if role not in roles:
            raise ArgumentError(where="columns", found=repr(role), expected=", ".join(roles))
        if name not in names:
            raise _missing(names, f"{name!r}, for {role}")
    for name in raters or ():
        if name not in names:
            raise _missing(names, f"{name!r}, for a rater's grades")
    for name in (*columns.values(), *(raters or ())):
        refuse_several([other for other in names if other == name], None, _WHERE)


def _missing(names: Sequence[str], what: str) -> ColumnError:
    return ColumnError(
        where=_WHERE,
        found=", ".join(map(repr, names[:16])) or "no column",
        expected=what,
    )


def _find_identity(names: Sequence[str], columns: Mapping[str, str]) -> dict[str, str]:
    identity = {role: columns[role] for role in _IDENTITY if role in columns}
    for role in _IDENTITY:
        untaken = [name for name in names if name not in {*columns.values(), *identity.values()}]
        column = None if role in identity else find_column(untaken, role, where=_WHERE)
        if column is not None:
            identity[role] = column
    return identity


def _find_grades(names: Sequence[str], taken: set[str]) -> tuple[dict[str, str], str | None]:
    """Return the grade columns by rater, and the column of the final grade."""
    parts = (*_OTHERS, *_IDENTITY)
    known = {name for part in parts for name in names_with(list(names), part)}
    columns: dict[str, str] = {}
    final_column = None
    for name in names:
        if name in taken or name in known:
            continue
        match = next(filter(None, (by_rater.fullmatch(name) for by_rater in _BY_RATER)), None)
        rater = name if match is None else match["rater"]
        if plain_name(rater) in _FINAL:
            final_column = final_column or name
        elif match is not None:
            refuse_several([*([columns[rater]] if rater in columns else []), name], None, _WHERE)
            columns[rater] = name
    return columns, final_column


def _plain_grade(names: Sequence[str], taken: set[str]) -> str | None:
    """Return the remaining grade column, which is the final grade if raters have columns."""
    grades = names_with([name for name in names if name not in taken], "grade")
    return next((name for name in grades if plain_name(name) != "score"), None)
