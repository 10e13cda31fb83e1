"""Chance: the expected value of a random order, compared with all orders and closed forms."""

from itertools import permutations
from math import comb

import pytest

import gainful
from gainful.errors import ParameterError

QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1, "d": 0}}
RUN = {"q1": ["a", "x"], "q2": ["c"]}
MEASURES = ["nDCG@3", "R@2", "Success@2", "P@2", "AP", "RR"]


def test_chance_is_the_mean_over_all_orders():
    candidates = {"q1": 5, "q2": 4}
    result = gainful.evaluate(QRELS, RUN, MEASURES, candidates=candidates)
    means = []
    for query, grades in QRELS.items():
        documents = [*grades, *"uvwxyz"][: candidates[query]]
        means.append(
            [
                gainful.evaluate({query: grades}, {query: list(order)}, MEASURES).mean()
                for order in permutations(documents)
            ]
        )
    for measure in MEASURES:
        expected = sum(sum(each[measure] for each in own) / len(own) for own in means) / len(means)
        assert result.summary(measure).chance == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("count", [10, 10_000])
def test_chance_has_closed_forms(count):
    result = gainful.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a"]}, MEASURES, candidates=count)
    assert result.summary("R@2").chance == pytest.approx(2 / count, rel=1e-12)
    assert result.summary("Success@2").chance == pytest.approx(
        1 - comb(count - 2, 2) / comb(count, 2), rel=1e-12
    )


def test_a_file_has_the_number_of_each_query(tmp_path):
    path = tmp_path / "sizes.tsv"
    path.write_text("query_id\tuser\tsessions\nq1\tx\t5\nq2\ty\t4\n")
    known = gainful.evaluate(QRELS, RUN, "R@2", candidates={"q1": 5, "q2": 4})
    read = gainful.evaluate(QRELS, RUN, "R@2", candidates=f"{path}:sessions")
    assert read.summary().chance == known.summary().chance == (2 / 5 + 2 / 4) / 2


def test_weights_apply_and_measures_without_a_mean_over_orders_have_none():
    result = gainful.evaluate(
        QRELS, RUN, ["R@2", "GMAP"], candidates={"q1": 5, "q2": 4}, weights={"q1": 3, "q2": 1}
    )
    assert result.summary("R@2").chance == pytest.approx((3 * 2 / 5 + 2 / 4) / 4)
    assert result.summary("GMAP").chance is None


def test_chance_survives_parts_pickles_and_exports():
    import pickle

    parts = [
        gainful.evaluate({q: QRELS[q]}, {q: RUN[q]}, "R@2", candidates=5) for q in ("q2", "q1")
    ]
    whole = gainful.Evaluation.concat(parts)
    chance = gainful.evaluate(QRELS, RUN, "R@2", candidates=5).summary().chance
    assert whole.summary().chance == pickle.loads(pickle.dumps(whole)).summary().chance == chance
    assert whole.to_dict()["systems"]["run"]["R@2"]["chance"] == chance
    assert f"{chance:.4f}"[1:] in str(whole)


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        (0, "found 0"),
        (True, "found True"),
        ("none.tsv", "none.tsv"),
        ({"q1": 5}, "no number for query q2"),
        ({"q1": 1, "q2": 4}, "at least as many as are judged"),
        ({"q1": 5, "q2": "many"}, "'many'"),
        (10**9, "gainful headroom --documents"),
    ],
)
def test_wrong_numbers_are_refused(candidates, message):
    with pytest.raises((ParameterError, OSError), match=message):
        gainful.evaluate(QRELS, RUN, "R@2", candidates=candidates)
