"""What Spark's executors do, without Spark: batches in, rows of queries out."""

from __future__ import annotations

import builtins
import dis
import pickle
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import gainful
from evaluation_words import sorted_rows
from gainful import _kernel
from gainful.backends.spark import executor
from gainful.backends.spark.executor import MARK, Settings, measured, parse_error, task
from gainful.evaluation.partition import RowForm
from requirements import need

QUERIES, DEPTH = 600, 20


def settings(systems: list[str] | None = None, ids: str = "integer") -> Settings:
    return Settings(RowForm(["nDCG@10", "AP"], "gainful-1"), systems or ["run"], ids)


def rows(queries: int = QUERIES) -> tuple[Any, Any]:
    """Return judgments and a run as mappings, with one query that has no run."""
    qrels = {str(q): {str(d): float((q + d) % 3) for d in range(q % 4 + 1)} for q in range(queries)}
    run = {str(q): {str(d): float(d * q % 7) for d in range(DEPTH)} for q in range(1, queries)}
    return qrels, run


def batches(qrels: Any, run: Any, size: int, systems: int = 1) -> Iterator[Any]:
    """Yield judgments and runs as Spark's shuffle ends: sorted by query, cut anywhere."""
    pa = need("pyarrow")
    both = [
        (int(q), int(d), system, value)
        for q in sorted(qrels, key=int)
        for system, table in enumerate([qrels, *[run] * systems])
        for d, value in table.get(q, {}).items()
    ]
    for at in range(0, len(both), size):
        columns = list(zip(*both[at : at + size], strict=True))
        kinds = (pa.int64(), pa.int64(), pa.int32(), pa.float64())
        arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, names=["query_id", "doc_id", "system", "value"])


def whole(found: Any) -> gainful.Evaluation:
    return gainful.Evaluation.from_rows(found, ["nDCG@10", "AP"])


@pytest.mark.parametrize("size", [1, 7, 1000, 10**6])
def test_batches_may_be_cut_anywhere(size: int) -> None:
    qrels, run = rows(60)
    found = list(measured(batches(qrels, run, size), settings()))
    assert {str(batch.schema.field("query_id").type) for batch in found} == {"int64"}
    expected = gainful.evaluate(qrels, run, ["nDCG@10", "AP"])
    assert sorted_rows(whole(found)) == sorted_rows(expected)


def test_many_queries_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    evaluate = _kernel.evaluate

    def counted(*arguments: Any, **options: Any) -> Any:
        calls.append(1)
        return evaluate(*arguments, **options)

    monkeypatch.setattr(_kernel, "evaluate", counted)
    found = list(measured(batches(*rows(), 500, 2), settings(["a", "b"])))
    assert len(whole(found).per_query("AP", "b")) == QUERIES
    assert len(calls) == 2, "one a system"


def test_memory_does_not_grow_with_the_partition(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows come while batches are still to be read, and none of those before are held."""
    monkeypatch.setattr(executor, "_ROWS", 1000)
    read = 0

    def counted() -> Iterator[Any]:
        nonlocal read
        for batch in batches(*rows(), 100):
            read += 1
            yield batch

    ahead = []
    measured_rows = 0
    for batch in measured(counted(), settings()):
        measured_rows += len(batch)
        ahead.append(read * 100 - measured_rows * DEPTH)
    assert read > 100
    assert len(ahead) > 5
    assert max(ahead[1:-1]) < 4000


def test_a_system_that_nobody_planned_for() -> None:
    pa = need("pyarrow")
    qrels, run = rows(5)
    (batch,) = batches(qrels, run, 10**6)
    at = batch.schema.get_field_index("system")
    strange = batch.set_column(at, "system", pa.array([-1] * len(batch), pa.int32()))
    with pytest.raises(gainful.errors.ColumnError, match="not in the run when the evaluation was"):
        list(measured([strange], settings()))


@pytest.mark.parametrize("size", [1, 2, 100])
@pytest.mark.parametrize("again", [1.0, 2.0])
def test_a_document_with_two_grades(size: int, again: float) -> None:
    """Where the first counts, somebody has to say which is the first."""
    pa = need("pyarrow")
    form = RowForm(
        ["nDCG@10", "AP"], gainful.conventions.get("gainful-1").replace(duplicates="first")
    )
    own = Settings(form, ["run"], "text", judged_once=True)
    both = pa.table(
        {
            "query_id": pa.array([b"q1", b"q1", b"q1", b"q1", b"q2", b"q2"], pa.binary()),
            "doc_id": pa.array([b"a", b"b", b"a", b"a", b"a", b"a"], pa.binary()),
            "system": pa.array([0, 0, 1, 0, 0, 1], pa.int32()),
            "value": [1.0, 0.0, 0.5, again, 3.0, 0.5],
        }
    )
    parts = both.to_batches(max_chunksize=size)
    if again == 1.0:
        found = gainful.Evaluation.from_rows(
            measured(parts, own), form.measures, convention=form.convention
        )
        assert found.per_query("AP") == {"q1": 1.0, "q2": 1.0}
    else:
        message = "the judgments, query 'q1', document 'a': two grades"
        with pytest.raises(gainful.errors.DuplicateError, match=message):
            list(measured(parts, own))


def test_settings_travel() -> None:
    own = settings(["a", "b"], "binary")
    again = pickle.loads(pickle.dumps(own))
    for name in vars(own):
        assert getattr(again, name) == getattr(own, name)


def test_an_executor_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is missed as the function arrives, before Spark imports it without a word of ours."""
    (needed,) = (
        cell.cell_contents
        for cell in task(settings()).__closure__ or ()
        if type(cell.cell_contents).__name__ == "_NeedsArrow"
    )
    sent = pickle.dumps(needed)
    assert b"gainful.backends" not in sent
    assert pickle.loads(sent) is None
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=MARK) as caught:
        pickle.loads(sent)
    error = parse_error(str(caught.value))
    assert isinstance(error, gainful.errors.ArgumentError)
    assert str(error).startswith(f"an executor: found no PyArrow in {sys.executable} ")
    assert str(error).endswith("Hint: pip install pyarrow in the Python of the executors")


def test_an_executor_without_gainful(monkeypatch: pytest.MonkeyPatch) -> None:
    """The function is sent by value: nothing of Gainful is imported before it runs."""
    measure = task(settings())
    # What pickle finds by a name it does not send.
    assert "<locals>" in measure.__qualname__
    used = {step.argval for step in dis.get_instructions(measure) if step.opname == "LOAD_GLOBAL"}
    assert used <= set(dir(builtins))
    monkeypatch.setitem(sys.modules, "gainful", None)
    with pytest.raises(ImportError, match=MARK) as caught:
        list(measure([]))
    error = parse_error(str(caught.value))
    assert isinstance(error, gainful.errors.ArgumentError)
    assert str(error).startswith("an executor: found no gainful in ")
    assert error.expected == f"gainful {gainful.__version__}"
