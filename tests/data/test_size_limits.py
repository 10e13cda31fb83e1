"""Size limits of decompressed files, and how early they are enforced."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import threading
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import gainful
from gainful.data import text_files
from gainful.data.corpus import each_document
from gainful.data.text_files import opened, text_lines
from gainful.errors import DuplicateError, FormatError, ParameterError, SourceError
from gainful.judging.sessions.state import tasks_of
from repeated_tests import for_each
from requirements import need

TOO_MUCH = r"found [\d.]+ MB in .* of compressed data, expected at most 200 times"

#: More than the size from which the ratio applies, in long lines, for many short ones take longer.
LARGE = 12 << 20
BLANK = (b" " * 1023 + b"\n") * (LARGE >> 10)

COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda text: gzip.compress(text, 6),
    "bz2": bz2.compress,
    "xz": lambda text: lzma.compress(text, preset=0),
}

READERS: dict[str, Callable[[str], object]] = {
    "judgments": gainful.read_qrels,
    "a run": gainful.read_run,
    "a run measured": lambda path: gainful.evaluate({"q": {"d": 1}}, path, "AP"),
    "judgments measured": lambda path: gainful.evaluate(path, {"q": {"d": 1}}, "AP"),
    "texts": lambda path: list(each_document(path)),
    "queries": lambda path: gainful.search(lambda query: [], path),
    "raters": lambda path: gainful.assess_judgments(path),
}


@pytest.fixture(scope="module")
def blank(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("blank")
    for name, compress in COMPRESSIONS.items():
        (folder / f"blank.{name}").write_bytes(compress(BLANK))
    with zipfile.ZipFile(folder / "blank.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("blank.jsonl", BLANK)
    return {path.suffix[1:]: path for path in folder.iterdir()}


#: Readers of texts and tables in Python; the kernel has limits of its own.
ENDLESS: dict[str, Callable[[str], object]] = {
    "texts": READERS["texts"],
    "queries": READERS["queries"],
    "raters": READERS["raters"],
    "a pool": tasks_of,
    "lines": text_lines,
}


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no /dev/zero")
@pytest.mark.parametrize("reader", ENDLESS)
def test_devices_without_an_end_are_refused(reader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "_LONGEST_LINE", 1 << 20)
    with pytest.raises(FormatError, match="/dev/zero: a line is longer than 1 MiB"):
        ENDLESS[reader]("/dev/zero")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("length", [1 << 20, 3 << 20])
def test_lines_of_a_pipe_are_limited(
    length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_files, "_LONGEST_LINE", 1 << 20)
    content = b"a\n" + b"x" * length + b"\nb\n"
    os.mkfifo(tmp_path / "pipe")

    def write() -> None:
        with suppress(BrokenPipeError):
            (tmp_path / "pipe").write_bytes(content)

    writer = threading.Thread(target=write)
    writer.start()
    if length <= 1 << 20:
        _, lines = text_lines(tmp_path / "pipe")
        assert [len(line) for _, line in lines] == [1, length, 1]
    else:
        with pytest.raises(FormatError, match="a line is longer than 1 MiB"):
            text_lines(tmp_path / "pipe")
    writer.join()
    # A file may have longer lines.
    (tmp_path / "file").write_bytes(content)
    assert len(text_lines(tmp_path / "file")[1]) == 3


@for_each("reader", READERS)
def test_the_ratio_is_limited_for_every_reader(reader: str, blank: dict[str, Path]) -> None:
    with pytest.raises(SourceError, match=TOO_MUCH) as caught:
        READERS[reader](str(blank["gz"]))
    assert "blank.gz: " in str(caught.value)
    assert "GAINFUL_MAX_RATIO=1000" in str(caught.value)


@pytest.mark.parametrize("kind", ["bz2", "xz", "zip"])
def test_the_ratio_is_limited_for_every_compression(kind: str, blank: dict[str, Path]) -> None:
    with pytest.raises(SourceError, match=TOO_MUCH):
        list(each_document(str(blank[kind])))
    if kind != "zip":
        with pytest.raises(SourceError, match=TOO_MUCH):
            gainful.read_qrels(blank[kind])


def test_the_ratio_can_be_raised(blank: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("2000", "none"):
        monkeypatch.setenv("GAINFUL_MAX_RATIO", text)
        with pytest.raises(FormatError, match="file is empty"):
            gainful.read_qrels(blank["gz"])
        with opened(str(blank["gz"])) as (_, stream):
            assert len(stream.read()) == LARGE


ROWS = {
    "judgments": b"q 0 d%d 1\n",
    "a run measured": b"q Q0 d%d 1 2.0 x\n",
    "texts": b'{"_id": "d%d", "text": ""}\n',
}


@pytest.mark.parametrize("reader", ROWS)
def test_the_size_is_limited(reader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(b"".join(ROWS[reader] % row for row in range(20_000))))
    READERS[reader](str(path))
    monkeypatch.setenv("GAINFUL_MAX_SIZE", "100KB")
    with pytest.raises(SourceError, match=r"more than 100 KB of data.*GAINFUL_MAX_SIZE="):
        READERS[reader](str(path))


@pytest.mark.parametrize("text", ["many", "0", "-1", "10XB"])
@pytest.mark.parametrize("name", ["GAINFUL_MAX_RATIO", "GAINFUL_MAX_SIZE"])
def test_invalid_limits_are_errors(
    name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "q.gz").write_bytes(gzip.compress(b"q1 0 d1 1\n"))
    monkeypatch.setenv(name, text)
    with pytest.raises(ParameterError, match=f"{name}: found '{text}', expected a number"):
        gainful.read_qrels(tmp_path / "q.gz")
    with pytest.raises(ParameterError, match=name):
        list(each_document(str(tmp_path / "q.gz")))


@pytest.mark.parametrize("reader", ["judgments", "raters"])
def test_addresses_have_the_same_limits(reader: str, blank: dict[str, Path]) -> None:
    fsspec = need("fsspec")
    system = fsspec.filesystem("memory")
    system.pipe("/limits/blank.gz", blank["gz"].read_bytes())
    try:
        with pytest.raises(SourceError, match=TOO_MUCH):
            READERS[reader]("memory://limits/blank.gz")
    finally:
        system.rm("/limits", recursive=True)


def continued(text: bytes) -> bytes:
    """Compress a text with lines that are errors of their own, which must not be reported."""
    return gzip.compress(text + b"not a row at all, in any of the formats\n" * 200_000, 1)


@pytest.mark.parametrize(("suffix", "delimiter"), [("qrels", " "), ("tsv", "\t"), ("csv", ",")])
def test_a_duplicate_is_reported_when_it_is_read(
    suffix: str, delimiter: str, tmp_path: Path
) -> None:
    fields = ("q1", "0", "d1", "1")
    if suffix != "qrels":
        fields = ("q1", "d1", "1")
    line = delimiter.join(fields).encode() + b"\n"
    path = tmp_path / f"duplicate.{suffix}.gz"
    path.write_bytes(continued(line * 2))
    with pytest.raises(DuplicateError, match="line 2, query 'q1', document 'd1'"):
        gainful.read_qrels(path)


def test_a_long_line_is_reported_when_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.gz"
    path.write_bytes(continued(b" " * (8 << 20)))
    for read in (gainful.read_qrels, gainful.read_run):
        with pytest.raises(FormatError, match="the line is longer than 1 MiB"):
            read(path)
