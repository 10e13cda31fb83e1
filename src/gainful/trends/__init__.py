"""One measure over releases: `trend` reads snapshots and tests each release vs. the previous."""

from __future__ import annotations

from gainful.trends.call import Change, Drift, Release, Trend, trend

__all__ = ["Change", "Drift", "Release", "Trend", "trend"]
