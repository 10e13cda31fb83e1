"""reconcile(): what gives a number is found, coincidences are counted, and nothing is invented."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import gainful
import gainful.report
from gainful.conventions import Convention, presets
from gainful.errors import (
    FormatError,
    GainfulError,
    MatchError,
    MeasureError,
    ParameterError,
)
from gainful.measures import Measure
from gainful.reconciliation import Match
from gainful.reconciliation.space import NUMBER, PARAMETERS, RANKING, UNUSUAL, cutoff_cost
from json_schema import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.data.inputs import QrelsLike, RunLike

Rows = list[tuple[str, str, float]]

#: Every query returned, nothing tied, grades up to 2.
WHOLE: tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]] = (
    {
        "q1": {"d1": 2, "d2": 1, "d3": 0, "d4": 1},
        "q2": {"d1": 1, "d5": 2, "d6": 0, "d7": 1},
        "q3": {"d2": 1, "d4": 2, "d8": 2},
    },
    {
        "q1": {"d3": 5.0, "d1": 4.0, "d9": 3.0, "d4": 2.0},
        "q2": {"d5": 5.0, "d9": 4.0, "d7": 3.0, "d1": 2.0},
        "q3": {"d8": 5.0, "d2": 4.0, "d3": 3.0, "d1": 2.0},
    },
)


def collection(
    seed: object, queries: int = 9, *, losses: bool = False, ties: bool = True, twice: bool = True
) -> tuple[gainful.Qrels, gainful.Run]:
    """Return judgments and a run with what policies differ in: ties, gaps, repeated documents."""
    chance = random.Random(str(seed))
    judgments: Rows = []
    run: Rows = []
    for number in range(queries):
        query = f"q{number}"
        documents = [f"d{n}" for n in range(chance.randint(3, 12))]
        grades = [0, 0, 1, 1, 2, 3] + ([-1] if losses else [])
        judged = chance.sample(documents, chance.randint(2, len(documents)))
        judgments += [(query, document, chance.choice(grades)) for document in judged]
        if number == 3:
            continue
        returned = chance.sample(documents, chance.randint(2, len(documents)))
        returned += [f"u{n}" for n in range(chance.randint(0, 4))]
        chance.shuffle(returned)
        levels = 5 if ties else 10**6
        rows = [(query, document, float(chance.randrange(levels))) for document in returned]
        if number == 5 and twice:
            rows.append((query, rows[0][1], -1.0))
        run += rows
    return gainful.Qrels(judgments), gainful.Run(run, duplicates="count")


# --- what is found ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_a_convention_of_the_space_is_found(seed: int) -> None:
    chance = random.Random(seed)
    qrels, run = collection(seed, losses=seed % 2 == 0)
    policies = {
        name: chance.choice(values)
        for name, values in {**RANKING, **NUMBER}.items()
        if name not in ("order", "aggregation", "rounding")
    }
    gain = chance.choice(("linear", "exponential", "binary"))
    ideal = chance.choice(("judged", "judged-uncut", "judged-to-depth", "list"))
    convention = Convention(**policies, defaults={"nDCG": {"gain": gain, "ideal": ideal}})  # type: ignore[arg-type]
    result = gainful.evaluate(qrels, run, "nDCG@5", convention=convention)
    value = result.mean()
    # Ten digits leave no room for coincidences, four for some.
    exact = gainful.reconcile(qrels, run, f"{value:.10f}", "nDCG@5")
    assert exact, convention
    assert any(abs(match.value - value) < 1e-12 for match in exact.matches)
    # The same query by query, not by chance.
    own = result.per_query()
    found = [
        gainful.evaluate(qrels, run, match.measure, convention=match.convention).per_query()
        for match in exact.matches
    ]
    assert any(each.keys() == own.keys() and close(each, own) for each in found)
    rounded = gainful.reconcile(qrels, run, f"{value:.4f}", "nDCG@5")
    assert rounded.found >= exact.found


def close(one: dict[str, float], other: dict[str, float]) -> bool:
    return all(abs(one[query] - other[query]) < 1e-9 for query in one)


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "DCG@5", "P@5", "ERR@5"])
def test_every_match_is_what_evaluate_says(measure: str) -> None:
    qrels, run = collection("matches")
    convention = Convention(duplicates="count", ties="expected", missing="skip")
    value = gainful.evaluate(qrels, run, measure, convention=convention).mean()
    found = gainful.reconcile(qrels, run, f"{value:.3f}", measure)
    assert found.matches
    for match in found.matches:
        summary = gainful.evaluate(qrels, run, match.measure, convention=match.convention).summary()
        assert getattr(summary, match.aggregation) == match.value
        assert f"{match.value:.3f}" == f"{value:.3f}"
        assert match.difference == match.value - found.reported.value
        assert (match.preset is None) == bool(match.changes)


def test_presets_are_named_first() -> None:
    qrels, run = collection("presets", ties=False, twice=False)
    evaluated = []
    for preset in presets():
        try:
            result = gainful.evaluate(qrels, run, "nDCG@4", convention=preset.convention)
        except GainfulError:
            continue
        if result.mean() == result.mean() and result.per_query():
            evaluated.append((preset.name, result.mean()))
    assert len(evaluated) > 20
    for text in sorted({f"{value:.9f}" for _, value in evaluated}):
        found = gainful.reconcile(qrels, run, text, "nDCG@4")
        assert found.matches[0].preset is not None, text
        named = [each for match in found.matches for each in (match.preset, *match.also)]
        assert {name for name, value in evaluated if f"{value:.9f}" == text} <= set(named)


def test_those_that_refuse_say_why() -> None:
    qrels, run = collection("refused", losses=True)
    found = gainful.reconcile(qrels, run, "0.5", "nDCG@5")
    for name, why in found.refused.items():
        with pytest.raises(GainfulError) as raised:
            gainful.evaluate(qrels, run, "nDCG@5", convention=name)
        assert str(raised.value) == why
    assert "trec_eval-10.0-rc3" in found.refused


def test_every_cutoff_is_searched_where_none_is_given() -> None:
    qrels, run = collection("cutoffs", ties=False, twice=False)
    convention = Convention()
    for cutoff in (1, 7):
        measure = Measure("nDCG") @ cutoff
        own = gainful.evaluate(qrels, run, measure, convention=convention)
        for asked in ("nDCG", None)[: 1 + (cutoff == 7)]:
            found = gainful.reconcile(qrels, run, f"{own.mean():.10f}", asked)
            assert any(
                close(per_query(qrels, run, match), own.per_query()) for match in found.matches
            )


def per_query(qrels: QrelsLike, run: RunLike, match: Match) -> dict[str, float]:
    result = gainful.evaluate(qrels, run, match.measure, convention=match.convention)
    return result.per_query()


@pytest.mark.parametrize("measure", ["AP(rel=2)", "RR@5", "P@3", "R@5", "DCG@5"])
def test_without_a_measure_everyday_ones_are_searched(measure: str) -> None:
    qrels = {"q1": {"d1": 2, "d2": 1, "d5": 0}, "q2": {"d3": 1, "d4": 2}, "q3": {"d6": 3}}
    run = {
        "q1": {"d2": 3.0, "u1": 2.0, "d1": 1.0},
        "q2": {"u2": 5.0, "u3": 4.0, "u4": 3.5, "d4": 2.0, "d3": 1.0},
        "q3": {"d6": 1.0, "u1": 0.5},
    }
    own = gainful.evaluate(qrels, run, measure)
    found = gainful.reconcile(qrels, run, f"{own.mean():.9f}")
    family = Measure.parse(measure).family
    same = [match for match in found.matches if match.measure.family == family]
    judged = gainful.Qrels(qrels)
    assert any(close(per_query(judged, gainful.Run(run), each), own.per_query()) for each in same)


def test_parameters_that_are_set_are_kept() -> None:
    qrels, run = collection("kept")
    found = gainful.reconcile(qrels, run, "0.5", "nDCG(gain='exponential', ideal='list')@5")
    shown = found.matches or found.nearest
    assert shown
    for match in shown:
        resolved = match.measure.resolve(match.convention).params
        assert (resolved["gain"], resolved["ideal"]) == ("exponential", "list")
        assert match.measure.cutoff == 5


# --- how much it says ---------------------------------------------------------------------------


def test_coincidences_are_counted() -> None:
    # No ties, grades 0 and 1, every query returned with something relevant.
    qrels = {"q1": {"d1": 1, "d2": 1, "d3": 0}, "q2": {"d4": 1, "d5": 1}}
    run = {"q1": {"d3": 3.0, "d1": 2.0, "d2": 1.0}, "q2": {"d4": 2.0, "x": 1.0, "d5": 0.5}}
    found = gainful.reconcile(qrels, run, "0.8", "nDCG@2")
    assert found.farthest is None
    ideals: list[dict[str, object]] = [
        {"ideal": ideal} for ideal in PARAMETERS["nDCG"]["ideal"] if ideal != "max-grade"
    ]
    ideals.append({"ideal": "max-grade", "max_grade": 1})
    conventions = [preset.convention for preset in presets()]
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
            # What differs in nothing but a rounding counts once.
            whole = convention
            if convention.rounding.startswith("query"):
                whole = convention.replace(rounding="none")
            values = gainful.evaluate(qrels, run, "nDCG@2", convention=whole).per_query()
            distinct.add(tuple(round(value, 9) for value in values.values()))
    assert len(distinct) > 1
    assert found.found == len(distinct)
    assert found.coincidences == len(distinct) - 1
    assert found.found <= found.matching <= found.searched
    assert matching > 0


def test_the_more_digits_the_fewer_by_chance() -> None:
    qrels, run = collection("digits")
    value = gainful.evaluate(qrels, run, "nDCG@5", convention=Convention(duplicates="count")).mean()
    found = [gainful.reconcile(qrels, run, f"{value:.{n}f}", "nDCG@5") for n in (2, 3, 4, 6)]
    assert [each.expected for each in found] == sorted((e.expected for e in found), reverse=True)
    assert found[0].found > found[-1].found
    assert len({each.searched for each in found[1:]}) == 2  # Rounding to 2 digits, to 3, to 4.


def test_values_of_queries_narrow_it(tmp_path: Path) -> None:
    qrels, run = collection("queries")
    convention = Convention(duplicates="count", ties="expected")
    result = gainful.evaluate(qrels, run, "nDCG@5", convention=convention)
    reported = f"{result.mean():.2f}"
    wide = gainful.reconcile(qrels, run, reported, "nDCG@5")
    values = {query: f"{value:.4f}" for query, value in result.per_query().items()}
    narrow = gainful.reconcile(qrels, run, reported, "nDCG@5", per_query=values)
    assert narrow.known == len(values)
    assert 1 <= narrow.found < wide.found
    assert narrow.contradicted + narrow.matching == wide.matching
    for match in narrow.matches:
        own = gainful.evaluate(qrels, run, match.measure, convention=match.convention).per_query()
        assert {query: f"{own[query]:.4f}" for query in values} == values
    lines = "".join(f"ndcg_cut_5\t{query}\t{value}\n" for query, value in values.items())
    file = tmp_path / "queries.txt"
    file.write_text(f"{lines}ndcg_cut_5\tall\t{result.mean():.4f}\n")
    assert gainful.reconcile(qrels, run, reported, "nDCG@5", per_query=file) == narrow
    contradicted = {**values, "q0": "0.0001"}
    assert not gainful.reconcile(qrels, run, reported, "nDCG@5", per_query=contradicted)


def test_where_nothing_matches_the_nearest_are_told() -> None:
    qrels, run = collection("nothing")
    found = gainful.reconcile(qrels, run, "0.0123456", "nDCG@5")
    assert not found
    assert found.matches == ()
    assert (found.found, found.coincidences, found.matching) == (0, 0, 0)
    assert found.nearest
    assert any(match.preset for match in found.nearest)
    for match in found.nearest:
        result = gainful.evaluate(qrels, run, match.measure, convention=match.convention)
        assert getattr(result.summary(), match.aggregation) == match.value
    assert str(found).startswith("Nothing gives 0.0123456 as nDCG@5; the nearest are")


def test_policies_leave_documents_without_a_judgment() -> None:
    qrels = {"q1": {"d1": 1, "d2": 1}}
    run = gainful.Run([("q1", "d1", 3.0), ("q1", "d1", 2.0), ("q1", "d2", 1.0)], duplicates="count")
    assert "unjudged" not in gainful.reconcile(qrels, run, "0.5", "nDCG@5").indifferent
    once = gainful.Run([("q1", "d1", 3.0), ("q1", "d2", 2.0)])
    losses = {"q1": {"d1": -1, "d2": 1}}
    assert "unjudged" not in gainful.reconcile(losses, once, "0.5", "nDCG@5").indifferent
    assert "unjudged" in gainful.reconcile(qrels, once, "0.5", "nDCG@5").indifferent


def test_what_cannot_matter_is_not_searched() -> None:
    qrels = {"q1": {"d1": 1, "d2": 2}, "q2": {"d3": 1}}
    run = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 1.0}}
    found = gainful.reconcile(qrels, run, "0.9", "nDCG@5")
    assert {"ties", "negative", "fractions", "duplicates", "unjudged", "missing"} <= set(
        found.indifferent
    )
    tied = {"q1": {"d1": 1.0, "d2": 1.0}, "q2": {"d3": 1.0}}
    assert "ties" not in gainful.reconcile(qrels, tied, "0.9", "nDCG@5").indifferent


# --- the number ---------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["0.7193", ".7193", "71.93", "71.93%", "71.93 %", " 0.7193 "])
def test_ways_to_write_a_number(text: str, small_files: Path) -> None:
    found = gainful.reconcile("qrels.txt", "bm25.run", text, "nDCG@10")
    assert found.matches[0].preset == "gainful-1"
    assert found.reported.per_cent == ("71." in text)
    assert found.reported.digits == 4


def test_a_float_and_digits(small_files: Path) -> None:
    plain = gainful.reconcile("qrels.txt", "bm25.run", 0.7193, "nDCG@10")
    assert plain.reported.digits == 4
    few = gainful.reconcile("qrels.txt", "bm25.run", 0.7193, "nDCG@10", digits=2)
    assert few.found >= plain.found
    assert few.reported.low <= 0.71431 <= few.reported.high


def test_a_sum_of_gains_is_no_percentage() -> None:
    qrels, run = {"q1": {"d1": 30, "d2": 20}}, {"q1": {"d1": 2.0, "d2": 1.0}}
    found = gainful.reconcile(qrels, run, "42.6186", "DCG@2")
    assert not found.reported.per_cent
    assert found.matches[0].preset is not None


@pytest.mark.parametrize(
    ("reported", "digits"),
    [
        *(
            ("abc", None),
            ("", None),
            ("nan", None),
            ("inf", None),
            ("1e999", None),
            ("1_0.5", None),
        ),
        *((float("nan"), None), (float("-inf"), None), (None, None), (True, None)),
        *(("0.5", 0), ("0.5", -1), ("0.5", 13), ("0.5", 2.0), ("1", None), ("0", None)),
        ("4312.5", None),
    ],
)
def test_what_is_no_number_is_an_error(reported: object, digits: object) -> None:
    with pytest.raises(ParameterError):
        gainful.reconcile({"q1": {"d": 1}}, {"q1": ["d"]}, reported, "nDCG", digits=digits)  # type: ignore[arg-type]


def test_a_decimal_comma_is_told() -> None:
    with pytest.raises(ParameterError, match="a point goes before the decimals"):
        gainful.reconcile(*WHOLE, "0,4312")


@pytest.mark.parametrize("run", [{}, {"q9": {"d1": 1.0}}])
def test_no_query_in_common_is_an_error(run: dict[str, dict[str, float]]) -> None:
    with pytest.raises((MatchError, FormatError)):
        gainful.reconcile({"q1": {"d1": 1}}, run, "0.5", "nDCG@5")


def test_measures_that_cannot_be_searched_are_errors() -> None:
    qrels, run = {"q1": {"d1": 1}}, {"q1": {"d1": 1.0}}
    with pytest.raises(MeasureError, match="preferences"):
        gainful.reconcile(qrels, run, "0.5", "Prefs")
    with pytest.raises(MeasureError):
        gainful.reconcile(qrels, run, "0.5", "ndgc@10")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("q1 0.5\nq1 0.6\n", "second time"),
        ("q1\nq2 0.5\n", "a query id and a number"),
        ("q1 0.5\nq2 x y z\n", "line 2"),
        ("q9 0.5\n", "without judgments"),
        ("", "no query"),
    ],
)
def test_bad_values_of_queries(lines: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "queries.txt"
    file.write_text(lines)
    with pytest.raises(GainfulError, match=said):
        gainful.reconcile({"q1": {"d": 1}, "q2": {"d": 1}}, {"q1": ["d"]}, "0.5", per_query=file)


# --- the result ---------------------------------------------------------------------------------


def test_the_result_is_frozen_and_meets_its_schema(small_files: Path) -> None:
    folder = Path(gainful.report.__file__).parent / "schemas"
    schema = json.loads((folder / "reconciliation-1.json").read_text("utf-8"))
    for reported in ("0.7193", "0.0123"):
        found = gainful.reconcile("qrels.txt", "bm25.run", reported, "nDCG@10")
        told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert errors(told, schema) == []
        assert told["schema"] == "gainful.reconciliation/1"
        with pytest.raises(AttributeError):
            found.searched = 0  # type: ignore[misc]
        assert max(map(len, str(found).splitlines())) <= 100
        assert found._repr_html_().startswith("<table>")
    told["nearest"][0]["value"] = "0.5"
    assert [error.partition(":")[0] for error in errors(told, schema)] == ["$.nearest[0].value"]


def test_it_exports_its_matches(small_files: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    found = gainful.reconcile("qrels.txt", "bm25.run", "0.7193", "nDCG@10")
    table = pyarrow.table(found)
    assert table.num_rows == len(found.matches)
    assert table.column("value")[0].as_py() == found.matches[0].value


def test_threads_change_nothing() -> None:
    qrels, run = collection("threads", 30)
    one = gainful.reconcile(qrels, run, "0.51", "nDCG@5", threads=1)
    three = gainful.reconcile(qrels, run, "0.51", "nDCG@5", threads=3)
    assert three.to_dict() == one.to_dict()


def test_an_unusual_cutoff_is_a_change_that_counts_more_than_others() -> None:
    qrels, run = collection("unusual", twice=False)
    convention = gainful.conventions.get("trec_eval").replace(
        defaults={"nDCG": {"gain": "exponential", "discount": "reciprocal"}}
    )
    value = gainful.evaluate(qrels, run, "nDCG@10", convention=convention).mean()
    found = gainful.reconcile(qrels, run, f"{value:.2f}", "nDCG")
    places = [
        (len(each.changes) + unusual, unusual)
        for each in found.matches
        for unusual in [cutoff_cost(each.measure.cutoff) >= UNUSUAL]
    ]
    assert places == sorted(places)
    assert len(set(places)) > 1


def test_a_tool_that_always_cuts_is_told_with_a_cutoff_that_is_deep_enough() -> None:
    qrels, run = WHOLE
    value = gainful.evaluate(qrels, run, "nDCG", convention="ranx-burges").mean()
    first = gainful.reconcile(qrels, run, f"{value:.8f}", "nDCG").matches[0]
    assert first.measure == Measure("nDCG")
    assert first.preset is not None
    assert "ranx-0.3.21-burges" in (first.preset, *first.also)
    always = [each for each in first.also if each.endswith(" (nDCG@1000)")]
    assert "quepid-8.6-cut (nDCG@1000)" in always
    for each in always:
        name = each.removesuffix(" (nDCG@1000)")
        again = gainful.evaluate(qrels, run, "nDCG@1000", convention=name).per_query()
        assert close(again, per_query(qrels, run, first))


def test_values_that_a_tool_rounds_are_those_of_the_others() -> None:
    qrels, run = WHOLE
    value = gainful.evaluate(qrels, run, "nDCG@10", convention="gdeval").mean()
    found = gainful.reconcile(qrels, run, f"{value:.4f}", "nDCG@10")
    named = [match for match in found.matches if "gdeval-1.3" in (match.preset, *match.also)]
    assert len(named) == 1
    assert "ir_measures-0.4.3-exp-log2" in (named[0].preset, *named[0].also)


def test_what_contradicts_the_values_of_queries_is_the_nearest() -> None:
    qrels, run = WHOLE
    result = gainful.evaluate(qrels, run, "nDCG@10", convention="trec_eval")
    values = {"q1": "0.01234"}
    found = gainful.reconcile(qrels, run, f"{result.mean():.4f}", "nDCG@10", per_query=values)
    assert not found
    assert found.nearest[0].preset == "gainful-1"
    assert abs(found.nearest[0].difference) < 0.5e-4
    assert "and the value given of queries; the nearest are" in str(found)


def test_the_cutoff_of_ndcg_is_no_matter_of_other_measures() -> None:
    qrels, run = collection("others")
    for measure in ("Rprec", "AP"):
        value = gainful.evaluate(qrels, run, measure, convention="xgboost").mean()
        for match in gainful.reconcile(qrels, run, f"{value:.1f}", measure).matches:
            assert "no cutoff" not in match.changes


def test_pages_wrap_text_themselves() -> None:
    qrels, run = collection("pages")
    found = gainful.reconcile(qrels, run, "0.5", "nDCG@5")
    assert len(found.table(wrapped=False).rows) == len(found.matches)
    assert all(note.endswith(".") for note in found.table(wrapped=False).notes)
    assert str(found).replace("\n", " ").endswith(found.table(wrapped=False).notes[-1])


def test_usual_cutoffs_come_first() -> None:
    assert sorted([137, 20, 10, 40, 35, 1], key=cutoff_cost) == [10, 20, 1, 40, 35, 137]


def test_a_preset_that_refuses_the_data_is_tried_without_what_refuses() -> None:
    # The query of one document is refused by scikit-learn, and measured alike by torchmetrics.
    qrels = {"q1": {"a": 1, "b": 3, "z": 2}, "q2": {"c": 1, "d": 2}, "q3": {"e": 2, "f": 1}}
    run = {"q1": {"a": 1.0, "b": 1.0, "x": 0.5}, "q2": {"c": 2.0, "d": 1.0}, "q3": {"f": 1.0}}
    convention = gainful.conventions.get("torchmetrics")
    mean = gainful.evaluate(qrels, run, "nDCG@10", convention=convention).mean()
    found = gainful.reconcile(qrels, run, f"{mean:.6f}", "nDCG@10")
    first = found.matches[0]
    assert first.preset is not None
    assert first.value == pytest.approx(mean)
    named = (first.label, *first.also)
    assert "torchmetrics-1.9.0" in named
    assert "scikit-learn-1.9.1-returned with single=keep" in named
    assert "scikit-learn-1.9.1-returned" in found.refused
    with pytest.raises(GainfulError, match="a ranking of one document"):
        gainful.evaluate(qrels, run, convention="scikit-learn-returned")


def test_a_mean_that_a_tool_rounds_is_that_of_the_others() -> None:
    qrels, run = collection("rounded", ties=False, twice=False)
    mean = gainful.evaluate(qrels, run, "nDCG@10", convention="beir").mean()
    first = gainful.reconcile(qrels, run, f"{mean:.4f}", "nDCG@10").matches[0]
    assert {"beir-2.2.0", "mteb-2.26.24"} <= {first.label, *first.also}


def test_roundings_of_a_match_are_not_told_beside_it() -> None:
    qrels, run = collection("roundings")
    mean = gainful.evaluate(qrels, run, "nDCG@10", convention="lenskit").mean()
    found = gainful.reconcile(qrels, run, f"{mean:.2f}", "nDCG@10")
    told = [
        (match.measure, match.nearest, *(c for c in match.changes if not c.startswith("rounding")))
        for match in found.matches
    ]
    assert len(told) == len(set(told)) > 1
