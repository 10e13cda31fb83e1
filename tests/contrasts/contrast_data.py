"""Data for contrasts, and a check that printed numbers add up."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from gainful import Contrast

QRELS: dict[str, dict[str, float]] = {
    "q1": {"a": 3, "b": 1, "c": 0, "d": 2},
    "q2": {"a": 1, "e": 1},
    "q3": {"f": 0, "g": 0},
    "q4": {"h": 2},
}
RUN = {
    "q1": {"c": 4.0, "b": 4.0, "a": 3.0, "x": 2.0},
    "q2": {"e": 2.0, "y": 2.0, "a": 1.0},
    "q3": {"f": 1.0},
}


def assert_printed_sums(result: Contrast) -> None:
    """Assert that the printed steps add up to the printed differences."""

    def number(text: str) -> Fraction | None:
        return None if text.strip() in ("", "–", "nan", "inf", "-inf") else Fraction(text)

    for table in (each.cells() for each in result.tables(queries=None)):
        if table.headers[0] == "step":
            for column in range(1, len(table.headers)):
                if table.headers[column] in ("change", "queries"):
                    continue
                cells = [number(row[column]) for row in table.rows]
                changed = cells[1:-1]
                if len(result.accounts) == 1:
                    changed = [number(row[2]) for row in table.rows[1:-1]]
                    total = number(table.rows[-1][2])
                    if total is not None and None not in changed:
                        assert total == sum(changed)  # type: ignore[arg-type]
                if cells[0] is not None and cells[-1] is not None:
                    steps = [change for change in changed if change is not None]
                    assert cells[0] + sum(steps) == cells[-1]
        elif table.headers[-1] == "reason":
            total: Any = None
            parts: list[Fraction] = []
            for row in [*table.rows, ["total"] * len(table.headers)]:
                if row[-5]:
                    if total is not None:
                        assert sum(parts) == total
                    total, parts = number(row[-2]) if row[-2] != "total" else None, []
                parts += [Fraction(part) for part in re.findall(r" ([+-]?[0-9]*\.[0-9]+)", row[-1])]
