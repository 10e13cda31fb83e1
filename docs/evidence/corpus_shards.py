"""Simulate tests of differences over queries and documents, on parts of a real corpus."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np

import gainful
from evidence.queries import ROBUST, Floats, robust_runs
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference import shard_anova, shard_differences
from gainful.inference.interval import quantile

SEED = 20_190_721
ALPHA = 0.05
#: The numbers of shards, each with that of random partitions that shards are drawn from. Fewer
#: simulations draw from fewer.
PARTITIONS = {2: 12, 5: 8, 10: 5}
#: Shards, what replaces values without relevant documents, and queries.
CASES = [(shards, "mean", queries) for shards in (2, 5, 10) for queries in (25, 50)]
CASES += [(shards, empty, 50) for empty in ("zero", "skip") for shards in (5, 10)]
#: Deeper documents change AP by less than .01 and take most of the time.
DEPTH = 200
SYSTEMS = 8


@cache
def _corpus() -> tuple[dict[str, dict[str, float]], list[dict[str, dict[str, float]]]]:
    """Return judgments and runs: of robust03 if its files are present, else of the demo."""
    from gainful.demo import collection, search

    if ROBUST.is_dir():
        qrels, runs = ROBUST / "qrels.robust03.txt.gz", robust_runs()
    else:
        qrels, runs = collection.qrels_path(), search.runs()
    judged = gainful.read_qrels(qrels)
    return judged.to_dict(), [
        gainful.Run(run).top(DEPTH).select(judged).to_dict()
        for run in list(runs.values())[:SYSTEMS]
    ]


@cache
def _ids() -> list[str]:
    """Return the documents of all judgments and runs in order."""
    judged, runs = _corpus()
    return sorted(
        {document for table in (judged, *runs) for row in table.values() for document in row}
    )


@cache
def _values(shards: int, partitions: int = 1) -> Floats:
    """Return AP of systems on shards, (shards, queries, systems); NaN without relevant ones.

    One shard is the whole corpus.
    """
    judged, runs = _corpus()
    queries = sorted(judged)
    parts = []
    for partition in range(partitions):
        drawn = np.random.default_rng((SEED, shards, partition)).integers(0, shards, len(_ids()))
        shard_of = dict(zip(_ids(), drawn.tolist(), strict=True))
        tables = [_split(table, shard_of, shards) for table in (judged, *runs)]
        for qrels, *ranked in zip(*tables, strict=True):
            named = {str(place): run for place, run in enumerate(ranked)}
            found = gainful.evaluate(qrels, runs=named, measures="AP", no_relevant="nan")
            columns = [found.per_query("AP", name) for name in named]
            parts.append([[column.get(query, np.nan) for column in columns] for query in queries])
    return np.array(parts)


def _split(
    table: dict[str, dict[str, float]], shard_of: dict[str, int], shards: int
) -> list[dict[str, dict[str, float]]]:
    parts: list[dict[str, dict[str, float]]] = [{} for _ in range(shards)]
    for query, row in table.items():
        for document, value in row.items():
            parts[shard_of[document]].setdefault(query, {})[document] = value
    return parts


def study(simulations: int) -> Table:
    """Return family-wise errors with centered values, and the true differences detected."""
    rows, failures = [], []
    whole = _values(1)[0]
    for shards, empty, queries in CASES:
        pool = _values(shards, min(PARTITIONS[shards], max(1, simulations // 2)))
        if empty == "zero":
            pool = np.nan_to_num(pool)
        # Skipped queries are not a sample of all queries, so they are centered with these.
        center = np.nanmean(pool, axis=0).mean(axis=0)
        random = np.random.default_rng((SEED, shards, queries))
        errors, detected = np.zeros(3), np.zeros(2)
        for _ in range(simulations):
            sample = random.integers(0, pool.shape[1], queries)
            drawn = pool[random.integers(0, len(pool), shards)][:, sample]
            values = _fill(drawn.transpose(1, 2, 0), empty)
            centered = values - center[:, None]
            errors += [
                _crossed(centered).any(),
                _alone(centered.mean(axis=2)).any(),
                _residual(centered).any(),
            ]
            detected += _crossed(values).mean(), _alone(whole[sample]).mean()
        cells = [*map(percent, errors / simulations), *map(percent, detected / simulations)]
        rows.append([str(shards), empty, str(queries), *cells])
        limit = ALPHA + monte_carlo_error(ALPHA, simulations)
        if empty != "skip" and errors[0] / simulations > limit:
            failures.append(f"{shards} shards, {empty}, {queries}: {cells[0]}")
    headings = ["shards", "without relevant documents", "queries"]
    headings += [f"error, {over}" for over in ("queries and documents", "queries", "residual")]
    headings += ["detected, queries and documents", "detected, queries of the whole corpus"]
    return Table(headings, rows, failures)


def _fill(values: Floats, empty: str) -> Floats:
    """Return values of (queries, systems, shards) without empty ones."""
    lacking = np.isnan(values)
    if empty == "skip":
        return values[~lacking.any(axis=(1, 2))]
    values = values[~lacking.all(axis=(1, 2))]
    return np.where(np.isnan(values), np.nanmean(values, axis=2, keepdims=True), values)


def _pairs(systems: int) -> list[tuple[int, int]]:
    return list(combinations(range(systems), 2))


def _crossed(values: Floats) -> Floats:
    """Return whether each pair differs significantly over queries and documents."""
    means = shard_differences(values, _pairs(values.shape[1]), level=1 - ALPHA)
    return np.array([mean is not None and not mean.low <= 0 <= mean.high for mean in means])


def _alone(values: Floats) -> Floats:
    """Return whether each pair differs significantly over queries, by paired t tests."""
    pairs = np.array(_pairs(values.shape[1]))
    differences = values[:, pairs[:, 0]] - values[:, pairs[:, 1]]
    n = len(values)
    t = -quantile(ALPHA / len(pairs) / 2, n - 1)
    errors = differences.std(axis=0, ddof=1) / n**0.5
    return np.asarray(abs(differences.mean(axis=0)) > t * errors)


def _residual(values: Floats) -> Floats:
    """Return whether each pair differs significantly with the residual as error."""
    pairs = np.array(_pairs(values.shape[1]))
    means = values.mean(axis=(0, 2))
    residual = shard_anova(values)[-1]
    t = -quantile(ALPHA / len(pairs) / 2, residual.df)
    reach = t * (2 * residual.mean_square / len(values) / values.shape[2]) ** 0.5
    return np.asarray(abs(means[pairs[:, 0]] - means[pairs[:, 1]]) > reach)
