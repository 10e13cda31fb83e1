"""A snapshot as JSON, ``gainful.snapshot/1``: one line per query, for version control."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gainful.gates.snapshot import Snapshot, SnapshotQuery

__all__ = ["SCHEMA", "fields", "lines"]

SCHEMA = "gainful.snapshot/1"


def fields(snapshot: Snapshot) -> dict[str, Any]:
    """Return a snapshot as JSON values."""
    return {
        "schema": SCHEMA,
        "gainful": snapshot.version,
        "system": snapshot.system,
        "convention": {**snapshot.convention.to_dict(), "text": str(snapshot.convention)},
        "measures": {
            repr(measure): repr(resolved)
            for measure, resolved in zip(snapshot.measures, snapshot.resolved, strict=True)
        },
        "depth": snapshot.depth,
        "judgments": snapshot.judgments,
        "run": snapshot.run,
        "budget": snapshot.budget,
        "looks": [
            {"run": look.run, "system": look.system, "verdict": look.verdict}
            for look in snapshot.looks
        ],
        "queries": {query: _query(saved) for query, saved in snapshot.queries.items()},
    }


def _query(saved: SnapshotQuery) -> dict[str, Any]:
    query: dict[str, Any] = {"values": list(saved.values), "judgments": saved.judgments}
    for name in ("documents", "scores", "ranks"):
        column = getattr(saved, name)
        if column is not None:
            query[name] = list(column)
    return query


def lines(snapshot: Snapshot) -> Iterator[str]:
    """Yield the text of the file, with one line per look and query."""
    whole = fields(snapshot)
    yield "{\n"
    for name, value in whole.items():
        last = name == "queries"
        if name not in ("looks", "queries") or not value:
            yield f"  {_json(name)}: {_json(value)}{'' if last else ','}\n"
            continue
        entries = (
            [f"{_json(query)}: {_json(own)}" for query, own in value.items()]
            if last
            else [_json(look) for look in value]
        )
        opening, closing = "{}" if last else "[]"
        inside = ",\n    ".join(entries)
        yield f"  {_json(name)}: {opening}\n    {inside}\n  {closing}{'' if last else ','}\n"
    yield "}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
