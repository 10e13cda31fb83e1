"""One measure over releases."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import gainful
from gainful.cli import main
from gainful.errors import GainfulError
from gainful.inference import holm
from gainful.trends.call import name_releases
from requirements import need

Judgments = dict[str, dict[str, int]]
QRELS: Judgments = {f"q{at:02}": {"a": 2, "b": 1} for at in range(40)}
BEST, WORST = ["a", "b"], ["b", "x", "a"]


def run(good: int) -> dict[str, list[str]]:
    """Return a run whose first queries have the best order."""
    return {query: BEST if at < good else WORST for at, query in enumerate(QRELS)}


def snapshot(good: int, qrels: Judgments | None = None, measures: Any = "nDCG@5") -> Any:
    return gainful.make_snapshot(qrels or QRELS, gainful.Run(run(good)), measures)


def test_each_release_is_compared_with_the_previous_one_and_the_last_with_the_first() -> None:
    releases = {f"v{good}": snapshot(good) for good in (10, 14, 18, 22)}
    found = gainful.trend(releases)
    assert [(one.release, one.baseline) for one in found.changes] == [
        ("v14", "v10"),
        ("v18", "v14"),
        ("v22", "v18"),
        ("v22", "v10"),
    ]
    # Small steps add up.
    assert [one.verdict for one in found.changes] == [*["inconclusive"] * 3, "better"]
    assert found.total is found.changes[-1]
    assert [one.p_adjusted for one in found.changes] == pytest.approx(
        list(holm([one.p for one in found.changes]))
    )
    assert "is statistically significant. No release differs significantly" in " ".join(
        str(found).split()
    )
    assert (found.total.wins, found.total.ties, found.total.losses) == (12, 28, 0)
    assert found.changes[0].interval.low <= 0.0 < found.total.interval.low


def test_means_and_intervals_are_those_of_evaluate() -> None:
    found = gainful.trend({"old": snapshot(5), "new": snapshot(30)})
    for release, good in zip(found.releases, (5, 30), strict=True):
        summary = gainful.evaluate(QRELS, gainful.Run(run(good)), "nDCG@5").summary()
        assert release.mean == summary.mean
        assert release.interval == summary.interval
        assert release.queries == 40


def test_the_pair_is_that_of_compare() -> None:
    found = gainful.trend({"old": snapshot(5), "new": snapshot(9)}, resamples=5000, seed=3)
    runs = {"old": gainful.Run(run(5)), "new": gainful.Run(run(9))}
    pair = gainful.compare(
        QRELS, runs, "nDCG@5", baseline="old", resamples=5000, seed=3, bootstrap=0
    ).pair()
    [change] = found.changes
    assert (change.difference, change.p, change.p_adjusted, change.verdict) == (
        pair.difference,
        pair.p,
        pair.p_adjusted,
        pair.verdict,
    )
    assert change.interval == pair.interval


def test_queries_that_drifted_name_the_release_that_changed_them() -> None:
    values = {
        "v1": {"a": 0.1, "b": 0.5, "c": 0.5},
        "v2": {"a": 0.2, "b": 0.5, "c": 0.3},
        "v3": {"a": 0.9, "b": 0.5, "c": 0.25},
    }
    releases = {
        name: gainful.Evaluation.from_values({"run": own}, "quality", range=(0, 1))
        for name, own in values.items()
    }
    found = gainful.trend(releases)
    assert [(one.query_id, one.release) for one in found.drifted] == [("a", "v3"), ("c", "v2")]
    first = found.drifted[0]
    assert (first.first, first.last) == (0.1, 0.9)
    assert first.step == pytest.approx(0.7)
    assert found.drifted[1].step == pytest.approx(-0.2)


def test_queries_with_other_judgments_are_left_out() -> None:
    changed = {**QRELS, "q00": {"a": 1, "b": 2}, "q01": {"a": 2}}
    found = gainful.trend({"old": snapshot(5), "new": snapshot(9, changed)})
    assert [one.left_out for one in found.releases] == [2, 0]
    assert [one.queries for one in found.releases] == [38, 40]
    assert found.total is not None
    assert found.total.queries == 38
    assert "their judgments have changed since: 2 of old." in str(found)


def test_an_evaluation_in_memory_has_its_judgments() -> None:
    changed = {**QRELS, "q00": {"a": 1, "b": 2}}
    now = gainful.evaluate(changed, gainful.Run(run(9)), "nDCG@5")
    found = gainful.trend({"old": snapshot(5), "new": now})
    assert [one.queries for one in found.releases] == [39, 40]


def test_a_lower_value_can_be_better() -> None:
    random = Random(2)
    slow = {f"q{at}": 100 + random.random() for at in range(20)}
    releases = {
        name: gainful.Evaluation.from_values(
            {"run": {query: value + more for query, value in slow.items()}},
            "latency in ms",
            higher_is_better=False,
        )
        for name, more in (("old", 5), ("new", 0))
    }
    [change] = gainful.trend(releases).changes
    assert (change.verdict, change.wins) == ("better", 20)
    assert change.difference == pytest.approx(-5)


def test_names_and_order_of_a_folder(tmp_path: Path) -> None:
    for name in ("week-10.json", "week-2.json", "README.md", "week-1.csv"):
        (tmp_path / name).write_text("{}")
    assert list(name_releases(str(tmp_path))) == ["week-1", "week-2", "week-10"]


def test_one_query_proves_nothing() -> None:
    releases = {
        name: gainful.Evaluation.from_values({"run": {"q": value}}, "nDCG@10")
        for name, value in (("old", 0.2), ("new", 0.9))
    }
    assert "One query proves nothing" in str(gainful.trend(releases))


@pytest.mark.parametrize(
    ("releases", "message"),
    [
        ({"old": snapshot(5)}, "found 1 release, expected at least two"),
        (
            {"old": snapshot(5), "new": snapshot(5, measures="AP")},
            r"old has nDCG@5 \(gainful-1\), new has AP \(gainful-1\)",
        ),
        ([snapshot(5), snapshot(9)], "need names"),
        (["no.json", "none.json"], "no such file: no.json"),
        (["one/may.json", "two/may.json"], "two releases are called may"),
        (3, "releases: found int, expected paths of files or of a folder"),
        (Path("no.json"), "no such file: no.json"),
    ],
)
def test_what_cannot_be_compared_is_an_error(releases: Any, message: str) -> None:
    with pytest.raises(GainfulError, match=message):
        gainful.trend(releases)


def test_a_missing_measure_is_an_error() -> None:
    with pytest.raises(GainfulError, match="old has no AP; it has nDCG@5"):
        gainful.trend({"old": snapshot(5), "new": snapshot(9)}, "AP")


def test_the_command_reads_snapshots_and_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old").mkdir()
    snapshot(5).write("old/v1.json")
    snapshot(9).write("old/v2.json")
    gainful.evaluate(QRELS, gainful.Run(run(30)), "nDCG@5").save("v3.csv")
    words = ["trend", "old", "now=v3.csv", "-m", "nDCG@5"]
    assert main([*words, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["release"] for one in found["releases"]] == ["v1", "v2", "now"]
    means = [one["mean"] for one in found["releases"]]
    assert means == [
        gainful.evaluate(QRELS, gainful.Run(run(good)), "nDCG@5").mean() for good in (5, 9, 30)
    ]
    assert main([*words, "--format", "markdown"]) == 0
    assert "| now" in capsys.readouterr().out
    assert main(["trend", "old/v1.json", "v1=old/v2.json"]) == 2
    assert "two releases are called v1" in capsys.readouterr().err
    assert main(["trend", "old/v1.json"]) == 2


def test_a_report_is_a_release(tmp_path: Path) -> None:
    need("altair")
    need("vl_convert")
    from gainful.report import make_report

    runs = {"good": gainful.Run(run(30)), "poor": gainful.Run(run(4))}
    page = str(tmp_path / "v1.html")
    make_report(QRELS, runs, ["AP", "nDCG@5"], resamples=500).write(page)
    releases = {"v1": page, "v2": snapshot(35)}
    found = gainful.trend(releases, "nDCG@5", system="poor")
    assert found.releases[0].system == "poor"
    assert found.releases[0].mean == gainful.evaluate(QRELS, runs["poor"], "nDCG@5").mean()
    assert found.releases[0].interval == snapshot_summary(4)
    with pytest.raises(GainfulError, match="expected one of good, poor"):
        gainful.trend(releases, "nDCG@5")
    later = make_report(QRELS, runs, "nDCG@5", history=page, resamples=500)
    assert later.history is not None
    assert [one.release for one in later.history.releases] == ["v1", "good"]
    changed = {**QRELS, "q00": {"a": 1, "b": 2}}
    with pytest.raises(GainfulError, match="is judged as in v2"):
        gainful.trend({"v1": page, "v2": snapshot(9, changed)}, "nDCG@5", system="good")
    other = tmp_path / "other.html"
    other.write_text("<html></html>")
    with pytest.raises(GainfulError, match="expected a report"):
        gainful.trend({"v1": str(other), "v2": snapshot(35)})


def snapshot_summary(good: int) -> Any:
    return gainful.evaluate(QRELS, gainful.Run(run(good)), "nDCG@5").summary().interval


def test_the_picture_shows_each_release() -> None:
    need("altair")
    spec = gainful.trend({"old": snapshot(5), "new": snapshot(9)}).plot().to_dict()
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["rule", "line"]


def test_a_report_continues_the_history() -> None:
    need("altair")
    need("vl_convert")
    from gainful.report import make_report

    runs = {"new": gainful.Run(run(30)), "old": gainful.Run(run(4))}
    report = make_report(QRELS, runs, "nDCG@5", history={"v1": snapshot(5)}, resamples=500)
    assert report.history is not None
    assert [one.release for one in report.history.releases] == ["v1", "new"]
    page = report.html()
    assert "nDCG@5 is " in page
    assert '<details id="history"' in page
    assert '<a href="#query=q05">q05</a>' in page
    assert 'id="history"' not in make_report(QRELS, runs, "nDCG@5", resamples=500).html()
    # The system called like that of the last release is followed.
    earlier = {"v1": gainful.make_snapshot(QRELS, gainful.Run(run(5), name="old"), "nDCG@5")}
    report = make_report(QRELS, runs, "nDCG@5", history=earlier, resamples=500)
    assert report.history is not None
    assert report.history.releases[-1].release == "old"
