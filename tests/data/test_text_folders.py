"""A folder of text files is a collection of documents, wherever one is accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

from gainful.baselines import bm25
from gainful.data.corpus import each_document, read_documents, text_files
from gainful.errors import FormatError, SourceError


def written(folder: Path, **files: bytes) -> Path:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def test_ids_are_paths(tmp_path: Path) -> None:
    folder = written(tmp_path, b_txt=b"two", a__x_MD=b"one", a__y_png=b"\x89", _git__z_md=b"no")
    assert text_files(str(folder)) == ["a/x.MD", "b.txt"]
    assert [(name, text.text) for name, text in each_document(folder)] == [
        ("a/x.MD", "one"),
        ("b.txt", "two"),
    ]


def test_texts_are_as_they_are_in_the_files(tmp_path: Path) -> None:
    folder = written(tmp_path, a_txt=b"\xef\xbb\xbfone\r\ntwo \n\xff", b_txt=b"")
    texts = read_documents(folder).found
    assert texts["a.txt"].text == "one\r\ntwo \n\ufffd"
    assert texts["b.txt"].text == ""


def test_utf_16_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="UTF-16 is not supported"):
        read_documents(written(tmp_path, a_txt="one".encode("utf-16")))


def test_the_corpus_of_a_collection_precedes_text_files(tmp_path: Path) -> None:
    folder = written(tmp_path, corpus_jsonl=b'{"_id": "d1", "text": "one"}\n', README_md=b"two")
    assert list(read_documents(folder).found) == ["d1"]


def test_a_folder_without_documents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"no corpus\.jsonl or .*a folder may have text files"):
        read_documents(written(tmp_path, a_pdf=b"%PDF"))


def test_a_baseline_searches_the_files(tmp_path: Path) -> None:
    folder = written(tmp_path, soup_md=b"red lentils", bread_md=b"rye flour")
    run = bm25(folder, {"q1": "lentils"})
    assert [document for document, _ in run["q1"]] == ["soup.md"]
