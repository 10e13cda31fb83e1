"""How good judgments are: who gave them, how far they agree, and what hangs on it."""

from __future__ import annotations

from gainful.judging.labels import Label
from gainful.judging.ratings import Ratings, read_ratings
from gainful.judging.source import Rater, Source

__all__ = ["Label", "Rater", "Ratings", "Source", "read_ratings"]
