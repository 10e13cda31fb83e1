"""contrast(): what the choice between two conventions does to a number, policy by policy."""

from __future__ import annotations

from gainful.contrasts.accounts import QueryAccount, Step, Swap, SystemAccount
from gainful.contrasts.call import contrast
from gainful.contrasts.result import Contrast

__all__ = ["Contrast", "QueryAccount", "Step", "Swap", "SystemAccount", "contrast"]
