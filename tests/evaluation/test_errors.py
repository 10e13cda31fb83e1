"""Invalid input: one message with place, finding, expectation and hint."""

from __future__ import annotations

import gzip

import pytest

import gainful
from gainful import errors

GOOD_QRELS = b"q1 0 d1 1\nq1 0 d2 0\n"
GOOD_RUN = b"q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0 t\n"

CASES = {
    "missing file": ("run", None, errors.SourceNotFoundError, None, "no such file"),
    "empty file": ("run", b"", errors.FormatError, None, "empty"),
    "only blank lines": ("run", b"\n \n", errors.FormatError, None, ""),
    "truncated gzip": (
        "run",
        gzip.compress(GOOD_RUN * 500)[:40],
        errors.SourceError,
        None,
        "truncated",
    ),
    "too few fields": ("run", GOOD_RUN + b"q1 Q0 d3\n", errors.FormatError, 3, "found 3 fields"),
    "one field": ("run", b"hello\n", errors.FormatError, 1, "found 1 field"),
    "qrels for a run": ("run", GOOD_QRELS, errors.FormatError, 1, "judgments first"),
    "score no number": ("run", GOOD_RUN + b"q2 Q0 d1 1 high t\n", errors.FormatError, 3, "'high'"),
    "NaN score": ("run", b"\n" + GOOD_RUN + b"q2 Q0 d1 1 nan t\n", errors.FormatError, 4, "NaN"),
    "infinite score": ("run", GOOD_RUN + b"q2 Q0 d1 1 -inf t\n", errors.FormatError, 3, "infinite"),
    "duplicate": (
        "run",
        GOOD_RUN + b"q1 Q0 d1 3 .5 t\n",
        errors.DuplicateError,
        3,
        "duplicate document",
    ),
    "NUL in a run": ("run", GOOD_RUN + b"q2 Q0 d\0 1 1 t\n", errors.FormatError, 3, "NUL"),
    "UTF-16": ("run", GOOD_RUN.decode().encode("utf-16"), errors.FormatError, 1, "UTF-16"),
    "a line of 100 MB": (
        "run",
        GOOD_RUN + b"x" * 100_000_000,
        errors.FormatError,
        3,
        "longer than",
    ),
    "no query in common": (
        "run",
        b"q9 Q0 d1 1 1 t\n",
        errors.MatchError,
        None,
        "no query in common",
    ),
    "missing qrels": ("qrels", None, errors.SourceNotFoundError, None, "no such file"),
    "empty qrels": ("qrels", b"", errors.FormatError, None, "empty"),
    "grade no number": ("qrels", GOOD_QRELS + b"q1 0 d3 maybe\n", errors.FormatError, 3, "'maybe'"),
    "grade too large": ("qrels", b"q1 0 d3 99999999999999999999\n", errors.FormatError, 1, "2^53"),
    "three fields": ("qrels", GOOD_QRELS + b"\nq1 0 d3\n", errors.FormatError, 4, "found 3 fields"),
    "a run for qrels": ("qrels", GOOD_RUN, errors.FormatError, 1, "judgments first"),
    "judged twice": (
        "qrels",
        GOOD_QRELS + b"q1 0 d1 2\n",
        errors.DuplicateError,
        3,
        "duplicate document",
    ),
    "NUL in qrels": ("qrels", b"q1 0 d1 1\nq\0 0 d1 1\n", errors.FormatError, 2, "NUL"),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("held", [False, True], ids=["while reading", "read first"])
def test_bad_files(case: str, held: bool, tmp_path) -> None:
    which, content, kind, line, words = CASES[case]
    for name, good in (("qrels", GOOD_QRELS), ("run", GOOD_RUN)):
        (tmp_path / name).write_bytes(good)
    bad = tmp_path / which
    bad.unlink()
    if content is not None:
        bad.write_bytes(content)
    evaluate = (
        (lambda run: gainful.evaluate(tmp_path / "qrels", run))
        if not held
        else (lambda run: gainful.evaluate(tmp_path / "qrels", gainful.read_run(run)))
    )
    with pytest.raises(kind) as caught:
        evaluate(tmp_path / "run")
    error = caught.value
    assert isinstance(error, errors.GainfulError)
    assert error.line == line
    assert words in str(error)
    if case != "no query in common":
        assert str(bad) in str(error)


def test_a_directory_without_runs_is_an_error(tmp_path) -> None:
    (tmp_path / "qrels").write_bytes(GOOD_QRELS)
    with pytest.raises(errors.SourceError, match="directory"):
        gainful.evaluate(tmp_path / "qrels", tmp_path)


def test_the_first_error_in_file_order_is_reported(tmp_path) -> None:
    (tmp_path / "qrels").write_text("".join(f"q{n} 0 d1 1\n" for n in range(3000)))
    good = [f"q{n} Q0 d{d} {d} {9 - d} t" for n in range(3000) for d in range(1, 9)]
    for broken in (
        {5000: "q625 Q0 d1 1 x t", 20000: "bad"},
        {4: "q0 Q0 d1 5 4 t", 6: "bad"},
        {23001: "q2875 Q0 d1 3 7 t", 23999: "q0 Q0 d9 0 0 t"},
    ):
        rows = list(good)
        for row, text in broken.items():
            rows[row] = text
        for threads in (1, 2, 5):
            (tmp_path / "run").write_text("\n".join(rows) + "\n")
            with pytest.raises(errors.GainfulError) as caught:
                gainful.evaluate(tmp_path / "qrels", tmp_path / "run", threads=threads)
            assert caught.value.line == min(broken) + 1


def test_a_duplicate_in_scattered_queries_is_named_too(tmp_path) -> None:
    (tmp_path / "qrels").write_bytes(b"a 0 d 1\nb 0 d 1\n")
    (tmp_path / "run").write_bytes(
        b"a 0 d 1 1 t\nb 0 d 1 1 t\na 0 e 1 1 t\nb 0 d 1 1 t\na 0 d 1 1 t\n"
    )
    with pytest.raises(errors.DuplicateError) as caught:
        gainful.evaluate(tmp_path / "qrels", tmp_path / "run")
    assert (caught.value.line, caught.value.query, caught.value.document) == (4, "b", "d")
    (tmp_path / "run.gz").write_bytes(gzip.compress((tmp_path / "run").read_bytes()))
    with pytest.raises(errors.DuplicateError) as caught:
        gainful.evaluate(tmp_path / "qrels", tmp_path / "run.gz")
    assert caught.value.line == 4


@pytest.mark.parametrize(
    ("policy", "ranked"), [("first", "a"), ("last", "b"), ("best", "b"), ("count", None)]
)
def test_duplicates_by_policy(policy: str, ranked: str | None, tmp_path) -> None:
    # a scores 3 and 1, b 2 and 4.
    path = tmp_path / "run"
    path.write_text("q 0 a 1 3 t\nq 0 b 1 2 t\nq 0 a 1 1 t\nq 0 b 1 4 t\n")
    convention = gainful.conventions["gainful-1"].replace(duplicates=policy)
    for run in (path, gainful.read_run(path, duplicates="count")):
        result = gainful.evaluate({"q": {"a": 1}}, run, ["RR", "NumRet"], convention=convention)
        assert result.counts()["duplicates"] == 2
        assert result.mean("NumRet") == (2 if ranked else 4)
        assert result.mean("RR") == (1.0 if ranked == "a" else 0.5)


def test_counted_duplicates_can_exceed_one() -> None:
    convention = gainful.conventions["gainful-1"].replace(duplicates="count")
    result = gainful.evaluate(
        {"q": {"a": 1}}, {"q": ["a", "a", "a"]}, "nDCG", convention=convention
    )
    assert result.mean() == pytest.approx(2.1309, abs=1e-4)


@pytest.mark.parametrize(
    "measure", ["nDGC@10", "nDCG@0", "nDCG@-1", "nDCG(gian='linear')", "", "P@x"]
)
def test_invalid_measures(measure: str) -> None:
    with pytest.raises(errors.MeasureError):
        gainful.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, measure)


def test_contradictory_arguments_are_errors() -> None:
    qrels, run = {"q": {"d": 1}}, {"q": {"d": 1.0}}
    with pytest.raises(errors.ArgumentError, match="neither"):
        gainful.evaluate(qrels)
    with pytest.raises(errors.ArgumentError, match="both"):
        gainful.evaluate(qrels, run, runs={"a": run})
    with pytest.raises(errors.ParameterError, match="weight"):
        gainful.evaluate(qrels, run, "AP", weights={"other": 1.0}).mean()
    with pytest.raises(errors.ConventionError, match="gainful-1"):
        gainful.evaluate(qrels, run, convention="gainfull-1")
    with pytest.raises(errors.ParameterError, match="threads"):
        gainful.evaluate(qrels, run, threads=0)


@pytest.mark.parametrize("measure", ["INST(T=1e308, max_rel=1)", "Utility(a=1e308, b=1e308)"])
def test_an_infinite_value_is_an_error_of_the_parameters(measure: str) -> None:
    run = {"q": {"d": 3.0, "e": 2.0, "f": 1.0}}
    with pytest.raises(gainful.errors.GradeError, match="the value of .* overflows.*parameter"):
        gainful.evaluate({"q": {"d": 1, "e": 1, "f": 1}}, run, measure)


def test_an_infinite_gain_is_an_error_of_the_gains() -> None:
    with pytest.raises(gainful.errors.GradeError, match="the gain of .* overflows.*1024"):
        gainful.evaluate({"q": {"d": 2000}}, {"q": ["d"]}, "nDCG(gain='exponential')")


def test_scores_in_place_of_judgments_are_noted() -> None:
    qrels = {"q1": {"a": 3, "b": 0, "c": 2}, "q2": {"d": 1}}
    run = {"q1": {"a": 9.1, "b": 8.7, "c": 8.0}, "q2": {"e": 1.0, "d": 0.5}}
    question = "pass the judgments first"
    assert question in str(gainful.evaluate(run, qrels))
    assert question not in str(gainful.evaluate(qrels, run))
    # Fractions that repeat are grades, and so are single ones.
    assert question not in str(gainful.evaluate({"q1": {"a": 0.5, "b": 0.5, "c": 1}}, run))
    assert question not in str(gainful.evaluate({"q1": {"a": 0.5}, "q2": {"d": 0.7}}, run))


def test_few_grades_are_converted_for_a_doubt() -> None:
    qrels = {f"q{query}": {"d1": 0.5 + query, "d2": 0.25 + query} for query in range(150)}
    rows = gainful.Qrels(qrels)._rows
    assert list(rows.to_dict(2).items()) == list(rows.to_dict().items())[:2]
    # Equal grades of a later query are not looked at.
    qrels["q149"] = {"d1": 1.5, "d2": 1.5}
    found = str(gainful.evaluate(qrels, {"q1": ["d1"]}, "nDCG@10"))
    assert "no two equal grades of a query" in " ".join(found.split())
