"""The command line, with judgments or a run on the standard input."""

from __future__ import annotations

import ast
import contextlib
import csv
import io
import os
import threading
from collections.abc import Iterator
from pathlib import Path as Folder

from gainful.cli import main
from gainful.conventions import Convention, presets
from gainful_program import gainful
from paths_of_evaluation.collections import Collection
from paths_of_evaluation.conventions import OWN
from paths_of_evaluation.files import qrels_text, run_text
from paths_of_evaluation.outcome import Rows, of_rows
from paths_of_evaluation.path import Ask, Measures, Path


class ProgramError(Exception):
    """The program reported an error and exited with status 2."""


@contextlib.contextmanager
def pipe(content: bytes) -> Iterator[str]:
    """Yield the path of a named pipe that a thread writes to."""
    reading, writing = os.pipe()

    def write() -> None:
        with contextlib.suppress(BrokenPipeError), os.fdopen(writing, "wb") as file:
            file.write(content)

    other = threading.Thread(target=write)
    other.start()
    try:
        yield f"/dev/fd/{reading}"
    finally:
        os.close(reading)
        other.join()


def words(convention: Convention) -> list[str]:
    """Return the options that select a convention."""
    default = Convention().to_dict()
    policies = convention.to_dict()
    if convention.name != "gainful-1":
        preset = convention.name.removeprefix(OWN)
        return ["--convention", preset, "--policy", f"name={convention.name}"]
    changed = [name for name in policies if name in default and policies[name] != default[name]]
    return [word for name in changed for word in ("--policy", f"{name}={policies[name]}")]


def answered(arguments: list[str]) -> str:
    """Return the standard output of the command."""
    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(arguments)
    if status:
        assert status == 2
        raise ProgramError(err.getvalue())
    out.flush()
    content: bytes = out.buffer.getvalue()  # type: ignore[attr-defined]
    return content.decode()


def rows_of_csv(text: str) -> Rows:
    """Return the rows that the program wrote as CSV, in byte order of the query ids."""

    def value(name: str, cell: str) -> object:
        if name in ("system", "query_id"):
            return cell
        return float(cell) if cell == "nan" else ast.literal_eval(cell or "None")

    rows = sorted(csv.DictReader(io.StringIO(text)), key=lambda row: row["query_id"].encode())
    return of_rows({name: value(name, cell) for name, cell in row.items()} for row in rows)


def run_from_a_pipe(collection: Collection, folder: Folder) -> Ask:
    """Evaluate with the command, the run on the standard input."""
    qrels, content = folder / "qrels.txt", run_text(collection).encode()
    qrels.write_text(qrels_text(collection), encoding="utf-8")

    def ask(measures: Measures, convention: Convention) -> Rows:
        with pipe(content) as path:
            return rows_of_csv(answered(asked(str(qrels), f"own={path}", measures, convention)))

    return ask


def asked(qrels: str, run: str, measures: Measures, convention: Convention) -> list[str]:
    """Return the arguments of a command."""
    chosen = [word for measure in measures for word in ("-m", repr(measure))]
    policies = ["--per-query", "--format", "csv"]
    return ["evaluate", qrels, run, *chosen, *words(convention), *policies]


def qrels_on_standard_input(collection: Collection, folder: Folder) -> Ask:
    """Evaluate with the command in a new process, the judgments on the standard input."""
    run, content = folder / "own.run", qrels_text(collection).encode()
    run.write_text(run_text(collection), encoding="utf-8")

    def ask(measures: Measures, convention: Convention) -> Rows:
        done = gainful(*asked("-", str(run), measures, convention), input=content)
        if done.returncode:
            assert done.returncode == 2
            raise ProgramError(done.stderr.decode())
        return rows_of_csv(done.stdout.decode())

    return ask


PATHS = (
    Path(
        "gainful evaluate, run from a pipe",
        run_from_a_pipe,
        conventions=tuple(preset.name for preset in presets()),
    ),
    Path(
        "gainful evaluate, judgments on the standard input",
        qrels_on_standard_input,
        conventions=("ties=given", "duplicates=count"),
        # Each evaluation is a process.
        collections=("twice", "scattered", "subtopics"),
    ),
)
