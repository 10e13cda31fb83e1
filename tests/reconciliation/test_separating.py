"""A match of a preset names first what separates it from the default convention."""

from __future__ import annotations

import random

import pytest

import gainful
from gainful.conventions import Convention, get
from gainful.measures import parse_measure
from reconcile_data import collection

ROWS = [(f"q{n}", f"d{n * k % 17}", float(30 - k)) for n in range(1, 20) for k in range(1, 25)]
QRELS = {f"q{n}": {f"d{n * k % 17}": 1 for k in (3, 5, 9)} for n in range(1, 20)}


def test_duplicates_are_named_before_the_tools() -> None:
    run = gainful.Run(ROWS, duplicates="count")
    value = gainful.evaluate(QRELS, run, "P@20", convention="lenskit").mean()
    assert value != gainful.evaluate(QRELS, run, "P@20", convention="ranx").mean()
    found = gainful.reconcile(QRELS, run, f"{value:.6f}", "P@20")
    (separating,) = found.matches[0].separating
    assert separating.startswith("duplicates=")
    row = str(found).splitlines()[3]
    assert row.split()[:2] == ["P@20", f"{separating},"]


@pytest.mark.parametrize(
    ("preset", "measure"),
    [
        ("trec_eval", "nDCG(discount='log2')@5"),
        ("gdeval", "nDCG(discount='log2')@5"),
        ("torchmetrics", "AP"),
        ("lenskit", "RR"),
        ("jarvelin-kekalainen", "nDCG@5"),
        ("opensearch", "AP"),
    ],
)
def test_the_default_with_these_changes_gives_the_value(preset: str, measure: str) -> None:
    qrels, run = collection(preset, losses=False, twice=False)
    convention = get(preset)
    value = gainful.evaluate(qrels, run, measure, convention=convention).mean()
    match = gainful.reconcile(qrels, run, f"{value:.10f}", measure).matches[0]
    assert match.preset is not None
    changes = dict(change.split("=", 1) for change in match.separating)
    assert "fractions" not in changes
    policies = {
        name: getattr(match.convention, name)
        for name in changes
        if name in Convention.__slots__ and name != "defaults"
    }
    own = parse_measure(measure)
    params = own.resolve(match.convention).params
    changed = own(**{name: params[name] for name in changes.keys() - policies.keys()})
    given = gainful.evaluate(qrels, run, changed, convention=Convention(**policies))
    assert given.mean() == pytest.approx(match.value, abs=1e-9)
    for name in policies:
        fewer = {key: policy for key, policy in policies.items() if key != name}
        other = gainful.evaluate(qrels, run, changed, convention=Convention(**fewer)).mean()
        assert other != pytest.approx(match.value, abs=1e-12)


def test_the_default_is_separated_by_nothing() -> None:
    qrels, run = collection("default", ties=False, twice=False)
    value = gainful.evaluate(qrels, run, "AP").mean()
    match = gainful.reconcile(qrels, run, f"{value:.8f}", "AP").matches[0]
    assert (match.preset, match.separating) == ("gainful-1", ())


def test_a_preset_with_another_number_of_queries_is_separated() -> None:
    chance = random.Random(5)
    qrels = {f"q{n}": {f"d{k}": chance.randrange(4) for k in range(9)} for n in range(40)}
    run = {query: {f"d{k}": chance.random() for k in range(12)} for query in qrels}
    own = gainful.evaluate(qrels, run, "nDCG@5", convention="gdeval").mean() * 40 / 41
    match = gainful.reconcile(qrels, run, f"{own:.8f}", "nDCG@5").matches[0]
    assert (match.queries, match.separating) == (41, ("gain=exponential",))
