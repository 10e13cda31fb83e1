"""The files that a command is given: names of runs, the standard input, formats."""

from __future__ import annotations

import os

from gainful.cli.output import say
from gainful.data.coercion import run_name
from gainful.data.column_choice import columns_for
from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gainful.data import Qrels, Run
    from gainful.data.judged import DiskQrels
    from gainful.measures import Measure


def named_runs(words: Sequence[str]) -> dict[str, str]:
    """Return the paths of runs by their names.

    ``NAME=PATH`` names a run; a word that is the path of a file as it stands is a path. Without a
    name, a run is called as its file without the suffixes that tell a format.

    Raises
    ------
    ParameterError
        For two runs of one name, or a name or path that is empty.
    """
    runs: dict[str, str] = {}
    for word in words:
        name, path = split_name(word, "run")
        if name in runs:
            raise ParameterError(
                where="the runs",
                found=f"two of the name {name!r}, {runs[name]} and {path}",
                expected="a name for each",
                hint=f"write NAME=PATH, such as {name}-1={runs[name]} {name}-2={path}",
            )
        runs[name] = path
    return runs


def split_name(word: str, default: str) -> tuple[str, str]:
    """Return the name and the path of a word of the form ``NAME=PATH``, or of a path.

    Names and paths may have equals signs and slashes, as in ``org/model=runs/k1=0.9.run``. The path
    begins after the first equals sign that leaves a path of something that exists.

    Raises
    ------
    ParameterError
        For a name or path that is empty.

    Examples
    --------
    >>> split_name("org/model=bm25.run", "run"), split_name("k1=0.9=bm25.run", "run")
    (('org/model', 'bm25.run'), ('k1=0.9', 'bm25.run'))
    >>> split_name("runs/k1=0.9.run", "run"), split_name("new=missing.run", "run")
    (('k1=0.9', 'runs/k1=0.9.run'), ('new', 'missing.run'))
    """
    if "=" not in word or _is_there(word):
        return run_name(word) or default, word
    signs = [at for at, char in enumerate(word) if char == "="]
    for at in signs:
        if word[:at].strip() and _is_there(word[at + 1 :]):
            return word[:at].strip(), word[at + 1 :]
    name, _, path = word.partition("=")
    # Nothing exists. A folder in front of the equals sign is more often part of a path.
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


def _is_there(path: str) -> bool:
    """Return whether a path exists, matches files, is an address or is the standard input."""
    from gainful.data.addresses import is_address

    if path == "-" or is_address(path) or os.path.exists(path):
        return True
    if not any(mark in path for mark in "*?["):
        return False
    from glob import iglob

    return next(iglob(path, recursive=True), None) is not None


def check_standard_input(*paths: str) -> None:
    """Refuse to read the standard input for several things; ``-:COLUMN`` is a column of it.

    Raises
    ------
    ParameterError
        If more than one of the paths is ``-``.
    """
    times = sum(path == "-" or path.startswith("-:") for path in paths)
    if times > 1:
        raise ParameterError(
            where="-",
            found=f"the standard input named {times} times",
            expected="it once, for it can be read only once",
        )


def judgments(
    path: str,
    format: str | None,
    comments: bool,
    duplicates: str,
    measures: Iterable[Measure] = (),
    subtopics: str | None = None,
    *,
    columns: Sequence[str] = (),
    tell: bool = True,
) -> Qrels:
    """Return judgments as the measures need them.

    Parameters
    ----------
    path, format, comments, duplicates
        As `gainful.data.read_qrels` has them.
    measures : iterable of Measure
        What is measured: some measures need judgments of subtopics.
    subtopics : {"max", "sum"}, optional
        How judgments of subtopics become one grade a document.
    columns : sequence of str
        What ``--columns`` says, of judgments and of runs.
    tell : bool
        Whether to say on the standard error how a judgment list was read.
    """
    chosen = columns_for("qrels", columns)
    if subtopics is None:
        from gainful.evaluation.judgments import judgments_for

        read = judgments_for(
            measures,
            path,
            format=format,
            columns=chosen,
            comments=comments,
            duplicates=duplicates,
        )
        if tell:
            _tell(read.note)
        return read
    from gainful.data import read_qrels

    judged = read_qrels(
        path,
        format=format,
        columns=chosen,
        comments=comments,
        duplicates=duplicates,
        subtopics=True,
    )
    return judged.merged(subtopics)


def _tell(note: str | None) -> None:
    """Say on the standard error how a judgment list was read."""
    if note is not None:
        say(note)


def ranking(
    path: str,
    format: str | None,
    comments: bool,
    judged: Qrels | DiskQrels,
    columns: Sequence[str] = (),
) -> str | Run:
    """Return a run, read already if the caller says how it is to be read.

    Documents that stand twice are kept, for the convention to judge. Scores alone are those of the
    rows of the judgments.
    """
    chosen = columns_for("run", columns)
    if format is None and not comments and chosen is None:
        return path
    from gainful.data import read_run

    return read_run(
        path,
        format=format,
        columns=chosen,
        comments=comments,
        duplicates="count",
        judgments=judged,
    )


def with_columns(path: str, table: str, columns: Sequence[str]) -> Any:
    """Return a path, or what it holds if ``--columns`` says how its columns are to be read.

    Parameters
    ----------
    path : str
        The file.
    table : {"qrels", "run"}
        What it holds.
    columns : sequence of str
        What ``--columns`` says, of judgments and of runs.
    """
    chosen = columns_for(table, columns)
    if chosen is None:
        return path
    from gainful.data import read_qrels, read_run

    if table == "run":
        return read_run(path, columns=chosen, name=run_name(path))
    return read_qrels(path, columns=chosen)


def read_all(
    qrels: str,
    runs: Mapping[str, str],
    measures: Iterable[Measure],
    duplicates: str,
    *,
    qrels_format: str | None,
    run_format: str | None,
    comments: bool,
    columns: Sequence[str],
    subtopics: str | None,
    tell: bool = True,
) -> tuple[Qrels, dict[str, str | Run]]:
    """Return judgments and runs as a command was told to read them.

    Parameters
    ----------
    qrels, measures, duplicates, subtopics, tell
        As `judgments` has them.
    runs : mapping of str to str
        The paths of the runs by their names.
    qrels_format, run_format, comments, columns
        What ``--qrels-format``, ``--run-format``, ``--comments`` and ``--columns`` say.
    """
    read = judgments(
        qrels,
        qrels_format,
        comments,
        duplicates,
        measures,
        subtopics,
        columns=columns,
        tell=tell,
    )
    return read, _rankings(runs, run_format, comments, read, columns)


def _rankings(
    runs: Mapping[str, str],
    format: str | None,
    comments: bool,
    judged: Qrels | DiskQrels,
    columns: Sequence[str],
) -> dict[str, str | Run]:
    return {name: ranking(path, format, comments, judged, columns) for name, path in runs.items()}


def read_to_measure(
    qrels: str,
    runs: Mapping[str, str],
    measures: Iterable[Measure],
    duplicates: str,
    *,
    qrels_format: str | None,
    run_format: str | None,
    comments: bool,
    columns: Sequence[str],
    subtopics: str | None,
    tell: bool = True,
) -> tuple[Qrels | DiskQrels, dict[str, str | Run]]:
    """Return what `read_all` does, where the judgments may be too many for memory.

    Then they are on disk, and good for nothing but evaluating. The parameters are those of
    `read_all`.
    """
    read: Qrels | DiskQrels
    if subtopics is None:
        from gainful.evaluation.judgments import judgments_to_measure

        read = judgments_to_measure(
            measures,
            qrels,
            format=qrels_format,
            columns=columns_for("qrels", columns),
            comments=comments,
            duplicates=duplicates,
        )
        if tell:
            _tell(read.note)
    else:
        read = judgments(
            qrels,
            qrels_format,
            comments,
            duplicates,
            measures,
            subtopics,
            columns=columns,
            tell=tell,
        )
    return read, _rankings(runs, run_format, comments, read, columns)
