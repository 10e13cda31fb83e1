"""The tables of docs/large-files.md equal their program's output, and its sums are correct."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from requirements import ROOT

BENCHMARKS = ROOT / "benchmarks"
MODULES = ("extrapolation", "formatting", "how_large", "rates", "scaling_tables")


@pytest.fixture
def how_large(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Import benchmarks/how_large.py, and forget it and its neighbours afterwards."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import how_large

    yield how_large
    for name in MODULES:
        sys.modules.pop(name, None)


def rate(rows: int, seconds: float = 1.0, **more: Any) -> dict[str, Any]:
    base = {"rows": rows, "seconds": seconds, "cpu_seconds": 2 * seconds, "peak_mb": 100.0}
    return {**base, "cores": 2, **more}


def results(family: str, subjects: dict[str, dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Return the content of a file of results with one row."""
    base = {"median_seconds": 1.5, "cpu_seconds": 2.5, "peak_mb": 90.0, "extras": {}}
    row = {"family": family, "job": family, "error": "", "rows": 400, "size": 4_000, **more}
    setting = {"date": "2026-01-02T03:04:05", "processor": "abacus", "processors": 2}
    return {
        "setting": {**setting, "quick": False, "peers": {}},
        "rows": [{**row, "subjects": {name: {**base, **each} for name, each in subjects.items()}}],
    }


def test_the_page_equals_the_output(how_large: ModuleType) -> None:
    import rates

    text = how_large.PAGE.read_text(encoding="utf-8")
    on_page = set(re.findall(r"<!-- printed: (\w+) -->", text))
    only_printed = {"assumptions", "cluster", "doubling", "growth", "threads"}
    assert on_page == set(how_large.PARTS) - only_printed
    written = how_large.page(how_large.Case(rates.load()), text)
    assert written == text, "python benchmarks/how_large.py --write"


def test_it_prints_for_other_assumptions() -> None:
    """As a program, since that is how a reader calls it."""
    program = [sys.executable, BENCHMARKS / "how_large.py", "--rows", "2e9", "--machines", "7"]
    done = subprocess.run(program, check=True, capture_output=True, text=True)
    assert "**2 billion rows**" in done.stdout
    assert "| machines | 7 | assumed |" in done.stdout


def test_times_of_the_cluster_add_up(how_large: ModuleType) -> None:
    from extrapolation import Cluster, Data
    from rates import Rate

    data = Data(rows=1e9, depth=100, judged=6)
    cluster = Cluster(
        machines=10, cores=5, busy=0.5, network=2, disk=1, tasks=2, skew=4, row=100, start=20
    )
    found = cluster.seconds(data, Rate(**rate(1_000_000, shuffled=3e7)))
    # 2 µs of processor and 30 bytes a row; 50 cores that work half of the time; 3 GB a machine.
    assert found == pytest.approx(
        {
            "computing": 1e9 * 2e-6 / 25,
            "writing and reading the shuffle": 6.0,
            "sending the shuffle": 1.5 * 0.9,
            "waiting for the largest task": 3 * 1e7 * 2e-6 / 0.5,
            "sending results to the driver": 1e7 * 100 / 2e9,
            "starting": 20,
        }
    )
    same = Rate(**rate(1_000_000, shuffled=3e7))
    double = cluster.seconds(Data(rows=2e9, depth=100, judged=6), same)
    assert all(
        double[part] == pytest.approx(2 * found[part]) for part in found if part != "starting"
    )


def test_one_machine_waits_for_its_processors_or_its_disk(how_large: ModuleType) -> None:
    from extrapolation import Data, Machine
    from rates import Rate

    data = Data(rows=1e9, depth=100, judged=6)
    slow = Rate(**rate(1_000_000, seconds=0.01, size=4_000_000))
    assert Machine(2).seconds(data, slow) == pytest.approx(10.0)
    # Sixteen cores would need 10 / 8 / 0.8 seconds, and 4 GB at 1 GB a second take longer.
    assert Machine(16).seconds(data, slow) == pytest.approx(4.0)
    small = Rate(**rate(1_000_000, seconds=0.01, size=1_000))
    assert Machine(16).seconds(data, small) == pytest.approx(10 / 8 / 0.8)
    assert Machine(2).memory(data, judgment=10, query=50) == pytest.approx(6e7 * 10 + 1e7 * 50)
    # Judgments above 1 GiB are on disk.
    assert Machine(2).memory(data, judgment=100, query=50) == pytest.approx(2**30 + 1e7 * 50)


def test_threads_divide_all_but_the_first_query(how_large: ModuleType) -> None:
    import scaling_tables
    from rates import Rate

    one = rate(1_000_000, seconds=1.0, size=4_000_000_000)
    measured = {
        "1 thread": Rate(**{**one, "cpu_seconds": 1.1}),
        "2 threads": Rate(**{**one, "seconds": 0.7}),
        "first query": Rate(**{**rate(1, seconds=0.1), "cpu_seconds": 0.1}),
        "memory, 1 thread": Rate(**rate(1, seconds=0.5, size=10_000_000_000)),
        "memory, 2 threads": Rate(**rate(1, seconds=0.25, size=10_000_000_000)),
    }
    found = list(scaling_tables.threads(measured))[2:]
    assert found == [
        "| 1 | 1 s | 1.1 s | 1× | 4 GB/s | 10% |",
        "| 2 | 0.7 s | 0.6 s | 1.83× | 5.7 GB/s | 14.3% |",
        "| 4 |  | 0.35 s | 3.1× | 11.4 GB/s | 29% |",
        "| 8 |  | 0.23 s | 4.9× | 17.8 GB/s | 44% |",
        "| 16 |  | 0.163 s | 6.8× | 25 GB/s | 62% |",
    ]


def test_times_of_a_busy_machine_are_not_measurements(
    how_large: ModuleType, tmp_path: Path
) -> None:
    import rates
    import scaling_tables

    def measured(seconds: float) -> dict[str, Any]:
        """Take over the times of one thread that computed for two seconds."""
        one = {"1 thread": {"median_seconds": seconds, "cpu_seconds": 2.0}}
        kept, file = tmp_path / "rates.json", tmp_path / "results.json"
        kept.unlink(missing_ok=True)
        content = results("scaling", {**one, "the first query": {"cpu_seconds": 1.0}})
        content["rows"] += results("scaling", one)["rows"]
        file.write_text(json.dumps(content), encoding="utf-8")
        rates.take([file], kept)
        return rates.load(kept)

    idle, busy = measured(2.1), measured(8.0)
    assert list(scaling_tables.threads(idle))[2].startswith("| 1 | 2.1 s | 2 s |")
    assert list(scaling_tables.threads(busy))[2].startswith("| 1 |  | 2 s |")
    assert scaling_tables.bandwidth(idle) == pytest.approx(4_000 / 2.1)
    assert scaling_tables.bandwidth(busy) == 2_000


def test_growth_leaves_out_the_startup(how_large: ModuleType) -> None:
    import scaling_tables
    from rates import Rate

    measured = {
        "first query": Rate(**{**rate(1), "cpu_seconds": 0.1}),
        "growth, 4 systems": Rate(**{**rate(1), "cpu_seconds": 0.9}),
        "growth, 10 queries × 10 documents": Rate(**{**rate(1), "cpu_seconds": 0.3}),
    }
    assert list(scaling_tables.growth(measured))[2:] == [
        "| 10 queries × 10 documents | 0.3 s |  |",
        "| 4 systems | 0.9 s | 4× |",
    ]


def test_memory_is_computed_from_added_rows(how_large: ModuleType) -> None:
    from rates import Rate, bytes_each

    large, small = Rate(**rate(5_000_000)), Rate(**{**rate(1_000_000), "peak_mb": 20.0})
    assert bytes_each(large, small) == pytest.approx(20.0)


def test_rates_are_taken_over(how_large: ModuleType, tmp_path: Path) -> None:
    import rates

    kept = tmp_path / "rates.json"
    spark, quarter = {"extras": {"shuffled_bytes": 77.0}}, {"peak_mb": 30.0}
    files = {
        "spark.json": results("spark", {"Gainful": spark}),
        "text.json": results("text", {"Gainful": {}, "Gainful, a quarter": quarter, "cat": {}}),
        "unknown.json": results("files", {"Gainful": {}}),
    }
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    assert rates.take([tmp_path / name for name in files], kept) == [
        "spark",
        "text",
        "text, quarter",
    ]
    found = rates.load(kept)
    assert found["spark"].where == "2 cores of abacus, 2026-01-02"
    assert found["spark"].shuffled == 77.0
    assert (found["text"].rows, found["text"].size) == (400, 4_000)
    assert (found["text, quarter"].rows, found["text, quarter"].peak_mb) == (100, 30.0)
    # Another file replaces what it has, and leaves the rest.
    files["text.json"]["rows"][0]["subjects"]["Gainful"]["median_seconds"] = 9.0
    (tmp_path / "text.json").write_text(json.dumps(files["text.json"]), encoding="utf-8")
    rates.take([tmp_path / "text.json"], kept)
    again = rates.load(kept)
    assert again["text"].seconds == 9.0
    assert again["spark"] == found["spark"]


def test_rates_of_one_family_are_those_of_one_machine(
    how_large: ModuleType, tmp_path: Path
) -> None:
    import rates

    kept, file = tmp_path / "rates.json", tmp_path / "results.json"
    for names in (["1 thread", "2 threads", "4 threads"], ["1 thread", "2 threads"]):
        row = results("scaling", {name: {} for name in names})
        row["rows"] += 2 * results("scaling", {"1 thread": {}})["rows"]
        row["rows"] += results("scaling", {"4 systems": {}})["rows"]
        file.write_text(json.dumps(row), encoding="utf-8")
        rates.take([file], kept)
    found = rates.load(kept)
    assert "4 threads" not in found
    assert {"1 thread", "2 threads", "growth, 4 systems"} <= found.keys()


def test_a_row_that_failed_is_no_rate(how_large: ModuleType, tmp_path: Path) -> None:
    import rates

    file = tmp_path / "results.json"
    failed = results("text", {"Gainful": {}}, error="ANSWERS DISAGREE")
    file.write_text(json.dumps(failed), encoding="utf-8")
    with pytest.raises(SystemExit, match="text: ANSWERS DISAGREE"):
        rates.take([file], tmp_path / "rates.json")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.0123, "0.0123"), (1.0, "1"), (1.234, "1.23"), (42.4, "42"), (98_765, "99,000")],
)
def test_numbers_have_two_digits(how_large: ModuleType, value: float, text: str) -> None:
    assert how_large.digits(value) == text


def test_units_fit(how_large: ModuleType) -> None:
    assert how_large.amount(1e10) == "10 billion"
    assert how_large.amount(999_999_999) == "1 billion"
    assert how_large.memory(1.5e9) == "1.5 GB"
    assert how_large.memory(40e6) == "40 MB"
    assert how_large.span(119) == "119 s"
    assert how_large.span(7_200) == "2 h"
