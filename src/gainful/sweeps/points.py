"""The points of a sweep: their settings and names."""

from __future__ import annotations

import json
from collections.abc import Iterable as AnyIterable
from collections.abc import Mapping as AnyMapping
from dataclasses import KW_ONLY, dataclass
from math import exp, inf, log, prod

from gainful.errors import ArgumentError, ParameterError
from gainful.parameters.comparing import SEED
from gainful.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from random import Random
    from typing import Any, TypeAlias

    from gainful.systems.fetching.account import Latency

    Grid: TypeAlias = Mapping[str, "Sequence[Any] | Range"]

__all__ = [
    "CURRENT",
    "Point",
    "Range",
    "SearchedPoint",
    "format_name",
    "format_value",
    "list_points",
    "parse_values",
]


#: The name of the point with the description's own settings.
CURRENT = "current"

#: Digits of a drawn number, so that a name shows it exactly.
_DIGITS = 3

#: Maximum attempts per point to draw a new point from ranges.
_TRIES = 100


class Point(Record):
    """One combination of settings."""

    name: str
    """The name of its run, and of its system in the comparison: ``boost.title=4,operator=or``."""
    settings: Mapping[str, Any]
    """The value of each setting."""


class SearchedPoint(Point):
    """A point with the outcome of its search."""

    failed: Mapping[str, str]
    """The queries that failed, with the reasons."""
    latency: Latency | None
    """The latency of answers in seconds; None if unknown."""


@dataclass(frozen=True)
class Range:
    """A range of numbers to draw from at random.

    Parameters
    ----------
    low, high : int or float
        The ends, inclusive. If both are integers, integers are drawn.
    log : bool
        Whether to draw uniformly on a logarithmic scale; `low` must then be above 0.

    Raises
    ------
    ParameterError
        For ends that are not finite, or an empty range.

    Notes
    -----
    Drawn numbers are rounded to three significant digits, so that names show them exactly.

    Examples
    --------
    >>> Range(0.5, 8), Range(0.01, 10, log=True)
    (Range(0.5, 8), Range(0.01, 10, log=True))
    """

    low: float
    high: float
    _: KW_ONLY
    log: bool = False

    def __post_init__(self) -> None:
        low, high = self.low, self.high
        for end in (low, high):
            if type(end) not in (int, float) or not -inf < end < inf:
                raise ParameterError(
                    where="Range", found=repr(end), expected="a finite number at each end"
                )
        if not low < high:
            raise ParameterError(
                where="Range", found=f"{low!r} to {high!r}", expected="a low end below the high one"
            )
        if self.log and low <= 0:
            raise ParameterError(
                where="Range", found=f"log from {low!r}", expected="a low end above 0"
            )

    def __repr__(self) -> str:
        return f"Range({self.low!r}, {self.high!r}{', log=True' * self.log})"

    def draw(self, random: Random) -> int | float:
        """Draw one number."""
        low, high, share = self.low, self.high, random.random()
        if isinstance(low, int) and isinstance(high, int):
            if self.log:
                return min(int(exp(log(low) + share * (log(high + 1) - log(low)))), high)
            return low + int(share * (high - low + 1))
        if self.log:
            value = exp(log(low) + share * (log(high) - log(low)))
        else:
            value = low + share * (high - low)
        return min(max(float(f"{value:.{_DIGITS}g}"), low), high)


def list_points(grid: Grid, *, sample: int | None, seed: int, most: int) -> list[Point]:
    """Return the points of a sweep, without duplicates.

    Examples
    --------
    >>> [point.name for point in list_points({"k1": [0.9, 1.2], "b": [0.4]}, sample=None, seed=0,
    ...                                    most=100)]
    ['k1=0.9,b=0.4', 'k1=1.2,b=0.4']
    """
    values = _check_grid(grid)
    ranges = [name for name, value in values.items() if isinstance(value, Range)]
    if sample is not None and (type(sample) is not int or sample < 2):
        raise ParameterError(
            where="sample", found=repr(sample), expected="a whole number of 2 or more"
        )
    if sample is None and ranges:
        raise ParameterError(
            where="grid",
            found=f"a range for {ranges[0]}",
            expected="a list of values",
            hint="⟪sample=20⟫ draws 20 points at random",
        )
    if ranges:
        assert sample is not None
        _check_number(sample, most, sampled=True)
        return list(_draw_points(values, sample, seed))
    lists = {name: list(value) for name, value in values.items() if not isinstance(value, Range)}
    total = prod(map(len, lists.values()))
    if sample is not None and sample < total:
        _check_number(sample, most, sampled=True)
        chosen: Sequence[int] = _draw_indices(total, sample, seed)
    else:
        _check_number(total, most, sampled=False)
        chosen = range(total)
    return [_point(lists, place) for place in chosen]


def format_name(settings: Mapping[str, Any]) -> str:
    """Return the name of a point.

    Examples
    --------
    >>> format_name({"boost.title": 4, "operator": "or", "fields": ["title", "brand^2"]})
    'boost.title=4,operator=or,fields=["title","brand^2"]'
    """
    return ",".join(f"{name}={format_value(value)}" for name, value in settings.items())


def format_value(value: object) -> str:
    """Return a value as part of a name: words unchanged, other values as JSON.

    Examples
    --------
    >>> [format_value(value) for value in (4, 0.5, True, "or", "", "a b", "4", [1, 2])]
    ['4', '0.5', 'true', 'or', '""', '"a b"', '"4"', '[1,2]']
    """
    if isinstance(value, str) and value.isprintable() and value:
        plain = all(char.isalnum() or char in "_-+.^*~%:/" for char in value)
        try:
            json.loads(value)
        except ValueError:
            if plain:
                return value
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError):
        raise ArgumentError(
            where="grid",
            found=f"the value {value!r}",
            expected="a JSON value: a number, text, true, false, null, or a list of these",
        ) from None


def _check_grid(grid: Grid) -> dict[str, Sequence[Any] | Range]:
    if not isinstance(grid, AnyMapping):
        raise ArgumentError(
            where="grid",
            found=type(grid).__name__,
            expected="{'setting': [value, ...], ...}",
        )
    if not grid:
        raise ParameterError(
            "at least one setting is required, such as {'k1': [0.9, 1.2]}", where="grid"
        )
    values: dict[str, Sequence[Any] | Range] = {}
    for name, setting_values in grid.items():
        if type(name) is not str or not name:
            raise ArgumentError(where="grid", found=repr(name), expected="the name of a setting")
        if isinstance(setting_values, Range):
            values[name] = setting_values
            continue
        if isinstance(setting_values, (str, bytes, AnyMapping)) or not isinstance(
            setting_values, AnyIterable
        ):
            raise ArgumentError(
                where=f"grid, {name}",
                found=repr(setting_values),
                expected="a list of values, or a Range",
            )
        listed = [_plain(value) for value in setting_values]
        if not listed:
            raise ParameterError("at least one value is required", where=f"grid, {name}")
        texts = [format_value(value) for value in listed]
        for index, text in enumerate(texts):
            if text in texts[:index]:
                raise ParameterError(f"duplicate value {text}", where=f"grid, {name}")
        values[name] = listed
    return values


def _plain(value: Any) -> Any:
    """Return a NumPy number as a Python one, for JSON."""
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        return value.item()
    return value


def _check_number(number: int, most: int, *, sampled: bool) -> None:
    if number < 2:
        raise ParameterError(
            where="grid",
            found="one point",
            expected="at least 2",
            hint="gainful.search runs a system with its own settings",
        )
    if number > most:
        draw = min(most, 50)
        raise ParameterError(
            where="sample" if sampled else "grid",
            found=f"{number:,} points",
            expected=f"at most {most:,}",
            hint=None if sampled else f"⟪sample={draw}⟫ draws {draw} points at random",
        )


def _point(values: Mapping[str, Sequence[Any]], place: int) -> Point:
    """Return the grid point of an index; the last setting changes fastest."""
    settings = {}
    for name in reversed(list(values)):
        place, place_of_value = divmod(place, len(values[name]))
        settings[name] = values[name][place_of_value]
    named = {name: settings[name] for name in values}
    return Point(name=format_name(named), settings=named)


def _draw_indices(total: int, sample: int, seed: int) -> list[int]:
    """Draw distinct indices of a grid that may be too large to enumerate."""
    random = _random(seed)
    indices: set[int] = set()
    # R. W. Floyd's algorithm draws every set with the same probability.
    for last in range(total - sample, total):
        place = int(random.random() * (last + 1))
        indices.add(last if place in indices else place)
    return sorted(indices)


def _draw_points(
    values: Mapping[str, Sequence[Any] | Range], sample: int, seed: int
) -> Iterator[Point]:
    random = _random(seed)
    names: set[str] = set()
    for _ in range(sample * _TRIES):
        settings = {
            name: value.draw(random)
            if isinstance(value, Range)
            else value[int(random.random() * len(value))]
            for name, value in values.items()
        }
        name = format_name(settings)
        if name not in names:
            names.add(name)
            yield Point(name=name, settings=settings)
        if len(names) == sample:
            return
    raise ParameterError(
        f"the ranges have hardly more than {len(names):,} distinct points, not {sample:,}",
        where="sample",
        hint="draw fewer points or widen the ranges",
    )


def _random(seed: int) -> Random:
    """Return random numbers that do not depend on the Python version."""
    from random import Random

    return Random(int(SEED.check(seed)))


_CLOSES = {"[": "]", '"': '"', "'": "'"}


def parse_values(name: str, text: str) -> list[Any] | Range:
    """Return the values, or the range, in a text.

    Examples
    --------
    >>> parse_values("boost", "1,2.5,4"), parse_values("operator", "and,or")
    ([1, 2.5, 4], ['and', 'or'])
    >>> parse_values("fields", '["title","body^2"],["title"]')
    [['title', 'body^2'], ['title']]
    >>> parse_values("boost", "0.1..10:log")
    Range(0.1, 10, log=True)
    """
    interval = _range(text)
    if interval is not None:
        return interval
    from gainful.systems.description.loading import setting_value

    pieces = _pieces(name, text)
    for piece in pieces:
        if not piece:
            raise ParameterError(
                where=f"--set {name}",
                found=repr(text),
                expected="values separated by commas, as in 1,2,4",
                hint='write "" for an empty text',
            )
    return [setting_value(piece) for piece in pieces]


def _range(text: str) -> Range | None:
    low, dots, high = text.partition("..")
    end, _, kind = high.partition(":")
    if not dots or kind not in ("", "log"):
        return None
    ends = [_number(low), _number(end)]
    if ends[0] is None or ends[1] is None:
        return None
    return Range(ends[0], ends[1], log=kind == "log")


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def _pieces(name: str, text: str) -> list[str]:
    """Split a text at commas outside of brackets and quotes."""
    pieces, start = [], 0
    open_ones: list[str] = []
    for index, char in enumerate(text):
        if open_ones and char == open_ones[-1]:
            open_ones.pop()
        elif open_ones and open_ones[-1] in "\"'":
            continue
        elif char == "[" or (char in "\"'" and (open_ones or not text[start:index].strip())):
            open_ones.append(_CLOSES[char])
        elif char == "," and not open_ones:
            pieces.append(text[start:index].strip())
            start = index + 1
    if open_ones:
        raise ParameterError(f"{text!r} lacks a closing {open_ones[-1]}", where=f"--set {name}")
    pieces.append(text[start:].strip())
    return pieces
