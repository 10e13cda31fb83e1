"""reconcile(): it finds the convention, and each match is confirmed."""

from __future__ import annotations

import random

import pytest

import gainful
import gainful.report
from combinations import ALL, share
from gainful.conventions import Convention, describe, get, presets
from gainful.errors import GainfulError
from gainful.measures import Measure, parse_measure
from gainful.reconciliation.space import NUMBER, RANKING
from reconcile_data import close, collection, per_query

TYPE_CHECKING = False


@pytest.mark.parametrize("seed", range(4 if ALL else 2))
def test_a_searched_convention_is_found(seed: int) -> None:
    chance = random.Random(seed)
    qrels, run = collection(seed, 6, losses=seed % 2 == 0)
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
    # With ten digits there are no coincidences.
    exact = gainful.reconcile(qrels, run, f"{value:.10f}", "nDCG(discount='log2')@5")
    assert exact, convention
    assert any(abs(match.value - value) < 1e-12 for match in exact.matches)
    # The values of all queries are equal, so the match is not a coincidence.
    own = result.per_query()
    found = [
        gainful.evaluate(qrels, run, match.measure, convention=match.convention).per_query()
        for match in exact.matches
    ]
    assert any(each.keys() == own.keys() and close(each, own) for each in found)


@pytest.mark.parametrize("measure", ["nDCG(gain='linear')@3", "AP", "DCG@5", "P@5", "ERR@5"])
def test_every_match_equals_evaluate(measure: str) -> None:
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
    qrels, run = collection("presets", 2, ties=False, twice=False)
    evaluated = []
    for preset in presets():
        try:
            result = gainful.evaluate(qrels, run, "nDCG@4", convention=get(preset.name))
        except GainfulError:
            continue
        if result.mean() == result.mean() and result.per_query():
            evaluated.append((preset.name, result.mean()))
    assert len(evaluated) > 20
    for text in share(sorted({f"{value:.9f}" for _, value in evaluated}), 0, 6):
        found = gainful.reconcile(qrels, run, text, "nDCG@4")
        assert found.matches[0].preset is not None, text
        named = [each for match in found.matches for each in (match.preset, *match.also)]
        assert {name for name, value in evaluated if f"{value:.9f}" == text} <= set(named)


def test_presets_that_reject_the_data_say_why() -> None:
    qrels, run = collection("refused", losses=True)
    found = gainful.reconcile(qrels, run, "0.5", "nDCG(gain='linear', discount='log2')@5")
    for name, why in found.refused.items():
        with pytest.raises(GainfulError) as raised:
            gainful.evaluate(qrels, run, "nDCG@5", convention=name)
        assert str(raised.value) == why
    assert "trec_eval-10.0-rc3" in found.refused
    # Tools without nDCG, some of which also reject these data.
    without = {each.name for each in presets() if "nDCG" not in (each.measures or ("nDCG",))}
    assert {"ndeval-4.5", "ragas-0.4.3"} <= without
    assert set(found.unverified) == without


def test_presets_are_named_for_measures_that_they_are_verified_for() -> None:
    """The policies are those of CatBoost, whose AP differs."""
    qrels, run = collection("unverified", ties=False, twice=False)
    own = get("catboost").replace(name="own")
    value = gainful.evaluate(qrels, run, "AP@3", convention=own).mean()
    found = gainful.reconcile(qrels, run, f"{value:.9f}", "AP@3")
    assert found
    for match in found.matches:
        for name in (match.nearest, *(each.partition(" with ")[0] for each in match.also)):
            measures = describe(name).measures
            assert measures is None or "AP" in measures
    assert "catboost-1.2.10" in found.unverified
    assert found.to_dict()["unverified"] == list(found.unverified)
    assert f"Not tried: {len(found.unverified)} presets not verified for AP." in str(found)


def test_every_cutoff_is_searched_by_default() -> None:
    qrels, run = collection("cutoffs", 4, ties=False, twice=False)
    for cutoff, asked in ((1, "nDCG(discount='log2')"), (7, None)):
        own = gainful.evaluate(qrels, run, Measure("nDCG") @ cutoff)
        found = gainful.reconcile(qrels, run, f"{own.mean():.10f}", asked)
        assert any(close(per_query(qrels, run, match), own.per_query()) for match in found.matches)


@pytest.mark.parametrize("measure", ["AP(rel=2)", "RR@5", "P@3", "R@5", "DCG@5"])
def test_common_measures_are_searched_by_default(measure: str) -> None:
    qrels = {"q1": {"d1": 2, "d2": 1, "d5": 0}, "q2": {"d3": 1, "d4": 2}, "q3": {"d6": 3}}
    run = {
        "q1": {"d2": 3.0, "u1": 2.0, "d1": 1.0},
        "q2": {"u2": 5.0, "u3": 4.0, "u4": 3.5, "d4": 2.0, "d3": 1.0},
        "q3": {"d6": 1.0, "u1": 0.5},
    }
    own = gainful.evaluate(qrels, run, measure)
    found = gainful.reconcile(qrels, run, f"{own.mean():.9f}")
    family = parse_measure(measure).family
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
        assert match.measure.cutoff == 5 or match.readings
