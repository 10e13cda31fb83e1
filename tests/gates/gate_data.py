"""Queries with one relevant document each, at the ranks that a test chooses."""

from __future__ import annotations

import gainful


def qrels(n: int) -> dict[str, dict[str, int]]:
    return {f"q{number:03}": {"right": 1} for number in range(n)}


def run(ranks: list[int | None]) -> dict[str, list[str]]:
    """Return a run with the relevant document at these ranks; None leaves it out."""
    return {
        f"q{number:03}": ["wrong"]
        if rank is None
        else [*(f"other{place}" for place in range(1, rank)), "right"]
        for number, rank in enumerate(ranks)
    }


def gate_reciprocal_ranks(
    before: list[int | None], after: list[int | None], **options
) -> gainful.GateResult:
    """Check a run against a snapshot by reciprocal rank."""
    snapshot = gainful.make_snapshot(qrels(len(before)), run(before), "RR@10")
    return gainful.gate(qrels(len(after)), run(after), snapshot, **options)
