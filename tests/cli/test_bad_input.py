"""Invalid input gives one message on the standard error and the exit status 2."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from gainful.cli import main
from gainful_program import gainful
from repeated_tests import for_each

pytestmark = pytest.mark.usefixtures("small_files")

GOOD = "q1 Q0 r01 1 9.5 tag\nq1 Q0 r02 2 9.0 tag\n"
LONG = "".join(f"q1 Q0 d{doc} 1 {9e9 / (doc + 7)} tag\n" for doc in range(5000)).encode()

# The contents of a bad file (None: it does not exist), and words of the message.
RUNS: dict[str, tuple[bytes | None, list[str]]] = {
    "missing": (None, ["no such file"]),
    "empty": (b"", ["empty|no queries at all"]),
    "blank": (b"\n \n", ["empty|no queries at all"]),
    "truncated": (gzip.compress(LONG)[:-40], ["truncated"]),
    "fields": (GOOD.encode() + b"q1 Q0 r03\n", ["line 3", "field"]),
    "score": (GOOD.encode() + b"q1 Q0 r03 3 high tag\n", ["line 3", "'high'"]),
    "nan": (GOOD.encode() + b"q1 Q0 r03 3 nan tag\n", ["line 3", "nan"]),
    "infinite": (GOOD.encode() + b"q1 Q0 r03 3 inf tag\n", ["line 3", "inf"]),
    "twice": (GOOD.encode() + b"q1 Q0 r01 3 1.0 tag\n", ["line 3", "'q1'", "'r01'"]),
    "nul": (GOOD.encode() + b"q1 Q0 r\x0003 3 1.0 tag\n", ["line 3", "NUL"]),
    "strangers": (b"x1 Q0 r01 1 9.5 tag\n", ["quer"]),
}

QRELS: dict[str, tuple[bytes | None, list[str]]] = {
    "missing": (None, ["no such file"]),
    "empty": (b"", ["file is empty"]),
    "truncated": (
        gzip.compress(b"".join(b"q1 0 r%d 1\n" % row for row in range(5000)))[:-40],
        ["truncated"],
    ),
    "fields": (b"q1 0 r01 1\nq1 0 r02\n", ["line 2", "field"]),
    "grade": (b"q1 0 r01 1\nq1 0 r02 good\n", ["line 2", "'good'"]),
    "nan": (b"q1 0 r01 1\nq1 0 r02 nan\n", ["line 2", "nan"]),
    "twice": (b"q1 0 r01 1\nq1 0 r01 2\n", ["line 2", "'q1'", "'r01'"]),
    "nul": (b"q1 0 r01 1\nq1 0 r\x00 2\n", ["line 2", "NUL"]),
}


def refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command that must fail, and return its message."""
    status = main(words)
    captured = capsys.readouterr()
    assert status == 2
    assert captured.out == ""
    assert captured.err.startswith("gainful: ")
    assert captured.err.count("\n") == 1
    assert "Traceback" not in captured.err
    return captured.err


@for_each("case", RUNS)
def test_a_bad_run(case: str, small_files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content, expected = RUNS[case]
    if content is not None:
        (small_files / "bad.run").write_bytes(content)
    message = refused(["evaluate", "qrels.txt", "bad.run"], capsys)
    for words in ["bad.run", *expected]:
        assert re.search(words, message)


@for_each("case", QRELS)
def test_bad_judgments(case: str, small_files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content, expected = QRELS[case]
    if content is not None:
        (small_files / "bad.qrels").write_bytes(content)
    message = refused(["evaluate", "bad.qrels", "bm25.run"], capsys)
    for words in ["bad.qrels", *expected]:
        assert words in message


def test_a_byte_order_mark_is_skipped(
    small_files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The mark must not become part of the first query's id."""
    (small_files / "marked.run").write_bytes(
        b"\xef\xbb\xbf" + (small_files / "bm25.run").read_bytes()
    )
    assert main(["evaluate", "qrels.txt", "marked.run", "--format", "tsv"]) == 0
    marked = capsys.readouterr().out
    main(["evaluate", "qrels.txt", "marked=bm25.run", "--format", "tsv"])
    assert marked == capsys.readouterr().out


def test_a_line_of_100_megabytes(small_files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open(small_files / "long.run", "wb") as stream:
        stream.write(GOOD.encode())
        for _ in range(100):
            stream.write(b"x" * 1_000_000)
    message = refused(["evaluate", "qrels.txt", "long.run"], capsys)
    assert "long.run, line 3" in message
    assert len(message) < 1000


@pytest.mark.parametrize("command", ["evaluate", "explain"])
def test_a_directory(command: str, small_files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "a directory" in refused([command, "qrels.txt", str(small_files)], capsys)


WORDS: dict[str, tuple[list[str], list[str]]] = {
    "unknown measure": (["-m", "ndgc@10"], ["'ndgc'", "nDCG"]),
    "measure of a tool": (["-m", "context_precision"], ["--convention ragas-0.4.3 computes it"]),
    "cutoff 0": (["-m", "nDCG@0"], ["cutoff 0", "1 or more"]),
    "cutoff below 0": (["-m", "nDCG@-5"], ["-5"]),
    "unknown convention": (["--convention", "trec-eval-9"], ["trec_eval-9.0.8"]),
    "unknown policy": (["--policy", "tie=expected"], ["'tie'", "did you mean ties"]),
    "policy of a measure": (["--policy", "gain=binary"], ["'gain'", "nDCG(gain=binary)@10"]),
    "policy without value": (["--policy", "ties"], ["'ties'", "NAME=VALUE"]),
    "policy's value": (["--policy", "ties=luck"], ["'luck'", "expected"]),
    "threads": (["--threads", "0"], ["threads", "1 or more"]),
    "no number": (["--threads", "two"], ["'two'", "--help"]),
    "format": (["--format", "xml"], ["'xml'", "markdown"]),
    "option": (["--formt", "tsv"], ["--formt", "did you mean --format"]),
    "weights": (["--weights", "weights.tsv"], ["weights.tsv", "line 2", "'q2 heavy'"]),
    "weights missing": (["--weights", "none.tsv"], ["none.tsv", "no such file"]),
    "output": (
        ["-o", "nowhere/result.txt"],
        ["nowhere/result.txt", "folder does not exist"],
    ),
    "output folder": (["-o", "."], ["a directory"]),
    "run without a path": (["bm25="], ["'bm25='", "NAME=PATH"]),
    "equal names": (["bm25=dense.run"], ["two runs have the name 'bm25'", "bm25-2=dense.run"]),
}


@for_each("case", WORDS)
def test_bad_words(case: str, small_files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (small_files / "weights.tsv").write_text("q1 1\nq2 heavy\n")
    words, expected = WORDS[case]
    if case == "unknown convention":
        words = ["--convention", "trec-evil"]
    message = refused(["evaluate", "qrels.txt", "bm25.run", *words], capsys)
    for each in expected:
        assert each in message


def test_standard_input_cannot_be_read_twice(capsys: pytest.CaptureFixture[str]) -> None:
    assert "2 times" in refused(["evaluate", "-", "-"], capsys)


def test_an_unknown_command_suggests_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean evaluate" in refused(["evaluat"], capsys)


def test_a_missing_argument(capsys: pytest.CaptureFixture[str]) -> None:
    assert "`gainful evaluate --help`" in refused(["evaluate"], capsys)


def test_an_id_that_is_not_valid_utf8_is_escaped_in_the_message(small_files: Path) -> None:
    (small_files / "bad.run").write_bytes(b"q1 Q0 \xff 1 2 t\nq1 Q0 \xff 2 1 t\n")
    done = gainful("evaluate", "qrels.txt", "bad.run")
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert b"bad.run, line 2" in done.stderr
