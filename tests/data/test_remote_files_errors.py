"""Unavailable addresses: clear errors without credentials."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import gainful
from columnar_data import Row, table
from gainful.cli import main
from gainful.data.remote import RemoteFile, without_credentials
from gainful.errors import GainfulError, SourceError, SourceNotFoundError
from http_faults import answering
from http_files import Files
from remote_data import (
    JUDGED,
    MEASURES,
    QRELS,
    TEXT,
    arrow,
    parquet,
    served,
    stored,
)
from requirements import need


@pytest.fixture
def store() -> Iterator[Any]:
    """Return a function that puts bytes into fsspec's memory and returns their address."""
    yield from stored()


@pytest.fixture
def web() -> Iterator[Files]:
    """Return files on a web server that sends parts."""
    yield from served()


def refused(run: Any) -> GainfulError:
    """Return the error of a run, which is the same if the run is read into memory."""
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
        "s3://bucket/run.parquet: s3:// needs fsspec. Hint: pip install fsspec s3fs"
    )


def test_without_the_package_of_a_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    need("fsspec")
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    error = refused("gs://bucket/run.parquet")
    assert isinstance(error, SourceError)
    assert "gs:// needs gcsfs" in str(error)
    assert "Hint: pip install gcsfs" in str(error)


def test_an_unknown_protocol_is_an_error() -> None:
    need("fsspec")
    error = refused("nonesuch://bucket/run.parquet")
    assert isinstance(error, SourceError)
    assert "nonesuch://bucket/run.parquet: fsspec cannot use this address" in str(error)


def test_a_missing_file_is_an_error(store: Any, web: Files) -> None:
    there = store("run.txt", TEXT)
    for missing in (there + ".none", web.url("none.parquet?token=abcdef")):
        error = refused(missing)
        assert isinstance(error, SourceNotFoundError)
        assert str(error) == f"no such file: {missing.partition('?')[0]}"


def test_a_pattern_without_files(store: Any, web: Files) -> None:
    folder = store("night/run.txt", TEXT).rpartition("/")[0]
    web.contents["night/run.txt"] = TEXT
    for pattern in (folder + "/*.parquet", web.url("night/*.parquet")):
        error = refused(pattern)
        assert str(error) == f"{pattern}: no file matches the pattern"


def test_a_folder_without_tables(store: Any) -> None:
    folder = store("night/run.txt", TEXT).rpartition("/")[0]
    error = refused(folder)
    assert str(error) == f"{folder}: is a directory, not a file. Hint: name the file in it"


def test_a_truncated_file_is_damaged(store: Any) -> None:
    content = parquet(compression="none")
    error = refused(store("run.parquet", content[: len(content) // 2]))
    assert isinstance(error, SourceError)
    assert "run.parquet: cannot read a Parquet file" in str(error)


@cache
def large(name: str) -> bytes:
    """Return a file that takes several requests."""
    many = [Row(f"q{n // 100}", f"{n * 7919:08}", n % 100, float(-n)) for n in range(60_000)]
    if name == "run.txt":
        return "".join(f"{r.query} Q0 {r.document} {r.rank} {r.score} t\n" for r in many).encode()
    if name == "run.parquet":
        return parquet(table(many), row_group_size=20_000, compression="none")
    return arrow("stream", many, 5000)


@pytest.mark.parametrize("status", [403, 500])
@pytest.mark.parametrize("name", ["run.txt", "run.parquet", "run.arrow"])
def test_errors_of_a_server_are_reported(web: Files, name: str, status: int) -> None:
    """An error of the server is not reported as a damaged file, at any request."""
    web.contents[name] = large(name)
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
        assert ("permission" in message) == (status == 403)
        # The port may have these digits.
        assert ("500" in message.replace(web.url(name), "")) == (status == 500)


def test_no_credentials_in_any_message(web: Files) -> None:
    host = web.server.url.removeprefix("http://")
    address = f"http://alice:opensesame@{host}/none.run?X-Amz-Signature=feedface"
    error = refused(address)
    for secret in ("alice", "opensesame", "feedface"):
        assert secret not in str(error)
    error = refused("http://alice:opensesame@127.0.0.1:1/none.run?token=feedface")
    assert "127.0.0.1:1/none.run: cannot read the file" in str(error)
    for secret in ("alice", "opensesame", "feedface"):
        assert secret not in str(error)


def test_no_credentials_in_results(store: Any) -> None:
    address = store("run.txt", TEXT)
    run = gainful.Run(address)
    assert type(run.source) is str
    assert run.source == address


def test_ctrl_c_during_a_transfer(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fsspec = need("fsspec")
    run = store("run.parquet", parquet())

    def interrupted(*arguments: Any, **options: Any) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "cat_file", interrupted)
    with pytest.raises(KeyboardInterrupt):
        gainful.evaluate(QRELS, run, MEASURES)
    monkeypatch.undo()
    assert gainful.evaluate(QRELS, run, MEASURES)


def test_no_credentials_in_a_report(
    web: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
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
    monkeypatch.setattr(sys, "argv", ["gainful", *command])
    assert main(command) == 0
    for text in (page.read_text(), *capfd.readouterr()):
        for secret in ("wilhelmina", "opensesame", "feedface"):
            assert secret not in text
    assert f"mine=http://{host}/bm25.run" in page.read_text()


def test_pickled_errors_have_no_credentials(store: Any) -> None:
    """Errors of a process pool are pickled."""
    folder = store("night/run.txt", TEXT).rpartition("/")[0]
    for address in (folder + "/none.run?token=feedface", folder + "/*.parquet?token=feedface"):
        error = refused(address)
        sent = pickle.dumps(error)
        assert b"feedface" not in sent
        again = pickle.loads(sent)
        assert (type(again), str(again)) == (type(error), str(error))
    place = RemoteFile("s3://key:secret@bucket/run.parquet")
    assert copy.deepcopy(place) == pickle.loads(pickle.dumps(place)) == "s3://bucket/run.parquet"


@pytest.mark.parametrize("output", ["p@ss/word", "p%40ss%2Fword", "http://me:p%40ss%2Fword@host/x"])
def test_no_credentials_however_they_are_escaped(output: str) -> None:
    for address in (
        "http://me:p%40ss%2Fword@host/run.txt",
        "simplecache::http://host/run.txt?token=p%40ss%2Fword&part=1",
        "s3://key:p@ss%2Fword@bucket/run.txt",
    ):
        cleaned = without_credentials(f"403 ({output})", address)
        assert "ss/word" not in cleaned
        assert "word" not in cleaned
        assert cleaned.startswith("403 (")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://token@host/run.txt", "https://host/run.txt"),
        ("ssh://me@host/run.txt", "ssh://host/run.txt"),
        ("abfss://box@account.example/run.txt", "abfss://box@account.example/run.txt"),
        ("abfss://me:secret@account.example/run.txt", "abfss://account.example/run.txt"),
    ],
)
def test_names_of_containers_are_no_users(address: str, shown: str) -> None:
    assert str(RemoteFile(address)) == shown


@pytest.mark.parametrize("end", ["#L1-L2", "?v=1&w=2", ""])
def test_ids_that_are_addresses_are_printed_whole(
    end: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text(f"q1 0 https://host/x.py{end} 1\n" * 2)
    assert main(["evaluate", str(path), str(path)]) == 2
    assert f"https://host/x.py{end}'" in capsys.readouterr().err


@pytest.mark.parametrize("mark", ["d", "1", "d1"])
def test_credentials_are_removed_in_linear_time(mark: str) -> None:
    """A message may quote an id of a megabyte; a quadratic search would take an hour."""
    id = mark * (1 << 19)
    output = f"document '{id}' of 1https://me:secret@example.org/run"
    assert without_credentials(output) == f"document '{id}' of 1https://example.org/run"
