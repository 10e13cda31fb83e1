"""Check whether a rerun reproduces the scores and the improvement of an original experiment."""

from __future__ import annotations

from gainful.reproduction.call import reproduce
from gainful.reproduction.result import Claim, Estimate, Reproduction, Scores, Verdict

__all__ = ["Claim", "Estimate", "Reproduction", "Scores", "Verdict", "reproduce"]
