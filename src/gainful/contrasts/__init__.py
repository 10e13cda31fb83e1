"""Attribute the difference between two conventions to their policies."""

from __future__ import annotations

from gainful.contrasts.call import contrast
from gainful.contrasts.result import (
    Contrast,
    QueryAccount,
    QueryStep,
    Step,
    StepEffect,
    SystemAccount,
)

__all__ = [
    "Contrast",
    "QueryAccount",
    "QueryStep",
    "Step",
    "StepEffect",
    "SystemAccount",
    "contrast",
]
