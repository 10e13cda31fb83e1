"""Check whether a rerun reproduces an experiment, and whether its input files are unchanged."""

from __future__ import annotations

from gainful.reproduction.call import reproduce
from gainful.reproduction.result import (
    Claim,
    Estimate,
    Reproduction,
    Scores,
    Verdict,
    Verification,
    verify,
)

__all__ = [
    "Claim",
    "Estimate",
    "Reproduction",
    "Scores",
    "Verdict",
    "Verification",
    "reproduce",
    "verify",
]
