"""Read judgments and runs of a command line: names, paths and the options for it."""

from __future__ import annotations

import os
from contextlib import contextmanager

from gainful.cli.output import say
from gainful.errors import ParameterError, SourceNotFoundError
from gainful.parameters import Combined
from gainful.parameters.inputs import READ_OPTIONS, SUBTOPICS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from gainful.cli.command import Values
    from gainful.data import Qrels, Run
    from gainful.data.qrels import DiskQrels
    from gainful.data.read_options import ReadOptions
    from gainful.measures import Measure
    from gainful.parameters import Parameter

#: The parameters that select queries and documents.
SELECTION = ("queries", "exclude", "same")
_TABLES = {"qrels": "judgments", "run": "runs"}
#: The columns that only runs have, and those that only judgments have.
_OF_RUNS = {"score", "rank", "results", "system", "tokens"}
_OF_JUDGMENTS = {"grade", "subtopic", "weight"}


class Reading:
    """How a command reads judgments and runs.

    Attributes
    ----------
    options : dict of str to ReadOptions
        The options of judgments (``"qrels"``) and of runs (``"run"``).
    subtopics : {"max", "sum"}, optional
        How judgments of subtopics are merged into one grade per document.
    """

    __slots__ = ("_duplicates", "options", "subtopics")

    def __init__(self, values: Mapping[str, Any]) -> None:
        from gainful.data.read_options import ReadOptions

        self.subtopics: str | None = values.get("subtopics")
        self._duplicates = {table: values.get(f"{table}_duplicates") for table in _TABLES}
        self.options = {table: ReadOptions(**_of_table(values, table)) for table in _TABLES}

    @property
    def of_either(self) -> ReadOptions:
        """The options of a file that contains judgments or, if it has their columns, a run."""
        if self.options["run"].columns and self.options["qrels"].columns:
            raise ParameterError(
                "--columns names columns of judgments and of a run, and there is one file"
            )
        return self.options["run" if self.options["run"].columns else "qrels"]

    def load_judgments(
        self,
        path: str,
        duplicates: str = "error",
        measures: Iterable[Measure] = (),
        *,
        print_note: bool = True,
    ) -> Qrels:
        """Read judgments for measures."""
        judged: Any = self.judgments_to_measure(
            path, duplicates, measures, print_note=print_note, on_disk=False
        )
        return judged  # type: ignore[no-any-return]

    def judgments_to_measure(
        self,
        path: str,
        duplicates: str,
        measures: Iterable[Measure],
        *,
        print_note: bool,
        on_disk: bool,
    ) -> Qrels | DiskQrels:
        """Read judgments as `load_judgments` does; on disk they can only be evaluated."""
        from gainful.evaluation.arguments import judgments_for

        options = self._with_duplicates("qrels", duplicates)
        if self.subtopics is not None:
            from gainful.data import read_qrels

            return read_qrels(path, **options.replace(subtopics=True)).merged(self.subtopics)
        judged = judgments_for(measures, path, on_disk=on_disk, **options)
        if print_note and judged.note is not None:
            say(judged.note)
        return judged

    def _with_duplicates(self, table: str, default: str) -> ReadOptions:
        return self.options[table].replace(duplicates=self._duplicates[table] or default)

    def load_run(
        self, path: str, judged: Qrels | DiskQrels | None = None, *, name: str | None = None
    ) -> Run:
        """Read a run. Without an option, duplicate documents are kept for the convention."""
        from gainful.data import read_run

        options = self._with_duplicates("run", "count")
        return read_run(path, name=name, judgments=judged, **options)

    def load_ranking(self, path: str, query: str, judged: Qrels | DiskQrels | None = None) -> Run:
        """Read the ranking of one query of a run."""
        from gainful.data.coercion import one_ranking

        options = self._with_duplicates("run", "count")
        return one_ranking(path, query, options, judgments=judged)

    def path_or_run(self, path: str, judged: Qrels | DiskQrels | None = None) -> str | Run:
        """Read a run if there are options for it, else return the path."""
        is_read = self.options["run"] or self._duplicates["run"]
        return self.load_run(path, judged) if is_read else path

    def paths_or_runs(
        self, runs: Mapping[str, str], judged: Qrels | DiskQrels | None = None
    ) -> dict[str, Any]:
        """Read runs if there are options for them, else return their paths."""
        from gainful.data.named_runs import split_systems

        if not (self.options["run"] or self._duplicates["run"]):
            return dict(runs)
        split = split_systems(runs, self._with_duplicates("run", "count"))
        return {
            name: self.load_run(run, judged) if isinstance(run, str) else run
            for name, run in split.items()
        }

    def path_to_reread(self, path: str, judged: Qrels | DiskQrels | None = None) -> str | Run:
        """Read a run if there are options for it or it can be read only once."""
        from gainful.data.inputs import is_read_once

        return (
            self.load_run(path, judged) if is_read_once([path]) else self.path_or_run(path, judged)
        )

    def path_or_table(self, path: str, table: str) -> Any:
        """Read a file if there are options for it, else return the path."""
        from gainful.data import read_qrels, read_run

        options = self.options[table]
        if not options:
            return path
        return (read_run if table == "run" else read_qrels)(path, **options)

    def load_all(
        self,
        qrels: str,
        runs: Mapping[str, str],
        duplicates: str,
        measures: Iterable[Measure],
        *,
        print_note: bool = True,
    ) -> tuple[Qrels, dict[str, str | Run]]:
        """Read judgments and runs."""
        judged = self.load_judgments(qrels, duplicates, measures, print_note=print_note)
        return judged, self.paths_or_runs(runs, judged)


@contextmanager
def read_inputs(
    values: Values,
    usual: Sequence[str] | None = None,
    *,
    print_note: bool = True,
    in_memory: bool = False,
) -> Iterator[dict[str, Any]]:
    """Read the judgments and runs of a command, and yield the arguments of its function."""
    from gainful.evaluation.arguments import settled
    from gainful.evaluation.call import agreed_duplicates
    from gainful.measures.choosing import choose_measures
    from gainful.progress import Bar

    several = "conventions" in values.declared.combined
    conventions = values.conventions if several else [values.convention]
    named = parse_runs(values.runs)
    options = {} if usual is None else {"usual": usual}
    chosen = choose_measures(values.measures or None, *conventions, **options)
    reading: Reading = values.reading
    # Judgments on disk can only be evaluated as a whole.
    in_memory |= any(values.raw.get(name) for name in (*SELECTION, "candidates"))
    is_on_disk = len(conventions) == 1 and not in_memory
    with Bar() as progress:
        judged = reading.judgments_to_measure(
            *(values.qrels, agreed_duplicates(conventions), chosen),
            print_note=print_note,
            on_disk=is_on_disk,
        )
        ranked = reading.paths_or_runs(named, judged)
        chosen = settled(chosen, judged, *conventions)
        inputs = {"qrels": judged, "runs": ranked, "measures": chosen, "progress": progress}
        yield inputs if len(conventions) > 1 else {**inputs, "convention": conventions[0]}


def unread_inputs(values: Values) -> dict[str, Any]:
    """Return judgments and runs as arguments; they are read only if there are options for it."""
    return {
        "qrels": values.reading.path_or_table(values.qrels, "qrels"),
        "runs": values.reading.paths_or_runs(parse_runs(values.runs)),
        "convention": values.conventions[0],
    }


def reading_options(tables: Sequence[str] = tuple(_TABLES), *, merges: bool = True) -> Combined:
    """Declare the options of readers; the command gets one `Reading` for all of them."""
    declared = []
    for option in READ_OPTIONS:
        if _has_tables(option):
            declared += [_for_table(option, table) for table in tables]
        elif option.help:
            declared.append(option)
    further = [SUBTOPICS] if merges else []
    return Combined("reading", lambda **values: Reading(values), declared, further)


def _has_tables(option: Parameter) -> bool:
    """Return whether judgments and runs have separate options."""
    return "{table}" in option.help


def _for_table(option: Parameter, table: str) -> Parameter:
    name = f"{table}_{option.name}"
    flags = (f"--{table}-{option.name}",)
    words = option.help.format(table=_TABLES[table])
    return option.replace(name=name, flags=flags, help=words, default=None)


def _of_table(values: Mapping[str, Any], table: str) -> dict[str, Any]:
    """Return the options of judgments or of runs."""
    columns_found = {}
    for option in READ_OPTIONS:
        name = f"{table}_{option.name}" if _has_tables(option) else option.name
        if option.help and values.get(name):
            value = values[name]
            columns_found[option.name] = (
                select_columns(table, value) if option.kind is dict else value
            )
    return columns_found


def select_columns(table: str, texts: Sequence[str]) -> list[Any] | dict[str, Any] | None:
    """Return the columns of judgments or of runs, from the values of ``--columns``.

    A value with a score or rank applies to runs, any other to judgments. Names by role that have
    both a grade and a score apply to both.

    Examples
    --------
    >>> select_columns("run", ["query,doc,grade,-", "query,doc,score"])
    ['query_id', 'doc_id', 'score']
    >>> select_columns("qrels", ["query=Term,grade=Stars,score=BM25"])
    {'query_id': 'Term', 'grade': 'Stars'}
    """
    from gainful.data.read_options import column_roles, parsed_columns

    selected: list[list[Any] | dict[str, Any]] = []
    for text in texts:
        columns = parsed_columns(text)
        roles = column_roles(columns)
        of_runs = bool(_OF_RUNS & roles)
        if isinstance(columns, dict) and of_runs and _OF_JUDGMENTS & roles:
            others = _OF_JUDGMENTS if table == "run" else _OF_RUNS
            selected.append({role: name for role, name in columns.items() if role not in others})
        elif (table == "run") == of_runs:
            selected.append(columns)
    if len(selected) > 1:
        raise ParameterError(
            f"two values of --columns apply to {_TABLES[table]}",
            hint="a value with score or rank applies to runs, any other to judgments; names of both"
            " can be one value, as in query=NAME,doc=NAME,grade=NAME,score=NAME",
        )
    return selected[0] if selected else None


def parse_runs(words: Sequence[str]) -> dict[str, str]:
    """Return the paths of runs by name.

    ``NAME=PATH`` names a run; the path of an existing file is always a path. Without a name, a run
    is named after its file, without the suffixes of formats.
    """
    from gainful.data.named_runs import DefaultName, like_a_path

    runs: dict[str, str] = {}
    for word in words:
        name, path = split_name(word, "run")
        if path == word:
            name = DefaultName(name)
        if name in runs:
            raise ParameterError(
                f"two runs have the name {name!r}: {runs[name]} and {path}",
                hint=f"name them with NAME=PATH, such as {name}-1={runs[name]} {name}-2={path}",
            )
        if not like_a_path(path):
            raise SourceNotFoundError(file=path, found="no such file")
        runs[name] = path
    return runs


def split_name(word: str, default: str) -> tuple[str, str]:
    """Split a word of the form ``NAME=PATH``, or a path, into name and path.

    Names and paths can contain equals signs and slashes, as in ``org/model=runs/k1=0.9.run``. The
    path begins after the first equals sign that leaves an existing path.

    Examples
    --------
    >>> split_name("org/model=bm25.run", "run"), split_name("k1=0.9=bm25.run", "run")
    (('org/model', 'bm25.run'), ('k1=0.9', 'bm25.run'))
    >>> split_name("runs/k1=0.9.run", "run"), split_name("new=missing.run", "run")
    (('k1=0.9', 'runs/k1=0.9.run'), ('new', 'missing.run'))
    """
    from gainful.data.coercion import run_name

    if "=" not in word or _exists(word):
        return run_name(word) or default, word
    signs = [index for index, char in enumerate(word) if char == "="]
    for sign in signs:
        if word[:sign].strip() and _exists(word[sign + 1 :]):
            return word[:sign].strip(), word[sign + 1 :]
    name, _, path = word.partition("=")
    # No such file exists. A slash before the equals sign more often belongs to a path.
    if "/" in name or os.sep in name:
        return run_name(word) or default, word
    if not name.strip() or not path:
        missing = "name" if path else "path"
        raise ParameterError(
            where=f"a {default}" if default == "run" else default,
            found=f"{word!r} without a {missing}",
            expected="NAME=PATH",
        )
    return name.strip(), path


def _exists(path: str) -> bool:
    """Return whether a path exists, matches files, is an address or is the standard input."""
    from gainful.data.remote import is_address

    if path == "-" or is_address(path) or os.path.exists(path):
        return True
    if not any(mark in path for mark in "*?["):
        return False
    from glob import iglob

    return next(iglob(path, recursive=True), None) is not None
