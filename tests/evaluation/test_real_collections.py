"""Real collections give the numbers published by their authors or printed by trec_eval."""

from __future__ import annotations

import pytest

import gainful
from requirements import need

ROBUST = {
    "pircRBa1": (".4572", ".3101"),
    "THUIRr0301": (".4574", ".2597"),
    "uwmtCR0": (".4475", ".2763"),
    "VTcdhgp1": (".4325", ".2649"),
    "aplrob03a": (".4409", ".2998"),
    "humR03dc": (".2529", ".1248"),
    "rutcor03100": (".1531", ".0737"),
    "NLPR03vb10": (".3944", ".1055"),
}


def shown(value: float) -> str:
    return f"{value:.4f}".lstrip("0")


@pytest.mark.parametrize("run", ["bm25-default.run.gz", "bm25-default.crlf.run.gz"])
def test_dl19_bm25(run: str) -> None:
    folder = need("shared-data") / "dl19-passage"
    result = gainful.evaluate(
        folder / "qrels.dl19-passage.txt", folder / run, ["nDCG@10", "AP(rel=2)", "R(rel=2)@1000"]
    )
    means = [shown(result.mean(measure)) for measure in result.measures]
    assert means == [".5058", ".3013", ".7501"]


def test_dl19_tilde() -> None:
    folder = need("shared-data") / "dl19-passage"
    result = gainful.evaluate(
        folder / "qrels.dl19-passage.txt", folder / "tilde-bm25.run.gz", ["nDCG@10", "AP"]
    )
    assert [shown(result.mean(measure)) for measure in result.measures] == [".4973", ".3766"]


def test_robust03_in_one_call() -> None:
    folder = need("shared-data") / "robust03"
    result = gainful.evaluate(
        folder / "qrels.robust03.txt.gz",
        measures=["nDCG@10", "AP"],
        runs={name: folder / f"input.{name}.gz" for name in ROBUST},
    )
    for name, (ndcg, ap) in ROBUST.items():
        assert shown(result.mean("nDCG@10", name)) == ndcg
        assert shown(result.mean("AP", name)) == ap


def test_scifact_rankings_without_scores() -> None:
    folder = need("shared-data") / "scifact"
    qrels = gainful.read_qrels(next((folder / "qrels").glob("*test*")))
    result = gainful.evaluate(
        qrels,
        measures="nDCG@10",
        runs={path.stem: path for path in sorted(folder.glob("*.json"))},
    )
    means = {system: shown(result.mean(system=system)) for system in result.systems}
    assert means["bm25_results"] == ".6907"
    assert min(means.values()) == ".5346"
    assert max(means.values()) == ".7142"


@pytest.mark.parametrize("year", ["13", "14"])
def test_spam_grades_of_the_web_track_equal_gdeval(year: str) -> None:
    folder = need("shared-data")
    result = gainful.evaluate(
        folder / f"web{year}" / "qrels.adhoc.txt.gz",
        folder / f"web{year}" / f"test.wt{year}.run",
        ["nDCG(gain='exponential')@20", "ERR@20"],
    )
    ndcg, err = (result.per_query(measure) for measure in result.measures)
    lines = (folder / "gdeval.reference.csv").read_text().splitlines()
    printed = [line.split(",") for line in lines if line.startswith(f"test.wt{year}.run,")]
    topics = [row for row in printed if row[1].isdecimal()]
    assert len(topics) == 50
    for _, topic, own_ndcg, own_err in topics:
        assert f"{ndcg[topic]:.5f}" == own_ndcg
        assert f"{err[topic]:.5f}" == own_err
