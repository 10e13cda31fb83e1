"""Judgments larger than memory give the same rows as in memory."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gainful
from columnar_data import as_rows
from combinations import ALL
from gainful.data.coercion import judgments_memory, load_judgments
from gainful.data.qrels import DiskQrels
from gainful.errors import ArgumentError, GainfulError, ParameterError
from requirements import need

MEASURES = ["nDCG@3", "nDCG", "AP", "RR", "P@2", "R@5", "ERR@4", "Judged@3"]
KINDS = ("text", "standard text", "csv", "json lines", "parquet", "parquet files", "stream")
#: Limits in bytes: less than a row, some rows, all rows.
LIMITS = (1, 100, 700, 10**6)

#: Few queries and documents, so that scattered queries and duplicates are common.
judged = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 14), st.sampled_from([0, 1, 2, 3, -1, 0.5])),
    min_size=1,
    max_size=60,
)
ranked = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 16), st.sampled_from([0.5, 1.0, 0.0, 7.25])),
    min_size=1,
    max_size=50,
    unique_by=lambda row: row[:2],
)


def held(rows: list[tuple[int, int, float]], kind: str, folder: Path) -> Any:
    """Return judgments in a form that `evaluate` accepts."""
    named = [(f"q{query}", f"d{document}", grade) for query, document, grade in rows]
    if "text" in kind:
        path = folder / "qrels.txt"
        lines = [f"{query} 0 {document} {grade}\n" for query, document, grade in named]
        path.write_text("".join(lines))
        if kind == "text":
            return path
        import gzip

        # Compressed files cannot be read from the middle, and errors name their lines.
        Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes()))
        return Path(f"{path}.gz")
    if kind == "csv":
        path = folder / "qrels.csv"
        path.write_text(
            "query_id,doc_id,grade\n"
            + "".join(f"{query},{document},{grade}\n" for query, document, grade in named)
        )
        return path
    if kind == "json lines":
        import json

        path = folder / "qrels.jsonl"
        names = ("query_id", "doc_id", "grade")
        path.write_text(
            "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in named)
        )
        return path
    pa, pq = need("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = list(zip(*named, strict=True))
    table = pa.table(
        {
            "query_id": pa.array(columns[0]),
            "doc_id": pa.array(columns[1]).dictionary_encode(),
            "grade": pa.array(columns[2], pa.float64()),
        }
    )
    if kind == "stream":
        return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=7))
    if kind == "parquet":
        pq.write_table(table, folder / "qrels.parquet", row_group_size=5)
        return folder / "qrels.parquet"
    for number in range(0, len(named), 9):
        pq.write_table(table.slice(number, 9), folder / f"part-{number:03}.parquet")
    return folder / "part-*.parquet"


def outcome(qrels: Any, run: Any, convention: Any, **options: Any) -> Any:
    """Return the rows of an evaluation, or its error with its place."""
    try:
        result = gainful.evaluate(qrels, run, MEASURES, convention=convention, threads=2, **options)
        return as_rows(result), result.counts(result.systems[0]), result.judgments_digest
    except GainfulError as error:
        return type(error), str(error)


@pytest.fixture(autouse=True)
def no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the limit from the environment."""
    monkeypatch.delenv("GAINFUL_JUDGMENTS_MEMORY", raising=False)


@settings(deadline=None, max_examples=80 if ALL else 40)
@given(
    rows=judged,
    run=ranked,
    together=st.booleans(),
    kind=st.sampled_from(KINDS),
    limit=st.sampled_from(LIMITS),
    duplicates=st.sampled_from(["error", "first", "last", "best", "count"]),
    negative=st.sampled_from(["zero", "signed", "unjudged", "drop", "error"]),
    fractions=st.sampled_from(["keep", "truncate", "error"]),
    missing=st.sampled_from(["empty", "skip", "error"]),
    unjudged=st.sampled_from(["zero", "condense"]),
)
def test_judgments_on_disk_and_in_memory_give_equal_rows(
    rows: Any,
    run: Any,
    together: bool,
    kind: str,
    limit: int,
    duplicates: str,
    negative: str,
    fractions: str,
    missing: str,
    unjudged: str,
) -> None:
    if together:
        rows = sorted(rows, key=lambda row: row[0])
    convention = gainful.conventions.get("gainful-1").replace(
        duplicates=duplicates,
        negative=negative,
        fractions=fractions,
        missing=missing,
        unjudged=unjudged,
    )
    ranking: dict[str, dict[str, float]] = {}
    for query, document, score in run:
        ranking.setdefault(f"q{query}", {})[f"d{document}"] = score
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        usual = outcome(held(rows, kind, folder), ranking, convention)
        patch.setenv("GAINFUL_JUDGMENTS_MEMORY", str(limit))
        assert outcome(held(rows, kind, folder), ranking, convention) == usual


def test_judgments_above_the_limit_are_on_disk() -> None:
    qrels = {f"q{query}": {f"d{n}": n % 3 for n in range(20)} for query in range(30)}
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "qrels.txt"
        gainful.Qrels(qrels).write(path)
        on_disk = load_judgments(path, memory=1000)
        assert isinstance(on_disk, DiskQrels)
        assert (len(on_disk), on_disk.has_subtopics) == (30, False)
        assert on_disk.digest == gainful.Qrels(qrels).digest
        assert isinstance(load_judgments(path, memory=10**6), gainful.Qrels)


def test_subtopics_on_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    lines = [
        f"q{query} {label} d{document} {(document + label) % 3}\n"
        for label in (1, 2, 10)
        for query in range(6)
        for document in range(8)
    ]
    path.write_text("".join(lines))
    run = {f"q{query}": [f"d{n}" for n in range(9, 0, -1)] for query in range(6)}
    measures = ["alpha_nDCG@5", "ERR_IA@5"]
    usual = gainful.evaluate(path, run, measures)
    monkeypatch.setenv("GAINFUL_JUDGMENTS_MEMORY", "500")
    on_disk = gainful.evaluate(path, run, measures)
    assert as_rows(on_disk) == as_rows(usual)
    assert on_disk.judgments_digest == usual.judgments_digest


@pytest.mark.parametrize("scale", [None, [0, 1, 3]])
def test_bounds_use_all_grades(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, scale: list[float] | None
) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text("".join(f"q{n % 5} 0 d{n} {n % 4}\n" for n in range(60)))
    run = {f"q{query}": [f"d{n}" for n in range(0, 80, 3)] for query in range(5)}
    usual = gainful.evaluate(path, run, "nDCG@5", bounds=True, scale=scale)
    monkeypatch.setenv("GAINFUL_JUDGMENTS_MEMORY", "300")
    on_disk = gainful.evaluate(path, run, "nDCG@5", bounds=True, scale=scale)
    assert (on_disk.bounds(), on_disk.scale) == (usual.bounds(), usual.scale)


def test_runs_of_every_kind_with_judgments_on_disk(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text("".join(f"q{n % 7} 0 d{n} {n % 4}\n" for n in range(200)))
    run.write_text("".join(f"q{n % 8} Q0 d{n * 3} 1 {1 / (n + 1)} t\n" for n in range(120)))
    usual = as_rows(gainful.evaluate(qrels, run, MEASURES))
    monkeypatch.setenv("GAINFUL_JUDGMENTS_MEMORY", "2KB")
    held_in_memory = gainful.read_run(run)
    for given_run in (run, held_in_memory, held_in_memory.to_dict()):
        assert as_rows(gainful.evaluate(qrels, given_run, MEASURES)) == usual
    both = gainful.evaluate(qrels, runs={"a": run, "b": held_in_memory}, measures="AP")
    assert both.per_query("AP", "a") == both.per_query("AP", "b")
    compared = gainful.compare(qrels, {"a": run, "b": held_in_memory}, "AP")
    assert compared.pairs[0].difference == 0


def broken(kind: str, folder: Path) -> Any:
    """Return judgments with an error near the end, when earlier ones are already on disk."""
    lines = [f"q{n % 7} 0 d{n} {n % 4}\n" for n in range(200)]
    path = folder / "qrels.txt"
    if kind == "a grade":
        lines[170] = "q1 0 d170 many\n"
    elif kind == "a line":
        lines[170] = "q1 0 d170\n"
    elif kind == "twice":
        # The first duplicate in the file is reported, not the one detected first.
        lines[170], lines[180] = lines[4], lines[179]
    if kind != "a null":
        path.write_text("".join(lines[:120]))
        (folder / "qrels-2.txt").write_text("".join(lines[120:]))
        return [path, folder / "qrels-2.txt"]
    pa, pq = need("pyarrow"), pytest.importorskip("pyarrow.parquet")
    words = [line.split() for line in lines]
    table = pa.table(
        {
            "query_id": [word[0] for word in words],
            "doc_id": [None if n == 170 else word[2] for n, word in enumerate(words)],
            "grade": [int(word[3]) for word in words],
        }
    )
    pq.write_table(table.slice(0, 120), folder / "a.parquet", row_group_size=30)
    pq.write_table(table.slice(120), folder / "b.parquet", row_group_size=30)
    return [folder / "a.parquet", folder / "b.parquet"]


@pytest.mark.parametrize("kind", ["a grade", "a line", "twice", "a null"])
def test_errors_name_the_same_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str
) -> None:
    paths = broken(kind, tmp_path)
    usual = outcome(paths, {"q1": ["d1"]}, "gainful-1")
    assert isinstance(usual[1], str)
    monkeypatch.setenv("GAINFUL_JUDGMENTS_MEMORY", "1KB")
    assert outcome(paths, {"q1": ["d1"]}, "gainful-1") == usual


def test_scores_alone_need_judgments_in_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    qrels, scores = tmp_path / "qrels.txt", tmp_path / "scores.txt"
    qrels.write_text("".join(f"q{n % 7} 0 d{n} {n % 4}\n" for n in range(200)))
    scores.write_text("".join(f"{n / 7}\n" for n in range(200)))
    gainful.evaluate(qrels, scores, "AP")
    monkeypatch.setenv("GAINFUL_JUDGMENTS_MEMORY", "1KB")
    with pytest.raises(ArgumentError, match="judgments in memory.*GAINFUL_JUDGMENTS_MEMORY"):
        gainful.evaluate(qrels, scores, "AP")


@pytest.mark.parametrize("text", ["some", "12 apples", "-1", "0", "nan", "GB", "1e400"])
def test_invalid_limits_are_errors(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("GAINFUL_JUDGMENTS_MEMORY", text)
    with pytest.raises(ParameterError, match="GAINFUL_JUDGMENTS_MEMORY.*such as 500MB"):
        gainful.evaluate("qrels.txt", {"q": ["d"]}, "AP")


def test_limits() -> None:
    assert [judgments_memory(text) for text in ("7", "1.5kb", " 3 MB ", "2TB")] == [
        *(7, 1500, 3 * 10**6, 2 * 10**12)
    ]


EVALUATE = """
import resource
import sys
import gainful
largest = int(sys.argv[1])
if largest:
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
gainful.evaluate("-", {"q1": ["d1"]}, "AP")
"""


def program(temporary: Path, largest: int = 0) -> subprocess.Popen[bytes]:
    """Start an evaluation of judgments from the standard input, of which memory holds 200 kB.

    If a number of bytes is given, no file that it writes may exceed it.
    """
    return subprocess.Popen(
        [sys.executable, "-c", EVALUATE, str(largest)],
        env={
            **os.environ,
            "PYTHONPATH": str(Path(gainful.__file__).parents[1]),
            "GAINFUL_JUDGMENTS_MEMORY": "200KB",
            "TMPDIR": str(temporary),
        },
        bufsize=0,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def feed(running: subprocess.Popen[bytes], seen: Callable[[], bool]) -> None:
    """Write judgments until the program ends; fail unless `seen` returned True before."""
    assert running.stdin is not None
    done = False
    with contextlib.suppress(BrokenPipeError):
        for part in range(10_000):
            first = part * 1000
            lines = [f"q{n % 997} 0 document-{n} {n % 4}\n" for n in range(first, first + 1000)]
            running.stdin.write("".join(lines).encode())
            done = done or seen()
            if running.poll() is not None:
                break
    assert done


@pytest.mark.skipif(sys.platform != "linux", reason="files of a process are looked for in /proc")
@pytest.mark.parametrize("sent", ["SIGINT", "SIGKILL"])
def test_a_killed_program_leaves_no_file(tmp_path: Path, sent: str) -> None:
    with program(tmp_path) as running:
        files = Path(f"/proc/{running.pid}/fd")

        def seen() -> bool:
            with contextlib.suppress(OSError):
                if any(os.readlink(file).startswith(str(tmp_path)) for file in files.iterdir()):
                    running.send_signal(signal.Signals[sent])
                    return True
            return False

        feed(running, seen)
        _, stderr_text = running.communicate(timeout=60)
    assert running.returncode
    assert sent == "SIGKILL" or b"KeyboardInterrupt" in stderr_text
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process")
def test_a_full_disk_is_an_error(tmp_path: Path) -> None:
    # A file size limit imitates a full disk.
    with program(tmp_path, largest=300_000) as running:
        feed(running, lambda: True)
        _, stderr_text = running.communicate(timeout=60)
    assert running.returncode == 1
    assert f"SourceError: {tmp_path}: cannot write judgments".encode() in stderr_text
    assert b"GAINFUL_JUDGMENTS_MEMORY" in stderr_text
    assert not list(tmp_path.iterdir())
