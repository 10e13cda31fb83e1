"""``engine = "python"``: a description that names a Python object."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gainful.errors import ArgumentError, FormatError, SourceError
from gainful.systems import Answer, Query, load_system

SOURCE = """
def find(text, k):
    return [f"{text}-{n}" for n in range(k)]

def make(boost_title, kind="a"):
    class Found:
        def search(self, query, top_k):
            return {"found": [{"sku": f"{query}-{kind}", "distance": boost_title}]}
    return Found()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop_search.py").write_text(SOURCE)
    return tmp_path


def described(folder: Path, text: str, **more: Any) -> Any:
    (folder / "shop.toml").write_text(f'engine = "python"\n{text}')
    return load_system(folder / "shop.toml", **more)


def test_a_function_in_the_folder_of_the_description(folder: Path) -> None:
    system = described(folder, 'object = "shop_search.py:find"\n')
    assert system.name == "shop"
    assert system.ask([Query("q", "tea")], 2) == [Answer(["tea-0", "tea-1"])]


def test_an_object_made_with_settings(folder: Path) -> None:
    text = (
        'object = "shop_search.py:make"\n'
        'results = { documents = "found", id = "sku", score = "-distance" }\n'
        "settings.boost.title = 2\n"
        "settings.kind = 'b'\n"
    )
    system = described(folder, text)
    assert system.ask([Query("q", "tea")], 2) == [Answer(["tea-b"], [-2.0])]
    other = described(folder, text, settings={"boost.title": 3})
    assert other.ask([Query("q", "tea")], 2) == [Answer(["tea-b"], [-3.0])]
    assert system.identity != other.identity


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", FormatError, "'object' is missing"),
        ('object = "none.py:find"\n', SourceError, "no such file"),
        ('object = "shop_search.py:found"\n', ArgumentError, "did you mean find"),
        ('object = "shop_search.py:find"\nbatch = 0\n', FormatError, "batch = 0"),
        ('object = "shop_search.py:find"\nbatches = 2\n', FormatError, "did you mean 'batch'"),
        ('object = "shop_search.py:make"\nsettings.x = 2\n', ArgumentError, "does not take"),
    ],
)
def test_what_cannot_be(folder: Path, text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        described(folder, text)
