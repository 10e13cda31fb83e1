"""Offsets of texts in documents, and weights of groups, from every source."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

import gainful
from combinations import pairwise
from gainful.errors import GainfulError
from layouts import HOSTILE, SOURCES
from repeated_tests import for_each

Record = dict[str, Any]

#: Sources that write one record per row, or any records.
FLAT = [source for source in SOURCES if "by id" not in source and source != "wrapped"]
NESTED = [source for source in SOURCES if source not in ("CSV", "TSV", "named tuples")]

#: The names of a start and an end, and how positions become half-open ones from 0.
NAMES = {
    ("start", "end"): ("char", 0),
    ("start_index", "endIndex"): ("char", 0),
    ("Start Char Idx", "end_char_idx"): ("char", 0),
    ("split_idx_start", "split_idx_end"): ("char", 0),
    ("begin_offset", "end_offset"): ("char", 0),
    ("start_token", "end_token"): ("token", 0),
    ("start_line", "line_end"): ("line", 0),
    ("first_line", "last_line"): ("line", 1),
}


def read(table: str, content: Any, **options: Any) -> dict[str, Any]:
    """Return what is read."""
    kind = gainful.Qrels if table == "qrels" else gainful.Run
    rows: dict[str, Any] = kind(content, **options).to_dict()
    return rows


def random_rows(chance: Random) -> list[tuple[str, str, int, int, int, int]]:
    """Return queries, documents, starts, ends, numbers of tokens and grades."""
    documents = chance.sample([name for name in HOSTILE if name not in ("-", "[]", "{}")], 6)
    rows = []
    for query in ("q1", "q2"):
        for document in chance.sample(documents, 3):
            start = chance.choice((0, 7, 2**40))
            for _ in range(2):
                end = start + chance.randint(1, 400)
                rows.append(
                    (query, document, start, end, chance.randint(0, 99), chance.randint(0, 3))
                )
                start = end
    return rows


@for_each("case", pairwise(["qrels", "run"], list(FLAT), list(NAMES)))
def test_places_are_the_same_from_every_source(case, tmp_path):
    table, source, names = case
    scheme, first = NAMES[names]
    chance = Random(f"{table} {source} {names}")
    value = "grade" if table == "qrels" else "score"
    records: list[Record] = []
    expected: dict[str, dict[str, int]] = {}
    for query, document, start, end, tokens, number in random_rows(chance):
        record = {"query_id": query, "doc_id": document, value: number}
        record |= {names[0]: start + first, names[1]: end, "token_count": tokens}
        records.append(record)
        place = f"{document}#{scheme}={start},{end}"
        if table == "run":
            place += f";tokens={tokens}"
        expected.setdefault(query, {})[place] = number
    assert read(table, SOURCES[source](records, tmp_path)) == expected


@for_each("source", NESTED)
@for_each("table", ["qrels", "run"])
def test_places_of_listed_objects(table, source, tmp_path):
    field, value = ("relevant", "grade") if table == "qrels" else ("results", "score")
    listed: dict[str, list[Record]] = {}
    expected: dict[str, dict[str, int]] = {}
    for query, document, start, end, _, number in random_rows(Random(source)):
        if " " in document:
            continue  # It may be a text.
        item = {"document": document, "id": "7", "start": start, "end": end, value: number}
        listed.setdefault(query, []).append(item)
        expected.setdefault(query, {})[f"{document}#char={start},{end}"] = number
    records = [{"query_id": query, field: items} for query, items in listed.items()]
    assert read(table, SOURCES[source](records, tmp_path)) == expected


@for_each("source", FLAT)
@for_each("table", ["qrels", "run"])
def test_offsets_can_be_ignored(table, source, tmp_path):
    value = "grade" if table == "qrels" else "score"
    rows = [("q1", "a", 0, 5, 1), ("q1", "b", 0, 5, 2), ("q2", "a", 5, 9, 3)]
    records = [
        {"query": query, "doc": document, "start": start, "end": end, value: number}
        for query, document, start, end, number in rows
    ]
    content = SOURCES[source](records, tmp_path)
    expected = {"q1": {"a": 1, "b": 2}, "q2": {"a": 3}}
    assert read(table, content, ignore_offsets=True) == expected
    content = SOURCES[source](records, tmp_path)
    assert read(table, content, columns="-=start,-=end") == expected


@for_each(
    ("content", "expected"),
    [
        ({"q": {"a#char=0,5": 1, "b#c": 2}}, {"q": {"a": 1, "b#c": 2}}),
        ([("q", "a#line=1,2;tokens=7", 1)], {"q": {"a": 1}}),
    ],
)
def test_places_in_ids_can_be_ignored(content, expected, tmp_path):
    assert read("qrels", content, ignore_offsets=True) == expected
    gainful.Qrels(content).write(tmp_path / "qrels.txt")
    assert read("qrels", tmp_path / "qrels.txt", ignore_offsets=True) == expected


@for_each("source", FLAT)
@for_each(
    ("cells", "cause"),
    [
        ({"start": 5, "end": 4}, "the end 4 is before the start 5"),
        ({"start": -1, "end": 4}, "-1' in 'start', expected an offset"),
        ({"start": 0.5, "end": 4}, "0.5' in 'start', expected an offset"),
        ({"start": 0, "end": 12.5}, "12.5' in 'end', expected an offset"),
        ({"start": "00:01:30", "end": "00:02:00"}, "'00:01:30' in 'start', expected an offset"),
        ({"start": "2026-01-02", "end": "2026-01-03"}, "ignores them"),
        ({"start": 5}, "'start', expected its end, too"),
        ({"end_char_idx": 5}, "'end_char_idx', expected its start, too"),
        ({"start_line": 3, "end_line": 3}, "columns='first_line=start_line,last_line=end_line'"),
        ({"first_line": 0, "last_line": 3}, "line 0, but the first line is 1"),
    ],
)
def test_what_is_no_place_is_refused(source, cells, cause, tmp_path):
    records = [
        {"query": "q", "doc": "a", "grade": 1, **cells},
        {"query": "q", "doc": "b", "grade": 1, **cells},
    ]
    with pytest.raises(GainfulError) as caught:
        gainful.Qrels(SOURCES[source](records, tmp_path))
    text = str(caught.value).replace("'", "")
    assert cause.replace("'", "") in text
    if "ignore_offsets=True" in text:
        content = SOURCES[source](records, tmp_path)
        assert read("qrels", content, ignore_offsets=True) == {"q": {"a": 1, "b": 1}}


@for_each("source", FLAT)
def test_rows_with_and_without_offsets_are_refused(source, tmp_path):
    rows = [("a", 0, 5), ("b", None, None), ("c", 0, 5)]
    records = [
        {"query": "q", "doc": document, "start": start, "end": end, "score": 1.0}
        for document, start, end in rows
    ]
    if source in ("CSV", "TSV"):
        records = [{k: "" if v is None else v for k, v in record.items()} for record in records]
    with pytest.raises(GainfulError, match="some rows have offsets, and others have none"):
        gainful.Run(SOURCES[source](records, tmp_path))
    half = [{**records[0], "end": records[1]["end"]}, *records[2:]]
    with pytest.raises(GainfulError, match="'start' without 'end'"):
        gainful.Run(SOURCES[source](half, tmp_path))
    if source == "polars":
        return  # Its columns without a value have no type.
    none = [{**record, "start": records[1]["end"], "end": records[1]["end"]} for record in records]
    assert list(gainful.Run(SOURCES[source](none, tmp_path)).to_dict()["q"]) == ["a", "b", "c"]


@for_each("source", FLAT)
def test_offsets_are_those_of_the_document_of_a_chunk(source, tmp_path):
    record = {"query": "q", "chunk_id": "a-1", "start": 0, "end": 5, "score": 1.0}
    with pytest.raises(GainfulError, match="'chunk_id', the id of a chunk"):
        gainful.Run(SOURCES[source]([record], tmp_path))
    named = gainful.Run(SOURCES[source]([record], tmp_path), columns="doc=chunk_id")
    assert list(named.to_dict()["q"]) == ["a-1#char=0,5"]
    record["source"] = "a"
    assert list(gainful.Run(SOURCES[source]([record], tmp_path)).to_dict()["q"]) == ["a#char=0,5"]


@for_each("source", FLAT)
def test_callers_name_offsets(source, tmp_path):
    records = [{"query": "q", "doc": "a", "left": 3, "right": 9, "tok": 4, "score": 1.0}]
    for columns, place in [
        ("start=left,end=right", "a#char=3,9"),
        ("start_token=left,end_token=right,tokens=tok", "a#token=3,9;tokens=4"),
        ("start_line=left,end_line=right", "a#line=3,9"),
        ("first_line=left,last_line=right", "a#line=2,9"),
    ]:
        run = gainful.Run(SOURCES[source](records, tmp_path), columns=columns)
        assert list(run.to_dict()["q"]) == [place]
    with pytest.raises(GainfulError, match="'left' and 'right' count differently"):
        gainful.Run(SOURCES[source](records, tmp_path), columns="start=left,last_line=right")


@for_each("source", FLAT)
def test_groups_have_weights(source, tmp_path):
    rows = [("a", "1", 1), ("b", "1", 1), ("a", "2", 0.5), ("c", "3", 2)]
    records = [
        {"query": "q", "doc": document, "group": group, "weight": weight, "grade": 1}
        for document, group, weight in rows
    ]
    qrels = gainful.Qrels(SOURCES[source](records, tmp_path), subtopics=True)
    weighted = {"1": {"a": 1, "b": 1}, "2;weight=0.5": {"a": 1}, "3;weight=2": {"c": 1}}
    assert qrels.to_dict() == {"q": weighted}
    merged = [record for record in records if record["group"] != "2"]
    plain = gainful.Qrels(SOURCES[source](merged, tmp_path))
    assert plain.to_dict() == {"q": {"a": 1, "b": 1, "c": 1}}
    differ = [{**record, "weight": number} for number, record in enumerate(records)]
    judged = gainful.Qrels(SOURCES[source](differ, tmp_path), subtopics=True)
    with pytest.raises(GainfulError, match="the group '1' has the weights 1 and 0"):
        gainful.evaluate(judged, {"q": ["a"]}, "alpha_nDCG@5")
    wrong = [{**record, "weight": -1} for record in records]
    with pytest.raises(GainfulError, match="the weight"):
        gainful.Qrels(SOURCES[source](wrong, tmp_path), subtopics=True)


@for_each("source", ["JSON", "JSON lines", "dicts"])
def test_nested_lists_of_places_are_groups(source, tmp_path):
    one, two = {"doc": "a", "start": 0, "end": 5}, {"doc": "b", "start": 2, "end": 4}
    records = [{"query": "q", "relevant": [[one, two], [{**one, "start": 1}]]}]
    qrels = gainful.Qrels(SOURCES[source](records, tmp_path), subtopics=True)
    places = {"1": {"a#char=0,5": 1, "b#char=2,4": 1}, "2": {"a#char=1,5": 1}}
    assert qrels.to_dict() == {"q": places}
    records = [
        {"query": "q", "relevant": [{**one, "group": "x", "weight": 3}, {**two, "group": "y"}]}
    ]
    qrels = gainful.Qrels(SOURCES[source](records, tmp_path), subtopics=True)
    assert qrels.to_dict() == {"q": {"x;weight=3": {"a#char=0,5": 1}, "y": {"b#char=2,4": 1}}}


@for_each("format", ["txt", "csv", "tsv", "json", "jsonl", "parquet"])
def test_places_survive_in_every_format(format, tmp_path):
    records = [
        {"query_id": "q", "doc_id": "a#b", "start": 0, "end": 5, "tokens": 2, "score": 2.0},
        {"query_id": "q", "doc_id": "a#b", "start": 3, "end": 9, "tokens": 0, "score": 1.0},
    ]
    run = gainful.Run(records)
    assert list(run.to_dict()["q"]) == ["a#b#char=0,5;tokens=2", "a#b#char=3,9;tokens=0"]
    run.write(tmp_path / f"run.{format}")
    assert gainful.read_run(tmp_path / f"run.{format}") == run


def test_a_column_of_a_list_without_names(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text("q,a,0,5,1\nq,a,5,9,2\n")
    qrels = gainful.Qrels(path, columns="query,doc,start,end,grade")
    assert qrels.to_dict() == {"q": {"a#char=0,5": 1, "a#char=5,9": 2}}


def test_a_query_without_documents_has_empty_offsets(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("query,doc,start,end,score\nq,a,0,5,1\nnothing,,,,\n")
    assert gainful.Run(path).to_dict() == {"q": {"a#char=0,5": 1}, "nothing": {}}


def test_a_pattern_takes_the_document_before_its_offsets(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("query,doc,start,end,score\nq,a#7,0,5,1\n")
    run = gainful.Run(path, columns="doc=doc:^(.+)#")
    assert run.to_dict() == {"q": {"a#char=0,5": 1}}


def test_streams_compose_places_while_they_are_evaluated(tmp_path):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    queries = [f"q{number % 50}" for number in range(1000)]
    columns = {
        "query_id": sorted(queries),
        "doc_id": ["a"] * 1000,
        "start": [10 * number for number in range(1000)],
        "end": [10 * number + 9 for number in range(1000)],
        "score": [float(-number) for number in range(1000)],
    }
    table = pyarrow.table(columns)
    parquet.write_table(table, tmp_path / "run.parquet", row_group_size=100)
    rows = zip(*(columns[name] for name in ("query_id", "start", "end")), strict=True)
    judged: dict[str, dict[str, int]] = {}
    for query, start, end in rows:
        judged.setdefault(query, {})[f"a#char={start},{end}"] = start % 3
    expected = gainful.evaluate(judged, gainful.Run(table), "SpanDCG@10").per_query()
    for run in (tmp_path / "run.parquet", table, table.to_reader(70)):
        assert gainful.evaluate(judged, run, "SpanDCG@10").per_query() == expected
    shuffled = table.take(Random(7).sample(range(1000), 1000))
    assert gainful.evaluate(judged, shuffled, "SpanDCG@10").per_query() == expected


def test_the_shared_data_are_read(tmp_path):
    folder = Path(__file__).parents[3] / "shared/data/spans"
    if not folder.exists():
        pytest.skip("the data are not here")
    gold = gainful.read_qrels(folder / "qrels.spans.tsv")
    assert "state_of_the_union#char=27346,27425" in gold["q000"]
    run = gainful.read_run(folder / "s1200.run.tsv")
    assert run["q000"][0] == ("state_of_the_union#char=26400,27600", 20.319290)
    assert len(run) == 472
