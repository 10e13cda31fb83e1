"""Databases as systems: PostgreSQL (full text, pgvector), SQLite (FTS5), DuckDB.

One SQL statement answers a query. Its placeholders, such as ``{{query}}``, become bound parameters.
"""

from __future__ import annotations

from gainful.systems.databases.building import build
from gainful.systems.databases.system import DatabaseSystem

__all__ = ["DatabaseSystem", "build"]
