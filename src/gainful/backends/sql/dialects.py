"""Differences between SQL dialects."""

from __future__ import annotations

from difflib import get_close_matches

from gainful.errors import ParameterError


class Dialect:
    """A SQL dialect.

    Attributes
    ----------
    name, title : str
        Its name as an argument, and its official name.
    text, double, single : str
        Its types for text and for floating-point numbers of 64 and 32 bits.
    longest_name : int or None
        Bytes of the longest column name; longer ones are truncated.
    escape : str
        The escape character in a string.
    """

    name: str
    title: str
    text: str
    double: str
    single: str
    quotes = '"'
    collation = ""
    longest_name: int | None = None
    escape = ""

    def quote(self, name: str) -> str:
        """Quote an identifier."""
        mark = self.quotes
        return f"{mark}{name.replace(mark, mark * 2)}{mark}"

    def parts(self, table: str) -> list[str]:
        """Split a table's name into schema, if given, and name."""
        return table.split(".")

    def id(self, column: str) -> str:
        """Return a column of ids as text that is compared bytewise."""
        return f"CAST({column} AS {self.text}){self.collation}"

    def as_double(self, expression: str) -> str:
        """Cast an expression to a 64-bit float."""
        return f"CAST({expression} AS {self.double})"

    def number(self, value: float) -> str:
        """Return a number as a 64-bit float literal."""
        written = repr(float(value))
        return written if "e" in written else f"{written}e0"

    def nan(self) -> str:
        """Return the literal NaN."""
        return f"CAST('NaN' AS {self.double})"

    def log2(self, expression: str) -> str:
        """Return a binary logarithm."""
        return f"log2({expression})"

    def literal(self, text: str) -> str:
        """Return a string literal."""
        return "'" + text.replace("'", "''") + "'"

    def fail(self, message: str, kind: str) -> str:
        """Return an expression of a type that ends the query with a message."""
        raise NotImplementedError


class DuckDB(Dialect):
    """DuckDB."""

    name = "duckdb"
    title = "DuckDB"
    text = "VARCHAR"
    double = "DOUBLE"
    single = "FLOAT"
    collation = ' COLLATE "C"'

    def parts(self, table: str) -> list[str]:
        """Return file names unchanged: DuckDB reads them as tables."""
        return [table] if table.endswith(".parquet") else super().parts(table)

    def fail(self, message: str, kind: str) -> str:
        """Call the function `error`."""
        return f"CAST(error({message}) AS {kind})"


class Postgres(Dialect):
    """PostgreSQL."""

    name = "postgres"
    title = "PostgreSQL"
    text = "text"
    double = "double precision"
    single = "real"
    collation = ' COLLATE "C"'
    longest_name = 63

    def number(self, value: float) -> str:
        """Return a literal with its type: a bare one would be numeric."""
        written = repr(float(value))
        return f"{written}::float8" if value >= 0 else f"({written}::float8)"

    def log2(self, expression: str) -> str:
        """Return a quotient of natural logarithms; log(2, x) exists only for numeric."""
        return f"(ln({expression}) / ln(2::float8))"

    def fail(self, message: str, kind: str) -> str:
        """Cast the message to a number: PostgreSQL has no function that fails."""
        return f"CAST({message} AS {kind})"


class Spark(Dialect):
    """Spark SQL."""

    name = "spark"
    title = "Spark SQL"
    text = "STRING"
    double = "DOUBLE"
    single = "FLOAT"
    quotes = "`"
    escape = "\\"

    def number(self, value: float) -> str:
        """Return a literal with its type: a bare one may be a decimal."""
        return f"{float(value)!r}D"

    def literal(self, text: str) -> str:
        """Return a string literal with escaped backslashes."""
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def fail(self, message: str, kind: str) -> str:
        """Call the function `raise_error`."""
        return f"CAST(raise_error({message}) AS {kind})"


#: By name.
DIALECTS: dict[str, Dialect] = {each.name: each for each in (DuckDB(), Postgres(), Spark())}


def dialect_of(name: str) -> Dialect:
    """Return a dialect by name.

    Raises
    ------
    ParameterError
        If the name is unknown; the message lists the dialects.
    """
    if name in DIALECTS:
        return DIALECTS[name]
    close = get_close_matches(str(name).lower(), DIALECTS, n=1)
    if str(name).lower() in ("postgresql", "pg", "redshift"):
        close = ["postgres"]
    raise ParameterError(
        f"unknown dialect {name!r}, expected one of {', '.join(DIALECTS)}",
        where="dialect",
        hint=f"did you mean {close[0]!r}?" if close else None,
    )
