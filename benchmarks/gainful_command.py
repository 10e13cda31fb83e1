"""Gainful's command line as the benchmark uses it (`subjects/gainful_calls.py` has the calls)."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

MEASURE = "nDCG@10"


def evaluate(
    python: Path,
    qrels: str | Path,
    runs: Sequence[str | Path],
    measures: Sequence[str] = (MEASURE,),
) -> list[str | Path]:
    """Return the command that evaluates `runs` with the `gainful` in the folder of `python`."""
    program = python.with_name("gainful")
    asked = [word for measure in measures for word in ("-m", measure)]
    return [program, "evaluate", qrels, *runs, *asked, "--format", "tsv"]


def explain(python: Path, qrels: Path, run: Path, query: str) -> list[str | Path]:
    """Return the command that explains the value of a query."""
    program = python.with_name("gainful")
    return [program, "explain", qrels, run, "-q", query, "-m", MEASURE, "--format", "json"]


def trec_eval(python: Path, measure: str, qrels: Path, run: Path) -> list[str | Path]:
    """Return the command that replaces trec_eval."""
    return [python.with_name("gainful-trec-eval"), "-m", measure, qrels, run]


def sql(python: Path) -> list[str | Path]:
    """Return the command that writes a query for the tables `qrels` and `run` in DuckDB."""
    return [python.with_name("gainful"), "sql", "--dialect", "duckdb", "-m", MEASURE]


def read_means(output: str, measures: Sequence[str] = (MEASURE,)) -> list[float]:
    """Return the means of each system, in order, from the output of the command."""
    rows = csv.DictReader(io.StringIO(output), delimiter="\t")
    return [float(row["mean"]) for row in rows if row.get("measure") in measures]
