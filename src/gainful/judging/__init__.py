"""Assess judgments: raters, inter-annotator agreement, and dependent verdicts."""

from __future__ import annotations

from gainful.judging.call import assess_judgments
from gainful.judging.choices import Choices
from gainful.judging.files import read_ratings
from gainful.judging.labels import Label
from gainful.judging.ratings import Ratings
from gainful.judging.result import JudgmentQuality
from gainful.judging.source import Rater, Source
from gainful.judging.summaries import (
    AlphaSummary,
    Coverage,
    FinalSummary,
    PairSummary,
    RaterSummary,
    SliceSummary,
)
from gainful.judging.systems import SystemsByRater, VerdictByRater

__all__ = [
    "AlphaSummary",
    "Choices",
    "Coverage",
    "FinalSummary",
    "JudgmentQuality",
    "Label",
    "PairSummary",
    "Rater",
    "RaterSummary",
    "Ratings",
    "SliceSummary",
    "Source",
    "SystemsByRater",
    "VerdictByRater",
    "assess_judgments",
    "read_ratings",
]
