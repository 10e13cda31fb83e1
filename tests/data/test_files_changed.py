"""A file that changes while it is read is an error that names it."""

from __future__ import annotations

import gzip
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import gainful
from gainful.data import text_files
from gainful.data.corpus import each_document
from gainful.data.judgment_lists.reading import read_judgment_list
from gainful.data.query_attributes import read_query_attribute
from gainful.data.text_files import text_lines
from gainful.errors import SourceError
from gainful.systems.description.loading import read_toml
from gainful.systems.queries.files import read as read_queries

CHANGED = "changed while it was read"

# The content of a file, and the function in Python that reads it.
READERS: dict[str, tuple[str, Callable[[str], object]]] = {
    "texts": ('{"_id": "d1", "text": "soup"}\n', lambda path: list(each_document(path))),
    "queries": ("q1\tsoup\nq2\tstew\n", lambda path: list(read_queries(path))),
    "lines": ("q1 2\n", text_lines),
    "clusters": ("query,kind\nq1,a\nq2,b\n", read_query_attribute),
    "judgment list": ("query,docid,rating\nsoup,r01,3\n", read_judgment_list),
    "raters": (
        "query,doc,rater,grade\nq1,d1,a,1\nq1,d1,b,0\n",
        lambda path: gainful.assess_judgments(path),
    ),
    "description": ('engine = "x"\n', read_toml),
}


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("kind", READERS)
def test_readers_in_python(
    kind: str, compressed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if compressed and kind == "description":
        pytest.skip("read uncompressed only")
    text, read = READERS[kind]
    path = tmp_path / ("file.csv.gz" if compressed else "file.csv")
    content = gzip.compress(text.encode()) if compressed else text.encode()
    path.write_bytes(content)
    read(str(path))
    state_of = text_files.file_state
    looks = []

    def overwritten(file: object) -> object:
        looks.append(file)
        if len(looks) == 2:  # Everything has been read.
            path.write_bytes(content)
            os.utime(path, ns=(0, 12345))
        return state_of(file)  # type: ignore[arg-type]

    monkeypatch.setattr(text_files, "file_state", overwritten)
    with pytest.raises(SourceError, match=CHANGED) as caught:
        read(str(path))
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("how", ["overwritten", "truncated"])
@pytest.mark.parametrize("compressed", [False, True])
def test_texts_that_are_read_lazily(how: str, compressed: bool, tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    lines = "".join(
        f'{{"_id": "d{number}", "text": "{os.urandom(200).hex()}"}}\n' for number in range(2500)
    ).encode()
    path.write_bytes(gzip.compress(lines, 1) if compressed else lines)
    documents = each_document(str(path))
    next(documents)
    change(path, how)
    with pytest.raises(SourceError):
        list(documents)


def change(path: Path, how: str) -> None:
    """Change a file in place."""
    with open(path, "r+b") as file:
        if how == "truncated":
            file.truncate(path.stat().st_size // 2)
        else:
            file.seek(-100, os.SEEK_END)
            file.write(b"1" * 50)
    os.utime(path, ns=(0, 12345))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("how", ["overwritten", "truncated"])
def test_a_changed_run_in_trec_text_is_an_error(how: str, tmp_path: Path) -> None:
    run, pipe = tmp_path / "part.run", tmp_path / "pipe.run"
    row = "q{0} Q0 d{1} {1} {2}.5 x\n".format
    run.write_text(
        "".join(row(query, rank, 99 - rank) for query in range(500) for rank in range(50))
    )
    os.mkfifo(pipe)
    qrels = {f"q{query}": {"d3": 1} for query in range(1000)}

    def write() -> None:
        # More than a pipe's buffer: once it is written, the other file is open.
        with open(pipe, "w") as file:
            for query in range(500, 1000):
                file.writelines(row(query, rank, 99 - rank) for rank in range(50))
            file.flush()
            change(run, how)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    with pytest.raises(SourceError, match=CHANGED) as caught:
        gainful.evaluate(qrels, {"run": [pipe, run]}, "nDCG@10", threads=1)
    writer.join()
    assert "part.run" in str(caught.value)


def test_a_file_replaced_atomically_is_read_as_it_was(tmp_path: Path) -> None:
    path, other = tmp_path / "docs.jsonl", tmp_path / "other"
    text = "x" * 400  # So that few documents are several pieces.
    path.write_text(
        "".join(f'{{"_id": "d{number}", "text": "{text}"}}\n' for number in range(2500))
    )
    other.write_text('{"_id": "e"}\n')
    documents = each_document(str(path))
    next(documents)
    os.replace(other, path)
    assert len(list(documents)) == 2499
