"""Published scores: means of systems whose runs are not at hand, in files that people exchange."""

from __future__ import annotations

from gainful.published.scores import (
    PublishedScore,
    read_published,
    summarize_published,
    write_published,
)

__all__ = ["PublishedScore", "read_published", "summarize_published", "write_published"]
