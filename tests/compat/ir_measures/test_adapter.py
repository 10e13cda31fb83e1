"""`gainful.compat.ir_measures`: registration, accepted input and returned values."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gainful.compat import ir_measures as compat
from gainful.errors import GainfulError, MeasureError
from requirements import need

ir_measures = need("ir_measures")
Qrel, ScoredDoc = ir_measures.Qrel, ir_measures.ScoredDoc
AP, NumRet, P, RR = (getattr(ir_measures, name) for name in ("AP", "NumRet", "P", "RR"))
nDCG = ir_measures.nDCG  # noqa: N816

QRELS = {"q2": {"d1": 0, "d2": 2, "d3": 1}, "q1": {"d4": 1}, "q3": {"d5": 3}}
RUN = {"q1": {"d4": 1.5, "d9": 2.5}, "q2": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q9": {"d1": 1.0}}
MEASURES = [nDCG @ 2, AP, RR, P(rel=2) @ 1, NumRet]


def tuples(what: Callable[..., Any], nested: dict[str, dict[str, float]]) -> list[Any]:
    return [what(query, doc, v) for query, docs in nested.items() for doc, v in docs.items()]


def frames(nested: dict[str, dict[str, float]], value: str) -> Any:
    rows = [(query, doc, v) for query, docs in nested.items() for doc, v in docs.items()]
    return need("pandas").DataFrame(rows, columns=["query_id", "doc_id", value])


def confusing_frames(nested: dict[str, dict[str, float]], value: str) -> Any:
    """Return frames with the columns of PyTerrier and ir_measures, and a row number."""
    frame = frames(nested, value)
    return frame.assign(qid=frame.query_id, docno=frame.doc_id, rank=range(len(frame)), label=7)


def trec(nested: dict[str, dict[str, float]], value: str) -> Iterator[Any]:
    if value == "relevance":
        text = "".join(f"{q} 0 {d} {v}\n" for q, docs in nested.items() for d, v in docs.items())
        return ir_measures.read_trec_qrels(text)  # type: ignore[no-any-return]
    text = "".join(f"{q} Q0 {d} 0 {v} x\n" for q, docs in nested.items() for d, v in docs.items())
    return ir_measures.read_trec_run(text)  # type: ignore[no-any-return]


KINDS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "dictionaries": (lambda: QRELS, lambda: RUN),
    "lists": (lambda: tuples(Qrel, QRELS), lambda: tuples(ScoredDoc, RUN)),
    "generators": (lambda: iter(tuples(Qrel, QRELS)), lambda: iter(tuples(ScoredDoc, RUN))),
    "files": (lambda: trec(QRELS, "relevance"), lambda: trec(RUN, "score")),
    "frames": (lambda: frames(QRELS, "relevance"), lambda: frames(RUN, "score")),
    "more columns": (
        lambda: confusing_frames(QRELS, "relevance"),
        lambda: confusing_frames(RUN, "score"),
    ),
}
EXPECTED = ir_measures.calc_aggregate(MEASURES, QRELS, RUN)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_input_gives_its_numbers(kind: str) -> None:
    qrels, run = KINDS[kind]
    theirs = sorted(
        (m.query_id, str(m.measure), m.value) for m in ir_measures.iter_calc(MEASURES, QRELS, RUN)
    )
    with compat.register():
        found = ir_measures.calc_aggregate(MEASURES, qrels(), run())
        values = list(ir_measures.iter_calc(MEASURES, qrels(), run()))
        both = ir_measures.calc(MEASURES, qrels(), run())
    assert found == pytest.approx(EXPECTED, rel=1e-15)
    assert all(type(value) is ir_measures.Metric for value in values)
    assert sorted((m.query_id, str(m.measure), m.value) for m in values) == theirs
    assert both == (found, values)


def test_registered_measures_are_computed_by_gainful(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object, measures: object, qrels: object) -> None:
        raise AssertionError("ir_measures' own provider was asked")

    for own in ir_measures.providers.registry.values():
        monkeypatch.setattr(type(own), "_evaluator", refuse)
    with pytest.raises(AssertionError, match="own provider"):
        ir_measures.calc_aggregate([AP], QRELS, RUN)
    with compat.register():
        assert ir_measures.calc_aggregate([AP], QRELS, RUN)[AP] == EXPECTED[AP]
        assert AP.calc_aggregate(QRELS, RUN) == EXPECTED[AP]
        assert AP.calc(QRELS, RUN).aggregated == EXPECTED[AP]
        assert [each.value for each in AP.iter_calc(QRELS, RUN)] == [0.5, (1 / 2 + 2 / 3) / 2, 0.0]
        assert AP.evaluator(QRELS).calc_aggregate(RUN) == {AP: EXPECTED[AP]}


def test_registering_and_undoing() -> None:
    pipeline = ir_measures.DefaultPipeline.providers
    before, registry = list(pipeline), dict(ir_measures.providers.registry)
    first = compat.register()
    assert pipeline[:2] == [ir_measures.runtime, compat.provider]
    assert ir_measures.providers.registry["gainful"] is compat.provider
    with compat.register():
        assert pipeline.count(compat.provider) == 1
    assert compat.provider in pipeline, "the block was not the first to register it"
    first.undo()
    compat.unregister()
    assert pipeline == before
    assert ir_measures.providers.registry == registry


def test_an_error_in_the_block_undoes_the_registration() -> None:
    with pytest.raises(ZeroDivisionError), compat.register():
        raise ZeroDivisionError
    assert compat.provider not in ir_measures.DefaultPipeline.providers


def test_one_evaluator_serves_many_runs() -> None:
    evaluator = compat.provider.evaluator(MEASURES, iter(tuples(Qrel, QRELS)))
    for _ in range(2):
        assert evaluator.calc_aggregate(RUN) == pytest.approx(EXPECTED, rel=1e-15)
    perfect = evaluator.calc_aggregate(QRELS)
    assert perfect[AP] == 1.0
    assert evaluator.measures == MEASURES
    assert evaluator.qrel_qids == set(QRELS)


def test_results_are_in_the_order_of_measures_and_queries() -> None:
    values = compat.provider.iter_calc(MEASURES, QRELS, RUN)
    assert [(each.query_id, each.measure) for each in values] == [
        (query, measure) for query in ("q1", "q2", "q3") for measure in MEASURES
    ]
    assert list(compat.provider.calc_aggregate(MEASURES[::-1], QRELS, RUN)) == MEASURES[::-1]


def test_other_providers_compute_the_remaining_measures() -> None:
    need("pandas")
    first = ir_measures.define_byquery(lambda qrels, run: float(len(run)), name="RR")
    with compat.register():
        found = ir_measures.calc_aggregate(
            [first, AP], tuples(Qrel, QRELS), iter(tuples(ScoredDoc, RUN))
        )
    # Their call adds unjudged queries; Gainful does not change that.
    assert found[AP] == EXPECTED[AP]
    assert found[first] == pytest.approx((2 + 3 + 1 + 0) / 4)


def test_equal_measures_are_merged() -> None:
    same = [AP, ir_measures.MAP, AP(rel=1), AP(judged_only=False)]
    assert compat.provider.calc_aggregate(same, QRELS, RUN) == {AP: EXPECTED[AP]}
    assert len(compat.provider.calc(same, QRELS, RUN).per_query) == len(QRELS)


def test_another_convention() -> None:
    from gainful.compat.ir_measures.adapter import GainfulProvider

    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
    assert compat.provider.calc_aggregate([RR], qrels, run) == {RR: 0.5}
    expected = GainfulProvider("ir_measures-0.4.3").convention.replace(ties="expected")
    assert GainfulProvider(expected).calc_aggregate([RR], qrels, run) == {RR: 0.75}


@pytest.mark.parametrize("empty", [{}, [], iter(()), {"q1": {}}])
def test_an_empty_run_scores_0(empty: Any) -> None:
    measures = [AP, NumRet, ir_measures.NumRel, ir_measures.Judged @ 5]
    assert list(compat.provider.calc_aggregate(measures, QRELS, empty).values()) == [0, 0, 4, 0]


def test_a_run_of_other_queries_scores_0_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="no query in common"):
        found = compat.provider.calc([AP, NumRet], QRELS, {"Q1": {"d4": 1.0}})
    assert found.aggregated == {AP: 0.0, NumRet: 0.0}
    assert len(found.per_query) == 2 * len(QRELS)


@pytest.mark.parametrize("none", [{}, []])
def test_no_judgments_are_an_error(none: Any) -> None:
    with pytest.raises(GainfulError, match="no judgment|no queries at all in the judgments"):
        compat.provider.calc_aggregate([AP], none, RUN)


@pytest.mark.parametrize("qrels", [42, [1, 2], {"q": {"d": "high"}}, {"q": {"d": math.nan}}])
def test_invalid_judgments_are_errors(qrels: object) -> None:
    with pytest.raises(GainfulError):
        compat.provider.calc_aggregate([AP], qrels, RUN)


@pytest.mark.parametrize("run", [42, [1, 2], {"q": {"d": "high"}}, {"q": {"d": math.nan}}])
def test_invalid_runs_are_errors(run: object) -> None:
    with pytest.raises(GainfulError):
        compat.provider.calc_aggregate([AP], {"q": {"d": 1}}, run)


def test_a_provider_called_directly_rejects_unsupported_measures() -> None:
    unknown = ir_measures.RBP(p=0.9)
    assert not compat.provider.supports(unknown)
    with pytest.raises(MeasureError, match=r"RBP\(p=0\.9\): .*Hint: "):
        compat.provider.calc_aggregate([unknown], QRELS, RUN)


def test_gainful_imports_no_ir_measures() -> None:
    script = (
        "import sys, gainful.compat.ir_measures as compat\n"
        "assert 'ir_measures' not in sys.modules\n"
        "compat.register()\n"
        "assert 'ir_measures' in sys.modules\n"
        "try:\n    compat.nothing\nexcept AttributeError:\n    print('right')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "right\n"
