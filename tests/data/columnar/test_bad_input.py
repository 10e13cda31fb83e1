"""Invalid columnar tables from every kind of source: one error, or the rows."""

from __future__ import annotations

import atexit
import datetime
import shutil
import tempfile
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import gainful
from bad_columns import COLUMNS, QRELS, RUN, arrow, parquet, whole
from columnar_data import as_rows
from evaluation_words import contents
from gainful.errors import ColumnError, FormatError, GainfulError, SourceError
from repeated_tests import for_each
from requirements import need


def polars(table: Any, folder: Path) -> Any:
    """Return a table as a frame of polars."""
    return need("polars").from_arrow(table)


#: The sources of a table.
WAYS: dict[str, Callable[[Any, Path], Any]] = {
    "Parquet": lambda table, folder: parquet(table, folder / "run.parquet"),
    "Arrow file": lambda table, folder: arrow(table, folder / "run.arrow"),
    "Arrow stream": lambda table, folder: arrow(table, folder / "run.arrows", "stream"),
    "pyarrow": lambda table, folder: table,
    "reader": lambda table, folder: table.to_reader(max_chunksize=2),
    "polars": polars,
    "pandas": lambda table, folder: table.to_pandas(),
}
FILES = ("Parquet", "Arrow file", "Arrow stream")


class Way(NamedTuple):
    """A conversion of a table to a kind of source."""

    name: str

    def __call__(self, table: Any) -> Any:
        return WAYS[self.name](table, folder())


@cache
def folder() -> Path:
    """Return a folder whose files each test overwrites."""
    made = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, made)
    return made


every_way = for_each("way", map(Way, WAYS))


def refused(table: Any, way: Any, kind: type[GainfulError] = ColumnError) -> str:
    """Return the error message of a run, which is the same if the run is in memory."""
    with pytest.raises(kind) as measured:
        gainful.evaluate(QRELS, way(table), "AP")
    with pytest.raises(kind) as held:
        gainful.Run(way(table))
    message = str(measured.value)
    # A table in memory has no name; the message has its rows, and its number if there are two.
    named = kind is ColumnError and way.name not in FILES
    assert message.startswith("the run") == named
    assert message.removeprefix("the run").removeprefix(", ").removeprefix(": ") == str(held.value)
    assert "\n" not in message
    assert (".parquet" in message or ".arrow" in message) == (way.name in FILES)
    return message


# --- columns and their types --------------------------------------------------------------------


@for_each("column", ["query_id", "doc_id"])
@every_way
def test_a_missing_column_is_an_error(way: Any, column: str) -> None:
    with pytest.raises(ColumnError) as error:
        gainful.evaluate(QRELS, way(whole(**{column: None})), "AP")
    assert f"expected a column {column} (" in str(error.value)


@every_way
def test_rows_without_scores_are_in_order(way: Any) -> None:
    table = whole(score=None, doc_id=["2", "1", "3", "4"])
    run = gainful.Run(way(table))
    assert run.to_dict() == {"1": ["2", "1"], "2": ["3", "4"]}
    whole_run = gainful.evaluate(QRELS, run, "AP")
    assert contents(gainful.evaluate(QRELS, way(table), "AP")) == contents(whole_run)


def _kinds() -> dict[str, Callable[[], Any]]:
    import pyarrow as pa

    day = datetime.datetime(2026, 1, 1)
    return {
        "Timestamp": lambda: pa.array([day] * 4),
        "Date32": lambda: pa.array([day.date()] * 4),
        "Struct": lambda: pa.array([{"a": 1}] * 4),
        "List": lambda: pa.array([[1], [2], [3], [4]]),
    }


@for_each("column", list(COLUMNS))
@for_each("kind", ["Timestamp", "Date32", "Struct", "List"])
@every_way
def test_columns_of_other_types_are_errors(way: Any, column: str, kind: str) -> None:
    need("pyarrow")
    message = refused(whole(**{column: _kinds()[kind]()}), way)
    wanted = "numbers" if column == "score" else "text, bytes or integers"
    assert f"found column '{column}' of type " in message
    assert kind in message
    assert f", expected {wanted}. Hint: cast the column to " in message
    assert "row 0" not in message, "it is the column and not a row of it"


@for_each("column", ["query_id", "doc_id"])
@every_way
def test_fractional_ids_are_errors(way: Any, column: str) -> None:
    pa = need("pyarrow")
    floats = refused(whole(**{column: [1.0, 2.0, 3.0, 4.0]}), way)
    assert f"found column '{column}' of type Float64" in floats
    assert "data frames convert integers with missing values to floats" in floats
    decimals = pa.array([Decimal(at) for at in range(4)], pa.decimal128(10, 0))
    assert f"found column '{column}' of type Decimal128" in refused(
        whole(**{column: decimals}), way
    )


@every_way
def test_scores_that_are_text(way: Any) -> None:
    assert "found column 'score' of type" in refused(whole(score=["a", "b", "c", "d"]), way)


@for_each("column", list(COLUMNS))
@every_way
def test_a_column_of_nulls(way: Any, column: str) -> None:
    pa = need("pyarrow")
    message = refused_anywhere(whole(**{column: pa.nulls(4)}), way)
    assert "Null" in message


def refused_anywhere(table: Any, way: Any) -> str:
    """Return the error message of a run."""
    with pytest.raises(ColumnError) as error:
        gainful.evaluate(QRELS, way(table), "AP")
    return str(error.value)


@for_each("column", list(COLUMNS))
@every_way
def test_a_null(way: Any, column: str) -> None:
    values = [*COLUMNS[column]]
    values[1] = None
    message = refused(whole(**{column: values}), way)
    assert f"row 1: null in column '{column}'" in message


@for_each("value", [float("nan"), float("inf"), float("-inf")])
@every_way
def test_a_score_that_is_not_finite(way: Any, value: float) -> None:
    table = whole(score=[3.0, 2.0, value, 0.5])
    if way.name == "pandas" and value != value:
        assert "row 2: null in column 'score'" in refused(table, way)
        return
    message = refused(table, way, FormatError)
    assert "row 2, query '2', document '3': found " in message
    assert "in column 'score', expected a score (a finite number)" in message


@every_way
def test_an_integer_without_an_equal_float_is_an_error(way: Any) -> None:
    message = refused(whole(score=[1, 2, 3, 2**60 + 1]), way, FormatError)
    assert f"row 3, query '2', document '4': score '{2**60 + 1}' is rounded to another" in message


def test_duplicate_column_names_are_errors(tmp_path: Path) -> None:
    pa, pd = need("pyarrow"), need("pandas")
    names = ["query_id", "doc_id", "doc_id", "score"]
    values = [COLUMNS["query_id"], COLUMNS["doc_id"], COLUMNS["doc_id"], COLUMNS["score"]]
    table = pa.table([pa.array(own) for own in values], names=names)
    frame = pd.DataFrame(dict(enumerate(values)))
    frame.columns = names
    files = (parquet(table, tmp_path / "a.parquet"), arrow(table, tmp_path / "a.arrow"))
    for run in (table, frame, *files):
        with pytest.raises(ColumnError, match="several columns are named 'doc_id'"):
            gainful.evaluate(QRELS, run, "AP")
    parquet(whole(), tmp_path / "0.parquet")
    with pytest.raises(ColumnError, match=r"a.parquet: several columns are named 'doc_id'"):
        gainful.evaluate(QRELS, {"run": [tmp_path / "0.parquet", tmp_path / "a.parquet"]}, "AP")


# --- valid rows ---------------------------------------------------------------------------------


def _right() -> dict[str, Callable[[], dict[str, Any]]]:
    import pyarrow as pa

    scores = [Decimal("3.00"), Decimal("2.00"), Decimal("1.00"), Decimal("0.50")]
    nested = [{"a": {"b": [1]}}, None, {"a": None}, {"a": {"b": []}}]
    return {
        "as it is": dict,
        "decimals": lambda: {"score": pa.array(scores, pa.decimal128(10, 2))},
        "wide decimals": lambda: {"score": pa.array(scores, pa.decimal256(40, 2))},
        "half floats": lambda: {"score": pa.array(COLUMNS["score"]).cast(pa.float16())},
        "fixed binary": lambda: {
            name: pa.array([id.encode() for id in COLUMNS[name]], pa.binary(1))
            for name in ("query_id", "doc_id")
        },
        "binary": lambda: {"doc_id": pa.array([id.encode() for id in COLUMNS["doc_id"]])},
        "nested elsewhere": lambda: {"deep": pa.array(nested), "more": pa.array([[1.5]] * 4)},
        "nulls elsewhere": lambda: {"none": pa.nulls(4), "some": pa.array([1, None, 3, None])},
        "dictionary of integers": lambda: {
            "doc_id": pa.array([1, 2, 3, 4]).dictionary_encode(),
        },
        "huge text elsewhere": lambda: {"text": pa.array(["x" * (1 << 24), "", "y", "z"])},
    }


@for_each(
    "case",
    [
        *("as it is", "decimals", "wide decimals", "half floats", "fixed binary", "binary"),
        *("nested elsewhere", "nulls elsewhere", "dictionary of integers", "huge text elsewhere"),
    ],
)
@every_way
def test_valid_rows(way: Any, case: str) -> None:
    need("pyarrow")
    if (way.name, case) == ("polars", "wide decimals"):
        return  # It has no decimals of 256 bits.
    run = {"1": {"1": 3.0, "2": 2.0}, "2": {"3": 1.0, "4": 0.5}}
    expected = as_rows(gainful.evaluate(QRELS, run, ["AP", "nDCG"]))
    assert (
        as_rows(gainful.evaluate(QRELS, way(whole(**_right()[case]())), ["AP", "nDCG"])) == expected
    )


@every_way
def test_huge_ids(way: Any) -> None:
    long = "d" * (1 << 22)
    found = gainful.evaluate({"1": {long: 1}}, way(whole(doc_id=[long, "2", "3", "4"])), "AP")
    assert found.mean() == 1.0


@pytest.mark.parametrize("sizes", [[0, 4], [0, 0, 1, 0, 3, 0], [4, 0]])
def test_batches_of_no_rows(tmp_path: Path, sizes: list[int]) -> None:
    pa = need("pyarrow")
    table = whole()
    parts, at = [], 0
    for size in sizes:
        columns = [column.slice(at, size).combine_chunks() for column in table.columns]
        parts.append(pa.RecordBatch.from_arrays(columns, schema=table.schema))
        at += size
    for name, new in (("run.arrow", pa.ipc.new_file), ("run.arrows", pa.ipc.new_stream)):
        with new(str(tmp_path / name), table.schema) as writer:
            for part in parts:
                writer.write_batch(part)
    reader = pa.RecordBatchReader.from_batches(table.schema, parts)
    expected = as_rows(gainful.evaluate(QRELS, table, "AP"))
    for run in (reader, tmp_path / "run.arrow", tmp_path / "run.arrows"):
        assert as_rows(gainful.evaluate(QRELS, run, "AP")) == expected
    for number, part in enumerate(parts):
        parquet(pa.Table.from_batches([part]), tmp_path / f"part-{number}.parquet")
    assert as_rows(gainful.evaluate(QRELS, str(tmp_path / "*.parquet"), "AP")) == expected


@every_way
def test_no_rows_at_all(way: Any) -> None:
    message = refused(whole().slice(0, 0), way, FormatError)
    assert "the table has no rows" in message
    assert ("was it read before?" in message) == (way.name == "reader")


def test_a_consumed_reader_is_an_error() -> None:
    reader = whole().to_reader()
    reader.read_all()
    with pytest.raises(FormatError, match="a reader can be read only once; was it read before"):
        gainful.evaluate(QRELS, reader, "AP")


# --- streams that fail --------------------------------------------------------------------------


@for_each("after", [0, 1, 3])
@for_each("where", ["run", "qrels"])
def test_a_producer_that_raises(after: int, where: str) -> None:
    pa = need("pyarrow")
    table = whole() if where == "run" else whole().rename_columns(["query_id", "doc_id", "grade"])

    def batches() -> Iterator[Any]:
        for _ in range(after):
            yield table.to_batches()[0]
        raise ValueError("the cluster is gone\nand more")

    reader = pa.RecordBatchReader.from_batches(table.schema, batches())
    given = (QRELS, reader) if where == "run" else (reader, RUN)
    with pytest.raises(GainfulError) as error:
        gainful.evaluate(*given, "AP")  # type: ignore[arg-type]
    if after < 2:
        assert isinstance(error.value, SourceError)
        assert "cannot read the Arrow stream (Invalid: the cluster is gone)" in str(error.value)
    assert "Traceback" not in str(error.value)


def test_ctrl_c_in_a_producer() -> None:
    pa = need("pyarrow")
    table = whole()

    def batches() -> Iterator[Any]:
        yield table.to_batches()[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gainful.evaluate(QRELS, pa.RecordBatchReader.from_batches(table.schema, batches()), "AP")


def test_an_export_that_fails() -> None:
    class Broken:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise RuntimeError("no stream today")

    with pytest.raises(SourceError, match=r"cannot be read \(RuntimeError: no stream today\)"):
        gainful.evaluate(QRELS, Broken(), "AP")


def test_types_that_only_polars_has() -> None:
    pl = need("polars")
    frame = pl.DataFrame({"query_id": ["1"], "doc_id": ["1"], "score": [1.0], "wide": [1]})
    wide = frame.with_columns(pl.col("wide").cast(pl.Int128))
    assert gainful.evaluate(QRELS, wide, "AP").mean() == 0.25
    ids = frame.with_columns(pl.col("wide").cast(pl.Int128).alias("doc_id"))
    with pytest.raises(FormatError, match="with columns of standard types"):
        gainful.evaluate(QRELS, ids, "AP")
