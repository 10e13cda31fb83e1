"""Tables with long names keep to a page."""

from __future__ import annotations

import gainful
from comparison_data import MEASURE, collection
from gainful.comparison.rendering import plain
from gainful.formats.console import drawn
from gainful.formats.fitting import fitted, parted
from gainful.formats.table import TextTable, width

FEW = {"resamples": 500, "bootstrap": 0}
NAMES = (
    "sentence-transformers/multi-qa-mpnet-base-dot-v1",
    "sentence-transformers/multi-qa-distilbert-cos-v1",
    "sentence-transformers/" * 6,
)


def widest(text: str) -> int:
    return max(map(width, text.split("\n")))


def test_a_table_that_fits_is_left_as_it_is() -> None:
    table = TextTable(["system", "mean"], [["bm25", ".5"]], align="lr")
    assert fitted(table) is table


def test_names_lose_their_middle_and_numbers_nothing() -> None:
    table = TextTable(
        ["system", "mean", "verdict"],
        [["a" * 80 + "end", ".1234", "better, by less than the margin"]],
        align="lrl",
    )
    name, mean, verdict = fitted(table, 70).rows[0]
    assert name.startswith("aaa")
    assert name.endswith("end")
    assert "…" in name
    assert (mean, verdict) == (".1234", "better, by less than the margin")
    assert widest(str(fitted(table, 70))) == 70


def test_columns_are_those_of_a_terminal() -> None:
    table = TextTable(["system", "mean"], [["検索システム" * 8, ".1234"]], align="lr")
    assert widest(str(fitted(table, 40))) in (39, 40)


def test_comparisons_keep_to_a_page() -> None:
    qrels, runs = collection({name: [0.1 * at, 0.5, 0.2] for at, name in enumerate(NAMES)})
    for baseline in (None, NAMES[0]):
        found = gainful.compare(qrels, runs, MEASURE, baseline=baseline, **FEW)
        assert widest(plain(found, details=True, risk=1.0, worst=2)) <= 100
    # The two that begin alike are still told from each other.
    text = plain(gainful.compare(qrels, runs, MEASURE, **FEW))
    assert "mpnet" in text or "dot-v1" in text


def test_slices_with_long_values_keep_to_a_page() -> None:
    qrels, runs = collection({"old": [0.0, 0.1, 0.2, 0.3], "new": [0.2, 0.2, 0.1, 0.9]})
    by = dict.fromkeys(qrels, "a very long value of an attribute " * 4)
    assert widest(str(gainful.compare(qrels, runs, MEASURE, by=by, **FEW))) <= 100


def test_on_a_narrow_terminal_names_stay_whole() -> None:
    slices = TextTable(
        ["cat", "queries", "system", "mean", "95 % interval", "groups"],
        [["soup", "10", "bm25", ".1234", "-.1000 to +.1000", "a"]],
        align="lrlrrl",
        title="by cat",
        notes=["One note."],
    )
    assert parted(slices, 100) == [slices]
    parts = parted(slices, 42, 3)
    assert [part.headers for part in parts] == [
        ("cat", "system", "queries", "mean"),
        ("cat", "system", "95 % interval", "groups"),
    ]
    assert [part.title for part in parts] == ["by cat", ""]
    assert [part.notes for part in parts] == [(), ("One note.",)]
    assert widest("\n".join(str(TextTable(p.headers, p.rows, align=p.align)) for p in parts)) <= 42
    text = drawn(slices, width=42)
    assert "bm25" in text
    assert ".1234" in text
