"""Simulate estimates that combine the labels of people and of a model."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np

import gainful
from evidence.queries import ROBUST, Floats
from evidence.tables import Table, monte_carlo_error, percent
from gainful.evaluation.predicted import DOUBTFUL
from gainful.inference import max_t, predicted_mean
from gainful.inference.prediction_powered import PredictedMean

SIZES = (15, 25, 50, 100)
#: People judge one query in this many.
QUERIES = 4
#: Queries of which people judge the easiest half.
POOLED = (40, 80, 200)
LEAST_COVERAGE = 0.93
WIDEST_USELESS = 1.04
FAMILY_WISE = 0.06
RESAMPLES = 999
LABELED = ROBUST.parent / "llm_judges"
#: The judges whose confusion matrices are measured.
MEASURED = (
    "willia-umbrela1",
    "h2oloo-fewself",
    "Olz-gpt4o",
    "Olz-halfbin",
    "NISTRetrieval-instruct0",
    "NISTRetrieval-reason0",
    "RMITIR-llama38b",
    "TREMA-nuggets",
)

#: The ranks that nDCG@10 and a favored system need.
DEPTH = 20

Labels = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, eq=False)
class Judge:
    """The values of systems on queries, (queries, systems), by people and by a model."""

    name: str
    people: Floats
    model: Floats
    is_useless: bool = False

    @property
    def correlation(self) -> float:
        """The mean correlation of both over the systems."""
        pairs = zip(self.people.T, self.model.T, strict=True)
        found = [np.corrcoef(one, two)[0, 1] if np.ptp(two) else 0.0 for one, two in pairs]
        return float(np.mean(found))

    def columns(self) -> Iterator[tuple[Floats, Floats, float]]:
        """Yield values and predictions of a mean and of two differences, and their minimum."""
        last = self.people.shape[1] - 1
        yield self.people[:, 0], self.model[:, 0], 0.0
        for one, two in ((0, 1), (last // 2, last)):
            yield (
                self.people[:, one] - self.people[:, two],
                self.model[:, one] - self.model[:, two],
                -1.0,
            )


def coverage_study(simulations: int) -> Table:
    """Return the coverage of combined 95% intervals, and their width vs. people only."""
    found = [coverage_row(at, each, simulations) for at, each in enumerate(judges())]
    headings = ["judge", "correlation", *(f"n = {n}" for n in SIZES)]
    return Table(headings, [row for row, _ in found], [each for _, own in found for each in own])


def verdicts_study(simulations: int) -> Table:
    """Return how often equal systems get a verdict, from the model's labels and combined."""
    found = [verdicts_row(at, each, simulations) for at, each in enumerate(judges())]
    headings = [f"{kind}, n = {n}" for n in SIZES[1:3] for kind in ("model only", "combined")]
    rows, failures = [row for row, _ in found], [each for _, own in found for each in own]
    return Table(["judge", *headings], rows, failures)


def easy_queries_study(simulations: int) -> Table:
    """Return how often a test notices that people judged the easiest half of the queries."""
    rows = []
    for place, judge in enumerate(judges()):
        people, model, _ = next(judge.columns())
        cells = [judge.name, f"{judge.correlation:.2f}"]
        for n in POOLED:
            random = np.random.default_rng((20_261_129, place, n))
            noticed = 0
            for _ in range(simulations):
                drawn = random.integers(0, len(people), n)
                easy = np.argsort(-judge.people[drawn].mean(axis=1))[: n // 2]
                values = np.full(n, np.nan)
                values[easy] = people[drawn][easy]
                noticed += predicted_mean(values, model[drawn]).p_random < DOUBTFUL
            cells.append(percent(noticed / simulations, 0))
        rows.append(cells)
    return Table(["judge", "correlation", *(f"{n} queries" for n in POOLED)], rows)


def coverage_row(at: int, judge: Judge, simulations: int) -> tuple[list[str], list[str]]:
    """Return a row of the table of a judge, and what is outside the limits."""
    random = np.random.default_rng((20_261_123, at))
    tolerance = monte_carlo_error(0.95, simulations)
    cells, failures = [judge.name, f"{judge.correlation:.2f}"], []
    for n in SIZES:
        found = [_cover(*column, n, simulations, random) for column in judge.columns()]
        coverage = min(each[0] for each in found)
        width = float(np.mean([each[1] for each in found]))
        cells.append(f"{percent(coverage)} ({width:.2f})")
        if coverage < LEAST_COVERAGE - tolerance:
            failures.append(f"{judge.name}, {n} queries: coverage {percent(coverage)}")
        if judge.is_useless and width > WIDEST_USELESS:
            failures.append(f"{judge.name}, {n} queries: {width:.3f} times as wide")
    return cells, failures


def verdicts_row(at: int, judge: Judge, simulations: int) -> tuple[list[str], list[str]]:
    """Return a row of the table of a judge, and what is outside the limits."""
    random = np.random.default_rng((20_261_124, at))
    tolerance = monte_carlo_error(0.05, simulations)
    # Under people's labels all systems have the same mean, under the model's they do not.
    people = judge.people - judge.people.mean(axis=0)
    cells, failures = [judge.name], []
    for n in SIZES[1:3]:
        draws = [_family(people, judge.model, n, random) for _ in range(simulations)]
        combined, model = (float(np.mean([each[kind] for each in draws])) for kind in (0, 1))
        cells += [percent(model), percent(combined)]
        if combined > FAMILY_WISE + tolerance:
            failures.append(f"{judge.name}, {n} queries: {percent(combined)} combined")
    return cells, failures


def _cover(
    people: Floats, model: Floats, low: float, n: int, simulations: int, random: np.random.Generator
) -> tuple[float, float]:
    """Return the coverage, and the mean width divided by that of people only."""
    true, covered, widths = people.mean(), 0, np.zeros(2)
    for _ in range(simulations):
        found = draw_mean(people, model, n, random)
        both = found.interval(0.95, low, 1.0), found.people_interval(0.95, low, 1.0)
        assert both[0] is not None
        assert both[1] is not None
        covered += both[0][0] <= true <= both[0][1]
        widths += [both[0][1] - both[0][0], both[1][1] - both[1][0]]
    return covered / simulations, float(widths[0] / widths[1])


def draw_mean(people: Floats, model: Floats, n: int, random: np.random.Generator) -> PredictedMean:
    """Return the estimate from n queries judged by people and all by the model."""
    drawn = random.integers(0, len(people), QUERIES * n)
    values = people[drawn]
    values[n:] = np.nan
    return predicted_mean(values, model[drawn])


def _family(
    people: Floats, model: Floats, n: int, random: np.random.Generator
) -> tuple[bool, bool]:
    """Return whether any of all pairs is significant, combined and from the model's labels."""
    drawn = random.integers(0, len(people), QUERIES * n)
    y, f = people[drawn], model[drawn]
    pairs = list(combinations(range(min(people.shape[1], 4)), 2))
    columns = []
    for one, two in pairs:
        values = y[:, one] - y[:, two]
        values[n:] = np.nan
        columns.append(predicted_mean(values, f[:, one] - f[:, two]).values)
    differences = np.column_stack([f[:, one] - f[:, two] for one, two in pairs])
    found = [
        bool((max_t(each, resamples=RESAMPLES).p <= 0.05).any())
        for each in (np.column_stack(columns), differences)
    ]
    return found[0], found[1]


@cache
def judges() -> list[Judge]:
    """Return simulated judges from useless to perfect, and real ones if their files are present."""
    random = np.random.default_rng(7)
    qrels, runs = _collection()
    people = _scores(qrels, runs)
    grades = np.array([grade for own in qrels.values() for grade in own.values()])
    found = []
    for share in (0.0, 0.01, 0.05, 0.2, 0.5, 1.0):
        labels = {}
        for query, own in qrels.items():
            wrong = random.random(len(own)) < share
            other = np.where(wrong, random.choice(grades, len(own)), list(own.values()))
            labels[query] = dict(zip(own, other.tolist(), strict=True))
        name = f"{percent(share, 0)} of the labels random"
        found.append(Judge(name, people, _scores(labels, runs), share == 1.0))
    wrong = random.random(len(people)) < 0.2
    swapped = people[random.permutation(len(people))]
    found.append(Judge("another query's values", people, swapped, True))
    # Judges with outliers, which are the hardest for small samples.
    outliers = np.random.default_rng(8)
    rare = outliers.random(people.shape) < 0.04
    found.append(
        Judge(
            "4% of the values 1, the others near 0",
            people,
            np.where(rare, 1.0, outliers.normal(0, 0.001, people.shape)),
            True,
        )
    )
    scattered = people * (1 + 0.5 * outliers.normal(size=(len(people), 1)))
    found.append(Judge("values times random factors", people, scattered))
    found.append(Judge("20% of the queries 0", people, np.where(wrong[:, None], 0.0, people)))
    found.append(Judge("20% of the queries 1", people, np.where(wrong[:, None], 1.0, people)))
    if LABELED.is_dir() and ROBUST.is_dir():
        human = labels_by_query(LABELED / "human.qrels")
        for name in MEASURED:
            confusions = _confusions(human, labels_by_query(LABELED / f"{name}.qrels"))
            for favored in (None, next(iter(runs))):
                labels = _relabeled(qrels, confusions, runs.get(favored or ""), random)
                more = ", favors a system" if favored else ""
                found.append(Judge(f"as {name}{more}", people, _scores(labels, runs)))
        found.append(_ranked("rag25-umbrela", "rag25-human", random))
    return found


def _collection() -> tuple[Labels, Mapping[str, gainful.Run]]:
    if ROBUST.is_dir():
        paths = {path.name.split(".")[1]: path for path in sorted(ROBUST.glob("input.*.gz"))}
        qrels = labels_by_query(ROBUST / "qrels.robust03.txt.gz")
        return qrels, {name: gainful.Run(path).top(DEPTH) for name, path in paths.items()}
    from gainful.demo import collection, search

    runs = {name: gainful.Run(run) for name, run in search.runs().items()}
    return labels_by_query(collection.qrels_path()), runs


def labels_by_query(path: Path) -> dict[str, dict[str, float]]:
    if path.suffix == ".gz":
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    else:
        lines = path.read_text().splitlines()
    found: dict[str, dict[str, float]] = {}
    for line in lines:
        query, _, document, grade = line.split()[:4]
        found.setdefault(query, {})[document] = max(float(grade), 0.0)
    return found


def _scores(labels: Labels, runs: Mapping[str, gainful.Run]) -> Floats:
    found = gainful.evaluate(labels, runs=runs, measures="nDCG@10")
    columns = [found.per_query("nDCG@10", system) for system in found.systems]
    return np.array([[column[query] for column in columns] for query in labels])


def _confusions(human: Labels, model: Labels) -> list[Floats]:
    """Return the probabilities of the model's grades by human grade, one matrix per query."""
    found = []
    for query, own in human.items():
        counts = np.full((4, 4), 0.3)
        for document, grade in own.items():
            if document in model.get(query, {}):
                counts[int(grade), min(int(model[query][document]), 3)] += 1
        found.append(counts / counts.sum(axis=1, keepdims=True))
    return found


def _relabeled(
    qrels: Labels,
    confusions: list[Floats],
    favored: gainful.Run | None,
    random: np.random.Generator,
) -> Labels:
    """Return a model's labels, with the confusion matrix of a random query for each query."""
    found: dict[str, dict[str, float]] = {}
    for query, own in qrels.items():
        matrix = confusions[random.integers(len(confusions))]
        top = dict((favored.get(query) or ())[:20]) if favored is not None else {}
        # Robust 2003 has the grades 0 to 2, of which 2 is the best.
        grades = np.array([0, 2, 3])[np.array(list(own.values()), dtype=int)]
        steps = matrix.cumsum(axis=1)[grades, :3]
        drawn = (random.random(len(own))[:, None] > steps).sum(axis=1)
        raised = (random.random(len(own)) < 0.25) & np.array([each in top for each in own])
        labels = np.minimum(drawn + raised, 3).astype(np.float64)
        found[query] = dict(zip(own, labels.tolist(), strict=True))
    return found


def _ranked(model: str, people: str, random: np.random.Generator) -> Judge:
    """Return a real judge; the systems rank the judged documents with more or less noise."""
    labels, human = (labels_by_query(LABELED / f"{name}.qrels.gz") for name in (model, people))
    both = {
        query: {document: grade for document, grade in own.items() if document in labels[query]}
        for query, own in human.items()
    }
    runs = {
        f"noise {noise}": gainful.Run(
            {
                query: {
                    document: grade + random.normal(0, noise) for document, grade in own.items()
                }
                for query, own in both.items()
            }
        )
        for noise in (1, 2, 4, 8)
    }
    own = {query: {each: labels[query][each] for each in both[query]} for query in both}
    return Judge(model, _scores(both, runs), _scores(own, runs))
