"""compare(): which pairs are compared, and how p-values are corrected over a family."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import gainful
from comparison_data import MEASURE, collection
from gainful.errors import GainfulError, ParameterError
from gainful.inference import (
    Design,
    benjamini_hochberg,
    holm,
    joint_tukey,
    max_t,
    max_t_pairs,
    randomized_tukey,
)
from gainful.inference.design import flip_sums
from gainful.inference.randomization import corrected_test

FEW = {"resamples": 2_000, "bootstrap": 0}


@pytest.fixture(scope="module")
def values() -> np.ndarray:
    draw = np.random.default_rng(3)
    return draw.uniform(0, 1, (30, 4)) + np.array([0, 0.05, 0.15, 0.4])


@pytest.fixture(scope="module")
def data(values):
    return collection({name: values[:, at].tolist() for at, name in enumerate("abcd")})


def named(found) -> list[tuple[str, str]]:
    return [(pair.system, pair.baseline) for pair in found.pairs]


def corrected(found) -> list[float]:
    """The p-values of single pairs, corrected for skewness."""
    queries, options = list(found.scores.queries), {"resamples": 2_000, "seed": 0}
    p_values = []
    for pair in found.pairs:
        own = found.differences(pair)
        differences = np.array([own[query] for query in queries])
        draw = functools.partial(flip_sums, **options)
        p_values.append(corrected_test(differences, Design(len(own)), draw=draw)[1])
    return p_values


def test_all_pairs_compare_each_system_with_those_before_it(data) -> None:
    found = gainful.compare(*data, MEASURE, **FEW)
    assert named(found) == [
        *[("b", "a"), ("c", "a"), ("d", "a")],
        *[("c", "b"), ("d", "b"), ("d", "c")],
    ]


def test_one_or_several_baselines(data) -> None:
    found = gainful.compare(*data, MEASURE, baseline="b", **FEW)
    assert named(found) == [("a", "b"), ("c", "b"), ("d", "b")]
    two = gainful.compare(*data, MEASURE, baseline=["b", "a"], **FEW)
    # The two baselines are compared once.
    assert named(two) == [("a", "b"), ("c", "b"), ("d", "b"), ("c", "a"), ("d", "a")]
    assert two.baselines == ("b", "a")


def test_comparisons_with_a_baseline_are_corrected_by_holm(data) -> None:
    found = gainful.compare(*data, MEASURE, baseline="a", **FEW)
    alone = corrected(found)
    assert all(p >= pair.p for p, pair in zip(alone, found.pairs, strict=True))
    assert [pair.p_adjusted for pair in found.pairs] == holm(alone)
    assert [pair.p_bh for pair in found.pairs] == benjamini_hochberg(alone)
    assert {pair.correction for pair in found.pairs} == {"holm"}


def test_equivalence_and_power_account_for_the_family(data) -> None:
    options = {"baseline": "a", "margin": 0.2, **FEW}
    found = gainful.compare(*data, MEASURE, **options)
    assert [pair.p_equivalence_adjusted for pair in found.pairs] == holm(
        [pair.p_equivalence for pair in found.pairs]
    )
    judgments, runs = data
    for pair in found.pairs:
        two = {name: runs[name] for name in ("a", pair.system)}
        (alone,) = gainful.compare(judgments, two, MEASURE, **options).pairs
        (third,) = gainful.compare(judgments, two, MEASURE, alpha=0.05 / 3, **options).pairs
        assert alone.p_equivalence_adjusted == alone.p_equivalence == pair.p_equivalence
        # Holm's test costs as much as one query.
        larger = third.detectable * (1 + 1 / pair.n) ** 0.5
        assert (pair.detectable, pair.needed) == (pytest.approx(larger), third.needed + 1)
        assert pair.detectable > alone.detectable


def test_a_family_of_one_is_corrected_for_skewness_only(data) -> None:
    qrels, runs = data
    found = gainful.compare(qrels, {name: runs[name] for name in "ab"}, MEASURE, **FEW)
    (pair,) = found.pairs
    assert (pair.correction, [pair.p_adjusted]) == ("none", corrected(found))


def test_all_pairs_by_randomized_tukey(data, values) -> None:
    found = gainful.compare(*data, MEASURE, correction="tukey", **FEW)
    test = randomized_tukey(values, resamples=2_000)
    for pair in found.pairs:
        at = "abcd".index(pair.system), "abcd".index(pair.baseline)
        assert pair.correction == "tukey"
        assert test.p[at] <= pair.p_adjusted
        assert pair.p_adjusted in (test.p[at], corrected(found)[found.pairs.index(pair)])
        assert pair.interval.high - pair.difference == pytest.approx(test.half_width)


@pytest.mark.parametrize("named", [{}, {"correction": "max-t"}])
def test_all_pairs_are_corrected_by_max_t(data, values, named: dict[str, str]) -> None:
    found = gainful.compare(*data, MEASURE, **named, **FEW)
    (test,) = max_t_pairs([values], resamples=2_000)
    for pair in found.pairs:
        at = "abcd".index(pair.system), "abcd".index(pair.baseline)
        assert pair.correction == "max-t"
        assert pair.p_adjusted == test.p[at]
        assert pair.interval == pytest.approx((test.low[at], test.high[at]))
    assert "corrected by max-T over 6 pairs" in str(found)


def test_all_pairs_by_holm(data) -> None:
    found = gainful.compare(*data, MEASURE, correction="holm", **FEW)
    assert {pair.correction for pair in found.pairs} == {"holm"}
    assert [pair.p_adjusted for pair in found.pairs] == holm(corrected(found))


def test_baselines_by_max_t_and_not_by_tukey(data, values) -> None:
    found = gainful.compare(*data, MEASURE, baseline="a", correction="max-t", **FEW)
    joint = max_t(values[:, 1:] - values[:, :1], resamples=2_000)
    assert [pair.p_adjusted for pair in found.pairs] == joint.p.tolist()
    assert [pair.interval.low for pair in found.pairs] == pytest.approx(joint.low.tolist())
    with pytest.raises(ParameterError, match="found tukey with a baseline"):
        gainful.compare(*data, MEASURE, baseline="a", correction="tukey", **FEW)
    with pytest.raises(ParameterError, match="correction: found 'tukye'"):
        gainful.compare(*data, MEASURE, correction="tukye", **FEW)


def test_p_is_never_corrected_downwards() -> None:
    # The best and the worst system are the same on all four queries: no permutation of the rows has
    # as large a range, but 2 of the 16 sign patterns do.
    values = {name: [at / 10, at / 9, at / 8, at / 10] for at, name in enumerate("abcdef")}
    found = gainful.compare(*collection(values), MEASURE, correction="tukey", **FEW)
    assert {pair.p for pair in found.pairs} == {0.125}
    assert all(pair.p_adjusted >= 0.125 for pair in found.pairs)
    assert {pair.verdict for pair in found.pairs} == {"inconclusive"}
    # Four queries exclude no difference; with six, interval and verdict agree.
    assert {pair.interval for pair in found.pairs} == {(-0.625, 0.625)}
    more = {name: [*own, at / 9, at / 8] for at, (name, own) in enumerate(values.items())}
    for pair in gainful.compare(*collection(more), MEASURE, correction="tukey", **FEW).pairs:
        assert (pair.interval.low <= 0 <= pair.interval.high) == (pair.verdict == "inconclusive")


def test_a_family_of_all_measures(data) -> None:
    measures = [MEASURE, "RR"]
    apart = gainful.compare(*data, measures, baseline="a", **FEW)
    together = gainful.compare(*data, measures, baseline="a", family="all", **FEW)
    assert [pair.p for pair in apart.pairs] == [pair.p for pair in together.pairs]
    assert [pair.p_adjusted for pair in together.pairs] == holm(corrected(together))
    assert [p.p_adjusted for p in apart.pairs[:3]] == holm(corrected(apart)[:3])


@pytest.mark.parametrize(
    ("correction", "test"), [("tukey", joint_tukey), ("max-t", max_t_pairs), (None, max_t_pairs)]
)
def test_a_family_of_all_pairs_of_all_measures(data, correction: str | None, test) -> None:
    measures = [MEASURE, "RR"]
    every = gainful.compare(*data, measures, family="all", correction=correction, **FEW)
    single = gainful.compare(*data, measures, correction=correction, **FEW)
    tables = [every.scores.values[at] for at in range(2)]
    joint = test(tables, resamples=2_000)
    least = corrected(every)
    for pair, alone, p in zip(every.pairs, single.pairs, least, strict=True):
        own = joint[measures.index(pair.measure)]
        at = "abcd".index(pair.system), "abcd".index(pair.baseline)
        assert pair.p_adjusted == max(own.p[at], p)
        assert pair.p_adjusted >= alone.p_adjusted


@pytest.mark.parametrize("correction", [None, "holm", "tukey"])
def test_all_pairs_count_the_queries_with_a_value_of_every_system(correction: str | None) -> None:
    draw = np.random.default_rng(1)
    values = {name: draw.uniform(0, 1, 12).tolist() for name in "abc"}
    common = {name: [v for at, v in enumerate(own) if at != 3] for name, own in values.items()}
    values["b"][3] = None
    skip = gainful.Convention(missing="skip")
    found = gainful.compare(*collection(values), MEASURE, convention=skip, correction=correction)
    least = gainful.compare(*collection(common), MEASURE, correction=correction)
    assert [pair.p_adjusted for pair in found.pairs] == [pair.p_adjusted for pair in least.pairs]
    assert {(pair.n, pair.left_out) for pair in found.pairs} == {(11, 1)}
    assert (found.means(), found.ranks()) == (least.means(), least.ranks())
    assert len(found.values(system="a")) == 11


def test_systems_that_do_not_differ_significantly_share_a_letter(data) -> None:
    found = gainful.compare(*data, MEASURE, **FEW)
    letters = found.letters()
    for pair in found.pairs:
        significant = pair.verdict in ("better", "worse")
        assert bool(set(letters[pair.system]) & set(letters[pair.baseline])) == (not significant)
    with pytest.raises(gainful.GainfulError, match="letters need all pairs, .* compared with a"):
        gainful.compare(*data, MEASURE, baseline="a", **FEW).letters()


def test_the_leaderboard(data) -> None:
    found = gainful.compare(*data, MEASURE, **FEW)
    board = found.leaderboard()
    assert [line.place for line in board] == [1, 2, 3, 4]
    assert board[0].system == "d"
    assert board[0].vs_top is None
    evaluation = gainful.evaluate(data[0], runs=data[1], measures=MEASURE)
    for line in board:
        summary = evaluation.summary(MEASURE, line.system)
        assert line.mean == summary.mean
        assert line.interval == pytest.approx(summary.interval)
    for line in board[1:]:
        assert line.vs_top == found.pair(line.system, "d")
        assert line.vs_top.difference <= 0


def test_a_pair_can_be_mirrored(data) -> None:
    found = gainful.compare(*data, MEASURE, margin=0.01, tests=("wilcoxon", "sign"), **FEW)
    one, other = found.pair("d", "a"), found.pair("a", "d")
    assert one in found.pairs
    assert (other.difference, *other.interval) == (
        -one.difference,
        -one.interval.high,
        -one.interval.low,
    )
    assert (other.mean, other.baseline_mean) == (one.baseline_mean, one.mean)
    assert (other.wins, other.losses, other.p_adjusted) == (one.losses, one.wins, one.p_adjusted)
    assert {one.verdict, other.verdict} == {"better", "worse"}
    assert found.differences(other) == {q: -d for q, d in found.differences(one).items()}
    for wrong in [("d", "d"), ("d", "e"), ("d",), ()]:
        with pytest.raises(GainfulError, match=r"pair: found .* vs\. .*, expected one of b vs\. a"):
            found.pair(*wrong)


def test_threads_change_nothing_and_seeds_do(data) -> None:
    one, two, other = (
        gainful.compare(*data, MEASURE, baseline="a", resamples=500, bootstrap=500, **more)
        for more in ({"threads": 1}, {"threads": 2}, {"seed": 1})
    )
    assert one.to_dict() == two.to_dict()
    assert [p.p for p in one.pairs] != [p.p for p in other.pairs]
    assert [p.bca_interval.low for p in one.pairs] != [p.bca_interval.low for p in other.pairs]
    assert [p.difference for p in one.pairs] == [p.difference for p in other.pairs]


def test_pairs_of_many_systems_are_looked_up_by_name() -> None:
    """Not by a search of all pairs, which would be quadratic."""
    draw = np.random.default_rng(6)
    shared = draw.uniform(0, 1, (12, 1))
    scores = (shared + draw.normal(0, 0.1, (12, 60))).clip(0, 1)
    names = [f"s{at:03}" for at in range(60)]
    tables = collection({name: scores[:, at].tolist() for at, name in enumerate(names)})
    found = gainful.compare(*tables, MEASURE, resamples=100, bootstrap=0)
    assert len(found.pairs) == 1770
    assert {pair.correction for pair in found.pairs} == {"max-t"}
    text = str(found)
    assert "p corrected by max-T over 1,770 pairs" in " ".join(text.split())
    for pair in found.pairs[::50]:
        assert found.pair(pair.system, pair.baseline) is pair
        turned = found.pair(pair.baseline, pair.system)
        assert turned.difference == -pair.difference
        assert (
            turned.interval is None
            if pair.interval is None
            else turned.interval.low == -pair.interval.high
        )
