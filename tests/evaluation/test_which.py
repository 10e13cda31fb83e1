"""An error names the one of several inputs that causes it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.errors import ColumnError, DuplicateError, GainfulError, MatchError, SourceError
from requirements import need

QRELS = {"q1": {"d1": 1}}
NAN = float("nan")


def table(**changes: Any) -> Any:
    columns = {"query_id": ["q1"], "doc_id": ["d1"], "score": [1.0]}
    return need("pyarrow").table({**columns, **changes})


WRONG = [
    {"q1": {"d1": NAN}},
    {"other": {"d1": 1.0}},
    [("q1", "d1", "high")],
    lambda: table(score=[NAN]),
    lambda: table(doc_id=[None]),
    lambda: table(doc_id=[1.5]),
    lambda: table(query_id=["other"]),
]


@pytest.mark.parametrize("wrong", WRONG)
def test_one_of_several_runs_is_named(wrong: Any) -> None:
    run = wrong() if callable(wrong) else wrong
    with pytest.raises(GainfulError, match="^run dense[:,] "):
        gainful.evaluate(QRELS, runs={"bm25": {"q1": ["d1"]}, "dense": run}, measures="AP")


def test_a_file_is_named_by_its_path_alone(tmp_path: Path) -> None:
    path = tmp_path / "dense.run"
    path.write_text("q1 Q0 d1 1 nan dense\n")
    with pytest.raises(GainfulError) as error:
        gainful.evaluate(QRELS, runs={"bm25": {"q1": ["d1"]}, "dense": path}, measures="AP")
    assert str(error.value).startswith(f"{path}, line 1")


def test_errors_distinguish_judgments_and_run() -> None:
    pa = need("pyarrow")
    nameless = table(query_id=pa.array([None], pa.string()))
    with pytest.raises(ColumnError, match="^the run, row 0: null in column 'query_id'"):
        gainful.evaluate(QRELS, nameless, "AP")
    judged = nameless.rename_columns(["query_id", "doc_id", "grade"])
    with pytest.raises(ColumnError, match="^the judgments, row 0: null in column"):
        gainful.evaluate(judged, {"q1": ["d1"]}, "AP")


def test_a_file_with_unknown_columns_is_named(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "run.parquet"
    pq.write_table(table().rename_columns(["query_id", "doc_id", "points"]), path)
    with pytest.raises(ColumnError) as error:
        gainful.evaluate(QRELS, path, "AP")
    assert str(error.value).startswith(f"{path}: found 'points' may be the score")


def test_a_pattern_for_all_files_is_named_after_their_folder(tmp_path: Path) -> None:
    for night in ("monday", "tuesday"):
        (tmp_path / night).mkdir()
        (tmp_path / night / "part.run").write_text("q1 Q0 d1 1 1.0 part\n")
    result = gainful.evaluate(
        QRELS, runs=[str(tmp_path / night / "*.run") for night in ("monday", "tuesday")]
    )
    assert result.systems == ("monday", "tuesday")


@pytest.mark.skipif(os.name == "nt", reason="symbolic links")
@pytest.mark.parametrize("links", [1, 3])
def test_a_folder_that_contains_itself_is_an_error(tmp_path: Path, links: int) -> None:
    folder = tmp_path / "night" / "parts"
    folder.mkdir(parents=True)
    for number in range(links):
        (folder / f"again-{number}").symlink_to(tmp_path / "night")
    with pytest.raises(SourceError, match="again-0: a symbolic link to one of its"):
        gainful.evaluate(QRELS, tmp_path / "night", "AP")


def test_one_folder_under_two_names_is_read_twice(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "night" / "parts").mkdir(parents=True)
    pq.write_table(table(), tmp_path / "night" / "parts" / "a.parquet")
    (tmp_path / "night" / "same").symlink_to(tmp_path / "night" / "parts")
    with pytest.raises(DuplicateError, match=r"same/a\.parquet"):
        gainful.evaluate(QRELS, tmp_path / "night", "AP")


def test_an_unreadable_folder_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def scandir(folder: str) -> Any:
        raise PermissionError(13, "Permission denied", folder)

    monkeypatch.setattr("gainful.data.columns.scandir", scandir)
    with pytest.raises(SourceError, match="the folder cannot be read: Permission"):
        gainful.evaluate(QRELS, tmp_path, "AP")


def test_an_object_that_is_not_rows_is_reported_once() -> None:
    for strange in (3, None, [3]):
        with pytest.raises(GainfulError, match="^rows: found "):
            gainful.Evaluation.from_rows(strange, "AP")  # type: ignore[arg-type]


def test_no_common_query_names_the_run() -> None:
    with pytest.raises(MatchError, match="^no query in common"):
        gainful.evaluate(QRELS, {"other": ["d1"]}, "AP")
