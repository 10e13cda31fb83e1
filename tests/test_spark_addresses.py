"""Addresses of Parquet for Spark: which columns and systems there are, and what is wrong with them.

The tasks run here, one after the other; tests/clusters has them in Spark.
"""

from __future__ import annotations

import pickle
import random
import re
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.backends import spark as backend
from gainful.backends.spark.columns import Judgments
from gainful.backends.spark.ranged import Ranged
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

MEASURES = ["nDCG@10", "AP", "RR"]


def rows_of(seed: int = 1, queries: int = 40) -> tuple[list[Any], list[Any]]:
    source = random.Random(seed)
    judged = [(q, d, source.randrange(3)) for q in range(queries) for d in range(5)]
    found = [(q, d, source.random()) for q in range(queries) for d in range(q % 9 + 1)]
    return judged, found


def table(rows: list[Any], names: list[str], **kinds: Any) -> Any:
    pa = need("pyarrow")
    return pa.table(
        {
            name: pa.array([row[at] for row in rows], kinds.get(name))
            for at, name in enumerate(names)
        }
    )


def put(path: Path, *tables: Any, size: int = 20) -> Path:
    """Write tables as files of a folder."""
    from pyarrow import parquet

    path.mkdir()
    for at, each in enumerate(tables):
        parquet.write_table(each, path / f"{at}.parquet", row_group_size=size)
    return path


QRELS, RUN = ["query_id", "doc_id", "grade"], ["query_id", "doc_id", "score"]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    judged, found = rows_of()
    return put(tmp_path / "qrels", table(judged, QRELS)), put(tmp_path / "run", table(found, RUN))


def asked(qrels: Any, run: Any, measures: Any = MEASURES, **options: Any) -> gainful.Evaluation:
    """Evaluate in seven ranges; more often than once, as Spark may try a task again."""
    options = {"session": LocalSession(), "partitions": 7, **options}
    result = backend.evaluate(qrels, run, measures, **options)
    assert result.way.endswith("of queries")
    assert result.rows.toArrow().num_rows > 0
    return result.evaluation()


def told(evaluation: gainful.Evaluation) -> list[str]:
    return [repr(evaluation.to_dict()), str(evaluation), *map(repr, evaluation.rows())]


# --- addresses ------------------------------------------------------------------------------------


def test_what_names_files(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder, a pattern, a file, a list of files, as texts and as paths; also relative ones."""
    need("fsspec")
    qrels, run = files
    monkeypatch.chdir(run.parent)
    for place in (run, "run", f"{run}/*.parquet", run / "0.parquet", [run / "0.parquet"]):
        assert told(asked(qrels, place)) == told(gainful.evaluate(qrels, place, MEASURES))
    expected = told(gainful.evaluate(qrels, run, MEASURES))
    for scheme in ("file", "local"):
        assert told(asked(f"{scheme}://{qrels}/*.parquet", f"{scheme}://{run}")) == expected


def test_only_what_is_read_is_fetched(files: tuple[Path, Path]) -> None:
    need("fsspec")
    from gainful.data.remote import RemoteFile

    path = files[0] / "0.parquet"
    whole = path.read_bytes()
    file = Ranged(RemoteFile(f"local://{path}"))
    assert file.seek(-8, 2) == len(whole) - 8
    assert (file.read(4), file.tell()) == (whole[-8:-4], len(whole) - 4)
    assert (file.read(), file.read(1)) == (whole[-4:], b"")
    assert file.seek(2) == 2
    assert file.seek(2, 1) == 4
    assert file.read(3) == whole[4:7]


def test_an_address_travels_with_its_credentials(tmp_path: Path, files: tuple[Path, Path]) -> None:
    """Executors need them; messages do not."""
    need("fsspec")
    from gainful.backends.spark.parts import Side, opened

    side = pickle.loads(pickle.dumps(Side("the run", ["s3://key:secret@bucket/a"], {}, {})))
    assert side.files == ["s3://key:secret@bucket/a"]
    with pytest.raises(SourceError) as caught:
        opened("local://user:secret@nowhere/run.parquet", there="on an executor")
    assert "secret" not in str(caught.value)
    assert "on an executor" in str(caught.value)


# --- columns --------------------------------------------------------------------------------------


def test_files_of_different_types(tmp_path: Path) -> None:
    """Integers of two widths, texts of two kinds, floats and integers: what Spark makes of them."""
    pa = need("pyarrow")
    judged, found = rows_of()
    first = table(found[:50], RUN, query_id=pa.int8(), score=pa.float32())
    rest = [(q, d, int(8 * s)) for q, d, s in found[50:]]
    second = table(rest, RUN, query_id=pa.uint32(), score=pa.int16())
    qrels = put(tmp_path / "qrels", table(judged, QRELS, grade=pa.int8()))
    run = put(tmp_path / "run", first, second)
    rows = [
        *((q, d, s) for q, d, s in zip(*(first[name].to_pylist() for name in RUN), strict=True)),
        *((q, d, float(s)) for q, d, s in rest),
    ]
    expected = gainful.evaluate(table(judged, QRELS), table(rows, RUN), MEASURES)
    assert told(asked(qrels, run)) == told(expected)


def test_documents_of_two_types(tmp_path: Path) -> None:
    """A number matches its decimal text."""
    pa = need("pyarrow")
    judged, found = rows_of()
    texts = [(q, str(d), g) for q, d, g in judged]
    qrels = put(
        tmp_path / "qrels",
        table(texts[:70], QRELS),
        table(texts[70:], QRELS, doc_id=pa.large_string()),
    )
    run = put(tmp_path / "run", table(found, RUN, doc_id=pa.uint16()))
    assert told(asked(qrels, run)) == told(gainful.evaluate(qrels, run, MEASURES))


def test_ids_of_two_types_in_one_order(tmp_path: Path) -> None:
    """Text and bytes, and integers of any width but the largest without a sign."""
    pa = need("pyarrow")
    judged, found = rows_of()
    pairs = [(pa.string(), pa.binary(2)), (pa.int8(), pa.uint32()), (pa.int64(), pa.uint8())]
    for at, (one, other) in enumerate(pairs):
        as_text = pa.types.is_string(one)
        rows = [
            [(f"{row[0]:02}" if as_text else row[0], *row[1:]) for row in side]
            for side in (judged, found)
        ]
        if as_text:
            rows[1] = [(query.encode(), *rest) for query, *rest in rows[1]]
        qrels = put(tmp_path / f"qrels{at}", table(rows[0], QRELS, query_id=one))
        run = put(tmp_path / f"run{at}", table(rows[1], RUN, query_id=other))
        assert list(asked(qrels, run).rows()) == list(gainful.evaluate(qrels, run, MEASURES).rows())


def test_columns_of_other_names(tmp_path: Path) -> None:
    judged, found = rows_of()
    qrels = put(tmp_path / "qrels", table(judged, ["topic", "the doc", "Label"]))
    run = put(tmp_path / "run", table(found, ["qid", "a.b", "sim"]))
    named: dict[str, Any] = {
        "qrels_columns": {"doc_id": "the doc"},
        "run_columns": {"doc_id": "a.b"},
    }
    expected = gainful.evaluate(table(judged, QRELS), table(found, RUN), MEASURES)
    assert told(asked(qrels, run, **named)) == told(expected)


def test_booleans_are_numbers(tmp_path: Path) -> None:
    judged, found = rows_of()
    qrels = put(tmp_path / "qrels", table([(q, d, g > 0) for q, d, g in judged], QRELS))
    run = put(tmp_path / "run", table(found, RUN))
    whole = table([(q, d, int(g > 0)) for q, d, g in judged], QRELS)
    assert told(asked(qrels, run)) == told(gainful.evaluate(whole, run, MEASURES))


def test_ranks_alone(tmp_path: Path) -> None:
    judged, found = rows_of()
    ranked = [(q, d, (7 * d + q) % 9 + 1) for q, d, _ in found]
    qrels = put(tmp_path / "qrels", table(judged, QRELS))
    run = put(tmp_path / "run", table(ranked, ["query_id", "doc_id", "rank"]))
    assert told(asked(qrels, run)) == told(gainful.evaluate(qrels, run, MEASURES))


def test_ranks_beside_scores(tmp_path: Path) -> None:
    """Under a convention that goes by ranks, in ranges that have no rows of the run, too."""
    judged, found = rows_of()
    ranked = [(*row, (7 * row[1] + row[0]) % 9 + 1) for row in found if row[0] > 20]
    qrels = put(tmp_path / "qrels", table(judged, QRELS))
    run = put(tmp_path / "run", table(ranked, [*RUN, "rank"]))
    convention = gainful.conventions.get("gainful-1").replace(order="rank")
    expected = gainful.evaluate(qrels, run, MEASURES, convention=convention)
    assert told(asked(qrels, run, convention=convention)) == told(expected)


def test_an_order_that_a_column_says(tmp_path: Path) -> None:
    judged, found = rows_of()
    tied = [(q, d, float(s > 0.5)) for q, d, s in found]
    places = list(range(len(tied)))
    random.Random(3).shuffle(places)
    listed = [tied[place] for place in places]
    numbered = sorted((*row, at) for at, row in enumerate(listed))
    qrels = put(tmp_path / "qrels", table(judged, QRELS))
    run = put(tmp_path / "run", table(numbered, [*RUN, "at"]))
    expected = gainful.evaluate(qrels, table(listed, RUN), MEASURES, convention="ranx")
    found_rows = asked(qrels, run, convention="ranx", position="at")
    assert list(found_rows.rows()) == list(expected.rows())


@pytest.mark.parametrize("policy", ["first", "last"])
def test_which_of_two_judgments_counts(tmp_path: Path, policy: str) -> None:
    judged, found = rows_of()
    twice = [(q, d, g, at) for q, d, g in judged for at in (q, -q)]
    twice = [(q, d, (g + at) % 3, at) for q, d, g, at in twice]
    qrels = put(tmp_path / "qrels", table(twice, [*QRELS, "at"]))
    run = put(tmp_path / "run", table(found, [*RUN]))
    convention = gainful.conventions.get("gainful-1").replace(duplicates=policy)
    with pytest.raises(DuplicateError, match="found two grades, expected one, or qrels_position"):
        asked(qrels, run, convention=convention, position="score")
    ordered = table([row[:3] for row in sorted(twice, key=lambda row: (row[0], row[3]))], QRELS)
    expected = gainful.evaluate(ordered, run, MEASURES, convention=convention)
    own = asked(qrels, run, convention=convention, position="score", qrels_position="at")
    assert list(own.rows()) == list(expected.rows())


def test_subtopics(tmp_path: Path) -> None:
    judged, found = rows_of()
    rows = [(q, d % 2 + 1, d, g) for q, d, g in judged]
    qrels = put(tmp_path / "qrels", table(rows, ["query_id", "subtopic", "doc_id", "grade"]))
    run = put(tmp_path / "run", table(found, RUN))
    measures = ["alpha_nDCG@5", "ERR_IA@5"]
    assert told(asked(qrels, run, measures)) == told(gainful.evaluate(qrels, run, measures))


def test_bounds_and_weights(files: tuple[Path, Path]) -> None:
    weights = {str(query): 1.0 + query % 3 for query in range(40)}
    for options in ({"bounds": True}, {"weights": weights}):
        expected = gainful.evaluate(*files, MEASURES, **options)
        found = asked(*files, **options)
        assert found.scale == expected.scale
        assert told(found) == told(expected)


# --- several systems ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["string", "dictionary", "int16", "files"])
def test_several_systems(tmp_path: Path, kind: str) -> None:
    """Each is measured over all judged queries, also in ranges that have no row of it."""
    pa = need("pyarrow")
    judged, _ = rows_of()
    runs = {"2": rows_of(2)[1], "10": rows_of(3)[1][:30]}
    qrels = put(tmp_path / "qrels", table(judged, QRELS))
    if kind == "files":
        given: Any = {
            name: put(tmp_path / name, table(rows, RUN)) for name, rows in sorted(runs.items())
        }
    else:
        own = pa.dictionary("int8", pa.string()) if kind == "dictionary" else getattr(pa, kind)()
        mixed = sorted(
            (*row, int(name) if kind == "int16" else name)
            for name, rows in runs.items()
            for row in rows
        )
        given = put(tmp_path / "run", table(mixed, [*RUN, "system"], system=own))
    expected = gainful.evaluate(
        table(judged, QRELS),
        runs={name: table(runs[name], RUN) for name in sorted(runs)},
        measures=MEASURES,
    )
    assert told(asked(qrels, given)) == told(expected)


def test_names_of_runs(files: tuple[Path, Path]) -> None:
    """A file gives its own, as it does where gainful.evaluate reads it; any text is one."""
    assert asked(files[0], files[1]).systems == ("run",)
    assert asked(files[0], files[1] / "0.parquet").systems == ("0",)
    assert asked(files[0], {"": files[1], 7: files[1]}).systems == ("", "7")


# --- what is wrong --------------------------------------------------------------------------------


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
        assert f"the run: found a null in column {column!r}" in str(error)


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
    told = f"column 'query_id' of the run: found type 'bigint', and 'string' in {run}/1.parquet"
    assert told in str(error)
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
    assert "expected Parquet" in str(error)
    assert "makes Parquet of judgments" in str(error)
    whole = (run / "0.parquet").read_bytes()
    (tmp_path / "half.parquet").write_bytes(whole[: len(whole) // 2])
    assert isinstance(refused(qrels, tmp_path / "half.parquet"), SourceError)
    (tmp_path / "empty").mkdir()
    assert "a directory without Parquet" in str(refused(qrels, tmp_path / "empty"))


def test_files_that_are_gone_when_they_are_read(files: tuple[Path, Path]) -> None:
    result = backend.evaluate(*files, MEASURES, session=LocalSession())
    (files[1] / "0.parquet").unlink()
    with pytest.raises(SourceNotFoundError, match="no such file on an executor.*all machines see"):
        result.evaluation()


def test_files_that_change(files: tuple[Path, Path]) -> None:
    from pyarrow import parquet

    result = backend.evaluate(*files, MEASURES, session=LocalSession())
    path = files[1] / "0.parquet"
    parquet.write_table(parquet.read_table(path).slice(1), path, row_group_size=20)
    with pytest.raises(SourceError, match="another file than when the evaluation was planned"):
        result.evaluation()


def test_a_page_that_is_damaged(files: tuple[Path, Path]) -> None:
    result = backend.evaluate(*files, MEASURES, session=LocalSession())
    path = files[1] / "0.parquet"
    whole = bytearray(path.read_bytes())
    whole[4:60] = b"\xff" * 56
    path.write_bytes(whole)
    with pytest.raises(SourceError, match="cannot be read on an executor"):
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
    with pytest.raises(ArgumentError, match=r"found an address, and no session.*session=SESSION"):
        backend.evaluate(*files, MEASURES)


def test_what_is_no_session(files: tuple[Path, Path]) -> None:
    with pytest.raises(ArgumentError, match="session: found str, expected a session of Spark"):
        backend.evaluate(*files, MEASURES, session="local[2]")  # type: ignore[arg-type]


def test_no_pyarrow(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ArgumentError, match="no pyarrow"):
        backend.evaluate(*files, MEASURES, session=LocalSession())


def test_a_system_that_came_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged, found = rows_of()
    qrels = put(tmp_path / "qrels", table(judged, QRELS))
    named = [(*row, "ab"[row[0] % 2]) for row in found]
    run = put(tmp_path / "run", table(named, [*RUN, "system"]))
    from gainful.backends.spark import call

    monkeypatch.setattr(call, "systems_of", lambda runs: ["a"])
    assert "not there when the evaluation was planned" in str(refused(qrels, run))


def test_types_are_found_before_a_job_is(tmp_path: Path) -> None:
    """What is wrong with the columns is an error of the call, not of its rows."""
    judged, found = rows_of()
    qrels = put(tmp_path / "qrels", table([(q, d, "1") for q, d, _ in judged], QRELS))
    run = put(tmp_path / "run", table(found, RUN))
    with pytest.raises(ColumnError, match="column 'grade' of the judgments: found type string"):
        backend.evaluate(qrels, run, MEASURES, session=LocalSession())
    assert Judgments.what == "the judgments"
