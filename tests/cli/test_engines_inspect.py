"""``gainful engines inspect``: what a description accesses, without running it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gainful.cli import main
from gainful.systems import inspect_description

SQL = 'sql = "select {{query}}"'


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        (
            'engine = "solr"\nurl = "https://me:${PW}@shop.example:1/${A}"\ncollection = "c"\n'
            'tls.ca = "ca.pem"\nheaders = { X-Key = "${B}" }\n'
            '[params]\nq = "{{query}}"\nt = "${C}"',
            [["https://shop.example:1"], ["PW", "A", "B", "C"], ["there/ca.pem"], []],
        ),
        (
            'engine = "http"\nurl = "${SHOP}"\n[body]\nq = "{{query}} ${NOT_READ}"',
            [["${SHOP}"], ["SHOP"], [], []],
        ),
        (
            'engine = "qdrant"\nfolder = "vectors"\ncollection = "shop"',
            [[], [], ["there/vectors"], ["pickled points in there/vectors"]],
        ),
        (
            'engine = "python"\nobject = "loud.py:make"\n[settings]\nboost = 2',
            [[], [], [], ["there/loud.py:make"]],
        ),
        ('engine = "python"\nobject = "shop.find:make"', [[], [], [], ["shop.find:make"]]),
        ('engine = "bm25"\ncorpus = "{{file}}"\nsettings.file = "a.jsonl"',
         [[], [], ["there/a.jsonl"], []]),
        ('engine = "tfidf"\ncorpus = ["a.jsonl", "b.jsonl"]',
         [[], [], ["there/a.jsonl", "there/b.jsonl"], []]),
        (f'engine = "sqlite"\ndatabase = "shop.db"\nsetup = "attach {{{{a}}}}"\n{SQL}',
         [[], [], ["there/shop.db"], ["attach {{a}}", "select {{query}}"]]),
        (
            f'engine = "duckdb"\ndatabase = ":memory:"\nextensions = ["fts"]\n{SQL}\n'
            'files.docs = "docs.csv"',
            [[], [], ["there/docs.csv"], ["extension fts", "select {{query}}"]],
        ),
        (f'engine = "postgres"\nconnection = "postgresql://me:${{PW}}@db.example:5/shop"\n{SQL}',
         [["db.example:5"], ["PW", "PG*"], [], ["select {{query}}"]]),
        (f'engine = "postgres"\nconnection = "dbname=shop host=db.example"\n{SQL}',
         [["db.example"], ["PG*"], [], ["select {{query}}"]]),
        (f'engine = "postgres"\nconnection = "${{SHOP}}"\n{SQL}',
         [["${SHOP}"], ["SHOP", "PG*"], [], ["select {{query}}"]]),
        (f'engine = "postgres"\n{SQL}', [["${PGHOST}"], ["PG*"], [], ["select {{query}}"]]),
    ],
)  # fmt: skip
def test_everything_that_is_accessed_is_listed(
    text: str,
    lists: list[list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    output_of: Callable[..., str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there").mkdir()
    Path("there/loud.py").write_text("raise SystemExit(7)")
    Path("there/shop.toml").write_text(text)
    inspection = inspect_description("there/shop.toml")
    assert list(inspection[1:]) == lists
    shown = json.loads(output_of("engines", "inspect", "there/shop.toml", "--format", "json"))
    assert shown == inspection._asdict()
    table = output_of("engines", "inspect", "there/shop.toml")
    assert all(value in table for values in lists for value in values)


def test_an_invalid_description_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "shop.toml").write_text('engine = "solar"')
    assert main(["engines", "inspect", str(tmp_path / "shop.toml")]) == 2
    assert "expected one of bm25" in capsys.readouterr().err
