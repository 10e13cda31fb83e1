"""Differences between SQL dialects."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.conventions import Convention


class Dialect:
    """A SQL dialect.

    Attributes
    ----------
    name, title : str
        Its name as an argument, and its official name.
    text, double, single : str
        Its types for text and for floating-point numbers of 64 and 32 bits.
    run_in : str
        The database that the tests execute its queries in; empty if there is none.
    remark : str
        What a user has to know, for the documentation.
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
    run_in: str
    remark = ""
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

    def as_single(self, expression: str) -> str:
        """Cast an expression to a 32-bit float."""
        return f"CAST({expression} AS {self.single})"

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

    def shown(self, identifier: str) -> str:
        """Return an id as text for people."""
        return identifier

    def flag(self, condition: str) -> str:
        """Return a condition as a column."""
        return condition

    def tie_key(self, number: str) -> str:
        """Return a number as the key of a partition."""
        return number

    def column(self, name: str) -> str:
        """Return the name of a column of the result."""
        return name

    def check(self, convention: Convention) -> None:
        """Refuse policies that the dialect cannot express."""

    def written(self, query: str) -> str:
        """Return the query, without its comments, as the database reads it."""
        return query


class DuckDB(Dialect):
    """DuckDB."""

    name = "duckdb"
    title = "DuckDB"
    run_in = "DuckDB 2.0"
    remark = "A table can be a Parquet file."
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
    run_in = "PostgreSQL 15"
    remark = "Column names have at most 63 bytes."
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
    run_in = "Spark 4.3, with and without ANSI mode"
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


#: Those that need no translation.
NATIVE = (DuckDB(), Postgres(), Spark())
