"""Measured rates for extrapolation, from results of the benchmark."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

KEPT = Path(__file__).with_name("rates.json")

#: By name: the family of rows, the index of the row, and the subject.
SOURCES = {
    "parquet": ("columns", 0, "Gainful"),
    "parquet, DuckDB": ("columns", 0, "DuckDB arg_max"),
    "three": ("columns", 1, "Gainful"),
    "three, DuckDB": ("columns", 1, "DuckDB three"),
    "text": ("text", 0, "Gainful"),
    "text, quarter": ("text", 0, "Gainful, a quarter"),
    "judgments": ("judgments", 0, "Gainful"),
    "judgments, quarter": ("judgments", 0, "Gainful, a quarter"),
    "results": ("judgments", 1, "Gainful"),
    "first query": ("scaling", 0, "the first query"),
    "1 thread": ("scaling", 0, "1 thread"),
    **{f"{number} threads": ("scaling", 0, f"{number} threads") for number in (2, 4, 8, 16)},
    "memory, 1 thread": ("scaling", 1, "1 thread"),
    **{f"memory, {n} threads": ("scaling", 1, f"{n} threads") for n in (2, 4, 8, 16)},
    "parquet, 1 thread": ("scaling", 2, "1 thread"),
    **{f"parquet, {n} threads": ("scaling", 2, f"{n} threads") for n in (2, 4, 8, 16)},
    "one query": ("one_query", 0, "Gainful"),
    "one query, quarter": ("one_query", 0, "Gainful, a quarter"),
    "spark": ("spark", 0, "Gainful"),
    "spark, frames": ("spark", 0, "Gainful, DataFrames"),
    "spark, first ranks": ("spark", 0, "Gainful, DataFrames, first ranks"),
    "spark, windows": ("spark", 0, "window functions"),
    "spark, pandas": ("spark", 0, "applyInPandas"),
    "spark, three": ("spark_three", 0, "Gainful"),
    "spark, three, frames": ("spark_three", 0, "Gainful, DataFrames"),
    "spark, three, windows": ("spark_three", 0, "window functions"),
}
DOUBLING = "doubling"
#: The row of `scaling` whose subjects differ in one thing each.
GROWTH = 3
GROWN = "growth, "
#: The subject whose wall time on an idle machine is its processor time, and the limit of the ratio.
ALONE, BUSY = "1 thread", 1.25


@dataclass(frozen=True)
class Rate:
    """The time of one job in seconds, its machine and day, and its peak memory in 10^6 bytes."""

    rows: int
    seconds: float
    cpu_seconds: float
    peak_mb: float
    cores: int
    size: int | None = None
    shuffled: float | None = None  # bytes written by shuffles in Spark
    held: float | None = None  # bytes of the result in memory
    quick: bool = False  # measured with a twentieth of the rows, or on a busy machine
    processor: str = ""
    date: str = ""

    @property
    def cpu_each(self) -> float:
        """Processor time per row, in seconds."""
        return self.cpu_seconds / self.rows

    @property
    def where(self) -> str:
        """The machine and the day."""
        return f"{self.cores} cores of {self.processor}, {self.date}"

    @property
    def rows_a_second(self) -> float:
        return self.rows / self.seconds


def bytes_each(large: Rate, small: Rate) -> float:
    """Return the bytes of memory per additional row."""
    return (large.peak_mb - small.peak_mb) * 1e6 / (large.rows - small.rows)


def load(path: Path = KEPT) -> dict[str, Rate]:
    """Return the rates by name."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return {name: Rate(**rate) for name, rate in content.items()}


def take(results: Iterable[Path], path: Path = KEPT) -> list[str]:
    """Update the rates from results of the benchmark; return the names of the updated ones.

    Rates that no file has are unchanged. Rows that failed are refused.
    """
    rates = load(path) if path.exists() else {}
    taken = []
    for file in results:
        content = json.loads(file.read_text(encoding="utf-8"))
        families: dict[str, list[Mapping[str, Any]]] = {}
        for row in content["rows"]:
            families.setdefault(row["family"], []).append(row)
        # Another machine may have measured other numbers of threads.
        for name in [name for name in rates if _family(name) in families]:
            del rates[name]
        for name, rate in _found(families, content["setting"]):
            rates[name] = rate
            taken.append(name)
    kept = {name: asdict(rate) for name, rate in sorted(rates.items())}
    words = json.dumps(kept, indent=1)
    path.write_text(f"{words}\n", encoding="utf-8")
    return taken


def _family(name: str) -> str:
    """Return the family of rows that a rate comes from."""
    if name.startswith(GROWN):
        return "scaling"
    return DOUBLING if name.startswith(DOUBLING) else SOURCES[name][0]


def _found(
    families: Mapping[str, list[Mapping[str, Any]]], setting: Mapping[str, Any]
) -> Iterable[tuple[str, Rate]]:
    for name, (family, number, subject) in SOURCES.items():
        rows = families.get(family, [])
        if number < len(rows) and subject in rows[number]["subjects"]:
            share = 4 if name.endswith("quarter") else 1
            yield name, _rate(rows[number], subject, setting, share)
    for row in families.get("scaling", [])[GROWTH:]:
        for subject in row["subjects"]:
            yield GROWN + subject, _rate(row, subject, setting, 1)
    for row in families.get(DOUBLING, []):
        for share, subject in zip((4, 2, 1), row["subjects"], strict=True):
            yield f"{DOUBLING}, {share}", _rate(row, subject, setting, share)


def _rate(row: Mapping[str, Any], subject: str, setting: Mapping[str, Any], share: int) -> Rate:
    if row["error"]:
        raise SystemExit(f"{row['job']}: {row['error']}")
    record = row["subjects"][subject]
    return Rate(
        rows=row["rows"] // share,
        seconds=record["median_seconds"],
        cpu_seconds=record["cpu_seconds"],
        peak_mb=record["peak_mb"],
        cores=setting["processors"],
        size=None if row["size"] is None else row["size"] // share,
        shuffled=record["extras"].get("shuffled_bytes"),
        held=record["extras"].get("held_bytes"),
        quick=setting["quick"] or is_busy(row),
        processor=setting["processor"],
        date=setting["date"][:10],
    )


def is_busy(row: Mapping[str, Any]) -> bool:
    """Return whether other programs used the processors: one thread waited for its own."""
    alone = row["subjects"].get(ALONE)
    return alone is not None and alone["median_seconds"] > BUSY * alone["cpu_seconds"]
