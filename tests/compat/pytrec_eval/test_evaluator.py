"""The replacement for pytrec_eval: API, keys, and values equal bit for bit."""

from __future__ import annotations

import struct
from random import Random

import pytest

import gainful.compat.pytrec_eval as ours
from requirements import need

#: Cutoffs besides trec_eval's own: small and large, unsorted, in all three spellings.
MEASURES = [
    "all_trec",
    "ndcg_cut.7,1,3",
    "map_cut_2",
    "P.1,2000,3",
    "recall_1",
    "relative_P.4",
    "success.2",
    "iprec_at_recall.0.33,0.05,1",
    "Rprec_mult_1.7",
]
#: Two are equal as 32-bit floats, and two are on either side of one.
SCORES = (0.0, -0.0, 1.0, 0.9, 0.900000001, 16777216.0, 16777217.0, -3.5, 1e-40, 1e30, 2)


def collection(random: Random) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Return judgments and a run that overlap partly, with ties and non-ASCII ids."""
    ids = [f"{random.choice('dDé中9')}{number}" for number in range(random.choice((4, 12, 60)))]
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for query in random.sample("abcdefgh", random.randint(1, 5)):
        judged = random.sample(ids, random.randint(1, len(ids)))
        qrels[query] = {
            document: random.choice((-2, -1, 0, 0, 0, 1, 1, 2, 4)) for document in judged
        }
        # With only negative grades, trec_eval reads invalid memory.
        qrels[query][judged[0]] = random.choice((0, 0, 1, 3))
    for query in random.sample("abcdefgh", random.randint(1, 8)):
        found = random.sample(ids, random.randint(1, len(ids)))
        tied = random.random() < 0.5
        run[query] = {
            document: random.choice(SCORES) if tied else random.uniform(-1, 1) for document in found
        }
    return qrels, run


def exactly(result: dict[str, dict[str, float]]) -> list[tuple[str, list[tuple[str, bytes]]]]:
    """Return a form of a result that is equal only for equal bits, keys and order."""
    return [
        (query, [(name, struct.pack("<d", value)) for name, value in values.items()])
        for query, values in result.items()
    ]


def compare(seeds: range) -> None:
    theirs = need("pytrec_eval")
    for seed in seeds:
        random = Random(seed)
        qrels, run = collection(random)
        options = {
            "relevance_level": random.choice((1, 1, 2, 3)),
            "judged_docs_only_flag": random.random() < 0.3,
        }
        expected = theirs.RelevanceEvaluator(qrels, MEASURES, **options).evaluate(run)
        for values in expected.values():
            # Uninitialized memory.
            values["runid"] = 0.0
            # Without judged documents it is 0/0 in trec_eval, and 0 in Gainful.
            if values["num_ret"] == 0:
                values.update((name, 0.0) for name, value in values.items() if value != value)
        found = ours.RelevanceEvaluator(qrels, MEASURES, **options).evaluate(run)
        assert exactly(found) == exactly(expected), f"collection {seed}, {options}"


def test_values_are_equal_bit_for_bit() -> None:
    compare(range(400))


@pytest.mark.slow
def test_values_are_equal_bit_for_bit_on_ten_thousand_collections() -> None:
    compare(range(1_000_000, 1_010_000))


def test_values_of_large_runs_are_equal_bit_for_bit() -> None:
    theirs = need("pytrec_eval")
    random = Random(5)
    qrels = {
        f"q{number}": {f"d{random.randrange(900)}": random.randrange(3) for _ in range(20)}
        for number in range(60)
    }
    queries = random.sample(sorted(qrels), 50)
    run = {
        query: {f"d{number}": random.choice((random.random(), 0.5)) for number in range(900)}
        for query in queries
    }
    measures = {"ndcg", "map", "P", "recall.100,900"}
    expected = theirs.RelevanceEvaluator(qrels, measures).evaluate(run)
    found = ours.RelevanceEvaluator(qrels, measures).evaluate(run)
    assert list(found) == queries
    assert exactly(found) == exactly(expected)


def test_the_api_is_the_same() -> None:
    theirs = need("pytrec_eval")
    assert {*theirs.__all__, "compute_aggregated_measure", "__version__"} <= set(dir(ours))
    assert ours.supported_measures == theirs.supported_measures
    assert ours.supported_nicknames == theirs.supported_nicknames


@pytest.mark.parametrize("name", ["map", "num_rel", "gm_map", "P_5"])
@pytest.mark.parametrize("values", [[0.25], [0.1, 0.2, 0.7], [-3.0, -2.5], list(range(1, 40))])
def test_values_are_aggregated_to_the_same_bit(name: str, values: list[float]) -> None:
    theirs = need("pytrec_eval")
    assert ours.compute_aggregated_measure(name, values) == theirs.compute_aggregated_measure(
        name, values
    )


def test_values_of_a_dictionary_are_aggregated() -> None:
    assert ours.compute_aggregated_measure("map", {"q1": 0.5, "q2": 1.0}.values()) == 0.75


def test_files_are_parsed_equally() -> None:
    theirs = need("pytrec_eval")
    run = ["q1 Q0 d1 1 2.5 x\n", "q1\tQ0  d2 2 1e3 x\r\n", "q2 Q0 d1 1 -inf x"]
    qrels = ["q1 0 d1 1\n", "q1 0 d2 -1\n", " q2 0 d1 02 "]
    assert ours.parse_run(run) == theirs.parse_run(run)
    assert ours.parse_qrel(qrels) == theirs.parse_qrel(qrels)
    assert ours.parse_run(run)["q9"] == {}


def test_results_are_in_the_order_of_the_run_and_of_trec_eval() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    run = {"q3": {"a": 1.0}, "q0": {"a": 1.0}, "q1": {"a": 1.0}}
    measures = ["set_F", "P_5", "num_ret", "map", "P.1", "num_q"]
    found = ours.RelevanceEvaluator(qrels, measures).evaluate(run)
    assert list(found) == ["q3", "q1"]
    assert list(found["q3"].items()) == [
        ("num_q", 1.0),
        ("num_ret", 1.0),
        ("map", 1.0),
        ("P_1", 1.0),
        ("P_5", 0.2),
        ("set_F", 1.0),
    ]


def test_an_evaluator_can_be_used_repeatedly() -> None:
    qrels = {"q": {"a": 1, "b": 0}}
    evaluator = ours.RelevanceEvaluator(qrels, {"ndcg_cut.1,2"})
    first, second = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2.0}}
    before = evaluator.evaluate(first)
    assert evaluator.evaluate(second) == {"q": {"ndcg_cut_1": 0.0, "ndcg_cut_2": 0.0}}
    assert evaluator.evaluate(first) == before == {"q": {"ndcg_cut_1": 1.0, "ndcg_cut_2": 1.0}}


def test_judgments_are_copied_at_construction() -> None:
    qrels = {"q": {"a": 1}}
    evaluator = ours.RelevanceEvaluator(qrels, {"map"})
    qrels["q"]["a"] = 0
    assert evaluator.evaluate({"q": {"a": 1.0}}) == {"q": {"map": 1.0}}


def test_empty_input_gives_an_empty_result() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    assert ours.RelevanceEvaluator(qrels, {"map"}).evaluate({}) == {}
    assert ours.RelevanceEvaluator(qrels, {"map"}).evaluate({"other": {"a": 1.0}}) == {}
    assert ours.RelevanceEvaluator({}, {"map"}).evaluate(run) == {}
    assert ours.RelevanceEvaluator({"q": {}}, {"map"}).evaluate(run) == {}
    assert ours.RelevanceEvaluator(qrels, set()).evaluate(run) == {"q": {}}
    assert ours.RelevanceEvaluator({}, {}).evaluate({}) == {}


def test_many_threads_share_an_evaluator() -> None:
    from concurrent.futures import ThreadPoolExecutor

    evaluator = ours.RelevanceEvaluator({"q": {"d3": 1}}, {"recip_rank"})
    runs = [
        {"q": {f"d{(number + shift) % 7}": -float(number) for number in range(7)}}
        for shift in range(7)
    ]
    right = [evaluator.evaluate(run) for run in runs]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(evaluator.evaluate, runs * 50)) == right * 50


def test_the_repr_lists_the_measures() -> None:
    evaluator = ours.RelevanceEvaluator({"q": {"a": 1}}, ["map", "P_5", "P.10"])
    assert evaluator.measures == {"map", "P.5,10"}
    assert repr(evaluator) == "<RelevanceEvaluator of P.5,10, map>"
