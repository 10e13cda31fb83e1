"""Invalid input: policies, added judgments, added rows of the run, and the message."""

from __future__ import annotations

import re
from typing import Any

import pytest

from gainful.backends import sql
from gainful.conventions import Convention

NAN, INFINITY = float("nan"), float("inf")
QRELS = [("q1", "a", 2.0), ("q1", "b", 0.0), ("q2", "c", 1.0)]
RUN = [("q1", "b", 2.0, 1), ("q1", "a", 1.0, 2), ("q2", "c", 1.0, 1)]

FAULTS: list[tuple[dict[str, Any], list[Any], list[Any], str]] = [
    ({}, [], [("q1", "a", 9.0, 3)], "query q1, document a: duplicate document"),
    ({}, [("q1", "a", 1.0)], [], "query q1, document a: duplicate document"),
    ({}, [], [("q2", "d", NAN, 2)], "query q2, document d: the score is not a finite"),
    ({}, [], [("q2", "d", INFINITY, 2)], "the score is not a finite number"),
    ({}, [], [("q2", "d", -INFINITY, 2)], "the score is not a finite number"),
    ({}, [], [("q2", "d", None, 2)], "the score is not a finite number"),
    ({}, [], [("q2", None, 0.5, 2)], "query q2, document NULL: no id"),
    ({}, [], [(None, "d", 0.5, 2)], "query NULL, document d: no id"),
    ({}, [], [("unjudged", "d", NAN, 1)], "query unjudged, document d: the score is"),
    ({}, [("q2", None, 1.0)], [], "query q2, document NULL: no id"),
    ({}, [("q2", "d", None)], [], "query q2, document d: the grade is not a number"),
    ({}, [("q2", "d", NAN)], [], "the grade is not a number within ±2^53"),
    ({}, [("q2", "d", 1e16)], [], "the grade is not a number within ±2^53"),
    ({"negative": "error"}, [("q2", "d", -1.0)], [], "the grade is negative"),
    ({"fractions": "error"}, [("q2", "d", 0.5)], [], "the grade is not a whole number"),
    ({"largest_grade": 3}, [("q2", "d", 4.0)], [], "the grade is above 3"),
    ({"missing": "error"}, [("q3", "d", 1.0)], [], "query q3: no ranking"),
    ({"extra": "error"}, [], [("q9", "d", 1.0, 1)], "query q9: no judgments"),
    ({"ties": "error"}, [], [("q2", "d", 1.0, 2)], "equal scores"),
    ({"single": "error"}, [], [], "query q2: the ranking has only one document"),
    ({"no_relevant": "error"}, [("q3", "d", 0.0)], [], "query q3: no relevant documents for RR"),
    ({"duplicates": "copies"}, [], [("q1", "a", 9.0, 3)], "duplicate document"),
]


def check_fault(
    database: Any,
    policies: dict[str, Any],
    judged: list[Any],
    listed: list[Any],
    message: str,
    *,
    accepts: bool = True,
) -> None:
    """Check that a query ends with the message, and that without the fault it has an answer."""
    text = sql.query("RR", convention=Convention(**policies), dialect=database.dialect)
    # With this policy the valid data are a fault too.
    if accepts and policies != {"single": "error"}:
        database.fill(QRELS, RUN)
        assert database.ask(text)
    database.fill([*QRELS, *judged], [*RUN, *listed])
    with pytest.raises(Exception, match=re.escape(message)):
        database.ask(text)
