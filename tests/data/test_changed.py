"""Dictionaries that change while they are read cause an error."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import gainful
from gainful.compat.pytrec_eval import RelevanceEvaluator
from gainful.errors import ArgumentError
from repeated_tests import for_each

QRELS = {"q": {"d": 1}}
READERS: dict[str, Callable[[dict], object]] = {
    "a run measured": lambda held: gainful.evaluate(QRELS, held, "AP"),
    "a run": gainful.Run,
    "judgments": gainful.Qrels,
    "a run for pytrec_eval": RelevanceEvaluator(QRELS, {"map"}).evaluate,
}


class Number:
    """A number that calls a function when it is converted."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.act = act

    def __float__(self) -> float:
        self.act()
        return 1.0


@for_each("reader", READERS)
@for_each("place", ["documents", "queries"])
@for_each("change", ["clear", "grow"])
def test_added_or_removed_entries_are_errors(change: str, place: str, reader: str) -> None:
    documents: dict[str, object] = {"d": 1.0}
    held = {"q": documents, "q2": {"d": 1.0}}
    changed: dict = documents if place == "documents" else held

    def act() -> None:
        if change == "clear":
            changed.clear()
        else:
            changed["new"] = {}

    documents["number"] = Number(act)
    documents["after"] = 1.0
    with pytest.raises(ArgumentError, match="the dictionary changed while it was read"):
        READERS[reader](held)


@pytest.mark.parametrize("reader", READERS)
def test_replaced_entries_cause_no_crash(reader: str) -> None:
    documents: dict[str, object] = {"d": 1.0}

    def act() -> None:
        del documents["d"]
        documents["new"] = 0.0

    documents["number"] = Number(act)
    assert READERS[reader]({"q": documents})
