"""No output replaces an input, and none a file of another kind without ``--force``."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from combinations import in_turn
from gainful.cli import main
from gainful.cli.program import Option, program
from repeated_tests import for_each

pytestmark = pytest.mark.usefixtures("small_files")

SMALL_FILES = Path(__file__).parents[1] / "documentation"
QRELS = str(SMALL_FILES / "qrels.txt")

RUNS = ("bm25.run", "dense.run")
TEXTS = ("--docs", "docs.jsonl", "--queries", "queries.jsonl")
CORPUS = ("docs.jsonl", "queries.jsonl")
RESULTS = {
    "evaluate": ("evaluate", "qrels.txt", *RUNS),
    "compare": ("compare", "qrels.txt", *RUNS),
    "explain": ("explain", "qrels.txt", "bm25.run", *TEXTS),
    "find-unjudged": ("find-unjudged", "qrels.txt", *RUNS, *TEXTS),
    "headroom": ("headroom", "qrels.txt", *RUNS),
    "contrast": ("contrast", "qrels.txt", "bm25.run", "-a", "trec_eval", "-b", "gainful"),
    "assess-judgments": ("assess-judgments", "qrels.txt"),
    "measures": ("measures",),
    "sql": ("sql", "--dialect", "duckdb"),
}
#: Commands, the option with a file to write, and a file that they read.
PAIRS = [
    ("evaluate qrels.txt bm25.run dense.run", "-o", "bm25.run"),
    ("evaluate qrels.txt bm25.run new=dense.run", "-o", "./dense.run"),
    ("evaluate qrels.txt bm25.run", "-o", "qrels.txt"),
    ("evaluate qrels.txt *.run", "-o", "bm25.run"),
    ("evaluate qrels.txt bm25.run -m nDCG@10", "--publish", "bm25.run"),
    ("evaluate qrels.txt bm25.run --weights weights.txt", "-o", "weights.txt"),
    ("compare qrels.txt bm25.run dense.run --clusters weights.txt:1", "-o", "weights.txt"),
    ("explain qrels.txt bm25.run --docs docs.jsonl", "-o", "docs.jsonl"),
    ("report qrels.txt bm25.run dense.run", "-o", "qrels.txt"),
    ("gate qrels.txt bm25.run --snapshot snapshot.json", "-o", "snapshot.json"),
    ("gate qrels.txt bm25.run --snapshot snapshot.json --also", "", "junit=qrels.txt"),
    ("gate qrels.txt bm25.run", "--save", "bm25.run"),
    ("baseline random docs.jsonl queries.jsonl", "-o", "docs.jsonl"),
    ("baseline fuse bm25.run dense.run", "-o", "bm25.run"),
    ("baseline oracle qrels.txt", "-o", "qrels.txt"),
    ("convert qrels.txt", "", "qrels.txt"),
    ("convert bm25.run", "", "link.run"),
    ("pool bm25.run dense.run --judged qrels.txt", "-o", "qrels.txt"),
    ("pool x.ranks.tsv=bm25.ranks.tsv", "-o", "bm25.jsonl"),
    ("find-unjudged qrels.txt bm25.run", "-o", "bm25.run"),
    ("search queries.jsonl --system bm25.toml", "-o", "queries.jsonl"),
    ("search queries.jsonl --system bm25.toml -o new.run", "--account", "bm25.toml"),
    ("sweep qrels.txt queries.jsonl --system bm25.toml --set k1=1,2", "--journal", "qrels.txt"),
]


@pytest.fixture(autouse=True)
def further_files(small_files: Path) -> None:
    Path("weights.txt").write_text("q1 1\nq2 2\n")
    Path("bm25.toml").write_text('engine = "bm25"\ncorpus = "docs.jsonl"\n')
    shutil.copy("bm25.run", "bm25.ranks.tsv")
    os.link("bm25.run", "link.run")
    Path("snapshot.json").write_text('{"schema": "gainful.snapshot/1"}')


def error_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Return the message of a command that fails, and changes no file."""
    before = contents()
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert contents() == before
    return captured.err


def contents() -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}


@for_each(("words", "option", "file"), PAIRS)
@for_each("force", [(), ("--force",)])
def test_an_output_is_not_an_input(words, option, file, force, capsys) -> None:
    command = [*words.split(), *([option] if option else []), file, *force]
    assert "are the same file" in error_of(capsys, *command)


@pytest.mark.parametrize("words", ["-o x.json --publish x.json", "-o x.json --publish ./x.json"])
def test_outputs_are_different_files(words, capsys) -> None:
    message = error_of(capsys, "evaluate", "qrels.txt", "bm25.run", *words.split())
    assert "--publish and -o are the same file" in message


@pytest.fixture(scope="module")
def made_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with judgments and runs in all formats, and other files to keep."""
    folder = tmp_path_factory.mktemp("tables")
    with contextlib.chdir(folder):
        for kind, source in (("qrels", QRELS), ("run", str(SMALL_FILES / "dense.run"))):
            for suffix in ("txt", "csv", "tsv", "json", "jsonl", "txt.gz", "json.gz"):
                assert main(["convert", source, f"old.{kind}.{suffix}", "--kind", kind]) == 0
        assert main(["convert", QRELS, "quepid.csv", "--to", "quepid"]) == 0
        assert main(["convert", QRELS, "ratings.json", "--to", "rre:index=shop"]) == 0
        large = "".join(f"q{row} Q0 d{row} 1 {row} tag\n" for row in range(20_000))
        Path("large.run").write_text(large)
        assert main(["convert", "large.run", "large.json", "--kind", "run"]) == 0
        with sqlite3.connect("shop.session") as database:
            database.execute("create table labels (grade)")
    return folder


@pytest.fixture
def tables(made_tables: Path, small_files: Path) -> list[str]:
    """Return the names of judgments, runs and other files in the current folder."""
    shutil.copytree(made_tables, small_files, dirs_exist_ok=True)
    return [*sorted(path.name for path in made_tables.iterdir()), "snapshot.json"]


@pytest.mark.parametrize("command", ["evaluate", "sql", "find-unjudged", "measures"])
def test_a_result_replaces_no_other_file_without_force(command, tables, capsys) -> None:
    for name in tables:
        message = error_of(capsys, *RESULTS[command], "-o", name)
        assert name in message
        assert "--force" in message
    assert main([*RESULTS[command], "-o", tables[0], "--force"]) == 0


@pytest.mark.parametrize("file", ["old.qrels.csv", "old.qrels.txt", "shop.session"])
@pytest.mark.parametrize(
    "words", ["baseline random docs.jsonl queries.jsonl -o", "convert bm25.run"]
)
def test_a_run_replaces_no_judgments(words, file, tables, capsys) -> None:
    assert "would replace" in error_of(capsys, *words.split(), file)
    assert main(["convert", "bm25.run", file, "--to", "trec", "--force"]) == 0


def test_what_a_command_wrote_is_replaced(tables, capsys) -> None:
    for name in [name for name in tables if name.startswith("old.")]:
        kind = name.split(".")[1]
        source = "qrels.txt" if kind == "qrels" else "bm25.run"
        assert main(["convert", source, name, "--kind", kind]) == 0, capsys.readouterr().err
    assert main(["convert", "qrels.txt", "ratings.json", "--to", "rre:index=shop"]) == 0
    assert main(["baseline", "random", *CORPUS, "-o", "old.run.txt"]) == 0


@pytest.mark.parametrize(
    ("command", "suffix"),
    in_turn(list(RESULTS), ["txt", "tsv", "csv", "json", "jsonl", "md", "html"], 3),
)
def test_a_result_is_replaced_by_the_next(command, suffix, capsys) -> None:
    further = ["--per-query"] if command == "evaluate" else []
    for _ in range(2):
        assert main([*RESULTS[command], *further, "-o", f"x.{suffix}"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("words", "file"),
    [
        ("demo -o .", "qrels.txt"),
        ("demo -o new", "new/title-words.run"),
        ("pool bm25.run -o new.jsonl", "new.ranks.tsv"),
        ("engines qdrant -o shop.toml", "shop.toml"),
        (
            "sweep qrels.txt queries.jsonl --system bm25.toml --set k1=1,2 --runs new",
            "new/k1=1.run",
        ),
    ],
)
def test_several_files_replace_only_what_the_command_wrote(words, file, capsys) -> None:
    Path(file).parent.mkdir(exist_ok=True)
    Path(file).write_text("q1 Q0 r01 1 1.0 mine\n")
    message = error_of(capsys, *words.split())
    assert file in message
    assert "--force" in message


@pytest.mark.parametrize("words", ["pool bm25.run -o new.jsonl", "engines qdrant -o shop.toml"])
def test_several_files_are_replaced_by_the_same_command(words) -> None:
    assert main(words.split()) == 0
    assert main(words.split()) == 0


def commands(command: click.Command, *names: str) -> Iterator[tuple[str, click.Command]]:
    yield " ".join(names), command
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            found = command.get_command(click.Context(command), name)
            assert found is not None
            yield from commands(found, *names, name)


def test_each_option_with_a_file_is_read_or_written() -> None:
    for name, command in commands(program):
        for param in command.params:
            if isinstance(param, Option) and "FILE" in (param.metavar or ""):
                writes = param.declared.writes
                assert param.declared.complete or writes, (name, param.opts)
                if param.opts[-1] in ("--output", "--save", "--publish", "--plot", "--also"):
                    assert writes, (name, param.opts)
