"""Queries of several collections as one design: each collection a stratum of the same weight."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["standard_error"]


def standard_error(
    values: Mapping[str, float], weights: Mapping[str, float] | None
) -> float | None:
    """Return the standard error of the mean of one collection; None below two queries."""
    n = len(values)
    if n < 2:
        return None
    shares = [1.0] * n if weights is None else [weights[query] for query in values]
    total = sum(shares)
    mean = sum(w * v for w, v in zip(shares, values.values(), strict=True)) / total
    squares = sum((w * (v - mean)) ** 2 for w, v in zip(shares, values.values(), strict=True))
    return float((n / (n - 1) * squares) ** 0.5 / total)
