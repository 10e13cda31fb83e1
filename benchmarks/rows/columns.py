"""A run in Parquet to its means, the whole process, in memory that does not grow with it."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import gainful_command
from bench import Bench, all_numbers
from compare import Process, Subject, compare
from results import GAINFUL, Row

GENERATOR = Path(__file__).parent.parent / "generate_columns.py"
DEPTH = 100
THREE = ("nDCG@10", "AP", "R@100")


def measure(bench: Bench) -> list[Row]:
    """Time a run of ten million rows."""
    return rows_of(bench, 100_000)


def measure_large(bench: Bench) -> list[Row]:
    """Time a run of a hundred million rows."""
    return rows_of(bench, 1_000_000)


def rows_of(bench: Bench, queries: int) -> list[Row]:
    """Time one measure and three of a run of so many queries."""
    if bench.quick:
        queries //= 20
    folder = prepare(bench, queries)
    answers = json.loads((folder / "answers.json").read_text(encoding="ascii"))
    size = (folder / "run.parquet").stat().st_size / 1e6
    what = f"{queries * DEPTH / 1e6:,.1f} million rows of Parquet ({size:,.0f} MB)"
    one = Row(f"{what} to nDCG@10, whole process")
    ways = ("arg_max", "arg_max_joined")
    subjects = [*gainful(bench, folder, THREE[:1], answers[:1])]
    subjects += [duckdb(bench, folder, way, answers[:1]) for way in ways]
    one.measured = compare(subjects, rounds=bench.rounds(3))
    three = Row(f"{what} to nDCG@10, AP and R@100, whole process")
    subjects = [*gainful(bench, folder, THREE, answers), duckdb(bench, folder, "three", answers)]
    three.measured = compare(subjects, rounds=bench.rounds(3))
    full = not bench.quick
    for way in ways:
        one.aim_ratio(f"≥ 1.7× DuckDB ({way})", f"DuckDB {way}", GAINFUL, 1.7, judged=full)
    three.aim_ratio("≥ 3× DuckDB", "DuckDB three", GAINFUL, 3, judged=full)
    for row in (one, three):
        row.aim_memory("≤ 600 MB resident at most", GAINFUL, 600, judged=full)
        row.notes.append("no scores are equal, which DuckDB would leave to chance")
    return [one, three]


def gainful(
    bench: Bench, folder: Path, measures: tuple[str, ...], expected: list[float]
) -> list[Subject]:
    """Return the subject that is Gainful's command line; none if only peers are timed."""
    if bench.gainful is None:
        return []
    qrels, run = folder / "qrels.parquet", folder / "run.parquet"
    command = gainful_command.evaluate(bench.gainful, qrels, [run], measures)

    def read(output: str) -> list[float]:
        return gainful_command.read_means(output, measures)

    return [Process(GAINFUL, command, read, expected=expected)]


def duckdb(bench: Bench, folder: Path, way: str, expected: list[float]) -> Subject:
    """Return the subject that is a query of DuckDB."""
    script = bench.script("columns.py", way, folder / "qrels.parquet", folder / "run.parquet")
    return Process(f"DuckDB {way}", script, all_numbers, expected=expected)


def prepare(bench: Bench, queries: int) -> Path:
    """Return the folder of a run of so many queries, made unless it is there."""
    digest = hashlib.sha256(GENERATOR.read_bytes()).hexdigest()[:8]
    folder = bench.folder / f"columns-{queries}x{DEPTH}-{digest}"
    if not (folder / "answers.json").exists():
        for old in bench.folder.glob(f"columns-{queries}x{DEPTH}-*"):
            shutil.rmtree(old)
        print(f"generating {folder.name} ...", file=sys.stderr, flush=True)
        folder.mkdir(parents=True)
        words = [bench.peers.python, GENERATOR, folder, str(queries), str(DEPTH)]
        subprocess.run(words, check=True)
    return folder
