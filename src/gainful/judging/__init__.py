"""Make and assess judgments: sessions, raters, inter-annotator agreement, verdicts."""

from __future__ import annotations

from gainful.judging.call import assess_judgments
from gainful.judging.choices import Choices
from gainful.judging.combining.result import CombinedJudgments, RaterShare
from gainful.judging.combining.rules import CombinedLabel, Estimates
from gainful.judging.files import read_ratings
from gainful.judging.labels import Label
from gainful.judging.llm.call import judge_llm
from gainful.judging.llm.labels import ModelLabel
from gainful.judging.llm.prompt import Prompt, load_prompt
from gainful.judging.llm.result import JudgingAccount, ModelLabels, Plan
from gainful.judging.ratings import Ratings
from gainful.judging.result import JudgmentQuality
from gainful.judging.sessions.events import Event, Kind
from gainful.judging.sessions.progress import Disagreement, JudgeProgress, Progress
from gainful.judging.sessions.session import Assignment, Session
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
    "Assignment",
    "Choices",
    "CombinedJudgments",
    "CombinedLabel",
    "Coverage",
    "Disagreement",
    "Estimates",
    "Event",
    "FinalSummary",
    "JudgeProgress",
    "JudgingAccount",
    "JudgmentQuality",
    "Kind",
    "Label",
    "ModelLabel",
    "ModelLabels",
    "PairSummary",
    "Plan",
    "Progress",
    "Prompt",
    "Rater",
    "RaterShare",
    "RaterSummary",
    "Ratings",
    "Session",
    "SliceSummary",
    "Source",
    "SystemsByRater",
    "VerdictByRater",
    "assess_judgments",
    "judge_llm",
    "load_prompt",
    "read_ratings",
]
