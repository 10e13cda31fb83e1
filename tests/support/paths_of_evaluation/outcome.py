"""The outcome of a path: rows compared bit for bit, counts, or an error."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import gainful
from evaluation_words import sorted_rows
from gainful.errors import GainfulError


class Rows(NamedTuple):
    """The rows of an evaluation by query, and its counts; None if a path has no counts."""

    columns: tuple[str, ...]
    rows: dict[str, tuple[Any, ...]]
    counts: Any = None


class Refusal(NamedTuple):
    """An error: its class, the query and document that it names, and the invalid value."""

    kind: str
    query: str | None
    document: str | None
    found: str | None

    def is_in(self, message: str) -> bool:
        """Return whether a message contains the query, the document and the invalid value."""
        words = " ".join(message.split())
        return all(" ".join(each.split()) in words for each in self[1:] if each is not None)


Outcome = Rows | Refusal


def bits(value: object) -> object:
    """Return a value that is equal to another exactly if all bits are."""
    return struct.pack("<d", value) if isinstance(value, float) else value


def of_evaluation(result: gainful.Evaluation) -> Rows:
    """Return the rows, means and counts of an evaluation of one system."""
    (system,) = result.systems
    means = [bits(result.mean(measure)) for measure in result.measures[:3]]
    return of_rows(sorted_rows(result), (result.counts(system), means))


def of_rows(rows: Iterable[Mapping[str, Any]], counts: Any = None) -> Rows:
    """Return rows that are dictionaries, as `Evaluation.rows` yields them."""
    columns: tuple[str, ...] = ()
    found = {}
    for row in rows:
        record = {name: value for name, value in row.items() if name != "system"}
        query = record.pop("query_id")
        columns = tuple(record)
        assert query not in found, f"query {query} has two rows"
        found[query] = tuple(bits(value) for value in record.values())
    return Rows(columns, found, counts)


def refusal(error: GainfulError) -> Refusal:
    """Return the facts of an error that every path must report."""
    return Refusal(type(error).__name__, error.query, error.document, error.found)


def difference(
    expected: Outcome, found: Outcome, *, any_error: bool = False, tolerance: float | None = None
) -> str | None:
    """Return the first difference as one line, or None. Counts are compared if both have them.

    Parameters
    ----------
    expected, found
        The outcomes of the reference and of a path.
    any_error
        Whether all errors are equal.
    tolerance
        The allowed difference of values; None for equality bit for bit. A path with a tolerance may
        have fewer columns, and None for counts that it cannot compute.
    """
    if any_error and isinstance(expected, Refusal) and isinstance(found, Refusal):
        return None
    if isinstance(expected, Refusal) or isinstance(found, Refusal):
        if isinstance(found, Refusal) and isinstance(expected, Refusal) and not found.kind:
            # A command reports only the text of its message.
            return None if expected.is_in(found.found or "") else f"{expected}, {found.found}"
        return None if expected == found else f"{shown(expected)}, found {shown(found)}"
    if list(expected.rows) != list(found.rows):
        return f"the queries {list(expected.rows)}, found {list(found.rows)}"
    if tolerance is not None:
        expected = within(expected, found, tolerance)
    if expected.columns != found.columns:
        return f"the columns {expected.columns}, found {found.columns}"
    for query, values in expected.rows.items():
        for column, one, other in zip(expected.columns, values, found.rows[query], strict=True):
            if one != other or type(one) is not type(other):
                return f"{column} of query {query}: {plain(one)}, found {plain(other)}"
    if None not in (expected.counts, found.counts) and repr(expected.counts) != repr(found.counts):
        return f"{expected.counts}, found {found.counts}"
    return None


def within(expected: Rows, found: Rows, tolerance: float) -> Rows:
    """Return the expected rows, with found values in place of equivalent expected ones.

    A found value is equivalent if it is within the tolerance, or if it is a missing count of judged
    documents above a cutoff that splits tied documents.
    """
    at = [expected.columns.index(name) for name in found.columns if name in expected.columns]
    columns = tuple(expected.columns[each] for each in at)
    rows = {}
    for query, values in expected.rows.items():
        record = dict(zip(expected.columns, values, strict=True))
        close = []
        for column, other in zip(columns, found.rows[query], strict=True):
            one, best = plain(record[column]), plain(other)
            name, _, cutoff = column.partition("@")
            open = other is None and name in ("judged", "unjudged") and record[f"tie@{cutoff}"]
            if isinstance(one, float) and isinstance(best, float):
                open = math.isclose(one, best, rel_tol=tolerance, abs_tol=tolerance)
            close.append(other if open else record[column])
        rows[query] = tuple(close)
    return Rows(columns, rows, expected.counts)


def farthest(expected: Outcome, found: Outcome) -> float:
    """Return the largest difference between a value and the expected one."""
    if isinstance(expected, Refusal) or isinstance(found, Refusal):
        return 0.0
    at = [expected.columns.index(name) for name in found.columns]
    gaps = [0.0]
    for query, values in found.rows.items():
        for place, value in zip(at, values, strict=True):
            one, other = plain(expected.rows[query][place]), plain(value)
            if isinstance(one, float) and isinstance(other, float) and one != other:
                gaps.append(abs(one - other))
    return max(gaps)


def shown(outcome: Outcome) -> str:
    """Return an outcome in a few words."""
    return f"{len(outcome.rows)} rows" if isinstance(outcome, Rows) else str(tuple(outcome))


def plain(value: object) -> object:
    """Return a readable form of a value that `bits` returned."""
    return struct.unpack("<d", value)[0] if isinstance(value, bytes) else value
