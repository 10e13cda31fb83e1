"""Judgments and runs in Parquet and Arrow files: folders, patterns, compressions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gainful
from columnar_data import MEASURES, QRELS, as_rows, made, table
from gainful.errors import ArgumentError, ColumnError
from gainful_program import gainful as program
from loaded_modules import HEAVY, loaded
from repeated_tests import for_each
from requirements import need

ROWS = made([(q, d, float(d % 5)) for q in range(5) for d in range(8)], together=True, once=True)


@pytest.fixture
def pq() -> Any:
    need("pyarrow")
    return pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def expected() -> Any:
    need("pyarrow")
    return as_rows(gainful.evaluate(QRELS, gainful.Run(table(ROWS)), MEASURES))


@for_each("compression", ["none", "snappy", "zstd", "gzip", "lz4"])
@for_each("ids", ["int64", "string", "dictionary"])
def test_compressions(pq: Any, expected: Any, compression: str, ids: str, tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    pq.write_table(table(ROWS, ids), path, compression=compression, row_group_size=7)
    assert as_rows(gainful.evaluate(QRELS, path, MEASURES)) == expected
    assert gainful.read_run(path) == gainful.Run(table(ROWS))


@for_each("compression", [None, "lz4", "zstd"])
@for_each("kind", ["new_file", "new_stream"])
def test_arrow_files(
    pq: Any, expected: Any, kind: str, compression: str | None, tmp_path: Path
) -> None:
    pa = need("pyarrow")
    path = tmp_path / "run.bin"
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with getattr(pa.ipc, kind)(str(path), table(ROWS).schema, options=options) as writer:
        writer.write_table(table(ROWS), max_chunksize=6)
    assert as_rows(gainful.evaluate(QRELS, path, MEASURES)) == expected
    assert gainful.read_run(path) == gainful.Run(table(ROWS))


def test_a_folder_is_read_as_one_table(pq: Any, expected: Any, tmp_path: Path) -> None:
    whole = table(ROWS)
    night = tmp_path / "night"
    for place, rows in (("a", whole[:9]), ("b/part=1", whole[9:20]), ("c", whole[20:])):
        (night / place).mkdir(parents=True)
        pq.write_table(rows, night / place / "0.parquet")
    (night / "_SUCCESS").write_text("")
    (night / ".old.parquet").write_text("not Parquet")
    result = gainful.evaluate(QRELS, night, MEASURES)
    assert as_rows(result) == expected
    assert result.systems == ("night",)
    assert as_rows(gainful.evaluate(QRELS, str(night / "**" / "*.parquet"), MEASURES)) == expected


def test_an_existing_name_is_not_a_pattern(pq: Any, expected: Any, tmp_path: Path) -> None:
    pq.write_table(table(ROWS), tmp_path / "run[1].parquet")
    pq.write_table(table(ROWS[:5]), tmp_path / "run1.parquet")
    path = str(tmp_path / "run[1].parquet")
    assert as_rows(gainful.evaluate(QRELS, path, MEASURES)) == expected


def test_patterns_of_text_files(small_files: Path) -> None:
    lines = (small_files / "bm25.run").read_text().splitlines(keepends=True)
    (small_files / "part-1.trec").write_text("".join(lines[:9]))
    (small_files / "part-2.trec").write_text("".join(lines[9:]))
    one = gainful.evaluate("qrels.txt", "bm25.run", "AP")
    several = gainful.evaluate("qrels.txt", "part-*.trec", "AP")
    assert as_rows(several) == as_rows(one)


def test_judgments(pq: Any, expected: Any, tmp_path: Path) -> None:
    pa = need("pyarrow")
    judged = [(q, d, grade) for q, documents in QRELS.items() for d, grade in documents.items()]
    queries, documents, grades = (list(column) for column in zip(*judged, strict=True))
    frame = pa.table({"qid": queries, "docno": documents, "label": grades})
    pq.write_table(frame, tmp_path / "qrels.parquet")
    assert gainful.read_qrels(tmp_path / "qrels.parquet") == gainful.Qrels(QRELS)
    found = gainful.evaluate(tmp_path / "qrels.parquet", gainful.Run(table(ROWS)), MEASURES)
    assert as_rows(found) == expected
    stars = frame.rename_columns(["qid", "docno", "stars"])
    pq.write_table(stars, tmp_path / "stars.parquet")
    with pytest.raises(ColumnError, match="grade"):
        gainful.read_qrels(tmp_path / "stars.parquet")
    named = gainful.read_qrels(tmp_path / "stars.parquet", columns={"grade": "stars"})
    assert named == gainful.Qrels(QRELS)
    with pytest.raises(ArgumentError, match="a mapping"):
        gainful.read_qrels(tmp_path / "stars.parquet", columns=["a", "b", "c"])


def test_judgments_of_subtopics(pq: Any, tmp_path: Path) -> None:
    pa = need("pyarrow")
    frame = pa.table(
        {"query": ["q", "q"], "subtopic": [1, 2], "doc_id": ["a", "a"], "grade": [1, 1]}
    )
    pq.write_table(frame, tmp_path / "qrels.parquet")
    own = gainful.read_qrels(tmp_path / "qrels.parquet", subtopics=True)
    assert own == gainful.Qrels(frame, subtopics=True)


def test_a_ranking_without_scores(pq: Any, tmp_path: Path) -> None:
    ranking = table(ROWS).drop_columns(["score"])
    pq.write_table(ranking, tmp_path / "run.parquet")
    result = gainful.evaluate(QRELS, tmp_path / "run.parquet", MEASURES)
    assert as_rows(result) == as_rows(gainful.evaluate(QRELS, gainful.Run(ranking), MEASURES))


def test_compare_and_the_command_line_accept_them(pq: Any, small_files: Path, output_of) -> None:
    pa = need("pyarrow")
    for name in ("bm25", "dense"):
        pq.write_table(pa.table(gainful.read_run(f"{name}.run")), f"{name}.parquet")
    text = output_of("compare", "qrels.txt", "bm25.run", "dense.run", "-m", "nDCG@10")
    columns = output_of("compare", "qrels.txt", "bm25.parquet", "dense.parquet", "-m", "nDCG@10")
    assert columns == text


def test_an_arrow_stream_from_standard_input(pq: Any, small_files: Path, output_of) -> None:
    pa = need("pyarrow")
    run = pa.table(gainful.read_run("bm25.run"))
    options = ("-m", "nDCG@10", "--format", "tsv")
    expected = output_of("evaluate", "qrels.txt", "bm25.run", *options)
    for rows in (run, run.sort_by("score")):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, rows.schema) as writer:
            writer.write_table(rows, max_chunksize=5)
        content = sink.getvalue().to_pybytes()
        done = program("evaluate", "qrels.txt", "bm25=-", *options, input=content)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.decode() == expected


def test_parquet_needs_no_library(pq: Any, tmp_path: Path) -> None:
    pq.write_table(table(ROWS), tmp_path / "run.parquet")
    path = str(tmp_path / "run.parquet")
    code = f"import gainful; gainful.evaluate({QRELS!r}, {path!r}, 'nDCG@10').mean()"
    assert loaded(code, *HEAVY) == set()


def test_memory_does_not_depend_on_the_size_of_the_run(pq: Any, tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("peak memory is measured as Linux tells it")
    pa = need("pyarrow")
    peaks = []
    for queries in (100, 30_000):
        rows = np.arange(queries * 100)
        scores = (rows * 7919 % 104729).astype(float)
        run = pa.table({"query_id": rows // 100, "doc_id": rows, "score": scores})
        judged = "".join(f"{query} 0 {query * 100 + 7} 1\n" for query in range(queries))
        (tmp_path / "qrels.txt").write_text(judged)
        path = tmp_path / f"{queries}.parquet"
        pq.write_table(run, path, row_group_size=100_000)
        code = (
            "import gainful\n"
            f"qrels = {str(tmp_path / 'qrels.txt')!r}\n"
            f"gainful.evaluate(qrels, {str(path)!r}, 'nDCG@10', threads=2)\n"
            "print(*[line.split()[1] for line in open('/proc/self/status') if 'VmHWM' in line])"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
        )
        peaks.append(int(done.stdout) / 1024)
    # Three million rows alone are 72 MB.
    assert peaks[1] - peaks[0] < 30
