"""What a system is asked, from whatever people keep it in."""

from __future__ import annotations

from gainful.systems.queries.collection import Queries

__all__ = ["Queries"]
