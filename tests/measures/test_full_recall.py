"""FullRecall, weights of groups, and document measures of judgments with groups."""

from __future__ import annotations

import itertools
import math
import random
from itertools import pairwise, permutations

import pytest

import gainful
from gainful.errors import ConventionError, MeasureError
from requirements import need

GROUPS = {"q": {"1": {"a": 1, "b": 1}, "2": {"c": 1}}}
WEIGHTED = {"q": {"v;weight=1": {"a": 1}, "o;weight=0.5": {"a": 1, "b": 1}, "z;weight=0": {"c": 1}}}


def value(measure, order, qrels=GROUPS, *, subtopics=True, **policies):
    convention = gainful.conventions["gainful-1"].replace(**policies)
    judged = gainful.Qrels(qrels, subtopics=subtopics)
    return gainful.evaluate(judged, {"q": order}, measure, convention=convention).mean()


@pytest.mark.parametrize("name", ["FullRecall", "full_recall", "recall_all", "Rall", "RECALL_ALL"])
def test_names(name: str) -> None:
    assert gainful.measures.parse_measure(f"{name}@5") == gainful.measures.FullRecall @ 5


def test_any_and_hit_rate_are_success() -> None:
    for name in ("recall_any@5", "hit_rate@5"):
        assert gainful.measures.parse_measure(name) == gainful.measures.Success @ 5


@pytest.mark.parametrize(
    ("order", "expected"),
    [(["a", "c"], 1), (["b", "c"], 1), (["a", "b"], 0), (["c", "a"], 1), (["x"], 0)],
)
def test_every_group_is_needed(order, expected) -> None:
    assert value("FullRecall@2", order) == expected


def test_without_groups_every_document_is_needed() -> None:
    qrels = {"q": {"a": 2, "b": 1, "c": 0}}
    assert value("FullRecall@2", ["a", "b"], qrels, subtopics=False) == 1
    assert value("FullRecall@1", ["a", "b"], qrels, subtopics=False) == 0
    assert value("FullRecall(rel=2)@1", ["a", "b"], qrels, subtopics=False) == 1
    assert value("FullRecall(judged_only=True)@2", ["x", "a", "b"], qrels, subtopics=False) == 1
    assert value("FullRecall@2", ["a", "a", "b"], qrels, subtopics=False, duplicates="count") == 0
    assert value("FullRecall", ["a"], {"q": {"a": 0}}, subtopics=False, no_relevant=1) == 1


def test_groups_and_documents_in_one_call() -> None:
    qrels = gainful.Qrels(GROUPS, subtopics=True)
    measures = ["FullRecall@2", "Success@2", "R@2", "nDCG@2", "AP", "StRecall@2"]
    result = gainful.evaluate(qrels, {"q": ["a", "x", "c"]}, measures)
    ideal = 1 + 1 / math.log2(3)
    assert [result.mean(measure) for measure in measures] == pytest.approx(
        [0, 1, 1 / 3, 1 / ideal, (1 + 2 / 3) / 3, 1 / 2]
    )


def test_different_grades_are_ambiguous() -> None:
    qrels = gainful.Qrels({"q": {"1": {"a": 1}, "2": {"a": 2}}}, subtopics=True)
    assert gainful.evaluate(qrels, {"q": ["a"]}, "FullRecall@1").mean() == 1
    with pytest.raises(MeasureError, match="different grades under several subtopics") as caught:
        gainful.evaluate(qrels, {"q": ["a"]}, ["FullRecall@1", "nDCG@1"])
    assert caught.value.document == "a"
    assert gainful.evaluate(qrels.merged("max"), {"q": ["a"]}, "nDCG@1").mean() == 1


def test_shared_ranks_are_refused() -> None:
    with pytest.raises(ConventionError, match="FullRecall@1 is not defined for ties=average-rank"):
        value("FullRecall@1", ["a"], ties="average-rank")


def test_many_groups_that_share_documents_are_refused() -> None:
    groups = {str(number): {"shared": 1, f"d{number}": 1} for number in range(17)}
    order = dict.fromkeys(["shared", *(f"d{number}" for number in range(17))], 0.0)
    with pytest.raises(ConventionError, match="more than 16 groups share documents"):
        value("FullRecall@3", order, {"q": groups}, ties="expected")


@pytest.mark.parametrize(
    ("system", "expected"), [("raw", (0.552472, 0.419778)), ("hybrid", (0.846620, 0.737134))]
)
def test_questions_about_conversations(system: str, expected: tuple[float, float]) -> None:
    folder = need("shared-data", "questions about ten conversations") / "memory"
    measures = ["FullRecall@10", "FullRecall@5"]
    result = gainful.evaluate(folder / "qrels.txt", folder / f"{system}.run", measures)
    assert tuple(round(result.mean(measure), 6) for measure in measures) == expected


# --- weights --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "order", "expected"),
    [
        ("StRecall@1", ["a"], 1),
        ("StRecall@1", ["b"], 0.5 / 1.5),
        ("StRecall@1", ["c"], 0),
        ("AP_IA", ["b", "a"], (1 * 1 / 2 + 0.5 * 1) / 1.5),
        ("P_IA@2", ["a", "x"], (1 * 1 + 0.5 * 1) / (2 * 1.5)),
        # The first gain is 1.5, the second half of .5.
        ("alpha_nDCG@2", ["b", "a"], (0.5 + 1.25 / math.log2(3)) / (1.5 + 0.25 / math.log2(3))),
        ("alpha_DCG@1", ["b"], 0.5 / 1.5),
        ("ERR_IA@2", ["b", "a"], (0.5 + 1.25 / 2) / (1.5 + 0.75 / 2)),
    ],
)
def test_weights(measure: str, order: list[str], expected: float) -> None:
    assert value(measure, order, WEIGHTED) == pytest.approx(expected, abs=1e-15)


def test_weights_over_all_orders_of_ties() -> None:
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    qrels = gainful.Qrels(WEIGHTED, subtopics=True)
    convention = gainful.conventions["gainful-1"].replace(ties="expected")
    for measure in ("alpha_nDCG@2", "StRecall@1", "AP_IA"):
        orders = [value(measure, list(order), WEIGHTED) for order in itertools.permutations("abc")]
        mean = gainful.evaluate(qrels, run, measure, convention=convention).mean()
        assert mean == pytest.approx(sum(orders) / len(orders)), measure


def test_weights_of_one_change_nothing() -> None:
    written = {"q": {f"{name};weight=1": grades for name, grades in GROUPS["q"].items()}}
    for measure in ("StRecall@1", "alpha_nDCG@2", "NRBP", "AP_IA", "AP_JG"):
        assert value(measure, ["a", "c", "b"], written) == value(measure, ["a", "c", "b"])


def test_only_groups_without_weight_are_nothing_relevant() -> None:
    qrels = {"q": {"g;weight=0": {"a": 1}}}
    for measure in ("StRecall@1", "alpha_nDCG@1", "AP_IA"):
        assert value(measure, ["a"], qrels, no_relevant=1) == 1


def test_groups_of_spans() -> None:
    qrels = {"q": {"1;weight=3": {"a#char=0,10": 1, "b#char=0,10": 1}, "2": {"a#char=20,30": 1}}}
    run = ["b#char=5,40", "a#char=29,50"]
    assert value("FullRecall@1", run, qrels) == 0
    assert value("FullRecall@2", run, qrels) == 1
    assert value("FullRecall(overlap=0.2)@2", run, qrels) == 0
    assert value("StRecall@1", run, qrels) == 3 / 4
    assert value("StRecall(overlap=0.6)@2", run, qrels) == 0
    # All alternatives are relevant text.
    assert value("SpanR", run, qrels) == 6 / 30


@pytest.mark.parametrize("seed", range(40))
def test_unordered_ties_are_the_mean_over_all_orders(seed: int) -> None:
    """Groups of one document, of several, and groups that share documents."""
    generator = random.Random(seed)
    documents = list("abcdef")
    names = [*documents, "x"][: generator.randint(3, 7)]
    groups = {
        str(number): dict.fromkeys(generator.sample(documents, generator.randint(1, 3)), 1)
        for number in range(generator.randint(1, 4))
    }
    qrels = gainful.Qrels({"q": groups}, subtopics=True)
    scores = {name: generator.choice([0.0, 0.0, 1.0]) for name in names}
    orders = [
        order
        for order in permutations(names)
        if all(scores[left] >= scores[right] for left, right in pairwise(order))
    ]
    for k in range(1, len(names) + 1):
        full = [all(group.keys() & set(order[:k]) for group in groups.values()) for order in orders]
        expected = sum(full) / len(full)
        result = gainful.evaluate(qrels, {"q": scores}, f"FullRecall@{k}", ties="expected")
        assert result.mean() == pytest.approx(expected, abs=1e-12), (k, groups, scores)


def test_chance_of_finding_all() -> None:
    qrels = {"q": {"a": 1, "b": 1, "c": 0}}
    result = gainful.evaluate(qrels, {"q": ["a"]}, "FullRecall@5", candidates=30)
    assert " .0230 " in result.to_text()  # 5 · 4 / (30 · 29)
