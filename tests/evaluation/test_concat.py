"""Evaluation.concat: the parts give the whole, bit for bit, in any order."""

from __future__ import annotations

import functools
import operator
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gainful
from combinations import ALL
from evaluation_words import contents, sorted_rows
from gainful.errors import ArgumentError, MatchError, ParameterError
from random_rankings import draw

MEASURES = [
    "nDCG@10",
    "nDCG(gain='exponential')@3",
    "AP",
    "RR",
    "P@5",
    "GMAP",
    "NumRel",
    "Judged@10",
]
QRELS = {"q1": {"d1": 2, "d2": 1}, "q2": {"d3": 1}, "q3": {"d4": 0}}
RUN = {"q1": ["d2", "d1"], "q2": ["d9", "d3"], "q3": ["d4"]}


def one(queries: list[str], measures: object = "nDCG@10", **options: object) -> gainful.Evaluation:
    qrels = {query: QRELS[query] for query in queries}
    run = {query: RUN[query] for query in queries}
    return gainful.evaluate(qrels, runs={"a": run}, measures=measures, **options)


def cut(keys: list[str], count: int, source: random.Random) -> list[list[str]]:
    """Distribute queries over non-empty parts."""
    source.shuffle(keys)
    return [keys[at::count] for at in range(count)]


@settings(max_examples=25 if ALL else 4, deadline=None)
@given(seed=st.integers(0, 10_000), parts=st.integers(1, 7))
@pytest.mark.parametrize("name", ["gainful-1", "trec_eval", "spark", "ranx", "lenskit"])
def test_parts_add_up_to_the_whole(name: str, seed: int, parts: int) -> None:
    source = random.Random(seed)
    first, second = draw(seed, queries=10), draw(seed + 1, queries=10)
    convention = gainful.conventions.get(name).replace(
        name="own", ties="doc-id-desc", no_relevant="skip"
    )
    measures = MEASURES[:6] if name == "spark" else MEASURES
    weights = {query: source.choice((0.5, 1, 3)) for query in first.qrels}

    def evaluated(queries: list[str]) -> gainful.Evaluation:
        def of(table: dict[str, object]) -> dict[str, object]:
            return {query: table[query] for query in queries}

        return gainful.evaluate(
            of(first.qrels),
            runs={"first": of(first.run), "second": of(second.run)},
            measures=measures,
            convention=convention,
            weights=weights if seed % 2 else None,
        )

    whole = evaluated(list(first.qrels))
    dealt = [evaluated(own) for own in cut(list(first.qrels), parts, source)]
    found = gainful.Evaluation.concat(dealt)
    assert contents(found) == contents(whole)
    dealt.reverse()
    assert contents(gainful.Evaluation.concat(iter(dealt))) == contents(whole)


def test_the_last_bit_does_not_depend_on_the_parts() -> None:
    # In any other order than that of the ids, these sums differ in the last bit.
    drawn = draw(4, queries=150)
    names = list(drawn.qrels)
    whole = gainful.evaluate(drawn.qrels, drawn.run, "nDCG")
    values = whole.per_query()
    # Python's own sum would compensate.
    forwards = functools.reduce(operator.add, (values[name] for name in names))
    backwards = functools.reduce(operator.add, (values[name] for name in reversed(names)))
    assert forwards != backwards
    halves = [names[100:], names[:100]]
    parts = [
        gainful.evaluate(
            {name: drawn.qrels[name] for name in half},
            {name: drawn.run[name] for name in half},
            "nDCG",
        )
        for half in halves
    ]
    assert gainful.Evaluation.concat(parts).mean() == whole.mean()
    means = [part.mean() * len(half) for part, half in zip(parts, halves, strict=True)]
    assert sum(means) / 150 != whole.mean()


def test_sums_of_sums() -> None:
    drawn = draw(9, queries=12)
    names = list(drawn.qrels)
    parts = [
        gainful.evaluate({name: drawn.qrels[name]}, {name: drawn.run[name]}, MEASURES)
        for name in names
    ]
    nested = [gainful.Evaluation.concat(parts[3:7]), *parts[:3], *parts[7:]]
    assert contents(gainful.Evaluation.concat(nested)) == contents(gainful.Evaluation.concat(parts))


def test_bounds() -> None:
    options = {"measures": ["nDCG@2", "AP"], "bounds": True, "scale": [0, 1, 2]}
    whole = one(["q1", "q2", "q3"], **options)
    found = gainful.Evaluation.concat([one(["q3", "q1"], **options), one(["q2"], **options)])
    assert contents(found) == contents(whole)
    assert found.bounds("AP") == whole.bounds("AP")
    assert found.scale == (0.0, 1.0, 2.0)
    with pytest.raises(MatchError, match="bounds over different labels"):
        gainful.Evaluation.concat(
            [one(["q1"], **options), one(["q2"], **{**options, "scale": [1]})]
        )


def test_one_system_has_fewer_queries_than_the_other() -> None:
    skip = gainful.conventions.get("gainful-1").replace(missing="skip")

    def evaluated(qrels: object, runs: object) -> gainful.Evaluation:
        return gainful.evaluate(qrels, runs=runs, measures=["RR"], convention=skip)

    few = {"q1": RUN["q1"], "q2": RUN["q2"]}
    whole = evaluated(QRELS, {"a": RUN, "b": few})
    parts = [
        evaluated({"q1": QRELS["q1"]}, {"a": RUN, "b": few}),
        evaluated({"q2": QRELS["q2"], "q3": QRELS["q3"]}, {"a": RUN, "b": few}),
    ]
    found = gainful.Evaluation.concat(parts)
    assert sorted_rows(found) == sorted_rows(whole)
    assert found.counts("b")["missing"] == whole.counts("b")["missing"] == 1


def test_the_same_judgments_in_all_parts_are_counted_once() -> None:
    skip = gainful.conventions.get("gainful-1").replace(missing="skip")
    parts = [
        gainful.evaluate(QRELS, {query: RUN[query]}, "RR", convention=skip)
        for query in ("q3", "q1")
    ]
    found = gainful.Evaluation.concat(parts)
    whole = gainful.evaluate(QRELS, {"q1": RUN["q1"], "q3": RUN["q3"]}, "RR", convention=skip)
    assert contents(found) == contents(whole)
    assert found.judgments_digest == whole.judgments_digest
    counts = found.counts()
    assert (counts["judged_queries"], counts["queries"], counts["missing"]) == (3, 2, 1)


def test_a_concatenated_evaluation_can_be_compared() -> None:
    parts = [one(["q1"]), one(["q2", "q3"])]
    found = gainful.Evaluation.concat(parts)
    assert found.judgments_digest is None
    better = gainful.evaluate(
        QRELS, runs={"b": {"q1": ["d1", "d2"], "q2": ["d3"]}}, measures="nDCG@10"
    )
    pair = gainful.compare([found, better], resamples=100, bootstrap=0).pairs[0]
    assert pair.n == 3
    assert pair.difference == pytest.approx(better.mean() - found.mean(), rel=1e-12)


def test_ids_of_any_bytes() -> None:
    queries = ["\udcff", "é", "z", "日本", "a b"]
    parts = [gainful.evaluate({query: {"d": 1}}, {query: ["d"]}, "RR") for query in queries]
    found = gainful.Evaluation.concat(parts)
    assert list(found.per_query()) == ["a b", "z", "é", "日本", "\udcff"]


@pytest.mark.parametrize(
    ("parts", "kind", "message"),
    [
        (
            lambda: [one(["q1", "q2"]), one(["q2"])],
            MatchError,
            "query 'q2': the query is in two evaluations",
        ),
        (
            lambda: [one(["q1"]), one(["q2"], convention="trec_eval")],
            MatchError,
            "the conventions gainful-1 and trec_eval-9.0.8, expected one convention",
        ),
        (
            lambda: [one(["q1"], ["AP", "RR"]), one(["q2"], ["RR", "AP"])],
            MatchError,
            r"the measures \[AP, RR\] and \[RR, AP\]",
        ),
        (
            lambda: [one(["q1"]), gainful.evaluate(QRELS, runs={"b": RUN}, measures="nDCG@10")],
            MatchError,
            r"the systems \[a\] and \[b\]",
        ),
        (
            lambda: [one(["q1"]), one(["q2"], weights={"q2": 2})],
            MatchError,
            "weights in some parts only",
        ),
        (list, ParameterError, "found no evaluation, expected at least one"),
        (lambda: one(["q1"]), ArgumentError, "found Evaluation, expected several evaluations"),
        (lambda: [one(["q1"]), {}], ArgumentError, "found dict, expected an Evaluation"),
    ],
)
def test_parts_that_do_not_fit(parts: object, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        gainful.Evaluation.concat(parts())


def test_a_missing_query_has_a_row() -> None:
    parts = [gainful.evaluate(QRELS, {query: RUN[query]}, "RR") for query in ("q1", "q2")]
    with pytest.raises(MatchError, match="Hint: evaluate each part with the judgments of its own"):
        gainful.Evaluation.concat(parts)


def test_each_query_has_the_weight_of_its_part() -> None:
    weights = [{"q1": 2.0, "q2": 9.0}, {"q1": 9.0, "q2": 1.0}]
    parts = [one(["q1"], weights=weights[0]), one(["q2"], weights=weights[1])]
    whole = one(["q1", "q2"], weights={"q1": 2.0, "q2": 1.0})
    for each in (parts, parts[::-1]):
        assert contents(gainful.Evaluation.concat(each)) == contents(whole)
