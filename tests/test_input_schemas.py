"""The JSON schemas of files that people write agree with the code that reads them."""

from __future__ import annotations

import ast
import sys
import tomllib
from pathlib import Path

import pytest

import gainful.systems
from json_schema import SCHEMAS, errors, schema_of

sys.path.append(str(SCHEMAS.parent))
import input_schemas

SYSTEMS = Path(gainful.systems.__file__).parent
#: The methods of `Description` that read a key.
READERS = {
    *("text", "integer", "number", "flag", "choice", "texts", "values", "path", "secret", "raw"),
    *("source", "sources", "table", "template"),
}
#: Keys of tables within descriptions.
INNER = {"verify", "ca", "documents", "id", "score", "error", "expect", "most"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        'measures = ["AP"]\n[conventions.ours]\nextends = "trec_eval"\nno_relevant = 1\n',
        '[conventions.ours]\nno_relevant = "skip"\ndefaults.nDCG.gain = "exponential"\n',
        '[compare]\nalpha = 0.01\nbaseline = ["bm25"]\n[baseline.bm25]\nk1 = 1.2\n',
        '[columns]\nquery = "Term"\n[conventions]\nformat = "json"\n',
    ],
)
def test_valid_project_files(text: str) -> None:
    assert errors(tomllib.loads(text), schema_of("project")) == []


@pytest.mark.parametrize(
    "text",
    [
        "alfa = 1\n",
        "[compare]\nalfa = 1\n",
        "[compar]\nalpha = 1\n",
        '[compare]\nalpha = "low"\n',
        '[compare]\ncorrection = "bonf"\n',
        '[conventions.ours]\ntie = "expected"\n',
        '[conventions.ours]\nties = "fair"\n',
    ],
)
def test_invalid_project_files(text: str) -> None:
    assert errors(tomllib.loads(text), schema_of("project")) != []


@pytest.mark.parametrize("path", sorted(SYSTEMS.rglob("starters/*.toml")), ids=lambda p: p.stem)
def test_starters_are_valid_descriptions(path: Path) -> None:
    assert errors(tomllib.loads(path.read_text("utf-8")), schema_of("system")) == []


def test_the_keys_of_descriptions_are_those_that_engines_read() -> None:
    read = set()
    for path in SYSTEMS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(attr=method), args=[ast.Constant(value=str(key)), *_]
                ) if method in READERS and "test" not in key:
                    read.add(key)
    # Where the key is a variable, or the whole description.
    read |= {"name", "settings", "fields", "stopwords", "stemmer"}
    assert read - INNER - input_schemas.KEYS.keys() == set()
    assert {key for key in input_schemas.KEYS if key not in read} <= {"index", "proxy"}
