"""A run gives the same numbers in every format, whatever a convention does with ties and ranks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import gainful
from combinations import pairwise, share
from gainful.errors import ConventionError, GainfulError, LossWarning
from gainful.policies import POLICIES
from gainful_program import gainful as program
from repeated_tests import for_each
from requirements import need

Convert: TypeAlias = Callable[[gainful.Run, Path], Any]

#: Runs with judgments of the same folder.
FOLDER = Path(__file__).parent.parent / "documentation"
FILES = [path for path in sorted(FOLDER.rglob("*.run")) if (path.parent / "qrels.txt").exists()]

CLOSE = 1.0 + 1e-9
RUNS: dict[str, Any] = {
    "ties": {"q1": {"a": 1.0, "b": 1.0, "c": 1.0}, "q2": {"b": 2.0, "c": 3.0, "a": 2.0}},
    "close": {"q1": {"b": 1.0, "a": CLOSE, "c": 2.0}, "q2": {"c": 2.0**60, "b": 5e-324, "a": -0.0}},
    "empty": {"q2": {}, "q1": {"c": 1.0, "a": 1.0}},
    "unscored": {"q1": ["b", "c", "a"], "q2": []},
    "ranked": [("q1", "a", 1.0, 2), ("q1", "b", 1.0, 3), ("q1", "c", 2.0, 1), ("q2", "c", 0.5, 7)],
    "scattered": [("q2", "b", 1.0, 1.5), ("q1", "c", 1.0, 1), ("q2", "a", 1.0, 0.5)],
}
QRELS = {"q1": {"a": 3, "b": 0, "c": 1}, "q2": {"a": 1, "b": 2}}


def run_of(name: str) -> gainful.Run:
    rows = RUNS[name]
    if isinstance(rows, dict):
        return gainful.Run(rows, name=name)
    columns = ("query_id", "doc_id", "score", "rank")
    return gainful.Run(dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)))


def written(suffix: str) -> Convert:
    def convert(run: gainful.Run, folder: Path) -> Any:
        run.write(folder / f"run{suffix}")
        return folder / f"run{suffix}"

    return convert


def arrow_file(run: gainful.Run, folder: Path) -> Any:
    ipc = need("pyarrow").ipc
    table = run.to_arrow()
    with ipc.new_file(folder / "run.arrow", table.schema) as file:
        file.write_table(table, max_chunksize=2)
    return folder / "run.arrow"


def parquet(run: gainful.Run, folder: Path) -> Any:
    pytest.importorskip("pyarrow.parquet").write_table(
        run.to_arrow(), folder / "run.parquet", row_group_size=2
    )
    return folder / "run.parquet"


def lists(run: gainful.Run, folder: Path) -> Any:
    return run.to_arrow().to_pydict()


def pandas(run: gainful.Run, folder: Path) -> Any:
    need("pandas")
    return run.to_pandas()


def polars(run: gainful.Run, folder: Path) -> Any:
    need("polars")
    return run.to_polars()


def reader(run: gainful.Run, folder: Path) -> Any:
    return run.to_arrow().to_reader(max_chunksize=1)


FORMATS: dict[str, Convert] = {
    **{
        suffix: written(suffix) for suffix in (".run", ".tsv", ".csv", ".json", ".jsonl", ".csv.gz")
    },
    "arrow": lambda run, folder: run.to_arrow(),
    "arrow file": arrow_file,
    "parquet": parquet,
    "reader": reader,
    "pandas": pandas,
    "polars": polars,
    "lists": lists,
}


CONVENTIONS = [
    gainful.conventions.get("gainful-1").replace(
        ties=tie if tie.islower() else "random(7)", order=order, precision=precision, missing="skip"
    )
    for tie, order, precision in pairwise(
        *(list(POLICIES[name].values) for name in ("ties", "order", "precision"))
    )
]


def numbers(qrels: Any, run: Any, convention: gainful.Convention) -> Any:
    try:
        result = gainful.evaluate(qrels, run, ["nDCG@2", "RR"], convention=convention)
    except GainfulError as error:
        return type(error)
    return {measure: result.per_query(measure) for measure in result.measures}


@cache
def expected(path: Path | str) -> list[Any]:
    qrels, run = judged(path)
    return [numbers(qrels, run, convention) for convention in CONVENTIONS]


def judged(path: Path | str) -> tuple[Any, gainful.Run]:
    if isinstance(path, str):
        return QRELS, run_of(path)
    return path.parent / "qrels.txt", gainful.read_run(path)


def check(path: Path | str, form: str, folder: Path) -> None:
    """Compare numbers under a sixth of the conventions, another one for the next run or form."""
    qrels, run = judged(path)
    converted = FORMATS[form](run, folder)
    number = [*FORMATS].index(form) + [*RUNS, *FILES].index(path)
    for convention, before in share([*zip(CONVENTIONS, expected(path), strict=True)], number, 6):
        if form == "reader":  # It can be read once.
            converted = FORMATS[form](run, folder)
        after = numbers(qrels, converted, convention)
        # Without ranks, order=rank is refused.
        if convention.order == "rank" and ConventionError in (before, after):
            assert run_has_no_ranks(run) or form == ".json"
            continue
        assert after == before, convention


def run_has_no_ranks(run: gainful.Run) -> bool:
    return (run._rows.columns(run.keys()[0]) or ())[2] is None


@pytest.mark.parametrize("form", FORMATS)
@for_each("name", RUNS)
def test_no_number_changes(name: str, form: str, tmp_path: Path) -> None:
    run = run_of(name)
    if form == ".run" and not all(run.values()):
        with pytest.warns(LossWarning, match="lacks 1 query"):
            run.write(tmp_path / "run.run")
        return
    check(name, form, tmp_path)


@pytest.mark.parametrize("form", FORMATS)
def test_no_number_of_a_file_changes(form: str, tmp_path: Path) -> None:
    for path in FILES:
        check(path, form, tmp_path)


@pytest.mark.parametrize("form", FORMATS)
def test_chains_of_formats_keep_the_rows(form: str, tmp_path: Path) -> None:
    run = run_of("ranked")
    for suffix in (".tsv", ".jsonl", ".run"):
        again = gainful.Run(FORMATS[form](run, tmp_path))
        again.write(tmp_path / f"again{suffix}")
        again = gainful.read_run(tmp_path / f"again{suffix}")
        if form == ".json":
            assert again.to_dict() == run.to_dict()
        else:
            assert again._rows.run_rows() == run._rows.run_rows()


@for_each("name", [name for name in RUNS if name != "scattered"])
@for_each("k", [1, 2])
def test_the_top_has_the_same_numbers(name: str, k: int) -> None:
    run = run_of(name)
    for convention in CONVENTIONS:
        if convention.order == "score" and not convention.ties.startswith("random"):
            measure = f"nDCG@{k}"
            before, after = (
                gainful.evaluate(QRELS, part, measure, convention=convention).per_query()
                if convention.ties != "error"
                else None
                for part in (run, run.top(k))
            )
            assert after == before, convention


@pytest.mark.parametrize("form", ["arrow", "parquet", "reader", "pandas", "polars", "lists"])
def test_queries_without_documents_are_rows_of_nulls(form: str, tmp_path: Path) -> None:
    """Also in judgments, among rows in any order, and with the limits of memory."""
    rows = {"q3": {}, "q1": {"b": 1.0, "a": 2.0}, "q2": {}}
    run = gainful.Run(FORMATS[form](gainful.Run(rows), tmp_path))
    assert run.to_dict() == rows
    assert list(run) == list(rows)
    if form in ("arrow", "polars"):
        qrels = gainful.Qrels({"q1": {"a": 1}, "q2": {}})
        table = qrels.to_arrow() if form == "arrow" else qrels.to_polars()
        assert gainful.Qrels(table).to_dict() == {"q1": {"a": 1}, "q2": {}}


@pytest.mark.parametrize("form", ["parquet", "reader", "arrow file"])
def test_scattered_queries_without_documents(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("pyarrow")
    scattered = [("q1", "c"), ("q3", None), ("q2", "a"), ("q1", "a"), ("q2", None)]

    class Scattered:
        def to_arrow(self) -> Any:
            queries, documents = zip(*scattered, strict=True)
            scores = [None if document is None else 1.0 for document in documents]
            columns = {"query_id": queries, "doc_id": documents, "score": scores}
            return need("pyarrow").table({name: list(cells) for name, cells in columns.items()})

    qrels = {**QRELS, "q3": {"a": 1}}
    convention = gainful.conventions.get("gainful-1").replace(missing="skip")
    result = gainful.evaluate(
        qrels,
        FORMATS[form](Scattered(), tmp_path),
        "RR",
        convention=convention,  # type: ignore[arg-type]
    )
    assert result.scattered
    whole = gainful.Run({"q1": {"c": 1.0, "a": 1.0}, "q2": {"a": 1.0}, "q3": {}})
    expected = gainful.evaluate(qrels, whole, "RR", convention=convention)
    assert result.per_query() == expected.per_query()


def test_a_null_among_other_cells_is_an_error() -> None:
    table = {"query_id": ["q1", "q1"], "doc_id": ["a", None], "score": [1.0, 0.5]}
    for frame in (need("pyarrow").table(table), need("polars").DataFrame(table)):
        with pytest.raises(GainfulError, match="null in column 'doc_id'"):
            gainful.Run(frame)


def test_convert_keeps_the_order_of_ties(tmp_path: Path) -> None:
    source, target = tmp_path / "t.run", tmp_path / "t2.csv"
    source.write_text("q1 Q0 a 1 1 x\nq1 Q0 b 2 1 x\nq1 Q0 c 3 1 x\n")
    assert program("convert", str(source), str(target), "--kind", "run").returncode == 0
    before, after = (
        gainful.evaluate(QRELS, path, "nDCG", convention="lightgbm").mean()
        for path in (source, target)
    )
    assert after == before
