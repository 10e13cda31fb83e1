"""Sources of judgments and runs: a DataFrame, or Parquet files by address."""

from __future__ import annotations

from gainful.backends.spark.footers import ParquetFiles
from gainful.backends.spark.frames import Frame, first_line
from gainful.data.paths import as_paths
from gainful.data.remote import RemoteFile
from gainful.errors import ArgumentError, SourceError, SourceNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol

    from pyspark.sql import DataFrame, SparkSession

    class Source(Protocol):
        """The source of a table of judgments or of runs."""

        #: The column names, with Spark's types.
        types: dict[str, str]

        def frame(self) -> DataFrame:
            """Return the rows as a Spark DataFrame."""

        def distinct(self, column: str, kind: str, most: int) -> list[Any]:
            """Return at most `most` values of a column; runs a Spark job."""


__all__ = ["session_for", "source_of"]


def source_of(table: object, what: str, session: SparkSession | None) -> Source:
    """Return the source of a table.

    Parameters
    ----------
    table : DataFrame, path, or list of paths
        The caller's argument.
    what : str
        The table's name in messages.
    session : SparkSession, optional
        The session, required for addresses.

    Raises
    ------
    ArgumentError
        For anything else, and for addresses without a session.
    SourceError
        For addresses that cannot be read.
    """
    if hasattr(table, "mapInArrow"):
        return Frame(table)
    paths = as_paths(table)
    if paths is None:
        raise ArgumentError(
            where=what,
            found=type(table).__name__,
            expected="a Spark DataFrame, or the address of Parquet files",
            hint="use gainful.evaluate for other inputs",
        )
    if session is None:
        raise ArgumentError(
            "an address needs a Spark session",
            where=what,
            hint="set session=SESSION, or activate one",
        )
    try:
        return ParquetFiles(paths, what, session)
    except SourceNotFoundError:
        raise
    except SourceError as error:
        # Spark may support an address that fsspec does not.
        remote = [path for path in paths if isinstance(path, RemoteFile)]
        if len(remote) < len(paths) or not _is_unresolvable(remote):
            raise
        try:
            table = session.read.parquet(*(path._address for path in remote))
            return Frame(table, f"fsspec does not read {what} here ({error.problem})")
        except Exception as refused:
            problem = f"{error.problem}; and Spark does not read it ({first_line(refused)})"
            raise error.replace(message=problem) from None


def _is_unresolvable(paths: Sequence[RemoteFile]) -> bool:
    """Return whether fsspec cannot resolve the address, as opposed to a faulty file."""
    for path in paths:
        try:
            path.place()
        except SourceError:
            return True
    return False


def session_for(session: SparkSession | None, tables: list[object]) -> SparkSession | None:
    """Return the session: the given one, that of a DataFrame, or the active one.

    Raises
    ------
    ArgumentError
        For an argument that is not a session.
    """
    if session is not None:
        if not hasattr(session, "range"):
            raise ArgumentError(
                where="session", found=type(session).__name__, expected="a session of Spark"
            )
        return session
    for table in tables:
        if hasattr(table, "mapInArrow") and hasattr(table, "sparkSession"):
            return table.sparkSession
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        return None
    return SparkSession.getActiveSession()
