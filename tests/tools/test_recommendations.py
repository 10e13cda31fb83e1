"""Recommenders whose scores are arrays of JAX and PyTorch, which `make test-tools` installs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evaluation_words import sorted_rows
from gainful.backends.recommendations import Factors, evaluate_recommendations
from gainful.errors import ArgumentError
from requirements import need

pytestmark = pytest.mark.peer

USERS, ITEMS = 40, 500
RANDOM = np.random.default_rng(2)
# Whole numbers, so that products are exact in 32 bits, with many ties.
FACTORS = [RANDOM.integers(-3, 4, (count, 5)).astype(np.float32) for count in (USERS, ITEMS)]
HELD_OUT = (
    np.arange(0, 3 * USERS + 1, 3),
    RANDOM.permuted(np.tile(np.arange(ITEMS), (USERS, 1)), axis=1)[:, :3].ravel(),
)
SEEN = np.arange(0, 9 * USERS + 1, 9), RANDOM.integers(0, ITEMS, 9 * USERS)
MEASURES = ["nDCG@10", "R@20", "RR@10"]


def arrays_of(name: str) -> list[Any]:
    library = need(name)
    if name == "jax":
        return [library.numpy.asarray(each) for each in FACTORS]
    need("array_api_compat")
    return [library.asarray(each) for each in FACTORS]


@pytest.mark.parametrize("ties", ["doc-id-desc", "expected"])
@pytest.mark.parametrize("name", ["jax", "torch"])
def test_rows_are_those_of_numpy(name: str, ties: str) -> None:
    from gainful.conventions import get

    convention = get("gainful-1").replace(ties=ties)
    users, items = arrays_of(name)
    expected = evaluate_recommendations(
        HELD_OUT, Factors(*FACTORS), MEASURES, seen=SEEN, convention=convention
    )
    for scores in (Factors(users, items), lambda numbers: users[numbers] @ items.T):
        found = evaluate_recommendations(
            HELD_OUT,
            scores,
            MEASURES,
            seen=SEEN,
            items=ITEMS,
            convention=convention,
            memory=8 * 3000,
        )
        assert sorted_rows(found) == sorted_rows(expected)


@pytest.mark.filterwarnings("ignore:Sparse")
def test_held_out_and_seen_items_in_sparse_tensors() -> None:
    torch = need("torch")
    need("array_api_compat")
    expected = evaluate_recommendations(HELD_OUT, Factors(*FACTORS), MEASURES, seen=SEEN)

    def compressed(offsets: Any, columns: Any, kind: Any) -> Any:
        given = [torch.asarray(each) for each in (offsets, columns)]
        ones = torch.ones(len(columns), dtype=kind)
        return torch.sparse_csr_tensor(*given, ones, size=(USERS, ITEMS), check_invariants=False)

    order = [np.sort(each) for each in np.split(SEEN[1], SEEN[0][1:-1])]
    seen = compressed(SEEN[0], np.concatenate(order), torch.float32)
    rows = [np.sort(each) for each in np.split(HELD_OUT[1], HELD_OUT[0][1:-1])]
    for kind in (torch.float64, torch.bfloat16):
        held_out = compressed(HELD_OUT[0], np.concatenate(rows), kind)
        for each in (held_out, held_out.double().to_sparse_coo()):
            found = evaluate_recommendations(each, Factors(*FACTORS), MEASURES, seen=seen)
            assert sorted_rows(found) == sorted_rows(expected)
    with pytest.raises(ArgumentError, match="found Tensor, expected a sparse matrix of SciPy or"):
        evaluate_recommendations(held_out.double().to_dense(), Factors(*FACTORS), MEASURES)
