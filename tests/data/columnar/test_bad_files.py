"""Damaged columnar files, files of other formats, and folders: one error, or the rows."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pytest

import gainful
from bad_columns import QRELS, arrow, parquet, whole
from combinations import ALL
from gainful.errors import ColumnError, FormatError, GainfulError, SourceError
from requirements import need

# --- damaged, or something else -----------------------------------------------------------------


def lengths(end: int) -> list[int]:
    """Return lengths below an end: the least, the greatest, and a third of the others."""
    return [
        length for length in range(end) if ALL or length < 16 or end - length < 64 or not length % 3
    ]


@pytest.mark.parametrize("compression", ["none", "zstd"])
def test_truncated_parquet_is_an_error(tmp_path: Path, compression: str) -> None:
    path = parquet(whole(), tmp_path / "run.parquet", compression=compression)
    content = path.read_bytes()
    for length in lengths(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises((SourceError, FormatError)) as error:
            gainful.evaluate(QRELS, path, "AP")
        assert str(error.value).startswith(str(path))
        assert isinstance(error.value, SourceError) == (length > 0)
        assert "\n" not in str(error.value)


def test_a_truncated_arrow_file_is_an_error(tmp_path: Path) -> None:
    path = arrow(whole(), tmp_path / "run.arrow")
    content = path.read_bytes()
    # Without part of the last word, only the end marker may be missing, which has no content.
    for length in lengths(len(content) - 6):
        path.write_bytes(content[:length])
        with pytest.raises((SourceError, FormatError)) as error:
            gainful.evaluate(QRELS, path, "AP")
        assert str(error.value).startswith(str(path))


def test_a_truncated_arrow_stream_is_an_error(tmp_path: Path) -> None:
    """The format allows a stream to end between two batches, so this is not detectable."""
    path = arrow(whole(), tmp_path / "run.arrows", "stream")
    content = path.read_bytes()
    ends = []
    for length in lengths(len(content)):
        path.write_bytes(content[:length])
        try:
            found = gainful.evaluate(QRELS, path, "AP")
        except (SourceError, FormatError) as error:
            assert str(error).startswith(str(path))
        else:
            ends.append(length)
            assert found.mean() in (0.5, 1.0)
    assert 0 < len(ends) < 40


def test_parquet_with_a_wrong_byte(tmp_path: Path) -> None:
    """A wrong byte causes an error or another value, but no crash."""
    path = parquet(whole(), tmp_path / "run.parquet", compression="none")
    whole_content = path.read_bytes()
    for at in range(0, 1200, 7 if ALL else 14):
        content = bytearray(whole_content)
        content[at % len(content)] ^= 0xA5
        path.write_bytes(bytes(content))
        try:
            gainful.evaluate(QRELS, path, "AP")
        except GainfulError as error:
            assert "\n" not in str(error), at


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".arrows"])
def test_text_with_the_suffix_of_a_table_is_an_error(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"run{suffix}"
    path.write_text("1 Q0 1 1 2.0 t\n")
    kind = "Parquet" if suffix == ".parquet" else "Arrow"
    message = f"run{suffix}: found another kind of file, expected an? {kind}"
    with pytest.raises(SourceError, match=message):
        gainful.evaluate(QRELS, path, "AP")


def test_files_of_several_formats(tmp_path: Path) -> None:
    table, text = parquet(whole(), tmp_path / "a.parquet"), tmp_path / "a.run"
    other = arrow(whole(query_id=["3"] * 4), tmp_path / "b.arrow")
    text.write_text("4 Q0 1 1 2.0 t\n")
    for files, message in (
        ([table, other], "b.arrow: found an Arrow file, expected a Parquet file"),
        (tmp_path, "b.arrow: found an Arrow file, expected a Parquet file"),
        ([other, table], "a.parquet: found a Parquet file, expected an Arrow file or stream"),
        ([text, table], "a.run: found another kind of file, expected a Parquet file"),
        ([table, text], "a.run: found another kind of file, expected a Parquet file"),
        ([other, text], "a.run: found another kind of file, expected an Arrow file or stream"),
    ):
        with pytest.raises(SourceError) as error:
            gainful.evaluate(QRELS, runs={"run": files}, measures="AP")  # type: ignore[dict-item]
        assert message in str(error.value)
        assert str(error.value).endswith(
            "Hint: files that are read as one table need the same format"
        )


def test_an_explicit_format_is_used(tmp_path: Path) -> None:
    table = parquet(whole(), tmp_path / "a.bin")
    assert gainful.read_run(table, format="parquet")
    with pytest.raises(SourceError, match="found a Parquet file, expected an Arrow file"):
        gainful.read_run(table, format="arrow")


def test_encrypted_parquet(tmp_path: Path) -> None:
    path = parquet(whole(), tmp_path / "run.parquet")
    content = path.read_bytes()
    path.write_bytes(b"PARE" + content[4:-4] + b"PARE")
    with pytest.raises(SourceError, match="found an encrypted Parquet file, expected a Parquet"):
        gainful.evaluate(QRELS, path, "AP")


def test_parquet_with_encrypted_columns(tmp_path: Path) -> None:
    encryption = pytest.importorskip("pyarrow.parquet.encryption")
    pq = pytest.importorskip("pyarrow.parquet")
    from base64 import b64encode

    class Keys(encryption.KmsClient):  # type: ignore[misc, name-defined]
        def wrap_key(self, key: bytes, name: str) -> bytes:
            return b64encode(key)

    factory = encryption.CryptoFactory(lambda configuration: Keys())
    columns = {"key": ["score"]}
    asked = encryption.EncryptionConfiguration(
        footer_key="key", column_keys=columns, plaintext_footer=True
    )
    properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), asked)
    path = tmp_path / "run.parquet"
    with pq.ParquetWriter(path, whole().schema, encryption_properties=properties) as writer:
        writer.write_table(whole())
    with pytest.raises(SourceError, match="or its columns are encrypted"):
        gainful.evaluate(QRELS, path, "AP")


@pytest.mark.parametrize("compression", ["snappy", "gzip", "lz4", "zstd", "brotli"])
def test_compressions_of_parquet(tmp_path: Path, compression: str) -> None:
    path = parquet(whole(), tmp_path / "run.parquet", compression=compression)
    if compression != "brotli":
        assert gainful.evaluate(QRELS, path, "AP").mean() == 1.0
        return
    with pytest.raises(SourceError) as error:
        gainful.evaluate(QRELS, path, "AP")
    assert "run.parquet: found Brotli compression in column 'query_id', expected Snappy" in str(
        error.value
    )


def test_only_compressions_of_columns_that_are_read_matter(tmp_path: Path) -> None:
    pa = need("pyarrow")
    columns = whole().columns
    # A nested column, so that later columns have other indices than their leaves.
    deep = pa.array([{"a": 1, "b": 2, "c": 3}] * 4)
    table = pa.table([deep, *columns], names=["deep", *whole().column_names])
    names = ["deep.a", "deep.b", "deep.c", *whole().column_names]
    for brotli in (["deep.a", "deep.b", "deep.c"], ["score"]):
        by = {name: "brotli" if name in brotli else "zstd" for name in names}
        path = parquet(table, tmp_path / "run.parquet", compression=by)
        if brotli == ["score"]:
            with pytest.raises(SourceError, match="Brotli compression in column 'score'"):
                gainful.evaluate(QRELS, path, "AP")
        else:
            assert gainful.evaluate(QRELS, path, "AP").mean() == 1.0


@pytest.mark.parametrize(
    "options",
    [
        {"version": "2.6", "data_page_version": "2.0"},
        {"write_page_index": True, "write_page_checksum": True},
        {"store_schema": False},
        {
            "use_dictionary": False,
            "column_encoding": {
                "query_id": "DELTA_BYTE_ARRAY",
                "doc_id": "DELTA_LENGTH_BYTE_ARRAY",
                "score": "BYTE_STREAM_SPLIT",
            },
        },
    ],
)
def test_newer_parquet(tmp_path: Path, options: dict[str, Any]) -> None:
    path = parquet(whole(), tmp_path / "run.parquet", **options)
    assert gainful.evaluate(QRELS, path, "AP").mean() == 1.0


def test_files_compressed_as_a_whole(tmp_path: Path) -> None:
    paths = (
        parquet(whole(), tmp_path / "run.parquet"),
        arrow(whole(), tmp_path / "run.arrow"),
        arrow(whole(), tmp_path / "run.arrows", "stream"),
    )
    squeezed = []
    for path in paths:
        squeezed.append(path.with_name(path.name + ".gz"))
        squeezed[-1].write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(SourceError, match="cannot read Parquet from a compressed file.*decompress"):
        gainful.evaluate(QRELS, squeezed[0], "AP")
    with pytest.raises(SourceError, match="cannot read the Arrow file format from a stream"):
        gainful.evaluate(QRELS, squeezed[1], "AP")
    assert gainful.evaluate(QRELS, squeezed[2], "AP").mean() == 1.0
    squeezed[2].write_bytes(squeezed[2].read_bytes()[:-30])
    with pytest.raises(SourceError, match=r"run.arrows.gz: cannot read "):
        gainful.evaluate(QRELS, squeezed[2], "AP")


@pytest.mark.parametrize("key", [99, -5])
def test_keys_outside_a_dictionary_are_errors(tmp_path: Path, key: int) -> None:
    pa = need("pyarrow")
    keys = pa.array([0, 1, 2, key], pa.int32())
    table = whole(
        doc_id=pa.DictionaryArray.from_arrays(keys, pa.array(["1", "2", "3"]), safe=False)
    )
    with pytest.raises(ColumnError, match="column 'doc_id' has a key that its dictionary lac"):
        gainful.evaluate(QRELS, table, "AP")
    with pytest.raises(SourceError, match="run.arrow: cannot read Arrow data"):
        gainful.evaluate(QRELS, arrow(table, tmp_path / "run.arrow"), "AP")


def test_a_null_within_a_dictionary(tmp_path: Path) -> None:
    pa = need("pyarrow")
    ids = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None]), pa.array(["1", None, "3"]))
    for run in (whole(doc_id=ids), arrow(whole(doc_id=ids), tmp_path / "run.arrow")):
        with pytest.raises(ColumnError, match="row 1: null in column 'doc_id'"):
            gainful.evaluate(QRELS, run, "AP")


# --- folders and patterns -----------------------------------------------------------------------


def test_a_folder_without_tables(tmp_path: Path) -> None:
    for name in (None, "notes.txt", "_SUCCESS"):
        if name:
            (tmp_path / name).write_text("")
        with pytest.raises(SourceError, match="a directory without Parquet or Arrow files"):
            gainful.evaluate(QRELS, tmp_path, "AP")


@pytest.mark.skipif(os.name != "posix", reason="a link that loops")
def test_a_link_that_loops_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.symlink("loop", "loop")
    with pytest.raises(SourceError, match="^loop: cannot read the file .*symbolic links"):
        gainful.evaluate(QRELS, runs=["loop"], measures="AP")
    with pytest.raises(SourceError, match="the folder cannot be read: .*symbolic links"):
        gainful.evaluate(QRELS, tmp_path, "AP")


def test_metadata_files_of_spark_are_ignored(tmp_path: Path) -> None:
    parquet(whole(), tmp_path / "part-0.parquet")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / "._SUCCESS.crc").write_text("x")
    for place in (tmp_path, tmp_path / "*"):
        assert gainful.evaluate(QRELS, place, "AP").mean() == 1.0


def test_an_unreadable_file_is_an_error(tmp_path: Path) -> None:
    path = parquet(whole(), tmp_path / "run.parquet")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(SourceError, match="permission denied"):
        gainful.evaluate(QRELS, path, "AP")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_read_once_file_among_several_is_named(tmp_path: Path) -> None:
    path, pipe = arrow(whole(), tmp_path / "run.arrow"), tmp_path / "pipe.arrows"
    os.mkfifo(pipe)
    with pytest.raises(SourceError, match=r"pipe.arrows: Arrow data that can be read only"):
        gainful.evaluate(QRELS, {"run": [path, pipe]}, "AP")
