"""Queries for systems, from files and objects."""

from __future__ import annotations

from gainful.systems.queries.collection import Queries

__all__ = ["Queries"]
