"""Spans have the same values from files, frames, streams and memory, in any order of rows."""

from __future__ import annotations

import random

import pytest

import gainful
from requirements import need

MEASURES = ("SpanR(budget=90)", "SpanP@3", "SpanIoU", "SpanDCG@3", "SpanU(L=70)", "FullRecall@4")
NAMES = ["query_id", "doc_id", "score"]


def drawn():
    chance = random.Random(44)

    def place() -> str:
        start = chance.randrange(60)
        return f"d{chance.randrange(3)}#char={start},{start + chance.randrange(1, 30)}"

    queries = [f"q{number}" for number in range(40)]
    gold = {query: {place(): 1 for _ in range(3)} for query in queries}
    rows = [(query, place(), 10.0 - rank) for query in queries for rank in range(6)]
    return gold, rows


GOLD, ROWS = drawn()


def values(run, **options):
    result = gainful.evaluate(GOLD, run, MEASURES, **options)
    return {measure: result.per_query(measure) for measure in MEASURES}


def trec(rows):
    return "".join(f"{query} Q0 {chunk} 1 {score} s\n" for query, chunk, score in rows)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    path = tmp_path_factory.mktemp("spans") / "run.txt"
    path.write_text(trec(ROWS))
    return values(path)


def shuffled():
    rows = ROWS.copy()
    random.Random(1).shuffle(rows)
    return rows


@pytest.mark.parametrize("kind", ["trec", "tsv", "jsonl", "parquet", "frame", "reader", "pandas"])
@pytest.mark.parametrize("order", ["grouped", "shuffled"])
def test_every_way_to_read(kind: str, order: str, expected, tmp_path) -> None:
    rows = ROWS if order == "grouped" else shuffled()
    path = tmp_path / f"run.{kind}"
    if kind == "trec":
        path.write_text(trec(rows))
    elif kind == "tsv":
        path.write_text(
            "\t".join(NAMES) + "\n" + "".join("\t".join(map(str, row)) + "\n" for row in rows)
        )
    elif kind == "jsonl":
        lines = (f'{{"query_id":"{q}","doc_id":"{d}","score":{s}}}\n' for q, d, s in rows)
        path.write_text("".join(lines))
    columns = dict(zip(NAMES, zip(*rows, strict=True), strict=True))
    if kind in ("trec", "tsv", "jsonl"):
        run: object = path
    elif kind == "pandas":
        run = need("pandas").DataFrame(columns)
    else:
        need("pyarrow")
        import pyarrow
        import pyarrow.parquet

        table = pyarrow.table({name: list(column) for name, column in columns.items()})
        run = table if kind == "frame" else table.to_reader(max_chunksize=7)
        if kind == "parquet":
            pyarrow.parquet.write_table(table, path, row_group_size=11)
            run = path
    for threads in (1, 3):
        assert values(run, threads=threads) == expected
        if kind == "reader":
            break


def test_lists_without_scores(expected) -> None:
    lists: dict[str, list[str]] = {}
    for query, chunk, _ in ROWS:
        lists.setdefault(query, []).append(chunk)
    assert values(lists) == expected
