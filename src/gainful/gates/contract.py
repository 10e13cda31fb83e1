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
        "inputs": snapshot.inputs,
        "budget": snapshot.budget,
        "spending": snapshot.spending,
        "looks": [
            {
                "run": look.run,
                "system": look.system,
                "verdict": look.verdict,
                **({} if look.alpha is None else {"alpha": look.alpha}),
            }
            for look in snapshot.looks
        ],
        "anchor": None if snapshot.anchor is None else _anchor(snapshot.anchor),
        "queries": _queries(snapshot),
    }


def _anchor(snapshot: Snapshot) -> dict[str, Any]:
    return {
        "gainful": snapshot.version,
        "system": snapshot.system,
        "depth": snapshot.depth,
        "run": snapshot.run,
        "queries": _queries(snapshot),
    }


def _queries(snapshot: Snapshot) -> dict[str, Any]:
    return {query: _query(saved) for query, saved in snapshot.queries.items()}


def _query(saved: SnapshotQuery) -> dict[str, Any]:
    query: dict[str, Any] = {"values": list(saved.values), "judgments": saved.judgments}
    for name in ("documents", "scores", "ranks"):
        column = getattr(saved, name)
        if column is not None:
            query[name] = list(column)
    return query


def lines(snapshot: Snapshot) -> Iterator[str]:
    """Yield the text of the file, with one line per look and query."""
    yield from _lines(fields(snapshot), "")
    yield "\n"


def _lines(values: dict[str, Any], indent: str) -> Iterator[str]:
    yield "{\n"
    for at, (name, value) in enumerate(values.items()):
        yield f"{indent}  {_json(name)}: "
        if name == "anchor" and value:
            yield from _lines(value, f"{indent}  ")
        elif name in ("looks", "queries") and value:
            opening, closing = "[]" if name == "looks" else "{}"
            entries = (
                map(_json, value)
                if name == "looks"
                else (f"{_json(query)}: {_json(own)}" for query, own in value.items())
            )
            inside = f",\n{indent}    ".join(entries)
            yield f"{opening}\n{indent}    {inside}\n{indent}  {closing}"
        else:
            yield _json(value)
        yield "\n" if at == len(values) - 1 else ",\n"
    yield f"{indent}}}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
