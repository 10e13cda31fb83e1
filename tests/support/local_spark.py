"""A substitute for a Spark session in this process: functions on numbered partitions.

It implements only what reading files in ranges of queries needs, without shuffles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from requirements import need


class LocalSession:
    """A session whose tasks run one after the other, when their rows are requested."""

    def __init__(self, tasks: int = 2) -> None:
        self.sparkContext = SimpleNamespace(defaultParallelism=tasks)

    def range(self, start: int, end: int, step: int, partitions: int) -> LocalNumbers:
        assert (start, step, end) == (0, 1, partitions)
        return LocalNumbers(partitions)


class LocalNumbers:
    """Numbers, one per partition."""

    def __init__(self, count: int) -> None:
        self._count = count

    def mapInArrow(self, function: Callable[[Any], Any], schema: str) -> LocalRows:
        return LocalRows(function, self._count)


class LocalRows:
    """Rows that a function computes from numbers."""

    storageLevel = SimpleNamespace(useMemory=False, useDisk=False, useOffHeap=False)  # noqa: N815

    def __init__(self, function: Callable[[Any], Any], count: int) -> None:
        self._function, self._count = function, count

    def batches(self) -> Iterator[Any]:
        """Yield the batches computed from each number."""
        pa = need("pyarrow")
        for number in range(self._count):
            yield from self._function(iter([pa.record_batch({"id": [number]})]))

    def toArrow(self) -> Any:
        return need("pyarrow").Table.from_batches(self.batches())

    def collect(self) -> list[tuple[Any, ...]]:
        return [tuple(row.values()) for batch in self.batches() for row in batch.to_pylist()]

    def distinct(self) -> LocalDistinct:
        return LocalDistinct(list(dict.fromkeys(self.collect())))


class LocalDistinct:
    """Distinct rows."""

    def __init__(self, rows: list[tuple[Any, ...]]) -> None:
        self._rows = rows

    def limit(self, most: int) -> LocalDistinct:
        return LocalDistinct(self._rows[:most])

    def collect(self) -> list[tuple[Any, ...]]:
        return self._rows
