"""Fusion of runs, computed by hand. `tests/tools` compares with ranx."""

from __future__ import annotations

from statistics import pstdev

import pytest

from gainful.baselines import fuse
from gainful.errors import ArgumentError, FormatError, GainfulError, ParameterError

WORDS = {"q1": {"a": 9.0, "b": 4.0, "c": 1.0}, "q2": {"a": 1.0}}
VECTORS = {"q1": {"b": 0.9, "d": 0.7, "a": 0.4}, "q3": {"e": 0.5, "f": 0.25}}


def test_reciprocal_ranks_are_added() -> None:
    run = fuse([WORDS, VECTORS])
    assert run.name == "rrf"
    assert run.to_dict() == {
        "q1": {
            "b": 1 / 62 + 1 / 61,
            "a": 1 / 61 + 1 / 63,
            "d": 1 / 62,
            "c": 1 / 63,
        },
        "q2": {"a": 1 / 61},
        "q3": {"e": 1 / 61, "f": 1 / 62},
    }
    weighted = fuse({"w": WORDS, "v": VECTORS}, constant=0, weights={"v": 3, "w": 1})
    assert dict(weighted["q1"]) == {"b": 1 / 2 + 3, "a": 1 + 1, "d": 3 / 2, "c": 1 / 3}


def test_ties_have_the_ranks_of_the_default_convention() -> None:
    run = fuse([{"q": {"a": 1.0, "b": 1.0}}, {"q": ["c"]}], constant=0)
    assert run["q"] == [("c", 1.0), ("b", 1.0), ("a", 0.5)]


def test_scores_are_normalized_and_added() -> None:
    summed = dict(fuse([WORDS, VECTORS], "combsum")["q1"])
    assert summed == pytest.approx({"a": 1.0, "b": 3 / 8 + 1, "c": 0.0, "d": 0.6})
    multiplied = dict(fuse([WORDS, VECTORS], "combmnz", weights=[2, 1])["q1"])
    assert multiplied == pytest.approx({"a": 4.0, "b": 2 * (6 / 8 + 1), "c": 0.0, "d": 0.6})
    plain = dict(fuse([WORDS, VECTORS], "combsum", norm="none")["q1"])
    assert plain == pytest.approx({"a": 9.4, "b": 4.9, "c": 1.0, "d": 0.7})
    z = dict(fuse([WORDS, VECTORS], "combsum", norm="z-score")["q1"])
    assert z["c"] == pytest.approx((1 - 14 / 3) / pstdev([9, 4, 1]))
    assert z["d"] == pytest.approx((0.7 - 2 / 3) / pstdev([0.9, 0.7, 0.4]))
    assert sum(z.values()) == pytest.approx(0.0)


def test_a_list_of_equal_scores() -> None:
    flat = {"q": {"a": 2.0, "b": 2.0}}
    assert dict(fuse([flat, flat], "combsum")["q"]) == {"a": 2.0, "b": 2.0}
    assert dict(fuse([flat, flat], "combsum", norm="z-score")["q"]) == {"a": 0.0, "b": 0.0}


def test_very_large_scores() -> None:
    wide = {"q": {"a": 1.7e308, "b": 0.0, "c": -1.7e308}}
    assert dict(fuse([wide, wide], "combsum")["q"]) == {"a": 2.0, "b": 1.0, "c": 0.0}


def test_the_order_of_the_runs_only_matters_to_rounding() -> None:
    assert fuse([WORDS, VECTORS]) == fuse([VECTORS, WORDS])


def test_depth_and_k_cut() -> None:
    assert set(dict(fuse([WORDS, VECTORS], depth=1)["q1"])) == {"a", "b"}
    assert [len(ranked) for ranked in fuse([WORDS, VECTORS], k=2).values()] == [2, 1, 2]


def test_runs_without_scores() -> None:
    listed = {"q": ["a", "b"]}
    assert fuse([listed, {"q": {"b": 1.0}}])["q"][0][0] == "b"
    with pytest.raises(FormatError, match="method='rrf' only needs ranks"):
        fuse([listed, {"q": {"b": 1.0}}], "combsum")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([WORDS],), "found 1, expected two or more"),
        ((WORDS["q1"], "borda"), "method: found 'borda', expected one of rrf, combsum, combmnz"),
        (([WORDS, VECTORS], "rrf", 0), "k: found 0"),
        ((3,), "runs: found int"),
    ],
)
def test_invalid_arguments_are_errors(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(GainfulError) as caught:
        fuse(*arguments)  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert isinstance(caught.value, (ParameterError, ArgumentError))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"norm": "softmax"}, "norm: found 'softmax'"),
        ({"constant": -1}, "constant: found -1"),
        ({"depth": 0}, "depth: found 0"),
        ({"weights": [1]}, "expected 2 numbers of 0 or more"),
        ({"weights": [1, -1]}, "expected 2 numbers of 0 or more"),
        ({"weights": {"a": 1, "c": 2}}, "weights of a, c, expected one for each of a, b"),
    ],
)
def test_options_are_checked(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        fuse({"a": WORDS, "b": VECTORS}, **options)  # type: ignore[arg-type]
    assert message in str(caught.value)
