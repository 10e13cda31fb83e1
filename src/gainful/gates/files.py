"""Read snapshots from files."""

from __future__ import annotations

import json
from math import isfinite
from os import fspath

from gainful.conventions import Convention
from gainful.data.text_lines import text_lines
from gainful.errors import ConventionError, FormatError, GainfulError, MeasureError
from gainful.gates.snapshot import Look, Snapshot, SnapshotQuery
from gainful.measures.notation import parse_measure
from gainful.measures.own import restored
from gainful.measures.parameters import LARGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.data.paths import Path
    from gainful.measures import Measure

__all__ = ["read_snapshot"]


def read_snapshot(path: Path) -> Snapshot:
    """Read a snapshot from a file.

    Parameters
    ----------
    path : path
        A file written by `Snapshot.write`; ``"-"`` is standard input.

    Raises
    ------
    SourceError
        If it cannot be read.
    FormatError
        If it is not a snapshot.
    ConventionError, MeasureError
        If this version of Gainful does not know the convention or a measure, or defines the
        measure differently.

    Examples
    --------
    >>> import gainful
    >>> gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10").write("snapshot.json")
    >>> read_snapshot("snapshot.json")
    <Snapshot bm25: nDCG@10 of 6 queries, 0 looks>
    """
    name, whole = _parsed(fspath(path))
    if not isinstance(whole, dict) or whole.get("schema") != Snapshot.SCHEMA:
        raise FormatError(
            file=name,
            found="a file of another kind",
            expected=f'a snapshot, with "schema": "{Snapshot.SCHEMA}"',
            hint="⟪gate()=QRELS RUN --save FILE⟫ writes one",
        )
    try:
        return _snapshot(whole, name)
    except GainfulError as error:
        raise error.inside(name) from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FormatError(
            file=name,
            found=f"a damaged snapshot ({type(error).__name__}: {error})",
            expected="a snapshot as Gainful wrote it",
        ) from error


def _parsed(name: str) -> tuple[str, object]:
    called, rows = text_lines(name)
    text = "\n".join(line for _, line in rows)
    try:
        return called, json.loads(text)
    except (ValueError, RecursionError) as error:
        number = getattr(error, "lineno", 0)
        at = rows[number - 1][0] if 0 < number <= len(rows) else None
        raise FormatError(
            file=called, line=at, found="text that is not JSON", expected="a snapshot"
        ) from None


def _snapshot(whole: dict[str, Any], name: str) -> Snapshot:
    convention = _convention(whole["convention"])
    for declared in whole.get("declared") or ():
        restored(declared, {}, None)
    measures = tuple(
        _measure(name, resolved, convention) for name, resolved in whole["measures"].items()
    )
    budget, spending = whole["budget"], whole["spending"]
    if not isinstance(spending, bool):
        raise ValueError(f"spending {spending!r} is neither true nor false")
    looks = tuple(
        Look(
            run=str(look["run"]),
            system=str(look["system"]),
            verdict=str(look["verdict"]),
            alpha=_finite(look["alpha"]),
        )
        for look in whole["looks"]
    )
    shared: dict[str, Any] = {
        "convention": convention,
        "measures": measures,
        "judgments": str(whole["judgments"]),
        "file": name,
    }
    anchor = whole["anchor"]
    return Snapshot(
        **_ranked(whole, len(measures)),
        **shared,
        looks=looks,
        budget=None if budget is None else _count(budget, "budget"),
        spending=spending,
        inputs=whole["inputs"],
        anchor=None if anchor is None else Snapshot(**_ranked(anchor, len(measures)), **shared),
    )


def _ranked(saved: dict[str, Any], measures: int) -> dict[str, Any]:
    """Return the fields that a snapshot and its anchor each have."""
    depth = saved["depth"]
    return {
        "system": str(saved["system"]),
        "queries": _queries(saved["queries"], measures),
        "depth": None if depth is None else _count(depth, "depth"),
        "run": str(saved["run"]),
        "version": str(saved["gainful"]),
    }


def _queries(rows: dict[str, Any], measures: int) -> dict[str, SnapshotQuery]:
    queries = {}
    for query, row in rows.items():
        values = tuple(None if value is None else _finite(value) for value in row["values"])
        if len(values) != measures or not measures:
            found = f"{len(values)} values for {measures} measures"
            raise FormatError(query=query, found=found, expected="one value for each")
        columns: dict[str, Any] = {
            column: None if row.get(column) is None else tuple(map(kind, row[column]))
            for column, kind in (("documents", str), ("scores", float), ("ranks", float))
        }
        lengths = {len(column) for column in columns.values() if column is not None}
        if len(lengths) > 1:
            raise FormatError(
                query=query, found="columns of different lengths", expected="the same length"
            )
        queries[query] = SnapshotQuery(values=values, judgments=str(row["judgments"]), **columns)
    return queries


def _finite(value: object) -> float:
    # Python's parser accepts NaN and Infinity, which are not JSON.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise ValueError(f"{value!r} is not finite")
    return float(value)


def _count(value: object, name: str) -> int:
    if type(value) is not int or not 1 <= value <= LARGEST:
        raise ValueError(f"{name} {value!r:.40} is not a whole number from 1 to {LARGEST}")
    return value


def _convention(saved: dict[str, Any]) -> Convention:
    policies = {name: value for name, value in saved.items() if name != "text"}
    try:
        return Convention(**policies)
    except TypeError as error:
        raise ConventionError(
            found="a convention with policies that this version does not know",
            expected="known policies",
            hint="the snapshot may come from a newer version of Gainful",
        ) from error


def _measure(name: str, resolved: str, convention: Convention) -> Measure:

    measure = parse_measure(name)
    if repr(measure.resolve(convention)) != resolved:
        raise MeasureError(
            where=name,
            found=f"values of {resolved}",
            expected=f"{measure.resolve(convention)!r}, its definition in this version",
            hint="save the snapshot again",
        )
    return measure
