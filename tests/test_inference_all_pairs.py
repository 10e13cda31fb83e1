"""All pairs of systems: the error rate where systems differ unlike, and what it is made of."""

from __future__ import annotations

import numpy as np
import pytest

from gainful.errors import ParameterError
from gainful.inference import Design, all_pairs, joint_tukey, max_t, randomised_tukey

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
def test_it_is_the_larger_p_of_tukey_and_max_t_and_the_wider_interval(name: str) -> None:
    design = DESIGNS[name]
    (found,) = all_pairs([SCORES], design, resamples=5_000)
    tukey = randomised_tukey(SCORES, design, resamples=5_000)
    flipped = max_t(SCORES[:, ONE] - SCORES[:, TWO], design, resamples=5_000)
    assert found.p[ONE, TWO] == pytest.approx(np.maximum(tukey.p[ONE, TWO], flipped.p))
    assert (found.p == found.p.T).all()
    means = (design or Design(50)).mean(SCORES)
    lower = np.minimum((means[ONE] - means[TWO]) - tukey.half_width, flipped.low)
    assert found.low[ONE, TWO] == pytest.approx(lower)
    assert (found.low == -found.high.T).all()
    out = (found.low > 0) | (found.high < 0)
    assert (out == (found.p <= 0.05)).all()


def test_variants_of_one_system_do_not_make_another_one_look_steady() -> None:
    random = np.random.default_rng(3)
    spread = np.array([0.3] + 9 * [0.03])
    alone = both = 0
    for seed in range(150):
        scores = random.normal(0.5, spread, (40, 10))
        alone += bool((randomised_tukey(scores, resamples=499, seed=seed).p <= 0.05).any())
        both += bool((all_pairs([scores], resamples=499, seed=seed)[0].p <= 0.05).any())
    most = 0.05 + 4 * (0.05 * 0.95 / 150) ** 0.5
    assert both / 150 <= most
    # Which is why Tukey is not left alone.
    assert alone / 150 > most


def test_tables_share_their_signs() -> None:
    other = SCORES + RANDOM.normal(0, 0.2, (50, 4))
    columns = [table[:, ONE] - table[:, TWO] for table in (SCORES, other)]
    flipped = max_t(np.hstack(columns), resamples=5_000)
    tukey = joint_tukey([SCORES, other], resamples=5_000)
    found = all_pairs([SCORES, other], resamples=5_000)
    for at, (one, test) in enumerate(zip(found, tukey, strict=True)):
        own = flipped.p[6 * at : 6 * at + 6]
        assert one.p[ONE, TWO] == pytest.approx(np.maximum(test.p[ONE, TWO], own))


def test_a_table_of_some_queries_has_the_signs_of_the_others() -> None:
    part = SCORES.copy()
    part[::3] = np.nan
    columns = np.hstack([table[:, ONE] - table[:, TWO] for table in (SCORES, part)])
    flipped = max_t(columns, resamples=5_000)
    found = all_pairs([SCORES, part, np.full((50, 4), np.nan)], resamples=5_000)
    assert (found[1].p[ONE, TWO] >= flipped.p[6:] - 1e-12).all()
    assert np.isnan(found[2].p).all()
    assert np.isnan(found[2].low).all()


def test_all_signs_of_few_queries() -> None:
    scores = np.array([[0.1, 0.2, 0.9], [0.2, 0.1, 0.9], [0.1, 0.3, 0.8], [0.2, 0.3, 0.7]])
    (found,) = all_pairs([scores], resamples=5_000)
    assert found.p[2, 0] == 2 / 16
    assert (found.low[2, 0], found.high[2, 0]) == (-np.inf, np.inf)


def test_systems_that_hardly_differ_take_nothing_from_the_others() -> None:
    near = np.column_stack([SCORES, SCORES[:, 0]])
    near[::2, 4] += 1e-15
    with_copy, without = (all_pairs([table], resamples=5_000)[0] for table in (near, SCORES))
    flipped = max_t(SCORES[:, ONE] - SCORES[:, TWO], resamples=5_000)
    assert (with_copy.p[:4, :4][ONE, TWO] <= np.maximum(without.p[ONE, TWO], flipped.p) + 0.1).all()
    identical = np.column_stack([SCORES, SCORES[:, 0]])
    (found,) = all_pairs([identical], resamples=5_000)
    assert found.p[0, 4] == 1.0
    assert found.p[0, 1] == pytest.approx(found.p[4, 1])


def test_it_depends_on_the_seed_alone() -> None:
    one, other = (all_pairs([SCORES], resamples=2_000, threads=threads)[0] for threads in (1, 2))
    assert one.p.tolist() == other.p.tolist()
    with pytest.raises(ParameterError, match="all_pairs"):
        all_pairs([SCORES[:, 0]])
