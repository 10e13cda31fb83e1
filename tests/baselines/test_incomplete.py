"""Baselines reject runs with failed queries, unless they are accepted as complete."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import gainful
from gainful import headroom
from gainful.baselines import fuse, oracle, random_order
from gainful.errors import SearchError

QRELS = {"q1": {"a": 1}, "q2": {"a": 1}}
WHOLE = gainful.Run({"q1": ["a"], "q2": ["a"]}, name="whole")


def lacking() -> gainful.Run:
    """Return a run with a failed query."""
    return gainful.search(
        lambda text, k: {"one": ["a", "b"]}[text], {"q1": "one", "q2": "two"}, name="lacking"
    )


MAKE: list[Callable[[gainful.Run], object]] = [
    lambda run: fuse([WHOLE, run]),
    lambda run: oracle(QRELS, run=run),
    lambda run: random_order(run=run),
    lambda run: headroom(QRELS, run),
    lambda run: headroom(QRELS, {"whole": WHOLE, "lacking": run}),
]


@pytest.mark.parametrize("make", MAKE)
def test_an_incomplete_run_is_an_error(make: Callable[[gainful.Run], object]) -> None:
    with pytest.raises(SearchError, match="the run is incomplete: 1 query failed"):
        make(lacking())


@pytest.mark.parametrize("make", MAKE)
def test_an_incomplete_run_that_is_accepted(make: Callable[[gainful.Run], object]) -> None:
    assert make(lacking().as_complete()) is not None
