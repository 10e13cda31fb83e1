"""Small tables in TSV, CSV and JSON lines, and errors that name the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from gainful.data.records import read_records
from gainful.errors import FormatError, SourceNotFoundError


def written(folder: Path, text: str) -> Path:
    path = folder / "table.txt"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "name\tx\n\tleft\nb\t\n",
        "name,x\n,left\nb,\n",
        "\ufeffname,x\r\n\r\n,left\r\nb,\r\n",
        '{"name": null, "x": "left"}\n\n{"name": "b", "x": null}\n',
    ],
)
def test_missing_cells(text: str, tmp_path: Path) -> None:
    table = read_records(written(tmp_path, text))
    assert table.columns == ("name", "x")
    assert [row.cells for row in table.rows] == [
        {"name": None, "x": "left"},
        {"name": "b", "x": None},
    ]


def test_quoted_cells_may_hold_separators_and_line_ends(tmp_path: Path) -> None:
    table = read_records(written(tmp_path, 'name\tx\n"a\tb"\t1\n"two\nlines"\t2\nlast\t3\n'))
    assert [(row.line, row.cells["name"]) for row in table.rows] == [
        (2, "a\tb"),
        (3, "two\nlines"),
        (5, "last"),
    ]


def test_a_short_row_lacks_its_last_cells(tmp_path: Path) -> None:
    assert read_records(written(tmp_path, "a,b,c\n1\n")).rows[0].cells == {
        "a": "1",
        "b": None,
        "c": None,
    }


def test_json_keeps_numbers_and_the_order_of_keys(tmp_path: Path) -> None:
    table = read_records(written(tmp_path, '{"a": 1.5}\n{"b": 2, "a": true}\n'))
    assert table.columns == ("a", "b")
    assert table.rows[1].cells == {"b": 2, "a": True}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("a,a\n1,2\n", r"line 1: two columns named 'a'"),
        ("a,b\n1,2\n1,2,3\n", r"line 3: found 3 fields, expected 2"),
        ('{"a": 1}\n[1]\n', r"line 2: not a JSON object: '\[1\]'"),
        ('{"a": 1}\n{"a": \n', "line 2"),
    ],
)
def test_invalid_tables_are_errors(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=message):
        read_records(written(tmp_path, text))


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceNotFoundError):
        read_records(tmp_path / "none.csv")


@pytest.mark.parametrize("text", ['{"name": "\\ud800"}\n', '{"\\udfff": 1}\n'])
def test_half_a_character_is_an_error(text: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="line 1: a lone surrogate in "):
        read_records(written(tmp_path, text))
