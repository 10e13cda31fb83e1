"""The points of a sweep and their names."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from gainful.errors import ArgumentError, ParameterError
from gainful.sweeps.points import Range, list_points, parse_values
from gainful.sweeps.result import file_names


def names(grid: Any, *, sample: int | None = None, seed: int = 0, most: int = 200) -> list[str]:
    return [point.name for point in list_points(grid, sample=sample, seed=seed, most=most)]


def test_the_last_setting_changes_fastest() -> None:
    grid = {"boost.title": [1, 2], "operator": ["and", "or"]}
    assert names(grid) == [
        "boost.title=1,operator=and",
        "boost.title=1,operator=or",
        "boost.title=2,operator=and",
        "boost.title=2,operator=or",
    ]
    assert list_points(grid, sample=None, seed=0, most=4)[2].settings == {
        "boost.title": 2,
        "operator": "and",
    }


def test_a_sample_has_distinct_points_in_the_order_of_the_grid() -> None:
    grid = {"a": list(range(10)), "b": list(range(10))}
    every = names(grid)
    some = names(grid, sample=7)
    assert len(set(some)) == 7
    assert some == sorted(some, key=every.index)
    assert names(grid, sample=7) == some != names(grid, sample=7, seed=1)
    assert names(grid, sample=100) == names(grid, sample=500) == every


def test_points_are_drawn_uniformly() -> None:
    counts: Counter[str] = Counter()
    for seed in range(2000):
        counts.update(names({"a": list(range(6))}, sample=2, seed=seed))
    # A third of 2,000 each, with a standard deviation of 21.
    assert all(600 < counts[f"a={value}"] < 734 for value in range(6))


def test_a_huge_grid_is_never_enumerated() -> None:
    grid = {f"s{number}": list(range(100)) for number in range(8)}
    assert len(set(names(grid, sample=5))) == 5


@pytest.mark.parametrize(
    ("own", "low", "high"),
    [(Range(1, 8), 1, 8), (Range(0.5, 2.0), 0.5, 2.0), (Range(0.01, 10, log=True), 0.01, 10)],
)
def test_drawn_numbers_are_in_the_range_and_named_exactly(
    own: Range, low: float, high: float
) -> None:
    sample = 8 if own.low == 1 else 30
    points = list_points({"x": own}, sample=sample, seed=3, most=200)
    assert len({point.name for point in points}) == sample
    for point in points:
        value = point.settings["x"]
        assert low <= value <= high
        assert point.name == f"x={value}"
        assert float(point.name[2:]) == value, "the name has all digits"
        assert isinstance(value, int) == (own.low == 1)


def test_logarithmic_ranges_draw_all_orders_of_magnitude() -> None:
    drawn = [
        point.settings["x"]
        for point in list_points({"x": Range(0.001, 1000, log=True)}, sample=200, seed=0, most=200)
    ]
    orders = Counter(int(np.floor(np.log10(value))) for value in drawn)
    assert set(orders) == {-3, -2, -1, 0, 1, 2}
    assert min(orders.values()) > 15


def test_ranges_and_lists_can_be_combined() -> None:
    points = list_points({"x": Range(0.0, 1.0), "o": ["a", "b"]}, sample=20, seed=0, most=200)
    assert {point.settings["o"] for point in points} == {"a", "b"}


def test_numpy_numbers_become_python_numbers() -> None:
    (one, _) = list_points({"k": np.linspace(0.5, 1.0, 2)}, sample=None, seed=0, most=2)
    assert one.name == "k=0.5"
    assert type(one.settings["k"]) is float


@pytest.mark.parametrize(
    ("grid", "options", "message"),
    [
        ({}, {}, "grid: at least one setting is required"),
        ({"a": []}, {}, "grid, a: at least one value is required"),
        ({"a": [1]}, {}, "found one point, expected at least 2"),
        ({"a": [1, 1]}, {}, "grid, a: duplicate value 1"),
        ({"a": [1, True, 1.0]}, {}, None),
        ({"a": Range(1, 2)}, {}, "sample=20"),
        ({"a": Range(1, 3)}, {"sample": 4}, "hardly more than 3 distinct points"),
        ({"a": [1, 2]}, {"sample": 1}, "2 or more"),
        ({"a": [1, 2]}, {"sample": True}, "2 or more"),
        ({"a": [1, 2]}, {"sample": 2, "seed": -1}, None),
        ({"a": [1, 2, 3]}, {"sample": 2, "seed": -1}, "seed"),
        ({"a": range(20), "b": range(20)}, {}, "400 points, expected at most 200. Hint: sample=50"),
        ({"a": range(20), "b": range(20)}, {"sample": 300}, "300 points, expected at most 200$"),
    ],
)
def test_invalid_grids_are_rejected(grid: Any, options: Any, message: str | None) -> None:
    if message is None:
        assert names(grid, **options)
        return
    with pytest.raises(ParameterError, match=message):
        names(grid, **options)


@pytest.mark.parametrize("grid", [["a"], {"a": "1,2"}, {"a": 3}, {1: [1, 2]}, {"a": [object(), 1]}])
def test_grids_of_the_wrong_type_are_rejected(grid: Any) -> None:
    with pytest.raises(ArgumentError, match="grid"):
        names(grid)


@pytest.mark.parametrize("ends", [(2, 1), (1, 1), (0, float("inf")), (True, 2), ("1", 2)])
def test_invalid_ranges_are_rejected(ends: Any) -> None:
    with pytest.raises(ParameterError, match="Range"):
        Range(*ends)


def test_a_logarithmic_range_starts_above_zero() -> None:
    with pytest.raises(ParameterError, match="above 0"):
        Range(0, 1, log=True)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,2,4", [1, 2, 4]),
        ("0.4, 0.75", [0.4, 0.75]),
        ("true,false", [True, False]),
        ("and,or", ["and", "or"]),
        ('"a,b",c', ["a,b", "c"]),
        ('["title","body^2"],["title"]', [["title", "body^2"], ["title"]]),
        ('[["a]"],"b"],1', [[["a]"], "b"], 1]),
        ("title^2,it's", ["title^2", "it's"]),
        ('"1",1', ["1", 1]),
        ('""', [""]),
        ("75%,3<75%", ["75%", "3<75%"]),
    ],
)
def test_values_of_the_command_line(text: str, values: list[Any]) -> None:
    found = parse_values("a", text)
    assert found == values
    assert isinstance(found, list)
    assert [type(each) for each in found] == [type(each) for each in values]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1..8", "Range(1, 8)"),
        ("0.1..10:log", "Range(0.1, 10, log=True)"),
        ("-2..2", "Range(-2, 2)"),
    ],
)
def test_ranges_of_the_command_line(text: str, shown: str) -> None:
    assert repr(parse_values("a", text)) == shown


def test_texts_with_two_dots_are_not_ranges() -> None:
    assert parse_values("a", "../index,x..y") == ["../index", "x..y"]


@pytest.mark.parametrize("text", ["", "1,,2", "1,", '["a"', '"a'])
def test_unreadable_values_are_rejected(text: str) -> None:
    with pytest.raises(ParameterError, match="--set a"):
        parse_values("a", text)


def test_file_names_are_distinct_and_valid() -> None:
    found = file_names(["A=1", "a=1", 'x="/etc/passwd"', "x=" + "9" * 300, "x=" + "9" * 301])
    files = list(found.values())
    assert len({file.lower() for file in files}) == len(files)
    assert not any("/" in file for file in files)
    assert all(len(file) < 140 for file in files)
