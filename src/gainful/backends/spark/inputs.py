"""Judgments and runs of a call, and the properties of their rows that are needed in advance."""

from __future__ import annotations

from gainful.backends.spark.executor import Frame, first_line, quoted
from gainful.backends.spark.footers import ParquetFiles
from gainful.data.coercion import run_name
from gainful.data.column_names import find_column
from gainful.data.columns import find_columns
from gainful.data.paths import as_paths
from gainful.data.remote import RemoteFile
from gainful.errors import (
    ArgumentError,
    ColumnError,
    MeasureError,
    ParameterError,
    SourceError,
    SourceNotFoundError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Protocol

    from pyspark.sql import DataFrame, SparkSession

    from gainful.evaluation.partition import RowForm

    class Source(Protocol):
        """The source of a table of judgments or of runs."""

        #: The column names, with Spark's types.
        types: dict[str, str]

        def frame(self) -> DataFrame:
            """Return the rows as a Spark DataFrame."""

        def distinct(self, column: str, kind: str, most: int) -> list[Any]:
            """Return at most `most` values of a column; runs a Spark job."""


__all__ = [
    "Judgments",
    "Ranking",
    "RunTable",
    "check_subtopics",
    "grades_of",
    "joint_ids",
    "runs_by_name",
    "scored",
    "session_for",
    "source_of",
    "systems_of",
]


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


class RunTable:
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
        frame = self.source.frame()
        return frame.selectExpr(*(f"{column} AS {role}" for role, column in columns.items()))

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


class Judgments(RunTable):
    """Judgments: one grade per query and document."""

    what = "the judgments"
    needed = "qrels"

    def __init__(
        self, source: Source, columns: Mapping[str, str] | None, position: str | None = None
    ) -> None:
        names = dict(columns or {})
        self.given = names
        super().__init__(
            source, {k: v for k, v in names.items() if k != "subtopic"} or None, position
        )

    def need_subtopics(self) -> None:
        """Require a column of subtopics."""
        self.names |= find_columns(self.types, "subtopic qrels", self.given or None)
        self._check("subtopic", self.names["subtopic"], self.types[self.names["subtopic"]])

    def tagged(self, kinds: Mapping[str, str], extra: Sequence[str]) -> DataFrame:
        """Return the rows in the common form."""
        return self._select(kinds, extra, "0", self.of("grade"))


class Ranking(RunTable):
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
        number_of_system = f"CAST(CAST({quoted(self.system)} AS string) AS binary)"
        place = f"CAST(array_position(array({names}), {number_of_system}) AS int)"
        # A system that was not among the collected names.
        return f"CASE WHEN {place} > 0 THEN {place} ELSE -1 END"


def joint_ids(role: str, tables: Iterable[RunTable]) -> str:
    """Return the common kind of ids of several tables."""
    kinds = {table.ids(role) for table in tables}
    if kinds == {"integer"}:
        return "integer"
    return "binary" if "binary" in kinds else "text"


def _number(name: str | None) -> str:
    return "CAST(NULL AS double)" if name is None else f"CAST({quoted(name)} AS double)"


def source_of(table: object, what: str, session: SparkSession | None) -> Source:
    """Return the source of a table."""
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
            table = session.read.parquet(*(path.address for path in remote))
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
    """Return the session: the given one, that of a DataFrame, or the active one."""
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


#: The name of a single run.
_RUN = "run"
#: The maximum number of distinct systems, or grades, of a column.
_MOST = 10_000


def runs_by_name(
    run: object,
    columns: Mapping[str, str] | None,
    system: str | None,
    position: str | None,
    session: SparkSession | None,
) -> dict[str, Ranking]:
    """Return the runs by name; a run with several systems has an empty name."""
    if not isinstance(run, dict):
        source = source_of(run, "the run", session)
        ranking = Ranking(source, columns, position, system, seek_system=True)
        name = _RUN if as_paths(run) is None else run_name(run) or _RUN
        return {name if ranking.system is None else "": ranking}
    if system is not None:
        raise ArgumentError("not available with several runs", where="system")
    if not run:
        raise ParameterError("no runs", where="run")
    return {
        str(name): Ranking(
            source_of(frame, f"the run {name}", session), columns, position, None, seek_system=False
        )
        for name, frame in run.items()
    }


def systems_of(runs: Mapping[str, Ranking]) -> list[str]:
    """Return the names of all systems; runs a Spark job if they are in a column."""
    ranking = runs.get("")
    if ranking is None or ranking.system is None:
        return list(runs)
    systems = ranking.distinct("system", _MOST + 1)
    if None in systems:
        raise ColumnError(
            where=f"column {ranking.system!r} of the run",
            found="a null",
            expected="a name in every row",
        )
    if len(systems) > _MOST:
        raise ColumnError(
            f"more than {_MOST} names",
            where=f"column {ranking.system!r} of the run",
            hint='set the column of system names with system="..."',
        )
    # A run without rows is a system without results.
    return sorted(map(str, systems)) or [_RUN]


def scored(runs: Mapping[str, Ranking]) -> bool:
    """Return whether runs have scores; refuse a mix."""
    for name, ranking in runs.items():
        if ranking.scored != next(iter(runs.values())).scored:
            raise ColumnError(
                "has scores, but other runs have none"
                if ranking.scored
                else "has no scores, but other runs have",
                where=f"the run {name}",
            )
    return all(ranking.scored for ranking in runs.values())


def grades_of(judged: Judgments) -> list[float]:
    """Return the grades of the judgments, and 0 for unjudged documents."""
    grades = judged.distinct("grade", _MOST + 1)
    if len(grades) > _MOST:
        raise ParameterError(
            f"required, because the judgments have more than {_MOST} grades",
            where="scale",
            hint="set the grades that an unjudged document may have",
        )
    return sorted({0.0, *(float(grade) for grade in grades if grade is not None)})


def check_subtopics(form: RowForm, judged: Judgments) -> None:
    """Refuse judgments with a single subtopic if a measure needs several."""
    for measure in form.measures:
        if measure.declaration.judgments != "subtopics":
            continue
        subtopics = judged.distinct("subtopic", 2)
        if len(subtopics) == 1:
            raise MeasureError(
                f"all judgments are of the subtopic {subtopics[0]!r}",
                where=repr(measure),
                hint='name the column of subtopics with qrels_columns={"subtopic": NAME}',
            )
        return
