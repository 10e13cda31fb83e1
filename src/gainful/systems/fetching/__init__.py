"""How a system is asked all queries: which is next, by whom, what is kept and what is told."""

from __future__ import annotations
