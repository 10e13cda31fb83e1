"""Scores put grades in order; what equal scores mean is named."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gainful
from gainful.errors import ArgumentError, ConventionError, TieError
from requirements import need

A2: tuple[list[float], list[float]] = ([0, 1, 3, 2], [1.0, 1.0, 1.0, 0.5])
A3: tuple[list[float], list[float]] = ([3, 0, 1], [0.5, 0.5, 0.5])


@pytest.mark.parametrize(
    ("case", "parameters", "expected"),
    [
        (A2, {}, 0.5966660014153452),
        (A2, {"ties": "given"}, 0.447499501061509),
        (A2, {"ties": "reverse"}, 0.7625024946924551),
        (A2, {"ties": "pessimistic"}, 0.4474995010615090),
        (A2, {"ties": "given", "gain": "exponential"}, 0.439797981079933),
        (A3, {}, 0.7825102285809599),
        (A3, {"ties": "given"}, 0.9639404333166534),
        (A3, {"ties": "reverse"}, 0.6885288809404666),
        (A3, {"ties": "pessimistic"}, 0.58688267143572),
        (A3, {"ties": "optimistic"}, 1.0),
        (A3, {"ties": "average-rank", "discount": "none"}, 1.0),
        (A3, {"ties": "given", "gain": "exponential"}, 0.9828422279067398),
        (A3, {"ties": "pessimistic", "gain": "exponential"}, 0.5413402936435214),
    ],
    ids=str,
)
def test_policies(
    case: tuple[list[float], list[float]], parameters: dict[str, Any], expected: float
) -> None:
    grades, scores = case
    found = gainful.ndcg(grades, scores=scores, k=3, **parameters)
    assert found == pytest.approx(expected, abs=1e-12)


def test_average_rank() -> None:
    # All three stand at rank 2, so k=1 sees none of them and k=2 all.
    assert gainful.cg([3, 0, 1], scores=[1, 1, 1], ties="average-rank", k=1) == 0
    assert gainful.cg([3, 0, 1], scores=[1, 1, 1], ties="average-rank", k=2) == 4
    assert gainful.dcg([1, 1], scores=[1, 1], ties="average-rank") == pytest.approx(
        2 / np.log2(2.5)
    )


@pytest.mark.parametrize("k", [None, 1, 2, 3, 5, 6])
@pytest.mark.parametrize("gain", ["linear", "exponential", {0: 1, 1: 0, 3: 7}])
def test_expected_is_the_mean_over_all_orders(k: int | None, gain: Any) -> None:
    grades = [2, 0, 1, 3, 1, 0]
    scores = [0.5, 0.5, 0.9, 0.5, 0.5, 0.1]
    orders = [gainful.dcg([1, *order, 0], k=k, gain=gain) for order in permutations([2, 0, 3, 1])]
    found = gainful.dcg(grades, scores=scores, k=k, gain=gain)
    assert found == pytest.approx(sum(orders) / len(orders), abs=1e-12)
    best = gainful.dcg(grades, scores=scores, k=k, gain=gain, ties="optimistic")
    worst = gainful.dcg(grades, scores=scores, k=k, gain=gain, ties="pessimistic")
    assert (best, worst) == pytest.approx((max(orders), min(orders)), abs=1e-12)


def test_random_is_the_same_for_the_same_seed_and_differs_between_seeds() -> None:
    grades = list(range(20))
    scores = [1.0] * 20
    drawn = [gainful.ndcg(grades, scores=scores, ties=f"random({seed})") for seed in range(30)]
    assert drawn == [
        gainful.ndcg(grades, scores=scores, ties=f"random({seed})") for seed in range(30)
    ]
    assert len(set(drawn)) > 25
    expected = gainful.ndcg(grades, scores=scores)
    assert abs(sum(drawn) / len(drawn) - expected) < 0.05
    # Each row draws its own order.
    rows = gainful.ndcg([grades] * 5, scores=[scores] * 5, ties="random(3)")
    assert len(set(rows)) > 1


def test_minus_zero_ties_with_zero() -> None:
    assert gainful.ndcg([0, 1], scores=[0.0, -0.0]) == gainful.ndcg([0, 1], scores=[0.0, 0.0])


def test_error_names_the_place() -> None:
    rows = [[3, 2, 1], [1, 2, 3]]
    with pytest.raises(TieError, match=r"score 0\.5 at row 1, position 2 .*equals"):
        gainful.ndcg(rows, scores=[[1, 2, 3], [0.5, 4, 0.5]], ties="error", k=1)
    assert gainful.ndcg([2, 1], scores=[2, 1], ties="error") == 1


def test_ids_have_no_part() -> None:
    with pytest.raises(ConventionError, match="lists have no document ids"):
        gainful.ndcg([1, 2], scores=[1, 1], ties="doc-id-desc")
    with pytest.raises(ConventionError, match=r"expected given, reverse, expected"):
        gainful.ndcg([1, 2], scores=[1, 1], ties="alphabetical")
    with pytest.raises(ArgumentError, match="without scores"):
        gainful.ndcg([1, 2], ties="optimistic")
    with pytest.raises(ConventionError, match=r"rank 2\.5"):
        gainful.dcg([1, 2], scores=[1, 1], ties="average-rank", discount=(1, 0.5))


# Which of the keyword arguments make our function the tool's.
TOOLS: dict[str, dict[str, Any]] = {
    "sklearn==1.9.1": {},
    "torchmetrics==1.9.0 functional (float32)": {"negative": "signed"},
    "rax==0.4.0 (float32)": {"gain": "exponential", "ties": "given", "negative": "signed"},
    "rax==0.4.0 linear gain (float32)": {"ties": "given", "negative": "signed"},
    "lenskit==2025.8.1 gain=rating default weight": {
        "discount": "jarvelin-kekalainen",
        "ties": "given",
        "negative": "signed",
        "no_relevant": float("nan"),
    },
    "lenskit==2025.8.1 gain=rating offset=1": {
        "ties": "given",
        "negative": "signed",
        "no_relevant": float("nan"),
    },
}


@pytest.mark.parametrize("tool", TOOLS)
def test_the_array_cases_of_other_tools(golden: Path, tool: str) -> None:
    fixtures = json.loads((golden / "ndcg_ml_and_production_tools.json").read_text("utf-8"))
    # Single-precision tools agree to single precision.
    tolerance = 2e-7 if "float32" in tool else 1e-12
    compared = 0
    for name, values in fixtures[tool].items():
        case = fixtures["_cases"]["array"].get(name)
        if case is None:
            continue
        for cutoff, expected in values.items():
            if not isinstance(expected, float) or not cutoff.startswith("k="):
                continue
            k = None if cutoff == "k=None" else int(cutoff[2:])
            found = gainful.ndcg(case["labels"], scores=case["scores"], k=k, **TOOLS[tool])
            where = f"{tool}, {name}, {cutoff}"
            assert found == pytest.approx(expected, abs=tolerance, nan_ok=True), where
            compared += 1
    assert compared >= 20


def test_catboost_is_pessimistic(golden: Path) -> None:
    fixtures = json.loads((golden / "ndcg_ml_and_production_tools.json").read_text("utf-8"))
    compared = 0
    for name, case in fixtures["_cases"]["array"].items():
        for metric, expected in fixtures["catboost==1.2.10"].get(name, {}).items():
            parts = dict(part.split("=") for part in metric.partition(":")[2].split(";") if part)
            found = gainful.ndcg(
                case["labels"],
                scores=case["scores"],
                k=int(parts["top"]) if "top" in parts else None,
                gain="exponential" if parts.get("type") == "Exp" else "linear",
                discount="reciprocal" if parts.get("denominator") == "Position" else "log2",
                ties="pessimistic",
                no_relevant=1.0,
                negative="signed",
            )
            assert found == pytest.approx(expected, abs=1e-12), f"{name}, {metric}"
            compared += 1
    assert compared >= 60


@pytest.mark.parametrize("kinds", [2, 10, 10**6])
def test_scikit_learn_agrees(kinds: int) -> None:
    need("scikit-learn")
    from sklearn.metrics import dcg_score, ndcg_score

    generator = np.random.default_rng(kinds)
    for k in (None, 1, 3, 10, 49, 70, 500):
        labels = generator.integers(0, 5, (40, 120)).astype(float)
        labels[7] = 0
        scores = generator.integers(0, kinds, (40, 120)) / kinds
        found = gainful.ndcg(labels, scores=scores, k=k)
        assert abs(found.mean() - ndcg_score(labels, scores, k=k)) < 1e-12
        for row in (0, 7, 11):
            one = ndcg_score(labels[row : row + 1], scores[row : row + 1], k=k)
            assert abs(found[row] - one) < 1e-12
        sums = gainful.dcg(labels, scores=scores, k=k)
        assert abs(sums.mean() - dcg_score(labels, scores, k=k)) < 1e-11
