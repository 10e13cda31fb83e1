"""Assess judgments: raters, inter-annotator agreement, and dependent verdicts."""

from __future__ import annotations

from gainful.judging.accounts import (
    AlphaAccount,
    Coverage,
    PairAccount,
    RaterAccount,
    SettledAccount,
)
from gainful.judging.call import assess_judgments
from gainful.judging.choices import Choices
from gainful.judging.files import read_ratings
from gainful.judging.labels import Label
from gainful.judging.ratings import Ratings
from gainful.judging.result import JudgmentQuality
from gainful.judging.source import Rater, Source
from gainful.judging.systems import SystemsUnderRaters, VerdictUnderRaters

__all__ = [
    "AlphaAccount",
    "Choices",
    "Coverage",
    "JudgmentQuality",
    "Label",
    "PairAccount",
    "Rater",
    "RaterAccount",
    "Ratings",
    "SettledAccount",
    "Source",
    "SystemsUnderRaters",
    "VerdictUnderRaters",
    "assess_judgments",
    "read_ratings",
]
