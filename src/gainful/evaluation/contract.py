"""Evaluations as JSON: the contract ``gainful.evaluation/1``, and rows as JSON lines.

The contract's schema is ``evaluation-1.json``, next to this file.
"""

from __future__ import annotations

from gainful.evaluation.records import query_rows
from gainful.formats.json import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.evaluation.result import Evaluation


def document(evaluation: Evaluation, *, per_query: bool = False) -> Iterator[str]:
    """Yield an evaluation as one JSON object, with the rows of its queries if they are wanted."""
    whole = evaluation.to_dict()
    if per_query:
        headers, rows = query_rows(evaluation)
        whole["per_query"] = [dict(zip(headers, row, strict=True)) for row in rows]
    yield text(whole, indent=2)


def lines(evaluation: Evaluation, *, per_query: bool = False) -> Iterator[str]:
    """Yield one JSON object a line: of each system and measure, or of each system and query."""
    if per_query:
        headers, rows = query_rows(evaluation)
        for row in rows:
            yield text(dict(zip(headers, row, strict=True)))
        return
    for system in evaluation.systems:
        for measure in evaluation.measures:
            figures = evaluation.summary(measure, system).to_dict()
            yield text({"system": system, "measure": repr(measure), **figures})
