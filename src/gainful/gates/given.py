"""The values of an evaluation, to save in a snapshot and to check against one."""

from __future__ import annotations

from hashlib import sha256
from json import dumps
from typing import NamedTuple

from gainful.errors import ParameterError
from gainful.evaluation.result import Evaluation
from gainful.measures.choosing import choose_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gainful.gates.snapshot import Snapshot
    from gainful.measures import Measure

__all__ = ["GivenValues", "given_values", "keep_given_anchor"]

#: The digest of judgments where there are none.
_NO_JUDGMENTS = f"sha256:{sha256(b'').hexdigest()}"


class GivenValues(NamedTuple):
    """The values of a system by query, the digests of judgments and of the values."""

    system: str
    measures: tuple[Measure, ...]
    values: dict[str, tuple[float | None, ...]]
    judgments: str
    digest: str


def given_values(
    evaluation: Evaluation,
    system: object,
    measures: Measure | str | Iterable[Measure | str] | None,
) -> GivenValues:
    """Return the values of a system, by default of the only one.

    Raises
    ------
    ParameterError
        For an unknown system or measure, or several systems and none is named.
    """
    if system is not None and not isinstance(system, str):
        raise ParameterError(
            where="run", found=type(system).__name__, expected="the name of a system"
        )
    table = evaluation._table(system)
    name = next(name for name, own in evaluation._tables.items() if own is table)
    chosen = (
        evaluation.measures
        if measures is None
        else tuple(
            evaluation.measures[evaluation._measure(measure)]
            for measure in choose_measures(measures, evaluation.convention)
        )
    )
    columns = [evaluation._values(measure, name) for measure in chosen]
    values = {
        query: tuple(_finite(column.get(query)) for column in columns)
        for query in table.query_ids()
    }
    content = dumps([list(map(repr, chosen)), values], sort_keys=True).encode()
    return GivenValues(
        name,
        chosen,
        values,
        evaluation.judgments_digest or _NO_JUDGMENTS,
        f"sha256:{sha256(content).hexdigest()}",
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and value == value else None


def keep_given_anchor(before: Snapshot, made: Snapshot) -> Snapshot:
    """Return a snapshot of values with the anchor of the one that it replaces.

    Values cannot be computed again, so there is an anchor only for the same measures.
    """
    first = before.first
    queries = {query: row for query, row in first.queries.items() if query in made.queries}
    if first.run == made.run or first.measures != made.measures or not queries:
        return made.replace(anchor=None)
    anchor = first.replace(
        convention=made.convention,
        queries=queries,
        judgments=made.judgments,
        looks=(),
        budget=None,
        spending=False,
        anchor=None,
        file=None,
    )
    return made.replace(anchor=anchor)
