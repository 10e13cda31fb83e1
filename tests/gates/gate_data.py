"""Queries of one relevant document each, whose reciprocal rank is what a test wants."""

from __future__ import annotations

import gainful


def qrels(n: int) -> dict[str, dict[str, int]]:
    return {f"q{number:03}": {"right": 1} for number in range(n)}


def run(ranks: list[int | None]) -> dict[str, list[str]]:
    """Return a run with the right document at these ranks; None is a query that lacks it."""
    return {
        f"q{number:03}": ["wrong"]
        if rank is None
        else [*(f"other{place}" for place in range(1, rank)), "right"]
        for number, rank in enumerate(ranks)
    }


def held(before: list[int | None], after: list[int | None], **options) -> gainful.GateResult:
    """Hold a run against a snapshot by reciprocal rank."""
    snapshot = gainful.make_snapshot(qrels(len(before)), run(before), "RR@10")
    return gainful.gate(qrels(len(after)), run(after), snapshot, **options)
