"""What libraries of training call, without the libraries; `tests/tools` has the real ones."""

from __future__ import annotations

import json
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gainful
from gainful.errors import MissingPackageError, ParameterError
from gainful.integrations import dvc, lightgbm, lightning, mlflow, sklearn, transformers, wandb
from requirements import need

RUNS = {"bm25 (k1=.9)": {"q": ["b", "a"], "r": ["a"]}, "dense": {"q": ["a", "b"], "r": ["b"]}}
QRELS = {"q": {"a": 1}, "r": {"a": 1}}


def test_no_module_imports_its_package() -> None:
    names = "sklearn lightgbm xgboost transformers lightning mlflow wandb dvc sentence_transformers"
    code = "import sys\n" + "".join(f"import gainful.integrations.{n}\n" for n in names.split())
    code += f"print(*set({names.split()!r}) & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("", "")


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("mlflow", lambda: mlflow.log_evaluation(gainful.evaluate(QRELS, runs=RUNS))),
        ("wandb", lambda: wandb.log_evaluation(gainful.evaluate(QRELS, runs=RUNS))),
        ("scikit-learn", sklearn.make_scorer),
        ("lightning", lightning.make_callback),
    ],
)
def test_a_missing_package_is_named(name: str, call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("mlflow", "wandb", "sklearn", "sklearn.metrics", "pytorch_lightning"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingPackageError, match=f"the package {name} .*pip install {name}"):
        call()


# --- Hugging Face ---------------------------------------------------------------------------------


def predict(predictions: Any, labels: Any) -> Any:
    return SimpleNamespace(predictions=np.asarray(predictions), label_ids=np.asarray(labels))


def test_predictions_of_rows() -> None:
    queries, labels = ["a", "b", "a"], [1, 1, 0]
    compute = transformers.make_compute_metrics(queries, ["RR", "P@1"], intervals=False)
    expected = {"recip_rank": 0.75, "P_1": 0.5}
    assert compute(predict([0.1, 0.0, 0.2], labels)) == expected
    assert compute(predict([[0.1], [0.0], [0.2]], labels)) == expected
    assert compute(predict([[0, 0.1], [3, 3], [-1, -0.8]], labels)) == expected
    several = SimpleNamespace(predictions=(np.array([0.1, 0, 0.2]), None), label_ids=labels)
    assert compute(several) == expected
    with pytest.raises(ParameterError, match="found 3 logits per row, expected one score"):
        compute(predict(np.zeros((3, 3)), labels))
    with pytest.raises(ParameterError, match="3 queries of 2 items"):
        compute(predict([0.1, 0.2], [1, 0]))


def test_predictions_of_lists_have_intervals() -> None:
    compute = transformers.make_compute_metrics(measures="nDCG@10", names="gainful")
    found = compute(predict([[0.1, 0.2, 9], [0.3, 0.2, 0.1]], [[1, 0, -100], [2, 1, 0]]))
    assert list(found) == ["nDCG@10", "nDCG@10_low", "nDCG@10_high"]
    assert found["nDCG@10_low"] <= found["nDCG@10"] == pytest.approx((1 / np.log2(3) + 1) / 2)


# --- LightGBM -------------------------------------------------------------------------------------


def test_data_without_groups_is_refused() -> None:
    with pytest.raises(ParameterError, match="the data has no groups"):
        lightgbm.make_eval_metric("nDCG@10")([1, 0], [0.1, 0.2], None, None)


# --- scikit-learn ---------------------------------------------------------------------------------


def test_cross_validation_of_lists() -> None:
    need("scikit-learn")
    from sklearn.linear_model import Ridge
    from sklearn.metrics import ndcg_score
    from sklearn.model_selection import cross_val_score

    random = np.random.default_rng(3)
    features = random.normal(size=(60, 4))
    labels = np.maximum(features @ random.normal(size=(4, 6)), 0).round(1)
    scorer = sklearn.make_scorer("nDCG@3", convention="scikit-learn")
    found = cross_val_score(Ridge(), features, labels, scoring=scorer, cv=3)
    for part, value in enumerate(found):
        rest = np.r_[: 20 * part, 20 * part + 20 : 60]
        test = np.s_[20 * part : 20 * part + 20]
        scores = Ridge().fit(features[rest], labels[rest]).predict(features[test])
        assert value == pytest.approx(ndcg_score(labels[test], scores, k=3), rel=1e-9)


def test_grid_search_with_queries() -> None:
    need("scikit-learn")
    from sklearn import config_context
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GridSearchCV, GroupKFold

    random = np.random.default_rng(3)
    features, queries = random.normal(size=(200, 3)), np.repeat(np.arange(20), 10)
    labels = (features[:, 0] > 0.8).astype(int)
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            Ridge(),
            {"alpha": [1e-3, 1e6]},
            scoring=sklearn.make_scorer("nDCG@5"),
            cv=GroupKFold(4),
            n_jobs=1,
        )
        search.fit(features, labels, qid=queries, groups=queries)
    assert search.best_score_ > 0.8
    with pytest.raises(ParameterError, match="qid: one label per sample, and no queries"):
        sklearn.make_scorer("nDCG@5")(Ridge().fit(features, labels), features, labels)


# --- DVC ------------------------------------------------------------------------------------------


def test_metrics_of_dvc(tmp_path: Any) -> None:
    result = gainful.evaluate(QRELS, runs=RUNS, measures=["RR", "ERR@20"])
    dvc.write_metrics(result, tmp_path / "metrics.json")
    found = json.loads((tmp_path / "metrics.json").read_text("utf-8"))
    assert list(found) == ["bm25 (k1=.9)", "dense"]
    assert list(found["dense"]) == ["recip_rank", "ERR_20"]
    assert found["dense"]["recip_rank"] == {
        "queries": 2,
        "mean": 0.5,
        "low": found["dense"]["recip_rank"]["low"],
        "high": found["dense"]["recip_rank"]["high"],
    }
    one = gainful.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "RR")
    dvc.write_metrics(one, tmp_path / "metrics.json", names="gainful")
    found = json.loads((tmp_path / "metrics.json").read_text("utf-8"))
    assert found == {"run": {"RR": {"queries": 1, "mean": 1.0}}}
