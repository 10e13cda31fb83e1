"""How commands read judgments and runs: their options, declared once, and what these read."""

from __future__ import annotations

from functools import wraps

import click

from gainful.cli.output import say
from gainful.data import read_qrels, read_run
from gainful.data.read_options import OPTIONS, Option, ReadOptions, parsed_columns
from gainful.errors import ParameterError
from gainful.evaluation.judgments import judgments_for, judgments_to_measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    from gainful.data import Qrels, Run
    from gainful.data.judged import DiskQrels
    from gainful.measures import Measure

    Command = TypeVar("Command", bound=Callable[..., Any])
    Judged = TypeVar("Judged", Qrels, Qrels | DiskQrels)

_TABLES = {"qrels": "judgments", "run": "runs"}


class Reading:
    """How a command reads judgments and runs.

    Attributes
    ----------
    options : dict of str to ReadOptions
        Those of judgments (``"qrels"``) and of runs (``"run"``).
    subtopics : {"max", "sum"}, optional
        How judgments of subtopics become one grade per document.
    """

    __slots__ = ("options", "subtopics")

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.subtopics: str | None = values.get("subtopics")
        self.options = {table: ReadOptions(**_of_table(values, table)) for table in _TABLES}

    @property
    def of_either(self) -> ReadOptions:
        """The options of one file that has judgments or a run, as its columns say."""
        return self.options["run" if self.options["run"].columns else "qrels"]

    def judgments(
        self,
        path: str,
        duplicates: str = "error",
        measures: Iterable[Measure] = (),
        *,
        tell: bool = True,
    ) -> Qrels:
        """Return judgments as the measures need them.

        Parameters
        ----------
        path : str
            The file.
        duplicates : str
            As `ReadOptions` has it.
        measures : iterable of Measure
            What is measured: some measures need judgments of subtopics.
        tell : bool
            Whether to say on the standard error how a judgment list was read.
        """
        return self._judged(judgments_for, path, duplicates, measures, tell)

    def _judged(
        self,
        read: Callable[..., Judged],
        path: str,
        duplicates: str,
        measures: Iterable[Measure],
        tell: bool,
    ) -> Judged:
        options = self.options["qrels"].replace(duplicates=duplicates)
        if self.subtopics is not None:
            return read_qrels(path, **options.replace(subtopics=True)).merged(self.subtopics)
        judged = read(measures, path, **options)
        if tell and judged.note is not None:
            say(judged.note)
        return judged

    def run(
        self, path: str, judged: Qrels | DiskQrels | None = None, *, name: str | None = None
    ) -> Run:
        """Return a run. Duplicate documents are kept, for the convention to judge.

        Parameters
        ----------
        path : str
            The file.
        judged : Qrels, optional
            Whose rows the scores belong to, where the file has nothing but scores.
        name : str, optional
            What results call the system.
        """
        options = self.options["run"].replace(duplicates="count")
        return read_run(path, name=name, judgments=judged, **options)

    def ranking(self, path: str, judged: Qrels | DiskQrels | None = None) -> str | Run:
        """Return what `run` does, or the path where nothing is said about how it is read."""
        return self.run(path, judged) if self.options["run"] else path

    def given(self, path: str, table: str) -> Any:
        """Return a path, or what it contains if the command line says how it is read.

        Parameters
        ----------
        path : str
            The file.
        table : {"qrels", "run"}
            What it contains.
        """
        options = self.options[table]
        if not options:
            return path
        return (read_run if table == "run" else read_qrels)(path, **options)

    def all(
        self,
        qrels: str,
        runs: Mapping[str, str],
        duplicates: str,
        measures: Iterable[Measure],
    ) -> tuple[Qrels, dict[str, str | Run]]:
        """Return judgments and runs.

        Parameters
        ----------
        qrels, duplicates, measures
            As `judgments` has them.
        runs : mapping of str to str
            The paths of the runs by their names.
        """
        judged = self.judgments(qrels, duplicates, measures)
        return judged, {name: self.ranking(path, judged) for name, path in runs.items()}

    def all_to_measure(
        self,
        qrels: str,
        runs: Mapping[str, str],
        duplicates: str,
        measures: Iterable[Measure],
        *,
        tell: bool = True,
    ) -> tuple[Qrels | DiskQrels, dict[str, str | Run]]:
        """Return what `all` does, where the judgments may be too many for memory.

        Then they are on disk, and good for nothing but evaluating.
        """
        judged = self._judged(judgments_to_measure, qrels, duplicates, measures, tell)
        return judged, {name: self.ranking(path, judged) for name, path in runs.items()}


def reading_options(
    tables: Sequence[str] = tuple(_TABLES), *, merges: bool = True
) -> Callable[[Command], Command]:
    """Declare the options of readers, and hand the command one `Reading` for all of them.

    Parameters
    ----------
    tables : sequence of {"qrels", "run"}
        What the command has own options for, such as ``--qrels-format``.
    merges : bool
        Whether judgments of subtopics can become judgments of whole queries (``--subtopics``).
    """
    declared: list[tuple[str, Callable[[Command], Command]]] = []
    for option in OPTIONS:
        for table in tables if option.help and option.per_table else ():
            declared.append(_declared(option, table))
        if option.help and not option.per_table:
            declared.append(_declared(option))
    if merges:
        add = click.option(
            "--subtopics",
            type=click.Choice(("max", "sum")),
            help="Make one grade per document from judgments of subtopics, for measures that need"
            " one: the largest, or their sum. Measures of diversity, such as alpha_nDCG@10, read"
            " the subtopics by themselves: of TREC text the second column.",
        )
        declared.append(("subtopics", add))

    def decorate(command: Command) -> Command:
        @wraps(command)
        def read(*arguments: Any, **values: Any) -> Any:
            own = {name: values.pop(name) for name, _ in declared}
            return command(*arguments, reading=Reading(own), **values)

        for _, add in reversed(declared):
            read = add(read)
        return read  # type: ignore[return-value]

    return decorate


def _declared(option: Option, table: str = "") -> tuple[str, Callable[[Any], Any]]:
    """Return the name of a command-line option, and the decorator that adds it."""
    name = f"{table}_{option.name}" if table else option.name
    more: dict[str, Any] = {"type": option.kind, "metavar": option.name.upper()}
    if option.kind is bool:
        more = {"is_flag": True}
    elif option.kind is dict:
        more = {"multiple": True, "metavar": option.name.upper()}
    words = option.help.format(table=_TABLES.get(table))
    return name, click.option(f"--{name.replace('_', '-')}", name, help=words, **more)


def _of_table(values: Mapping[str, Any], table: str) -> dict[str, Any]:
    """Return the options of judgments or of runs."""
    found = {}
    for option in OPTIONS:
        name = f"{table}_{option.name}" if option.per_table else option.name
        if option.help and values.get(name):
            value = values[name]
            found[option.name] = columns_for(table, value) if option.kind is dict else value
    return found


def columns_for(table: str, texts: Sequence[str]) -> list[str] | dict[str, str] | None:
    """Return which of several texts on columns is about judgments, or about runs.

    One that has scores or ranks is about runs, any other about judgments.

    Parameters
    ----------
    table : {"qrels", "run"}
        What is to be read.
    texts : sequence of str
        As `parsed_columns` takes them.

    Returns
    -------
    list of str, dict of str to str, or None
        What `parsed_columns` returns; None if no text is about this table.

    Raises
    ------
    ParameterError
        For a text of another form, or for two texts about one table.

    Examples
    --------
    >>> columns_for("run", ["query,doc,grade,-", "query,doc,score"])
    ['query_id', 'doc_id', 'score']
    """
    found: list[list[str] | dict[str, str]] = []
    for text in texts:
        columns = parsed_columns(text)
        if (table == "run") == bool({"score", "rank"} & set(columns)):
            found.append(columns)
    if len(found) > 1:
        raise ParameterError(
            where="columns",
            found=f"two that are about {_TABLES[table]}",
            expected="one about judgments, and one with score or rank about runs",
        )
    return found[0] if found else None
