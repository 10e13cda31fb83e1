"""What would silently become something else while it is read: large integers, repeated keys."""

from __future__ import annotations

from pathlib import Path

import pytest

import gainful
from gainful.errors import ColumnError, FormatError
from requirements import need

LARGE = 2**53 + 1
RUNS = {
    "run": "q1 Q0 a 1 {} t\n",
    "csv": "query_id,doc_id,score\nq1,a,{}\n",
    "tsv": "q1\ta\t{}\n",
    "jsonl": '{{"query_id": "q1", "doc_id": "a", "score": {}}}\n',
    "json": '{{"q1": {{"a": {}}}}}',
}


@pytest.mark.parametrize("suffix", RUNS)
def test_integer_scores_that_floats_round_are_refused(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"large.{suffix}"
    for score in (LARGE, -LARGE):
        path.write_text(RUNS[suffix].format(score))
        with pytest.raises(FormatError, match=f"score '{score}' is rounded to another number"):
            gainful.read_run(path)
        with pytest.raises(FormatError, match="is rounded to another number"):
            gainful.evaluate({"q1": {"a": 1}}, path, "RR")
    for exact in (2**53, 2**60, f"{LARGE}.0"):
        path.write_text(RUNS[suffix].format(exact))
        assert gainful.read_run(path).to_dict() == {"q1": {"a": float(exact)}}


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
