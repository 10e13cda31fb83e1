"""The parts of an explanation add up to the score, digit for digit."""

from __future__ import annotations

from math import log2
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from gainful import Convention, evaluate
from gainful.errors import ConventionError, MatchError, MeasureError, ParameterError
from gainful.explanation import explain, worst_query

QRELS = {"q": {"d1": 3, "d2": 2, "d3": 3, "d4": 0, "d5": 1, "d6": 2}}
RUN = {"q": {"d1": 9.0, "d2": 8.0, "x": 7.0, "d3": 6.0, "d4": 5.0, "d5": 4.0}}

SUMS = [
    "nDCG@3",
    "nDCG",
    "DCG@5",
    "CG@4",
    "IDCG@3",
    "nDCG(gain='exponential')@5",
    "nDCG(gain={0: 0, 1: -1, 2: 5})@4",
    "nDCG(discount='jarvelin-kekalainen', base=2)@4",
    "nDCG(discount='reciprocal')@30",
    "nDCG(discount=[1, 0.5, 0.25])",
    "nDCG(ideal='list')@3",
    "nDCG(ideal='list-cut')@3",
    "nDCG(ideal='judged-uncut')@2",
    "nDCG(ideal='judged-to-depth')@30",
    "nDCG(ideal='given-order')@3",
    "nDCG(ideal='max-grade', max_grade=3)@4",
    "nDCG(ideal=[3, 2, 1])@4",
    "nDCG(judged_only=True)@3",
]
HITS = [
    *("P@3", "R@2", "AP", "AP@3", "AP(norm='capped')@2", "RR", "F@3", "Rprec", "Success@1"),
    *("ERR(max_grade=4)", "RBP", "RBPResidual", "bpref", "Judged@3", "Unjudged@3", "NumRelRet"),
    *(
        "SDCG(max_rel=3)@3",
        "INST(max_rel=3)",
        "INSQ(max_rel=3)",
        "NERR8(max_rel=3)@4",
        "CWL(rel=1)",
    ),
    *("nERR", "Compat", "Accuracy@3", "MinMaxNDCG@3"),
]
POLICIES: list[dict[str, Any]] = [
    {},
    {"ties": "expected"},
    {"ties": "average-rank"},
    {"ties": "optimistic"},
    {"ties": "random(3)"},
    {"order": "given"},
    {"precision": "float32"},
    {"unjudged": "condense"},
    {"unjudged": 1},
    {"negative": "signed"},
    {"negative": "unjudged"},
    {"same_id": "drop"},
    {"no_relevant": 1},
    {"rounding": "term:2"},
    {"rounding": "query:3"},
]

documents = st.sampled_from([*(f"d{number}" for number in range(9)), "q"])
queries = st.tuples(
    st.dictionaries(documents, st.sampled_from([-1, 0, 0, 1, 2, 3, 0.5]), min_size=1),
    st.dictionaries(documents, st.sampled_from([1.0, 2.0, 2.5, 3.0, 3.0 + 1e-9])),
)


def rows(qrels: Any, run: Any, measure: str, convention: Convention) -> list[float]:
    """The kernel's row for the query: the value, and for nDCG the DCG and IDCG."""
    table = evaluate(qrels, run, measure, convention=convention).kernel_tables["run"]
    return [table.column(at)[0] for at in range(3 if measure.startswith("nDCG") else 1)]


class TestBitForBit:
    """The numbers are bit for bit those of `evaluate`."""

    @given(query=queries, measure=st.sampled_from(SUMS), policies=st.sampled_from(POLICIES))
    def test_sums_of_gains(
        self, query: tuple[Any, Any], measure: str, policies: dict[str, Any]
    ) -> None:
        qrels, run = {"q": query[0]}, {"q": query[1]}
        convention = Convention(**policies)
        try:
            value, *parts = rows(qrels, run, measure, convention)
        except ConventionError:
            with pytest.raises(ConventionError):
                explain(qrels, run, "q", measure, convention=convention)
            return
        explained = explain(qrels, run, "q", measure, convention=convention)
        assert explained.value == value
        assert parts in ([], [explained.dcg, explained.idcg])
        assert explained.loss is not None
        last = explained.ranks[-1] if explained.ranks else None
        assert (last.running if last else 0.0) == explained.dcg
        assert (last.ideal_running if last else 0.0) == explained.idcg
        costs = sum(each.cost or 0.0 for each in explained.ranks)
        assert costs == pytest.approx(explained.loss, abs=1e-12)
        has_ideal_documents = "max" not in measure and "[3" not in measure
        if has_ideal_documents and "term" not in convention.rounding:
            costs = sum(each.cost or 0.0 for each in explained.documents)
            assert costs == pytest.approx(explained.loss, abs=1e-12)

    @given(query=queries, measure=st.sampled_from(HITS), policies=st.sampled_from(POLICIES))
    def test_other_measures(
        self, query: tuple[Any, Any], measure: str, policies: dict[str, Any]
    ) -> None:
        qrels, run = {"q": query[0]}, {"q": query[1]}
        convention = Convention(**policies)
        try:
            (value,) = rows(qrels, run, measure, convention)
        except ConventionError:
            with pytest.raises(ConventionError):
                explain(qrels, run, "q", measure, convention=convention)
            return
        explained = explain(qrels, run, "q", measure, convention=convention)
        assert explained.value == value
        assert (explained.dcg, explained.idcg, explained.loss) == (None, None, None)
        # P@k of a ranking shorter than k, and measures over it all, end in another denominator.
        if explained.ranks and measure in ("AP", "AP@3", "RR", "ERR(max_grade=4)", "R@2", "RBP"):
            assert explained.ranks[-1].running == pytest.approx(value, abs=1e-12)

    def test_real_run(self, shared_data: Path) -> None:
        folder = shared_data / "dl19-passage"
        files = (folder / "qrels.dl19-passage.txt", folder / "bm25-default.run.gz")
        table = evaluate(*files, "nDCG@10")
        values = table.per_query("nDCG@10")
        worst = worst_query(*files)
        assert values[worst] == min(values.values())
        for query in list(values)[::15]:
            assert explain(*files, query).value == values[query]


def test_by_hand() -> None:
    """The grades are 3 2 – 3 up to the cutoff 4; the ideal is 3 3 2 2."""
    explained = explain(QRELS, RUN, "q", "nDCG@4")
    ranks = explained.ranks
    assert [each.document for each in ranks] == ["d1", "d2", "x", "d3"]
    assert [each.grade for each in ranks] == [3, 2, None, 3]
    assert [each.gain for each in ranks] == [3, 2, 0, 3]
    assert [each.discount for each in ranks] == [1, 1 / log2(3), 0.5, 1 / log2(5)]
    assert [each.contribution for each in ranks] == [3, 2 / log2(3), 0, 3 / log2(5)]
    assert [each.running for each in ranks] == pytest.approx([3, 4.26186, 4.26186, 5.55389])
    assert [each.ideal_document for each in ranks] == ["d1", "d3", "d2", "d6"]
    assert [each.ideal_grade for each in ranks] == [3, 3, 2, 2]
    assert [each.cost for each in ranks] == pytest.approx([0, 0.63093, 1.0, -0.43068], abs=1e-5)
    assert explained.idcg == pytest.approx(3 + 3 / log2(3) + 2 / 2 + 2 / log2(5))
    assert explained.value == explained.dcg / explained.idcg  # type: ignore[operator]
    costs = {each.document: each.cost for each in explained.documents}
    assert costs == {
        "d6": pytest.approx(2 / log2(5)),
        "d3": pytest.approx(3 / log2(3) - 3 / log2(5)),
        "d1": 0,
        "d2": pytest.approx(2 / 2 - 2 / log2(3)),
    }
    assert [each.document for each in explained.documents] == ["d6", "d3", "d1", "d2"]
    assert [each.document for each in explained.misplaced] == ["d6", "d3", "d2"]
    assert [(each.document, each.rank, each.ideal_rank) for each in explained.missing] == [
        ("d6", None, 4)
    ]


class TestRankings:
    def test_a_cutoff_beyond_the_ranking(self) -> None:
        explained = explain({"q": {"a": 1, "b": 2, "c": 3}}, {"q": ["b"]}, "q", "nDCG@10")
        assert [each.document for each in explained.ranks] == ["b", None, None]
        assert [each.ideal_document for each in explained.ranks] == ["c", "b", "a"]
        assert [each.running for each in explained.ranks] == [2, 2, 2]
        assert {each.document for each in explained.missing} == {"a", "c"}

    def test_below_the_cutoff(self) -> None:
        explained = explain(QRELS, RUN, "q", "nDCG@2")
        places = {each.document: (each.rank, each.ideal_rank) for each in explained.missing}
        assert places == {"d3": (4, 2)}

    def test_retrieved_documents_come_first_among_equal_grades(self) -> None:
        qrels = {"q": dict.fromkeys("abcdef", 1)}
        explained = explain(qrels, {"q": ["x", "e", "c"]}, "q", "nDCG@5")
        assert [each.ideal_document for each in explained.ranks] == ["e", "c", "a", "b", "d"]

    def test_a_query_missing_from_the_run(self) -> None:
        explained = explain({"q": {"a": 1}, "r": {"b": 1}}, {"r": ["b"]}, "q")
        assert (explained.value, explained.dcg, explained.retrieved) == (0.0, 0.0, 0)
        assert [each.document for each in explained.missing] == ["a"]
        with pytest.raises(MatchError, match="missing=skip"):
            explain({"q": {"a": 1}}, {"r": ["b"]}, "q", convention=Convention(missing="skip"))

    def test_no_relevant_documents(self) -> None:
        explained = explain({"q": {"a": 0}}, {"q": ["a"]}, "q", convention=Convention())
        assert (explained.value, explained.no_relevant, explained.loss) == (0.0, True, 0.0)

    def test_depth(self) -> None:
        assert len(explain(QRELS, RUN, "q", "nDCG@4", depth=2).ranks) == 2
        deeper = explain(QRELS, RUN, "q", "nDCG@2", depth=6).ranks
        assert [each.discount for each in deeper][1:3] == [1 / log2(3), 0]
        assert deeper[-1].running == deeper[1].running
        with pytest.raises(ParameterError):
            explain(QRELS, RUN, "q", depth=0)

    def test_integer_queries(self) -> None:
        assert explain({7: {"a": 1}}, {7: ["a"]}, 7).value == 1.0


class TestPolicies:
    TIED = ({"q": {"a": 3, "b": 0, "c": 1}}, {"q": {"a": 1.0, "b": 1.0, "c": 2.0}})

    def test_ties_are_marked(self) -> None:
        explained = explain(*self.TIED, "q")
        assert [(each.document, each.tie) for each in explained.ranks] == [
            ("c", None),
            ("b", 1),
            ("a", 1),
        ]
        assert explained.ties == ((2, 3),)

    def test_expected(self) -> None:
        explained = explain(*self.TIED, "q", "DCG", convention=Convention(ties="expected"))
        assert [each.contribution for each in explained.ranks] == [1, 1.5 / log2(3), 1.5 / 2]
        costs = {each.document: each.cost for each in explained.documents}
        assert costs["a"] == pytest.approx(3 - 3 * (1 / log2(3) + 1 / 2) / 2)

    def test_ties_of_removed_documents_are_removed(self) -> None:
        run = {"q": {"a": 1.0, "x": 1.0}}
        condensed = explain({"q": {"a": 1}}, run, "q", "nDCG(judged_only=True)")
        assert [each.tie for each in condensed.ranks] == [None]

    def test_condense(self) -> None:
        explained = explain(QRELS, RUN, "q", convention=Convention(unjudged="condense"))
        assert [each.document for each in explained.ranks[:3]] == ["d1", "d2", "d3"]
        assert [(each.document, each.reason) for each in explained.left_out] == [("x", "unjudged")]

    def test_an_unjudged_document_with_a_grade(self) -> None:
        explained = explain(QRELS, RUN, "q", convention=Convention(unjudged=1))
        third = explained.ranks[2]
        assert (third.document, third.grade, third.gain) == ("x", None, 1)
        costs = {each.document: each.cost for each in explained.documents}
        assert costs["x"] == -0.5

    def test_negative_grades(self) -> None:
        qrels, run = {"q": {"a": -2, "b": 1}}, {"q": ["a", "b"]}
        signed = explain(qrels, run, "q", convention=Convention(negative="signed"))
        assert [each.contribution for each in signed.ranks] == [-2, 1 / log2(3)]
        zero = explain(qrels, run, "q")
        assert [(each.grade, each.gain) for each in zero.ranks] == [(-2, 0), (1, 1)]

    def test_duplicates_and_the_query_itself(self) -> None:
        run = [("q", "a", 3.0), ("q", "q", 2.0), ("q", "a", 1.0), ("q", "b", 0.5)]
        convention = Convention(duplicates="first", same_id="drop")
        explained = explain({"q": {"a": 1}}, run, "q", convention=convention)
        assert [each.document for each in explained.ranks] == ["a", "b"]
        assert [(each.document, each.reason) for each in explained.left_out] == [
            ("q", "same-id"),
            ("a", "duplicate"),
        ]


class TestOtherMeasures:
    def test_average_precision(self) -> None:
        explained = explain({"q": {"a": 1, "b": 2, "z": 1}}, {"q": ["a", "x", "b"]}, "q", "AP")
        assert [each.relevant for each in explained.ranks] == [True, False, True]
        assert [each.precision for each in explained.ranks] == [1.0, None, 2 / 3]
        assert [each.running for each in explained.ranks] == [1 / 3, 1 / 3, (1 + 2 / 3) / 3]
        assert [each.document for each in explained.missing] == ["z"]

    def test_r_precision_covers_the_first_r_ranks(self) -> None:
        explained = explain({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]}, "q", "Rprec")
        assert [each.running for each in explained.ranks] == [1.0, 0.5]

    def test_bpref_inside_a_tie_is_not_defined(self) -> None:
        run = {"q": {"a": 2.0, "b": 1.0, "c": 1.0}}
        convention = Convention(ties="expected")
        explained = explain(
            {"q": {"a": 1, "b": 0, "c": 1}}, run, "q", "bpref", convention=convention
        )
        assert [each.running for each in explained.ranks] == [0.5, None, explained.value]

    @pytest.mark.parametrize("measure", ["NumQ", "NumRet", "NumRel"])
    def test_counts_cannot_be_explained(self, measure: str) -> None:
        with pytest.raises(MeasureError, match="nDCG, DCG, IDCG and CG"):
            explain(QRELS, RUN, "q", measure)


class TestUnknownQueries:
    def test_close_ids(self) -> None:
        qrels = {"q100": {"a": 1}, "q200": {"a": 1}}
        with pytest.raises(MatchError, match="similar ids: q100") as caught:
            explain(qrels, {"q100": ["a"]}, "q10")
        assert caught.value.query == "q10"

    def test_only_in_the_run(self) -> None:
        with pytest.raises(MatchError, match="found a query of the run without judgments"):
            explain({"q": {"a": 1}}, {"r": ["a"]}, "r")
