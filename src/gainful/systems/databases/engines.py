"""The databases that can be searched: SQLite, PostgreSQL and DuckDB."""

from __future__ import annotations

import os
import sqlite3
from functools import lru_cache
from hashlib import sha256
from json import dumps
from pathlib import Path
from threading import Lock, Timer
from time import monotonic

from gainful.errors import ParameterError, SearchError, SourceError, SourceNotFoundError
from gainful.packages import load_package
from gainful.systems.databases.system import no_rows
from gainful.systems.masking import masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from gainful.systems.databases.system import SqlCommand

__all__ = ["MEMORY", "DuckDB", "PostgreSQL", "SQLite", "file_identity", "literal_password"]


#: The path of an empty database in memory.
MEMORY = ":memory:"

#: Files up to this size are identified by content, larger ones by size and time.
LARGEST = 256 * 2**20

_PIECE = 2**20


def database_identity(path: str, called: str, log: str) -> dict[str, Any]:
    """Return the identity of a database in a file or in memory."""
    if path == MEMORY:
        return {"database": MEMORY}
    if not os.path.exists(path):
        raise SourceNotFoundError(file=path, found="no such file")
    return {"database": file_identity(path, called or path, log)}


def file_identity(path: str, called: str, log: str) -> Mapping[str, str]:
    """Return the identity and state of a file."""
    log_path = path + log
    try:
        if os.path.exists(log_path) and os.path.getsize(log_path):
            return {"file": called, "state": "written to meanwhile"}
        status = os.stat(path)
        if status.st_size > LARGEST:
            state = f"{status.st_size} bytes, changed at {status.st_mtime_ns} ns"
        else:
            state = _digest(os.path.abspath(path), status.st_size, status.st_mtime_ns)
    except OSError as error:
        raise SourceError(f"cannot read the file ({error.strerror or error})", file=path) from error
    return {"file": called, "state": state}


# All points of a sweep use the same file, so cache its digest.
@lru_cache(maxsize=16)
def _digest(path: str, size: int, changed: int) -> str:
    digest = sha256()
    with open(path, "rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return f"sha256:{digest.hexdigest()}"


#: The timeout is checked once in this many virtual machine instructions.
_INSTRUCTIONS = 10_000

# UnicodeEncodeError: a text that is not valid Unicode. OverflowError: a number over 64 bits.
_OWN = (sqlite3.Error, sqlite3.Warning, UnicodeEncodeError, OverflowError)

_TRANSIENT = {"SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_SCHEMA", "SQLITE_PROTOCOL"}


class SQLite:
    """A file opened read-only, as are files that the setup attaches.

    Parameters
    ----------
    database : str or path
        The file. ``:memory:`` is an empty database per connection.
    timeout : float
        Seconds per statement, including waits for locks.
    called : str, optional
        The path as written in the description, which does not depend on the working directory.

    Raises
    ------
    SourceNotFoundError
        If the file does not exist.
    """

    marks: Literal["question"] = "question"
    brackets = True

    def __init__(self, database: str | os.PathLike[str], timeout: float, called: str = "") -> None:
        self.path = os.fspath(database)
        self.timeout = timeout
        self.identity = database_identity(self.path, called, "-wal")

    def connect(self, setup: Sequence[SqlCommand]) -> Reader:
        """Open the file for reading."""
        return Reader(self.path, self.timeout, setup)

    def ask(self, connection: Reader, command: SqlCommand, k: int) -> tuple[list[str], list[Any]]:
        """Return the columns and the first rows."""
        cursor = connection.execute(command)
        if cursor.description is None:
            raise no_rows()
        try:
            return [column[0] for column in cursor.description], cursor.fetchmany(k)
        finally:
            # An open cursor would keep its read lock.
            cursor.close()

    def usable(self, connection: Reader) -> bool:
        """Return whether the connection was not cancelled."""
        return not connection.ended

    def cancel(self, connection: Reader) -> None:
        """Cancel the statement."""
        connection.ended = True
        connection.database.interrupt()

    def close(self, connection: Reader) -> None:
        """Close the file."""
        connection.database.close()

    def end(self) -> None:
        """Do nothing."""

    def failure(self, error: Exception) -> SearchError | None:
        """Convert an error."""
        if not isinstance(error, _OWN):
            return None
        code = getattr(error, "sqlite_errorname", "").split("_")
        kind = "_".join(code[:2])
        if kind == "SQLITE_INTERRUPT":
            return SearchError(
                f"no answer within {self.timeout:g} s", where="SQLite", transient=True
            )
        hint = None
        if kind == "SQLITE_AUTH":
            hint = "attach files read-only: attach 'file:NAME?mode=ro' as other"
        return SearchError(str(error), where="SQLite", transient=kind in _TRANSIENT, hint=hint)


class Reader:
    """A connection with a timeout for statements."""

    def __init__(self, path: str, timeout: float, setup: Sequence[SqlCommand]) -> None:
        self.ended = False
        self.timeout = timeout
        self.deadline = 0.0
        target = path
        if path != MEMORY:
            target = _address(path)
        # Each is used by one thread at a time, but not always the same one.
        self.database = sqlite3.connect(
            target,
            uri=True,
            timeout=timeout,
            check_same_thread=False,
            isolation_level=None,
        )
        self.database.set_progress_handler(self._late, _INSTRUCTIONS)
        self.database.set_authorizer(_allowed)
        try:
            for command in setup:
                self.execute(command).fetchall()
            self.database.execute("PRAGMA query_only = 1")
        except BaseException:
            self.database.close()
            raise

    def execute(self, command: SqlCommand) -> sqlite3.Cursor:
        """Run a statement, starting the timeout."""
        self.deadline = monotonic() + self.timeout
        return self.database.execute(
            command.text, [_sqlite_bound(value) for value in command.values]
        )

    def _late(self) -> bool:
        return self.ended or monotonic() > self.deadline


def _allowed(action: int, file: str | None, *others: object) -> int:
    """Refuse to attach writable files, which `vacuum into` does, too."""
    if action == sqlite3.SQLITE_ATTACH and file not in ("", MEMORY):
        name, _, options = (file or "").partition("?")
        if not name.startswith("file:") or options != "mode=ro":
            return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _address(path: str) -> str:
    return Path(path).absolute().as_uri() + "?mode=ro"


def _sqlite_bound(value: Any) -> Any:
    """Convert a value for SQLite: lists and tables become JSON."""
    if value is None or isinstance(value, (str, int, float, bytes)):
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    return value if isinstance(value, (int, float)) else dumps(value)


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

    def connect(self, setup: Sequence[SqlCommand]) -> Any:
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

    def _run(self, connection: Any, command: SqlCommand) -> Any:
        values = [_postgres_bound(value) for value in command.values]
        return connection.execute(command.text, values)

    def ask(self, connection: Any, command: SqlCommand, k: int) -> tuple[list[str], list[Any]]:
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
    return "@" in elsewhere or not all(part.isdecimal() for part in port.split(","))


def _postgres_bound(value: Any) -> Any:
    """Convert a value so that psycopg sends the type that SQL expects."""
    from psycopg.types.numeric import Int4

    if hasattr(value, "tolist"):
        value = value.tolist()
    # psycopg would send a small number as smallint, in which sums overflow early.
    if isinstance(value, int) and not isinstance(value, bool) and -_INT4 <= value < _INT4:
        return Int4(value)
    return dumps(value) if isinstance(value, dict) else value


#: Statements that neither write a file nor run another statement, by DuckDB's names.
_ALLOWED = {
    "SELECT", "SET", "CREATE", "INSERT", "UPDATE", "DELETE", "MERGE_INTO", "ALTER", "DROP",
    "VACUUM", "TRANSACTION", "PRAGMA", "MULTI",
}  # fmt: skip
#: Names of databases that DuckDB itself uses.
_RESERVED = ("memory", "system", "temp")


class DuckDB:
    """A file attached read-only, or a database in memory whose tables the setup creates.

    Statements can access no other file than the declared ones, and cannot change the configuration.

    Parameters
    ----------
    database : str or path
        The file. ``:memory:`` is an empty database that all connections share.
    timeout : float
        Seconds per statement.
    called : str, optional
        The path as written in the description, which does not depend on the working directory.
    files : mapping of str to str
        Declared files by the names of their views.
    extensions : sequence of str
        Installed extensions to load.

    Raises
    ------
    GainfulError
        If DuckDB is not installed.
    SourceNotFoundError
        If the file does not exist.
    """

    marks: Literal["question"] = "question"
    brackets = False

    def __init__(
        self,
        database: str | os.PathLike[str],
        timeout: float,
        called: str = "",
        *,
        files: Mapping[str, str] | None = None,
        extensions: Sequence[str] = (),
    ) -> None:
        self._duckdb = load_package("duckdb", where='engine = "duckdb"')
        self.path = os.fspath(database)
        self.timeout = timeout
        self._files = {name: os.path.abspath(file) for name, file in (files or {}).items()}
        self._extensions = extensions
        self.identity = database_identity(self.path, called, ".wal")
        if files:
            self.identity["files"] = {
                name: database_identity(file, name, ".wal")["database"]
                for name, file in files.items()
            }
        self._opening = Lock()
        self._root: Any = None

    def connect(self, setup: Sequence[SqlCommand]) -> Any:
        """Return another connection to this process's database."""
        # One at a time: concurrent setups of the same table would conflict.
        with self._opening:
            if self._root is None:
                self._root = self._open()
            connection = self._root.cursor()
            try:
                if self.path != MEMORY:
                    connection.execute(f"use {_name(_catalog(self.path))}")
                for name, file in self._files.items():
                    connection.execute(f"create temp view {_name(name)} as from {_text(file)}")
                for command in setup:
                    self._run(connection, command)
            except BaseException:
                connection.close()
                raise
        return connection

    def _open(self) -> Any:
        # Another connection of this process to the file would share the locked configuration.
        root = self._duckdb.connect(MEMORY)
        for extension in self._extensions:
            root.load_extension(extension)
        if self.path != MEMORY:
            catalog = _name(_catalog(self.path))
            root.execute(f"attach {_text(self.path)} as {catalog} (type duckdb, read_only)")
        files = ", ".join(map(_text, self._files.values()))
        root.execute(f"set allowed_paths = [{files}]")
        root.execute("set enable_external_access = false")
        root.execute("set lock_configuration = true")
        return root

    def _run(self, connection: Any, command: SqlCommand) -> Any:
        for statement in self._duckdb.extract_statements(command.text):
            if statement.type.name not in _ALLOWED:
                raise SearchError(
                    f"{statement.type.name} statements are not allowed",
                    where="DuckDB",
                    hint="declare files with [files] NAME = PATH, and read them as tables",
                )
        return connection.execute(command.text, [_duckdb_bound(value) for value in command.values])

    def ask(self, connection: Any, command: SqlCommand, k: int) -> tuple[list[str], list[Any]]:
        """Return the columns and the first rows."""
        late = Timer(self.timeout, connection.interrupt)
        late.daemon = True
        late.start()
        try:
            done = self._run(connection, command)
            if not done.description:
                raise no_rows()
            return [column[0] for column in done.description], done.fetchmany(k)
        finally:
            late.cancel()

    def usable(self, connection: Any) -> bool:
        """Return True."""
        return True

    def cancel(self, connection: Any) -> None:
        """Cancel the statement."""
        connection.interrupt()

    def close(self, connection: Any) -> None:
        """Close the connection."""
        connection.close()

    def end(self) -> None:
        """Close the file."""
        # DuckDB closes it with the last connection, which may still be in use.
        with self._opening:
            self._root = None

    def failure(self, error: Exception) -> SearchError | None:
        """Convert an error."""
        if isinstance(error, self._duckdb.InterruptException):
            return SearchError(
                f"no answer within {self.timeout:g} s", where="DuckDB", transient=True
            )
        if not isinstance(error, (self._duckdb.Error, UnicodeEncodeError)):
            return None
        transient = isinstance(error, self._duckdb.TransactionException) or (
            isinstance(error, self._duckdb.IOException) and "lock on file" in str(error)
        )
        return SearchError(str(error), where="DuckDB", transient=transient)


def _catalog(path: str) -> str:
    """Return the name of an attached file, as DuckDB chooses it."""
    stem = os.path.splitext(os.path.basename(path))[0]
    return f"{stem}_db" if stem.lower() in _RESERVED else stem


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _duckdb_bound(value: Any) -> Any:
    """Convert a value for DuckDB; arrays become lists of numbers."""
    return value.tolist() if hasattr(value, "tolist") else value
