"""What the dialects of SQL write differently."""

from __future__ import annotations

from difflib import get_close_matches

from gainful.errors import ParameterError


class Dialect:
    """One dialect.

    Attributes
    ----------
    name, title : str
        As it is asked for, and as its makers write it.
    text, double, single : str
        Its types of text and of floating-point numbers of 64 and 32 bits.
    longest_name : int or None
        Bytes of the longest name of a column; longer ones it cuts.
    escape : str
        What takes its meaning from the next character of a text.
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
        """Return a name of a table or column as an identifier that means this name alone."""
        mark = self.quotes
        return f"{mark}{name.replace(mark, mark * 2)}{mark}"

    def parts(self, table: str) -> list[str]:
        """Return the parts of the name of a table, the schema before it if there is one."""
        return table.split(".")

    def id(self, column: str) -> str:
        """Return a column of ids as text that is compared byte by byte."""
        return f"CAST({column} AS {self.text}){self.collation}"

    def as_double(self, expression: str) -> str:
        """Return an expression as a 64-bit number."""
        return f"CAST({expression} AS {self.double})"

    def number(self, value: float) -> str:
        """Return a number as a literal that is a 64-bit number."""
        written = repr(float(value))
        return written if "e" in written else f"{written}e0"

    def nan(self) -> str:
        """Return the literal that is not a number."""
        return f"CAST('NaN' AS {self.double})"

    def log2(self, expression: str) -> str:
        """Return a binary logarithm."""
        return f"log2({expression})"

    def literal(self, text: str) -> str:
        """Return a text as a literal."""
        return "'" + text.replace("'", "''") + "'"

    def fail(self, message: str, kind: str) -> str:
        """Return an expression of a type that has no value: it ends the query with a message."""
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
        """Return the name of a file as it is: DuckDB reads it as a table."""
        return [table] if table.endswith(".parquet") else super().parts(table)

    def fail(self, message: str, kind: str) -> str:
        """Call the function that fails."""
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
        """Return a literal with its type: a bare one would be a decimal number."""
        written = repr(float(value))
        return f"{written}::float8" if value >= 0 else f"({written}::float8)"

    def log2(self, expression: str) -> str:
        """Return a quotient of natural logarithms; log(2, x) is there for decimal numbers alone."""
        return f"(ln({expression}) / ln(2::float8))"

    def fail(self, message: str, kind: str) -> str:
        """Take the message for what it is not: there is no function that fails."""
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
        """Return a literal with its type: a bare one may be a decimal number."""
        return f"{float(value)!r}D"

    def literal(self, text: str) -> str:
        """Return a text as a literal, in which a backslash would begin an escape."""
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def fail(self, message: str, kind: str) -> str:
        """Call the function that fails."""
        return f"CAST(raise_error({message}) AS {kind})"


#: By the name that they are asked for.
DIALECTS: dict[str, Dialect] = {each.name: each for each in (DuckDB(), Postgres(), Spark())}


def dialect_of(name: str) -> Dialect:
    """Return a dialect by its name.

    Raises
    ------
    ParameterError
        If there is none of the name; the message lists those that there are.
    """
    if name in DIALECTS:
        return DIALECTS[name]
    close = get_close_matches(str(name).lower(), DIALECTS, n=1)
    if str(name).lower() in ("postgresql", "pg", "redshift"):
        close = ["postgres"]
    raise ParameterError(
        where="dialect",
        found=repr(name),
        expected=f"one of {', '.join(DIALECTS)}",
        hint=f"did you mean {close[0]!r}?" if close else None,
    )
