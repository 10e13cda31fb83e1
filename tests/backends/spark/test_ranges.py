"""Parquet that Spark's tasks read in ranges of queries: the rows of gainful.evaluate.

The tasks run here, one after the other; tests/clusters has them in Spark.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import gainful
from combinations import share
from evaluation_words import contents, sorted_rows
from gainful.backends import spark as backend
from gainful.backends.spark import footers
from gainful.backends.spark.parts import Range, RowGroup, cut
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
        own = [name(id) for id in source.sample(range(200), source.choice((1, 3, 10, 40)))]
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
    source = random.Random(f"{ids} 0")
    qrels, run = both(tmp_path, drawn(source, ids), ids, source)
    expected = contents(gainful.evaluate(qrels, run, MEASURES))
    for partitions in share((3, 100), [*IDS].index(ids), 2):
        found = backend.evaluate(
            qrels, run, MEASURES, session=LocalSession(), partitions=partitions
        )
        assert "range" in found.way
        assert contents(found.evaluation()) == expected
        again = gainful.Evaluation.from_rows(found.rows.toArrow(), MEASURES)
        assert contents(again) == expected
        assert found.rows._count > 1


@pytest.mark.parametrize("ids", ["string", "binary", "dictionary"])
def test_bounds_that_are_cut_short(
    tmp_path: Path, ids: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some writers keep the beginnings of long texts only: below the least, above the greatest."""
    exact = footers.row_groups

    def short(*arguments: Any) -> Iterator[RowGroup]:
        for group in exact(*arguments):
            yield group._replace(low=group.low[:2], high=group.high[:5] + b"\xff")

    monkeypatch.setattr(footers, "row_groups", short)
    source = random.Random(f"short {ids}")
    qrels, run = both(tmp_path, drawn(source, ids), ids, source)
    found = backend.evaluate(qrels, run, MEASURES, session=LocalSession(), partitions=7)
    assert contents(found.evaluation()) == contents(gainful.evaluate(qrels, run, MEASURES))


@pytest.mark.parametrize("known", [True, False])
def test_rows_in_no_order(tmp_path: Path, known: bool) -> None:
    """They come out right where a task reads them, too."""
    source = random.Random(5)
    rows = drawn(source, "int64")
    for side in rows:
        source.shuffle(side)
    pa = need("pyarrow")
    columns = {"query_id": pa.int64(), "doc_id": pa.string()}
    qrels = write(
        tmp_path / "qrels", rows.qrels, {**columns, "grade": pa.int8()}, write_statistics=known
    )
    run = write(
        tmp_path / "run", rows.run, {**columns, "score": pa.float64()}, write_statistics=known
    )
    found = backend.evaluate(qrels, run, MEASURES, session=LocalSession())
    assert found.way == "one range of queries"
    expected = gainful.evaluate(qrels, run, MEASURES)
    assert sorted_rows(found.evaluation()) == sorted_rows(expected)


def test_the_type_of_the_ids_is_that_of_spark(tmp_path: Path) -> None:
    for ids, kind in {"int8": "int64", "uint64": "string", "dictionary": "string"}.items():
        source = random.Random(ids)
        (tmp_path / ids).mkdir()
        qrels, run = both(tmp_path / ids, drawn(source, ids), ids, source)
        found = backend.evaluate(qrels, run, "RR", session=LocalSession())
        assert found.rows.toArrow().schema.field("query_id").type == kind


# --- where queries are cut ------------------------------------------------------------------------


def groups(*bounds: tuple[Any, Any, int]) -> list[RowGroup]:
    return [RowGroup(0, at, rows, low, high, False) for at, (low, high, rows) in enumerate(bounds)]


def check(tables: list[list[RowGroup]], found: list[Range]) -> None:
    """Ranges follow each other, and have all row groups that may have rows of their queries."""
    assert found[0].low is None
    assert found[-1].high is None
    for before, after in pairwise(found):
        assert before.high == after.low
    for at, table in enumerate(tables):
        for group in table:
            pieces = [
                (each, piece)
                for each in found
                for piece in each.pieces[at]
                if piece.number == group.number
            ]
            assert [piece.first for _, piece in pieces] == [True, *[False] * (len(pieces) - 1)]
            assert all(piece.whole == (len(pieces) == 1) for _, piece in pieces)
            if group.low is None:
                assert len(pieces) == len(found)
                continue
            for query in (group.low, group.high):
                inside = [
                    each
                    for each in found
                    if (each.low is None or query >= each.low)
                    and (each.high is None or query < each.high)
                ]
                assert len(inside) == 1
                assert any(each is inside[0] for each, _ in pieces)


@pytest.mark.parametrize("seed", range(40))
def test_every_row_group_is_in_its_ranges(seed: int) -> None:
    source = random.Random(seed)
    tables = []
    for _ in range(source.randint(1, 3)):
        at, table = 0, []
        for _ in range(source.randint(0, 30)):
            low = at + source.choice((0, 0, 1, 5))
            at = low + source.choice((0, 3, 10, 40))
            unknown = source.random() < 0.02
            bounds = (None, None) if unknown else (low, at)
            table.append((*bounds, source.randint(1, 3_000_000)))
        source.shuffle(table)
        tables.append(groups(*table))
    wanted = source.choice((None, 1, 3, 10, 1000))
    found = cut(tables, source.choice((1, 2, 64)), wanted)
    if not isinstance(found, str):
        check(tables, found)
    else:
        assert wanted is None


def test_ranges_are_about_as_large() -> None:
    run = groups(*((100 * at, 100 * at + 99, 1_000_000) for at in range(200)))
    judged = groups(*((1000 * at, 1000 * at + 999, 600_000) for at in range(20)))
    for tasks, held, number in ((8, False, 27), (40, False, 40), (8, True, 106), (1, False, 27)):
        found = cut([judged, run], tasks, held=held)
        assert not isinstance(found, str)
        check([judged, run], found)
        assert 0.9 * number <= len(found) <= number
        rows = [each.rows for each in found]
        assert max(rows) < 2 * sum(rows) / len(rows)


def test_judgments_in_one_row_group() -> None:
    """Each range reads them all, which is cheaper than a shuffle."""
    run = groups(*((100 * at, 100 * at + 99, 1_000_000) for at in range(100)))
    judged = groups((0, 9_999, 6_000_000))
    found = cut([judged, run], 64)
    assert not isinstance(found, str)
    assert len(found) > 10
    assert sum(each.rows for each in found) < 3 * 106_000_000


@pytest.mark.parametrize(
    ("bounds", "why"),
    [
        ([(at, 10**6, 1_000_000) for at in range(100)], "in distant row groups"),
        ([(None, None, 1_000_000)] * 100, "no query statistics"),
        ([(0, 10**6, 100_000_000)], "too few row groups"),
    ],
)
def test_why_rows_are_shuffled(bounds: list[Any], why: str) -> None:
    found = cut([groups(*bounds)], 64)
    assert isinstance(found, str)
    assert why in found


def test_few_rows_are_one_range_in_any_order() -> None:
    found = cut([groups(*((at, 10**6, 10_000) for at in range(100)))], 64)
    assert not isinstance(found, str)
    assert [each.rows for each in found] == [1_000_000]
