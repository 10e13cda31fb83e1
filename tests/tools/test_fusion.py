"""Compare fused runs with those of ranx, for every method and normalization."""

from __future__ import annotations

import random

import pytest

from gainful.baselines import fuse
from requirements import need

pytestmark = pytest.mark.peer


# Numba warns of a cast in what it makes of ranx.
@pytest.mark.filterwarnings("ignore:.*unsafe cast from uint64")
@pytest.mark.parametrize(
    ("method", "norm", "theirs"),
    [
        ("rrf", "min-max", ("rrf", None)),
        ("combsum", "min-max", ("sum", "min-max")),
        ("combmnz", "min-max", ("mnz", "min-max")),
        ("combsum", "z-score", ("sum", "zmuv")),
        ("combmnz", "z-score", ("mnz", "zmuv")),
    ],
)
def test_the_numbers_are_those_of_ranx(
    method: str, norm: str, theirs: tuple[str, str | None]
) -> None:
    ranx = need("ranx")
    rng = random.Random(8)
    runs = [
        {f"q{q}": {f"d{d}": rng.gauss(0, 9) for d in rng.sample(range(60), 30)} for q in range(20)}
        for _ in range(3)
    ]
    own = fuse(runs, method, 1000, norm=norm)
    peers = ranx.fuse([ranx.Run(run) for run in runs], method=theirs[0], norm=theirs[1])
    for query, scores in peers.to_dict().items():
        assert dict(own[query]) == pytest.approx(scores, rel=1e-9, abs=1e-12)
