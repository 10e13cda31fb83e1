"""Posterior probabilities of compared pairs."""

from __future__ import annotations

import numpy as np
import pytest

import gainful
from comparison_data import MEASURE, collection
from gainful.comparison import Comparison


def compared(**options: object) -> Comparison:
    draw = np.random.default_rng(3)
    old = draw.uniform(0.2, 0.6, 40)
    few = old.copy()
    few[:5] += 0.1
    values = {"old": old.tolist(), "new": (old + draw.normal(0.05, 0.1, 40)).tolist()}
    return gainful.compare(
        *collection({**values, "few": few.tolist()}),
        MEASURE,
        baseline="old",
        resamples=999,
        bootstrap=0,
        **options,
    )


def test_probabilities_are_in_pairs_table_note_and_json() -> None:
    found = compared(bayes=True, margin=0.02)
    pair = found.pair("new")
    parts = (pair.probability_better, pair.probability_within, pair.probability_worse)
    assert sum(parts) == pytest.approx(1)
    assert pair.probability_better > pair.skeptical_better > 0.5
    table = next(table for table in found.tables() if "posterior" in table.title)
    rows = {row[0]: row[1:] for row in table.cells().rows}
    assert table.cells().headers == ("system", "better / within margin / worse", "flat prior")
    assert list(rows["few"]) == ["–", "–"]
    assert len(rows["new"][0].split(" / ")) == 3
    text = " ".join(str(found).split())
    assert "not corrected for multiple comparisons, and the verdict does not use them" in text
    assert "No probabilities where fewer than 10 queries differ: few vs. old." in text
    assert found.to_dict()["bayes"] is True


def test_the_mirrored_pair_has_the_opposite_probabilities() -> None:
    found = compared(bayes=True)
    pair, turned = found.pair("new"), found.pair("old", "new")
    assert turned.probability_better == pair.probability_worse
    assert turned.skeptical_worse == pair.skeptical_better
    assert pair.probability_within is None


def test_the_verdict_does_not_depend_on_probabilities() -> None:
    with_them, without = compared(bayes=True), compared()
    for one, other in zip(with_them.pairs, without.pairs, strict=True):
        assert (one.verdict, one.p_adjusted, one.interval) == (
            other.verdict,
            other.p_adjusted,
            other.interval,
        )
        assert other.probability_better is None
    assert "posterior" not in str(without).lower()
