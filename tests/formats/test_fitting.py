"""Tables keep to a page: columns are left out, turned, cut, wrapped or divided."""

from __future__ import annotations

import pytest

import gainful
from comparison_data import MEASURE, collection
from gainful.formats.console import drawn
from gainful.formats.saving import rendered
from gainful.formats.table import Column, Note, Table, width
from gainful.formats.text import arranged, fitted, text, wrapped

FEW = {"resamples": 500, "bootstrap": 0}
NAMES = (
    "sentence-transformers/multi-qa-mpnet-base-dot-v1",
    "sentence-transformers/multi-qa-distilbert-cos-v1",
    "sentence-transformers/" * 6,
)


def widest(text: str) -> int:
    return max(map(width, text.split("\n")))


def test_a_table_that_fits_is_unchanged() -> None:
    cells = Table([Column("system"), Column("mean", show=str)], [["bm25", 0.5]]).cells()
    assert fitted(cells, 100) is cells


def test_names_lose_their_middle_and_numbers_nothing() -> None:
    table = Table(
        [Column("system"), Column("mean", align="r"), Column("verdict", fit="whole")],
        [["a" * 80 + "end", ".1234", "better, by less than the margin"]],
    )
    name, mean, verdict = fitted(table.cells(), 70).rows[0]
    assert name.startswith("aaa")
    assert name.endswith("end")
    assert "…" in name
    assert (mean, verdict) == (".1234", "better, by less than the margin")
    assert widest(text(table, 70)) == 70


def test_columns_are_those_of_a_terminal() -> None:
    table = Table([Column("system"), Column("mean", align="r")], [["検索システム" * 8, ".1234"]])
    assert widest(text(table, 40)) in (39, 40)


def test_comparisons_keep_to_a_page() -> None:
    qrels, runs = collection({name: [0.1 * at, 0.5, 0.2] for at, name in enumerate(NAMES)})
    for baseline in (None, NAMES[0]):
        found = gainful.compare(qrels, runs, MEASURE, baseline=baseline, **FEW)
        assert widest(rendered(found.tables(details=True, risk=1.0, worst=2), "table")) <= 100
    # The two names with the same beginning remain distinct.
    shown = str(gainful.compare(qrels, runs, MEASURE, **FEW))
    assert "mpnet" in shown or "dot-v1" in shown


def test_slices_with_long_values_keep_to_a_page() -> None:
    qrels, runs = collection({"old": [0.0, 0.1, 0.2, 0.3], "new": [0.2, 0.2, 0.1, 0.9]})
    by = dict.fromkeys(qrels, "a very long value of an attribute " * 4)
    assert widest(str(gainful.compare(qrels, runs, MEASURE, by=by, **FEW))) <= 100


def test_on_a_narrow_terminal_names_stay_whole() -> None:
    slices = Table(
        [
            Column("cat"),
            Column("queries", show=str),
            Column("system"),
            Column("mean", align="r"),
            Column("interval", "95% CI", align="r"),
            Column("groups"),
        ],
        [["soup", 10, "bm25", ".1234", "-.1000 to +.1000", "a"]],
        title="by cat",
        notes=[Note("n", "One note.")],
    )
    assert [part.headers for part in arranged(slices, 100)] == [slices.headers]
    assert [part.headers for part in arranged(slices, 42, 3)] == [
        ["cat", "system", "queries", "mean"],
        ["cat", "system", "95% CI", "groups"],
    ]
    shown = drawn(slices, width=42)
    assert shown.count("by cat") == shown.count("One note.") == 1
    assert "bm25" in shown
    assert ".1234" in shown


@pytest.mark.parametrize(
    ("columns", "left"), [(40, "abc"), (12, "ac"), (8, "c")], ids=["wide", "narrow", "narrower"]
)
def test_columns_of_low_priority_are_left_out_first(columns: int, left: str) -> None:
    table = Table([Column("a", priority=2), Column("b", priority=1), Column("c")], [["12345"] * 3])
    (cells,) = arranged(table, columns)
    assert "".join(cells.headers) == left


def test_wrapped_text_takes_several_lines_in_text_and_one_in_markdown() -> None:
    table = Table(
        [Column("query"), Column("reason", fit="wrap")],
        [["q1", ["first reason of some length", "second"]], ["q2", ["third"]]],
    )
    assert text(table, 30).splitlines()[2:] == [
        "q1     first reason of some",
        "         length",
        "       second",
        "q2     third",
    ]
    assert "| first reason of some length; second |" in rendered([table], "markdown")


def test_only_words_wider_than_a_line_are_broken() -> None:
    assert wrapped("a " + "b" * 14 + " c", 10) == ["a", "  bbbbbbbb", "  bbbbbb c"]
    assert wrapped("A  two blanks", 20) == ["A  two blanks"]
