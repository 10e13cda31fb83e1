"""Evaluations are logged over HTTP to a tracking server of MLflow."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import gainful
from awaiting import await_true
from free_ports import free_port
from gainful.integrations.mlflow import log_evaluation
from requirements import need

pytestmark = pytest.mark.peer

QRELS = {f"q{n}": {"a": 1 + n % 2, "b": n % 3} for n in range(12)}
RUNS = {
    "bm25 (k1=0.9)": {query: ["c", "b", "a"] for query in QRELS},
    "dense": {query: ["a", "b"] for query in QRELS},
}


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Return the address of a server on the loopback interface."""
    need("mlflow_server")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1"]
    command += ["--port", str(port), "--workers", "1"]
    command += ["--backend-store-uri", f"sqlite:///{tmp_path / 'runs.db'}"]
    command += ["--artifacts-destination", str(tmp_path / "artifacts")]
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(
            command,
            cwd=tmp_path,
            stdout=log,
            stderr=subprocess.STDOUT,
            # Its workers are ended with it.
            start_new_session=True,
        )
    try:
        # It imports hundreds of packages.
        await_true(lambda: answers(url) or server.poll() is not None, "an answer", seconds=300)
        assert server.poll() is None, (tmp_path / "log").read_text("utf-8", "replace")
        yield url
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=60) as response:
            return bool(response.read() == b"OK")
    except (urllib.error.URLError, OSError):
        return False


class Page:
    """What `gainful.report.Report` has, without the packages that it needs."""

    def write(self, path: str) -> None:
        Path(path).write_text("<!DOCTYPE html>", "utf-8")


@pytest.mark.filterwarnings("ignore")
def test_an_evaluation_is_stored_on_the_server(address: str, tmp_path: Path) -> None:
    mlflow = need("mlflow")
    client = mlflow.MlflowClient(tracking_uri=address)
    run = client.create_run(client.create_experiment("soups")).info
    result = gainful.evaluate(QRELS, runs=RUNS, measures=["nDCG@10", "ERR@20"])
    mlflow.set_tracking_uri(address)
    try:
        logged = log_evaluation(result, report=Page(), run_id=run.run_id, prefix="test/")
    finally:
        mlflow.set_tracking_uri(None)
    stored = client.get_run(run.run_id).data
    assert stored.metrics == logged
    own = result.summary("nDCG@10", "bm25 (k1=0.9)")
    assert stored.metrics["test/bm25_k1_0.9/ndcg_cut_10_low"] == own.interval.low
    assert stored.tags["gainful.judgments"] == result.judgments_digest
    # The server, and not the client, has the files.
    assert sorted(path.name for path in (tmp_path / "artifacts").rglob("*.*")) == [
        "evaluation.json",
        "report.html",
    ]
