"""Databases as systems: PostgreSQL with its full text and pgvector, SQLite with FTS5, DuckDB.

One statement in SQL answers a query. Its placeholders, such as ``{{query}}``, become parameters,
which the driver sends apart from the statement.
"""

from __future__ import annotations

from gainful.systems.databases.building import build
from gainful.systems.databases.system import DatabaseSystem

__all__ = ["DatabaseSystem", "build"]
