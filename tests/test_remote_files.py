"""Judgments and runs behind addresses: the same numbers, few bytes, clear errors, no secrets."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

import gainful
from columnar_data import Row, as_rows, batches, table
from gainful.data.convert import convert
from gainful.errors import GainfulError, SourceError, SourceNotFoundError
from http_faults import answering
from http_files import Files, serving_files
from requirements import need

MEASURES = ["nDCG@10", "AP", "RR", "R@5"]
QUERIES, DOCUMENTS = 40, 60


def rows(queries: int = QUERIES, documents: int = DOCUMENTS) -> list[Row]:
    """Return rows of a run, with ties."""
    draw = random.Random(7)
    return [
        Row(f"q{query}", f"d{number}", rank, draw.randrange(documents) / 4)
        for query in range(queries)
        for rank, number in enumerate(draw.sample(range(4 * documents), documents), 1)
    ]


ROWS = rows()
QRELS = {
    f"q{query}": {f"d{number}": number % 4 for number in range(query, 200, 3)}
    for query in range(QUERIES + 2)
}
TEXT = "".join(f"{r.query} Q0 {r.document} {r.rank} {r.score} t\n" for r in ROWS).encode()
RANK_EVAL = {
    "requests": [
        {
            "id": "q1",
            "request": {"query": {"match": {"text": "shoes"}}},
            "ratings": [{"_index": "shop", "_id": "d1", "rating": 2}],
        }
    ]
}
JUDGED = "".join(
    f"{query} 0 {document} {grade}\n"
    for query, own in QRELS.items()
    for document, grade in own.items()
).encode()


@pytest.fixture
def expected() -> Any:
    """The rows of the same run in memory."""
    return as_rows(
        gainful.evaluate(QRELS, [(r.query, r.document, r.score) for r in ROWS], MEASURES)
    )


@pytest.fixture
def store() -> Iterator[Any]:
    """Return a function that puts bytes into fsspec's memory and returns their address."""
    fsspec = need("fsspec")
    folder = uuid4().hex
    system = fsspec.filesystem("memory")

    def put(name: str, content: bytes) -> str:
        system.pipe_file(f"/{folder}/{name}", content)
        return f"memory://{folder}/{name}"

    yield put
    if system.exists(f"/{folder}"):
        system.rm(f"/{folder}", recursive=True)


@pytest.fixture
def web() -> Iterator[Files]:
    """Files behind a web server that sends parts."""
    need("fsspec"), need("aiohttp")
    with serving_files() as files:
        yield files


def parquet(whole: Any = None, **options: Any) -> bytes:
    """Return a table as a Parquet file."""
    pa, pq = need("pyarrow"), pytest.importorskip("pyarrow.parquet")
    sink = pa.BufferOutputStream()
    pq.write_table(table(ROWS) if whole is None else whole, sink, **options)
    return bytes(sink.getvalue())


def arrow(kind: str, own: list[Row] = ROWS, *sizes: int) -> bytes:
    """Return rows as an Arrow file or stream."""
    pa = need("pyarrow")
    whole, sink = table(own), pa.BufferOutputStream()
    new = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with new(sink, whole.schema) as writer:
        for batch in batches(whole, list(sizes or (700, 0, 90))):
            writer.write_batch(batch)
    return bytes(sink.getvalue())


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
    many = rows(1500, 600)
    text = "".join(f"{r.query} Q0 {r.document} {r.rank} {r.score} t\n" for r in many).encode()
    assert len(text) > 16 << 20, "one segment only"
    qrels = {f"q{query}": {"d1": 1, "d2": 2, "d3": 3} for query in range(1500)}
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
        assert as_rows(gainful.evaluate(QRELS, place, MEASURES)) == expected, place


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


def test_systems_are_called_as_their_files(store: Any) -> None:
    comparison = gainful.compare(
        store("qrels.txt", JUDGED),
        [store("bm25.run", TEXT), store("dense.txt.gz", gzip.compress(TEXT))],
        "nDCG@10",
    )
    assert "bm25" in str(comparison)
    assert "dense" in str(comparison)


# --- a web server -------------------------------------------------------------------------------


def test_of_parquet_only_the_columns_that_are_read(web: Files, expected: Any) -> None:
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
    # Beside the columns: the first 64 KiB and the last, and one byte to see whether parts are sent.
    beside = sizes["rank"] + 2 * 65536 + 1
    assert needed <= web.bytes_sent("run.parquet") <= needed + beside
    assert len(content) > 20 * (needed + beside)


def test_large_columns_come_in_blocks(web: Files) -> None:
    pa = need("pyarrow")
    draw = random.Random(5)
    count, each = 700_000, 700
    whole = pa.table(
        {
            "query_id": [f"q{at // each:04}" for at in range(count)],
            "doc_id": [f"{draw.getrandbits(200):050x}" for _ in range(count)],
            "score": [draw.random() for _ in range(count)],
        }
    )
    qrels = {f"q{query:04}": {whole["doc_id"][query * each].as_py(): 1} for query in range(1000)}
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
        # Who sends the whole file is asked for it once, and perhaps for a look at its beginning.
        assert files.bytes_sent(name) <= 2 * len(files.contents[name]) + (1 << 17)


def test_a_folder_of_a_server(web: Files, expected: Any) -> None:
    half = DOCUMENTS * (QUERIES // 2)
    web.contents["night/part-0.parquet"] = parquet(table(ROWS[:half]))
    web.contents["night/part-1.parquet"] = parquet(table(ROWS[half:]))
    for place in ("night/", "night/*.parquet"):
        assert as_rows(gainful.evaluate(QRELS, web.url(place), MEASURES)) == expected


def said_by(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Return what a command says that does what it is asked."""
    done = subprocess.run(
        [sys.executable, "-m", "gainful.cli", *command],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    return done


def test_the_command_line(web: Files, tmp_path: Path) -> None:
    web.contents["qrels.txt"], web.contents["bm25.run"] = JUDGED, TEXT
    command = ["evaluate", web.url("qrels.txt"), web.url("bm25.run"), "-m", "AP", "--format", "tsv"]
    done = said_by(command)
    assert done.stdout.splitlines()[1].startswith("bm25\tAP\t")
    assert done.stderr == ""


# --- errors -------------------------------------------------------------------------------------


def refused(run: Any) -> GainfulError:
    """Return the error of a run; reading it into memory gives the same one."""
    with pytest.raises(GainfulError) as measured:
        gainful.evaluate(QRELS, run, MEASURES)
    with pytest.raises(GainfulError) as held:
        gainful.Run(run)
    assert (type(held.value), str(held.value)) == (type(measured.value), str(measured.value))
    assert measured.value.__cause__ is None
    return measured.value


def test_without_fsspec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    error = refused("s3://key:secret@bucket/run.parquet")
    assert isinstance(error, SourceError)
    assert str(error) == (
        "s3://bucket/run.parquet: found an address of s3://, and no fsspec, expected a path, or the"
        " packages that read such addresses. Hint: pip install fsspec s3fs"
    )


def test_without_the_package_of_a_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    need("fsspec")
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    error = refused("gs://bucket/run.parquet")
    assert isinstance(error, SourceError)
    assert "found an address of gs://, and no gcsfs" in str(error)
    assert "Hint: pip install gcsfs" in str(error)


def test_a_protocol_that_nobody_knows() -> None:
    need("fsspec")
    error = refused("nonesuch://bucket/run.parquet")
    assert isinstance(error, SourceError)
    assert "nonesuch://bucket/run.parquet: found an address that fsspec cannot use" in str(error)


def test_a_file_that_is_not_there(store: Any, web: Files) -> None:
    there = store("run.txt", TEXT)
    for missing in (there + ".none", web.url("none.parquet?token=abcdef")):
        error = refused(missing)
        assert isinstance(error, SourceNotFoundError)
        assert (
            str(error)
            == f"{missing.partition('?')[0]}: found no such file, expected a file that exists"
        )


def test_a_pattern_without_files(store: Any, web: Files) -> None:
    folder = store("night/run.txt", TEXT).rpartition("/")[0]
    web.contents["night/run.txt"] = TEXT
    for pattern in (folder + "/*.parquet", web.url("night/*.parquet")):
        error = refused(pattern)
        assert str(error) == f"{pattern}: found no file of such a name, expected at least one"


def test_a_folder_without_tables(store: Any) -> None:
    folder = store("night/run.txt", TEXT).rpartition("/")[0]
    error = refused(folder)
    assert str(error) == f"{folder}: found a directory, expected a file. Hint: name the file in it"


def test_a_truncated_file_is_damaged(store: Any) -> None:
    content = parquet(compression="none")
    error = refused(store("run.parquet", content[: len(content) // 2]))
    assert isinstance(error, SourceError)
    assert "run.parquet: found a Parquet file that cannot be read" in str(error)


@pytest.mark.parametrize("status", [403, 500])
@pytest.mark.parametrize("name", ["run.txt", "run.parquet", "run.arrow"])
def test_a_server_that_fails(web: Files, name: str, status: int) -> None:
    """An error of the server is no damage of the file, wherever it comes."""
    many = [Row(f"q{at // 100}", f"{at * 7919:08}", at % 100, float(-at)) for at in range(60_000)]
    if name == "run.txt":
        lines = (f"{r.query} Q0 {r.document} {r.rank} {r.score} t\n" for r in many)
        content = "".join(lines).encode()
    elif name == "run.parquet":
        content = parquet(table(many), row_group_size=20_000, compression="none")
    else:
        content = arrow("stream", many, 5000)
    web.contents[name] = content
    address = web.url(name) + "?sig=0123456789"
    gainful.evaluate(QRELS, address, MEASURES, threads=1)
    answers = len(web.server.asked)
    assert answers >= 5
    for whole in (0, 1, 2, answers // 2, answers - 1):
        before = len(web.server.asked)
        web.server.behave = lambda asked, number, last=before + whole: (  # type: ignore[misc]
            web.answer(asked, number) if number < last else answering(b"", status)
        )
        with pytest.raises(SourceError) as caught:
            gainful.evaluate(QRELS, address, MEASURES, threads=1)
        message = str(caught.value)
        assert "0123456789" not in message
        assert web.url(name) in message
        assert "damaged" not in message
        assert ("may not be read" in message) == (status == 403)
        assert ("500" in message) == (status == 500)


def test_no_credentials_in_any_message(web: Files) -> None:
    host = web.server.url.removeprefix("http://")
    address = f"http://alice:opensesame@{host}/none.run?X-Amz-Signature=feedface"
    error = refused(address)
    for secret in ("alice", "opensesame", "feedface"):
        assert secret not in str(error)
    error = refused("http://alice:opensesame@127.0.0.1:1/none.run?token=feedface")
    assert "127.0.0.1:1/none.run: found an error while reading" in str(error)
    for secret in ("alice", "opensesame", "feedface"):
        assert secret not in str(error)


def test_no_credentials_in_what_is_kept(store: Any) -> None:
    address = store("run.txt", TEXT)
    run = gainful.Run(address)
    assert type(run.source) is str
    assert run.source == address


def test_ctrl_c_while_something_is_fetched(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fsspec = need("fsspec")
    run = store("run.parquet", parquet())

    def interrupted(*arguments: Any, **options: Any) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "cat_file", interrupted)
    with pytest.raises(KeyboardInterrupt):
        gainful.evaluate(QRELS, run, MEASURES)
    monkeypatch.undo()
    assert gainful.evaluate(QRELS, run, MEASURES)


def test_no_credentials_in_a_report(web: Files, tmp_path: Path) -> None:
    need("altair"), need("vl_convert")
    web.contents["qrels.txt"], web.contents["bm25.run"] = JUDGED, TEXT
    host = web.server.url.removeprefix("http://")
    page = tmp_path / "report.html"
    command = [
        *(
            "report",
            web.url("qrels.txt"),
            f"mine=http://wilhelmina:opensesame@{host}/bm25.run?sig=feedface",
        ),
        *("-o", str(page)),
    ]
    done = said_by(command)
    for text in (page.read_text(), done.stdout, done.stderr):
        for secret in ("wilhelmina", "opensesame", "feedface"):
            assert secret not in text
    assert f"mine=http://{host}/bm25.run" in page.read_text()


def test_a_format_is_converted(web: Files, tmp_path: Path) -> None:
    web.contents["qrels.tsv"] = b"query_id\tdoc_id\tgrade\nq1\td1\t1\n"
    convert(web.url("qrels.tsv"), tmp_path / "qrels.txt", kind="qrels")
    assert (tmp_path / "qrels.txt").read_text() == "q1 0 d1 1\n"
    web.contents["qrels.txt"] = JUDGED
    convert(web.url("qrels.txt"), tmp_path / "qrels.tsv")
    assert gainful.read_qrels(tmp_path / "qrels.tsv") == gainful.Qrels(QRELS)
