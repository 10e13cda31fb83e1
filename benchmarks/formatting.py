"""Markdown tables, and numbers with two digits and a unit."""

from __future__ import annotations

from collections.abc import Iterator


def table(headers: list[str], rows: list[list[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    for cells in (headers, ["---"] * len(headers), *rows):
        yield "| " + " | ".join(cells) + " |"


def amount(count: float) -> str:
    """Return a number with two digits and its magnitude in words."""
    for size, word in ((1e9, "billion"), (1e6, "million")):
        if count >= 0.995 * size:
            return f"{digits(count / size)} {word}"
    return digits(count)


def memory(size: float) -> str:
    """Return a number of bytes with a suitable unit."""
    for unit, name in ((1e12, "TB"), (1e9, "GB")):
        if size >= 0.995 * unit:
            return f"{digits(size / unit)} {name}"
    return f"{digits(size / 1e6)} MB"


def span(seconds: float) -> str:
    """Return a time with a suitable unit."""
    for unit, name in ((3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{digits(seconds / unit)} {name}"
    return f"{digits(seconds)} s"


def digits(value: float) -> str:
    """Return a number with two digits, three if it begins with a 1."""
    if value == 0:
        return "0"
    places = 2 if f"{value:e}"[0] == "1" else 1
    rounded = float(f"{value:.{places}e}")
    return f"{rounded:,.10g}" if rounded < 100 else f"{rounded:,.0f}"
