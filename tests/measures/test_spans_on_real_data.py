"""Spans of 472 questions: the numbers of chunking_evaluation, and of independent sums."""

from __future__ import annotations

import csv
from collections import defaultdict

import pytest

import gainful
from requirements import need

#: By column of the expected numbers.
MEASURES = {
    "recall_tool": "SpanR(repeats='count')@5",
    "precision_tool": "SpanP(repeats='count')@5",
    "iou_tool": "SpanIoU(repeats='count')@5",
    "recall": "SpanR@5",
    "precision": "SpanP@5",
    "iou": "SpanIoU@5",
    "spanDCG": "SpanDCG@5",
    "recall_4000_characters": "SpanR(budget=4000)",
    "U_8000": "SpanU(L=8000)",
}
MEANS = {
    "s1200": {
        "recall_tool": 0.8964113713,
        "precision_tool": 0.0400266691,
        "iou_tool": 0.0399089233,
        "precision": 0.0400266691,
        "iou": 0.0399089233,
        "spanDCG": 0.7401575306,
        "recall_4000_characters": 0.8228032635,
        "U_8000": 0.7330917794,
    },
    "s400o200": {
        "recall_tool": 0.7334034979,
        "precision_tool": 0.0903718220,
        "iou_tool": 0.0876317827,
        "precision": 0.1144121814,
        "iou": 0.1104183023,
        "spanDCG": 0.5968655065,
        "recall_4000_characters": 0.8330173530,
        "U_8000": 0.7680238523,
    },
}
#: With any overlap, half and all of each span covered.
FULL = {"s1200": (0.8962, 0.8814, 0.8326), "s400o200": (0.7119, 0.6589, 0.5847)}


def composed(rows):
    for row in rows:
        place = "{document}#char={start},{end}".format(**row)
        yield row["query"], place, float(row.get("score") or row.get("grade"))


def read(path):
    queries = defaultdict(dict)
    with path.open() as lines:
        for query, place, number in composed(csv.DictReader(lines, delimiter="\t")):
            queries[query][place] = number
    return queries


#: The rankings are those of the files: equal scores of s400o200 are in order of rank.
BY_RANK = gainful.conventions["gainful-1"].replace(ties="given")


@pytest.fixture(scope="module")
def folder():
    return need("shared-data", "spans of 472 questions") / "spans"


@pytest.mark.parametrize("system", MEANS)
def test_numbers_of_the_tool_and_of_sets(folder, system: str) -> None:
    qrels, run = read(folder / "qrels.spans.tsv"), read(folder / f"{system}.run.tsv")
    result = gainful.evaluate(qrels, run, list(MEASURES.values()), convention=BY_RANK)
    for column, mean in MEANS[system].items():
        assert result.mean(MEASURES[column]) == pytest.approx(mean, abs=6e-11), column
    with (folder / "expected.tsv").open() as lines:
        expected = [row for row in csv.DictReader(lines, delimiter="\t") if row["run"] == system]
    assert len(expected) == 472
    for column, measure in MEASURES.items():
        values = result.per_query(measure)
        for row in expected:
            assert values[row["query"]] == pytest.approx(float(row[column]), abs=1e-11), column


@pytest.mark.parametrize("system", FULL)
def test_full_recall(folder, system: str) -> None:
    qrels, run = read(folder / "qrels.spans.tsv"), read(folder / f"{system}.run.tsv")
    measures = ["FullRecall@5", "FullRecall(overlap=0.5)@5", "FullRecall(overlap=1)@5"]
    result = gainful.evaluate(qrels, run, [*measures, "SpanFull@5"], convention=BY_RANK)
    assert tuple(round(result.mean(measure), 4) for measure in measures) == FULL[system]
    assert result.mean("SpanFull@5") == result.mean(measures[-1])
