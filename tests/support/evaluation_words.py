"""The contents of an evaluation, to compare evaluations."""

from __future__ import annotations

import re
from typing import Any

import gainful


def sorted_rows(evaluation: gainful.Evaluation) -> list[dict[str, Any]]:
    """Return the rows sorted by system and query, with ids as text."""
    found = [{**row, "query_id": str(row["query_id"])} for row in evaluation.rows()]

    def place(row: dict[str, Any]) -> tuple[str, bytes]:
        return row["system"], row["query_id"].encode("utf-8", "surrogateescape")

    return sorted(found, key=place)


def contents(evaluation: gainful.Evaluation) -> list[str]:
    """Return all contents of an evaluation as text, since NaN is not equal to itself."""
    rows = [repr(row) for row in sorted_rows(evaluation)]
    # Rows of queries do not have the data checks that need scores.
    shown = re.sub(
        r"; ties\s+decide\s+the\s+first\s+ranks\s+of\s+\d+\s+quer(y|ies)", "", str(evaluation)
    )
    return [repr(evaluation.to_dict()), shown, *rows]
