"""Resampling in the kernel reports its progress to the bar of the function that runs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gainful.inference import design
from gainful.inference.pairwise import count_far_sums, step_down_maxima
from gainful.progress import Bar

ROWS = np.random.default_rng(3).normal(size=(500, 4))
PAIRS = np.array([(1, 0), (2, 0), (3, 1)])


class Recording(Bar):
    """A bar that only records what it is called with."""

    __slots__ = ("_calls",)

    def __init__(self, calls: list[tuple[int, int]]) -> None:
        super().__init__()
        self._calls = calls

    def __call__(self, done: int, total: int) -> None:
        self._calls.append((done, total))


def flips(resamples: int) -> object:
    return design.flip_sums(ROWS[:, 0], resamples=resamples, threads=1)


def permutations(resamples: int) -> object:
    return design.permutation_ranges(ROWS, resamples=resamples, threads=1)


def means(resamples: int) -> object:
    shares = np.ones(len(ROWS))
    return design.bootstrap_means(ROWS[:, 0], shares, [300, 200], resamples=resamples, threads=1)


def far(resamples: int) -> object:
    least = np.full((3, 2), 10.0)
    return count_far_sums(ROWS, PAIRS, least, resamples=resamples, seed=0, threads=1)


def maxima(resamples: int) -> object:
    ones, direct = np.ones(3), np.array([False, True, False])
    return step_down_maxima(ROWS, PAIRS, ones, ones, direct, choices=resamples, seed=0, threads=1)


@pytest.mark.parametrize(
    ("function", "resamples"),
    [
        (flips, 2_000_000),
        (permutations, 60_000),
        (means, 400_000),
        (far, 500_000),
        (maxima, 400_000),
    ],
)
def test_a_long_call_reports_several_times(
    function: Callable[[int], object], resamples: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, int]] = []
    before = function(100)
    monkeypatch.setattr(Bar, "_current", Recording(seen))
    while len(seen) < 3 and resamples < 1 << 27:
        seen.clear()
        function(resamples)
        resamples *= 2  # On a fast machine.
    totals = {total for _, total in seen}
    assert len(totals) == 1, seen
    done = [each for each, _ in seen]
    assert sorted(done) == done
    assert 0 < done[-1] <= totals.pop()
    assert done[-1] > done[0]
    # The bar does not change the numbers.
    np.testing.assert_equal(function(100), before)
