"""Evaluation.to_rows and from_rows restore every value bit for bit."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gainful
from combinations import in_turn
from evaluation_words import contents
from gainful.errors import (
    ArgumentError,
    ColumnError,
    FormatError,
    MatchError,
    MeasureError,
    SourceError,
    SourceNotFoundError,
)
from random_rankings import draw
from requirements import need

pyarrow = need("pyarrow")

MEASURES = ["nDCG@10", "AP", "RR", "GMAP", "NumRel", "IDCG@10", "nDCG(gain='exponential')"]


def evaluated(seed: int = 1, **options: Any) -> gainful.Evaluation:
    first, second = draw(seed, queries=15), draw(seed + 1, queries=15)
    names = list(first.qrels)
    qrels = {name: first.qrels[name] for name in names[2:]}
    runs = {"b": {name: first.run[name] for name in names[:-2]}, "a": second.run}
    return gainful.evaluate(qrels, runs=runs, **{"measures": MEASURES} | options)


def back(rows: Any, **options: Any) -> gainful.Evaluation:
    return gainful.Evaluation.from_rows(rows, **{"measures": MEASURES} | options)


def parquet(table: Any, folder: Path) -> Any:
    from pyarrow import parquet

    parquet.write_table(table, folder / "rows.parquet")
    return str(folder / "rows.parquet")


def spread(table: Any, folder: Path) -> Any:
    from pyarrow import dataset

    dataset.write_dataset(
        table, folder / "rows", format="parquet", max_rows_per_file=5, max_rows_per_group=5
    )
    return folder / "rows"


WAYS = {
    "itself": lambda rows, _: rows,
    "table": lambda rows, _: pyarrow.table(rows),
    "reader": lambda rows, _: pyarrow.table(rows).to_reader(),
    "batches": lambda rows, _: pyarrow.table(rows).to_batches(max_chunksize=4),
    "polars": lambda rows, _: need("polars").DataFrame(rows),
    "pandas": lambda rows, _: pyarrow.table(rows).to_pandas(),
    "records": lambda rows, _: pyarrow.Table.from_pylist(pyarrow.table(rows).to_pylist()),
    "parquet": lambda rows, folder: parquet(pyarrow.table(rows), folder),
    "data set": lambda rows, folder: spread(pyarrow.table(rows), folder),
    "dictionaries": lambda rows, _: pyarrow.table(
        {
            name: column.dictionary_encode() if column.type == "string" else column
            for name, column in zip(
                pyarrow.table(rows).column_names, pyarrow.table(rows).columns, strict=True
            )
        }
    ),
}


POLICIES: list[dict[str, Any]] = [
    {},
    {"no_relevant": "skip"},
    {"no_relevant": "nan"},
    {"missing": "skip"},
    {"rounding": "query:3"},
]


@pytest.mark.parametrize(("way", "policies"), in_turn([*WAYS], POLICIES, 2), ids=str)
def test_rows_restore_the_evaluation(way: str, policies: dict[str, Any], tmp_path: Path) -> None:
    need("pandas")
    convention = gainful.Convention(**policies)
    whole = evaluated(convention=convention)
    rows = WAYS[way](whole.to_rows(), tmp_path)
    found = back(rows, convention=convention)
    # Systems are sorted by name.
    assert found.systems == ("a", "b")
    assert sorted(contents(found)[2:]) == sorted(contents(whole)[2:])
    for system in whole.systems:
        assert found.counts(system) == whole.counts(system)
        for measure in MEASURES:
            assert repr(found.summary(measure, system)) == repr(whole.summary(measure, system))


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10_000))
@pytest.mark.parametrize("unweighted", ["nothing", "no-relevant"])
def test_rows_in_any_order_with_weights(unweighted: str, seed: int) -> None:
    source = random.Random(seed)
    drawn = draw(seed, queries=25)
    weights = {query: source.choice((0.5, 1, 3)) for query in drawn.qrels}
    convention = gainful.Convention(unweighted=unweighted)
    options: dict[str, Any] = {"measures": MEASURES, "weights": weights, "convention": convention}
    whole = gainful.evaluate(drawn.qrels, drawn.run, **options)
    table = pyarrow.table(whole.to_rows())
    table = table.take(source.sample(range(len(table)), len(table)))
    assert contents(back(table, **options)) == contents(whole)
    again = back(back(table, **options).to_rows(), **options)
    assert contents(again) == contents(whole)


def test_the_average_of_a_column_is_the_mean() -> None:
    whole = evaluated(convention=gainful.Convention(no_relevant="skip"))
    frame = need("polars").DataFrame(whole.to_rows())
    for system in whole.systems:
        for measure in ("nDCG@10", "AP", "RR"):
            mean = frame.filter(system=system)[measure].mean()
            assert math.isclose(mean, whole.mean(measure, system), rel_tol=1e-14)


def test_types_never_depend_on_the_rows() -> None:
    full = evaluated().to_rows()
    empty = gainful.evaluate({"q": {"d": 1}}, {"q": ["d"]}, MEASURES).to_rows()
    nothing = pyarrow.table(evaluated().to_rows()).slice(0, 0)
    assert pyarrow.table(full).schema == pyarrow.table(empty).schema == nothing.schema
    contents = {field.name: str(field.type) for field in pyarrow.table(full).schema}
    assert contents == full.columns
    assert len(full) == len(pyarrow.table(full))


def test_judgments_can_have_a_name() -> None:
    drawn = draw(2, queries=5)
    whole = gainful.evaluate(drawn.qrels, drawn.run, "AP")
    assert back(whole.to_rows(), measures="AP").judgments_digest is None
    found = back(whole.to_rows(), measures="AP", qrels=drawn.qrels)
    assert found.judgments_digest == whole.judgments_digest is not None


def test_other_rows_are_errors() -> None:
    rows = evaluated().to_rows()
    with pytest.raises(MatchError, match=r"made by gainful-1:\w+, expected .* by trec_eval-10"):
        back(rows, convention="trec_eval-10")
    with pytest.raises(MatchError, match="measures in the same order"):
        back(rows, measures=MEASURES[::-1])
    with pytest.raises(ColumnError, match="a column 'P@3'"):
        back(rows, measures=["P@3"])
    with pytest.raises(MatchError, match="made by gainful-1"):
        # The defaults of the convention complete a measure without parameters.
        back(rows, convention=gainful.Convention(defaults={"nDCG": {"gain": "exponential"}}))


def test_a_duplicate_query_is_an_error() -> None:
    rows = gainful.evaluate({"q": {"d": 1}}, {"q": ["d"]}, "AP").to_rows()
    with pytest.raises(MatchError, match="query 'q': its ranking is in two parts"):
        back([rows, rows], measures="AP")


def test_no_common_query() -> None:
    from gainful.evaluation.partition import score_partition

    rows = score_partition({"q": {"d": 1}}, {"p": ["d"]}, "AP")
    with pytest.raises(MatchError, match="no query in common: 1 in the judgments, 1 in the run"):
        back(rows, measures="AP")
    with pytest.raises(MatchError, match="no rows"):
        back([], measures="AP")
    with pytest.raises(MatchError, match="no rows"):
        back(score_partition(None, None, "AP"), measures="AP")


def changed(column: str, value: object) -> Any:
    table = pyarrow.table(evaluated(measures="AP").to_rows())
    own = table[column].to_pylist()
    own[3] = value
    at = table.column_names.index(column)
    return table.set_column(at, column, pyarrow.array(own, table.schema.field(at).type))


@pytest.mark.parametrize(
    ("column", "value", "error", "match"),
    [
        ("AP", None, ColumnError, "null in column 'AP'"),
        ("retrieved", None, ColumnError, "null in column 'retrieved'"),
        ("query_id", None, ColumnError, "null in column 'query_id'"),
        ("system", None, ColumnError, "null in column 'system'"),
        ("status", "done", FormatError, "row 3: found the status 'done'"),
        ("status", None, FormatError, "the status 'null'"),
        ("flags", "..", FormatError, "the flags '..'"),
        ("flags", "?", FormatError, "the flags '?'"),
        ("flags", ".?", FormatError, "the flags '.\\?'"),
        ("flags", None, FormatError, "the flags ''"),
        ("queries", -1, FormatError, "-1 queries"),
        ("AP", math.nan, FormatError, "row 3, query '.*': found NaN in column .AP"),
        ("tied", -1, FormatError, "found -1 in column 'tied', expected a count"),
        ("queries", None, ColumnError, "null in column 'queries'"),
        ("convention", None, MatchError, "made by null"),
    ],
)
def test_damaged_rows_are_errors(column: str, value: object, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        back(changed(column, value), measures="AP")


def test_partial_query_counts_are_errors() -> None:
    table = pyarrow.table(evaluated(measures="AP").to_rows())
    at = table.column_names.index("queries")
    halves = table.set_column(at, "queries", pyarrow.array([1.5] * len(table)))
    with pytest.raises(FormatError, match=r"row 0: found 1.5 queries"):
        back(halves, measures="AP")


def test_objects_that_are_not_rows() -> None:
    with pytest.raises(ArgumentError, match="rows: found int"):
        back(3)
    with pytest.raises(ArgumentError, match="rows: found int"):
        back([3])
    with pytest.raises(MeasureError, match="no measure"):
        back([], measures=[])
    table = pyarrow.table(evaluated().to_rows())
    text = table.set_column(2, "nDCG@10", table["nDCG@10"].cast("string"))
    with pytest.raises(ColumnError, match="column 'nDCG@10' of type Utf8"):
        back(text)
    with pytest.raises(ColumnError, match="a column 'status'"):
        back(table.drop_columns("status"))


def test_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyarrow import parquet

    monkeypatch.chdir(tmp_path)
    table = pyarrow.table(evaluated(measures="AP").to_rows())
    (tmp_path / "rows" / "deeper").mkdir(parents=True)
    parquet.write_table(table.slice(0, 9), "rows/0.parquet")
    parquet.write_table(table.slice(9), "rows/deeper/1.parquet")
    (tmp_path / "rows" / "_SUCCESS").touch()
    whole = contents(back(table, measures="AP"))
    for paths in ("rows", ["rows/0.parquet", "rows/deeper"], "rows/**/*.parquet"):
        assert contents(back(paths, measures="AP")) == whole
    with pytest.raises(SourceNotFoundError, match="no such file: .*nothing.parquet"):
        back("nothing.parquet")
    with pytest.raises(SourceError, match="no file matches the pattern"):
        back("nothing-*.parquet")
    (tmp_path / "text.parquet").write_text("q1 0 d1 1")
    with pytest.raises(SourceError, match="text.parquet: cannot read the file"):
        back("text.parquet")


def test_addresses() -> None:
    fsspec = need("fsspec")
    from pyarrow import parquet

    whole = evaluated()
    with fsspec.open("memory://rows/part-0.parquet", "wb") as file:
        parquet.write_table(pyarrow.table(whole.to_rows()), file)
    assert sorted(contents(back("memory://rows/"))[2:]) == sorted(contents(whole)[2:])


def test_a_forbidden_address_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    fsspec = need("fsspec")
    with fsspec.open("memory://locked/part-0.parquet", "wb") as file:
        file.write(b"rows" * 10)

    def refuse(*arguments: Any, **options: Any) -> bytes:
        raise PermissionError("no")

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "cat_file", refuse)
    with pytest.raises(SourceError) as caught:
        back("memory://locked/part-0.parquet")
    # Reported once.
    assert str(caught.value).startswith(
        "rows, memory://locked/part-0.parquet: no permission to read the file"
    )


@pytest.mark.parametrize("read", ["column", "flags", "summary"])
def test_a_column_that_does_not_exist_is_no_number(read) -> None:
    table = gainful.evaluate({"q1": {"a": 1}}, {"q1": {"a": 1.0}}, "nDCG").table_of(None)
    with pytest.raises(BaseException, match="out of (bounds|range)"):
        getattr(table, read)(99)
