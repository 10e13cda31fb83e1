"""Attribute the difference between two conventions to their policies."""

from __future__ import annotations

from gainful.contrasts.accounts import QueryAccount, Step, Swap, SystemAccount
from gainful.contrasts.call import contrast
from gainful.contrasts.result import Contrast

__all__ = ["Contrast", "QueryAccount", "Step", "Swap", "SystemAccount", "contrast"]
