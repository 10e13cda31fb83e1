"""Reading a file with any bytes ends, with data or with a `GainfulError`."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gainful
from combinations import ALL
from gainful.errors import GainfulError

FORMATS = [None, "trec", "tsv", "csv", "json", "jsonl", "svmlight"]

PIECES = [
    *b"q1 Q0 d1 1 -2 0.5 1e308 nan inf # qid:1 qid: 1:0.5 true null query_id doc_id".split(),
    *b"score grade { } [ ] : , \" ' \\ \0 \xff\xfe \xef\xbb\xbf \xf0\x9f\x98\x80".split(),
    b"9" * 25,
    b"# docid",
    b'{"q1":{"d1":1}}',
    b'[["q1",["d1"]]]',
    b'{"query_id":"q1","doc_id":"d1","score":1}',
]
words = st.sampled_from(PIECES)
gaps = st.sampled_from([b" ", b"\t", b"\n", b"\r\n", b"", b",", b"\v", b"  "])
texts = st.lists(st.tuples(words, gaps), max_size=40).map(lambda p: b"".join(a + b for a, b in p))
contents = st.binary(max_size=300) | texts | texts.map(gzip.compress)

here = settings(
    max_examples=120 if ALL else 40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.mark.parametrize("format", FORMATS)
@here
@given(content=contents)
def test_any_bytes_as_judgments_and_as_a_run(
    format: str | None, content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    try:
        qrels = gainful.read_qrels(path, format=format)
    except GainfulError as error:
        assert error.found
    else:
        assert all(
            isinstance(grade, (int, float)) for query in qrels for grade in qrels[query].values()
        )
    try:
        gainful.read_run(path, format=format)
    except GainfulError as error:
        assert error.found


@here
@given(content=contents)
def test_any_bytes_evaluated_while_they_are_read(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    try:
        result = gainful.evaluate({"q1": {"d1": 1}}, path)
    except GainfulError as error:
        assert error.found
    else:
        assert 0 <= result.mean("nDCG@10") <= 1


@pytest.mark.parametrize("grade", ["1e15", "9007199254740992", "-9007199254740992", "0.1"])
def test_nothing_is_allocated_by_the_size_of_a_grade(grade: str, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(f"q1 0 d1 {grade}\nq1 0 d2 1\n")
    result = gainful.evaluate(tmp_path / "qrels", {"q1": ["d1", "d2"]}, ["nDCG@10", "AP", "NumRel"])
    assert 0 <= result.mean("nDCG@10") <= 1


def test_a_gain_beyond_all_numbers_is_an_error() -> None:
    with pytest.raises(GainfulError, match="gain"):
        gainful.evaluate({"q1": {"d1": 5000}}, {"q1": ["d1"]}, "nDCG(gain='exponential')")
