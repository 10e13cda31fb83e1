"""Compare the presets of machine-learning tools with the tools on random lists.

`make test-tools` installs them and runs this.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

import gainful
from gainful.conventions import Convention, get
from gainful.errors import GainfulError
from list_tools import Rows, catboost, lightgbm, rax, scikit_learn, torchmetrics, xgboost
from random_rankings import Drawn, draw
from requirements import need

pytestmark = pytest.mark.peer

CUTOFFS = (None, 1, 3, 10)
SIGNED = (-2, -1, 0, 0, 1, 2, 3)
FRACTIONS = (0, 0, 0.5, 1, 1.5, 3)
DOUBLE = 1e-12
SINGLE = 2e-6


def measure(cutoff: int | None) -> str:
    return "nDCG" if cutoff is None else f"nDCG@{cutoff}"


def values(drawn: Drawn, convention: Convention) -> dict[int | None, dict[str, float]]:
    """Return what Gainful gives a query, by cutoff."""
    asked = [measure(cutoff) for cutoff in CUTOFFS]
    result = gainful.evaluate(drawn.qrels, drawn.run, asked, convention=convention)
    return {cutoff: result.per_query(measure(cutoff)) for cutoff in CUTOFFS}


def compare(
    drawn: Drawn,
    preset: Convention | str,
    tool: Callable[[Rows, int | None], float],
    tolerance: float,
) -> int:
    """Compare each value of each query, and return how many they are."""
    ours = values(drawn, get(preset))
    compared = 0
    for query in drawn.run:
        rows = drawn.rows(query)
        for cutoff in CUTOFFS:
            theirs = tool(rows, cutoff)
            assert ours[cutoff][query] == pytest.approx(theirs, rel=tolerance, abs=tolerance), (
                query,
                cutoff,
                rows,
            )
            compared += 1
    return compared


def groups(drawn: Drawn) -> list[Rows]:
    return [drawn.rows(query) for query in drawn.run]


def compare_means(
    drawn: Drawn,
    preset: Convention | str,
    tool: Callable[[list[Rows], int | None], float],
    weights: list[float] | None = None,
) -> None:
    own = None if weights is None else dict(zip(drawn.run, weights, strict=True))
    asked = [measure(cutoff) for cutoff in CUTOFFS]
    result = gainful.evaluate(drawn.qrels, drawn.run, asked, convention=preset, weights=own)
    for cutoff in CUTOFFS:
        theirs = tool(groups(drawn), cutoff)
        assert result.mean(measure(cutoff)) == pytest.approx(theirs, rel=DOUBLE), cutoff


def weights_of(drawn: Drawn) -> list[float]:
    # Exact as 32-bit numbers, as which the libraries keep them.
    return [0.25 * (1 + number % 7) for number in range(len(drawn.run))]


# What each library can be given.
KINDS = {
    "ties": {"seed": 1},
    "no ties": {"seed": 2, "ties": False},
    "short lists": {"seed": 3, "longest": 4},
}
ANY_GRADES = {
    "losses": {"seed": 4, "grades": SIGNED},
    "fractions": {"seed": 5, "grades": FRACTIONS},
}


def matrix_rows(drawn: Drawn, query: str) -> Rows:
    """Return a row of a matrix: what was judged and not returned shares a score below all."""
    grades, scores = drawn.rows(query)
    others = [name for name in drawn.qrels[query] if name not in drawn.run[query]]
    lowest = min(scores) - 1
    return [*grades, *(drawn.qrels[query][name] for name in others)], [
        *scores,
        *[lowest] * len(others),
    ]


@pytest.mark.parametrize("kind", [*KINDS, "fractions"])
def test_scikit_learn(kind: str) -> None:
    drawn = draw(**{**KINDS, **ANY_GRADES}[kind], shortest=2)
    ours = values(drawn, get("scikit-learn-1.9.1"))
    compared = 0
    for query in drawn.run:
        rows = matrix_rows(drawn, query)
        for cutoff in CUTOFFS:
            theirs = scikit_learn(rows, cutoff)
            assert ours[cutoff][query] == pytest.approx(theirs, rel=DOUBLE, abs=DOUBLE), rows
            compared += 1
    assert compared == 600


@pytest.mark.parametrize("ties", [False, True])
def test_scikit_learn_with_ignore_ties(ties: bool) -> None:
    drawn = draw(6, ties=ties, shortest=2, outside=ties)
    preset = get("scikit-learn-1.9.1-ignore_ties")
    ours, least, most = (
        values(drawn, preset.replace(ties=policy))
        for policy in ("reverse", "pessimistic", "optimistic")
    )
    for query in drawn.run:
        rows = matrix_rows(drawn, query)
        for cutoff in CUTOFFS:
            theirs = scikit_learn(rows, cutoff, ignore_ties=True)
            assert least[cutoff][query] - DOUBLE <= theirs <= most[cutoff][query] + DOUBLE
            if not ties:
                assert ours[cutoff][query] == pytest.approx(theirs, rel=DOUBLE, abs=DOUBLE)


def test_scikit_learn_and_its_preset_reject_the_same_input() -> None:
    for rows in (([1], [1.0]), ([1, -1], [2.0, 1.0])):
        with pytest.raises(ValueError):
            scikit_learn(rows, None)
        names = "ab"[: len(rows[0])]
        with pytest.raises(GainfulError):
            gainful.evaluate(
                {"q": dict(zip(names, rows[0], strict=True))},
                {"q": dict(zip(names, rows[1], strict=True))},
                "nDCG",
                convention="scikit-learn",
            )


@pytest.mark.parametrize("kind", [*KINDS, "fractions"])
def test_torchmetrics(kind: str) -> None:
    drawn = draw(**{**KINDS, **ANY_GRADES}[kind])
    assert compare(drawn, "torchmetrics-1.9.0", torchmetrics, SINGLE) == 600


def ideal_above_0(drawn: Drawn) -> Drawn:
    """Leave out queries whose ideal is below 0 at a cutoff: there the libraries divide by it."""
    ideals = gainful.evaluate(
        drawn.qrels,
        drawn.run,
        [f"IDCG@{cutoff}" if cutoff else "IDCG" for cutoff in CUTOFFS],
        # The tool has no IDCG; it is computed with its policies here.
        convention=get("torchmetrics-1.9.0").replace(name="own"),
    )
    kept = [
        row["query_id"]
        for row in ideals.rows()
        # An ideal close to 0 has none of its digits in 32 bits.
        if all(
            value > 0.5
            for name, value in row.items()
            if name.startswith("IDCG") and value is not None
        )
    ]
    return Drawn(
        {query: drawn.qrels[query] for query in kept}, {query: drawn.run[query] for query in kept}
    )


def test_torchmetrics_with_losses() -> None:
    drawn = ideal_above_0(draw(4, grades=SIGNED))
    assert compare(drawn, "torchmetrics-1.9.0", torchmetrics, 20 * SINGLE) > 200


@pytest.mark.parametrize("kind", [*KINDS, "fractions"])
def test_rax(kind: str) -> None:
    drawn = draw(**{**KINDS, **ANY_GRADES}[kind])
    assert compare(drawn, "rax-0.4.0", rax, SINGLE) == 600


def test_rax_with_losses() -> None:
    drawn = ideal_above_0(draw(4, grades=SIGNED))
    assert compare(drawn, "rax-0.4.0", rax, 20 * SINGLE) > 200


@pytest.mark.parametrize("kind", KINDS)
def test_lightgbm(kind: str) -> None:
    drawn = draw(**KINDS[kind])
    one = compare(drawn, "lightgbm-4.7.0", lambda rows, cutoff: lightgbm([rows], cutoff), DOUBLE)
    assert one == 600
    compare_means(drawn, "lightgbm-4.7.0", lightgbm)
    weights = weights_of(drawn)
    compare_means(
        drawn, "lightgbm-4.7.0", lambda rows, cutoff: lightgbm(rows, cutoff, weights), weights
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("minus", [False, True])
def test_xgboost(kind: str, minus: bool) -> None:
    drawn = draw(**KINDS[kind])
    preset = "xgboost-3.2.0-minus" if minus else "xgboost-3.2.0"
    assert (
        compare(drawn, preset, lambda rows, cutoff: xgboost([rows], cutoff, minus=minus), DOUBLE)
        == 600
    )
    compare_means(drawn, preset, lambda rows, cutoff: xgboost(rows, cutoff, minus=minus))
    # The queries with nothing relevant have the larger weights, so that the mean stays below 1.
    weights = [0.25 if max(grades) > 0 else 1.75 for grades, _ in groups(drawn)]
    compare_means(
        drawn, preset, lambda rows, cutoff: xgboost(rows, cutoff, weights, minus=minus), weights
    )


@pytest.mark.parametrize("kind", [*KINDS, *ANY_GRADES])
def test_xgboost_with_linear_gains(kind: str) -> None:
    drawn = draw(**{**KINDS, **ANY_GRADES}[kind])

    def tool(rows: Rows, cutoff: int | None) -> float:
        return xgboost([rows], cutoff, exponential=False)

    tolerance = 1e-9 if kind == "losses" else DOUBLE
    assert compare(drawn, "xgboost-3.2.0-linear", tool, tolerance) == 600


@pytest.mark.parametrize(
    ("variant", "options"),
    [
        ("", []),
        ("-exp", ["type=Exp"]),
        ("-position", ["denominator=Position"]),
        ("-exp-position", ["type=Exp", "denominator=Position"]),
    ],
)
@pytest.mark.parametrize("kind", [*KINDS, *ANY_GRADES])
def test_catboost(kind: str, variant: str, options: list[str]) -> None:
    drawn = draw(**{**KINDS, **ANY_GRADES}[kind])
    preset = f"catboost-1.2.10{variant}"

    def tool(rows: Rows, cutoff: int | None) -> float:
        return catboost([rows], cutoff, options=options)

    tolerance = 1e-9 if kind == "losses" else DOUBLE
    assert compare(drawn, preset, tool, tolerance) == 600
    weights = weights_of(drawn)
    compare_means(
        drawn, preset, lambda rows, cutoff: catboost(rows, cutoff, weights, options), weights
    )


@pytest.mark.parametrize(
    ("name", "largest"), [("lightgbm", 30), ("xgboost", 31)], ids=["lightgbm", "xgboost"]
)
def test_grades_that_are_refused_on_both_sides(name: str, largest: int) -> None:
    tool = {"lightgbm": lightgbm, "xgboost": xgboost}[name]
    refusal = need(name).basic.LightGBMError if name == "lightgbm" else need(name).core.XGBoostError

    def ours(grade: float) -> float:
        qrels, run = {"q": {"a": 0, "b": grade}}, {"q": {"a": 2.0, "b": 1.0}}
        return gainful.evaluate(qrels, run, "nDCG@5", convention=name).mean()

    assert ours(largest) == pytest.approx(tool([([0, largest], [2.0, 1.0])], 5))
    assert math.isclose(ours(largest), 1 / math.log2(3))
    for grade in (largest + 1, -1, 0.5):
        with pytest.raises(refusal):
            tool([([0, grade], [2.0, 1.0])], 5)
        with pytest.raises(GainfulError):
            ours(grade)
