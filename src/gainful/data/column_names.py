"""Find columns and fields by the kernel's names."""

from __future__ import annotations

from gainful._kernel import names_of, names_with, plain_name
from gainful.data.columns import repeated
from gainful.errors import ColumnError
from gainful.quoting import names_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "find_column",
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

    Parameters
    ----------
    names : sequence of str
        The columns.
    part : str
        A part that the kernel knows, such as ``"query_id"`` or ``"document.title"``.
    file, where : str, optional
        The place, for messages.

    Raises
    ------
    ColumnError
        If several columns have this name.

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
    """Refuse several columns of one name.

    Raises
    ------
    ColumnError
        If there is more than one.
    """
    if len(names) > 1:
        raise ColumnError(
            f"several columns called {', '.join(map(repr, dict.fromkeys(names)))}",
            file=file,
            where=where,
            hint="rename or leave out all but one",
        )


def refuse_repeated(names: Sequence[str], file: str | None) -> None:
    """Refuse columns of one name in a table of which all columns are kept.

    Raises
    ------
    ColumnError
        If a name occurs several times.
    """
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
