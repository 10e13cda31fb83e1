"""Every checksum of a compressed file is compared: one changed bit never gives other numbers."""

import bz2
import gzip
import lzma
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import gainful
from combinations import ALL
from gainful.errors import GainfulError, SourceError
from requirements import need

QUERIES = [f"q{number}" for number in range(40)]
JUDGMENTS = "".join(
    f"{query} 0 d{grade * 7 % 13} {grade}\n" for query in QUERIES for grade in range(4)
)
RUN = "".join(
    f"{query} Q0 d{(rank * 5 + len(query)) % 13} {rank} {(13 - rank) / 7:.6f} bm25\n"
    for query in QUERIES
    for rank in range(1, 13)
)
TEXTS = {"qrels.txt": JUDGMENTS, "bm25.run": RUN}
READERS = {"qrels.txt": gainful.read_qrels, "bm25.run": gainful.read_run}
SUFFIXES = ["gz", "bz2", "xz", "zst"]
#: Changed bits of each file; each position is as likely.
BITS = 200 if ALL else 60
NAMED = re.compile("the compressed file is (damaged|truncated)")
ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}


def compressed(name: str, suffix: str, folder: Path) -> bytes:
    """Compress the judgments or the run; Zstandard as Gainful writes it, with a checksum."""
    if suffix in ENCODERS:
        return ENCODERS[suffix](TEXTS[name].encode())
    path = folder / f"{name}.{suffix}"
    plain = folder / name
    plain.write_text(TEXTS[name])
    READERS[name](plain).write(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plain")
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("damaged", TEXTS)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_changed_bit_is_an_error(suffix: str, damaged: str, plain: Path, tmp_path: Path) -> None:
    data = compressed(damaged, suffix, tmp_path)
    path = tmp_path / f"{damaged}.{suffix}"
    inputs = [path if name == damaged else plain / name for name in TEXTS]
    expected = gainful.evaluate(plain / "qrels.txt", plain / "bm25.run")
    rows = READERS[damaged](plain / damaged)
    drawn = random.Random(7)
    noticed = 0
    for _ in range(BITS):
        bit = drawn.randrange(len(data) * 8)
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        try:
            found = gainful.evaluate(*inputs)
        except GainfulError as error:
            noticed += 1
            # A file whose first bytes are others is not known to be compressed.
            assert bit < 48 or isinstance(error, SourceError), (bit, str(error))
            assert bit < 48 or NAMED.search(str(error)), (bit, str(error))
        else:
            # Some bits have no meaning, such as the time in gzip's header and the padding at ends.
            assert READERS[damaged](path) == rows, bit
            assert list(found.rows()) == list(expected.rows()), bit
    assert noticed > 0.95 * BITS


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damage_is_reported_before_lines(suffix: str, tmp_path: Path, plain: Path) -> None:
    path = tmp_path / f"misplaced.{suffix}"
    for name, read in (
        ("bm25.run", gainful.read_qrels),
        ("qrels.txt", lambda run: gainful.evaluate(plain / "qrels.txt", run)),
    ):
        data = bytearray(compressed(name, suffix, tmp_path))
        path.write_bytes(data)
        with pytest.raises(GainfulError, match="line 1"):
            read(path)
        data[-6 if suffix == "gz" else -3] ^= 16
        path.write_bytes(data)
        with pytest.raises(SourceError, match="the compressed file is damaged"):
            read(path)


def test_checksums_of_parquet_pages(plain: Path, tmp_path: Path) -> None:
    need("pyarrow")
    import pyarrow.parquet as parquet

    path = tmp_path / "run.parquet"
    table = gainful.read_run(plain / "bm25.run").to_arrow()
    parquet.write_table(
        table, path, write_page_checksum=True, compression="none", use_dictionary=False
    )
    data = path.read_bytes()
    at = data.index(b"d7", 4)
    path.write_bytes(data[:at] + b"d8" + data[at + 2 :])
    with pytest.raises(SourceError, match=r"row group 0: .*checksum"):
        gainful.evaluate(plain / "qrels.txt", path)
