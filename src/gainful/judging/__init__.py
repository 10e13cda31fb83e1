"""Make and assess judgments: sessions, raters, inter-annotator agreement, verdicts."""

from __future__ import annotations

from gainful.judging.audit_result import (
    FamilyEffect,
    GradeAgreement,
    JudgeAudit,
    LengthEffect,
    QueryAgreement,
    RankAgreement,
    Share,
    VersionDifference,
)
from gainful.judging.call import assess_judgments
from gainful.judging.combining import CombinedJudgments, CombinedLabel, Estimates, RaterShare
from gainful.judging.llm.answers import ModelAnswer, ModelLabel
from gainful.judging.llm.call import JudgingAccount, JudgingPlan, ModelLabels, judge_llm
from gainful.judging.llm.items import Prompt, load_prompt
from gainful.judging.ratings import Label, Ratings, read_ratings
from gainful.judging.result import AssessOptions, JudgmentQuality
from gainful.judging.sessions.assignment import Pair
from gainful.judging.sessions.events import Event, Kind
from gainful.judging.sessions.progress import Disagreement, JudgeProgress, Progress
from gainful.judging.sessions.recovery import Recovery, recover_session
from gainful.judging.sessions.session import Assignment, Session
from gainful.judging.sessions.state import PracticeDocument
from gainful.judging.source import Rater, Source
from gainful.judging.systems import (
    AlphaSummary,
    Coverage,
    DocumentCounts,
    FinalSummary,
    PairSummary,
    RankCorrelation,
    RaterSummary,
    SliceSummary,
    SystemsByRater,
    VerdictByRater,
)

__all__ = [
    "AlphaSummary",
    "AssessOptions",
    "Assignment",
    "CombinedJudgments",
    "CombinedLabel",
    "Coverage",
    "Disagreement",
    "DocumentCounts",
    "Estimates",
    "Event",
    "FamilyEffect",
    "FinalSummary",
    "GradeAgreement",
    "JudgeAudit",
    "JudgeProgress",
    "JudgingAccount",
    "JudgingPlan",
    "JudgmentQuality",
    "Kind",
    "Label",
    "LengthEffect",
    "ModelAnswer",
    "ModelLabel",
    "ModelLabels",
    "Pair",
    "PairSummary",
    "PracticeDocument",
    "Progress",
    "Prompt",
    "QueryAgreement",
    "RankAgreement",
    "RankCorrelation",
    "Rater",
    "RaterShare",
    "RaterSummary",
    "Ratings",
    "Recovery",
    "Session",
    "Share",
    "SliceSummary",
    "Source",
    "SystemsByRater",
    "VerdictByRater",
    "VersionDifference",
    "assess_judgments",
    "judge_llm",
    "load_prompt",
    "read_ratings",
    "recover_session",
]
