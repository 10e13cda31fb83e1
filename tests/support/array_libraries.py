"""Lists of grades in the arrays of several libraries, compared with the kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gainful
from combinations import share
from evaluation_words import sorted_rows
from gainful.backends import arrays
from gainful.conventions import Convention, get

Make = Callable[[Any], Any]

MEASURES = (
    "nDCG",
    "nDCG@5",
    "nDCG(gain='exponential')@5",
    "nDCG(gain={0: 1, 2: 5, 3: 1})@6",
    "nDCG(discount='jarvelin-kekalainen')@7",
    "nDCG(discount=(1, 0.5, 0.25))",
    "nDCG(ideal='judged-uncut')@3",
    "nDCG(ideal='judged-to-depth')@8",
    "nDCG(ideal='list')@3",
    "nDCG(ideal='list-cut')@3",
    "nDCG(ideal='ones', gain='binary')@7",
    "nDCG(ideal='max-grade', max_grade=3)@20",
    "nDCG(ideal='max-grade', max_grade=3)",
    "nDCG(ideal='given-order')@4",
    "nDCG(ideal=(3, 2, 2))@5",
    "nDCG(gain='exponential+1')",
    "DCG@4",
    "DCG(discount='ln')",
    "DCG(discount='reciprocal')@3",
    "IDCG@3",
    "CG@3",
    "AP",
    "AP@4",
    "AP(norm='capped', rel=2)@4",
    "P",
    "P@3",
    "P(rel=2)@20",
    "R",
    "R@5",
    "R(capped=True)@3",
    "RR",
    "RR@2",
    "RR(rel=3)",
    "Success@1",
    "Success@3",
    "Success",
    "ERR",
    "ERR@4",
    "RBP",
    "RBP(p=0.5)@4",
    "RBP(max_grade=3)@6",
)
TIES = (
    "expected",
    "average-rank",
    "average-rank-down",
    "given",
    "reverse",
    "optimistic",
    "pessimistic",
)


class Lists:
    """Random lists of different lengths, with ties and negative grades; one is empty.

    Parameters
    ----------
    seed : int
        The random seed.
    count : int
        The number of lists.
    """

    def __init__(self, seed: int, count: int = 60) -> None:
        random = np.random.default_rng(seed)
        returned, judged = 11, 16
        pool = random.integers(-1, 4, (count, judged)) * (random.random((count, judged)) < 0.5)
        pool[3] = 0
        self.pool = pool
        self.pool_where = np.ones_like(pool, dtype=bool)
        self.grades = pool[:, :returned]
        self.scores = random.integers(0, 5, (count, returned)) / 7
        self.where = random.random((count, returned)) < 0.85
        self.where[5] = False
        # Arrays have no ids; the kernel orders tied documents by id, in descending order.
        self.qrels = {
            f"q{row:03}": {f"d{99 - place}": int(grade) for place, grade in enumerate(pool[row])}
            for row in range(count)
        }
        self.run = {
            f"q{row:03}": {
                f"d{99 - place}": float(self.scores[row, place])
                for place in range(returned)
                if self.where[row, place]
            }
            for row in range(count)
        }

    def expected(self, convention: Convention, measures: list[str]) -> dict[str, Any]:
        """Return the kernel's values by measure, NaN for a query that is left out."""
        # A query without rows in the run counts as missing; its value is the same.
        result = gainful.evaluate(self.qrels, self.run, measures, convention=convention)
        return {
            repr(measure): np.array(
                [
                    float("nan") if row[repr(measure)] is None else row[repr(measure)]
                    for row in sorted_rows(result)
                ],
                dtype=float,
            )
            for measure in result.measures
        }

    def found(
        self, convention: Convention, measures: list[str], make: Make, dtype: Any = None
    ) -> dict[str, Any]:
        """Return the values that the functions on arrays compute."""
        return arrays.measure_lists(
            measures,
            make(self.grades),
            scores=make(self.scores),
            where=make(self.where),
            judged=make(self.pool),
            judged_where=make(self.pool_where),
            convention=convention,
            dtype=dtype,
        )


def defined(ties: str) -> list[str]:
    """Return the measures that are defined under a policy on ties."""
    shared = ties.startswith("average-rank")
    return [
        measure
        for measure in MEASURES
        if not (shared and measure.startswith(("AP", "ERR")))
        and not ("list-cut" in measure and (shared or ties == "expected"))
        and not ("discount=(1" in measure and ties == "average-rank")
    ]


#: Values of the policies ``no_relevant`` and ``negative``.
POLICIES = ((0, "zero"), (1, "signed"), ("nan", "zero"), ("skip", "signed"), ("agree", "zero"))


def hold(
    make: Make,
    back: Callable[[Any], Any],
    tolerance: float,
    dtype: Any = None,
    *,
    parts: int = len(POLICIES),
    shares: int = 1,
) -> int:
    """Compare the values of a library's arrays with the kernel's; return how many were compared.

    Each policy on ties is tried with one of several equal parts of the other policies, and one of
    several shares of the measures.
    """
    compared = 0
    for number, ties in enumerate(TIES):
        lists = Lists(number)
        for no_relevant, negative in share(POLICIES, number, parts):
            convention = get("gainful-1").replace(
                ties=ties, no_relevant=no_relevant, negative=negative
            )
            measures = share(defined(ties), number, shares)
            expected = lists.expected(convention, measures)
            found = lists.found(convention, measures, make, dtype)
            assert found.keys() == expected.keys()
            for measure, values in found.items():
                np.testing.assert_allclose(
                    back(values),
                    expected[measure],
                    rtol=tolerance,
                    atol=tolerance,
                    err_msg=f"{measure}, {convention}",
                )
                compared += len(expected[measure])
    return compared
