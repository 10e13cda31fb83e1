"""reconcile(): coincidences are counted, and values of queries rule them out."""

from __future__ import annotations

from pathlib import Path

import gainful
import gainful.report
from gainful.conventions import Convention, get, presets
from gainful.errors import GainfulError
from gainful.measures.notation import parse_measure
from gainful.reconciliation.searching import Search
from gainful.reconciliation.space import PARAMETERS, Survey, read_reported
from reconcile_data import collection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.reconciliation import Reconciliation


def search_as_reported(qrels: object, run: object, text: str, name: str) -> Reconciliation:
    """Search only for the measure as reported."""
    judged, ranked = gainful.Qrels(qrels), gainful.Run(run)
    measure = parse_measure(name)
    survey = Survey(judged, [ranked], (0, 0), 1)
    search = Search(judged, {"run": ranked}, survey, [], 1, None)
    return search.result([read_reported(text)], measure, [(measure, [measure.cutoff])])


def test_coincidences_are_counted() -> None:
    # No ties, grades 0 and 1, every query returned and with relevant documents.
    qrels = {"q1": {"d1": 1, "d2": 1, "d3": 0}, "q2": {"d4": 1, "d5": 1}}
    run = {"q1": {"d3": 3.0, "d1": 2.0, "d2": 1.0}, "q2": {"d4": 2.0, "x": 1.0, "d5": 0.5}}
    found = search_as_reported(qrels, run, "0.8", "nDCG@2")
    assert found.farthest is None
    ideals: list[dict[str, object]] = [
        {"ideal": ideal} for ideal in PARAMETERS["nDCG"]["ideal"] if ideal != "max-grade"
    ]
    ideals.append({"ideal": "max-grade", "max_grade": 1})
    conventions = [get(preset.name) for preset in presets()]
    conventions += [
        Convention(
            unjudged=unjudged,
            unretrieved=unretrieved,
            rounding=rounding,
            defaults={"nDCG": {"gain": gain, "discount": discount, **ideal}},
        )
        for gain in PARAMETERS["nDCG"]["gain"]
        for discount in PARAMETERS["nDCG"]["discount"]
        for ideal in ideals
        for unjudged in ("zero", "condense")
        for unretrieved in ("absent", "last")
        for rounding in ("none", "query:2")
    ]
    distinct = set()
    matching = 0
    for convention in conventions:
        try:
            result = gainful.evaluate(qrels, run, "nDCG@2", convention=convention)
        except GainfulError:
            continue
        summary = result.summary()
        if any(f"{value:.1f}" == "0.8" for value in (summary.mean, summary.median)):
            matching += 1
            # Combinations that differ only by rounding count once.
            whole = convention
            if convention.rounding.startswith("query"):
                whole = convention.replace(rounding="none")
            values = gainful.evaluate(qrels, run, "nDCG@2", convention=whole).per_query()
            distinct.add(tuple(round(value, 9) for value in values.values()))
    assert len(distinct) > 1
    assert found.found == len(distinct)
    assert found.found <= found.matching <= found.searched
    assert matching > 0


def test_the_more_digits_the_fewer_by_chance() -> None:
    qrels, run = collection("digits")
    value = gainful.evaluate(qrels, run, "AP@5", convention=Convention(duplicates="count")).mean()
    results = [gainful.reconcile(qrels, run, f"{value:.{n}f}", "AP@5") for n in (3, 4, 6)]
    expected = [result.coincidences for result in results]
    assert expected == sorted(expected, reverse=True)
    assert results[0].found > results[-1].found
    assert {match.aggregation for match in results[0].matches} == {"mean", "median"}
    assert results[0].searched < results[1].searched  # Rounding to 4 digits.


def test_values_of_queries_rule_out_matches(tmp_path: Path) -> None:
    qrels, run = collection("queries")
    convention = Convention(duplicates="count", ties="expected")
    result = gainful.evaluate(qrels, run, "AP", convention=convention)
    reported = f"{result.mean():.3f}"
    wide = gainful.reconcile(qrels, run, reported, "AP")
    values = {query: f"{value:.4f}" for query, value in result.per_query().items()}
    narrow = gainful.reconcile(qrels, run, reported, "AP", per_query=values)
    assert narrow.reported_queries == len(values)
    assert 1 <= narrow.found < wide.found
    assert narrow.contradicted + narrow.matching == wide.matching
    for match in narrow.matches:
        own = gainful.evaluate(qrels, run, match.measure, convention=match.convention).per_query()
        assert {query: f"{own[query]:.4f}" for query in values} == values
    lines = "".join(f"map\t{query}\t{value}\n" for query, value in values.items())
    file = tmp_path / "queries.txt"
    file.write_text(f"{lines}map\tall\t{result.mean():.4f}\n")
    assert gainful.reconcile(qrels, run, reported, "AP", per_query=file) == narrow
    contradicted = {**values, "q0": "0.0001"}
    assert not gainful.reconcile(qrels, run, reported, "AP", per_query=contradicted)


def test_without_a_match_the_nearest_are_reported() -> None:
    qrels, run = collection("nothing")
    found = gainful.reconcile(qrels, run, "0.0123456", "AP@5")
    assert not found
    assert found.matches == ()
    assert (found.found, found.coincidences, found.matching) == (0, 0, 0)
    assert found.nearest
    assert any(match.preset for match in found.nearest)
    for match in found.nearest:
        result = gainful.evaluate(qrels, run, match.measure, convention=match.convention)
        assert getattr(result.summary(), match.aggregation) == match.value
    assert str(found).startswith("No convention gives 0.0123456 for AP@5; nearest misses")


def test_policies_leave_documents_without_a_judgment() -> None:
    qrels = {"q1": {"d1": 1, "d2": 1}}
    run = gainful.Run([("q1", "d1", 3.0), ("q1", "d1", 2.0), ("q1", "d2", 1.0)], duplicates="count")
    assert "unjudged" not in gainful.reconcile(qrels, run, "0.5", "nDCG@5").indifferent
    once = gainful.Run([("q1", "d1", 3.0), ("q1", "d2", 2.0)])
    losses = {"q1": {"d1": -1, "d2": 1}}
    assert "unjudged" not in gainful.reconcile(losses, once, "0.5", "nDCG@5").indifferent
    assert "unjudged" in gainful.reconcile(qrels, once, "0.5", "nDCG@5").indifferent


def test_policies_without_effect_are_not_searched() -> None:
    qrels = {"q1": {"d1": 1, "d2": 2}, "q2": {"d3": 1}}
    run = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 1.0}}
    found = gainful.reconcile(qrels, run, "0.9", "nDCG@5")
    assert {"ties", "negative", "fractions", "duplicates", "unjudged", "missing"} <= set(
        found.indifferent
    )
    tied = {"q1": {"d1": 1.0, "d2": 1.0}, "q2": {"d3": 1.0}}
    assert "ties" not in gainful.reconcile(qrels, tied, "0.9", "nDCG@5").indifferent
