"""Addresses of Parquet for Spark: errors in files and rows.

The tasks run here, one after the other; tests/clusters has them in Spark.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.backends import spark as backend
from gainful.backends.spark.inputs import Judgments
from gainful.errors import (
    ArgumentError,
    ColumnError,
    DuplicateError,
    FormatError,
    GainfulError,
    SourceError,
    SourceNotFoundError,
)
from local_spark import LocalSession
from requirements import need
from spark_files import MEASURES, QRELS, RUN, asked, put, rows_of, table, written


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return written(tmp_path)


def refused(qrels: Any, run: Any, **options: Any) -> GainfulError:
    with pytest.raises(GainfulError) as caught:
        asked(qrels, run, **options)
    assert not re.search(r"row [0-9]", str(caught.value))
    return caught.value


@pytest.mark.parametrize("column", RUN)
def test_a_null(tmp_path: Path, column: str) -> None:
    judged, found = rows_of()
    qrels = put(tmp_path / "qrels", table(judged, QRELS))
    for number, row in enumerate((0, 100, len(found) - 1)):
        rows = [list(each) for each in found]
        rows[row][RUN.index(column)] = None
        run = put(tmp_path / f"run{number}", table(rows, RUN))
        error = refused(qrels, run)
        assert type(error) is ColumnError
        assert f"the run: null in column {column!r}" in str(error)


def test_scores_that_are_not_numbers(tmp_path: Path) -> None:
    judged, found = rows_of()
    qrels = put(tmp_path / "qrels", table(judged, QRELS))
    rows = [*found[:100], (*found[100][:2], float("nan")), *found[101:]]
    assert type(refused(qrels, put(tmp_path / "run", table(rows, RUN)))) is FormatError


def test_a_document_twice(tmp_path: Path) -> None:
    """Also where a row group ends between the two."""
    judged, found = rows_of()
    qrels = put(tmp_path / "qrels", table(judged, QRELS))
    rows = sorted([*found, (39, 0, 0.5)])
    error = refused(qrels, put(tmp_path / "run", table(rows, RUN), size=1))
    assert type(error) is DuplicateError
    assert "query '39', document '0'" in str(error)


def test_columns_that_do_not_fit(tmp_path: Path) -> None:
    judged, found = rows_of()
    qrels = put(tmp_path / "qrels", table(judged, QRELS))
    texts = [(f"q{q}", d, s) for q, d, s in found]
    run = put(tmp_path / "mixed", table(found, RUN), table(texts, RUN))
    error = refused(qrels, run)
    assert type(error) is ColumnError
    message = f"column 'query_id' of the run: found type 'bigint', and 'string' in {run}/1.parquet"
    assert message in str(error)
    run = put(tmp_path / "lacks", table(found, RUN), table(found, ["query_id", "doc_id", "other"]))
    assert "'double', and 'nothing' in" in str(refused(qrels, run))
    run = put(tmp_path / "nested", table([(q, [d], s) for q, d, s in found], RUN))
    assert "column 'doc_id' of the run: found type list" in str(refused(qrels, run))
    run = put(tmp_path / "without", table(found, ["query_id", "other", "score"]))
    assert "doc_id" in str(refused(qrels, run))


def test_what_cannot_be_read(tmp_path: Path, files: tuple[Path, Path]) -> None:
    qrels, run = files
    for place in ("nothing.parquet", "nothing/*.parquet", "local:///nothing/at/all"):
        need("fsspec")
        error = refused(qrels, place)
        assert isinstance(error, SourceError)
    (tmp_path / "text.parquet").write_text("1 Q0 d1 1 0.5 own\n" * 10)
    error = refused(qrels, tmp_path / "text.parquet")
    assert "cannot read the file as Parquet" in str(error)
    assert "makes Parquet of judgments" in str(error)
    whole = (run / "0.parquet").read_bytes()
    (tmp_path / "half.parquet").write_bytes(whole[: len(whole) // 2])
    assert isinstance(refused(qrels, tmp_path / "half.parquet"), SourceError)
    (tmp_path / "empty").mkdir()
    assert "a directory without Parquet or Arrow files" in str(refused(qrels, tmp_path / "empty"))


def test_files_that_are_gone_when_they_are_read(files: tuple[Path, Path]) -> None:
    result = backend.evaluate(*files, MEASURES, session=LocalSession())
    (files[1] / "0.parquet").unlink()
    with pytest.raises(
        SourceNotFoundError, match="no such file on an executor.*all machines have to see"
    ):
        result.evaluation()


def test_files_that_change(files: tuple[Path, Path]) -> None:
    from pyarrow import parquet

    result = backend.evaluate(*files, MEASURES, session=LocalSession())
    path = files[1] / "0.parquet"
    parquet.write_table(parquet.read_table(path).slice(1), path, row_group_size=20)
    with pytest.raises(SourceError, match="the file changed after the evaluation was planned"):
        result.evaluation()


def test_a_page_that_is_damaged(files: tuple[Path, Path]) -> None:
    result = backend.evaluate(*files, MEASURES, session=LocalSession())
    path = files[1] / "0.parquet"
    whole = bytearray(path.read_bytes())
    whole[4:60] = b"\xff" * 56
    path.write_bytes(whole)
    with pytest.raises(SourceError, match="cannot read the file as Parquet on an executor"):
        result.evaluation()


@pytest.mark.parametrize("which", ["qrels", "run", "both"])
def test_files_without_rows(tmp_path: Path, which: str) -> None:
    judged, found = rows_of()
    none = [
        put(tmp_path / "a", table(judged, QRELS).slice(0, 0)),
        put(tmp_path / "b", table(found, RUN).slice(0, 0)),
    ]
    some = [put(tmp_path / "c", table(judged, QRELS)), put(tmp_path / "d", table(found, RUN))]
    qrels = some[0] if which == "run" else none[0]
    run = some[1] if which == "qrels" else none[1]
    result = backend.evaluate(qrels, run, MEASURES, session=LocalSession())
    with pytest.raises(gainful.errors.MatchError):
        result.evaluation()


def test_no_session(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    from gainful.backends.spark import call

    monkeypatch.setattr(call, "session_for", lambda session, tables: session)
    with pytest.raises(ArgumentError, match=r"an address needs a Spark session.*session=SESSION"):
        backend.evaluate(*files, MEASURES)


def test_what_is_no_session(files: tuple[Path, Path]) -> None:
    with pytest.raises(ArgumentError, match="session: found str, expected a session of Spark"):
        backend.evaluate(*files, MEASURES, session="local[2]")  # type: ignore[arg-type]


def test_no_pyarrow(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ArgumentError, match="pyarrow is not installed"):
        backend.evaluate(*files, MEASURES, session=LocalSession())


def test_a_system_that_came_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged, found = rows_of()
    qrels = put(tmp_path / "qrels", table(judged, QRELS))
    named = [(*row, "ab"[row[0] % 2]) for row in found]
    run = put(tmp_path / "run", table(named, [*RUN, "system"]))
    from gainful.backends.spark import call

    monkeypatch.setattr(call, "systems_of", lambda runs: ["a"])
    assert "not in the run when the evaluation was planned" in str(refused(qrels, run))


def test_types_are_found_before_a_job_is(tmp_path: Path) -> None:
    """What is wrong with the columns is an error of the call, not of its rows."""
    judged, found = rows_of()
    qrels = put(tmp_path / "qrels", table([(q, d, "1") for q, d, _ in judged], QRELS))
    run = put(tmp_path / "run", table(found, RUN))
    with pytest.raises(ColumnError, match="column 'grade' of the judgments: found type string"):
        backend.evaluate(qrels, run, MEASURES, session=LocalSession())
    assert Judgments.what == "the judgments"
