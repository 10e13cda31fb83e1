"""Presets reproduce the output of machine-learning and production tools on golden cases."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import NamedTuple

import pytest

import gainful
from gainful.errors import GainfulError
from requirements import need

DOUBLE = 1e-12
SINGLE = 1e-6


class Tool(NamedTuple):
    """The preset for a heading of the file, and the measure for each key under it."""

    preset: Callable[[str], str]
    measure: Callable[[str], str]
    precision: float = DOUBLE
    policies: Callable[[str], dict[str, object]] = lambda key: {}


def at(key: str) -> str:
    """Return nDCG with the cutoff in a key, if any."""
    found = re.search(r"(?:@|k=|depth=|top=)(\d+)", key)
    return f"nDCG@{found[1]}" if found else "nDCG"


def always(preset: str) -> Callable[[str], str]:
    return lambda key: preset


def xgboost(key: str) -> str:
    return "xgboost-minus" if key.endswith("-") else "xgboost"


def xgboost_linear_policies(key: str) -> dict[str, object]:
    return {"no_relevant": 0} if key.endswith("-") else {}


def catboost(key: str) -> str:
    exponential = "-exp" if "type=Exp" in key else ""
    return f"catboost{exponential}{'-position' if 'denominator=Position' in key else ''}"


def ir_measures_measure(key: str) -> str:
    return f"nDCG@{key.partition('@')[2]}" if "exp-log2" in key else key


def trectools_policies(key: str) -> dict[str, object]:
    # The tool got data frames; only its reader of files drops documents with negative grades.
    return {"unjudged": "condense", "negative": "zero"} if "removeUnjudged" in key else {}


TOOLS = {
    "sklearn==1.9.1": Tool(always("scikit-learn"), at),
    "sklearn==1.9.1 ignore_ties": Tool(always("scikit-learn-ignore_ties"), at),
    "torchmetrics==1.9.0 functional (float32)": Tool(always("torchmetrics"), at, SINGLE),
    "rax==0.4.0 (float32)": Tool(always("rax"), at, SINGLE),
    "rax==0.4.0 linear gain (float32)": Tool(
        always("rax"), lambda key: at(key).replace("nDCG", "nDCG(gain=linear)"), SINGLE
    ),
    "cornac==3.0.1 (binary y>0, stable order)": Tool(always("cornac"), at),
    "lenskit==2025.8.1 gain=rating default weight": Tool(always("lenskit-list-rating"), at),
    "lenskit==2025.8.1 gain=rating offset=1": Tool(
        always("lenskit-list-rating"), lambda key: at(key).replace("nDCG", "nDCG(discount=log2)")
    ),
    "lightgbm==4.7.0": Tool(always("lightgbm"), at),
    "xgboost==3.2.0": Tool(xgboost, at),
    "xgboost==3.2.0 ndcg_exp_gain=False": Tool(
        always("xgboost-linear"), at, policies=xgboost_linear_policies
    ),
    "catboost==1.2.10": Tool(catboost, at),
    "recommenders==1.2.1": Tool(
        lambda key: f"recommenders-{key.split()[0]}".replace("-binary", ""), at
    ),
    "pytrec_eval-terrier==0.5.11": Tool(always("pytrec_eval"), lambda key: key),
    "ir_measures==0.4.3": Tool(
        lambda key: "ir_measures-exp-log2" if "exp-log2" in key else "ir_measures",
        ir_measures_measure,
    ),
    "ranx==0.3.21": Tool(lambda key: "ranx-burges" if "burges" in key else "ranx", at),
    "trectools==0.0.50": Tool(
        lambda key: "trectools-exponential" if "trec_eval" in key else "trectools",
        at,
        policies=trectools_policies,
    ),
    "beir==2.2.0": Tool(always("beir"), at),
    "haystack-ai==3.4.0": Tool(always("haystack"), at),
    "llama-index-core==0.14.25 (binary rel>0)": Tool(always("llama-index"), at),
    "pyvespa==1.2.9 graded": Tool(always("pyvespa"), at),
    "mlflow-skinny==3.17.2 (binary rel>0)": Tool(always("mlflow"), at),
}
NOT_TOOLS = {"_cases", "_note"}
#: The number of values and of errors in the file.
FIGURES = 1079


def golden() -> dict:
    path = need("golden") / "ndcg_ml_and_production_tools.json"
    return json.loads(path.read_text(encoding="utf-8"))


def inputs(cases: dict, name: str) -> tuple[dict, dict]:
    """Return judgments and a run; for an array, documents whose ids sort in order."""
    if name in cases["array"]:
        case = cases["array"][name]
        qrels = {f"d{at:03}": grade for at, grade in enumerate(case["labels"])}
        run = {f"d{at:03}": score for at, score in enumerate(case["scores"])}
    else:
        qrels, run = cases["run"][name]["qrels"], cases["run"][name]["run"]
    return {"q": qrels}, {"q": run}


def keys(figures: dict) -> list[tuple[str, object]]:
    """Yield each key with its result; an error of the whole request counts for each key."""
    if set(figures) == {"all"}:
        return [(key, figures["all"]) for key in ("ndcg", "ndcg@1", "ndcg@3", "ndcg@10")]
    return list(figures.items())


def test_every_tool_of_the_file_has_a_preset() -> None:
    assert set(golden()) == set(TOOLS) | NOT_TOOLS


def test_the_golden_file_has_values_and_errors() -> None:
    data = golden()
    assert sum(len(figures) for tool in TOOLS for figures in data[tool].values()) >= FIGURES


@pytest.mark.parametrize("heading", TOOLS)
def test_presets_reproduce_the_values_of(heading: str) -> None:
    data = golden()
    tool = TOOLS[heading]
    compared = 0
    for name, figures in data[heading].items():
        qrels, run = inputs(data["_cases"], name)
        for key, figure in keys(figures):
            convention = gainful.conventions.get(tool.preset(key)).replace(**tool.policies(key))
            measure = tool.measure(key)
            where = (heading, name, key)
            if isinstance(figure, str):
                with pytest.raises(GainfulError):
                    gainful.evaluate(qrels, run, measure, convention=convention)
            else:
                value = gainful.evaluate(qrels, run, measure, convention=convention).mean()
                if math.isnan(figure):
                    assert math.isnan(value), where
                else:
                    assert value == pytest.approx(figure, rel=tool.precision, abs=0), where
            compared += 1
    assert compared >= sum(map(len, data[heading].values()))


# On the machine of the golden values, NumPy's sort kept the order of two pairs of equal scores.
# That order is undefined, as the preset's remarks say.
KEPT_ORDER = "C03_ties_part"


@pytest.mark.parametrize("ties", ["ties averaged", "ignore_ties"])
def test_scikit_learn_on_the_cases_of_the_trec_family(ties: str) -> None:
    path = need("golden") / "ndcg_trec_family.json"
    preset = gainful.conventions.get(
        "scikit-learn" if ties == "ties averaged" else "scikit-learn-ignore_ties"
    )
    compared = 0
    for name, case in json.loads(path.read_text(encoding="utf-8")).items():
        # The tool got no negative grades, which it rejects, and scores with the same order.
        qrels = {
            query: {document: max(0, grade) for document, grade in judged.items()}
            for query, judged in case["qrels"].items()
        }
        run = {
            query: {document: float(score) for document, score in ranked.items()}
            for query, ranked in case["run"].items()
        }
        stood = ties == "ignore_ties" and name == KEPT_ORDER
        convention = preset.replace(ties="given") if stood else preset
        for query, figures in case["tools"][f"sklearn {ties}"].items():
            own = {query: qrels[query]}, {query: run[query]}
            if isinstance(figures, str):
                with pytest.raises(GainfulError, match="only one document"):
                    gainful.evaluate(*own, "nDCG", convention=convention)
                compared += 1
                continue
            result = gainful.evaluate(*own, list(figures), convention=convention)
            for measure, figure in figures.items():
                value = result.mean(measure)
                assert value == pytest.approx(figure, rel=DOUBLE, abs=0), (name, query, measure)
                compared += 1
    assert compared >= 100
