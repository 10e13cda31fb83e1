"""Snapshots reproduce the values of a run, also with other judgments."""

from __future__ import annotations

import json
import math

import hypothesis.strategies as st
import pytest
from hypothesis import assume, given, settings

import gainful
from gainful.conventions import get, presets
from gainful.data.table import table_of_rows
from gainful.errors import (
    ConventionError,
    FormatError,
    GainfulError,
    MeasureError,
    ParameterError,
    SourceError,
)
from gainful.gates import read_snapshot
from gainful.gates.creation import values_of
from json_schema import errors, schema_of

SCHEMA = schema_of("snapshot")

OWN = [
    gainful.Convention(duplicates=duplicates, **policies)
    for duplicates in ("first", "last", "best", "count", "copies", "blank")
    for policies in (
        {"ties": "expected", "unretrieved": "last"},
        {"ties": "average-rank-down", "negative": "drop"},
        {"ties": "optimistic", "unjudged": "condense"},
        {"ties": "random(3)", "precision": "float32"},
        {"order": "rank", "no_relevant": "agree", "same_id": "drop"},
        {"order": "given", "missing": "skip"},
        {"same_id": "drop", "unjudged": 1, "defaults": {"nDCG": {"ideal": "list"}}},
        {"no_relevant": "skip", "defaults": {"nDCG": {"ideal": "judged-to-depth"}}},
    )
]
CONVENTIONS = st.sampled_from([*(get(preset.name) for preset in presets()), *OWN])
MEASURES = st.sampled_from(
    ["nDCG@2", "DCG@3", "P@2", "RR@2", "R@3", "ERR@2", "AP@2", "AP", "bpref"]
)
DOCUMENTS = st.sampled_from(["a", "b", "c", "d", "q1"])
GRADES = st.sampled_from([-1, 0, 1, 1, 2, 0.5])
SCORES = st.sampled_from([1.0, 2.0, 2.0 + 1e-9, 3.0])
RANKED = st.lists(st.tuples(DOCUMENTS | st.just("x"), SCORES), min_size=1, max_size=7)
JUDGED = st.dictionaries(DOCUMENTS, GRADES, min_size=1)
QRELS = st.fixed_dictionaries({"q1": JUDGED, "q2": JUDGED, "q3": JUDGED})


def table(rankings):
    """Return a run as TREC text, with ranks that are not in score order."""
    rows = [
        (query, document, score, rank)
        for query, ranked in rankings.items()
        for rank, (document, score) in enumerate(reversed(ranked), 1)
    ]
    columns = [list(column) for column in zip(*rows, strict=True)]
    made = gainful._kernel.rows_from_columns(*columns, "run", duplicates="count")
    return table_of_rows(gainful.Run, made, name="drawn")


@settings(max_examples=60)
@given(
    before=QRELS,
    today=QRELS,
    rankings=st.fixed_dictionaries({"q1": RANKED, "q2": RANKED}),
    convention=CONVENTIONS,
    measure=MEASURES,
)
def test_saved_rankings_give_the_values_of_the_whole_run_with_any_judgments(
    before, today, rankings, convention, measure, tmp_path_factory
):
    run = table(rankings)

    def measured(qrels, one):
        return values_of(gainful.evaluate(qrels, one, measure, convention=convention))

    try:
        kept = gainful.make_snapshot(before, run, measure, convention=convention)
        expected = measured(today, run)
    except GainfulError:
        assume(False)
    path = tmp_path_factory.getbasetemp() / "drawn-snapshot.json"
    kept.write(path)
    again = read_snapshot(path)
    assert again == kept
    assert {query: own.values for query, own in again.queries.items()} == measured(before, run)
    assert measured(today, again.ranking()) == expected


def test_the_file_matches_its_schema_and_reads_back(tmp_path):
    qrels = {"q 1": {"d1": 2, "d2": 1}, "naïve \udcff": {"d1": 1}, "q3": {"d1": 1}}
    run = {"q 1": {"d2": 2.5, "d1": 1 / 3, "x": 0.1}, "naïve \udcff": {"x\udcfe": 1e300}}
    made = gainful.make_snapshot(qrels, run, ["nDCG@2", "RR@1"], name="größe", budget=3)
    made.write(tmp_path / "b.json")
    text = (tmp_path / "b.json").read_bytes().decode("utf-8")
    assert errors(json.loads(text), SCHEMA) == []
    assert json.loads(text) == json.loads(json.dumps(made.to_dict()))
    assert read_snapshot(tmp_path / "b.json") == made
    # One line per query, so that a diff of the file is readable.
    lines = [line for line in text.splitlines() if line.startswith('    "q 1": ')]
    assert lines[0].endswith('"documents": ["d2", "d1"], "scores": [2.5, 0.3333333333333333]},')
    assert made.queries["q3"].documents is None


def test_rankings_without_scores_keep_their_order(tmp_path):
    made = gainful.make_snapshot({"q": {"c": 1}}, {"q": ["b", "c", "a"]}, "nDCG@2")
    made.write(tmp_path / "b.json")
    again = read_snapshot(tmp_path / "b.json")
    assert again.queries["q"].scores is None
    assert again.ranking().to_dict() == {"q": ["b", "c"]}


def test_rankings_are_whole_for_a_measure_without_a_cutoff():
    run = {"q": ["b", "c", "a"]}
    assert gainful.make_snapshot({"q": {"a": 1}}, run, ["nDCG@2", "AP"]).depth is None
    assert gainful.make_snapshot({"q": {"a": 1}}, run, ["nDCG@2", "P@1"]).depth == 2


@pytest.mark.parametrize("budget", [0, -1, 1.5, True])
def test_an_illegal_budget(budget):
    with pytest.raises(ParameterError, match="budget"):
        gainful.make_snapshot({"q": {"a": 1}}, {"q": ["a"]}, budget=budget)


def damaged(change):
    """Return a function that changes a part of the file, or all of it."""

    def damage(path):
        whole = json.loads(path.read_text())
        found = change(whole)
        path.write_text(found if isinstance(found, str) else json.dumps(whole))

    return damage


@pytest.mark.parametrize(
    ("damage", "error", "message"),
    [
        (lambda w: "", FormatError, "b.json: found text that is not JSON, expected a snapshot"),
        (
            lambda w: '{\n\n"schema": oops}',
            FormatError,
            "b.json, line 3: found text that is not JSON",
        ),
        (lambda w: "[1]", FormatError, "b.json: found a file of another kind"),
        (
            lambda w: w.update(schema="gainful.snapshot/2"),
            FormatError,
            "found a file of another kind",
        ),
        (lambda w: w.__delitem__("run"), FormatError, "damaged snapshot (KeyError: 'run')"),
        (lambda w: w["queries"]["q1"]["values"].append(1), FormatError, "query 'q1': found 2 val"),
        (lambda w: w["queries"]["q1"]["scores"].pop(), FormatError, "columns of different lengths"),
        (lambda w: w.update(queries=[]), FormatError, "damaged snapshot"),
        (lambda w: "[" * 100_000, FormatError, "b.json: found text that is not JSON"),
        (lambda w: w.update(budget=0), FormatError, "budget 0 is not a whole number from 1"),
        (lambda w: w.update(spending=1), FormatError, "spending 1 is neither true nor false"),
        (lambda w: w.update(anchor={}), FormatError, "damaged snapshot (KeyError: 'depth')"),
        (lambda w: w.update(anchor={**w, "depth": 0}), FormatError, "depth 0 is not a whole"),
        (lambda w: w.update(depth="all"), FormatError, "depth 'all' is not a whole number"),
        (
            lambda w: w["queries"]["q1"].update(values=[math.nan]),
            FormatError,
            "nan is not finite",
        ),
        (lambda w: w["queries"]["q1"].update(values=["1"]), FormatError, "'1' is not finite"),
        (lambda w: w["queries"]["q1"].update(values=[10**400]), FormatError, "damaged snapshot"),
        (lambda w: w.update(budget=10**400), FormatError, "is not a whole number from 1 to"),
        (lambda w: w["convention"].update(ties="none"), ConventionError, "b.json, policy 'ties'"),
        (lambda w: w["convention"].update(colour="red"), ConventionError, "does not know"),
        (lambda w: w.update(measures={"nDCC@10": "x"}), MeasureError, "unknown measure 'nDCC'"),
        (lambda w: w["measures"].update({"nDCG@2": "nDCG@3"}), MeasureError, "save the snapshot"),
    ],
)
def test_a_damaged_file_is_rejected_with_one_message(tmp_path, damage, error, message):
    path = tmp_path / "b.json"
    gainful.make_snapshot({"q1": {"a": 1}}, {"q1": {"a": 1.0, "b": 0.5}}, "nDCG@2").write(path)
    damaged(damage)(path)
    with pytest.raises(error) as caught:
        read_snapshot(path)
    assert message in str(caught.value)
    assert "b.json" in str(caught.value)


def test_a_missing_file(tmp_path):
    with pytest.raises(SourceError, match="no such file"):
        read_snapshot(tmp_path / "b.json")
