"""contrast(): what the choice between two conventions does to a number, policy by policy."""

from __future__ import annotations

from gainful.contrasts.call import contrast
from gainful.contrasts.result import Contrast, QueryAccount, Step, Swap, SystemAccount

__all__ = ["Contrast", "QueryAccount", "Step", "Swap", "SystemAccount", "contrast"]
