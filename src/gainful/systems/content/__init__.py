"""Digests of the data, models and code of Python systems."""

from __future__ import annotations

from gainful.systems.content.walk import Digester, IncomparableError

__all__ = ["Digester", "IncomparableError"]
