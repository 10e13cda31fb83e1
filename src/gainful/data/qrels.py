"""Judgments."""

from __future__ import annotations

from gainful.data.table import Table


class Qrels(Table):
    """Judgments."""

    __slots__ = ()
