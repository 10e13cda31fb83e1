"""Search engines over HTTP: one description each, over one transport."""

from __future__ import annotations
