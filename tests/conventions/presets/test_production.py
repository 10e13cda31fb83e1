"""Special behavior of the presets of search engines, RAG and model monitoring tools.

Values are output of the tools, expected by the tools' own tests, or computed by hand from a tool's
source code; comments say which.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

import gainful
from gainful.errors import ConventionError, GainfulError, GradeError, MatchError

LOG3, LOG5 = math.log2(3), math.log2(5)


def graded(*grades: float | None) -> tuple[dict, dict]:
    """Return a ranking of documents with these grades, None for an unjudged one."""
    ids = [f"d{number:02d}" for number in range(len(grades))]
    judged = {d: grade for d, grade in zip(ids, grades, strict=True) if grade is not None}
    return {"q": judged}, {"q": ids}


def ranked(*documents: str) -> gainful.Run:
    """Return a ranking that may have duplicates."""
    rows = [("q", document, -float(rank)) for rank, document in enumerate(documents)]
    return gainful.Run(rows, duplicates="count")


def mean(preset: str, qrels: Any, run: Any, measure: str = "nDCG", **policies: object) -> float:
    convention = gainful.conventions[preset].replace(**policies)
    return gainful.evaluate(qrels, run, measure, convention=convention).mean()


THREE = {"q": {"a": 3, "b": 2, "c": 1}}
FOUR = {"q": {"a": 1, "b": 2, "c": 3, "d": 1}}
UNSEEN = {"q": {"a": 3, "b": 1}}
ALIKE = {"q": {"a": 1, "b": 1, "c": 1}}
FIVE, IN_ORDER = graded(2, 4, 0, 3, 1)
# Ten perfect documents, and two equally good ones that are not returned.
TWELVE = graded(*[1] * 12)


@pytest.mark.parametrize(
    ("grades", "hits", "dcg", "idcg"),
    [
        # Elasticsearch's own tests: in order, with gaps, and with four hits of six.
        ((3, 2, 3, 0, 1, 2), 6, 13.84826362927298, 14.595390756454922),
        ((3, 2, 3, None, 1, None), 6, 12.779642067948913, 13.347184833073591),
        ((3, 2, 3, None, 1, None), 4, 12.392789260714371, 13.347184833073591),
    ],
)
def test_elasticsearchs_own_tests(grades: tuple, hits: int, dcg: float, idcg: float) -> None:
    qrels, run = graded(*grades)
    run = {"q": run["q"][:hits]}
    result = gainful.evaluate(qrels, run, ["DCG", "IDCG", "nDCG"], convention="elasticsearch")
    assert result.mean("DCG") == pytest.approx(dcg, rel=1e-12)
    assert result.mean("IDCG") == pytest.approx(idcg, rel=1e-12)
    assert result.mean("nDCG") == pytest.approx(dcg / idcg, rel=1e-12)
    assert {measure.cutoff for measure in result.resolved} == {10}


def test_elasticsearch_cuts_the_ideal_to_what_was_returned() -> None:
    assert mean("elasticsearch", THREE, {"q": ["a"]}) == 1.0
    value = (1 + 3 / LOG3) / (7 + 3 / LOG3)
    assert mean("elasticsearch", FOUR, {"q": ["a", "b"]}) == pytest.approx(value)
    assert mean("quepid-cut", FOUR, {"q": ["a", "b"]}) < value
    assert mean("elasticsearch", THREE, {"q": ["x"], "other": ["x"]}) == 0.0


def test_elasticsearch_grades_unknown_documents_only_in_the_ranking() -> None:
    run = {"q": ["x", "a", "y", "b"]}
    # Computed with a copy of its algorithm.
    assert mean("elasticsearch", UNSEEN, run, unjudged=2) == pytest.approx(1.2249, abs=5e-5)
    value = (7 / LOG3 + 1 / LOG5) / (7 + 1 / LOG3)
    assert mean("elasticsearch", UNSEEN, run) == pytest.approx(value)


def test_elasticsearch_accepts_integer_and_negative_grades() -> None:
    with pytest.raises(GradeError, match=r"1\.5"):
        mean("elasticsearch", {"q": {"a": 1.5}}, {"q": ["a"]})
    # 2^-1 - 1 is a gain of -0.5.
    qrels, run = graded(-1, 1)
    assert mean("elasticsearch", qrels, run) == pytest.approx(
        (-1 / 2 + 1 / LOG3) / (1 - 1 / 2 / LOG3)
    )


@pytest.mark.parametrize(
    ("measure", "hits", "value"),
    # OpenSearch's own tests: twenty documents, rated 1, 2, 0, 1, 2, 0 and so on.
    [("nDCG@20", 20, 0.76), ("nDCG@5", 20, 0.51), ("nDCG@8", 5, 0.4), ("nDCG@5", 8, 0.51)],
)
def test_opensearchs_own_tests(measure: str, hits: int, value: float) -> None:
    qrels, run = graded(*[number % 3 for number in range(1, 21)])
    assert mean("opensearch", qrels, {"q": run["q"][:hits]}, measure) == value


def test_opensearch_rounds_queries_and_counts_documents_twice() -> None:
    # Output of its code.
    assert mean("opensearch", FIVE, IN_ORDER, "nDCG@3") == 0.6
    assert mean("opensearch", {"q": {"a": 1}}, ranked("a", "a", "a"), "nDCG@3") == 2.13
    assert mean("opensearch", THREE, {"q": ["a"]}, "nDCG@3") == 0.75
    # The mean of 0.63 and 1 is not rounded again.
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    value = mean("opensearch", qrels, {"1": ["x", "a"], "2": ["a"]}, "nDCG@3")
    assert value == pytest.approx(0.815, rel=1e-12)


def test_quepids_two_scorers() -> None:
    # Output of its code, and its own test.
    assert mean("quepid", *TWELVE) == pytest.approx(0.892, abs=5e-4)
    assert mean("quepid-cut", *TWELVE) == 1.0
    qrels, run = graded(0, 3, 1)
    for preset in ("quepid", "quepid-8.6-cut"):
        assert round(mean(preset, qrels, run), 2) == 0.64
    with_loss, run = graded(-1, 1)
    assert mean("quepid", with_loss, run) == pytest.approx((-1 / 2 + 1 / LOG3) / (1 - 1 / 2 / LOG3))


def test_rre_never_rounds_up() -> None:
    assert mean("rre", FIVE, IN_ORDER, "nDCG@3") == 0.59
    assert mean("rre", FOUR, {"q": ["a", "b"]}, "nDCG@3") == 0.3
    assert mean("rre", THREE, {"q": ["a"]}, "nDCG@3") == 0.74
    # Its code divides by zero here.
    with pytest.raises(GradeError, match="no relevant documents"):
        mean("rre", {"q": {"a": 0}}, {"q": ["a"]})
    # Since November 2025: (2 + 2.52) / (4 + 1.89 + 1), each term truncated.
    linear = "nDCG(gain='linear')@3"
    assert mean("rre", FIVE, IN_ORDER, linear) == math.floor(452 / 689 * 100) / 100


def test_rre_divides_decimal_numbers() -> None:
    # 5.94 / 11.88 is 0.49999999999999994 in binary, which is truncated to 0.49.
    qrels = {"q": {"0": 1, "1": 1, "2": 2, "3": 1, "4": 0, "5": 1, "6": 2, "7": 3}}
    run = {"q": ["5", "3", "7", "0", "1", "x", "y"]}
    assert mean("rre", qrels, run, "nDCG@10") == 0.5


def test_pyvespa() -> None:
    assert mean("pyvespa", FIVE, IN_ORDER, "nDCG@3") == 0.6562973047890615
    qrels, run = graded(2, -1, 1, 0)
    assert mean("pyvespa", qrels, run, "nDCG@5") == pytest.approx(0.8494796190969497, rel=1e-12)
    assert mean("pyvespa-binary", FIVE, IN_ORDER, "nDCG@5") == pytest.approx(0.9558295932317544)
    assert mean("pyvespa-binary", *graded(*[0] * 10, 1)) == 0.0
    assert mean("pyvespa", {"q": {"a": 1}}, ranked("a", "a", "a")) == 1 + 1 / LOG3 + 1 / 2


def test_haystack_does_not_truncate_the_ideal() -> None:
    # Output of the tool.
    ten = {"q": dict.fromkeys("abcdefghij", 1)}
    assert mean("haystack", ten, {"q": list("abc")}) == pytest.approx(0.4690000933206748)
    assert mean("haystack", THREE, {"q": ["x", "y", "b"]}) == pytest.approx(0.21000199575396408)
    # The second a keeps its rank.
    assert mean("haystack", THREE, ranked("a", "a", "b")) == pytest.approx(0.8400079830158563)
    assert mean("haystack", *graded(2, -1, 1, 0)) == pytest.approx(0.8494796190969497)
    # Negative gains that outweigh the positive ones: no ideal.
    assert mean("haystack", {"q": {"a": -1, "b": 0.5}}, {"q": ["b", "a"]}) == 0.0


def test_llama_index_duplicates_and_errors() -> None:
    # Output of the tool.
    assert mean("llama-index", {"q": {"a": 2}}, ranked("a", "a", "a")) == 2.1309297535714578
    ten = {"q": dict.fromkeys("abcdefghij", 1)}
    assert mean("llama-index", ten, {"q": list("abc")}) == pytest.approx(0.4690000933206748)
    assert mean("llama-index", FIVE, IN_ORDER) == pytest.approx(0.9558295932317544)
    with pytest.raises(GradeError, match="no relevant documents"):
        mean("llama-index", {"q": {"a": 0}}, {"q": ["a"]})


@pytest.mark.parametrize("preset", ["haystack", "llama-index"])
def test_parallel_lists_have_the_same_queries(preset: str) -> None:
    with pytest.raises(MatchError, match="'r'"):
        mean(preset, {"q": {"a": 1}, "r": {"a": 1}}, {"q": ["a"]})
    with pytest.raises(MatchError, match="'r'"):
        mean(preset, {"q": {"a": 1}}, {"q": ["a"], "r": ["a"]})


@pytest.mark.parametrize(
    ("qrels", "run", "cutoff", "value"),
    # Output of the tool.
    [
        (ALIKE, ("a",), 3, 1.0),
        (ALIKE, ("x", "a"), 3, 0.38685280723454163),
        ({"q": {"a": 1, "b": 1}}, ("a", "a", "a", "x"), 4, 0.8318724637288826),
        ({"q": {"a": 1}}, ("x", "x", "a"), 3, 0.5),
        ({"q": {"a": 1}}, ("a", "a"), 3, 1.0),
        ({"q": {"a": 0}}, ("x",), 3, 0.0),
    ],
)
def test_mlflow(qrels: dict, run: tuple, cutoff: int, value: float) -> None:
    assert mean("mlflow", qrels, ranked(*run), f"nDCG@{cutoff}") == pytest.approx(value)


def test_mlflow_without_results() -> None:
    # 1 if there are neither relevant documents nor results, otherwise 0.
    qrels = {"q": {"a": 0}, "r": {"a": 1}, "s": {"a": 1}}
    result = gainful.evaluate(qrels, {"s": ["a"]}, "nDCG@3", convention="mlflow")
    assert result.per_query() == {"q": 1.0, "r": 0.0, "s": 1.0}


@pytest.mark.parametrize(
    ("grades", "scores", "values"),
    # Output of the tool, for its cutoffs.
    [
        ((0, 1, 3, 2), (1, 1, 1, 0.5), {1: 0, 2: 0.592163821931731, 3: 0.529986029722251}),
        ((2, 2, 1), (1, 1, 0.5), {1: 2, 2: 1.2262943855309167, 3: 1.1962169218322811}),
        ((3, 2, 0, 1), (1, 1, 0.5, 0.5), {1: 5 / 3, 2: 1.173196815056891, 3: 1.1550109766468024}),
    ],
)
def test_evidently_gives_tied_documents_equal_ranks(
    grades: tuple, scores: tuple, values: dict
) -> None:
    qrels, run = graded(*grades)
    run = {"q": dict(zip(run["q"], map(float, scores), strict=True))}
    for cutoff, value in values.items():
        assert mean("evidently", qrels, run, f"nDCG@{cutoff}") == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("preset", ["evidently", "tfma"])
def test_queries_without_relevant_documents_are_skipped(preset: str) -> None:
    qrels = {"1": {"a": 0}, "2": {"a": 1, "b": 0}}
    run = {"1": {"a": 1.0}, "2": {"b": 2.0, "a": 1.0}}
    assert mean(preset, qrels, run) == 1 / LOG3
    assert mean(preset, qrels, run, no_relevant=0) == 1 / LOG3 / 2


@pytest.mark.parametrize("preset", ["evidently", "phoenix", "tfma"])
def test_documents_not_returned_are_not_in_the_ideal(preset: str) -> None:
    run = {"q": {"c": 2.0, "b": 1.0}}
    assert mean(preset, THREE, run) == pytest.approx((1 + 2 / LOG3) / (2 + 1 / LOG3))
    assert mean(preset, THREE, {"q": {"c": 1.0}}) == 1.0
    # Sorted before it is cut, so documents below the cutoff are in the ideal.
    assert mean(preset, THREE, run, "nDCG@1") == 1 / 2
    assert mean(preset, {**THREE, "r": {"a": 1}}, run) == mean(preset, THREE, run)


def test_tfma_reverses_tied_documents() -> None:
    tie = {"q": {"a": 1.0, "b": 1.0}}
    assert mean("tfma", {"q": {"a": 1, "b": 0}}, tie) == 1 / LOG3
    assert mean("phoenix", {"q": {"a": 1, "b": 0}}, tie) == 1.0
    qrels, run = graded(-1, 2)
    run = {"q": dict.fromkeys(run["q"], 1.0)}
    assert mean("tfma", qrels, run) == 1.0


def test_phoenix_rejects_negative_grades() -> None:
    with pytest.raises(GradeError, match="-1"):
        mean("phoenix", *graded(1, -1))
    assert mean("phoenix", *graded(0, 0)) == 0.0


@pytest.mark.parametrize(
    "preset",
    ["elasticsearch", "opensearch", "quepid", "rre", "pyvespa", "haystack", "mlflow", "phoenix"],
)
def test_hits_are_in_the_returned_order(preset: str) -> None:
    # Ordered by score if there are scores; tied documents keep their order.
    qrels = {"q": {"a": 1, "b": 0, "c": 0}}
    for run in ["a", "b", "c"], {"a": 1.0, "b": 1.0, "c": 1.0}, {"c": 0.5, "a": 1.0, "b": 1.0}:
        assert mean(preset, qrels, {"q": run}) == 1.0
    assert mean(preset, qrels, {"q": ["b", "a"]}) < 1.0


def test_alternative_names() -> None:
    for name, means in {
        "elasticsearch-9": "elasticsearch-9.4.2",
        "quepid-cut": "quepid-8.6-cut",
        "llama_index": "llama-index-0.14.25",
        "pyvespa-binary": "pyvespa-1.2.9-binary",
    }.items():
        assert gainful.conventions[name].name == means
    with pytest.raises(ConventionError, match="quepid-9"):
        gainful.conventions["quepid-9"]
    assert issubclass(ConventionError, GainfulError)


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        ("opensearch", {"P@2": 1.0, "AP": 0.835}),
        ("quepid", {"P@2": 1.0, "RR": 1.0}),
        ("haystack", {"AP": 5 / 6, "R": 5 / 6, "Success": 1.0, "RR": 1.0}),
        ("gainful", {"P@2": 0.0, "AP": 1 / 6}),
    ],
)
def test_grades_between_0_and_1(preset: str, expected: dict) -> None:
    """OpenSearch printed these numbers; the others follow from their source code."""
    qrels = {"q1": {"a": 1.0, "b": 0.9, "c": 0.9}, "q2": {"d": 0.9, "e": 0.9, "f": 0.2}}
    run = {"q1": ["b", "c", "a"], "q2": ["d", "e"]}
    for measure, value in expected.items():
        assert mean(preset, qrels, run, measure) == pytest.approx(value)
