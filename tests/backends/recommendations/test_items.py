"""Measures of recommended items: their definitions, by brute force, and the numbers of tools."""

from __future__ import annotations

import math
import pickle
from itertools import combinations
from statistics import mean
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import gainful
from gainful.backends.recommendations import Factors, evaluate_recommendations
from gainful.backends.recommendations.item_measures import FAMILIES
from gainful.errors import ArgumentError, MeasureError, ParameterError
from gainful.measures.catalogue import OF_ITEMS
from gainful.measures.family import plain
from recommended_items import ITEMS, TOP, USERS, Shop
from requirements import need

SHOP = Shop()
HELD_OUT = scipy.sparse.csr_array(SHOP.held_out.astype(float))
SEEN = scipy.sparse.csr_array(SHOP.seen.astype(float))

#: Printed by ``python tests/support/recommended_items.py TOOL`` with the versions of the names.
PRINTED = {
    "recbole-1.2.1": {
        "itemcoverage@4": 0.909090909091,
        "giniindex@4": 0.234848484848,
        "shannonentropy@4": 0.22568836111,
        "averagepopularity@4": 3.479166666667,
        "tailpercentage@4": 0.125,
        "gauc": 0.619918699187,
    },
    "lenskit-2025.8.1": {
        "ListGini@4": 0.15833333333333333,
        "ExposureGini@4": 0.20325840773765175,
        "MeanPopRank@4": 0.4375,
        "entropy@4": 1.7287307207349434,
    },
    "cornac-3.0.1": {"AUC": 0.6456018518518518},
}


def evaluated(measures: Any, **options: Any) -> Any:
    given = {"scores": SHOP.scores, "seen": SEEN, "categories": SHOP.categories}
    return evaluate_recommendations(
        HELD_OUT, measures=measures, **{**given, "vectors": SHOP.vectors, **options}
    )


@pytest.mark.parametrize("tool", PRINTED)
def test_numbers_of_tools(tool: str) -> None:
    result = evaluated(list(PRINTED[tool]), convention=tool)
    values = [summary.value for summary in result.recommended]
    # RecBole rounds to 12 digits. LensKit sums exposures in 32 bits, and adds 1e-6 to the counts of
    # its entropy.
    near = 1e-5 if tool.startswith("lenskit") else 1e-11
    assert values == pytest.approx(list(PRINTED[tool].values()), rel=near)


# --- definitions, one list at a time -------------------------------------------------------------

LISTS = [list(map(int, own)) for own in SHOP.lists()]
COUNTS = [int(n) for n in SHOP.seen.sum(axis=0)]
SEERS = int(SHOP.seen.any(axis=1).sum())
TIMES = [sum(item in own for own in LISTS) for item in range(ITEMS)]
RELEVANT = [set(np.flatnonzero(row).tolist()) for row in SHOP.held_out]
RAREST = min(count for count in COUNTS if count)


def information(item: int, whole: int) -> float:
    return -math.log2((COUNTS[item] or RAREST) / whole)


def cosine(one: int, other: int) -> float:
    a, b = SHOP.vectors[one], SHOP.vectors[other]
    lengths = math.sqrt(a @ a) * math.sqrt(b @ b)
    return float(a @ b) / lengths if lengths else 0.0


def jaccard(one: int, other: int) -> float:
    a, b = set(SHOP.categories[one]), set(SHOP.categories[other])
    return len(a & b) / len(a | b)


def distance(similarity: Any) -> Any:
    return lambda own, _: mean(1 - similarity(*pair) for pair in combinations(own, 2))


def discounted(novelty: Any) -> Any:
    """Return Elliot's EPC and EFD, as read in elliot/evaluation/metrics/novelty."""

    def value(own: list[int], user: int) -> float:
        discounts = [math.log(2) / math.log(rank + 2) for rank in range(len(own))]
        hits = [item in RELEVANT[user] for item in own]
        terms = [
            hit * discount * novelty(item)
            for hit, discount, item in zip(hits, discounts, own, strict=True)
        ]
        return sum(terms) / sum(discounts)

    return value


def in_head() -> set[int]:
    """Return Elliot's short head, as read in elliot/evaluation/popularity_utils/popularity.py."""
    left, head = 0.8 * sum(COUNTS), set()
    for item in sorted(range(ITEMS), key=lambda item: -COUNTS[item]):
        head.add(item)
        left -= COUNTS[item]
        if left <= 0:
            break
    return head


def area(user: int, ties: float = 0.5) -> float:
    candidates = np.flatnonzero(~SHOP.seen[user]).tolist()
    good = [item for item in candidates if item in RELEVANT[user]]
    bad = [item for item in candidates if item not in RELEVANT[user]]
    scores = SHOP.scores[user]
    wins = [
        float(scores[one] > scores[other]) or ties * (scores[one] == scores[other])
        for one in good
        for other in bad
    ]
    return mean(wins)


PER_USER = {
    "Novelty@4": lambda own, _: mean(information(item, SEERS) for item in own),
    "Novelty(share='interactions')@4": lambda own, _: mean(
        information(item, sum(COUNTS)) for item in own
    ),
    "Popularity@4": lambda own, _: mean(COUNTS[item] for item in own),
    "LongTail@4": lambda own, _: mean(item not in in_head() for item in own),
    "ILD@4": distance(cosine),
    "ILD(of='categories')@4": distance(jaccard),
    "epc@4": discounted(lambda item: 1 - COUNTS[item] / SEERS),
    "efd@4": discounted(lambda item: information(item, sum(COUNTS))),
    "AUC": lambda _, user: area(user),
}


@pytest.mark.parametrize("memory", [8, 1 << 20])
@pytest.mark.parametrize("measure", PER_USER)
def test_values_of_users(measure: str, memory: int) -> None:
    convention = "elliot" if measure in ("epc@4", "efd@4") else "gainful-1"
    result = evaluated(measure, convention=convention, memory=memory)
    (summary,) = result.recommended
    expected = [PER_USER[measure](own, user) for user, own in enumerate(LISTS)]
    assert list(result.per_user(summary.measure).values()) == pytest.approx(expected)
    assert summary.value == pytest.approx(mean(expected))
    assert (summary.of, summary.n) == ("user", USERS)
    low, high = gainful.inference.mean_interval(
        mean(expected),
        float(np.std(expected, ddof=1)),
        USERS,
        low=result.item_measures[0].range[0],
        high=result.item_measures[0].range[1],
    )
    assert tuple(summary.interval) == pytest.approx((low, high))


def gini(n: int, factor: int) -> float:
    rising = sorted([0] * (n - ITEMS) + TIMES)
    return sum((2 * i - n - 1) * c for i, c in enumerate(rising, start=1)) / factor / sum(TIMES)


def entropy(base: float) -> float:
    shares = [count / sum(TIMES) for count in TIMES if count]
    return -sum(share * math.log(share, base) for share in shares)


OF_RUNS = {
    "Coverage@4": sum(map(bool, TIMES)) / ITEMS,
    "Coverage(count=True)@4": sum(map(bool, TIMES)),
    "Gini@4": gini(ITEMS, ITEMS),
    "Gini(padding=5)@4": gini(ITEMS + 5, ITEMS + 5),
    "Gini(norm='n-1', complement=True)@4": 1 - gini(ITEMS, ITEMS - 1),
    "Entropy@4": entropy(2),
    "Entropy(base=10)@4": entropy(10),
    "Entropy(over='items')@4": entropy(2) / sum(map(bool, TIMES)),
    # The lists are equally long.
    "Entropy(over='users')@4": entropy(2),
}


@pytest.mark.parametrize("measure", OF_RUNS)
def test_values_of_all_lists(measure: str) -> None:
    result = evaluated(measure)
    (summary,) = result.recommended
    assert summary.value == pytest.approx(OF_RUNS[measure])
    assert (summary.of, summary.interval, summary.n) == ("run", None, USERS)
    with pytest.raises(ParameterError, match="a measure of all lists together"):
        result.per_user(summary.measure)


def test_extremes() -> None:
    one = np.array([[3.0, 2.0, 1.0]] * 4)
    held_out = (np.arange(5), np.zeros(4, int))
    same = evaluate_recommendations(held_out, one, ["Coverage@1", "Gini@1", "Entropy@1"])
    assert [summary.value for summary in same.recommended] == pytest.approx([1 / 3, 2 / 3, 0])
    every = evaluate_recommendations(held_out, one, ["Coverage@3", "Gini@3", "Entropy@3"])
    values = [summary.value for summary in every.recommended]
    assert values == pytest.approx([1, 0, math.log2(3)])


def test_weights_of_gauc() -> None:
    areas = [area(user) for user in range(USERS)]
    candidates = (~SHOP.seen).sum(axis=1)
    relevant = list(map(len, RELEVANT))
    for measure, weights in (("GAUC", candidates), ("GAUC(weight=relevant)", relevant)):
        result = evaluated(measure)
        assert result.recommended[0].value == pytest.approx(np.average(areas, weights=weights))
        assert list(result.per_user(repr(result.item_measures[0])).values()) == pytest.approx(areas)


def test_elliots_auc() -> None:
    """As read in elliot/evaluation/metrics/accuracy/AUC: one negative more, pairs pooled."""
    own = []
    for user in range(USERS):
        order = np.argsort(-SHOP.allowed()[user])[: int((~SHOP.seen[user]).sum())].tolist()
        negatives = ITEMS - int(SHOP.seen[user].sum()) - len(RELEVANT[user]) + 1
        ranks = [rank for rank, item in enumerate(order) if item in RELEVANT[user]]
        own.append([(negatives - r + p) / negatives for p, r in enumerate(ranks)])
    result = evaluated(["auc", "gauc"], convention="elliot")
    pooled, grouped = (summary.value for summary in result.recommended)
    assert pooled == pytest.approx(mean(value for values in own for value in values))
    assert grouped == pytest.approx(mean(map(mean, own)))


def test_equal_scores_count_one_half() -> None:
    need("scikit-learn")
    from sklearn.metrics import roc_auc_score

    random = np.random.default_rng(1)
    scores = random.integers(0, 4, (30, 12)).astype(float)
    held_out = random.random((30, 12)) < 0.3
    held_out[0], held_out[1] = True, False
    result = evaluate_recommendations(
        scipy.sparse.csr_array(held_out.astype(float)), scores, ["AUC", "GAUC"]
    )
    expected = {
        user: roc_auc_score(held_out[user], scores[user])
        for user in range(30)
        if 0 < held_out[user].sum() < 12
    }
    assert result.per_user("AUC") == pytest.approx(expected)
    # The same from factors in parts, and from lists.
    factors = Factors(scores, np.eye(12))
    parts = evaluate_recommendations(
        scipy.sparse.csr_array(held_out.astype(float)), factors, "AUC", memory=8
    )
    assert parts.per_user("AUC") == pytest.approx(expected)
    run = {str(u): {str(i): scores[u, i] for i in range(12)} for u in range(30)}
    held = {str(u): np.flatnonzero(held_out[u]).tolist() for u in range(30) if held_out[u].any()}
    held = {user: [str(item) for item in own] for user, own in held.items()}
    listed = evaluate_recommendations(held, run, "AUC")
    assert {int(user): value for user, value in listed.per_user("AUC").items()} == pytest.approx(
        expected
    )


def test_lists_and_scores_give_the_same_values() -> None:
    measures = ["nDCG@4", "R@2", "Coverage@4", "Gini@3", "Novelty@4", "ILD@4", "LongTail@2"]
    whole = evaluated(measures)
    users, items = [f"u{n}" for n in range(USERS)], [f"i{n}" for n in range(ITEMS)]
    tables = {
        "held_out": {users[u]: [items[i] for i in sorted(RELEVANT[u])] for u in range(USERS)},
        "seen": {
            users[u]: [items[i] for i in np.flatnonzero(SHOP.seen[u])]
            for u in range(USERS)
            if SHOP.seen[u].any()
        },
    }
    shown = {
        users[u]: {items[i]: float(SHOP.scores[u, i]) for i in own} for u, own in enumerate(LISTS)
    }
    listed = evaluate_recommendations(
        tables["held_out"],
        shown,
        measures,
        seen=tables["seen"],
        items=ITEMS,
        vectors=dict(zip(items, SHOP.vectors, strict=True)),
    )
    mixed = evaluated(measures, seen=tables["seen"], user_ids=users, item_ids=items)
    for result in (listed, mixed):
        assert [summary.value for summary in result.recommended] == pytest.approx(
            [summary.value for summary in whole.recommended]
        )
        assert list(result.per_query("nDCG@4").values()) == list(whole.per_query("nDCG@4").values())


def test_segments() -> None:
    segment = {str(user): "new" if user < 5 else "old" for user in range(USERS - 1)}
    measures = ["nDCG@4", "Coverage@4", "Novelty@4", "GAUC"]
    result = evaluated(measures, by=segment)
    assert list(dict.fromkeys(row.segment for row in result.segments)) == ["new", "old", "(none)"]
    new = [result.per_query("nDCG@4")[user] for user in range(5)]
    row = result.of_items("nDCG@4", segment="new")
    assert (row.value, row.n) == (pytest.approx(mean(new)), 5)
    items = {item for own in LISTS[5:-1] for item in own}
    assert result.value("Coverage@4", segment="old") == len(items) / ITEMS
    novelty = [PER_USER["Novelty@4"](own, 0) for own in LISTS[:5]]
    assert result.value("Novelty@4", segment="new") == pytest.approx(mean(novelty))
    weights = (~SHOP.seen[:5]).sum(axis=1)
    areas = [area(user) for user in range(5)]
    expected = np.average(areas, weights=weights)
    assert result.value("GAUC", segment="new") == pytest.approx(expected)
    with pytest.raises(ParameterError, match=r"GMAP.* is not a mean over users"):
        evaluated(["GMAP"], by=segment)
    with pytest.raises(ParameterError, match="no query has a value"):
        evaluated(measures, by={"nobody": "new"})


def test_it_is_an_evaluation() -> None:
    other = {"one": SHOP.scores, "two": -SHOP.scores}
    result = evaluated(["nDCG@4", "Coverage@4", "ILD@2"], scores=None, systems=other)
    pairs = gainful.compare(result, baseline="one", resamples=1000).pairs
    assert [pair.measure for pair in pairs] == ["nDCG@4"]
    assert pickle.loads(pickle.dumps(result)) == result
    assert result.to_dict()["schema"] == "gainful.recommender-evaluation/1"
    assert result.records("recommended")["system"] == ["one", "one", "two", "two"]
    text = str(result)
    assert "recommended items" in text
    assert "Coverage@4" in text
    assert "Coverage@4" in result.to_html()
    with pytest.raises(ParameterError, match="system: found none, expected one of one, two"):
        result.value("Coverage@4")
    with pytest.raises(ParameterError, match="measure: found 'Gini@4', expected one of"):
        result.value("Gini@4", "one")
    alone = evaluated("Coverage@4")
    assert alone.measures == ()
    assert "gainful-1" in str(alone)
    assert "Coverage@4" in alone.to_html()


def test_ties_follow_the_convention() -> None:
    held_out = (np.array([0, 1]), np.array([0]))
    tied = np.array([[1.0, 1.0, 1.0]])
    popularity = np.array([1, 2, 4])
    for ties, expected in {
        "doc-id-desc": 4.0,
        "doc-id-asc": 1.0,
        "given": 1.0,
        "reverse": 4.0,
    }.items():
        convention = gainful.conventions.get("gainful-1").replace(ties=ties)
        result = evaluate_recommendations(
            held_out, tied, "Popularity@1", convention=convention, popularity=popularity
        )
        assert result.value("Popularity@1") == expected, ties
    convention = convention.replace(ties="expected")
    with pytest.raises(ParameterError, match="ties=expected with Popularity@1"):
        evaluate_recommendations(
            held_out, tied, "Popularity@1", convention=convention, popularity=popularity
        )


@pytest.mark.parametrize(
    ("measures", "options", "error", "message"),
    [
        ("Novelty@4", {"seen": None}, ArgumentError, "needs popularity.*set seen="),
        ("ILD@4", {"vectors": None}, ArgumentError, "needs vectors"),
        ("ILD(of=categories)@4", {"categories": None}, ArgumentError, "needs categories"),
        (
            "Novelty@4",
            {"seen": None, "popularity": COUNTS},
            ArgumentError,
            "needs the number of users",
        ),
        ("ILD@4", {"vectors": SHOP.vectors[1:]}, ParameterError, "vectors: found"),
        ("ILD@4", {"vectors": {0: [1.0, 2.0]}}, ParameterError, "no vector of the recommended"),
        ("ILD@4", {"vectors": {"x": [1.0]}}, ParameterError, "no item of the recommendations"),
        ("Popularity@4", {"popularity": [1, 2]}, ParameterError, "popularity: found 2 values"),
        ("Popularity@4", {"popularity": [-1] * ITEMS}, ParameterError, "negative"),
        ("AUC@4", {}, MeasureError, "a measure of all candidates"),
        ("Gini(size=3)@4", {}, MeasureError, "parameter 'size', expected one of padding"),
        ("Coverage@x", {}, MeasureError, "cutoff x"),
    ],
)
def test_errors(
    measures: str, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        evaluated(measures, **options)


def test_evaluate_names_the_function_for_them() -> None:
    assert {plain(name) for name in FAMILIES} == OF_ITEMS
    for name in FAMILIES:
        with pytest.raises(MeasureError, match=r"evaluate_recommendations\(\) computes it"):
            gainful.evaluate({"q": {"a": 1}}, {"q": ["a"]}, name)


def test_other_array_libraries() -> None:
    strict = need("array_api_strict")
    measures = ["AUC", "Novelty@4", "ILD@4"]
    expected = evaluated(measures)
    result = evaluated(measures, scores=lambda users: strict.asarray(SHOP.scores[users]))
    for measure in measures:
        assert result.per_user(measure) == pytest.approx(expected.per_user(measure))


def test_click_logs() -> None:
    """The candidates of listed recommendations are the listed items."""
    clicks = {"ann": ["b"], "bob": ["a", "c"]}
    shown = {"ann": {"a": 0.9, "b": 0.5, "c": 0.1}, "bob": {"a": 0.4, "b": 0.4, "c": 0.2, "d": 0.3}}
    result = evaluate_recommendations(clicks, shown, ["AUC", "GAUC"])
    assert result.per_user("AUC") == {"ann": 0.5, "bob": (0.5 + 1) / 4}
    assert result.value("GAUC") == pytest.approx((3 * 0.5 + 4 * 0.375) / 7)


def test_top_limits_lists() -> None:
    result = evaluated("Coverage", top=TOP)
    assert result.value("Coverage") == OF_RUNS["Coverage@4"]
