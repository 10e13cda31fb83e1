"""The range of a measure under a convention."""

from __future__ import annotations

import pytest

from gainful.conventions import Convention
from gainful.measures import parse_measure

PLAIN = Convention()
UNIT = (0.0, 1.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nDCG@10", UNIT),
        ("nDCG(gain=exponential)", UNIT),
        ("nDCG(ideal=judged-uncut)@10", UNIT),
        ("nDCG(ideal=judged-to-depth)", UNIT),
        ("nDCG(ideal=list)@5", UNIT),
        ("nDCG(ideal=given-order)", (0.0, None)),
        ("nDCG(ideal=max-grade, max_grade=3)", (0.0, None)),
        ("nDCG(ideal=(3, 2))", (0.0, None)),
        ("nDCG(gain={1: -1})", (None, None)),
        ("nDCG(gain={1: 5})", UNIT),
        ("nDCG(discount=(1, 0.5))", UNIT),
        ("nDCG(discount=(0.5, 1))", (0.0, None)),
        ("DCG@10", (0.0, None)),
        ("CG(gain={1: -1})", (None, None)),
        ("AP", UNIT),
        ("P@10", UNIT),
        ("NumRet", (0.0, None)),
        ("Judged@10", UNIT),
    ],
)
def test_of_the_measure(text: str, expected: tuple[float | None, float | None]) -> None:
    measure = parse_measure(text)
    assert measure.range() == expected
    assert measure.range(PLAIN) == expected


@pytest.mark.parametrize(
    ("changes", "text", "expected"),
    [
        ({"negative": "signed"}, "nDCG@10", (None, None)),
        ({"negative": "signed"}, "DCG@10", (None, None)),
        ({"negative": "signed"}, "AP", UNIT),
        ({"unjudged": 2}, "nDCG@10", (0.0, None)),
        ({"unjudged": 0}, "nDCG@10", UNIT),
        ({"unjudged": "condense"}, "nDCG@10", UNIT),
        ({"unjudged": -1}, "nDCG@10", (None, None)),
        ({"duplicates": "count"}, "nDCG@10", (0.0, None)),
        ({"duplicates": "count"}, "R@10", (0.0, None)),
        ({"duplicates": "count"}, "P@10", UNIT),
        ({"ties": "average-rank"}, "nDCG@10", (0.0, None)),
        ({"ties": "average-rank"}, "P@10", (0.0, None)),
        ({"ties": "average-rank"}, "R(capped=True)@10", (0.0, None)),
        ({"ties": "average-rank"}, "RR", UNIT),
        ({"ties": "expected"}, "nDCG@10", UNIT),
        ({"defaults": {"nDCG": {"ideal": "given-order"}}}, "nDCG@10", (0.0, None)),
        ({"defaults": {"nDCG": {"ideal": "given-order"}}}, "nDCG(ideal=judged)@10", UNIT),
    ],
)
def test_of_the_convention(
    changes: dict[str, object], text: str, expected: tuple[float | None, float | None]
) -> None:
    assert parse_measure(text).range(PLAIN.replace(**changes)) == expected
