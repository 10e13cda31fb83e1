"""The contents of an evaluation, to compare evaluations."""

from __future__ import annotations

import re
from typing import Any

import gainful
from gainful.errors import DataCheckError


def sorted_rows(evaluation: gainful.Evaluation) -> list[dict[str, Any]]:
    """Return the rows sorted by system and query, with ids as text."""
    found = [{**row, "query_id": str(row["query_id"])} for row in evaluation.rows()]

    def place(row: dict[str, Any]) -> tuple[str, bytes]:
        return row["system"], row["query_id"].encode("utf-8", "surrogateescape")

    return sorted(found, key=place)


#: Data checks that rows of queries do not have: what only scores, ranks and ids of the run tell.
OF_THE_RUN = (
    r"; ties decide the first ranks of \d+ quer(?:y|ies)"
    r"|(?<=\()[^()]*; (?=(?:counted as empty|left out|ignored)\))"
    r"| Ids of queries nearly match: .*? in the run\."
    r"| The scores rise from .*? keeps the order\."
    r"| Ranks contradict scores in .*? takes the ranks\."
    r"| The ranks of \d+ .*? exchanged\?"
)


def contents(evaluation: gainful.Evaluation) -> list[str]:
    """Return all contents of an evaluation that rows of queries have, as text.

    NaN is not equal to itself.
    """
    rows = [repr(row) for row in sorted_rows(evaluation)]
    return [repr(evaluation.to_dict()), words(evaluation), *rows]


def words(printed: object) -> str:
    """Return a printed evaluation in one line, without the data checks of the run."""
    return re.sub(OF_THE_RUN, "", " ".join(str(printed).split()))


def doubts(qrels: object, run: object, measures: str = "RR", **options: Any) -> str:
    """Return the data checks that do not pass."""
    try:
        with gainful.strict():
            gainful.evaluate(qrels, run, measures, **options)  # type: ignore[call-overload]
    except DataCheckError as error:
        return str(error)
    return ""
