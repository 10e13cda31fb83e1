"""Tie policies agree with their definition: an enumeration of all orders of tied documents."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gainful
from gainful.errors import ConventionError, TieError

MEASURES = [
    "CG@3",
    "DCG",
    "nDCG@4",
    "nDCG(gain='exponential')",
    "nDCG(discount='jarvelin-kekalainen')@3",
    "P@3",
    "P",
    "R@2",
    "AP",
    "AP@3",
    "AP(norm='capped-to-depth')@4",
    "AP(norm='list')",
    "AP(norm='list-capped')@2",
    "AP(norm='list-cut')",
    "AP(norm='list-cut')@2",
    "AP(norm='list-cut')@4",
    "P(to_depth=True)@4",
    "R(listed=True)@2",
    "RR",
    "RR@2",
    "Rprec",
    "F@3",
    "Success@2",
    "ERR@4",
    "ERR",
    "ERR(stop='linear')@4",
    "RBP",
    "RBPResidual",
    "bpref",
    "Judged@3",
    "Unjudged@3",
    "NumRelRet",
    "NumNonrelRet",
    "GMAP",
    "GMbpref",
    "RprecMult(multiple=0.5)",
    "RprecMult(multiple=2)",
    "RelativeP@3",
    "SetAP",
    "Utility",
    "binG",
    "nDCGrel",
    "nDCGrel(gain={1: 0.5})",
    "RnDCG",
    "RnDCG(gain='exponential')",
    "nERR@3",
    "SDCG(max_rel=3)@3",
    "SDCG(max_rel=3, quantity='ETU')@4",
    "INSQ(max_rel=3)",
    "TBG(halflife=3, max_rel=3)",
    "U(L=4, max_rel=3, quantity='ED')",
    "CWL(rel=1)",
    "Accuracy",
    "Accuracy@3",
    "MinMaxNDCG@3",
]

# The mean of these over all orders has no closed form.
SETTLED_ONLY = ["Q@3", "OMeasure", "PPlus", "IPrec@0.5", "IAP", "infAP", "G", "yaap"]
SETTLED_ONLY += ["nDCGrel(gain={0: -1})"]

collections = st.lists(
    st.tuples(st.sampled_from([0, 1, 2, 3, -1, None]), st.sampled_from([3.0, 2.0, 1.0])),
    min_size=1,
    max_size=6,
)


def convention(**policies: object) -> gainful.Convention:
    return gainful.conventions["gainful-1"].replace(**policies)


def orders(scores: dict[str, float]) -> list[list[str]]:
    """Yield every ranking that the scores allow."""
    groups = [
        [doc for doc in scores if scores[doc] == score]
        for score in sorted(set(scores.values()), reverse=True)
    ]
    return [
        [doc for group in choice for doc in group]
        for choice in itertools.product(*(map(list, itertools.permutations(g)) for g in groups))
    ]


def of_orders(
    judged: dict[str, int], scores: dict[str, float], measures: list[str] | str
) -> gainful.Evaluation:
    """Evaluate every ranking that the scores allow, each as a query."""
    run = {f"q{number}": order for number, order in enumerate(orders(scores))}
    return gainful.evaluate(dict.fromkeys(run, judged), run, measures)


@settings(max_examples=60, deadline=None)
@given(collections)
def test_expected_is_the_mean_over_all_orders(rows: list[tuple[int | None, float]]) -> None:
    names = [f"d{index}" for index in range(len(rows))]
    qrels = {
        "q": {doc: grade for doc, (grade, _) in zip(names, rows, strict=True) if grade is not None}
    }
    qrels["q"]["elsewhere"] = 2
    scores = {doc: score for doc, (_, score) in zip(names, rows, strict=True)}
    expected = gainful.evaluate(
        qrels, {"q": scores}, MEASURES, convention=convention(ties="expected")
    )
    every = of_orders(qrels["q"], scores, MEASURES)
    for measure in MEASURES:
        values = every.per_query(measure).values()
        mean = math.fsum(values) / len(values)
        value = expected.per_query(measure)["q"]
        assert value == pytest.approx(mean, rel=1e-12, abs=1e-12), measure


@pytest.mark.parametrize("ties", ["expected", "average-rank"])
@pytest.mark.parametrize("measure", SETTLED_ONLY)
def test_a_measure_without_a_closed_form_is_an_error(measure: str, ties: str) -> None:
    with pytest.raises(ConventionError, match=r"no closed form; choose a tie policy"):
        gainful.evaluate(QRELS, TIED, measure, convention=convention(ties=ties))


@settings(max_examples=40, deadline=None)
@given(collections)
def test_optimistic_and_pessimistic_are_the_bounds_of_ndcg(
    rows: list[tuple[int | None, float]],
) -> None:
    names = [f"d{index}" for index in range(len(rows))]
    qrels = {
        "q": {doc: grade for doc, (grade, _) in zip(names, rows, strict=True) if grade is not None}
    }
    qrels["q"]["elsewhere"] = 1
    scores = {doc: score for doc, (_, score) in zip(names, rows, strict=True)}
    every = of_orders(qrels["q"], scores, "nDCG@4")["nDCG@4"].values()
    best = gainful.evaluate(
        qrels, {"q": scores}, "nDCG@4", convention=convention(ties="optimistic")
    )
    worst = gainful.evaluate(
        qrels, {"q": scores}, "nDCG@4", convention=convention(ties="pessimistic")
    )
    assert best.mean() == pytest.approx(max(every), abs=1e-12)
    assert worst.mean() == pytest.approx(min(every), abs=1e-12)


QRELS = {"q": {"a": 3, "b": 0, "c": 1, "d": 2}}
TIED = {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}}


@pytest.mark.parametrize(
    ("ties", "order"),
    [("doc-id-desc", "dcba"), ("doc-id-asc", "abcd"), ("given", "abcd"), ("reverse", "dcba")],
)
def test_an_order_policy_puts_the_tied_in_that_order(ties: str, order: str) -> None:
    result = gainful.evaluate(QRELS, TIED, "nDCG", convention=convention(ties=ties))
    assert result.mean() == gainful.evaluate(QRELS, {"q": list(order)}, "nDCG").mean()


def test_an_integer_id_is_its_decimal_text() -> None:
    text = gainful.evaluate(
        {"1": {"9": 1, "10": 0, "100": 0}}, {"1": {"9": 1, "10": 1, "100": 1}}, "nDCG"
    )
    whole = gainful.evaluate({1: {9: 1, 10: 0, 100: 0}}, {1: {100: 1, 10: 1, 9: 1}}, "nDCG")
    assert text.mean() == whole.mean() == 1.0


def test_random_order_depends_only_on_the_seed() -> None:
    def value(seed: int, run: dict) -> float:
        return gainful.evaluate(
            QRELS, run, "nDCG", convention=convention(ties=f"random({seed})")
        ).mean()

    backwards = {"q": dict(reversed(TIED["q"].items()))}
    values = {seed: value(seed, TIED) for seed in range(40)}
    assert all(value(seed, backwards) == values[seed] for seed in values)
    assert len(set(values.values())) > 5


def shuffled(query: str, documents: str, seed: int) -> list[str]:
    """Return documents in random order: by FNV-1a of query and document, mixed by SplitMix64."""

    def key(document: str) -> int:
        number = 0xCBF29CE484222325 ^ seed
        for byte in f"{query}\0{document}".encode():
            number = (number ^ byte) * 0x100000001B3 % 2**64
        number = (number + seed * 0x9E3779B97F4A7C15) % 2**64
        number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        number = (number ^ number >> 27) * 0x94D049BB133111EB % 2**64
        return number ^ number >> 31

    return sorted(documents, key=key)


@pytest.mark.parametrize("seed", [0, 1, 42, 2**64 - 1])
def test_the_random_order_is_the_same_everywhere(seed: int) -> None:
    documents = "abcdefghij"
    random = convention(ties=f"random({seed})")
    tied = {"q": dict.fromkeys(documents, 1.0)}
    for document in documents:
        rank = 1 / gainful.evaluate({"q": {document: 1}}, tied, "RR", convention=random).mean()
        assert shuffled("q", documents, seed).index(document) == round(rank) - 1


def test_ties_can_be_refused() -> None:
    with pytest.raises(TieError, match=r"query 'q'.*document 'b'.*score 1"):
        gainful.evaluate(QRELS, TIED, convention=convention(ties="error"))


def test_average_rank_places_the_tied_at_their_mean_rank() -> None:
    run = {"q": {"a": 2.0, "b": 1.0, "c": 1.0, "d": 0.5}}
    result = gainful.evaluate(QRELS, run, "DCG", convention=convention(ties="average-rank"))
    assert result.mean() == pytest.approx(3 + 1 / math.log2(3.5) + 2 / math.log2(5))


@pytest.mark.parametrize("measure", ["INST", "BPM@5", "NERR9@5", "CWL(model=RR)", "IFT", "Compat"])
@pytest.mark.parametrize("ties", ["expected", "average-rank"])
def test_measures_of_one_order_require_one(measure: str, ties: str) -> None:
    with pytest.raises(ConventionError, match=r"ties.*Hint: .*doc-id-desc"):
        gainful.evaluate(QRELS, TIED, measure, convention=convention(ties=ties))


@pytest.mark.parametrize("measure", ["AP", "ERR", "bpref", "nERR", "Accuracy", "SDCG@3"])
def test_average_rank_is_an_error_where_it_is_undefined(measure: str) -> None:
    with pytest.raises(ConventionError, match="average-rank"):
        gainful.evaluate(QRELS, TIED, measure, convention=convention(ties="average-rank"))


def test_scores_equal_in_float32_tie_under_trec_eval_9() -> None:
    run = {"q": {"b": 0.9, "a": 0.900000001}}
    qrels = {"q": {"a": 3, "b": 0}}
    assert gainful.evaluate(qrels, run, "nDCG@1").mean() == 1.0
    assert gainful.evaluate(qrels, run, "nDCG@1", convention="trec_eval-9.0.8").mean() == 0.0
    assert gainful.evaluate(qrels, run, "nDCG@1", convention="trec_eval-10.0-rc3").mean() == 1.0


def test_minus_zero_ties_with_zero() -> None:
    result = gainful.evaluate({"q": {"b": 1}}, {"q": {"a": 0.0, "b": -0.0}}, "RR")
    assert result.mean() == 1.0
