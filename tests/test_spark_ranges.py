"""Parquet that Spark's tasks read in ranges of queries: the rows of gainful.evaluate.

The tasks run here, one after the other; tests/clusters has them in Spark.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import gainful
from gainful.backends import spark as backend
from gainful.backends.spark import ranges
from gainful.backends.spark.ranges import Range, RowGroup, cut
from local_spark import LocalSession
from requirements import need

MEASURES = ["nDCG@10", "AP", "RR", "Judged@10", "NumRet"]
#: Of an id, what it is in a column of each type.
IDS: dict[str, Callable[[int], object]] = {
    **dict.fromkeys(("int8", "int16", "int32", "int64"), lambda id: id - 100),
    **dict.fromkeys(("uint8", "uint16"), lambda id: id),
    "uint32": lambda id: id + (1 << 31) - 100,
    "uint64": lambda id: id + (1 << 63) - 100,
    **dict.fromkeys(("string", "large_string", "string_view", "dictionary"), lambda id: f"q'é{id}"),
    **dict.fromkeys(("binary", "large_binary", "binary_view"), lambda id: f"q'é{id}".encode()),
    "fixed": lambda id: f"{id:05}".encode(),
    "digits": str,
}


class Rows(NamedTuple):
    """Judgments and a run, as rows in an order in which queries stand together."""

    qrels: list[tuple[Any, ...]]
    run: list[tuple[Any, ...]]


def told(evaluation: gainful.Evaluation) -> list[str]:
    """Everything that an evaluation says; texts, for NaN is not equal to itself."""
    return [repr(evaluation.to_dict()), str(evaluation), *map(repr, evaluation.rows())]


def arrow_type(name: str) -> Any:
    pa = need("pyarrow")
    special = {
        "dictionary": pa.dictionary(pa.int32(), pa.string()),
        "fixed": pa.binary(5),
        "digits": pa.string(),
    }
    return special.get(name) or getattr(pa, name)()


def drawn(source: random.Random, ids: str, *, documents: str = "string") -> Rows:
    """Draw queries of very different lengths; some have no judgments, some no ranking."""
    encode, name = IDS[ids], IDS[documents]
    queries = sorted(map(encode, source.sample(range(200), source.randint(1, 30))))  # type: ignore[type-var]
    judged, found = [], []
    for query in queries:
        own = [name(id) for id in source.sample(range(200), source.choice((1, 3, 20, 90)))]
        if source.random() < 0.9:
            judged += [(query, each, source.randrange(-1, 4)) for each in own[::3]]
        if source.random() < 0.9:
            found += [(query, each, source.randrange(9) / 4) for each in own]
    return Rows(judged or [(queries[0], name(1), 1)], found or [(queries[0], name(1), 1.0)])


def write(
    folder: Path,
    rows: list[tuple[Any, ...]],
    columns: dict[str, Any],
    source: random.Random | None = None,
    **options: Any,
) -> Path:
    """Write rows into files that are cut anywhere, some without rows, with small row groups."""
    pa = need("pyarrow")
    from pyarrow import parquet

    source = source or random.Random(len(rows))
    folder.mkdir()
    table = pa.table(
        {
            name: pa.array([row[at] for row in rows], kind)
            for at, (name, kind) in enumerate(columns.items())
        }
    )
    count = source.randint(1, 4)
    cuts = sorted([0, *source.choices(range(len(table) + 1), k=count - 1), len(table)])
    for at in range(count):
        part = table.slice(cuts[at], cuts[at + 1] - cuts[at])
        size = source.choice((1, 5, 30, 1000))
        parquet.write_table(part, folder / f"{at}.parquet", row_group_size=size, **options)
    return folder


def both(tmp_path: Path, rows: Rows, ids: str, source: random.Random) -> tuple[Path, Path]:
    pa = need("pyarrow")
    columns = {"query_id": arrow_type(ids), "doc_id": pa.string()}
    qrels = write(tmp_path / "qrels", rows.qrels, {**columns, "grade": pa.int8()}, source)
    return qrels, write(tmp_path / "run", rows.run, {**columns, "score": pa.float64()}, source)


@pytest.mark.parametrize("ids", IDS)
def test_the_rows_are_those_of_evaluate(tmp_path: Path, ids: str) -> None:
    """Wherever files and row groups begin, and however many ranges are asked for."""
    number = 0
    for seed in range(5):
        source = random.Random(f"{ids} {seed}")
        own = tmp_path / str(seed)
        own.mkdir()
        qrels, run = both(own, drawn(source, ids), ids, source)
        try:
            expected = told(gainful.evaluate(qrels, run, MEASURES))
        except gainful.errors.MatchError:
            continue
        for partitions in (None, 3, 100):
            found = backend.evaluate(
                qrels, run, MEASURES, session=LocalSession(), partitions=partitions
            )
            assert "range" in found.way
            assert told(found.evaluation()) == expected
            again = gainful.Evaluation.from_rows(found.rows.toArrow(), MEASURES)
            assert told(again) == expected
            number = max(number, found.rows._count)
    assert number > 5


def test_the_type_of_the_ids_is_that_of_spark(tmp_path: Path) -> None:
    for ids, kind in {"int8": "int64", "uint64": "string", "dictionary": "string"}.items():
        source = random.Random(ids)
        (tmp_path / ids).mkdir()
        qrels, run = both(tmp_path / ids, drawn(source, ids), ids, source)
        found = backend.evaluate(qrels, run, "RR", session=LocalSession())
        assert found.rows.toArrow().schema.field("query_id").type == kind
