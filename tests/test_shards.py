"""Differences beyond one corpus: the analysis of variance, empty shards, lists that end early."""

from itertools import combinations
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

import gainful
from gainful import analyze_shards
from gainful.cli import main
from gainful.errors import MatchError, MeasureError, ParameterError
from gainful.inference import crossed_mean, shard_anova, shard_differences
from requirements import need

SHAPE = (7, 4, 3)


def values() -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    random = np.random.default_rng(11)
    return random.normal(size=SHAPE) + 2 * random.normal(size=(7, 1, 1)) + np.arange(4)[:, None]


def test_the_analysis_of_variance_is_that_of_statsmodels() -> None:
    need("statsmodels")
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    index = np.indices(SHAPE).reshape(3, -1)
    frame = pd.DataFrame(dict(zip("qsd", index, strict=True)), dtype=str)
    frame["value"] = values().ravel()
    fit = ols("value ~ q + s + d + q:s + q:d + s:d", frame).fit()
    expected = anova_lm(fit, typ=2)
    rows = shard_anova(values())
    names = ["q", "s", "d", "q:s", "q:d", "s:d", "Residual"]
    for row, name in zip(rows, names, strict=True):
        assert row.df == expected["df"][name]
        assert row.sum_of_squares == pytest.approx(expected["sum_sq"][name], rel=1e-9)
        if row.f is not None:
            assert row.f == pytest.approx(expected["F"][name], rel=1e-9)


def test_the_sums_of_squares_add_up_and_equal_values_have_no_effect() -> None:
    table = values()
    total = ((table - table.mean()) ** 2).sum()
    assert sum(row.sum_of_squares for row in shard_anova(table)) == pytest.approx(total)
    rows = shard_anova(np.ones(SHAPE))
    assert {(row.sum_of_squares, row.f, row.omega_squared) for row in rows} == {(0.0, None, None)}


def test_two_systems_have_the_interval_of_crossed_samples() -> None:
    table = values()[:, :2]
    (mean,) = shard_differences(table, [(1, 0)], level=0.9)
    assert mean == pytest.approx(crossed_mean(table[:, 1] - table[:, 0], level=0.9))


def test_the_error_over_shards_is_pooled_over_systems() -> None:
    table = values()
    pairs = list(combinations(range(4), 2))
    means = table.mean(axis=0)
    pooled = np.mean([(means[a] - means[b]).var(ddof=1) / 3 for a, b in pairs])
    for mean in shard_differences(table, pairs):
        assert mean is not None
        assert mean.rater_error == pytest.approx(sqrt(pooled))


def corpus() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Return queries with six relevant documents of thirty, and two systems that rank them all."""
    random = np.random.default_rng(5)
    qrels, runs = {}, {"good": {}, "bad": {}}  # type: ignore[var-annotated]
    for query in map(str, range(30)):
        documents = [f"{query}-{number}" for number in range(30)]
        qrels[query] = {document: int(place < 6) for place, document in enumerate(documents)}
        for name, gain in (("good", 1.5), ("bad", 0.2)):
            scores = random.normal(size=30) + gain * (np.arange(30) < 6)
            runs[name][query] = dict(zip(documents, scores.tolist(), strict=True))
    return qrels, runs


def test_shards_are_evaluated_as_corpora_of_their_own() -> None:
    qrels, runs = corpus()
    shards = {
        document: "ab"[number % 2] for row in qrels.values() for number, document in enumerate(row)
    }
    result = analyze_shards(qrels, runs, "AP", shards=shards)
    expected = []
    for shard in "ab":
        judged, *ranked = (
            {
                query: {document: x for document, x in row.items() if shards[document] == shard}
                for query, row in table.items()
            }
            for table in (qrels, *runs.values())
        )
        expected.append([gainful.evaluate(judged, run, "AP").mean() for run in ranked])
    for column, system in enumerate(result.systems):
        assert system.mean == pytest.approx(np.mean(expected, axis=0)[column])
        assert system.lowest == pytest.approx(min(row[column] for row in expected))
        whole = gainful.evaluate(qrels, runs[system.system], "AP").mean()
        assert system.whole == pytest.approx(whole)
    (pair,) = result.pairs
    assert (pair.system, pair.verdict) == ("bad", "worse")
    assert (result.shards, result.seed, result.empty_cells) == (("a", "b"), None, 0)


def test_random_parts_depend_on_the_seed_and_the_documents_alone() -> None:
    qrels, runs = corpus()
    first = analyze_shards(qrels, runs, "AP", shards=3)
    more = analyze_shards(qrels, {**runs, "third": runs["good"]}, "AP", shards=3)
    other = analyze_shards(qrels, runs, "AP", shards=3, seed=1)
    assert first.systems == more.systems[:2]
    assert first.systems != other.systems
    assert {pair.verdict for pair in more.pairs if pair.system == "third"} == {
        "identical",
        "better",
    }


@pytest.mark.parametrize(("empty", "mean", "queries", "cells"), [
    ("mean", 1.0, 3, 1),
    ("zero", 5 / 6, 3, 1),
    ("skip", 1.0, 2, 0),
])  # fmt: skip
def test_queries_without_relevant_documents_in_a_shard(
    empty: str, mean: float, queries: int, cells: int
) -> None:
    qrels = {query: {"a": 1, "b": 1} for query in "12"} | {"3": {"a": 1}, "4": {"a": 0}}
    run = {query: {"a": 2.0, "b": 1.0} for query in "1234"}
    last = {query: {"b": 2.0, "c": 1.0, "a": 0.5} for query in "1234"}
    shards = {"a": "x", "b": "y", "c": "y"}
    result = analyze_shards(qrels, {"run": run, "last": last}, "AP", shards=shards, empty=empty)
    assert result.systems[0].mean == pytest.approx(mean)
    assert (result.queries, result.left_out) == (queries, 4 - queries)
    assert result.empty_cells == cells


def test_lists_that_end_early_are_not_comparable() -> None:
    qrels, runs = corpus()
    short = {
        query: dict(sorted(row.items(), key=lambda x: -x[1])[:10])
        for query, row in runs["good"].items()
    }
    result = analyze_shards(qrels, {"bad": runs["bad"], "short": short}, "nDCG@10", shards=2)
    assert result.pairs[0].verdict == "not comparable"
    assert [system.short_lists > 0.5 for system in result.systems] == [False, True]
    assert "Not comparable: short." in str(result)


def test_queries_that_a_system_lacks_follow_the_convention() -> None:
    qrels, runs = corpus()
    runs["bad"] = {query: runs["bad"][query] for query in list(qrels)[:20]}
    assert analyze_shards(qrels, runs, "AP", shards=2).queries == 30
    rules = gainful.conventions.get("gainful-1", missing="skip")
    assert analyze_shards(qrels, runs, "AP", shards=2, convention=rules).queries == 20


@pytest.mark.parametrize(("options", "error", "problem"), [
    ({"shards": 1}, ParameterError, "2 to 100"),
    ({"shards": {"0-0": "a"}}, MatchError, "899 of 900 documents have no shard, such as 0-1"),
    ({"empty": "none"}, ParameterError, "mean or zero or skip"),
    ({"measure": "GMAP"}, MeasureError, "a geometric mean cannot be computed by shard"),
    ({"baseline": "best"}, ParameterError, "best"),
    ({"alpha": 1.5}, ParameterError, "between 0 and 1"),
])  # fmt: skip
def test_bad_arguments_are_refused(
    options: dict[str, object], error: type[Exception], problem: str
) -> None:
    qrels, runs = corpus()
    with pytest.raises(error, match=problem):
        analyze_shards(qrels, runs, **{"measure": "AP", **options})  # type: ignore[arg-type]


def test_too_few_queries_are_refused() -> None:
    with pytest.raises(MatchError, match="0 of 1 queries"):
        analyze_shards({"q": {"a": 0, "b": 0}}, {"x": {"q": ["a"]}, "y": {"q": ["b"]}}, shards=2)


def test_the_command_reads_a_file_of_shards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    qrels, runs = corpus()
    gainful.Qrels(qrels).write("qrels.txt")
    for name, run in runs.items():
        gainful.Run(run).write(f"{name}.run")
    lines = [
        f"{document}\t{number % 3}\n"
        for row in qrels.values()
        for number, document in enumerate(row)
    ]
    Path("shards.tsv").write_text("".join(lines))
    command = "analyze-shards qrels.txt good.run bad.run -m AP --shards shards.tsv"
    assert main(command.split()) == 0
    printed = capsys.readouterr().out
    assert "AP, 30 queries, 3 shards" in printed
    assert "The difference is statistically significant for other queries" in printed
    assert main([*command.split()[:-1], "1"]) == 2
    assert "found 1, expected a number from 2 to 100" in capsys.readouterr().err
