"""What would silently become something else while it is read: large integers, repeated keys."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gainful
from gainful.errors import ColumnError, FormatError
from repeated_tests import for_each
from requirements import need

LARGE = 2**53 + 1
RUNS = {
    "run": "q1 Q0 a 1 {} t\n",
    "csv": "query_id,doc_id,score\nq1,a,{}\n",
    "tsv": "q1\ta\t{}\n",
    "jsonl": '{{"query_id": "q1", "doc_id": "a", "score": {}}}\n',
    "json": '{{"q1": {{"a": {}}}}}',
}


ROUNDED = [LARGE, -LARGE, 2**60 + 1, 2**64 - 1, 2**64 + 1, -(2**63) - 1, 10**23, 10**300 + 1]
EXACT = [2**53, 2**60, -(2**63), 2**64, 10**19, 2**1000]


@for_each("suffix", RUNS)
def test_integer_scores_that_floats_round_are_refused(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"large.{suffix}"
    for score in ROUNDED:
        path.write_text(RUNS[suffix].format(score))
        with pytest.raises(FormatError, match=rf"score '{str(score)[:60]}.*' is rounded"):
            gainful.read_run(path)
        with pytest.raises(FormatError, match="is rounded to another number"):
            gainful.evaluate({"q1": {"a": 1}}, path, "RR")
        path.write_text(RUNS[suffix].replace("score", "grade").format(score))
        if suffix != "run":
            with pytest.raises(FormatError, match=r"grade '.*' is not a finite number within"):
                gainful.read_qrels(path)
    for exact in (*EXACT, f"{LARGE}.0", "1e300", f"{2**64 + 1}e0"):
        path.write_text(RUNS[suffix].format(exact))
        assert gainful.read_run(path).to_dict() == {"q1": {"a": float(exact)}}


def test_dictionaries_and_columns_have_the_same_rule() -> None:
    pa = need("pyarrow")
    columns = {"query_id": ["q1"], "doc_id": ["a"]}
    for score in ROUNDED:
        values = [{"q1": {"a": score}}]
        if -(2**63) <= score < 2**64:
            integer = np.array([score], "int64" if score < 0 else "uint64")
            values += [{"q1": {"a": integer[0]}}, pa.table({**columns, "score": integer})]
        if abs(score) < 10**38:
            decimal = pa.array([score], pa.decimal128(38, 0))
            values.append(pa.table({**columns, "score": decimal}))
        for value in values:
            with pytest.raises(FormatError, match=f"score '{str(score)[:60]}.*' is rounded"):
                gainful.Run(value)
    for exact in EXACT:
        assert gainful.Run({"q1": {"a": exact}}).to_dict() == {"q1": {"a": float(exact)}}
        with pytest.raises(FormatError, match="a grade"):
            gainful.Qrels({"q1": {"a": exact * 2}})
    table = pa.table({**columns, "score": pa.array([2**60])})
    assert gainful.Run(table).to_dict() == {"q1": {"a": 2.0**60}}


def test_integers_beyond_64_bits_do_not_change_other_fields_of_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    trace = 2**64 + 1
    lines = [
        {"trace": trace, "query_id": "q1", "doc_id": str(trace), "score": 1e300},
        {"query_id": "q1", "doc_id": "b", "score": 2e300},
        {"query_id": "q1", "doc_id": "c", "score": 3e300, "trace": trace},
        {"query_id": "q1", "doc_id": "d", "score": trace - 1},
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    expected = {str(trace): 1e300, "b": 2e300, "c": 3e300, "d": 2.0**64}
    assert gainful.read_run(path).to_dict() == {"q1": expected}


@for_each(
    "text",
    [
        '{"q1": {"a": 1}, "q1": {"b": 1}}',
        '{"q1": ["a"], "q2": ["a"], "q1": []}',
        '{"test": {"q1": {"a": 1}}, "test": {"q2": {"a": 1}}}',
        '{"test": {"q1": {"a": 1}, "q1": {"b": 1}}}',
    ],
)
def test_repeated_keys_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "twice.json"
    path.write_text(text)
    for read in (gainful.read_run, gainful.read_qrels):
        with pytest.raises(FormatError, match="duplicate key '(q1|test)'"):
            read(path)


@for_each(
    ("name", "content", "said"),
    [
        ("a.csv", "query_id,doc_id,score\nq1,a,1\n".encode("utf-32"), "UTF-32 byte-order mark"),
        ("a.run", "q1 Q0 a 1 2 t\n".encode("utf-32"), "UTF-32 byte-order mark"),
        ("a.run", "q1 Q0 a 1 2 t\n".encode("utf-16"), "UTF-16 byte-order mark"),
        ("a.csv", b"sep=,\nquery_id,doc_id,score\nq1,a,1\n", "'sep=,' is no row"),
        ("a.csv", b"SEP=;\nquery_id;doc_id;score\nq1;a;1\n", "'SEP=;' is no row"),
        ("a.json", b'{"q1": {"a\0": 1}}', "NUL byte"),
        ("a.jsonl", b'{"query_id": "q1", "doc_id": "a\0", "score": 1}\n', "NUL byte"),
    ],
)
def test_what_is_no_text_of_rows_is_named(
    name: str, content: bytes, said: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError, match=f"line 1: .*{said}"):
        gainful.read_run(tmp_path / name)


def test_periods_are_refused_as_ids() -> None:
    pd = need("pandas")
    need("pyarrow")
    periods = pd.PeriodIndex(["2020-01"], freq="M")
    frame = pd.DataFrame({"query_id": periods, "doc_id": ["d1"], "score": [1.0]})
    with pytest.raises(ColumnError, match=r"'query_id' of type pandas\.period"):
        gainful.Run(frame)
    frame["query_id"] = frame["query_id"].astype(str)
    assert gainful.Run(frame).to_dict() == {"2020-01": {"d1": 1.0}}


IDS = (str(2**64 + 1), str(2**64 + 3), "1" * 30)


@for_each(
    ("name", "text"),
    [
        ("list.json", '{{"{0}": [{1}, {2}]}}'),
        ("pairs.json", '{{"{0}": [[{1}, 2.5], [{2}, 1.5]]}}'),
        ("rows.json", "[[{0}, {1}, 2.5], [{0}, {2}, 1.5]]"),
        ("queries.json", "[[{0}, [{1}, {2}]]]"),
        ("queries.jsonl", "[{0}, [{1}, {2}]]\n"),
        ("records.json", '[{{"query": {0}, "docs": [{1}, {2}]}}]'),
        ("records.jsonl", '{{"query": {0}, "docs": [{1}, {2}]}}\n'),
        ("objects.jsonl", '{{"query": {0}, "docs": [{{"id": {1}}}, {{"id": {2}}}]}}\n'),
        (
            "rows.jsonl",
            '{{"query": {0}, "doc": {1}, "score": 2, "grade": 2}}\n'
            '{{"query": {0}, "doc": {2}, "score": 1, "grade": 1}}\n',
        ),
        ("cells.csv", 'query,docs\n{0},"[{1}, {2}]"\n'),
        ("cells.tsv", "query\tdocs\n{0}\t[{1}, {2}]\n"),
    ],
)
def test_ids_keep_the_digits_of_integers_beyond_64_bits(
    name: str, text: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text.format(*IDS))
    query, *documents = IDS
    assert {q: list(docs) for q, docs in gainful.read_run(path).to_dict().items()} == {
        query: documents
    }
    assert {q: set(docs) for q, docs in gainful.read_qrels(path).to_dict().items()} == {
        query: set(documents)
    }
    if path.suffix == ".json" and name != "queries.json":
        value = json.loads(path.read_text())
        assert list(gainful.Run(value).to_dict()[query]) == documents


@for_each(
    ("name", "text"),
    [
        ("ranks.csv", "query,doc,rank\nq,a,{0}\nq,b,1\n"),
        ("ranks.jsonl", '{{"query": "q", "doc": "a", "rank": {0}}}\n'),
        ("ranks.json", '[{{"query": "q", "docs": [{{"id": "a", "rank": {0}}}]}}]'),
        ("ranks.json", '[{{"query": "q", "doc": "a", "rank": "{0}"}}]'),
    ],
)
def test_integer_ranks_that_floats_round_are_refused(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    for rank in ROUNDED:
        path.write_text(text.format(rank))
        with pytest.raises(FormatError, match=rf"rank '{str(rank)[:60]}.*' is rounded"):
            gainful.read_run(path)
    path.write_text(text.format(2**64))
    assert "a" in gainful.read_run(path).to_dict()["q"]


def test_ranks_of_trec_text_have_the_same_rule(tmp_path: Path) -> None:
    path = tmp_path / "ranks.run"
    path.write_text(f"q Q0 a {2**53 + 1} 1 t\nq Q0 b {2**53} 2 t\n")
    with pytest.raises(FormatError, match=f"rank '{2**53 + 1}' is rounded to another number"):
        gainful.evaluate({"q": {"a": 1}}, path, "RR", order="rank")


def test_no_label_is_proposed_for_a_number(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    path.write_text(f'{{"query": "q", "doc": "a", "grade": {2**64 + 1}}}\n')
    with pytest.raises(FormatError) as caught:
        gainful.read_qrels(path)
    assert caught.value.hint is None
