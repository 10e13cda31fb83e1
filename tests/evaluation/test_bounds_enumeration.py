"""Bounds equal the minimum and maximum over an enumeration of all labelings."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

import gainful
from gainful.conventions import Convention

SCALE = (0, 1, 3)
MEASURES = (
    *("nDCG@1", "nDCG@3", "nDCG@5", "nDCG", "nDCG(gain='exponential')@4"),
    *("nDCG(discount='reciprocal')@5", "nDCG(discount='none')@3", "nDCG(discount=[1, 0.5, 0.5])"),
    *("nDCG(ideal='judged-uncut')@3", "nDCG(ideal='judged-to-depth')@9", "nDCG(ideal='list')@3"),
    *("nDCG(ideal='max-grade', max_grade=3)@4", "nDCG(ideal=[3, 1])@4"),
    *("DCG@3", "CG@4", "AP", "AP@3", "AP(rel=2)", "AP(norm='capped')@3", "P@3", "P", "P(rel=2)@4"),
    *("R@3", "R(capped=True)@2", "F@3", "F", "RR", "RR@2", "Rprec", "Success@2", "Success@4"),
    *("ERR(max_grade=3)@4", "ERR(max_grade=3)", "RBP(p=0.8)", "RBP(p=0.5)@3", "NumRelRet"),
    "RBP(p=0.8, max_grade=3)@4",
)
# Measures that require a fixed order of the documents.
SETTLED = ("nDCG(ideal='list-cut')@3", "nDCG(ideal='list-cut')@5")


def ranking(rng: random.Random, ties: bool) -> tuple[dict[str, int], dict[str, float]]:
    """Return judgments and a run of at most 8 documents, up to 5 of them unjudged."""
    size = rng.randint(1, 8)
    documents = [f"d{n}" for n in range(size)]
    unjudged = set(rng.sample(documents, rng.randint(0, min(5, size))))
    judged = {each: rng.choice((0, 0, 1, 2, 3)) for each in documents if each not in unjudged}
    judged |= {f"n{n}": rng.choice((0, 1, 2, 3)) for n in range(rng.randint(0, 3))}
    if not judged:
        judged["n"] = 0
    scores = {each: float(rng.randint(1, 3) if ties else -n) for n, each in enumerate(documents)}
    return judged, scores


def labelings(
    judged: dict[str, int], run: dict[str, float], among: set[str]
) -> Iterator[dict[str, int]]:
    unjudged = [each for each in run if each not in judged and each in among]
    for labels in itertools.product(SCALE, repeat=len(unjudged)):
        yield {**judged, **dict(zip(unjudged, labels, strict=True))}


def extremes(
    judged: dict[str, int],
    run: dict[str, float],
    measures: tuple[str, ...],
    convention: Convention,
    among: set[str],
) -> dict[str, tuple[float, float] | None]:
    """Evaluate every labeling as a query of its own."""
    every = {f"q{n}": labels for n, labels in enumerate(labelings(judged, run, among))}
    result = gainful.evaluate(every, dict.fromkeys(every, run), measures, convention=convention)
    found: dict[str, tuple[float, float] | None] = {}
    for measure in measures:
        values = result.per_query(measure).values()
        found[measure] = (min(values), max(values)) if values else None
    return found


def check(
    judged: dict[str, int],
    run: dict[str, float],
    measures: tuple[str, ...],
    convention: Convention,
    scope: str = "retrieved",
    among: set[str] | None = None,
) -> int:
    qrels = {"q": judged}
    result = gainful.evaluate(
        qrels, {"q": run}, measures, convention=convention, bounds=scope, scale=SCALE
    )
    expected = extremes(judged, run, measures, convention, set(run) if among is None else among)
    wide = 0
    for measure in measures:
        both = expected[measure]
        bounds = result.bounds(measure)
        if both is None:
            assert bounds == {}, (judged, run, measure)
            continue
        low, _, high = bounds["q"]
        assert low == pytest.approx(both[0], abs=1e-12), (judged, run, measure)
        assert high == pytest.approx(both[1], abs=1e-12), (judged, run, measure)
        wide += low < high
    return wide


@pytest.mark.parametrize("no_relevant", [0, 1, "skip"])
@pytest.mark.parametrize("seed", range(2))
def test_settled_orders(seed: int, no_relevant: float | str) -> None:
    rng = random.Random(f"{seed} {no_relevant}")
    convention = gainful.conventions["gainful-1"].replace(no_relevant=no_relevant)
    wide = sum(check(*ranking(rng, ties=False), MEASURES + SETTLED, convention) for _ in range(25))
    assert wide > 200


@pytest.mark.parametrize("ties", ["expected", "average-rank", "average-rank-down", "given"])
def test_tied_documents(ties: str) -> None:
    rng = random.Random(ties)
    convention = gainful.conventions["gainful-1"].replace(ties=ties)
    shared = ties.startswith("average-rank")
    measures = tuple(
        each
        for each in MEASURES
        if not (shared and each.startswith(("AP", "ERR", "nDCG(discount=[")))
    )
    wide = sum(check(*ranking(rng, ties=True), measures, convention) for _ in range(40))
    assert wide > 300


@pytest.mark.parametrize("ties", ["doc-id-desc", "expected", "average-rank"])
def test_labels_above_the_cutoff_alone(ties: str) -> None:
    rng = random.Random(f"cutoff {ties}")
    convention = gainful.conventions["gainful-1"].replace(ties=ties)
    wide = 0
    for measure, cutoff in (("nDCG@3", 3), ("P@2", 2), ("R@4", 4), ("AP@3", 3), ("DCG@5", 5)):
        if ties == "average-rank" and measure == "AP@3":
            continue
        for _ in range(15):
            judged, run = ranking(rng, ties=ties != "doc-id-desc")
            among = above(run, cutoff, ties)
            wide += check(judged, run, (measure,), convention, "cutoff", among)
    assert wide > 30


def above(run: dict[str, float], cutoff: int, ties: str) -> set[str]:
    """Return the documents that can be above the cutoff."""
    order = sorted(run, key=lambda each: (run[each], each), reverse=True)
    if ties == "doc-id-desc":
        return set(order[:cutoff])
    found = set()
    for score in set(run.values()):
        group = [each for each in order if run[each] == score]
        first, last = order.index(group[0]) + 1, order.index(group[-1]) + 1
        if (first if ties == "expected" else (first + last) / 2) <= cutoff:
            found.update(group)
    return found


def test_rankings_of_eight_unjudged_documents() -> None:
    """Only two documents outside the ranking are judged."""
    run = {f"d{n}": float(-n) for n in range(8)}
    convention = gainful.conventions["gainful-1"]
    measures = ("nDCG@3", "nDCG@5", "nDCG", "AP", "AP@5", "P@5", "R@5", "RR", "ERR(max_grade=3)@8")
    assert check({"n1": 3, "n2": 1}, run, measures, convention) == len(measures)


def test_grades_outside_the_scale_and_uneven_scales() -> None:
    rng = random.Random("scale")
    convention = gainful.conventions["gainful-1"]
    wide = 0
    for _ in range(60):
        judged, run = ranking(rng, ties=False)
        judged = {each: grade + rng.choice((0, 0.25, 0.5)) for each, grade in judged.items()}
        wide += check(judged, run, ("nDCG@3", "nDCG@5", "nDCG"), convention)  # type: ignore[arg-type]
    assert wide > 60


def test_presets() -> None:
    for name in ("trec_eval-9.0.8", "scikit-learn", "pytrec_eval", "beir"):
        rng = random.Random(name)
        convention = gainful.conventions[name]
        assert sum(check(*ranking(rng, ties=True), ("nDCG@4",), convention) for _ in range(25)) > 5
