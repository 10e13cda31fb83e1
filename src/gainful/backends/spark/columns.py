"""Judgments and runs in Spark: the roles of columns, and a common form for all rows.

Both go through one shuffle, so both are converted to the same columns:

``query_id``, ``doc_id``
    64-bit integers if both tables have whole numbers, else bytes: a collation could make
    different ids equal.
``system``
    0 in rows of the judgments; in rows of a run, the number of its system, counted from 1.
``value``
    The grade, or the score.
``rank``, ``subtopic``, ``position``
    Only if needed.
"""

from __future__ import annotations

from gainful.backends.spark.frames import quoted
from gainful.data.column_names import find_column
from gainful.data.columns import find_columns
from gainful.errors import ColumnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from pyspark.sql import DataFrame

    from gainful.backends.spark.sources import Source

__all__ = ["Judgments", "Ranking", "Table", "joint_ids"]

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_FRACTIONS = ("float", "double")


def id_kind(kind: str) -> str | None:
    """Return the kind of ids of a Spark type; None if it cannot be an id.

    >>> [id_kind(kind) for kind in ("bigint", "decimal(20,0)", "char(3)", "binary", "double")]
    ['integer', 'text', 'text', 'binary', None]
    """
    if kind in _INTEGERS:
        return "integer"
    if kind == "binary":
        return "binary"
    if kind.startswith(("string", "char", "varchar")):
        return "text"
    return "text" if kind.startswith("decimal(") and kind.endswith(",0)") else None


class Table:
    """A table with the roles of its columns."""

    what: str
    needed: str

    def __init__(
        self, source: Source, columns: Mapping[str, str] | None, position: str | None = None
    ) -> None:
        self.source = source
        self.types = source.types
        self.names = find_columns(self.types, self.needed, columns)
        if position is not None:
            self._name("position", position)
        for role, name in self.names.items():
            self._check(role, name, self.types[name])

    def _name(self, role: str, name: str) -> None:
        if name not in self.types:
            raise ColumnError(
                where=f"the columns of {self.what}",
                found=", ".join(map(repr, self.types)),
                expected=f"{name!r}, for the {role}",
            )
        self.names[role] = name

    def _check(self, role: str, name: str, kind: str) -> None:
        expected = None
        if role in ("query_id", "doc_id"):
            if id_kind(kind) is None:
                expected = "text, binary or whole numbers"
        elif role in ("grade", "score", "rank", "position"):
            if kind not in (*_INTEGERS, *_FRACTIONS, "boolean") and not kind.startswith("decimal("):
                expected = "numbers"
        elif id_kind(kind) is None and kind not in (*_FRACTIONS, "boolean"):
            expected = "text"
        if expected is not None:
            raise ColumnError(
                where=f"column {name!r} of {self.what}", found=f"type {kind}", expected=expected
            )

    def of(self, role: str) -> str | None:
        """Return the name of a column, None without one."""
        return self.names.get(role)

    def ids(self, role: str) -> str:
        """Return the kind of ids of a column: ``integer``, ``text`` or ``binary``."""
        return id_kind(self.types[self.names[role]]) or "text"

    def distinct(self, role: str, most: int) -> list[Any]:
        """Return at most `most` values of a column; runs a Spark job."""
        kind = "double" if role == "grade" else "binary"
        return [
            value.decode(errors="surrogateescape")
            if isinstance(value, (bytes, bytearray))
            else value
            for value in self.source.distinct(self.names[role], kind, most)
        ]

    def _select(
        self, kinds: Mapping[str, str], extra: Iterable[str], system: str, value: str | None
    ) -> DataFrame:
        columns = {role: self._id(role, kinds[role]) for role in ("query_id", "doc_id")}
        columns |= {"system": system, "value": _number(value)}
        for role in extra:
            columns[role] = self._id(role, "text") if role == "subtopic" else _number(self.of(role))
        own = self.source.frame()
        return own.selectExpr(*(f"{column} AS {role}" for role, column in columns.items()))

    def _id(self, role: str, kind: str) -> str:
        name = self.of(role)
        if name is None:
            return "CAST(NULL AS binary)"
        column = quoted(name)
        if kind == "integer":
            return f"CAST({column} AS bigint)"
        # The decimal text of a number; text as it is.
        text = column if self.types[name] == "binary" else f"CAST({column} AS string)"
        return f"CAST({text} AS binary)"


class Judgments(Table):
    """Judgments: one grade per query and document."""

    what = "the judgments"
    needed = "qrels"

    def __init__(
        self, source: Source, columns: Mapping[str, str] | None, position: str | None = None
    ) -> None:
        given = dict(columns or {})
        self.given = given
        super().__init__(
            source, {k: v for k, v in given.items() if k != "subtopic"} or None, position
        )

    def need_subtopics(self) -> None:
        """Require a column of subtopics."""
        self.names |= find_columns(self.types, "subtopic qrels", self.given or None)
        self._check("subtopic", self.names["subtopic"], self.types[self.names["subtopic"]])

    def tagged(self, kinds: Mapping[str, str], extra: Sequence[str]) -> DataFrame:
        """Return the rows in the common form."""
        return self._select(kinds, extra, "0", self.of("grade"))


class Ranking(Table):
    """A run, or several runs in one table with a system column."""

    what = "the run"
    needed = "run"

    def __init__(
        self,
        source: Source,
        columns: Mapping[str, str] | None,
        position: str | None,
        system: str | None,
        *,
        seek_system: bool,
    ) -> None:
        super().__init__(source, columns, position)
        if system is None and seek_system:
            system = find_column(list(self.types), "system")
        if system is not None:
            self._name("system", system)

    @property
    def system(self) -> str | None:
        """The column with the system's name."""
        return self.of("system")

    @property
    def scored(self) -> bool:
        """Whether there are scores, not only ranks."""
        return self.of("score") is not None

    def tagged(
        self, kinds: Mapping[str, str], extra: Sequence[str], systems: list[str], name: str
    ) -> DataFrame:
        """Return the rows in the common form."""
        return self._select(kinds, extra, self._number_of(systems, name), self.of("score"))

    def _number_of(self, systems: list[str], name: str) -> str:
        if self.system is None:
            return str(systems.index(name) + 1)
        # Bytes need no quoting and have no collation.
        names = ", ".join(
            f"X'{system.encode(errors='surrogateescape').hex()}'" for system in systems
        )
        own = f"CAST(CAST({quoted(self.system)} AS string) AS binary)"
        place = f"CAST(array_position(array({names}), {own}) AS int)"
        # A system that was not among the collected names.
        return f"CASE WHEN {place} > 0 THEN {place} ELSE -1 END"


def joint_ids(role: str, tables: Iterable[Table]) -> str:
    """Return the common kind of ids of several tables."""
    kinds = {table.ids(role) for table in tables}
    if kinds == {"integer"}:
        return "integer"
    return "binary" if "binary" in kinds else "text"


def _number(name: str | None) -> str:
    return "CAST(NULL AS double)" if name is None else f"CAST({quoted(name)} AS double)"
