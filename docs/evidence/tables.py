"""Tables of the evidence page, and the limits that their rates must keep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

__all__ = ["Study", "Table", "monte_carlo_error", "percent"]


@dataclass(frozen=True)
class Table:
    """A table of text, and a sentence for each rate that is outside its limits."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    failures: Sequence[str] = ()

    def markdown(self) -> str:
        """Return the table in Markdown."""
        lines = [self.headings, ["---"] * len(self.headings), *self.rows]
        return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


#: A study runs a number of simulations and returns its table. Its random seed is fixed.
Study = Callable[[int], Table]


def percent(rate: float, digits: int = 1) -> str:
    """Return a rate as a percentage."""
    return f"{100 * rate:.{digits}f}%"


def monte_carlo_error(rate: float, simulations: int) -> float:
    """Return four standard errors of a rate that is estimated by simulation."""
    return 4 * sqrt(rate * (1 - rate) / simulations)
