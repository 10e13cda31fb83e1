"""`gainful evaluate-suite` in every format, and wide tables on narrow pages."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import gainful as package
from gainful.formats.table import Column, Table
from gainful.formats.text import arranged, text
from gainful_program import gainful
from json_schema import errors, schema_of

pytestmark = pytest.mark.usefixtures("small_files")

Say = Callable[..., str]
WORDS = ("evaluate-suite", "collections", "-m", "nDCG@10", "-m", "AP")


def test_the_command_prints_the_comparison(output_of: Say) -> None:
    suite = package.evaluate_suite("collections", ["nDCG@10", "AP"])
    assert output_of(*WORDS) == f"{suite.compare()}\n"
    options = ("--baseline", "fts5-plain", "--margin", "0.02", "--alpha", "0.1", "--seed", "7")
    found = suite.compare("fts5-plain", margin=0.02, alpha=0.1, seed=7)
    assert output_of(*WORDS, *options) == f"{found}\n"


def test_one_system_is_not_compared(output_of: Say, small_files: Path) -> None:
    for path in (small_files / "collections").rglob("*.run"):
        if path.stem != "fts5-tuned":
            path.unlink()
    assert output_of(*WORDS) == f"{package.evaluate_suite('collections', ['nDCG@10', 'AP'])}\n"
    done = gainful("evaluate-suite", "collections", "--format", "tsv", "--pairs")
    assert done.stderr == (b"gainful: --pairs needs two or more systems\n")


def test_formats_and_policies_are_respected(output_of: Say, small_files: Path) -> None:
    assert output_of(*WORDS, "--run-format", "trec", "--qrels-format", "trec") == output_of(*WORDS)
    skipping = json.loads(output_of(*WORDS, "--policy", "missing=skip", "--format", "json"))
    assert skipping["convention"]["missing"] == "skip"
    assert skipping["values"]["AP"]["title-words"]["help"]["n"] == 12
    (small_files / "collections" / "notes").mkdir()
    assert "Subfolders without judgments and runs: notes." in output_of(*WORDS)


def test_the_averaged_collections_can_be_selected(output_of: Say) -> None:
    found = json.loads(output_of(*WORDS, "--over", "help", "--format", "json"))
    assert (found["over"], found["collections"]) == (["help"], ["help", "recipes"])
    assert found["macro"]["AP"]["title-words"]["queries"] == 16
    done = gainful("evaluate-suite", "collections", "--over", "help", "--common")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"gainful: --over does not work with --common\n"


@pytest.mark.parametrize(
    "more", [(), ("--common",), ("--oracle", "title-words"), ("--baseline", "fts5-plain")]
)
def test_json_meets_its_schema(more: tuple[str, ...], output_of: Say) -> None:
    found = json.loads(output_of(*WORDS, *more, "--format", "json"))
    assert errors(found, schema_of("suite")) == []
    suite = package.evaluate_suite(
        "collections",
        ["nDCG@10", "AP"],
        over="common" if "--common" in more else "all",
        oracle="title-words" if "--oracle" in more else None,
    ).compare("fts5-plain" if "--baseline" in more else None)
    assert found.pop("inputs")
    assert found == json.loads(json.dumps(suite.to_dict()))
    without = [system for system, macro in found["macro"]["AP"].items() if macro is None]
    assert without == ([] if "--common" in more or "--oracle" in more else ["title-words"])
    alone = suite.suite.to_dict()
    assert alone["comparison"] is None
    assert errors(json.loads(json.dumps(alone)), schema_of("suite")) == []


@pytest.mark.parametrize(("style", "mark"), [("tsv", "\t"), ("csv", ",")])
def test_rows_for_programs(style: str, mark: str, output_of: Say) -> None:
    rows = list(csv.DictReader(io.StringIO(output_of(*WORDS, "--format", style)), delimiter=mark))
    assert len(rows) == 2 * 3 * 3
    suite = package.evaluate_suite("collections", ["nDCG@10", "AP"])
    for row in rows:
        if row["collection"]:
            value = suite.value(row["measure"], row["system"], row["collection"])
        else:
            macro = suite.macro(row["measure"], row["system"])
            value = macro and macro.mean
        assert row["mean"] == ("" if value is None else repr(value))


def test_rows_of_pairs(output_of: Say) -> None:
    words = (*WORDS, "--baseline", "fts5-plain", "--pairs", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(output_of(*words))))
    found = package.evaluate_suite("collections", ["nDCG@10", "AP"]).compare("fts5-plain")
    assert len(rows) == 2 * 4
    for row in rows:
        pair = found.pair(
            row["system"], None, measure=row["measure"], collection=row["segment"] or None
        )
        assert row["difference"] == repr(pair.difference)
        assert (row["verdict"], row["verdict_text"]) == (pair.verdict, pair.verdict_text)


def test_pages(output_of: Say) -> None:
    assert "| fts5-tuned  | .8594 |   .7374 | .7984 | .5796 to .9604 |" in output_of(
        *WORDS, "--format", "markdown"
    )
    assert r"title-words & .4996 & -- & -- & -- \\" in output_of(*WORDS, "--format", "latex")


def test_a_notebook_shows_all_tables() -> None:
    suite = package.evaluate_suite("collections")
    assert suite._repr_html_().count("<table>") == len(suite.tables()) == 3


def test_an_error_is_one_message() -> None:
    done = gainful("evaluate-suite", "nothing")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == (b"gainful: no such folder: nothing\n")


def grid(systems: int, collections: int) -> Table:
    return Table(
        [
            Column("system"),
            *(Column(f"c{n}", f"collection-{n}", show=str) for n in range(collections)),
            Column("macro", show=str),
        ],
        [
            [f"system-{number}", *(f".{number:02}{n:02}" for n in range(collections)), ".5000"]
            for number in range(systems)
        ],
        title="AP",
        turned="collection",
    )


@pytest.mark.parametrize(
    ("systems", "collections", "count", "corner"),
    [
        (3, 4, 1, "system"),
        (3, 18, 1, "collection"),
        (30, 18, 4, "system"),
        (18, 30, 3, "collection"),
        (40, 2, 1, "system"),
    ],
)
def test_wide_tables_are_turned_or_divided(
    systems: int, collections: int, count: int, corner: str
) -> None:
    parts = arranged(grid(systems, collections), 100, 3)
    assert (len(parts), parts[0].headers[0]) == (count, corner)
    assert all(len(line) <= 100 for line in text(grid(systems, collections)).splitlines())
    cells = 0
    for part in parts:
        cells += len(part.rows) * (len(part.headers) - 1)
        for row in part.rows:
            for header, cell in zip(part.headers[1:], row[1:], strict=True):
                system, column = (row[0], header) if corner == "system" else (header, row[0])
                if column != "macro":
                    number, at = (int(name.rsplit("-", 1)[1]) for name in (system, column))
                    assert cell == f".{number:02}{at:02}"
    assert cells == systems * (collections + 1)


def test_very_narrow_pages_have_one_column_per_part() -> None:
    parts = arranged(grid(2, 3), 5)
    assert [len(part.headers) for part in parts] == [2] * len(parts)
