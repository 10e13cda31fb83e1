"""Judgments and runs at addresses: the same values, with few bytes transferred."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gainful
from columnar_data import as_rows, table
from gainful.data.convert import convert
from http_files import Files, serving_files
from remote_data import (
    DOCUMENTS,
    JUDGED,
    MEASURES,
    QRELS,
    QUERIES,
    ROWS,
    TEXT,
    arrow,
    parquet,
    rows,
    run_command,
    served,
    stored,
)
from requirements import need

RANK_EVAL = {
    "requests": [
        {
            "id": "q1",
            "request": {"query": {"match": {"text": "shoes"}}},
            "ratings": [{"_index": "shop", "_id": "d1", "rating": 2}],
        }
    ]
}


@pytest.fixture
def expected() -> Any:
    """Return the rows of the same run in memory."""
    return as_rows(
        gainful.evaluate(QRELS, [(r.query, r.document, r.score) for r in ROWS], MEASURES)
    )


@pytest.fixture
def store() -> Iterator[Any]:
    """Return a function that puts bytes into fsspec's memory and returns their address."""
    yield from stored()


@pytest.fixture
def web() -> Iterator[Files]:
    """Return files on a web server that sends parts."""
    yield from served()


# --- the same numbers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "squeeze"),
    [
        ("run.txt", bytes),
        ("run.txt.gz", gzip.compress),
        ("run.txt.bz2", bz2.compress),
        ("run.txt.xz", lzma.compress),
    ],
)
def test_text_of_a_run_and_of_judgments(store: Any, expected: Any, name: str, squeeze: Any) -> None:
    run, judged = store(name, squeeze(TEXT)), store(f"qrels{name[3:]}", squeeze(JUDGED))
    result = gainful.evaluate(judged, run, MEASURES)
    assert as_rows(result) == expected
    assert (
        as_rows(gainful.evaluate(gainful.read_qrels(judged), gainful.Run(run), MEASURES))
        == expected
    )


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("size", [100, 1000, 10**6])
def test_parquet(store: Any, expected: Any, size: int, threads: int) -> None:
    run = store("run.parquet", parquet(row_group_size=size))
    assert as_rows(gainful.evaluate(QRELS, run, MEASURES, threads=threads)) == expected


def test_judgments_in_parquet(store: Any, expected: Any) -> None:
    pa = need("pyarrow")
    judged = [(q, d, grade) for q, own in QRELS.items() for d, grade in own.items()]
    whole = pa.table(
        dict(zip(("query_id", "doc_id", "grade"), zip(*judged, strict=True), strict=True))
    )
    address = store("qrels.parquet", parquet(whole))
    assert as_rows(gainful.evaluate(address, store("run.txt", TEXT), MEASURES)) == expected


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_arrow(store: Any, expected: Any, kind: str) -> None:
    address = store("run.arrow", arrow(kind))
    assert as_rows(gainful.evaluate(QRELS, address, MEASURES)) == expected


def test_scattered_rows(store: Any) -> None:
    draw = random.Random(3)
    mixed = draw.sample(ROWS, len(ROWS))
    text = "".join(f"{r.query} Q0 {r.document} {r.rank} {r.score} t\n" for r in mixed)
    held = gainful.evaluate(QRELS, [(r.query, r.document, r.score) for r in mixed], MEASURES)
    for address in (store("run.txt", text.encode()), store("run.parquet", parquet(table(mixed)))):
        assert as_rows(gainful.evaluate(QRELS, address, MEASURES)) == as_rows(held)


def test_text_in_many_segments(store: Any) -> None:
    long = "{:>01000}".format  # So that few rows are many bytes.
    many = [row._replace(document=long(row.document)) for row in rows(150, 120)]
    text = "".join(f"{r.query} Q0 {r.document} {r.rank} {r.score} t\n" for r in many).encode()
    assert len(text) > 16 << 20, "one segment only"
    grades = {long("d1"): 1, long("d2"): 2, long("d3"): 3}
    qrels = {f"q{query}": grades for query in range(150)}
    held = gainful.evaluate(qrels, [(r.query, r.document, r.score) for r in many], MEASURES)
    found = gainful.evaluate(qrels, store("run.txt", text), MEASURES, threads=2)
    assert as_rows(found) == as_rows(held)


def test_a_folder_and_patterns(store: Any, expected: Any) -> None:
    half = DOCUMENTS * (QUERIES // 2)
    first = store("night/part-0.parquet", parquet(table(ROWS[:half])))
    store("night/more/part-1.parquet", parquet(table(ROWS[half:])))
    store("night/_SUCCESS", b"")
    store("night/.hidden/part-2.parquet", parquet())
    store("night/.part-3.parquet", parquet())
    folder = first.rpartition("/")[0]
    for place in (folder, folder + "/", folder + "/**/*.parquet", [first, folder + "/more"]):
        found = gainful.evaluate(QRELS, runs={"run": place}, measures=MEASURES)
        assert as_rows(found) == expected, place


def test_a_name_with_the_marks_of_a_pattern(store: Any, expected: Any) -> None:
    run = store("run [1]?.txt", TEXT)
    assert as_rows(gainful.evaluate(QRELS, run, MEASURES)) == expected


def test_a_file_within_an_archive(tmp_path: Path, expected: Any) -> None:
    need("fsspec")
    import zipfile

    with zipfile.ZipFile(tmp_path / "night.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bm25.run", TEXT)
        archive.writestr("bm25.parquet", parquet())
    for name in ("bm25.run", "bm25.parquet"):
        result = gainful.evaluate(QRELS, f"zip://{name}::file://{tmp_path}/night.zip", MEASURES)
        assert as_rows(result) == expected
        assert result.systems == ("bm25",)


@pytest.mark.parametrize("name", ["run.txt", "a run.txt", "a%20run.txt"])
def test_the_address_of_a_local_file_is_a_path(
    tmp_path: Path, expected: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / name).write_bytes(TEXT)
    monkeypatch.setitem(sys.modules, "fsspec", None)
    for address in (f"file://{tmp_path}/{name}", (tmp_path / name).as_uri()):
        assert as_rows(gainful.evaluate(QRELS, address, MEASURES)) == expected


def test_judgment_lists_and_other_formats(store: Any) -> None:
    rated = b"q1,shoes,d1,3\nq1,shoes,d2,0\n"
    qrels = gainful.read_qrels(store("rated.csv", b"query_id,query,doc_id,grade\n" + rated))
    assert qrels["q1"] == {"d1": 3, "d2": 0}
    run = gainful.Run(store("run.json", b'{"q1": {"d1": 2.0, "d2": 1.0}}'))
    assert run["q1"] == [("d1", 2.0), ("d2", 1.0)]
    raters = b"query_id,doc_id,rater,grade\nq1,d1,ann,1\nq1,d1,bob,3\n"
    listed = gainful.read_qrels(store("raters.csv", raters), format="raters:mean")
    assert listed["q1"] == {"d1": 2}
    found = gainful.read_qrels(store("rated.json", json.dumps(RANK_EVAL).encode()))
    assert found["q1"] == {"d1": 2}
    assert "rank" in str(found.note)


def test_systems_are_named_after_their_files(store: Any) -> None:
    comparison = gainful.compare(
        store("qrels.txt", JUDGED),
        [store("bm25.run", TEXT), store("dense.txt.gz", gzip.compress(TEXT))],
        "nDCG@10",
    )
    assert "bm25" in str(comparison)
    assert "dense" in str(comparison)


def test_a_format_is_converted(web: Files, tmp_path: Path) -> None:
    web.contents["qrels.tsv"] = b"query_id\tdoc_id\tgrade\nq1\td1\t1\n"
    convert(web.url("qrels.tsv"), tmp_path / "qrels.txt", kind="qrels")
    assert (tmp_path / "qrels.txt").read_text() == "q1 0 d1 1\n"
    web.contents["qrels.txt"] = JUDGED
    convert(web.url("qrels.txt"), tmp_path / "qrels.tsv")
    assert gainful.read_qrels(tmp_path / "qrels.tsv") == gainful.Qrels(QRELS)


# --- a web server -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["systems.csv", "systems.jsonl", "systems.csv.gz"])
def test_systems_of_a_served_file_are_several_runs(web: Files, name: str) -> None:
    rows = [("x", "q1", "a", 2), ("x", "q1", "b", 1), ("y", "q1", "a", 1), ("y", "q1", "b", 2)]
    names = ("system", "query", "doc", "score")
    if name.endswith("jsonl"):
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    else:
        lines = [",".join(map(str, row)) for row in (names, *rows)]
    content = "\n".join(lines).encode()
    web.contents[name] = gzip.compress(content) if name.endswith("gz") else content
    result = gainful.evaluate({"q1": {"a": 1}}, web.url(name), "RR")
    assert {system: result.mean("RR", system) for system in result.systems} == {"x": 1.0, "y": 0.5}


@pytest.mark.parametrize("ranges", [True, False], ids=["ranges", "whole"])
def test_systems_of_served_parquet_are_transferred_once(ranges: bool) -> None:
    need("fsspec"), need("aiohttp")
    pa = need("pyarrow")
    columns = {"system": ["x", "y"], "query": ["q1"] * 2, "doc": ["a", "b"], "score": [2.0, 1.0]}
    with serving_files(ranges) as files:
        files.contents["systems.parquet"] = parquet(pa.table(columns))
        result = gainful.evaluate({"q1": {"a": 1}}, files.url("systems.parquet"), "RR")
        assert {one: result.mean("RR", one) for one in result.systems} == {"x": 1.0, "y": 0.0}
        size = len(files.contents["systems.parquet"])
        assert files.bytes_sent("systems.parquet") <= 2 * size + 1


def test_only_the_needed_columns_of_parquet_are_transferred(web: Files, expected: Any) -> None:
    pa = need("pyarrow")
    draw = random.Random(1)
    whole = table(ROWS)
    texts = [draw.randbytes(2000).hex() for _ in ROWS]
    whole = whole.append_column("text", pa.array(texts)).append_column(
        "deep", pa.array([{"text": text, "n": 1} for text in texts])
    )
    whole = whole.select(["text", "query_id", "deep", "doc_id", "rank", "score"])
    content = parquet(whole, row_group_size=1000, compression="none")
    web.contents["run.parquet"] = content
    result = gainful.evaluate(QRELS, web.url("run.parquet"), MEASURES, threads=1)
    assert as_rows(result) == expected
    metadata = pytest.importorskip("pyarrow.parquet").ParquetFile(pa.BufferReader(content)).metadata
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    columns = [group.column(at) for group in groups for at in range(group.num_columns)]
    sizes = {column.path_in_schema: 0 for column in columns}
    for column in columns:
        sizes[column.path_in_schema] += column.total_compressed_size
    needed = sum(sizes[name] for name in ("query_id", "doc_id", "score"))
    # Besides the columns: the first 64 KiB and the last, and one byte to see whether parts are
    # sent.
    around = sizes["rank"] + 2 * 65536 + 1
    assert needed <= web.bytes_sent("run.parquet") <= needed + around
    assert len(content) > 20 * (needed + around)


def test_large_columns_are_transferred_in_blocks(web: Files) -> None:
    pa = need("pyarrow")
    draw = random.Random(5)
    count, length = 7000, 70
    whole = pa.table(
        {
            "query_id": [f"q{row // length:04}" for row in range(count)],
            "doc_id": [f"{draw.getrandbits(24_000):06000x}" for _ in range(count)],
            "score": [draw.random() for _ in range(count)],
        }
    )
    qrels = {f"q{query:04}": {whole["doc_id"][query * length].as_py(): 1} for query in range(100)}
    content = parquet(whole, row_group_size=count, compression="none", use_dictionary=False)
    assert len(content) > 40 << 20, "it comes at once"
    web.contents["run.parquet"] = content
    found = gainful.evaluate(qrels, web.url("run.parquet"), MEASURES)
    assert as_rows(found) == as_rows(gainful.evaluate(qrels, whole, MEASURES))
    assert web.bytes_sent("run.parquet") < len(content) * 1.02
    assert len(web.sent) < 60


@pytest.mark.parametrize("sized", [True, False], ids=["sized", "unsized"])
@pytest.mark.parametrize("ranges", [True, False], ids=["ranges", "whole"])
@pytest.mark.parametrize("name", ["run.txt", "run.txt.gz", "run.parquet", "run.arrow"])
def test_servers_of_all_kinds(expected: Any, name: str, ranges: bool, sized: bool) -> None:
    need("fsspec"), need("aiohttp")
    own = {
        "run.txt": lambda: TEXT,
        "run.txt.gz": lambda: gzip.compress(TEXT),
        "run.parquet": lambda: parquet(compression="none", use_dictionary=False),
        "run.arrow": lambda: arrow("file"),
    }
    with serving_files(ranges, sized) as files:
        files.contents[name] = own[name]()
        result = gainful.evaluate(QRELS, files.url(name) + "?v=1#top", MEASURES)
        assert as_rows(result) == expected
        assert result.systems == ("run",)
        # A server that sends whole files gets one request, and perhaps one for the first bytes.
        assert files.bytes_sent(name) <= 2 * len(files.contents[name]) + (1 << 17)


def test_a_folder_of_a_server(web: Files, expected: Any) -> None:
    half = DOCUMENTS * (QUERIES // 2)
    web.contents["night/part-0.parquet"] = parquet(table(ROWS[:half]))
    web.contents["night/part-1.parquet"] = parquet(table(ROWS[half:]))
    for place in ("night/", "night/*.parquet"):
        assert as_rows(gainful.evaluate(QRELS, web.url(place), MEASURES)) == expected


def test_the_command_line(web: Files, tmp_path: Path) -> None:
    web.contents["qrels.txt"], web.contents["bm25.run"] = JUDGED, TEXT
    command = ["evaluate", web.url("qrels.txt"), web.url("bm25.run"), "-m", "AP", "--format", "tsv"]
    done = run_command(command)
    assert done.stdout.splitlines()[1].startswith("bm25\tAP\t")
    assert done.stderr == ""
