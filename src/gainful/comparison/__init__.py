"""compare(): is it better? Systems beside each other, query by query."""

from __future__ import annotations

from gainful.comparison.pair import VERDICTS, Pair

__all__ = ["VERDICTS", "Pair"]
