"""Numbers of ndeval, pyndeval and trec_eval's averages over groups of judgments."""

from __future__ import annotations

import csv
import random

import pytest

import gainful
from gainful.measures import parse_measure
from requirements import need

NDEVAL = {
    "ERR-IA": "ERR_IA",
    "nERR-IA": "nERR_IA",
    "alpha-DCG": "alpha_DCG",
    "alpha-nDCG": "alpha_nDCG",
    "NRBP": "NRBP",
    "nNRBP": "nNRBP",
    "MAP-IA": "AP_IA",
    "P-IA": "P_IA",
    "strec": "StRecall",
}


def ours(name):
    family, at, cutoff = name.partition("@")
    return NDEVAL[family] + at + cutoff


@pytest.mark.parametrize("collection", ["13", "14"])
def test_ndeval_to_its_printed_digits(shared_data, collection):
    folder = shared_data / f"web{collection}"
    with open(folder / f"ndeval.reference.wt{collection}.csv") as file:
        (_, _, *names), *rows = csv.reader(file)
    qrels = gainful.read_qrels(folder / "qrels.ndeval.txt.gz", subtopics=True)
    # Its judgments were read without the -2 of spam, which ndeval refuses.
    convention = gainful.conventions["ndeval-4.5"].replace(negative="zero")
    measures = [ours(name) for name in names]
    result = gainful.evaluate(
        qrels, folder / f"test.wt{collection}.run", measures, convention=convention
    )
    values = {measure: result.per_query(measure) for measure in measures}
    for _, topic, *expected in rows[:-1]:
        assert [f"{values[measure][topic]:.6f}" for measure in measures] == expected, topic
    assert rows[-1][1] == "amean"
    assert [f"{result.mean(measure):.6f}" for measure in measures] == rows[-1][2:]


def test_pyndeval_on_random_collections():
    pyndeval = need("pyndeval")
    numbers = random.Random(3)
    for _ in range(80):
        count = numbers.randint(1, 8)
        rows = [
            (f"q{query}", str(subtopic), f"d{document:02}", numbers.choice([0, 0, 1, 1, 2]))
            for query in range(3)
            for subtopic in range(count)
            for document in range(20)
            if numbers.random() < 0.5
        ]
        if not rows:
            continue
        run = {
            f"q{query}": {f"d{document:02}": numbers.random() for document in range(5, 30)}
            for query in range(3)
        }
        alpha, beta = numbers.choice([(0.5, 0.5), (0.25, 0.75), (0.75, 0.125)])
        names = [
            f"{name}@{k}"
            for name in NDEVAL
            if name not in ("NRBP", "nNRBP", "MAP-IA")
            for k in (2, 5, 20)
        ] + ["NRBP", "nNRBP", "MAP-IA"]
        theirs = pyndeval.ndeval(
            rows,
            [(query, doc, score) for query, docs in run.items() for doc, score in docs.items()],
            measures=names,
            alpha=alpha,
            beta=beta,
        )
        measures = {}
        for name in names:
            measure = parse_measure(ours(name))
            parameters = {"alpha": alpha, "beta": beta}
            declared = {each.name for each in measure.declaration.parameters}
            measures[name] = measure(**{k: v for k, v in parameters.items() if k in declared})
        result = gainful.evaluate(gainful.Qrels(rows, subtopics=True), run, list(measures.values()))
        for name, measure in measures.items():
            for query, value in result.per_query(measure).items():
                expected = theirs[query][name]
                if expected != expected:  # 0 / 0 of a query with no relevant documents
                    expected = 0
                assert value == pytest.approx(expected, rel=1e-12, abs=1e-12), (name, query)


def test_trec_evals_groups_of_judgments(shared_data):
    folder = shared_data / "trec_eval"
    qrels = gainful.read_qrels(folder / "qrels.123", subtopics=True)
    names = {}
    for measure in ("map_avgjg", "P_avgjg", "Rprec_mult_avgjg"):
        for each in gainful.measures.parse_measures(measure):
            rest = "" if each.cutoff is None else f"_{each.cutoff}"
            multiple = each.params.get("multiple")
            names[measure + (rest if multiple is None else f"_{multiple:.2f}")] = each
    result = gainful.evaluate(
        qrels, folder / "results.test", list(names.values()), convention="trec_eval-10.0-rc3"
    )
    lines = [line.split() for line in (folder / "out.test.qrels_jg").read_text().splitlines()]
    compared = 0
    for name, topic, expected in lines:
        if name in names:
            measure = names[name]
            per_query = result.per_query(measure)
            own = result.mean(measure) if topic == "all" else per_query[topic]
            assert f"{own:.4f}" == expected, (name, topic)
            compared += 1
    assert compared == 80
