"""`module:object` and `file.py:function`."""

from __future__ import annotations

import sys

import pytest

from gainful.errors import ArgumentError, SourceError
from gainful.systems.python.named_objects import load_object, names_object

SOURCE = """
import helper

def find(text, k):
    return [helper.NAME]

def make(boost=1, field_name="title"):
    return lambda text, k: [f"{field_name}^{boost}"]

class Index:
    def __init__(self, boost=1):
        self.boost = boost

    def search(self, query, top_k):
        return [str(self.boost)]

index = Index(5)
"""


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """Make a folder with a module the current one, and leave nothing of it behind."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "systems.py").write_text(SOURCE)
    (folder / "helper.py").write_text("NAME = 'd1'\n")
    (folder / "bad.py").write_text("import os\n\nx = 1 / 0\n")
    (folder / "exits.py").write_text("import sys\nsys.exit('bye')\n")
    (folder / "wrong.py").write_text("def find(:\n")
    (folder / "lacks.py").write_text("import no_such_module_at_all\n")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_file_and_a_module(shop, monkeypatch):
    assert load_object("systems:find")("tea", 3) == ["d1"]
    assert load_object("systems.py:find")("tea", 3) == ["d1"]
    monkeypatch.chdir("/")
    assert load_object(f"{shop}/systems.py:find")("tea", 3) == ["d1"]


def test_objects_classes_and_settings(shop):
    assert load_object("systems:index").boost == 5
    assert load_object("systems:index.search")("tea", 3) == ["5"]
    assert load_object("systems:Index").boost == 1
    assert load_object("systems:Index", {"boost": 2}).boost == 2
    made = load_object("systems:make", {"boost": 2, "field.name": "body"})
    assert made("tea", 3) == ["body^2"]


def test_a_file_does_not_replace_a_module(shop):
    import json

    (shop / "json.py").write_text("def find(text, k): return []\n")
    load_object(f"{shop}/json.py:find")
    assert sys.modules["json"] is json


@pytest.mark.parametrize(
    ("word", "settings", "message"),
    [
        ("systems", None, "found 'systems', expected module:object or file.py:object"),
        ("systems:", None, "found 'systems:'"),
        ("systems:fnd", None, r"no 'fnd'.*Hint: did you mean find\?"),
        ("systems:index.zzz", None, "no 'zzz'"),
        ("no_such:find", None, "no module 'no_such'.*Hint: for a file, write no_such.py"),
        ("none.py:find", None, "no such file: none.py"),
        ("bad.py:find", None, "bad.py, line 3: ZeroDivisionError: division by zero"),
        ("bad:find", None, "bad.py, line 3: ZeroDivisionError"),
        ("wrong.py:find", None, "wrong.py, line 1: SyntaxError: "),
        ("lacks.py:find", None, "lacks.py, line 1: ModuleNotFoundError: No module named"),
        ("exits.py:find", None, "exits.py, line 2: SystemExit: bye"),
        ("systems:Index.search", None, "a method of the class Index needs .*write systems:Index"),
        ("systems:make", {"bost": 2}, "does not take the settings bost"),
        ("systems:helper.NAME", {"boost": 2}, "settings need a function or class, not str"),
    ],
)
def test_unloadable_objects_are_errors(shop, word, settings, message):
    with pytest.raises((ArgumentError, SourceError), match=message):
        load_object(word, settings)


def test_words_that_name_objects():
    assert names_object("a.b:c.d")
    assert names_object("../a/b.py:make")
    for word in ("s.toml", "C:\\s.toml", "http://host/x", ":find", "x:"):
        assert not names_object(word)
