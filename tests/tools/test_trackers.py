"""Evaluations in the stores of MLflow, Weights & Biases and DVC, without a server."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.errors import ParameterError
from gainful.integrations import dvc, mlflow, wandb
from markdown_blocks import Reader, blocks_of, needs_of
from requirements import ROOT, need

pytestmark = pytest.mark.peer

QRELS = {f"q{n}": {"a": 1 + n % 2, "b": n % 3} for n in range(12)}
RUNS = {
    "bm25 (k1=0.9)": {query: ["c", "b", "a"] for query in QRELS},
    "dense": {query: ["a", "b"] for query in QRELS},
}


class Page:
    """What `gainful.report.Report` has, without the packages that it needs."""

    def write(self, path: str) -> None:
        Path(path).write_text("<!DOCTYPE html>", "utf-8")


@pytest.fixture
def result() -> gainful.Evaluation:
    return gainful.evaluate(QRELS, runs=RUNS, measures=["nDCG@10", "ERR@20"])


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The folder of MLflow, if installed, for one test: it keeps the first for its process."""
    if importlib.util.find_spec("mlflow") is None:
        yield
        return
    tool = importlib.import_module("mlflow")
    # Else its file store asks to be replaced by a database, which mlflow-skinny does not have.
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    tool.set_tracking_uri((tmp_path / "runs").as_uri())
    yield
    tool.set_tracking_uri(None)


@pytest.fixture
def tracked(store: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    return need("mlflow")


@pytest.mark.filterwarnings("ignore")
def test_mlflow(tracked: Any, result: gainful.Evaluation, tmp_path: Path) -> None:
    with tracked.start_run() as run:
        logged = mlflow.log_evaluation(result, report=Page(), prefix="test/")
    client = tracked.MlflowClient()
    stored = client.get_run(run.info.run_id).data
    assert stored.metrics == logged
    own = result.summary("nDCG@10", "bm25 (k1=0.9)")
    name = "test/bm25_k1_0.9/ndcg_cut_10"
    assert logged[name] == own.mean
    assert (logged[f"{name}_low"], logged[f"{name}_high"]) == own.interval
    assert "test/dense/ERR_20" in logged
    assert stored.tags["gainful.convention"] == "gainful-1"
    assert stored.tags["gainful.judgments"] == result.judgments_digest
    folder = client.download_artifacts(run.info.run_id, "gainful", str(tmp_path))
    assert sorted(each.name for each in Path(folder).iterdir()) == [
        "evaluation.json",
        "report.html",
    ]
    written = json.loads((Path(folder) / "evaluation.json").read_text("utf-8"))
    assert written["schema"] == "gainful.evaluation/1"


@pytest.mark.filterwarnings("ignore")
def test_steps_and_runs_of_mlflow(tracked: Any, result: gainful.Evaluation) -> None:
    run = tracked.MlflowClient().create_run("0")
    for step in (1, 2):
        mlflow.log_evaluation(result, step=step, run_id=run.info.run_id)
    client = tracked.MlflowClient()
    history = client.get_metric_history(run.info.run_id, "dense/ndcg_cut_10")
    assert [each.step for each in history] == [1, 2]
    names = [each.path for each in client.list_artifacts(run.info.run_id, "gainful")]
    assert names == ["gainful/1", "gainful/2"]


@pytest.mark.filterwarnings("ignore")
def test_weights_and_biases(
    result: gainful.Evaluation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = need("wandb")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterError, match=r"run: no active run. Hint: call wandb.init first"):
        wandb.log_evaluation(result)
    settings = tool.Settings(silent=True, x_disable_stats=True, console="off")
    with tool.init(project="soups", mode="offline", dir=tmp_path, settings=settings) as run:
        logged = wandb.log_evaluation(result, report=Page())
        assert run.config["gainful"]["convention"] == "gainful-1"
        assert run.config["gainful"]["judgments"] == result.judgments_digest
        assert {name: run.summary[name] for name in logged} == logged
        wandb.log_evaluation(result, run=run, prefix="test/", step=7)
    # Its service writes the file when it stops.
    tool.teardown()
    own = result.summary("nDCG@10", "dense")
    assert logged["dense/ndcg_cut_10"] == own.mean
    assert logged["dense/ndcg_cut_10_low"] == own.interval.low
    (file,) = tmp_path.glob("wandb/offline-run-*/*.wandb")
    # What is synchronized later has the files of the artifact.
    assert b"evaluation.json" in file.read_bytes()
    assert b"report.html" in file.read_bytes()


def test_dvc(result: gainful.Evaluation, tmp_path: Path) -> None:
    need("dvc")

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "dvc", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("init", "--no-scm", "--quiet")
    (tmp_path / "dvc.yaml").write_text("metrics:\n- metrics.json\n", "utf-8")
    dvc.write_metrics(result, tmp_path / "metrics.json")
    shown = json.loads(run("metrics", "show", "--json"))
    (found,) = shown[""]["data"].values()
    own = result.summary("nDCG@10", "dense")
    assert found["data"]["dense"]["ndcg_cut_10"] == {
        "queries": 12,
        "mean": own.mean,
        "low": own.interval.low,
        "high": own.interval.high,
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", ["training.md"])
def test_pages(page: str, small_files: Path, store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    path = ROOT / "docs" / page
    need("altair")
    for name in needs_of(path):
        need(name)
    # Where dvc is.
    programs = Path(sys.executable).parent
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    reader = Reader(small_files)
    for block in blocks_of(path):
        reader.read(block)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("dvc", "dvc"),
        ("lightgbm", "lightgbm"),
        ("lightning", "pytorch_lightning"),
        ("mlflow", "mlflow"),
        ("sentence_transformers", "sentence_transformers"),
        ("sklearn", "scikit-learn"),
        ("transformers", "transformers"),
        ("wandb", "wandb"),
        ("xgboost", "xgboost"),
    ],
)
def test_examples(module: str, package: str, small_files: Path, store: None) -> None:
    need(package)
    found = importlib.import_module(f"gainful.integrations.{module}")
    done = doctest.testmod(found, optionflags=doctest.ELLIPSIS)
    assert (done.attempted > 0, done.failed) == (True, 0)
