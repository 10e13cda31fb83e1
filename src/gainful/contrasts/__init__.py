"""Attribute the difference between two conventions to their policies."""

from __future__ import annotations

from gainful.contrasts.accounts import QueryAccount, Step, StepEffect, SystemAccount
from gainful.contrasts.call import contrast
from gainful.contrasts.result import Contrast, QueryStep

__all__ = [
    "Contrast",
    "QueryAccount",
    "QueryStep",
    "Step",
    "StepEffect",
    "SystemAccount",
    "contrast",
]
