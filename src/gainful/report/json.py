"""Evaluations as JSON: the contract ``gainful.evaluation/1``, and rows as JSON lines.

The contract's schema is ``schemas/evaluation-1.json`` beside this file. What JSON has no number
for (NaN, infinities) is ``null``.
"""

from __future__ import annotations

import json

from gainful.report.figures import query_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.evaluation import Evaluation


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


def text(value: object, indent: int | None = None) -> str:
    r"""Return a value as JSON and a line end.

    Examples
    --------
    >>> text({"na\u00efve": float("nan"), "\udcff": (1.5, True)})
    '{"naïve": null, "\\udcff": [1.5, true]}\n'
    """
    written = json.dumps(finite(value), ensure_ascii=False, indent=indent, allow_nan=False)
    # An id that is not valid UTF-8 holds lone surrogates, which JSON can carry only escaped.
    return written.encode("utf-8", "backslashreplace").decode() + "\n"


def finite(value: object) -> object:
    """Return a value of JSON in which what is no finite number is None."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(each) for each in value]
    return value
