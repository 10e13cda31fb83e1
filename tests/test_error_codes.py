"""Errors have fields that programs can use to distinguish them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.errors import Code, GainfulError

RUN = {"q1": {"a": 2.0, "b": 1.0}}
RUN_LINES = "q1 Q0 a 1 2.0 x\n"


def read(tmp_path: Path, text: str, table: str = "qrels", **options: Any) -> GainfulError:
    path = tmp_path / f"bad.{table}"
    path.write_text(text)
    with pytest.raises(GainfulError) as caught:
        (gainful.read_qrels if table == "qrels" else gainful.read_run)(path, **options)
    return caught.value


@pytest.mark.parametrize(
    ("code", "text", "table", "options"),
    [
        (Code.FIELD_COUNT, "q1 0 a\n", "qrels", {"format": "trec"}),
        (Code.FIELD_COUNT, "q1 Q0 a 1\n", "run", {"format": "trec"}),
        (Code.LOOKS_LIKE_RUN, RUN_LINES, "qrels", {}),
        (Code.LONG_LINE, "q1 " + "x" * (2 << 20), "run", {"format": "trec"}),
    ],
)
def test_lines(tmp_path: Path, code: str, text: str, table: str, options: dict[str, Any]) -> None:
    error = read(tmp_path, text, table, **options)
    assert error.code == code
    assert error.role == ("run" if table == "run" else "judgments")


@pytest.mark.parametrize(
    ("code", "twice"),
    [
        (Code.TWO_LEVELS, [("q1", "g s", "a", 1), ("q1", "g s", "a", 2)]),
        (Code.TWO_RELEVANCES, [("q1", "g s", "a", 1), ("q1", "g t", "a", 0)]),
    ],
)
def test_preferences(code: str, twice: list[tuple[str, str, str, int]]) -> None:
    names = ("query_id", "subtopic", "doc_id", "grade")
    rows = [dict(zip(names, row, strict=True)) for row in twice]
    qrels = gainful.Qrels(rows, subtopics=True, duplicates="count")
    with pytest.raises(gainful.errors.GradeError) as caught:
        gainful.evaluate(qrels, RUN, "Prefs")
    assert (caught.value.code, caught.value.document) == (code, "a")


def test_formats(tmp_path: Path) -> None:
    assert read(tmp_path, "", format="trek").code == Code.UNKNOWN_FORMAT
    with pytest.raises(gainful.errors.FormatError) as caught:
        gainful.Run({"q1": {"a b": 1.0}}).write(tmp_path / "a.run")
    assert caught.value.code == Code.WHITE_SPACE


def test_a_closed_output_pipe() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        with pytest.raises(gainful.errors.SourceError) as caught:
            gainful.Run(RUN).write(f"/dev/fd/{writing}", format="trec")
    finally:
        os.close(writing)
    assert caught.value.code == Code.CLOSED_PIPE


def test_a_query_split_between_parts() -> None:
    whole = gainful.evaluate({"q1": {"a": 1}}, RUN, "AP")
    with pytest.raises(gainful.errors.MatchError) as caught:
        gainful.Evaluation.concat([whole, whole])
    assert (caught.value.code, caught.value.query) == (Code.QUERY_IN_TWO_PARTS, "q1")


@pytest.mark.parametrize(
    ("policy", "value", "qrels", "run"),
    [
        ("ties", "error", {"q1": {"a": 1}}, {"q1": {"a": 1.0, "b": 1.0}}),
        ("missing", "error", {"q1": {"a": 1}, "q2": {"a": 1}}, RUN),
        ("extra", "error", {"q2": {"a": 1}, "q1": {"a": 1}}, {**RUN, "q3": RUN["q1"]}),
        ("negative", "error", {"q1": {"a": -1}}, RUN),
        ("fractions", "error", {"q1": {"a": 0.5}}, RUN),
        ("no_relevant", "error", {"q1": {"a": 0}}, RUN),
    ],
)
def test_policies(policy: str, value: str, qrels: Any, run: Any) -> None:
    convention = gainful.conventions.get("gainful-1").replace(**{policy: value})
    with pytest.raises(GainfulError) as caught:
        gainful.evaluate(qrels, run, "AP", convention=convention)
    assert caught.value.policy == policy


@pytest.mark.parametrize(("length", "is_cut"), [(150, False), (200_000, True)])
def test_long_ids_are_cut_in_messages_only(length: int, is_cut: bool) -> None:
    query, document = "q" * length, "d" * length
    with pytest.raises(GainfulError) as caught:
        gainful.evaluate(
            {query: {"a": 1}},
            {query: {document: 1.0, "b": 1.0}},
            "AP",
            convention=gainful.conventions.get("gainful-1").replace(ties="error"),
        )
    error = caught.value
    assert (error.query, error.document) in ((query, document), (query, "b"))
    assert (query in str(error)) is not is_cut
    assert len(str(error)) < 1000


@pytest.mark.parametrize("name", ["pyarrow", "files"])
def test_roles_in_memory(name: str, tmp_path: Path) -> None:
    """An error has the input that it is about, and its row where it is a table."""
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"query_id": ["q1", "q1"], "doc_id": ["a", None], "score": [2.0, 1.0]})
    run: Any = table
    if name == "files":
        from pyarrow import parquet

        run = tmp_path / "a.parquet"
        parquet.write_table(table, run)
    with pytest.raises(gainful.errors.ColumnError) as caught:
        gainful.evaluate({"q1": {"a": 1}}, run, "AP")
    assert caught.value.role == "run"
    if name == "pyarrow":
        assert caught.value.row == 1
