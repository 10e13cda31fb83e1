"""Runs."""

from __future__ import annotations

from gainful.data.table import Table


class Run(Table):
    """A run."""

    __slots__ = ()
