"""Named tuples are read by the names of their fields, in any order."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import pytest

import gainful
from gainful.errors import FormatError

Turned = namedtuple("Turned", ["rank", "score", "doc_id", "query_id"])
Usual = namedtuple("Usual", ["query_id", "doc_id", "score"])


class Negated(Usual):
    """An attribute that hides the field of its name."""

    @property
    def score(self) -> float:  # type: ignore[override]
        return -float(self[2])


def test_the_order_of_fields_does_not_matter() -> None:
    run = gainful.Run([Turned(1, 2.5, "d1", "q1"), Turned(2, 1.5, "d2", "q1")])
    assert run["q1"] == [("d1", 2.5), ("d2", 1.5)]


def test_attributes_take_precedence_over_hidden_fields() -> None:
    assert gainful.Run([Negated("q1", "d1", 2.5)])["q1"] == [("d1", -2.5)]


def test_several_classes_in_one_run() -> None:
    rows: list[Any] = [Usual("q", "a", 3.0), Turned(1, 2.0, "b", "q"), Negated("q", "c", -1.0)]
    rows += [("q", "d", 0.5), Usual("q", "e", 0.25)]
    assert [doc for doc, _ in gainful.Run(iter(rows))["q"]] == ["a", "b", "c", "d", "e"]


def test_a_truncated_named_tuple_is_an_error() -> None:
    cut = tuple.__new__(Usual, ("q", "b"))
    with pytest.raises(FormatError):
        gainful.Run([Usual("q", "a", 3.0), cut])
