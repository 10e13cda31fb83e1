"""Max-T of all pairs of systems: its definition and its error rate."""

from __future__ import annotations

import numpy as np
import pytest

from gainful.errors import ParameterError
from gainful.inference import Design, max_t, max_t_pairs, randomized_tukey

RANDOM = np.random.default_rng(11)
SCORES = RANDOM.uniform(0.2, 0.8, (50, 1)) + RANDOM.normal(0, [0.05, 0.05, 0.2, 0.2], (50, 4))
SCORES[:, 3] += 0.08
ONE, TWO = np.triu_indices(4, 1)
DESIGNS = {
    "plain": None,
    "weights": Design(50, weights=np.arange(1.0, 51.0)),
    "clusters": Design(50, clusters=np.repeat(np.arange(25), 2)),
    "strata": Design(50, strata=np.repeat(["a", "b"], [10, 40])),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_it_is_max_t_of_the_columns_of_max_t_pairs(name: str) -> None:
    design = DESIGNS[name]
    (found,) = max_t_pairs([SCORES], design, resamples=5_000)
    columns = max_t(SCORES[:, ONE] - SCORES[:, TWO], design, resamples=5_000)
    assert found.p[ONE, TWO] == pytest.approx(columns.p)
    assert found.low[ONE, TWO] == pytest.approx(columns.low)
    assert found.high[ONE, TWO] == pytest.approx(columns.high)
    assert (found.p == found.p.T).all()
    assert (found.low == -found.high.T).all()
    out = (found.low > 0) | (found.high < 0)
    assert (out == (found.p <= 0.05)).all()


def test_each_pair_has_its_own_variance() -> None:
    random = np.random.default_rng(3)
    spread = np.array([0.3] + 9 * [0.03])
    by_tukey = by_max_t = 0
    for seed in range(150):
        scores = random.normal(0.5, spread, (40, 10))
        by_tukey += bool((randomized_tukey(scores, resamples=499, seed=seed).p <= 0.05).any())
        by_max_t += bool((max_t_pairs([scores], resamples=499, seed=seed)[0].p <= 0.05).any())
    most = 0.05 + 4 * (0.05 * 0.95 / 150) ** 0.5
    assert by_max_t / 150 <= most
    # Which is why there is another than Tukey's.
    assert by_tukey / 150 > most


def test_tables_share_their_signs() -> None:
    other = SCORES + RANDOM.normal(0, 0.2, (50, 4))
    columns = [table[:, ONE] - table[:, TWO] for table in (SCORES, other)]
    joint = max_t(np.hstack(columns), resamples=5_000)
    found = max_t_pairs([SCORES, other], resamples=5_000)
    assert [*found[0].p[ONE, TWO], *found[1].p[ONE, TWO]] == pytest.approx(joint.p.tolist())


def test_a_table_of_some_queries_has_the_signs_of_the_others() -> None:
    part = SCORES.copy()
    part[::3] = np.nan
    columns = np.hstack([table[:, ONE] - table[:, TWO] for table in (SCORES, part)])
    flipped = max_t(columns, resamples=5_000)
    found = max_t_pairs([SCORES, part, np.full((50, 4), np.nan)], resamples=5_000)
    assert found[1].p[ONE, TWO] == pytest.approx(flipped.p[6:])
    assert np.isnan(found[2].p).all()
    assert np.isnan(found[2].low).all()


def test_all_signs_of_few_queries() -> None:
    scores = np.array([[0.1, 0.2, 0.9], [0.2, 0.1, 0.9], [0.1, 0.3, 0.8], [0.2, 0.3, 0.7]])
    (found,) = max_t_pairs([scores], resamples=5_000)
    assert found.p[2, 0] == 2 / 16
    assert (found.low[2, 0], found.high[2, 0]) == (-np.inf, np.inf)


def test_nearly_equal_systems_do_not_change_the_others() -> None:
    near = np.column_stack([SCORES, SCORES[:, 0]])
    near[::2, 4] += 1e-15
    with_copy, without = (max_t_pairs([table], resamples=5_000)[0] for table in (near, SCORES))
    flipped = max_t(SCORES[:, ONE] - SCORES[:, TWO], resamples=5_000)
    assert (with_copy.p[:4, :4][ONE, TWO] <= np.maximum(without.p[ONE, TWO], flipped.p) + 0.1).all()
    identical = np.column_stack([SCORES, SCORES[:, 0]])
    (found,) = max_t_pairs([identical], resamples=5_000)
    assert found.p[0, 4] == 1.0
    assert found.p[0, 1] == pytest.approx(found.p[4, 1])


def test_it_depends_on_the_seed_only() -> None:
    one, other = (max_t_pairs([SCORES], resamples=2_000, threads=threads)[0] for threads in (1, 2))
    assert one.p.tolist() == other.p.tolist()
    with pytest.raises(ParameterError, match="max_t_pairs"):
        max_t_pairs([SCORES[:, 0]])


def test_there_may_be_more_queries_than_a_float_has_choices_of_signs() -> None:
    (found,) = max_t_pairs([np.tile(SCORES, (30, 1))], resamples=999)
    assert found.p[0, 1] == found.p[1, 0]
    assert np.isfinite(found.p).all()


@pytest.mark.parametrize("wrong", [{"resamples": 0}, {"resamples": -1}, {"seed": -1}])
def test_arguments_are_checked_in_exact_tests_too(wrong: dict[str, int]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        max_t_pairs([SCORES[:5]], **wrong)
