"""Errors of the evaluation of recommenders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse

from gainful.backends.recommendations import Factors, evaluate_recommendations
from gainful.conventions import get
from gainful.errors import (
    ArgumentError,
    DuplicateError,
    GradeError,
    MeasureError,
    ParameterError,
    TieError,
)

SCORES = np.array([[3.0, 2.0, 1.0], [1.0, 2.0, 3.0]])
HELD_OUT = scipy.sparse.csr_array(np.array([[1, 0, 0], [0, 1, 1]]))
OFFSETS, ITEMS = np.array([0, 1, 3]), np.array([0, 1, 2])
FAR = ITEMS.astype("u8") + np.uint64(2**63)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"held_out": SCORES}, ArgumentError, "held_out: found ndarray, expected a data frame"),
        ({"held_out": (OFFSETS, ITEMS + 1)}, ParameterError, "held_out: item 3 is not a column"),
        ({"held_out": (OFFSETS, ITEMS - 1)}, ParameterError, "held_out: item -1 is not a column"),
        ({"held_out": (OFFSETS[::-1], ITEMS)}, ParameterError, "held_out, indptr"),
        ({"held_out": (OFFSETS[:2], ITEMS)}, ParameterError, "held_out, indptr"),
        ({"held_out": (OFFSETS, ITEMS, ["a", "b", "c"])}, ArgumentError, "held_out, data"),
        ({"held_out": (OFFSETS, ITEMS, [1, 1])}, ParameterError, "2 numbers for 3 indices"),
        ({"held_out": (OFFSETS, ITEMS / 2)}, ArgumentError, "held_out, indices"),
        (
            {"held_out": (OFFSETS, ITEMS.astype("u8") + np.uint64(2**63))},
            ParameterError,
            "9223372036854775810",
        ),
        ({"held_out": scipy.sparse.coo_array([1, 0, 1])}, ArgumentError, "found coo_array"),
        ({"held_out": (OFFSETS, ITEMS, [1, np.nan, 1])}, GradeError, "query '1', document '1'"),
        ({"held_out": (OFFSETS, np.array([0, 2, 2]))}, DuplicateError, "'1'"),
        ({"held_out": (0 * OFFSETS, ITEMS[:0])}, ParameterError, "no items"),
        ({"seen": (OFFSETS[:2], ITEMS[:1])}, ParameterError, "seen: found 1 rows"),
        ({"scores": None}, ArgumentError, "set scores or systems"),
        ({"systems": {"a": SCORES}}, ArgumentError, "not both"),
        ({"scores": None, "systems": {}}, ParameterError, "no systems"),
        (
            {"scores": SCORES[:, :2]},
            ParameterError,
            "the scores of recommender: 2 items, but held_out has 3",
        ),
        ({"scores": SCORES[:1]}, ParameterError, r"scores: found shape \(1, 3\)"),
        ({"scores": SCORES[0]}, ParameterError, r"found shape \(3,\)"),
        ({"scores": [[1.0]]}, ArgumentError, "scores: found list"),
        ({"scores": {"a": SCORES}}, ArgumentError, "systems= takes several"),
        ({"scores": None, "systems": [SCORES]}, ArgumentError, "systems: found list"),
        ({"scores": None, "systems": {1: SCORES}}, ArgumentError, "a name that is not text"),
        ({"scores": np.ma.masked_less(SCORES, 2)}, ArgumentError, "scores: a masked array"),
        ({"scores": lambda users: None}, ArgumentError, "None from the callable"),
        ({"scores": lambda users: SCORES}, None, ""),
        ({"scores": lambda users: SCORES[:1]}, ParameterError, r"scores: found shape \(1, 3\)"),
        ({"scores": lambda users: SCORES.tolist()}, ArgumentError, "scores: found list"),
        ({"scores": SCORES.astype(int)}, ParameterError, "found int64"),
        (
            {"scores": SCORES * np.nan},
            ParameterError,
            "query '0', document '0': a score is NaN",
        ),
        ({"items": 4}, ParameterError, "3 items, but items has 4"),
        ({"user_ids": ["a"]}, ParameterError, "user_ids: found 1 ids"),
        ({"user_ids": ["a", "a"]}, DuplicateError, "user_ids: duplicate id 'a'"),
        ({"user_ids": ["a", b"a"]}, DuplicateError, "duplicate user id"),
        ({"user_ids": {"a", "b"}}, ArgumentError, "user_ids: found set"),
        ({"user_ids": "ab"}, ArgumentError, "user_ids: found str"),
        ({"user_ids": 2}, ArgumentError, "user_ids: found int"),
        ({"item_ids": ["a"]}, ParameterError, "item_ids"),
        # Neither of the two needs to be recommended for one to be taken for the other.
        ({"item_ids": [1, "b", "1"]}, DuplicateError, "item_ids: duplicate id '1'"),
        ({"memory": "1 MB"}, ParameterError, "memory: found '1 MB'"),
        ({"memory": 0}, ParameterError, "memory: found 0"),
        ({"items": "3"}, ParameterError, "items: found '3'"),
        ({"top": 0}, ParameterError, "top: found 0"),
        ({"measures": []}, MeasureError, "found no measure"),
        ({"convention": get("gainful-1").replace(ties="error")}, None, ""),
    ],
)
def test_arguments(arguments: dict[str, Any], error: type[Exception] | None, message: str) -> None:
    call = {"held_out": HELD_OUT, "scores": SCORES, "measures": "nDCG@2", **arguments}
    if error is None:
        assert evaluate_recommendations(**call).mean() > 0
        return
    with pytest.raises(error, match=message):
        evaluate_recommendations(**call)


def test_the_number_of_items_has_to_come_from_somewhere() -> None:
    def scores(users: Any) -> Any:
        return SCORES[users]

    with pytest.raises(ArgumentError, match="set items=: scores is a callable"):
        evaluate_recommendations((OFFSETS, ITEMS), scores)
    assert evaluate_recommendations((OFFSETS, ITEMS), scores, "P@1", items=3).mean() == 1


def test_ties_at_the_cut_are_seen() -> None:
    policies = get("gainful-1").replace(ties="error")
    tied = np.array([[3.0, 2.0, 2.0], [1.0, 2.0, 3.0]])
    with pytest.raises(TieError):
        evaluate_recommendations(HELD_OUT, tied, "P@2", convention=policies)
    # The tie across the cutoff is counted, though what lies below is cut off.
    result = evaluate_recommendations(HELD_OUT, tied, "P@2")
    assert [row["tie@2"] for row in result.rows()] == [True, False]


def test_factors() -> None:
    with pytest.raises(ParameterError, match=r"\(users, d\) and \(items, d\)"):
        Factors(np.ones((2, 3)), np.ones((3, 2)))
    with pytest.raises(ArgumentError, match="found list"):
        Factors([[1.0]], np.ones((3, 2)))
    with pytest.raises(ParameterError, match="factors: found shape"):
        evaluate_recommendations(HELD_OUT, Factors(np.ones((5, 1)), np.ones((3, 1))), "P@1")
