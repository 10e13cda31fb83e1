"""A DataFrame of Spark as a table of judgments or of runs."""

from __future__ import annotations

from gainful.data.addresses import without_credentials

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pyspark.sql import DataFrame

__all__ = ["Frame", "first_line", "quoted"]


def quoted(name: str) -> str:
    """Quote the name of a column for Spark SQL.

    >>> quoted("a `strange` name")
    '`a ``strange`` name`'
    """
    return f"`{name.replace('`', '``')}`"


class Frame:
    """A DataFrame.

    Parameters
    ----------
    table : DataFrame
        The rows.
    instead : str, optional
        Why it replaces an address.
    """

    def __init__(self, table: DataFrame, instead: str | None = None) -> None:
        self._table = table
        self.types: dict[str, str] = dict(table.dtypes)
        self.instead = instead

    def frame(self) -> DataFrame:
        """Return the rows as a Spark DataFrame."""
        return self._table

    def distinct(self, column: str, kind: str, most: int) -> list[Any]:
        """Return at most `most` values of a column; runs a Spark job.

        Parameters
        ----------
        column : str
            Its name.
        kind : {"double", "binary"}
            Numbers, or texts as bytes.
        most : int
            The maximum number of values.
        """
        text = "string" if kind == "binary" else kind
        asked = f"CAST(CAST({quoted(column)} AS {text}) AS {kind}) AS value"
        found = self._table.selectExpr(asked).distinct().limit(most).collect()
        return [row[0] for row in found]


def first_line(error: BaseException) -> str:
    """Return the first line of a Spark error's message, without credentials."""
    # Py4J's own message says only which call failed.
    raised = getattr(error, "java_exception", None)
    lines = (str(error) if raised is None else raised.toString()).strip().splitlines()
    return without_credentials(lines[0] if lines else type(error).__name__)[:300]
