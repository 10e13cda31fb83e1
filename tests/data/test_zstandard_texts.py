"""Zstandard files of corpora, queries, raters and other texts for the readers in Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import gainful
from gainful.data.corpus import read_documents, read_queries
from gainful.data.query_attributes import read_query_attribute
from gainful.data.text_files import text_lines
from gainful.errors import ParameterError, SourceError
from gainful.systems.queries import Queries
from requirements import need

TITLE = b"word " * 80  # So that few documents are several pieces.
JSON_LINES = b"".join(
    b'{"_id": "d%d", "title": "%s", "text": "text %d"}\n' % (at, TITLE, at) for at in range(999)
)
RATERS = b"query,document,rater,grade\n" + b"".join(
    b"q%d,d%d,%s,%d\n" % (at % 7, at // 7, rater, at % 3)
    for at in range(700)
    for rater in (b"ann", b"bob")
)


def compressed(path: Path, content: bytes, frames: int = 1) -> Path:
    """Write content as zstandard, in several frames."""
    zstandard = need("pyarrow").Codec("zstd")
    step = -(-len(content) // frames)
    parts = [content[at : at + step] for at in range(0, len(content), step)]
    path.write_bytes(b"".join(zstandard.compress(part, asbytes=True) for part in parts))
    return path


@pytest.mark.parametrize("frames", [1, 5])
def test_a_corpus(frames: int, tmp_path: Path) -> None:
    path = compressed(tmp_path / "corpus.jsonl.zst", JSON_LINES, frames)
    found = read_documents(path).found
    assert len(found) == 999
    assert found["d998"].text == "text 998"


def test_a_corpus_in_a_folder(tmp_path: Path) -> None:
    compressed(tmp_path / "corpus.jsonl.zst", JSON_LINES)
    assert len(read_documents(tmp_path).found) == 999


def test_queries(tmp_path: Path) -> None:
    path = compressed(tmp_path / "queries.tsv.zst", b"q1\tlentil soup\nq2\tbread\n")
    assert read_queries(path).found["q1"].text == "lentil soup"
    assert [query.text for query in Queries.of(path)] == ["lentil soup", "bread"]


def test_raters(tmp_path: Path) -> None:
    path = compressed(tmp_path / "raters.csv.zst", RATERS)
    plain = tmp_path / "raters.csv"
    plain.write_bytes(RATERS)
    assert gainful.read_qrels(path, format="raters:mean") == gainful.read_qrels(
        plain, format="raters:mean"
    )
    with pytest.raises(ParameterError, match="one of mean, median, majority, ann, bob"):
        gainful.read_qrels(path)
    assert gainful.assess_judgments(path).to_dict() == gainful.assess_judgments(plain).to_dict()


def test_lines_of_small_files(tmp_path: Path) -> None:
    path = compressed(tmp_path / "weights.tsv.zst", b"q1 2\nq2 3\n")
    assert text_lines(path) == (str(path), [(1, "q1 2"), (2, "q2 3")])
    table = compressed(tmp_path / "queries.csv.zst", b"query,kind\nq1,a\nq2,b\n")
    assert read_query_attribute(f"{table}:kind").values == {"q1": "a", "q2": "b"}


@pytest.mark.parametrize("cut", [5, 30, -20, -1])
def test_a_truncated_file_is_an_error(cut: int, tmp_path: Path) -> None:
    path = compressed(tmp_path / "corpus.jsonl.zst", JSON_LINES)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(SourceError, match="corpus.jsonl.zst: the compressed file is truncated"):
        read_documents(path)


def test_files_that_begin_with_a_frame_without_data(tmp_path: Path) -> None:
    """As pzstd and writers of seekable files make them."""
    path = compressed(tmp_path / "queries.tsv.zst", b"q1\tlentil soup\nq2\tbread\n")
    skipped = b"\x50\x2a\x4d\x18\x04\0\0\0" + bytes(4)
    path.write_bytes(skipped + path.read_bytes() + skipped)
    assert [query.text for query in Queries.of(path)] == ["lentil soup", "bread"]
    run = compressed(tmp_path / "a.run.zst", b"q1 Q0 d1 1 2.5 t\n")
    run.write_bytes(skipped + run.read_bytes())
    assert gainful.read_run(run).to_dict() == {"q1": {"d1": 2.5}}
    run.write_bytes(skipped[:-1])
    with pytest.raises(SourceError, match="truncated"):
        gainful.read_run(run)
