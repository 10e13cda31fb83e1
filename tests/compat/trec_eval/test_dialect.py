"""Files read by trec_eval's rules: numbers, fields of a line, and -M."""

from __future__ import annotations

import gzip

import pytest

from gainful import _kernel
from gainful.conventions import get
from gainful.data.coercion import as_qrels
from gainful.errors import FormatError
from gainful.measures import parse_measure

OPTIONS = {"format": "trec", "dialect": "trec_eval"}


@pytest.fixture
def read(tmp_path):
    def read(text, table, **options):
        path = tmp_path / table
        path.write_bytes(text)
        return _kernel.read([path], table, {**OPTIONS, **options})

    return read


@pytest.mark.parametrize(
    ("written", "score"),
    [
        ("1.5", 1.5),
        ("12abc", 12),
        ("0x10", 16),
        ("abc", 0),
        ("1e400", float("inf")),
        ("-Inf", float("-inf")),
        ("--5", 0),
    ],
)
def test_a_score_is_the_numeric_prefix_of_the_field(read, written, score):
    run = read(f"q1 Q0 d1 1 {written} R\n".encode(), "run")
    assert run.ranking("q1") == [("d1", score)]


@pytest.mark.parametrize(
    ("written", "grade"), [("0.7", 0), ("abc", 0), ("1e2", 1), ("3x", 3), ("-1", -2), ("-9", -2)]
)
def test_a_grade_is_the_integer_prefix_of_the_field(read, written, grade):
    assert read(f"q1 0 d1 {written}\n".encode(), "qrels").documents("q1") == {"d1": grade}


@pytest.mark.parametrize(
    ("text", "table", "line"),
    [
        (b"q1 0 d1 1\n\nq1 0 d2 0\n", "qrels", 2),
        (b"q1 0 d1 1\n  \n", "qrels", 2),
        (b"q1 0 d1 1 x\n", "qrels", 1),
        (b"q1 0 d1\n", "qrels", 1),
        (b"q1 Q0 d1 1 2.0 R\n\nq1 Q0 d2 2 1.0 \n", "run", 3),
        (b"q1 Q0 d1 1 nan R\n", "run", 1),
    ],
)
def test_invalid_lines_are_errors(read, text, table, line):
    with pytest.raises(FormatError) as caught:
        read(text, table)
    assert caught.value.line == line


def test_unusual_valid_lines(read):
    run = read(b"\n \t q1\tQ0 d1 1 2.0 R more\r\n\n#q Q0 d2 2 1.0 S x y", "run")
    assert run.query_ids() == ["q1", "#q"]
    assert run.tag == "S"
    assert read(b"#q Q0 d2 2 1.0 S\nq1 Q0 d1 1 2.0 R\n# end", "run", comments=True).tag == "R"
    # A byte-order mark is part of the first id.
    assert read(b"\xef\xbb\xbfq1 0 d1 1", "qrels").query_ids() == ["\ufeffq1"]


def evaluate(qrels, run, measures, **options):
    policies = get("trec_eval-9.0.8")
    kernels = [(name, *parse_measure(name).spec(policies)) for name in measures]
    rows = as_qrels(qrels)._rows
    return _kernel.evaluate(
        rows, run, policies.spec(), kernels, threads=2, dialect="trec_eval", **options
    )


QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1}}
RUN = b"q1 Q0 x 1 0x3 R\nq1 Q0 a 2 2junk R\nq1 Q0 c 3 1 R\nq2 Q0 a 1 inf R\nq9 Q0 a 1 1 LAST\n"


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("scattered", [False, True])
def test_a_run_evaluated_while_it_is_read(tmp_path, compressed, scattered):
    lines = RUN.splitlines(keepends=True)
    text = b"".join([lines[0], lines[3], lines[1], lines[2], lines[4]]) if scattered else RUN
    path = tmp_path / ("run.gz" if compressed else "run")
    path.write_bytes(gzip.compress(text) if compressed else text)
    table = evaluate(QRELS, [path], ["recip_rank"])
    assert table.column(0) == [0.5, 1.0]
    assert table.tag == "LAST"


def test_the_tag_is_that_of_the_last_segment(tmp_path):
    path = tmp_path / "run"
    lines = [f"q{n // 100} Q0 document-number-{n} 1 {-n} tag{n}\n" for n in range(30_000)]
    path.write_text("".join(lines))
    assert evaluate({"q7": {"document-number-700": 1}}, [path], ["map"]).tag == "tag29999"


@pytest.mark.parametrize(("depth", "found"), [(0, 0), (1, 0), (2, 1), (3, 2), (9, 2)])
def test_depth_truncates_the_ranking(tmp_path, depth, found):
    path = tmp_path / "run"
    path.write_bytes(RUN)
    table = evaluate(QRELS, [path], ["num_rel_ret", "num_ret"], depth=depth)
    assert table.column(0)[0] == found
    assert table.column(1)[0] == min(depth, 3)
