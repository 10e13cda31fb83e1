"""Documents below the cutoffs of all measures are left in any order if no scores are equal."""

from __future__ import annotations

import random

import pytest

import gainful
from gainful.errors import DuplicateError
from requirements import need

CUT = [
    "CG@3", "DCG@5", "ERR@5", "Judged@5", "P@5", "P(rel=2)@5", "R@20", "R(capped=True)@5", "RBP@5",
    "RR@5", "Success@1", "nDCG@5", "nDCG(gain=exponential)@5", "nDCG(ideal=judged-uncut)@5",
    "nDCG(ideal=list)@5", "nDCG(ideal=list-cut)@5", "nDCG(ideal=given-order)@5",
]  # fmt: skip
# With it in the call, all documents are ordered.
WHOLE = "AP"


def draw(ties: bool) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Return judgments and a run, in random order."""
    source = random.Random(5)
    qrels, run = {}, {}
    for number, depth in enumerate([1, 4, 19, 20, 21, 40, 200, 3000]):
        documents = [f"d{place}" for place in range(depth)]
        scores = [source.random() for _ in documents]
        if ties and depth > 4:
            scores[source.randrange(depth)] = scores[source.randrange(depth)]
        run[f"q{number}"] = dict(zip(documents, scores, strict=True))
        judged = [*source.sample(documents, min(depth, 12)), "missed"]
        qrels[f"q{number}"] = {document: source.randrange(4) for document in judged}
    return qrels, run


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("policy", [{}, {"ties": "expected"}, {"unjudged": "condense"}])
def test_values_and_counts_are_those_of_the_whole_ranking(
    ties: bool, policy: dict[str, str]
) -> None:
    qrels, run = draw(ties)
    convention = gainful.conventions.get("gainful-1").replace(**policy)
    # Under this policy on ties the cut would depend on an order.
    expected = policy.get("ties") == "expected"
    asked = [name for name in CUT if not (expected and "list-cut" in name)]
    alone = gainful.evaluate(qrels, run, asked, convention=convention)
    whole = gainful.evaluate(qrels, run, [*asked, WHOLE], convention=convention)

    def rows(evaluation: gainful.Evaluation) -> list[str]:
        names = alone.columns
        return [repr({name: row[name] for name in names}) for row in evaluation.rows()]

    assert rows(alone) == rows(whole)


def test_integer_ids_are_matched_without_a_table() -> None:
    """As integers in an Arrow table; and few of them judged, or too many to look for one by one."""
    pyarrow = need("pyarrow")
    source = random.Random(6)
    for depth in (1, 33, 100, 2047, 2050):
        documents = source.sample(range(-50, 4000), depth)
        scores = [source.random() for _ in documents]
        run = {"query_id": [7] * depth, "doc_id": documents, "score": scores}
        for judged in (1, 20, 31, 32, 33, 60):
            some = [*source.sample(documents, min(judged, depth)), 5000]
            grades = [source.randrange(3) for _ in some]
            columns = {"query_id": [7] * len(some), "doc_id": some, "grade": grades}
            tables = pyarrow.table(columns), pyarrow.table(run)
            plain = (
                {"7": dict(zip(map(str, ids), numbers, strict=True))}
                for ids, numbers in ((some, grades), (documents, scores))
            )
            numbers, texts = (
                [
                    {**row, "query_id": "7"}
                    for row in gainful.evaluate(*both, ["nDCG@5", "R@20"]).rows()
                ]
                for both in (tables, plain)
            )
            assert numbers == texts
        repeated = {**run, "doc_id": [*documents[:-1], documents[0]]}
        if depth > 1:
            with pytest.raises(DuplicateError):
                gainful.evaluate(pyarrow.table(columns), pyarrow.table(repeated), "nDCG@5")
