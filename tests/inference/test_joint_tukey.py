"""Randomized Tukey HSD over several measures or segments."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful.errors import ParameterError
from gainful.inference import Design, joint_tukey, randomized_tukey

RANDOM = np.random.default_rng(9)
SCORES = RANDOM.uniform(0.2, 0.8, (50, 1)) + RANDOM.normal(0, 0.1, (50, 4))
OTHER = RANDOM.uniform(0.2, 0.8, (50, 1)) + RANDOM.normal(0, 0.2, (50, 4))
OTHER[:, 2] += 0.1


def test_one_table_is_randomized_tukey() -> None:
    (found,) = joint_tukey([OTHER], resamples=5_000)
    alone = randomized_tukey(OTHER, resamples=5_000)
    assert found.p.tolist() == alone.p.tolist()
    assert found.half_width == pytest.approx(alone.half_width)


def test_two_tables_by_enumeration() -> None:
    tables = [SCORES[:3, :3], OTHER[:3, :3]]
    orders = list(itertools.permutations(range(3)))
    statistics = []
    for chosen in itertools.product(orders, repeat=3):
        shuffled = [
            np.array([row[list(order)] for row, order in zip(table, chosen, strict=True)])
            for table in tables
        ]
        statistics.append([np.ptp(table.mean(axis=0)) for table in shuffled])
    scales = [((t - t.mean(axis=1, keepdims=True)) ** 2).sum() ** 0.5 for t in tables]
    maxima = (np.array(statistics) / scales).max(axis=1)
    for table, scale, found in zip(
        tables, scales, joint_tukey(tables, resamples=50_000), strict=True
    ):
        means = table.mean(axis=0)
        observed = abs(means[:, None] - means) / scale
        exact = (maxima[:, None, None] >= observed - 1e-12).mean(axis=0)
        error = np.sqrt(exact * (1 - exact) / 50_000)
        assert (abs(found.p - exact) <= 4 * error + 1e-4).all()


def test_another_table_widens_the_intervals_and_a_copy_does_not() -> None:
    alone = randomized_tukey(OTHER, resamples=5_000)
    assert joint_tukey([OTHER, 3 * OTHER], resamples=5_000)[0].p.tolist() == alone.p.tolist()
    joint = joint_tukey([OTHER, SCORES], resamples=5_000)[0]
    assert (joint.p >= alone.p).all()
    assert (joint.p > alone.p).any()
    # And less than Bonferroni would have it pay.
    assert (
        joint.half_width < randomized_tukey(OTHER, level=0.975, resamples=5_000).half_width * 1.02
    )


@pytest.mark.parametrize("level", [0.8, 0.95])
@given(st.lists(st.tuples(*[st.integers(0, 4)] * 6), min_size=2, max_size=12))
def test_p_values_and_half_widths_agree(level, rows) -> None:
    both = np.array(rows) / 5
    tables = [both[:, :3], both[:, 3:]]
    for table, found in zip(tables, joint_tukey(tables, level=level, resamples=199), strict=True):
        means = table.mean(axis=0)
        differences = abs(means[:, None] - means)
        assert ((found.p <= round(1 - level, 12)) == (differences > found.half_width)).all()


def test_segments_of_queries() -> None:
    first, second, none = SCORES.copy(), SCORES.copy(), np.full_like(SCORES, math.nan)
    first[20:] = math.nan
    second[:20] = math.nan
    found = joint_tukey([first, second, none], Design(50, weights=[2] * 50), resamples=20_000)
    alone = randomized_tukey(SCORES[:20], level=0.975, resamples=20_000)
    # Of two segments that have no query in common, as wide as by Bonferroni.
    assert found[0].half_width == pytest.approx(alone.half_width, rel=0.05)
    assert found[1].half_width < found[0].half_width
    assert np.isnan(found[2].p).all()


def test_results_do_not_depend_on_threads() -> None:
    first = joint_tukey([SCORES, OTHER], resamples=999, threads=1)
    second = joint_tukey([SCORES, OTHER], resamples=999, threads=3)
    assert [one.half_width for one in first] == [one.half_width for one in second]


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ([], "0 tables"),
        ([SCORES, SCORES[:9]], "the same queries and systems"),
        ([np.where(np.arange(4) == 1, math.nan, SCORES)], "scores for some systems only"),
    ],
)
def test_illegal_tables_are_rejected(tables, words) -> None:
    with pytest.raises(ParameterError, match=words):
        joint_tukey(tables)
