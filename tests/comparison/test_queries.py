"""compare(): weights, clusters, slices, and queries for which only one system has a value."""

from __future__ import annotations

import numpy as np
import pytest

import gainful
from comparison_data import MEASURE, collection
from gainful.errors import ParameterError
from gainful.inference import holm
from gainful.inference.risk import geo_risk

FEW = {"resamples": 2_000, "bootstrap": 0}


@pytest.fixture(scope="module")
def values() -> dict[str, list[float]]:
    draw = np.random.default_rng(11)
    return {
        "old": draw.uniform(0, 1, 12).tolist(),
        "new": (draw.uniform(0, 1, 12) + 0.15).tolist(),
    }


def test_equal_weights_change_nothing(values) -> None:
    qrels, runs = collection(values)
    plain = gainful.compare(qrels, runs, MEASURE, **FEW).pair()
    even = gainful.compare(qrels, runs, MEASURE, weights=dict.fromkeys(qrels, 2.0), **FEW).pair()
    for name in (
        "mean",
        "difference",
        "p",
        "p_t",
        "t_interval",
        "interval",
        "effect",
        "detectable",
    ):
        assert getattr(even, name) == pytest.approx(getattr(plain, name)), name


def test_the_weighted_mean_equals_that_of_evaluate(values) -> None:
    qrels, runs = collection(values)
    weights = {query: float(at % 4) for at, query in enumerate(qrels)}
    pair = gainful.compare(qrels, runs, MEASURE, weights=weights, **FEW).pair("new")
    result = gainful.evaluate(qrels, runs=runs, measures=MEASURE, weights=weights)
    assert (pair.mean, pair.baseline_mean) == (
        result.mean(MEASURE, "new"),
        result.mean(MEASURE, "old"),
    )
    again = gainful.compare(result, **FEW)
    assert again.pair("new") == pair


def test_a_weight_of_zero_leaves_out_the_query(values) -> None:
    qrels, runs = collection(values)
    weights = dict.fromkeys(qrels, 1.0)
    weights["q0003"] = 0.0
    pair = gainful.compare(qrels, runs, MEASURE, weights=weights, **FEW).pair("new")
    fewer = {query: grades for query, grades in qrels.items() if query != "q0003"}
    without = gainful.compare(fewer, runs, MEASURE, **FEW).pair("new")
    for name in ("difference", "p", "p_t", "t_interval", "interval"):
        assert getattr(pair, name) == pytest.approx(getattr(without, name)), name


def test_a_cluster_counts_as_one_query(values) -> None:
    """Three copies of each query, clustered, give the same results as one."""
    qrels, runs = collection(values)
    thrice = {f"{query}.{copy}": grades for query, grades in qrels.items() for copy in range(3)}
    more = {
        name: {f"{query}.{copy}": ranking for query, ranking in run.items() for copy in range(3)}
        for name, run in runs.items()
    }
    clusters = {query: query.split(".")[0] for query in thrice}
    once = gainful.compare(qrels, runs, MEASURE, detect=0.05, **FEW).pair("new")
    found = gainful.compare(thrice, more, MEASURE, clusters=clusters, detect=0.05, **FEW)
    pair = found.pair("new")
    for name in ("difference", "p", "exact", "p_t", "df", "t_interval", "interval", "detectable"):
        assert getattr(pair, name) == pytest.approx(getattr(once, name)), name
    assert (pair.n, pair.needed) == (36, 3 * once.needed)
    plain = gainful.compare(qrels, runs, MEASURE, **FEW).leaderboard()
    for line, other in zip(found.leaderboard(), plain, strict=True):
        assert line.interval == pytest.approx(other.interval)
    assert "36 queries in 12 clusters (cluster), which are resampled as a whole." in str(found)
    naive = gainful.compare(thrice, more, MEASURE, **FEW).pair("new")
    assert naive.p_t < pair.p_t


def test_a_segment_equals_a_comparison_of_its_queries(values) -> None:
    qrels, runs = collection(values)
    by = {query: "even" if int(query[1:]) % 2 == 0 else "odd" for query in list(qrels)[:10]}
    found = gainful.compare(qrels, runs, MEASURE, by=by, **FEW)
    assert list(found.segments) == ["even", "odd", "(none)"]
    assert [found.pair(segment=name).n for name in found.segments] == [5, 5, 2]
    some = {query: grades for query, grades in qrels.items() if by.get(query) == "even"}
    alone = gainful.compare(some, runs, MEASURE, **FEW).pair("new")
    sliced = found.pair("new", segment="even")
    for name in ("n", "mean", "baseline_mean", "p", "p_t", "t_interval", "wins", "effect"):
        assert getattr(sliced, name) == pytest.approx(getattr(alone, name)), name
    # The three segments are a separate family.
    parts = []
    for segment in found.segments:
        own = {
            query: grades for query, grades in qrels.items() if by.get(query, "(none)") == segment
        }
        parts.append(gainful.compare(own, runs, MEASURE, **FEW).pair("new").p_adjusted)
    adjusted = [found.pair(segment=name).p_adjusted for name in found.segments]
    assert adjusted == pytest.approx(holm(parts))
    whole = gainful.compare(qrels, runs, MEASURE, **FEW).pair("new")
    assert found.pair().p_adjusted == whole.p_adjusted
    note = "Holm over 3 pairs and for skewness; simultaneous 95% confidence intervals."
    assert note in " ".join(str(found).split())


def test_several_attributes_slice_the_queries(values) -> None:
    qrels, runs = collection(values)
    attributes = {
        "parity": {query: "odd" if at % 2 else "even" for at, query in enumerate(qrels)},
        "half": dict.fromkeys(list(qrels)[:6], "first"),
    }
    found = gainful.compare(qrels, runs, MEASURE, by=attributes, **FEW)
    assert found.attribute == "parity, half"
    assert list(found.segments) == ["parity: even", "parity: odd", "half: first", "half: (none)"]
    parts = [lambda q: q % 2 == 0, lambda q: q % 2 == 1, lambda q: q < 6, lambda q: q >= 6]
    alone = [
        gainful.compare(
            {query: grades for at, (query, grades) in enumerate(qrels.items()) if is_part(at)},
            runs,
            MEASURE,
            **FEW,
        ).pair("new")
        for is_part in parts
    ]
    pairs = [found.pair("new", segment=segment) for segment in found.segments]
    for pair, other in zip(pairs, alone, strict=True):
        assert (pair.n, pair.mean, pair.p) == pytest.approx((other.n, other.mean, other.p))
    # All slices are one family.
    family = holm([other.p_adjusted for other in alone])
    assert [pair.p_adjusted for pair in pairs] == pytest.approx(family)


def test_attributes_have_different_names(values) -> None:
    qrels, runs = collection(values)
    kinds = dict.fromkeys(qrels, "a")
    with pytest.raises(ParameterError, match="two attributes have the name 'segment'"):
        gainful.compare(qrels, runs, MEASURE, by=[kinds, kinds])
    with pytest.raises(ParameterError, match="no query has a value"):
        gainful.compare(qrels, runs, MEASURE, by={"a": kinds, "b": {"q99": "x"}})


def test_segments_of_all_pairs(values) -> None:
    qrels, runs = collection({**values, "third": values["old"][::-1]})
    by = {query: str(int(query[1:]) % 2) for query in qrels}
    found = gainful.compare(qrels, runs, MEASURE, by=by, **FEW)
    stronger = 0
    for name, pairs in found.segments.items():
        some = {query: grades for query, grades in qrels.items() if by[query] == name}
        alone = gainful.compare(some, runs, MEASURE, **FEW)
        for pair, other in zip(pairs, alone.pairs, strict=True):
            assert (pair.p, pair.n, pair.correction) == (other.p, other.n, "max-t")
            stronger += pair.p_adjusted > other.p_adjusted
            assert pair.p_adjusted > other.p_adjusted - 0.03
        letters = found.letters(segment=name)
        board = found.leaderboard(segment=name)
        assert [line.letters for line in board] == [letters[line.system] for line in board]
        assert board[0].vs_top is None
        assert board[1].vs_top == found.pair(board[1].system, board[0].system, segment=name)
    assert stronger


def test_queries_with_one_value_are_left_out_and_counted(values) -> None:
    values = {**values, "new": [None, None, *values["new"][2:]]}
    qrels, runs = collection(values)
    skipping = gainful.Convention(missing="skip")
    found = gainful.compare(qrels, runs, MEASURE, convention=skipping, **FEW)
    pair = found.pair("new")
    assert (pair.n, pair.left_out) == (10, 2)
    assert pair.baseline_mean == pytest.approx(np.mean(values["old"][2:]))
    text = " ".join(str(found).split())
    assert "left out because only one system has a value: 2 (new vs. old)" in text
    # A query that both lack is not counted as left out.
    more = {**runs, "old": {query: own for query, own in runs["old"].items() if query != "q0000"}}
    qrels = {query: {**own, "third": 0.5} for query, own in qrels.items()}
    more["third"] = {query: ["third"] for query in qrels}
    third = gainful.compare(qrels, more, MEASURE, convention=skipping, **FEW)
    assert {(pair.system, pair.baseline): pair.left_out for pair in third.pairs} == {
        ("new", "old"): 1,
        ("third", "old"): 2,
        ("third", "new"): 2,
    }
    assert {pair.n for pair in third.pairs} == {10}
    assert "a system has no value for them: 2 queries" in " ".join(str(third).split())
    # Under the default convention missing queries score 0 and are not left out.
    assert gainful.compare(qrels, runs, MEASURE, **FEW).pair("new").left_out == 0


def test_the_queries_with_the_largest_losses(values) -> None:
    qrels, runs = collection(values)
    found = gainful.compare(qrels, runs, MEASURE, **FEW)
    pair = found.pair("new")
    apart = {q: n - o for q, n, o in zip(qrels, values["new"], values["old"], strict=True)}
    assert found.differences(pair) == pytest.approx(apart)
    worst = found.worst(pair, 2)
    assert [query for query, _, _ in worst] == sorted(apart, key=lambda q: apart[q])[:2]
    assert all(one < two for _, one, two in found.worst(pair, 100))
    assert len(found.worst(pair, 100)) == pair.losses


def test_risk(values) -> None:
    qrels, runs = collection(values)
    found = gainful.compare(qrels, runs, MEASURE, **FEW)
    (risk,) = found.risk(aversion=2.0)
    d = np.array(values["new"]) - np.array(values["old"])
    adjusted = np.where(d < 0, 3 * d, d)
    assert risk.u_risk == pytest.approx(adjusted.mean())
    assert risk.t_risk == pytest.approx(adjusted.mean() / (adjusted.std(ddof=1) / len(d) ** 0.5))
    assert (risk.worst_difference, risk.losses) == (pytest.approx(d.min()), int((d < 0).sum()))
    assert found.risk(aversion=0.0)[0].u_risk == pytest.approx(d.mean())
    table = np.array([values["old"], values["new"]]).T
    assert risk.geo_risk == pytest.approx(geo_risk(table, 2.0)[1])
    below = collection({**values, "new": [-0.5, *values["new"][1:]]})
    signed = gainful.Convention(negative="signed")
    negative = gainful.compare(*below, MEASURE, convention=signed, **FEW)
    assert negative.values(system="new")["q0000"] == -0.5
    assert negative.risk()[0].geo_risk is None
    with pytest.raises(gainful.GainfulError, match="aversion: found -1"):
        found.risk(aversion=-1)
