"""Roles of table columns: Gainful's names and their aliases."""

from __future__ import annotations

from gainful.errors import ArgumentError, ColumnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

#: The names of each column. Gainful writes the first; if a table has several, the first in this
#: order is used. `docno` precedes `docid`, since PyTerrier's `docid` is an internal number, and ids
#: precede `query` and `document`, since these may be texts.
ALIASES: dict[str, tuple[str, ...]] = {
    "query_id": (
        *("query_id", "qid", "queryid", "q_id", "topic_id", "topicid", "query_no", "queryno"),
        *("topic_no", "topicno", "topic", "query", "query_text", "user_id", "userid", "user"),
        *("question", "user_input", "search_query", "search_term"),
    ),
    "doc_id": (
        *("doc_id", "docno", "docid", "document_id", "documentid", "corpus_id", "corpusid"),
        *("passage_id", "passageid", "pid", "did", "product_id", "productid", "item_id", "itemid"),
        *("movie_id", "movieid", "iid", "document", "doc", "passage", "product", "item", "movie"),
    ),
    "grade": (
        *("grade", "relevance", "rel", "label", "rating", "judgment", "judgement"),
        *("relevance_grade", "relevance_label", "relevance_score", "score"),
    ),
    "score": ("score", "similarity", "sim", "relevance_score", "rsv", "prediction"),
    "rank": ("rank", "position", "pos"),
    "subtopic": (
        *("subtopic", "subtopic_id", "subtopicid", "subtopic_no", "subtopicno", "aspect", "intent"),
        *("iteration", "iter", "group"),
    ),
}

#: The names of the column with the system of each row of several runs.
SYSTEMS = ("system", "system_id", "systemid", "run", "run_id", "runid", "model")


#: The required columns of judgments and runs.
NEEDED = {
    "qrels": ("query_id", "doc_id", "grade"),
    "run": ("query_id", "doc_id", "score"),
    "runs": ("query_id", "doc_id", "score"),
    "subtopic qrels": ("query_id", "subtopic", "doc_id", "grade"),
}

#: The columns that a table may have.
OPTIONAL = {"run": ("rank",), "runs": ("rank", "system")}


def normal(name: str) -> str:
    """Return a column's name in the form of the aliases.

    >>> normal("Query-ID"), normal(" corpus id")
    ('query_id', 'corpus_id')
    """
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def repeated(names: Iterable[str]) -> list[str]:
    """Return the names that occur several times, in the order of their first occurrence.

    Examples
    --------
    >>> repeated(["b", "a", "c", "a", "b"])
    ['b', 'a']
    """
    # Without `collections`, whose import takes longer than reading a small file.
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return [name for name, count in counts.items() if count > 1]


def find_columns(
    names: Iterable[str], table: str, columns: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Find the columns of judgments or of a run among the columns of a table.

    Parameters
    ----------
    names : iterable of str
        The names of the table's columns.
    table : {"qrels", "subtopic qrels", "run", "runs"}
        Requires query_id, doc_id and grade, or query_id, doc_id and score; judgments of subtopics
        also require subtopic, and a run may have rank instead of score. Runs may have a system.
    columns : mapping of str to str, optional
        The caller's names, as in ``{"query_id": "session"}``; they take precedence.

    Returns
    -------
    dict of str to str
        The table's name for each role. Includes ``"rank"`` if a run has one; ``"score"`` may then
        be missing.

    Raises
    ------
    ColumnError
        If a column is missing (the message lists the columns and the accepted names), or several
        columns match a required one.

    Examples
    --------
    >>> find_columns(["qid", "docno", "label"], "qrels")
    {'query_id': 'qid', 'doc_id': 'docno', 'grade': 'label'}
    >>> find_columns(["q", "id", "rank"], "run", {"query_id": "q", "doc_id": "id"})
    {'query_id': 'q', 'doc_id': 'id', 'rank': 'rank'}
    """
    present = list(names)
    several = set(repeated(present))
    given = dict(columns or {})
    needed = NEEDED[table]
    known = (*needed, *OPTIONAL.get(table, ()))
    for role, name in given.items():
        if role not in known and not role.startswith("-"):
            raise ArgumentError(where="columns", found=repr(role), expected=", ".join(known))
        if name not in present:
            raise _missing(table, present, {role: (name,)})
    by_name: dict[str, str] = {}
    for name in present:
        by_name.setdefault(normal(name), name)
    found = {}
    taken = set(given.values())
    for role in known:
        if role in given:
            found[role] = given[role]
            continue
        for alias in SYSTEMS if role == "system" else ALIASES[role]:
            if alias in by_name and by_name[alias] not in taken:
                found[role] = by_name[alias]
                taken.add(by_name[alias])
                break
    missing = {role: ALIASES[role] for role in needed if role not in found}
    if "rank" in found:
        missing.pop("score", None)
    if missing:
        raise _missing(table, present, missing)
    twice = [name for name in found.values() if name in several]
    if twice:
        raise _error(
            table, f"several columns called {twice[0]!r}", hint="rename or leave out all but one"
        )
    return found


def _error(table: str, message: str | None = None, **fields: Any) -> ColumnError:
    is_run = table in OPTIONAL
    role, what = ("run", "a run") if is_run else ("judgments", "judgments")
    return ColumnError(message, where=f"the columns of {what}", role=role, **fields)


def _missing(table: str, present: list[str], missing: dict[str, tuple[str, ...]]) -> ColumnError:
    expected = ", ".join(
        role
        if names == (role,)
        else f"{role} ({names[0] if len(names) == 1 else 'or ' + ', '.join(names[1:])})"
        for role, names in missing.items()
    )
    cls = "Run" if table in OPTIONAL else "Qrels"
    if list(missing) == ["score"] and any(normal(name) in _GRADES for name in present):
        hint = "this looks like judgments; put the judgments first, then the runs"
    else:
        given = ", ".join(f'"{role}": NAME' for role in missing)
        which = "column" if len(missing) == 1 else "columns"
        hint = f"name the {which} with gainful.{cls}(data, columns={{{given}}})"
        if "score" in missing:
            hint += "; a ranking without scores needs a column rank"
        elif "doc_id" in missing and table == "qrels":
            question = '"query": NAME, ' if "query_id" in missing else ""
            hint += f', or columns={{{question}"relevant": NAME}} if it has lists of ids'
    return _error(
        table,
        found=_first_names([repr(name) for name in present]) or "no column",
        expected=expected,
        hint=hint,
    )


#: Names of grades that are not those of scores.
_GRADES = frozenset(ALIASES["grade"]) - {*ALIASES["score"], "rank"}


def _first_names(names: Iterable[str]) -> str:
    shown = [name for name, _ in zip(names, range(16), strict=False)]
    return ", ".join(shown)
