"""Find the convention behind a reported number."""

from __future__ import annotations

from gainful.reconciliation.call import reconcile
from gainful.reconciliation.result import Match, Reconciliation

__all__ = ["Match", "Reconciliation", "reconcile"]
