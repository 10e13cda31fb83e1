"""The verified measures of presets, their parsing of tools' names, and their defaults."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gainful
from gainful.backends import arrays, sql
from gainful.backends.recommendations import evaluate_recommendations
from gainful.cli import main
from gainful.conventions import Convention, Preset, describe, get, presets
from gainful.errors import MeasureError
from gainful.evaluation import partition
from gainful.evaluation.curves import curves
from gainful.evaluation.several import evaluate_each
from gainful.explanation import Explanation, explain, worst_query
from gainful.measures import Measure, families, parse_measure, parse_measures
from gainful.measures.algebra import check_verified
from gainful.measures.choosing import choose_measures
from gainful.report import make_report

QRELS = {"q1": {"a": 1, "b": 2, "c": 0}, "q2": {"a": 1, "b": 0, "d": 1}}
RUN = {"q1": ["a", "c", "b"], "q2": ["b", "d", "a"]}
RUNS = {"one": RUN, "two": {"q1": ["b", "a"], "q2": ["a", "b"]}}
EVALUATION = ("nDCG@10", "AP", "RR", "P@10", "R@100")


def mean(preset: str, measure: str, qrels: Any = QRELS, run: Any = RUN) -> float:
    return gainful.evaluate(qrels, run, measure, convention=preset).mean()


# --- what presets declare -------------------------------------------------------------------------


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.name)
def test_declarations(preset: Preset) -> None:
    known = [family.name for family in families()]
    if preset.measures is None:
        assert preset.name == "gainful-1"
        return
    assert preset.measures
    assert set(preset.measures) <= set(known)
    assert len(set(preset.measures)) == len(preset.measures)
    for means in preset.names.values():
        if means is not None:
            parse_measures(means.replace("{}", "95"))
    for usual in (("nDCG@10",), EVALUATION):
        for measure in choose_measures(None, get(preset.name), usual=usual):
            assert measure.family in preset.measures


def test_the_default_convention_measures_everything() -> None:
    for family in families():
        check_verified(Measure(family.name), get())


# --- measures that are not verified ---------------------------------------------------------------

REFUSED = r"AP@2 is not verified for tfma-0\.52\.0, only nDCG is\. Hint: .* set name=NAME"
LISTS = np.array([[1, 0, 2]])
HELD_OUT = np.array([0, 1]), np.array([2])

#: Every function that takes a measure and a convention.
CALLS: dict[str, Callable[[str], object]] = {
    "evaluate": lambda name: gainful.evaluate(QRELS, RUN, "AP@2", convention=name),
    "evaluate_each": lambda name: evaluate_each(
        QRELS, RUN, ["nDCG", "AP@2"], conventions=["gainful", name]
    ),
    "compare": lambda name: gainful.compare(QRELS, RUNS, "AP@2", convention=name),
    "contrast, A": lambda name: gainful.contrast(QRELS, RUN, name, "gainful", "AP@2"),
    "contrast, B": lambda name: gainful.contrast(QRELS, RUN, "gainful", name, "AP@2"),
    "explain": lambda name: explain(QRELS, RUN, "q1", "AP@2", convention=name),
    "worst_query": lambda name: worst_query(QRELS, RUN, "AP@2", convention=name),
    "Explanation.of_grades": lambda name: Explanation.of_grades([1, 0], "AP@2", convention=name),
    "make_snapshot": lambda name: gainful.make_snapshot(QRELS, RUN, "AP@2", convention=name),
    "gate": lambda name: gainful.gate(
        QRELS, RUN, gainful.make_snapshot(QRELS, RUN, convention=name), "AP@2"
    ),
    "evaluate_suite": lambda name: gainful.evaluate_suite(
        {"c": (QRELS, RUNS)}, "AP@2", convention=name
    ),
    "compare_measures": lambda name: gainful.compare_measures(QRELS, RUNS, "AP@2", convention=name),
    "headroom": lambda name: gainful.headroom(QRELS, RUNS, "AP@2", convention=name),
    "find_unjudged": lambda name: gainful.find_unjudged(QRELS, RUNS, "AP@2", convention=name),
    "sample_labels": lambda name: gainful.sample_labels(QRELS, RUN, "AP@2", convention=name),
    "sweep": lambda name: gainful.sweep(
        lambda **settings: lambda query, k: RUN[query],
        {"q1": "one", "q2": "two"},
        QRELS,
        {"boost": [1, 2]},
        "AP@2",
        convention=name,
    ),
    "report": lambda name: make_report(QRELS, RUNS, "AP@2", convention=name),
    "curves": lambda name: curves(QRELS, RUNS, "AP@2", convention=name),
    "sql": lambda name: sql.query("AP@2", convention=name),
    "arrays": lambda name: arrays.measure_lists("AP@2", LISTS, convention=name),
    "score_partition": lambda name: partition.score_partition(QRELS, RUN, "AP@2", convention=name),
    "order_dependence": lambda name: partition.order_dependence("AP@2", name),
    "evaluate_recommendations": lambda name: evaluate_recommendations(
        HELD_OUT, np.array([[0.1, 0.2, 0.3]]), "AP@2", convention=name
    ),
    "Measure.kernel": lambda name: parse_measure("AP@2").spec(get(name)),
}


@pytest.mark.parametrize("call", CALLS)
def test_every_function_rejects_unverified_measures(call: str) -> None:
    with pytest.raises(MeasureError, match=REFUSED):
        CALLS[call]("tfma")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a folder with judgments and a run."""
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 0\n", encoding="utf-8")
    (tmp_path / "run").write_text("q Q0 b 1 2.0 t\nq Q0 a 2 1.0 t\n", encoding="utf-8")
    return tmp_path


def output_of(
    capsys: pytest.CaptureFixture[str], folder: Path, *words: str
) -> tuple[int, str, str]:
    """Call the program on files of a folder; return exit status, output and error."""
    paths = {"qrels", "run", "saved.json", "page.html"}
    named = [str(folder / word) if word in paths else word for word in words]
    status = main([f"two={folder / 'run'}" if word == "two=run" else word for word in named])
    return status, *capsys.readouterr()


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "qrels", "run"),
        ("evaluate", "qrels", "run", "--convention", "gainful"),
        ("compare", "qrels", "run", "two=run"),
        ("explain", "qrels", "run"),
        ("gate", "qrels", "run", "--save", "saved.json"),
        ("report", "qrels", "run", "-o", "page.html"),
        ("compare-measures", "qrels", "run", "two=run"),
        ("analyze-power", "qrels", "run", "two=run"),
        ("find-unjudged", "qrels", "run"),
        ("headroom", "qrels", "run"),
        ("sql", "--dialect", "duckdb"),
    ],
    ids=" ".join,
)
def test_every_command_rejects_unverified_measures(
    words: tuple[str, ...], files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, error = output_of(capsys, files, *words, "--convention", "tfma", "-m", "AP")
    assert status == 2
    assert "AP is not verified for tfma-0.52.0, only nDCG is. Hint: " in error
    assert {each.name for each in files.iterdir()} == {"qrels", "run"}


def test_the_message_lists_the_verified_measures() -> None:
    with pytest.raises(MeasureError, match="for scikit-learn-1.9.1, only nDCG and DCG are"):
        mean("scikit-learn", "RR")
    with pytest.raises(MeasureError, match="only nDCG, AP, P and R are"):
        mean("beir", "ERR@10")
    # For a longer list the message links to a page.
    with pytest.raises(
        MeasureError, match="for trec_eval-9.0.8, gainful.conventions.describe.'trec_eval-"
    ):
        mean("trec_eval", "ERR@20")


def test_changed_policies_do_not_make_it_verified() -> None:
    changed = get("lightgbm").replace(ties="expected")
    with pytest.raises(MeasureError, match="RR is not verified for lightgbm"):
        gainful.evaluate(QRELS, RUN, "RR", convention=changed)


def test_a_renamed_preset_supports_all_measures() -> None:
    own = get("lightgbm").replace(name="mine")
    assert own.preset is None
    result = gainful.evaluate(QRELS, RUN, ["nDCG@2", "AP", "RBP"], convention=own)
    assert result.convention.label == "mine"
    assert result.mean("nDCG@2") == mean("lightgbm", "nDCG@2")
    # Its names are Gainful's, and so are its defaults.
    assert choose_measures("accuracy@1", get("mteb").replace(name="mine"))[0].family == "Accuracy"
    assert choose_measures(None, own, usual=EVALUATION) == tuple(parse_measures(EVALUATION))


def test_a_renamed_preset_on_the_command_line(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("evaluate", "qrels", "run", "-m", "AP", "--convention", "lightgbm")
    own = ("--policy", "name=mine")
    status, printed, error = output_of(capsys, files, *words, *own, "--format", "csv")
    assert status == 0, error
    assert "run,AP,0.5," in printed
    _, printed, _ = output_of(capsys, files, *words, *own)
    assert "\nmine: gain exponential, " in printed
    # With one name for two conventions, their columns could not be distinguished.
    status, _, error = output_of(capsys, files, *words, "--convention", "rax", *own)
    assert status == 2
    assert "found mine twice, expected each convention once" in error


def test_counts_are_supported_by_every_preset() -> None:
    asked = ["NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonrelRet", "Judged@2", "Unjudged@2"]
    for name in ("lightgbm", "lenskit", "cwl_eval", "sentence-transformers"):
        qrels = {
            query: {each: min(grade, 1) for each, grade in QRELS[query].items()} for query in QRELS
        }
        result = gainful.evaluate(qrels, RUN, asked, convention=name)
        assert [result.summary(each).value for each in asked] == [2, 6, 4, 4, 2, 1, 0]


def test_denominators_are_those_of_the_tools() -> None:
    """Grades 1, 0, 0, 1 of four returned documents, both relevant ones among them."""
    qrels, run = {"q": {"a": 1, "d": 1}}, {"q": ["a", "b", "c", "d"]}
    assert mean("torchmetrics", "AP@2", qrels, run) == 1
    assert mean("caserecommender", "MAP@2", qrels, run) == 1
    assert mean("sentence-transformers", "AP@2", qrels, run) == 0.5
    assert mean("lenskit", "R@1", qrels, run) == 1
    assert mean("lenskit", "P@10", qrels, run) == mean("elasticsearch", "P@10", qrels, run) == 0.5
    assert mean("xgboost", "map@2", qrels, run) == mean("lightgbm", "map@2", qrels, run) == 0.5
    more = {"q": {"a": 1, "d": 1, "e": 1}}
    found = [mean(name, "AP", more, run) for name in ("gainful", "rax", "lenskit")]
    assert found == pytest.approx([0.5, 0.75, 0.5])


def test_a_refusal_reports_the_difference() -> None:
    with pytest.raises(MeasureError) as raised:
        mean("implicit", "P@10")
    assert str(raised.value).startswith(
        "P@10 is not equal to precision_at_k of implicit-0.7.3, which divides all hits by the sum"
    )
    # The tool's own name is refused too.
    with pytest.raises(MeasureError, match=r"^P@10 is not equal to precision_at_k of implicit"):
        mean("implicit", "precision_at_k@10")


def test_sentence_transformers_divides_ap_by_the_smaller_of_cutoff_and_relevant() -> None:
    """Its output is map@2 .5, map@100 .8333 and accuracy@1 1, with one of two on top."""
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]}
    found = [
        mean("sentence-transformers", each, qrels, run) for each in ("map@2", "map@100", "map")
    ]
    assert found == [0.5, (1 + 2 / 3) / 2, (1 + 2 / 3) / 2]
    assert mean("sentence-transformers", "accuracy@1", qrels, run) == 1
    assert mean("sentence-transformers", "accuracy@1", qrels, {"q": ["x", "a"]}) == 0


# --- defaults -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "measures", "first"),
    [
        (["gainful"], EVALUATION, "nDCG@10"),
        (["trec_eval"], EVALUATION, "nDCG@10"),
        (["lightgbm"], ["nDCG@10", "AP"], "nDCG@10"),
        (["beir"], ["nDCG@10", "AP", "P@10", "R@100"], "nDCG@10"),
        (["gdeval"], ["nDCG@20", "ERR@20"], "nDCG@20"),
        (
            ["ndeval"],
            ["ERR_IA@20", "alpha_nDCG@20", "NRBP", "P_IA@20", "StRecall@20"],
            "ERR_IA@20",
        ),
        (["trec_eval", "lightgbm"], ["nDCG@10", "AP"], "nDCG@10"),
        (["gainful", "gdeval"], ["nDCG@10"], "nDCG@10"),
        (["elasticsearch", "ranx"], ["nDCG@10", "RR", "P@10", "R@100"], "nDCG@10"),
        (
            ["gainful", "ndeval"],
            ["ERR_IA@20", "alpha_nDCG@20", "NRBP", "P_IA@20", "StRecall@20"],
            "ERR_IA@20",
        ),
    ],
)
def test_defaults(names: list[str], measures: list[str], first: str) -> None:
    conventions = list(map(get, names))
    chosen = choose_measures(None, *conventions, usual=EVALUATION)
    assert list(map(repr, chosen)) == list(measures)
    assert list(map(repr, choose_measures(None, *conventions))) == [first]


def test_conventions_without_a_common_default() -> None:
    with pytest.raises(MeasureError, match="ndeval-4.5 and lightgbm-4.7.0 are verified for diff"):
        choose_measures(None, get("ndeval"), get("lightgbm"))


def test_calls_without_a_measure() -> None:
    assert gainful.evaluate(QRELS, RUN, convention="tfma").measures == (parse_measure("nDCG@10"),)
    assert len(gainful.evaluate(QRELS, RUN).measures) == 5
    found = gainful.compare(QRELS, RUNS, convention="gdeval", resamples=100, bootstrap=0)
    assert found.measures == (parse_measure("nDCG@20"),)
    assert explain(QRELS, RUN, "q1", convention="gdeval").measure == parse_measure("nDCG@20")
    snapshot = gainful.make_snapshot(QRELS, RUN, convention="gdeval")
    assert list(map(repr, snapshot.measures)) == ["nDCG@20"]
    found = evaluate_recommendations(HELD_OUT, np.array([[0.1, 0.2, 0.3]]), convention="lenskit")
    assert found.measures[0] == parse_measure("nDCG@10")
    rows = partition.score_partition(QRELS, RUN, convention="tfma")
    assert gainful.Evaluation.from_rows(rows, convention="tfma").mean() == mean("tfma", "nDCG@10")


# --- the names of tools ---------------------------------------------------------------------------

#: How each tool's measure names are parsed under its convention, and which are errors: those of a
#: refused family, and those of measures that Gainful lacks.
NAMES: dict[str, tuple[dict[str, str], str, str]] = {
    # preset: parsed names, refused names, names without a measure
    "trec_eval-9.0.8": (
        {"ndcg_cut_10": "nDCG@10", "map": "AP", "recip_rank": "RR", "P_5": "P@5"},
        "rbp",
        "",
    ),
    "trec_eval-10.0-rc3": ({"rbp": "RBP(p=0.9)", "dcg": "DCG", "unj_5": "Unjudged@5"}, "ERR@5", ""),
    "pytrec_eval-0.5.11": ({"ndcg_cut_10": "nDCG@10", "success_5": "Success@5"}, "dcg", ""),
    "ir_measures-0.4.3": ({"NDCG@5": "nDCG@5", "SetF(beta=2)": "F(weight=2)"}, "Accuracy", ""),
    "gdeval-1.3": ({"ndcg@20": "nDCG@20", "err@20": "ERR@20"}, "P@20", ""),
    "ndeval-4.5": (
        {
            "ERR-IA@5": "ERR_IA@5",
            "nERR-IA@5": "nERR_IA@5",
            "alpha-DCG@5": "alpha_DCG@5",
            "alpha-nDCG@5": "alpha_nDCG@5",
            "NRBP": "NRBP",
            "nNRBP": "nNRBP",
            "MAP-IA": "AP_IA",
            "P-IA@5": "P_IA@5",
            "strec@5": "StRecall@5",
        },
        "nDCG@10",
        "",
    ),
    "beir-2.2.0": (
        {"NDCG@10": "nDCG@10", "MAP@10": "AP@10", "Recall@10": "R@10", "P@10": "P@10"},
        "MRR@10 Accuracy@10 top_k_accuracy@10",
        "R_cap@10 Hole@10",
    ),
    "mteb-2.26.24": (
        {
            "ndcg_at_10": "nDCG@10",
            "map_at_10": "AP@10",
            "recall_at_10": "R@10",
            "precision_at_10": "P@10",
            "hit_rate_at_10": "Success@10",
            "accuracy": "R@1",
        },
        "mrr_at_10",
        "R_cap_at_10 nauc_ndcg_at_10_max",
    ),
    "ntcireval-190111": (
        {
            "nDCG@5": "nDCG@5",
            "MSnDCG@5": "nDCG(discount='log2')@5",
            "Q-measure": "Q",
            "O-measure": "OMeasure",
            "P-plus": "PPlus",
            "Hit@5": "Success@5",
        },
        "R@5",
        "NCUrb",
    ),
    "trectools-0.0.50": ({"ndcg": "nDCG"}, "map P_10 recip_rank Rprec bpref rbp gm_map", "urbp"),
    "ranx-0.3.21": (
        {
            "hits": "CG(gain='binary')",
            "hits@5": "CG(gain='binary')@5",
            "hit_rate@5": "Success@5",
            "precision@5": "P@5",
            "recall": "R",
            "recall@5": "R@5",
            "f1@5": "F(beta=1)@5",
            "r-precision": "Rprec",
            "mrr@5": "RR@5",
            "map@5": "AP@5",
            "dcg@5": "DCG@5",
            "dcg_burges@5": "DCG(gain='exponential')@5",
            "ndcg@5": "nDCG@5",
            "ndcg_burges@5": "nDCG(gain='exponential')@5",
            "rbp.80": "RBP(p=0.8)",
            "rbp.8": "RBP(p=0.8)",
            "rbp@95": "RBP(p=0.95)",
        },
        "bpref",
        "rbp precision-l2@5",
    ),
    "cwl_eval-1.0.12": (
        {
            "NDCG-k@10": "nDCG@10",
            "P@5": "CWL(model='P')@5",
            "AP": "CWL(model='AP')",
            "RR": "CWL(model='RR')",
        },
        "RBP",
        "TrAP RBP@0.8 NPV-r@0.5",
    ),
    "scikit-learn-1.9.1": (
        {"ndcg_score": "nDCG", "dcg_score@5": "DCG@5"},
        "average_precision label_ranking_average_precision_score",
        "top_k_accuracy_score",
    ),
    "torchmetrics-1.9.0": (
        {
            "retrieval_normalized_dcg": "nDCG",
            "hit_rate@5": "Success@5",
            "MAP": "AP",
            "MRR": "RR",
            "retrieval_hit_rate": "Success",
        },
        "r_precision",
        "retrieval_fall_out",
    ),
    "rax-0.4.0": (
        {
            "ndcg_metric@5": "nDCG@5",
            "mrr": "RR",
            "precision": "P",
            "recall@5": "R@5",
            "ap_metric": "AP",
        },
        "",
        "opa_metric",
    ),
    "tensorflow-ranking-0.5.5": (
        {
            "ndcg": "nDCG",
            "mrr": "RR",
            "map": "AP",
            "dcg": "DCG",
            "precision": "P",
            "recall@5": "R@5",
            "hits@5": "Success@5",
        },
        "bpref precision_ia@5 alpha_dcg@5",
        "arp ordered_pair_accuracy pwa",
    ),
    "tfma-0.52.0": ({"ndcg@5": "nDCG@5"}, "", "min_label_position"),
    "lightgbm-4.7.0": ({"ndcg@5": "nDCG@5", "map@5": "AP@5"}, "", "auc_mu"),
    "xgboost-3.2.0": ({"ndcg@5": "nDCG@5", "map@5": "AP@5"}, "pre@5", "ndcg@5-"),
    "catboost-1.2.10": (
        {"NDCG": "nDCG", "DCG": "DCG"},
        "MRR MAP ERR PrecisionAt",
        "PFound NDCG:top=5",
    ),
    "spark-4.3.0": (
        {
            "ndcgAt@5": "nDCG@5",
            "meanAveragePrecision": "AP",
            "precisionAt": "P",
            "recallAt": "R",
            "meanAveragePrecisionAt": "AP",
        },
        "",
        "",
    ),
    "pyspark-4.3.0": (
        {"ndcgAtK@5": "nDCG@5", "ndcgAt@5": "nDCG@5", "precisionAtK": "P", "recallAtK": "R"},
        "",
        "",
    ),
    "lenskit-2025.8.1": (
        {
            "NDCG@5": "nDCG@5",
            "DCG": "DCG",
            "Hit@5": "Success@5",
            "Precision@5": "P@5",
            "Recall@5": "R@5",
            "RecipRank": "RR",
            "AveragePrecision": "AP",
        },
        "RBP",
        "MeanPopRank",
    ),
    "recbole-1.2.1": (
        {
            "NDCG@5": "nDCG@5",
            "Hit@5": "Success@5",
            "MRR@5": "RR@5",
            "MAP@5": "AP@5",
            "Recall@5": "R@5",
            "Precision@5": "P@5",
        },
        "",
        "GAUC",
    ),
    "recpack-0.3.6": (
        {
            "NDCGK@5": "nDCG@5",
            "DCGK": "DCG",
            "HitK": "CG(gain='binary')",
            "PrecisionK": "P",
            "RecallK": "R",
            "CalibratedRecallK": "R(capped=True)",
            "ReciprocalRankK": "RR",
        },
        "",
        "",
    ),
    "elliot-0.3.1": (
        {"nDCG": "nDCG", "HR@5": "Success@5", "MRR": "RR", "Precision@5": "P@5", "Recall@5": "R@5"},
        "MAP F1@5",
        "MAR nDCGRendle2020 AUC GAUC LAUC",
    ),
    "cornac-3.0.1": (
        {
            "NDCG@5": "nDCG@5",
            "MRR": "RR",
            "HitRatio@5": "Success@5",
            "Precision@5": "P@5",
            "Recall@5": "R@5",
        },
        "FMeasure@5 MAP",
        "NCRR AUC",
    ),
    "implicit-0.7.3": (
        {"ndcg_at_k@5": "nDCG@5", "ndcg": "nDCG", "map": "AP", "mean_average_precision_at_k": "AP"},
        "precision precision_at_k",
        "auc",
    ),
    "recommenders-1.2.1": (
        {
            "ndcg_at_k@5": "nDCG@5",
            "map": "AP",
            "precision_at_k": "P",
            "recall_at_k": "R",
            "map_at_k": "AP(norm='capped')",
        },
        "",
        "r_precision_at_k",
    ),
    "sentence-transformers-6.2.0": (
        {
            "Accuracy@1": "Success@1",
            "accuracy@1": "Success@1",
            "precision@5": "P@5",
            "recall@5": "R@5",
            "ndcg@10": "nDCG@10",
            "mrr@10": "RR@10",
            "map@100": "AP@100",
        },
        "Rprec",
        "",
    ),
    "caserecommender-1.1.1": (
        {"NDCG@5": "nDCG@5", "PREC@5": "P@5", "RECALL@5": "R@5", "MAP@5": "AP@5"},
        "",
        "",
    ),
    "elasticsearch-9.4.2": (
        {
            "dcg@5": "DCG@5",
            "recall": "R",
            "recall@5": "R@5",
            "mean_reciprocal_rank": "RR",
            "precision@5": "P@5",
        },
        "expected_reciprocal_rank",
        "",
    ),
    "opensearch-3.1.0": (
        {"NDCG@5": "nDCG@5", "Precision@5": "P@5", "MAP@5": "AP@5"},
        "",
        "Coverage@5 Jaccard",
    ),
    "quepid-8.6": (
        {"nDCG@10": "nDCG@10", "DCG@10": "DCG@10", "P@10": "P@10", "AP@10": "AP@10"},
        "CG@10 ERR@10",
        "",
    ),
    "rre-1.1": ({"ndcg@10": "nDCG@10"}, "p@1 rr@10 r ap f1 err@5", ""),
    "pyvespa-1.2.9": ({"ndcg@10": "nDCG@10"}, "accuracy@1 precision@5 recall@5 mrr@10 map@100", ""),
    "pyvespa-1.2.9-binary": (
        {
            "accuracy@1": "Success@1",
            "precision@5": "P@5",
            "recall@5": "R@5",
            "mrr@10": "RR@10",
            "ndcg@10": "nDCG@10",
            "map@100": "AP@100",
        },
        "",
        "",
    ),
    "haystack-3.4.0": ({"ndcg": "nDCG", "map": "AP", "mrr": "RR", "Recall": "R"}, "", ""),
    "llama-index-0.14.25": (
        {
            "ndcg": "nDCG",
            "hit_rate": "Success",
            "mrr": "RR",
            "precision": "P",
            "Recall": "R",
            "ap": "AP",
        },
        "",
        "",
    ),
    "mlflow-3.17.2": (
        {
            "ndcg_at_k@5": "nDCG@5",
            "precision_at_5": "P@5",
            "recall_at_5": "R@5",
            "recall_at_k": "R",
        },
        "",
        "",
    ),
    "evidently-0.7.23": (
        {
            "NDCG@5": "nDCG@5",
            "MRR": "RR",
            "HitRate@5": "Success@5",
            "Recall_top_k": "R",
            "Precision_top_k": "P",
        },
        "MAP",
        "MAR FBeta_top_k",
    ),
    "phoenix-20.26.1": (
        {"ndcg": "nDCG", "precision@5": "P@5", "mrr": "RR", "hit@5": "Success@5"},
        "",
        "",
    ),
    "ragas-0.4.3": (
        {
            "context_precision": "AP",
            "llm_context_precision_with_reference": "AP",
            "llm_context_precision_without_reference": "AP",
            "non_llm_context_precision_with_reference": "AP",
            "context_utilization": "AP",
            "id_based_context_precision": "P",
            "id_based_context_recall": "R",
            "non_llm_context_recall": "R",
        },
        "ndcg@5",
        "context_recall faithfulness",
    ),
    "deepeval-4.3.1": (
        {"contextual_precision": "AP"},
        "recall",
        "contextual_recall contextual_relevancy",
    ),
    "trulens-2.16.0": (
        {
            "ndcg_at_k@5": "nDCG@5",
            "precision_at_k@5": "P@5",
            "recall_at_k": "R",
            "mrr": "RR",
            "ir_hit_rate@5": "Success@5",
        },
        "map",
        "",
    ),
    "trulens-2.13.1": ({"recall_at_5": "R@5", "ir_hit_rate": "Success"}, "map", ""),
    "longmemeval-2025": (
        {
            "recall_any@5": "Success@5",
            "recall_all@5": "FullRecall@5",
            "ndcg_any@10": "nDCG@10",
        },
        "recall@5",
        "",
    ),
    "mempalace-3.11.0": (
        {
            "recall_any@5": "Success@5",
            "recall_all@5": "FullRecall@5",
            "ndcg_any@10": "nDCG@10",
            "ndcg@10": "nDCG@10",
        },
        "recall@5",
        "",
    ),
    "mempalace-3.11.0-locomo": ({"recall@10": "R@10"}, "ndcg@10", ""),
    "autorag-0.3.27": (
        {
            "retrieval_recall": "StRecall",
            "retrieval_precision": "P",
            "retrieval_ndcg": "nDCG",
        },
        "retrieval_f1 retrieval_mrr retrieval_map recall",
        "retrieval_token_f1",
    ),
    "autorag-research-0.1.3": (
        {
            "retrieval_recall": "StRecall",
            "retrieval_full_recall": "FullRecall",
            "retrieval_precision": "P",
            "retrieval_ndcg": "alpha_nDCG",
        },
        "retrieval_f1 retrieval_mrr retrieval_map ndcg",
        "",
    ),
    "bright-pro": (
        {"a_recall@25": "StRecall@25", "alpha_ndcg@25": "alpha_nDCG@25"},
        "ndcg@10",
        "",
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_names_of_a_tool_are_parsed_or_errors(name: str) -> None:
    convention = get(name)
    read, unverified, unknown = NAMES[name]
    for text, means in read.items():
        (measure,) = choose_measures(text, convention)
        assert repr(measure) == means
        # Printed names can be parsed.
        assert choose_measures(repr(measure), convention) == (measure,)
    for text in unverified.split():
        with pytest.raises(MeasureError, match=f"(is not verified for|is not equal to .*) {name}"):
            choose_measures(text, convention)
    for text in unknown.split():
        with pytest.raises(MeasureError) as raised:
            choose_measures(text, convention)
        assert "is not verified" not in str(raised.value)
        assert "is not equal to" not in str(raised.value)


def test_every_tool_is_in_the_table() -> None:
    """Variants parse the same names as the tool's first preset; papers have no names."""
    variants = {each.name: each.names for each in presets()}
    for name, names in variants.items():
        if name in ("gainful-1", "jarvelin-kekalainen-2002", "burges-2005"):
            assert not names
        elif name != "ir_measures-0.4.3-exp-log2":
            assert any(names == variants[each] for each in NAMES if name.startswith(each))


def test_a_name_that_conventions_read_differently() -> None:
    with pytest.raises(MeasureError) as raised:
        evaluate_each(QRELS, RUN, "hits@2", conventions=["ranx", "gainful"])
    assert str(raised.value).startswith(
        "one name means CG(gain='binary')@2 under ranx-0.3.21 and Success@2 under gainful-1"
    )
    with pytest.raises(MeasureError, match=r"^under gainful-1, dcg_burges@2: unknown measure"):
        evaluate_each(QRELS, RUN, "dcg_burges@2", conventions=["ranx", "gainful"])
    # Written out it is one measure under both.
    both = evaluate_each(QRELS, RUN, "CG(gain='binary')@2", conventions=["ranx", "gainful"])
    assert [each.mean() for each in both] == [1.0, 1.0]


def test_hits_are_counted() -> None:
    """In ranx, hits@2 is the mean number of relevant documents above rank 3."""
    assert mean("ranx", "hits@2") == 1.0
    assert mean("ranx", "hits") == 2.0
    assert mean("ranx", "hit_rate@2") == 1.0


def test_ranx_persistence() -> None:
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]}
    assert mean("ranx", "rbp.80", qrels, run) == pytest.approx(0.2 * (1 + 0.8**2))
    # Its gains are the grades.
    with pytest.raises(gainful.errors.GradeError, match="found grade 2, expected at most 1"):
        mean("ranx", "rbp.80")


def test_results_accept_the_names_of_the_tool() -> None:
    result = gainful.evaluate(QRELS, RUN, ["hits@2", "rbp.95"], convention=_binary("ranx"))
    assert result.mean("hits@2") == result.mean("CG(gain='binary')@2")
    assert [repr(each) for each in result.measures] == ["CG(gain='binary')@2", "RBP(p=0.95)"]


def _binary(name: str) -> Convention:
    # These judgments contain grades of 2.
    return get(name).replace(defaults={})


def test_presets_list_their_measures_and_names(capsys: pytest.CaptureFixture[str]) -> None:
    _, output, _ = output_of(capsys, Path(), "conventions", "ranx", "--format", "json")
    assert '"measures": [' in output
    assert '"hits": "CG(gain=\'binary\')"' in output
    _, text, _ = output_of(capsys, Path(), "conventions", "sentence-transformers")
    assert "measures  nDCG, AP, RR, P, R, Success" in text
    assert "Success  equal to Accuracy (run)" in text
    # The formula of nDCG is not shown where nDCG is not verified.
    assert "IDCG@k" not in output_of(capsys, Path(), "conventions", "ndeval")[1]
    assert describe("ndeval").usual[0] == "ERR_IA@20"


@pytest.mark.parametrize("measure", ["ndcg-", "ndcg@5-", "map-", "map@5-"])
def test_the_minus_of_xgboost(measure: str) -> None:
    """The second query has nothing relevant; XGBoost prints .3155 and .25 with the minus."""
    qrels = {"q1": {"a": 0, "b": 1}, "q2": {"c": 0, "d": 0}}
    run = {"q1": ["a", "b"], "q2": ["c", "d"]}
    expected = 0.25 if measure.startswith("map") else 0.3154648
    result = gainful.evaluate(qrels, run, measure, convention="xgboost-minus")
    assert result.mean() == pytest.approx(expected)
    for name, hint in (("xgboost", "xgboost-minus"), ("xgboost-linear", "no_relevant=0")):
        with pytest.raises(MeasureError, match=f"'-' after the measure.*{hint}"):
            gainful.evaluate(qrels, run, measure, convention=name)
    plain = measure.rstrip("-")
    assert gainful.evaluate(qrels, run, plain, convention="xgboost").mean() > 0.7
