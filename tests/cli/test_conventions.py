"""`gainful conventions`: the list of all, and the description of one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

import gainful as package
from gainful.conventions import POLICIES, Convention, Preset, diff, get, presets
from gainful.conventions.description import (
    describe_aggregation,
    describe_preset,
    drawn,
    formula,
    group_by_field,
    plain,
    tables,
)
from gainful.conventions.presets import FIELDS
from gainful.errors import ConventionError
from repeated_tests import for_each

Say = Callable[..., str]


def test_the_list_of_all(output_of: Say) -> None:
    listing = output_of("conventions")
    lines = listing.splitlines()
    assert max(map(len, lines)) <= 120
    rows = {line.split("  ")[0]: line for line in lines if line}
    for preset in presets():
        cells = re.split(r" {2,}", rows[preset.name])
        assert len(cells) == 10
        convention = get(preset.name)
        assert cells[6:8] == [convention.missing, convention.duplicates]
    for field in group_by_field(presets()):
        heading = re.split(r" {2,}", rows[field])
        assert heading[1:4] == ["gain", "discount", "ideal"]
    # A legend explains each column.
    for header in heading[1:]:
        assert any(line.startswith(f"{header}: ") for line in lines)


@for_each("columns", [40, 60, 80, 100, 119, 120, 150, 250])
def test_a_listing_fits_its_terminal(columns: int) -> None:
    names = max(len(preset.name) for preset in presets())
    lines = plain(presets(), columns).splitlines()
    assert max(map(len, lines)) <= max(columns, names + 8)
    left_out = [line for line in lines if line.startswith("A wider terminal also shows: ")]
    assert bool(left_out) == (columns < 94 or "evidence" not in lines[0])
    colored = re.sub(r"\x1b\[[0-9;]*m", "", drawn(presets(), columns))
    assert colored.split() == "\n".join(lines).split()


def test_a_wide_terminal_shows_the_summaries() -> None:
    listing = plain(presets(), 400)
    assert all(preset.summary in listing for preset in presets())


def test_every_preset_is_in_one_field() -> None:
    groups = group_by_field(presets())
    assert sorted(preset.name for each in groups.values() for preset in each) == sorted(
        preset.name for preset in presets()
    )
    assert list(groups) == list(FIELDS)


def test_the_listing_as_markdown_is_complete(output_of: Say) -> None:
    page = output_of("conventions", "--format", "markdown")
    found = tables(presets())
    assert sum(len(table.rows) for table in found) == len(presets())
    for preset in presets():
        (row,) = (line for line in page.splitlines() if line.startswith(f"| {preset.name} "))
        assert get(preset.name).ties in row
        assert describe_aggregation(get(preset.name)) in row
    assert "| aggregation " in page


@for_each("preset", presets())
def test_the_description_of_one(preset: Preset, output_of: Say) -> None:
    shown = output_of("conventions", preset.name)
    assert shown == describe_preset(preset)
    lines = shown.splitlines()
    # Addresses are not wrapped.
    assert all(len(line) <= 100 or "://" in line for line in lines)
    assert lines[0].startswith(f"{preset.name}: ")
    words = " ".join(shown.split())
    assert f"{preset.name}: {preset.summary}" in words
    for part in (*formula(get(preset.name)).values(), preset.source, *preset.remarks):
        assert " ".join(part.split()) in words
    for policy in POLICIES:
        assert re.search(rf"^  {policy.name} ", shown, re.MULTILINE)
    differing = [each.label for each in diff(package.conventions.get("gainful-1"), preset.name)]
    if differing:
        first = shown.index("\nDifferent from gainful-1\n")
        last = shown.index("\nSame as gainful-1\n")
        for label in differing:
            assert re.search(rf"^  {label} ", shown[first:last], re.MULTILINE)
    page = output_of("conventions", preset.name, "--format", "markdown")
    # A tool without nDCG has no formula.
    assert ("IDCG@k" in page) == (preset.measures is None or "nDCG" in preset.measures)
    assert "| measures " in page


@for_each(
    ("defaults", "term", "ideal"),
    [
        ({}, "of grade / log2(rank + 1)", "all judged documents by descending gain, cut at k"),
        ({"gain": "exponential"}, "(2^grade - 1) / log2(rank + 1)", "all judged"),
        ({"gain": "binary", "discount": "ln"}, "[grade > 0] / ln(rank + 1)", "all judged"),
        (
            {"gain": "judged", "ideal": "ones"},
            "1 / log2(rank + 1) for judged documents",
            "min(k, n) of 1 / log2(rank + 1)",
        ),
        ({"gain": {1: 3}, "discount": "none"}, "of gain(grade), gain {1: 3}", "all judged"),
        ({"discount": "jarvelin-kekalainen", "base": 3}, "/ max(1, log(rank) /", "all judged"),
        ({"discount": (1, 0.5), "ideal": (3, 2)}, "grade × weight(rank)", "grades (3, 2)"),
        ({"ideal": "max-grade", "max_grade": 4}, "grade", "the grade 4 at every rank"),
        ({"judged_only": True}, "after removing unjudged documents", "all judged"),
    ],
)
def test_formulas(defaults: dict[str, object], term: str, ideal: str) -> None:
    shown = formula(Convention(defaults={"nDCG": defaults}))
    assert term in shown["DCG@k"]
    assert ideal in shown["IDCG@k"]


def test_rules_as_text() -> None:
    assert formula(Convention(ties="doc-id-asc"))["order"] == (
        "by score, descending; ties: ascending document id, compared as bytes"
    )
    assert formula(Convention(ties="error"))["order"].endswith("equal scores are an error")
    assert formula(Convention(order="given"))["order"] == "as listed in the run"
    assert formula(Convention(order="rank"))["order"].startswith("by rank column, ascending; ties:")
    cut = Convention(defaults={"nDCG": {"cutoff": 32}})
    assert formula(cut)["cutoff"].startswith("k is 32")
    assert "cutoff" not in formula(Convention())
    for rounding, words in (
        ("none", "mean"),
        ("mean:5", "mean to 5 digits"),
        ("query:2", "values to 2 digits, mean"),
        ("term:4", "terms to 4 digits, mean"),
        ("term-down:2", "terms down to 2 digits, mean"),
    ):
        assert describe_aggregation(Convention(rounding=rounding)) == words
        digits = rounding.partition(":")[2]
        assert digits in formula(Convention(rounding=rounding))["mean"]
    assert "weight" in formula(Convention(unweighted="no-relevant"))["mean"]


def test_json_contains_the_conventions(output_of: Say) -> None:
    listed = json.loads(output_of("conventions", "--format", "json"))
    assert [each["name"] for each in listed] == [preset.name for preset in presets()]
    for shown, preset in zip(listed, presets(), strict=True):
        assert Convention(**shown["convention"]) == get(preset.name)
        ndcg = preset.measures is None or "nDCG" in preset.measures
        assert shown["formula"].get("nDCG@k") == ("DCG@k / IDCG@k" if ndcg else None)
        assert shown["measures"] == (preset.measures and list(preset.measures))
        assert shown["names"] == preset.names
        assert shown["remarks"] == list(preset.remarks)
    (one,) = json.loads(output_of("conventions", "trec_eval", "--format", "json"))
    assert (one["name"], one["field"], one["evidence"]) == ("trec_eval-9.0.8", "retrieval", "run")


def test_the_order_reads_as_a_sentence() -> None:
    orders = {ties: formula(Convention(ties=ties))["order"] for ties in ("doc-id-desc", "given")}
    assert orders["doc-id-desc"].endswith("ties: descending document id, compared as bytes")
    assert orders["given"].endswith("ties: the order of the run")
    last = formula(Convention(ties="expected", unretrieved="last"))
    assert last["order"].endswith("; then the judged documents that were not returned, tied")


def test_the_error_for_an_unknown_convention_is_short() -> None:
    with pytest.raises(ConventionError) as raised:
        get("lightgbm-5")
    assert str(raised.value) == (
        f"found the unknown convention 'lightgbm-5', expected one of {len(presets())} names. Hint: "
        "did you mean lightgbm-4.7.0? list(gainful.conventions) lists all"
    )
