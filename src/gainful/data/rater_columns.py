"""Layouts of label tables: one row per label, or one column per rater."""

from __future__ import annotations

from dataclasses import dataclass
from re import compile as pattern

from gainful.data.columns import ALIASES, find_columns, normal
from gainful.errors import ArgumentError, ColumnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Layout", "detect_layout"]

#: Aliases of the columns that identify the rater of a row.
RATER_ALIASES: dict[str, tuple[str, ...]] = {
    "rater": (
        *("rater", "rater_id", "rater_name", "annotator", "annotator_id", "assessor"),
        *("assessor_id", "judge", "judge_id", "judged_by", "rated_by", "labeled_by", "labelled_by"),
        *("labeler", "labeller", "worker", "worker_id", "reviewer", "reviewer_id", "coder"),
        *("evaluator", "evaluator_id", "expert"),
    ),
    "source": (
        *("source", "source_type", "label_source", "rater_type", "rater_kind", "annotator_type"),
        *("judge_type", "provenance", "origin"),
    ),
    "model": ("model", "model_name", "judge_model", "llm", "llm_model"),
    "version": ("version", "model_version", "judge_version", "llm_version"),
}

_GRADE = r"(?:grade|relevance|rel|label|rating|judge?ment|vote)"
_PERSON = r"(?:rater|annotator|assessor|judge|agent|worker|labell?er|reviewer|coder|expert)"
#: Names of grade columns, one per rater: agent_1_rating, grade_ana, rater_2, judge_b.
_BY_RATER = (
    pattern(rf"(?P<rater>.+)_{_GRADE}"),
    pattern(rf"{_GRADE}_(?P<rater>.+)"),
    pattern(rf"(?P<rater>{_PERSON}_?(?:\d+|[a-z]))"),
)
#: Words in the names of grade columns that mark the final grade instead of a rater.
_FINAL = frozenset(
    ("final", "gold", "golden", "adjudicated", "consensus", "majority", "agreed", "resolved")
)


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a label table.

    Attributes
    ----------
    query, document : str
        The columns of their ids.
    grade : str or None
        The column of the grade, if each row is one label.
    who : dict of str to str
        The columns that identify the rater, by role.
    raters : dict of str to str
        The grade column of each rater, if a row has several labels.
    final : str or None
        The column of the final grade.
    """

    query: str
    document: str
    grade: str | None
    who: dict[str, str]
    raters: dict[str, str]
    final: str | None


def detect_layout(
    names: Sequence[str],
    columns: Mapping[str, str],
    raters: Sequence[str] | None,
    final: str | None,
) -> Layout | None:
    """Detect the columns of labels and raters; ``None`` if there is no rater.

    Parameters
    ----------
    names : sequence of str
        The columns of the table.
    columns : mapping of str to str
        The caller's names: query_id, doc_id, grade, rater, source, model, version.
    raters : sequence of str or None
        The caller's grade columns, one per rater.
    final : str or None
        The caller's column of the final grade.

    Raises
    ------
    ColumnError
        If a given column is missing.
    ArgumentError
        For an unknown role in `columns`.

    Examples
    --------
    >>> names = ["query", "docid", "agent_1_rating", "agent_2_rating", "final_rating"]
    >>> layout = detect_layout(names, {}, None, None)
    >>> layout.raters, layout.final
    ({'agent_1': 'agent_1_rating', 'agent_2': 'agent_2_rating'}, 'final_rating')
    >>> detect_layout(["query_id", "doc_id", "annotator", "grade"], {}, None, None).who
    {'rater': 'annotator'}
    >>> detect_layout(["query_id", "doc_id", "grade"], {}, None, None) is None
    True
    """
    _check(names, columns, raters, final)
    ids = {role: columns[role] for role in ("query_id", "doc_id", "grade") if role in columns}
    who = _find_identity(names, columns)
    by_rater = {} if raters is None else {name: name for name in raters}
    final_column = final if final in names else None
    if "rater" not in who or by_rater:
        named, found = _find_grades(names, {*who.values(), *ids.values(), *by_rater})
        final_column = final_column or found
        by_rater = by_rater or named
        by_rater = {name: column for name, column in by_rater.items() if column != final_column}
        if raters is None and len(by_rater) + (final_column is not None) < 2:
            by_rater = {}
    if not by_rater and not who and raters is None and _is_book(names):
        by_rater = {name: name for name in names[2:]}
    if by_rater:
        needed = find_columns([*names, _ANY], "qrels", {**ids, "grade": _ANY})
        if final_column is None:
            final_column = _plain_grade(
                names, {*by_rater.values(), *who.values(), *needed.values()}
            )
        return Layout(needed["query_id"], needed["doc_id"], None, who, by_rater, final_column)
    if not who:
        return None
    needed = find_columns([name for name in names if name not in who.values()], "qrels", ids)
    return Layout(needed["query_id"], needed["doc_id"], needed["grade"], who, {}, None)


def _is_book(names: Sequence[str]) -> bool:
    """Return whether the columns are those of a Quepid book: query, docid, and names of people.

    Examples
    --------
    >>> _is_book(["query", "docid", "Ana Lee", "ben@example.com"]), _is_book(["query", "docid"])
    (True, False)
    """
    plain = [normal(name) for name in names]
    if plain[:2] != ["query", "docid"] or len(names) == 2:
        return False
    known = {alias for aliases in ALIASES.values() for alias in aliases}
    if known & set(plain[2:]):
        return False
    twice = [name for at, name in enumerate(names) if name in names[:at]]
    if twice:
        raise _missing(names, f"one column per rater, but {twice[0]!r} occurs twice")
    return True


#: A placeholder for the grade while the ids are looked up.
_ANY = "\0"


def _check(
    names: Sequence[str],
    columns: Mapping[str, str],
    raters: Sequence[str] | None,
    final: str | None,
) -> None:
    roles = ("query_id", "doc_id", "grade", *RATER_ALIASES)
    for role, name in columns.items():
        if role not in roles:
            raise ArgumentError(where="columns", found=repr(role), expected=", ".join(roles))
        if name not in names:
            raise _missing(names, f"{name!r}, for {role}")
    for name in raters or ():
        if name not in names:
            raise _missing(names, f"{name!r}, for a rater's grades")


def _missing(names: Sequence[str], what: str) -> ColumnError:
    return ColumnError(
        where="the columns of the labels",
        found=", ".join(map(repr, names[:16])) or "no column",
        expected=what,
    )


def _find_identity(names: Sequence[str], columns: Mapping[str, str]) -> dict[str, str]:
    taken = set(columns.values())
    by_name: dict[str, str] = {}
    for name in names:
        by_name.setdefault(normal(name), name)
    found = {role: columns[role] for role in RATER_ALIASES if role in columns}
    for role, aliases in RATER_ALIASES.items():
        for alias in aliases:
            if role not in found and alias in by_name and by_name[alias] not in taken:
                found[role] = by_name[alias]
                taken.add(by_name[alias])
    return found


def _find_grades(names: Sequence[str], taken: set[str]) -> tuple[dict[str, str], str | None]:
    """Return the grade columns by rater, and the column of the final grade."""
    known = {alias for aliases in (*ALIASES.values(), *RATER_ALIASES.values()) for alias in aliases}
    found: dict[str, str] = {}
    final_column = None
    for name in names:
        plain = normal(name)
        if name in taken or plain in known:
            continue
        for each in _BY_RATER:
            match = each.fullmatch(plain)
            if match:
                rater = match["rater"]
                if rater in _FINAL:
                    final_column = final_column or name
                else:
                    found.setdefault(rater, name)
                break
        else:
            if plain in _FINAL:
                final_column = final_column or name
    return found, final_column


def _plain_grade(names: Sequence[str], taken: set[str]) -> str | None:
    """Return the remaining grade column, which is the final grade if raters have columns."""
    for alias in ALIASES["grade"]:
        for name in names:
            if normal(name) == alias and name not in taken and alias != "score":
                return name
    return None
