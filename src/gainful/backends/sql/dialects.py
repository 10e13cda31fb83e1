"""Dialects of SQL, and the warehouses that speak them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

from gainful.errors import ConventionError, ParameterError
from gainful.packages import load_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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


class DuckDBDialect(Dialect):
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
NATIVE = (DuckDBDialect(), Postgres(), Spark())


#: How the names of calls begin that templates replace.
_MACRO = "gainful_"


@dataclass(frozen=True, kw_only=True)
class Warehouse(DuckDBDialect):
    """A dialect that sqlglot writes.

    Templates are in the dialect's own SQL; ``{0}`` is the argument. Where one is empty, sqlglot's
    translation is right.

    Attributes
    ----------
    name, title : str
        The name of the dialect, which is sqlglot's, and the official name.
    run_in : str
        The program that the tests run the queries in; empty if they are transpiled, not run.
    id_as : str
        An id as text that is compared by bytes.
    id_shown : str
        Such an id as text for people, in the result and in messages.
    fails : str
        A number that ends the query with a message.
    number_as, double_as : str
        A literal and an expression as a 64-bit float.
    single_as : str or None
        An expression as a 32-bit float; None if the dialect has none.
    nan_as : str or None
        NaN; None if the dialect has none.
    log2_as : str
        A binary logarithm.
    flag_as : str
        A condition as a column.
    tie_key_as : str
        A 64-bit float as the key of a partition.
    names_windows : bool
        Whether windows can have names.
    forbidden : str
        A regular expression for what a column name cannot have; ``_`` replaces it.
    ending : str
        What follows the query.
    remark : str
        What a user has to know, for the documentation.
    """

    name: str
    title: str
    id_as: str
    fails: str
    run_in: str = ""
    id_shown: str = ""
    number_as: str = "{0}"
    double_as: str = ""
    single_as: str | None = ""
    nan_as: str | None = "CAST('NaN' AS DOUBLE)"
    log2_as: str = ""
    flag_as: str = ""
    tie_key_as: str = ""
    names_windows: bool = True
    forbidden: str = ""
    longest_name: int | None = None
    ending: str = ""
    remark: str = ""

    def parts(self, table: str) -> list[str]:
        """Split a table's name; files are DuckDB's alone."""
        return Dialect.parts(self, table)

    def id(self, column: str) -> str:
        """Return a column of ids as text that is compared bytewise."""
        return _call("id_as", column)

    def shown(self, identifier: str) -> str:
        """Return an id as text for people."""
        return _call("id_shown", identifier) if self.id_shown else identifier

    def as_double(self, expression: str) -> str:
        """Cast an expression to a 64-bit float."""
        return _call("double_as", expression) if self.double_as else super().as_double(expression)

    def as_single(self, expression: str) -> str:
        """Cast an expression to a 32-bit float."""
        return _call("single_as", expression) if self.single_as else super().as_single(expression)

    def log2(self, expression: str) -> str:
        """Return a binary logarithm."""
        return _call("log2_as", expression) if self.log2_as else super().log2(expression)

    def flag(self, condition: str) -> str:
        """Return a condition as a column."""
        return _call("flag_as", condition) if self.flag_as else condition

    def tie_key(self, number: str) -> str:
        """Return a number as the key of a partition."""
        return _call("tie_key_as", number) if self.tie_key_as else number

    def nan(self) -> str:
        """Return NaN."""
        return _call("nan_as", "0")

    def fail(self, message: str, kind: str) -> str:
        """Return an expression that ends the query with a message."""
        return f"CAST({_call('fails', message)} AS {kind})"

    def column(self, name: str) -> str:
        """Return the name of a column, without the characters that are forbidden."""
        return re.sub(self.forbidden, "_", name).strip("_") if self.forbidden else name

    def check(self, convention: Convention) -> None:
        """Refuse policies that need numbers that the dialect does not have."""
        if convention.precision == "float32" and self.single_as is None:
            self._refuse("precision=float32", "there are no 32-bit numbers")
        # NaN alone differs from itself.
        if convention.no_relevant != convention.no_relevant and self.nan_as is None:
            self._refuse("no_relevant=nan", "numbers cannot be NaN")

    def _refuse(self, policy: str, why: str) -> None:
        raise ConventionError(f"{policy} is not available in {self.title}: {why}", where="sql")

    def written(self, query: str) -> str:
        """Translate a query from DuckDB's SQL."""
        glot = load_package("sqlglot", where="sql", extra="warehouses")
        tree = glot.parse_one(query, read="duckdb")
        target = glot.Dialect.get_or_raise(self.name)
        if not self.names_windows:
            for select in tree.find_all(glot.exp.Select):
                glot.transforms.eliminate_window_clause(select)
        _keep_own(glot, tree, target)
        for literal in reversed(list(tree.find_all(glot.exp.Literal))):
            if not literal.is_string and "e" in literal.this.lower():
                literal.set("this", self.number_as.format(literal.this))
        # From the innermost call outwards.
        for literal in reversed(list(tree.find_all(glot.exp.Anonymous))):
            name = literal.name.lower()
            if name.startswith(_MACRO):
                template = getattr(self, name.removeprefix(_MACRO))
                inner = literal.expressions[0].sql(dialect=target, identify=True)
                literal.replace(glot.exp.Literal.number(template.format(inner)))
        text = tree.sql(
            dialect=target,
            identify=True,
            pretty=True,
            unsupported_level=glot.ErrorLevel.RAISE,
        )
        return f"{text}\n{self.ending}\n" if self.ending else f"{text}\n"


def _call(name: str, argument: str) -> str:
    return f"{_MACRO}{name}({argument})"


def _keep_own(glot: Any, tree: Any, target: Any) -> None:
    """Mark as the target's own what means the same in every dialect.

    No sort key is NULL, and quotients are of floats by divisors that are not 0. So sqlglot need not
    protect either.
    """
    small = target.NULL_ORDERING == "nulls_are_small"
    large = target.NULL_ORDERING == "nulls_are_large"
    for ordered in tree.find_all(glot.exp.Ordered):
        descending = bool(ordered.args.get("desc"))
        ordered.set("nulls_first", large if descending else small)
    for quotient in tree.find_all(glot.exp.Div):
        quotient.set("typed", target.TYPED_DIVISION)
        quotient.set("safe", target.SAFE_DIVISION)


_CAST_FAILS = "CAST({0} AS INTEGER)"
_NO_BOOLEAN = "CASE WHEN {0} THEN 1 ELSE 0 END"

WAREHOUSES = (
    Warehouse(
        name="bigquery",
        title="BigQuery",
        id_as="COLLATE(CAST({0} AS STRING), '')",
        fails="ERROR({0})",
        nan_as="CAST('NaN' AS FLOAT64)",
        tie_key_as="CAST({0} AS STRING)",
        single_as=None,
        forbidden=r"[^0-9A-Za-z_ &%=+:'<>#|-]+",
        longest_name=300,
        remark="Column names cannot have `@`, parentheses, quotes or commas: `nDCG_10`.",
    ),
    Warehouse(
        name="clickhouse",
        title="ClickHouse",
        run_in="chDB 26.9",
        id_as="CAST({0} AS Nullable(String))",
        # Of a text that may be NULL, it would be NULL.
        fails="toInt64(ifNull({0}, '0'))",
        nan_as="nan",
        ending="SETTINGS join_use_nulls = 1",
    ),
    Warehouse(
        name="databricks",
        title="Databricks",
        run_in="Spark 4.3",
        id_as="CAST({0} AS STRING) COLLATE UTF8_BINARY",
        fails="raise_error({0})",
        number_as="{0}D",
        remark="Tested in open-source Spark, not in Databricks.",
    ),
    Warehouse(
        name="mysql",
        title="MySQL and MariaDB",
        run_in="MariaDB 10.11",
        id_as="CAST(CONVERT({0} USING utf8mb4) AS BINARY)",
        id_shown="CONVERT({0} USING utf8mb4)",
        # No function fails with a message of the query's; a lock's name can be too long.
        fails="GET_LOCK(RPAD({0}, 250, ' '), 0)",
        nan_as=None,
        longest_name=64,
        remark="Needs MySQL 8 or MariaDB 10.2.",
    ),
    Warehouse(
        name="oracle",
        title="Oracle",
        id_as="CAST({0} AS VARCHAR2(4000)) COLLATE BINARY",
        fails="TO_NUMBER({0})",
        number_as="TO_BINARY_DOUBLE({0})",
        double_as="CAST({0} AS BINARY_DOUBLE)",
        single_as="CAST({0} AS BINARY_FLOAT)",
        nan_as="BINARY_DOUBLE_NAN",
        flag_as=_NO_BOOLEAN,
        names_windows=False,
        longest_name=128,
        remark="Needs Oracle 12.2. Invalid data end the query without a message of their own.",
    ),
    Warehouse(
        name="redshift",
        title="Redshift",
        id_as="COLLATE(CAST({0} AS VARCHAR(65535)), 'case_sensitive')",
        fails=_CAST_FAILS,
        number_as="CAST({0} AS DOUBLE PRECISION)",
        log2_as="(LN({0}) / LN(CAST(2 AS DOUBLE PRECISION)))",
        nan_as="CAST('NaN' AS DOUBLE PRECISION)",
        longest_name=127,
    ),
    Warehouse(
        name="snowflake",
        title="Snowflake",
        id_as="COLLATE(CAST({0} AS VARCHAR), '')",
        fails=_CAST_FAILS,
        number_as="CAST({0} AS DOUBLE)",
        single_as=None,
        longest_name=255,
        remark="Names are exact: write them in upper case unless they were created in quotes.",
    ),
    Warehouse(
        name="trino",
        title="Trino",
        run_in="Trino 435",
        id_as="CAST({0} AS VARCHAR)",
        fails="fail({0})",
        nan_as="nan()",
    ),
    Warehouse(
        name="tsql",
        title="SQL Server (T-SQL)",
        id_as="CAST({0} AS NVARCHAR(450)) COLLATE Latin1_General_100_BIN2",
        fails="CAST({0} AS INT)",
        double_as="CAST({0} AS DOUBLE PRECISION)",
        single_as="CAST({0} AS REAL)",
        nan_as=None,
        flag_as=_NO_BOOLEAN,
        names_windows=False,
        longest_name=128,
        remark="Needs SQL Server 2022. Ids that differ only in spaces at the end are the same.",
    ),
)


#: By name.
DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (*NATIVE, *WAREHOUSES)}

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
    """Return a dialect by name."""
    if name in DIALECTS:
        return DIALECTS[name]
    known = {**{name: name for name in DIALECTS}, **_ALIASES}
    close = [known[match] for match in get_close_matches(str(name).lower(), known, n=1)]
    raise ParameterError(
        f"unknown dialect {name!r}, expected one of {', '.join(DIALECTS)}",
        where="dialect",
        hint=f"did you mean {close[0]!r}?" if close else None,
    )
