"""The SQL dialects by name."""

from __future__ import annotations

from difflib import get_close_matches

from gainful.backends.sql.dialects import NATIVE
from gainful.backends.sql.warehouses import WAREHOUSES
from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.backends.sql.dialects import Dialect

#: By name.
DIALECTS: dict[str, Dialect] = {each.name: each for each in (*NATIVE, *WAREHOUSES)}

#: Other names of dialects, for hints.
_ALIASES = {
    "postgresql": "postgres",
    "pg": "postgres",
    "mariadb": "mysql",
    "sqlserver": "tsql",
    "mssql": "tsql",
    "presto": "trino",
    "athena": "trino",
}


def dialect_of(name: str) -> Dialect:
    """Return a dialect by name.

    Raises
    ------
    ParameterError
        If the name is unknown; the message lists the dialects.
    """
    if name in DIALECTS:
        return DIALECTS[name]
    known = {**{each: each for each in DIALECTS}, **_ALIASES}
    close = [known[each] for each in get_close_matches(str(name).lower(), known, n=1)]
    raise ParameterError(
        f"unknown dialect {name!r}, expected one of {', '.join(DIALECTS)}",
        where="dialect",
        hint=f"did you mean {close[0]!r}?" if close else None,
    )
