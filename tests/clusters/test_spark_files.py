"""gainful.backends.spark.evaluate() on addresses of Parquet, in Spark."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import gainful
from evaluation_words import contents, sorted_rows
from gainful.backends import spark as backend
from gainful.backends.spark import inputs, parts
from gainful.errors import GainfulError, SourceError
from random_rankings import draw
from requirements import need
from spark_tables import frame, numbered, rows_of
from thrift_compact import BINARY, footer, with_footer

MEASURES = ["nDCG@10", "AP", "RR"]
DRAWN = draw(8, queries=60, longest=30)
QRELS, RUN = numbered(DRAWN.qrels), numbered(DRAWN.run)
OTHER = {query: {document: -score for document, score in RUN[query].items()} for query in RUN}
# A query that the run lacks, and one that nobody judged.
RUN.pop(next(iter(RUN)))
RUN["9999"] = {"1": 1.0}


def put(folder: Path, table: Any, number: str, *, order: bool = True, ids: str = "int64") -> Path:
    """Write judgments or a run into two files with small row groups."""
    pa = need("pyarrow")
    from pyarrow import parquet

    rows = [(int(q), int(d), value) for q, d, value in rows_of(table)]
    rows.sort(key=None if order else lambda row: (row[2], row[1]))
    columns = list(zip(*rows, strict=True))
    kinds = (getattr(pa, ids)(), pa.int32(), pa.float64())
    whole = pa.table(
        [
            pa.array(map(str, column) if kind == pa.string() else column, kind)
            for column, kind in zip(columns, kinds, strict=True)
        ],
        names=["query_id", "doc_id", number],
    )
    folder.mkdir(parents=True)
    for at in range(2):
        part = whole.slice(at * len(whole) // 2, len(whole) // 2 + at)
        parquet.write_table(part, folder / f"{at}.parquet", row_group_size=50)
    return folder


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return put(tmp_path / "qrels", QRELS, "grade"), put(tmp_path / "run", RUN, "score")


def plan_of(rows: Any) -> str:
    message = StringIO()
    with redirect_stdout(message):
        rows.explain()
    return message.getvalue()


@pytest.mark.parametrize("ids", ["int64", "string"])
def test_the_rows_are_those_of_evaluate(spark: Any, tmp_path: Path, ids: str) -> None:
    qrels = put(tmp_path / "qrels", QRELS, "grade", ids=ids)
    run = put(tmp_path / "run", RUN, "score", ids=ids)
    found = backend.evaluate(qrels, run, MEASURES, session=spark, partitions=5)
    assert found.way.endswith("ranges of queries")
    assert repr(found).endswith(f"; {found.way}>")
    whole = contents(gainful.evaluate(qrels, run, MEASURES))
    assert contents(found.evaluation()) == whole
    assert found.rows.schema["query_id"].dataType.typeName() == {"int64": "long"}.get(ids, ids)
    found.rows.write.parquet(str(tmp_path / "rows"))
    assert contents(gainful.Evaluation.from_rows(str(tmp_path / "rows"), MEASURES)) == whole


def test_nothing_is_shuffled(classic_spark: Any, files: tuple[Path, Path]) -> None:
    """And the session is the one that is active."""
    found = backend.evaluate(*files, MEASURES)
    assert "Exchange" not in plan_of(found.rows)
    assert "MapInArrow" in plan_of(found.rows)


def test_nothing_is_computed_before_it_is_asked_for(
    classic_spark: Any, files: tuple[Path, Path]
) -> None:
    tracker = classic_spark.sparkContext.statusTracker()
    classic_spark.sparkContext.setJobGroup("ranges", "ranges")
    result = backend.evaluate(*files, "nDCG@10")
    assert tracker.getJobIdsForGroup("ranges") == []
    result.evaluation()
    print(result)
    assert len(tracker.getJobIdsForGroup("ranges")) == 1


def test_rows_that_spark_keeps_are_not_made_again(
    classic_spark: Any, files: tuple[Path, Path]
) -> None:
    result = backend.evaluate(*files, MEASURES)
    result.rows.cache().count()
    for path in files:
        for file in path.iterdir():
            file.unlink()
    assert result.evaluation().mean("AP") > 0
    result.rows.unpersist()


@pytest.mark.parametrize("as_column", [True, False])
def test_several_systems(spark: Any, tmp_path: Path, as_column: bool) -> None:
    from pyarrow import compute, parquet

    qrels = put(tmp_path / "qrels", QRELS, "grade")
    paths = {name: put(tmp_path / name, run, "score") for name, run in (("a", RUN), ("b", OTHER))}
    given: Any = paths
    if as_column:
        tables = [
            parquet.read_table(path).append_column(
                "system", [[name] * len(parquet.read_table(path))]
            )
            for name, path in paths.items()
        ]
        mixed = need("pyarrow").concat_tables(tables).sort_by("query_id")
        assert compute.count_distinct(mixed["system"]).as_py() == 2
        given = tmp_path / "both.parquet"
        parquet.write_table(mixed, given, row_group_size=100)
    found = backend.evaluate(qrels, given, MEASURES, session=spark, bounds=True)
    assert found.way == "one range of queries"
    whole = gainful.evaluate(
        qrels,
        runs={name: str(path) for name, path in paths.items()},
        measures=MEASURES,
        bounds=True,
    )
    assert contents(found.evaluation()) == contents(whole)


@pytest.mark.parametrize("ids", ["int64", "string"])
def test_statistics_that_lie(spark: Any, tmp_path: Path, ids: str) -> None:
    """Rows of queries outside the stated bounds would be in no range."""
    qrels = put(tmp_path / "qrels", QRELS, "grade", ids=ids)
    run = put(tmp_path / "run", RUN, "score", ids=ids)
    content = (run / "0.parquet").read_bytes()
    lying = footer(content)
    statistics = lying[4].items[1][1].items[0][3][12]
    # The greatest query is the least, too.
    statistics.put(5, BINARY, statistics[6])
    (run / "0.parquet").write_bytes(with_footer(content, lying))
    found = backend.evaluate(qrels, run, MEASURES, session=spark, partitions=5)
    assert found.way.endswith("ranges of queries")
    with pytest.raises(SourceError, match=r"0\.parquet, row group 1: found query .*the footer"):
        found.evaluation()


# --- files that are shuffled after all ------------------------------------------------------------


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take a few rows for many, which no single task is to read."""
    for name, value in {"_FEWEST": 50, "_MOST": 200, "_LARGE": 200, "_READ": 1.5}.items():
        monkeypatch.setattr(parts, name, value)


@pytest.mark.usefixtures("few")
def test_queries_that_stand_apart(spark: Any, tmp_path: Path) -> None:
    """In files whose names mean something to Spark, of integers of different widths."""
    from pyarrow import parquet

    qrels = put(tmp_path / "a [1]{2}*", QRELS, "grade")
    run = put(tmp_path / "b?%20=c", RUN, "score", order=False)
    for number, kind in enumerate(("int16", "int64")):
        path = run / f"{number}.parquet"
        table = parquet.read_table(path)
        table = table.set_column(0, "query_id", table["query_id"].cast(kind))
        parquet.write_table(table, path, row_group_size=9)
    found = backend.evaluate(qrels, run, MEASURES, session=spark)
    assert found.way.startswith("shuffled, since ")
    assert "sorted by query" in repr(found)
    assert "Exchange" in plan_of(found.rows)
    whole = gainful.evaluate([str(path) for path in sorted(qrels.iterdir())], run, MEASURES)
    assert sorted_rows(found.evaluation()) == sorted_rows(whole)


def test_ids_of_two_types(spark: Any, tmp_path: Path) -> None:
    """Numbers and texts are ordered differently."""
    qrels = put(tmp_path / "qrels", QRELS, "grade")
    run = put(tmp_path / "run", RUN, "score", ids="string")
    found = backend.evaluate(qrels, run, MEASURES, session=spark)
    assert "of several types" in found.way
    assert contents(found.evaluation()) == contents(gainful.evaluate(qrels, run, MEASURES))


def test_types_that_spark_converts(classic_spark: Any, tmp_path: Path) -> None:
    from pyarrow import parquet

    qrels = put(tmp_path / "qrels", QRELS, "grade")
    run = put(tmp_path / "run", RUN, "score")
    for path in qrels.iterdir():
        table = parquet.read_table(path)
        column = table["query_id"].cast(need("pyarrow").decimal128(20, 0))
        parquet.write_table(table.set_column(0, "query_id", column), path)
    found = backend.evaluate(qrels, run, MEASURES)
    assert found.way == "shuffled, since columns of the judgments are of types that Spark converts"
    rows = sorted_rows(gainful.evaluate(QRELS, RUN, MEASURES))
    assert sorted_rows(found.evaluation()) == rows


def test_an_address_and_a_table(spark: Any, files: tuple[Path, Path]) -> None:
    found = backend.evaluate(frame(spark, QRELS, "grade"), files[1], MEASURES)
    assert found.way == "shuffled, since DataFrames and files are mixed"
    assert contents(found.evaluation()) == contents(gainful.evaluate(QRELS, RUN, MEASURES))


def test_an_address_that_spark_alone_reads(
    classic_spark: Any, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the driver lacks what fsspec needs for it."""
    from gainful.data.remote import RemoteFile

    fsspec = need("fsspec")

    def lacking(address: str) -> None:
        raise ImportError("no package")

    monkeypatch.setattr(fsspec.core, "url_to_fs", lacking)
    monkeypatch.setattr(inputs, "as_paths", lambda table: [RemoteFile(f"file://{table}")])
    found = backend.evaluate(*files, MEASURES)
    assert found.way.startswith("shuffled, since fsspec does not read the judgments here (fsspec")
    assert contents(found.evaluation()) == contents(gainful.evaluate(*files, MEASURES))


# --- what is wrong --------------------------------------------------------------------------------


def test_files_that_the_executors_do_not_see(spark: Any, files: tuple[Path, Path]) -> None:
    """What is in the memory of the driver is nowhere else."""
    from pyarrow import parquet

    store = need("fsspec").filesystem("memory")
    for at in range(2):
        # Judgments and a run at once, as the columns are called.
        rows = parquet.read_table(files[1] / f"{at}.parquet")
        rows = rows.append_column("grade", rows["score"])
        sink = need("pyarrow").BufferOutputStream()
        parquet.write_table(rows, sink)
        store.pipe_file(f"/spark/{at}.parquet", sink.getvalue().to_pybytes())
    found = backend.evaluate(files[0], "memory://spark/", "RR", session=spark)
    contents = r"no such file on an executor: memory://.*spark/[01].parquet"
    with pytest.raises(SourceError, match=contents):
        found.evaluation()
    with pytest.raises(SourceError, match=contents):
        backend.evaluate("memory://spark/", files[1], "RR", session=spark, bounds=True)


def test_an_address_that_nobody_reads(spark: Any, files: tuple[Path, Path]) -> None:
    with pytest.raises(SourceError) as caught:
        backend.evaluate(files[0], "nowhere://me:secret@there/run", "RR", session=spark)
    contents = str(caught.value)
    assert contents.startswith("nowhere://there/run: fsspec cannot use this address")
    assert "and Spark does not read it" in contents
    assert "secret" not in contents
    assert "\n" not in contents


@pytest.mark.usefixtures("few")
def test_files_that_spark_cannot_shuffle(classic_spark: Any, tmp_path: Path) -> None:
    store = need("fsspec").filesystem("memory")
    qrels = put(tmp_path / "qrels", QRELS, "grade")
    run = put(tmp_path / "run", RUN, "score", order=False)
    from pyarrow import parquet

    table = parquet.read_table(run)
    parquet.write_table(table, tmp_path / "mixed.parquet", row_group_size=30)
    store.pipe_file("/mixed.parquet", (tmp_path / "mixed.parquet").read_bytes())
    with pytest.raises(SourceError, match="Spark cannot read the files: .*sort them by query"):
        backend.evaluate(qrels, "memory://mixed.parquet", "RR")


def test_an_error_of_the_rows(spark: Any, tmp_path: Path, files: tuple[Path, Path]) -> None:
    from pyarrow import parquet

    path = files[1] / "1.parquet"
    table = parquet.read_table(path)
    parquet.write_table(need("pyarrow").concat_tables([table, table.slice(len(table) - 9)]), path)
    with pytest.raises(GainfulError) as caught:
        backend.evaluate(*files, "RR", session=spark).evaluation()
    assert type(caught.value) is gainful.errors.DuplicateError
    assert str(caught.value).startswith("the run, query '")
    assert "Traceback" not in str(caught.value)
