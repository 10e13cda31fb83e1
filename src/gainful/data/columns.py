"""Roles of table columns: Gainful's names and their aliases."""

from __future__ import annotations

from gainful import _kernel
from gainful.errors import ArgumentError, ColumnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

#: The roles of offsets: positions in characters, tokens, lines from 0, and lines from 1.
STARTS = ("start", "start_token", "start_line", "first_line")
ENDS = ("end", "end_token", "end_line", "last_line")

#: The roles of columns, whose names the kernel knows.
ROLES = (
    *("query_id", "doc_id", "grade", "score", "rank", "subtopic", "weight"),
    *(role for pair in zip(STARTS, ENDS, strict=True) for role in pair),
    "tokens",
)

#: The roles of columns with lists of documents, of judgments and of runs.
LISTS = ("relevant", "results")

#: The required columns of judgments and runs.
NEEDED = {
    "qrels": ("query_id", "doc_id", "grade"),
    "run": ("query_id", "doc_id", "score"),
    "runs": ("query_id", "doc_id", "score"),
    "subtopic qrels": ("query_id", "subtopic", "doc_id", "grade"),
}


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
    names: Iterable[str],
    table: str,
    columns: Mapping[str, str] | None = None,
    values: Callable[[str], object] | None = None,
    *,
    numbered: bool = True,
    systems: bool = False,
    offsets: str = "refuse",
) -> dict[str, str]:
    """Find the columns of judgments or of a run among the columns of a table.

    Parameters
    ----------
    names : iterable of str
        The names of the table's columns.
    table : {"qrels", "subtopic qrels", "run"}
        Requires query_id and doc_id; judgments of subtopics also require subtopic.
    columns : mapping of str to str, optional
        The caller's names, as in ``{"query_id": "session"}``; they take precedence.
    values : callable, optional
        Takes a name and returns the column, as a list, array or series: its first values decide
        where names do not.
    numbered : bool
        Whether a grade, score or rank is required, too.
    systems : bool
        Whether the column with the system of each row of a run is sought, too.
    offsets : {"refuse", "read", "ignore"}
        What happens to columns with the start and the end of a text in its document.

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
    twice = repeated(present)
    cells = [
        (as_text(name), None if values is None or name in twice else values(name))
        for name in present
    ]
    subtopics = table == "subtopic qrels"
    naming = named(table, columns)
    try:
        found = _kernel.find_columns(
            cells,
            "run" if table == "run" else "qrels",
            naming,
            subtopics,
            numbered,
            offsets == "ignore",
        )
    except ColumnError as error:
        raise error.replace(role="run" if table == "run" else "judgments") from None
    placed = [present[place] for role, place in found if role in (*STARTS, *ENDS)]
    if placed and offsets == "refuse":
        ignored = ",".join(f"-={name}" for name in placed)
        raise ColumnError(
            found=f"offsets in the columns {placed[0]!r} and {placed[1]!r}",
            expected="documents without offsets, which are not read here",
            hint=f"⟪columns={ignored!r}⟫ ignores them",
            role="run" if table == "run" else "judgments",
        )
    return {role: present[place] for role, place in found if systems or role != "system"}


def named(table: str, columns: object) -> list[tuple[str, str]]:
    """Return the caller's names of columns as the kernel takes them.

    Raises
    ------
    ArgumentError
        If they are no mapping, or have a role that the table does not have.
    """
    if columns is None:
        return []
    items = getattr(columns, "items", None)
    if items is None:
        raise ArgumentError(
            where="columns",
            found=repr(columns),
            expected="a mapping of roles to column names, as in {'grade': 'stars'}",
        )
    roles = (*NEEDED[table], "rank")
    others = {"grade", "score"}.difference(roles)
    for role, _ in items():
        is_known = role in (*ROLES, "system", *LISTS) and role not in others
        if not is_known and not role.startswith("-"):
            raise ArgumentError(where="columns", found=repr(role), expected=", ".join(roles))
    return [(role, as_text(name)) for role, name in items()]


def has_lists(names: Iterable[object], columns: Mapping[str, str] | None = None) -> bool:
    """Return whether the columns of a table have a list of documents per row.

    Examples
    --------
    >>> has_lists(["question", "relevant"]), has_lists(["query", "doc_id", "relevant"])
    (True, False)
    """
    return _kernel.has_lists([*map(as_text, names)], list((columns or {}).items()))


def column_names(obj: object) -> Iterable[object] | None:
    """Return the names of a table's columns; None for other objects."""
    names = getattr(obj, "column_names", None) or getattr(obj, "columns", None)
    if names is None or callable(names):
        for part in ("schema", "dtype"):
            names = getattr(getattr(obj, part, None), "names", None)
            if names is not None and not callable(names):
                return names  # type: ignore[no-any-return]
        described = getattr(obj, "description", None) if hasattr(obj, "fetchall") else None
        return [column[0] for column in described] if described else None
    return names  # type: ignore[no-any-return]


def is_listing(record: object, columns: Mapping[str, str] | None) -> bool:
    """Return whether a named tuple has a list of documents."""
    names = getattr(record, "_fields", None)
    if names is None:
        return False
    return has_lists(names, columns) or any(isinstance(part, list) for part in record)  # type: ignore[attr-defined]


def as_text(name: object) -> str:
    """Return a name without lone surrogates, which the kernel does not take."""
    return str(name).encode(errors="replace").decode()
