"""Digests of what Python systems are made of: data, models, code."""

from __future__ import annotations

from gainful.systems.content.walk import Digester, IncomparableError

__all__ = ["Digester", "IncomparableError"]
