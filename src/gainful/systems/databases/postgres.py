"""The driver for PostgreSQL, using psycopg: full text, pgvector and other SQL."""

from __future__ import annotations

from json import dumps

from gainful.errors import ParameterError, SearchError
from gainful.extras import load_package
from gainful.systems.databases.system import no_rows
from gainful.systems.masking import masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

    from gainful.systems.databases.driver import Command

__all__ = ["PostgreSQL", "literal_password"]

#: The default connection timeout in seconds.
CONNECT_TIMEOUT = 10

# Classes and codes of SQLSTATE after which a retry may help
# (https://www.postgresql.org/docs/current/errcodes-appendix.html).
_TRANSIENT_CLASSES = ("08", "40", "53", "57")
_TRANSIENT_CODES = ("55P03", "58000", "58030")
_CANCELLED = "57014"

# Refused connections have no SQLSTATE, only a message. A retry does not help after these English
# messages.
_REFUSED = (
    "authentication failed",
    "does not exist",
    "no pg_hba.conf entry",
    "no password supplied",
    "is not permitted to log in",
    "could not read certificate",
    "server does not support SSL",
    "certificate verify failed",
)

_INT4 = 1 << 31


class PostgreSQL:
    """A database on a server.

    Parameters
    ----------
    connection : str
        A connection string of libpq: a URL, or words such as ``host=… dbname=…``. If it is empty,
        ``PGHOST`` and the other variables of libpq apply.
    timeout : float
        Seconds per statement.

    Raises
    ------
    GainfulError
        If psycopg is not installed.
    ParameterError
        If the connection string is invalid.
    """

    marks: Literal["dollar"] = "dollar"
    brackets = False

    def __init__(self, connection: str, timeout: float) -> None:
        psycopg = load_package("psycopg", where='engine = "postgres"', extra="search")
        self._psycopg = psycopg
        self.timeout = timeout
        try:
            parts = psycopg.conninfo.conninfo_to_dict(connection)
        except psycopg.Error:
            parts = None
        # No message shows any part of the string.
        if parts is None or ("://" in connection and _mistaken(parts)):
            raise ParameterError(
                "invalid connection string",
                where="connection",
                hint="use postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with special characters "
                "escaped (%40 for @, %3A for :, %2F for /), or host=… dbname=… user=…",
            )
        self._parts: dict[str, Any] = {
            "connect_timeout": CONNECT_TIMEOUT,
            "fallback_application_name": "gainful",
            **parts,
        }
        public = {name: parts[name] for name in ("host", "port", "dbname") if name in parts}
        self.identity = {"database": {name: str(value) for name, value in public.items()}}

    def connect(self, setup: Sequence[Command]) -> Any:
        """Open a connection with read-only transactions."""
        # RawCursor sends values separately from the statement. Statements are not prepared, so that
        # each is planned for its own values, and connection poolers keep no state.
        connection = self._psycopg.connect(
            **self._parts,
            autocommit=True,
            prepare_threshold=None,
            cursor_factory=self._psycopg.RawCursor,
        )
        try:
            milliseconds = max(1, round(self.timeout * 1000))
            connection.execute("SET default_transaction_read_only = on")
            connection.execute(f"SET statement_timeout = {milliseconds}")
            for command in setup:
                self._run(connection, command)
        except BaseException:
            connection.close()
            raise
        return connection

    def _run(self, connection: Any, command: Command) -> Any:
        values = [_bound(value) for value in command.values]
        return connection.execute(command.text, values)

    def ask(self, connection: Any, command: Command, k: int) -> tuple[list[str], list[Any]]:
        """Return the columns and the first rows."""
        cursor = self._run(connection, command)
        if cursor.description is None:
            raise no_rows()
        return [column.name for column in cursor.description], cursor.fetchmany(k)

    def usable(self, connection: Any) -> bool:
        """Return whether the server still has the connection."""
        return not connection.closed

    def cancel(self, connection: Any) -> None:
        """Ask the server to cancel the statement."""
        try:
            connection.cancel_safe(timeout=1.0)
        except self._psycopg.Error:
            pass

    def close(self, connection: Any) -> None:
        """Close the connection."""
        connection.close()

    def end(self) -> None:
        """Do nothing."""

    def failure(self, error: Exception) -> SearchError | None:
        """Convert an error."""
        if isinstance(error, UnicodeEncodeError):
            return SearchError("a text that cannot be encoded in UTF-8", where="PostgreSQL")
        if not isinstance(error, self._psycopg.Error):
            return None
        code = error.sqlstate or ""
        message = " ".join((error.diag.message_primary or str(error)).split())
        secret = [str(self._parts.get(name) or "") for name in ("password", "sslpassword")]
        message = masked(message, secret)
        if code == _CANCELLED:
            return SearchError(
                f"no answer within {self.timeout:g} s ({message})",
                where="PostgreSQL",
                transient=True,
            )
        if code:
            transient = code.startswith(_TRANSIENT_CLASSES) or code in _TRANSIENT_CODES
            return SearchError(
                f"{message} (SQLSTATE {code})",
                where="PostgreSQL",
                transient=transient,
                hint=error.diag.message_hint,
            )
        operational = isinstance(error, self._psycopg.OperationalError)
        transient = operational and not any(words in message for words in _REFUSED)
        return SearchError(message, where="PostgreSQL", transient=transient)


def literal_password(written: str) -> bool:
    """Return whether a connection string contains a password, not ``${NAME}``."""
    from psycopg import Error
    from psycopg.conninfo import conninfo_to_dict

    try:
        parts = conninfo_to_dict(written)
    except Error:
        # The whole string is a variable.
        return False
    passwords = (str(parts.get(name) or "") for name in ("password", "sslpassword"))
    return any(password and "${" not in password for password in passwords)


def _mistaken(parts: dict[str, Any]) -> bool:
    """Return whether an unescaped @ or / in the password split the string wrongly."""
    port = str(parts.get("port") or "1")
    elsewhere = f"{parts.get('host', '')}{parts.get('dbname', '')}"
    return "@" in elsewhere or not all(each.isdecimal() for each in port.split(","))


def _bound(value: Any) -> Any:
    """Convert a value so that psycopg sends the type that SQL expects."""
    from psycopg.types.numeric import Int4

    if hasattr(value, "tolist"):
        value = value.tolist()
    # psycopg would send a small number as smallint, in which sums overflow early.
    if isinstance(value, int) and not isinstance(value, bool) and -_INT4 <= value < _INT4:
        return Int4(value)
    return dumps(value) if isinstance(value, dict) else value
