"""Lines end with line feeds, maybe after carriage returns; these alone are an error."""

from __future__ import annotations

from pathlib import Path

import pytest

import gainful
from gainful.data.query_attributes import read_query_attribute
from gainful.data.text_files import text_lines
from gainful.errors import FormatError
from gainful.systems.queries import Queries

RUN = "q1 Q0 d1 1 2.5 t\nq2 Q0 d3 1 1.5 t\nq2 Q0 d4 2 1.0 t\n"

READERS = {
    "run": (RUN, lambda path: gainful.read_run(path).to_dict()),
    "queries": ("q1\tlentil soup\nq2\tbread\n", lambda path: list(Queries.of(path))),
    "plain queries": ("lentil soup\nbread\n", lambda path: list(Queries.of(path))),
    "attributes": ("q1 soup\nq2 bread\n", lambda path: repr(read_query_attribute(path))),
    "lines": ("q1 1\nq2 0.5\n", lambda path: text_lines(path)[1]),
}


@pytest.mark.parametrize("name", list(READERS))
def test_line_ends(name: str, tmp_path: Path) -> None:
    text, read = READERS[name]
    path = tmp_path / "file"
    path.write_bytes(text.encode())
    found = read(path)
    path.write_bytes(text.replace("\n", "\r\n").encode())
    assert read(path) == found
    path.write_bytes(text.replace("\n", "\r").encode())
    with pytest.raises(FormatError, match="lines end with carriage returns only"):
        read(path)


def test_carriage_returns_inside_tags(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(b"q1 Q0 d1 1 2.5 a tag\r of words\nq2 Q0 d3 1 1.5 t\n")
    assert gainful.read_run(path).to_dict() == {"q1": {"d1": 2.5}, "q2": {"d3": 1.5}}


def test_json_may_have_any_white_space(tmp_path: Path) -> None:
    path = tmp_path / "queries.json"
    path.write_bytes(b'{\r"q1": "soup",\r"q2": "bread"\r}')
    assert [query.text for query in Queries.of(path)] == ["soup", "bread"]


def test_utf_16(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    path.write_text("q1 1\n", "utf-16")
    with pytest.raises(FormatError, match="UTF-16 is not supported"):
        text_lines(path)
