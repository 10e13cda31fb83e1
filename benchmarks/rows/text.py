"""A run of 4 GB of TREC text as a whole process: its memory vs. that of a quarter."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

from bench import QUICK_SCALE, Bench, last_number
from compare import Process, Subject, compare
from results import GAINFUL, Row
from rows.columns import QUARTER

GENERATOR = Path(__file__).parent.parent / "generate_text.py"
QUERIES, DEPTH = 100_000, 1_000


def measure_large(bench: Bench) -> list[Row]:
    """Time Gainful on the quarter and the whole, and DuckDB and `cat` on the whole."""
    queries = round(QUERIES * QUICK_SCALE) if bench.quick else QUERIES
    folder = prepare(bench, queries)
    answers = json.loads((folder / "answers.json").read_text(encoding="ascii"))
    qrels, run = folder / "whole-qrels.txt", folder / "whole.txt"
    size = f"{queries * DEPTH / 1e6:,.4g} million rows of TREC text"
    row = Row(f"{size} ({run.stat().st_size / 1e9:.1f} GB) to nDCG@10, whole process")
    row.rows, row.size = queries * DEPTH, run.stat().st_size
    right = [answers["whole"]]
    script = bench.script("files_duckdb.py", "arg_max", qrels, run)
    subjects: list[Subject] = [
        *bench.gainful_files(GAINFUL, qrels, [run], right, runs_each_round=3),
        *bench.gainful_files(
            QUARTER,
            folder / "quarter-qrels.txt",
            [folder / "quarter.txt"],
            [answers["quarter"]],
            runs_each_round=3,
        ),
        Process("DuckDB arg_max", script, last_number, expected=right),
        Process("cat", ["/bin/cat", run]),
    ]
    row.measured = compare(subjects, rounds=1)
    row.aim_memory("≤ 40 MB peak memory", GAINFUL, 40, judged=not bench.quick)
    row.aim_memory("≤ 40 MB for a quarter of it", QUARTER, 40, judged=not bench.quick)
    row.aim_within("≤ 4.4× a quarter of it", GAINFUL, QUARTER, 4.4, judged=not bench.quick)
    return [row]


def prepare(bench: Bench, queries: int) -> Path:
    """Return the folder of a run and its quarter; generate them if they do not exist."""
    digest = hashlib.sha256(GENERATOR.read_bytes()).hexdigest()[:8]
    folder = bench.folder / f"text-{queries}x{DEPTH}-{digest}"
    if not (folder / "answers.json").exists():
        for old in bench.folder.glob(f"text-{queries}x{DEPTH}-*"):
            shutil.rmtree(old)
        print(f"generating {folder.name} ...", file=sys.stderr, flush=True)
        folder.mkdir(parents=True)
        words = [bench.peers.python, GENERATOR, folder, str(queries), str(DEPTH)]
        subprocess.run(words, check=True)
    return folder
