"""Compare runs with a random order, a baseline and the ideal order."""

from __future__ import annotations

from gainful.baselines import oracle
from gainful.baselines.answering import run_queries
from gainful.bounds.floor import Floor, of_corpus, of_judged, of_pool
from gainful.bounds.result import Headroom, MeasureHeadroom, Place, Share
from gainful.conventions import Convention, get
from gainful.data import Qrels, Run
from gainful.data.coercion import as_run
from gainful.data.corpus import each_document
from gainful.errors import ArgumentError, MeasureError, ParameterError
from gainful.evaluation import evaluate
from gainful.evaluation.call import evaluate_runs
from gainful.evaluation.judgments import judgments_for
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measures
from gainful.progress import Bar, show_progress
from gainful.records import Interval
from gainful.systems.lexical.bm25 import BM25
from gainful.systems.queries import Queries
from gainful.vocabulary import FLOORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from os import PathLike
    from typing import Any, Unpack

    from gainful.data.corpus import TextsLike
    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.measures import Measure
    from gainful.policies import PolicyKeywords
    from gainful.systems.lexical.term_weights import TermWeights
    from gainful.systems.queries.collection import QueriesLike

    Values = Mapping[str, float]

__all__ = ["headroom"]

#: Aggregates other than a mean, in words.
_AGGREGATES = {"geometric": "geometric mean"}

#: Documents per query of the BM25 baseline.
_DEPTH = 1_000


@show_progress(Bar)
@suggest_keywords
def headroom(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike] | Sequence[str | PathLike[str] | Run] | Run,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    baseline: str | None = None,
    corpus: TextsLike | None = None,
    queries: QueriesLike | None = None,
    documents: int | None = None,
    floor: str | None = None,
    convention: Convention | str = "gainful-1",
    level: float = 0.95,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    **policies: Unpack[PolicyKeywords],
) -> Headroom:
    """Compare systems with a random order, a baseline and the ideal order.

    Parameters
    ----------
    qrels
        The judgments, as for `gainful.evaluate`.
    runs : mapping of str to run, sequence of paths and `Run`, or Run
        The systems.
    measures : Measure, str, or several of them, optional
        Means over queries, not geometric ones. Default: nDCG@10, or what the convention is verified
        for.
    baseline : str, optional
        The name of the run that is the baseline. Default: BM25, built from `corpus` and `queries`
        if both are given, otherwise none.
    corpus : path, mapping or Texts, optional
        The documents that were searched; see `bm25`.
    queries : path, mapping, iterable or Queries, optional
        The queries, for BM25.
    documents : int, optional
        The number of documents that were searched, if there is no `corpus` to count them.
    floor : {"corpus", "pool", "judged", "none"}, optional
        The documents that are put in random order for each query: the whole corpus (default if its
        size is known), the pool of all documents that are judged or in a run (default otherwise),
        the judged documents, or none.
    convention : Convention or str
        The policies, or the name of a preset. For the random order, ``ties="expected"`` is used.
    level : float, default 0.95
        The confidence level of the intervals of shares. Intervals of means are always 95%.
    threads, progress
        As for `gainful.evaluate`.
    **policies
        Policies that differ from those of the convention, as for `evaluate`.

    Returns
    -------
    Headroom

    Raises
    ------
    GainfulError
        As for `gainful.evaluate`; and for a measure without an expected value over all orders, or
        an unknown baseline.

    Notes
    -----
    Floor and ceiling are computed for each query under the same convention as the systems. The
    share of the achievable gain is (system - floor) / (ceiling - floor), a ratio of means over the
    queries that count for all of them. The share of the baseline's headroom is (system - baseline)
    / (ceiling - baseline). Their confidence intervals are Fieller's.

    Examples
    --------
    >>> import gainful
    >>> found = gainful.headroom(
    ...     "qrels.txt", ["bm25.run", "dense.run"], baseline="bm25", documents=20
    ... )
    >>> place = found.place("dense")
    >>> ends = found.floors["nDCG@10"], place.mean, found.ceilings["nDCG@10"]
    >>> [round(mean, 4) for mean in ends]
    [0.2336, 0.7581, 0.8333]
    """
    rules = get(convention, **policies)
    chosen = choose_measures(measures, rules)
    _check(chosen, floor, documents, corpus, queries, level)
    judged = judgments_for(chosen, qrels, duplicates=rules.duplicates)
    named = _named(runs)
    description = corpus_size = None
    if baseline is None and corpus is not None and queries is not None:
        system, named["bm25"] = _bm25(named, judged, corpus, queries)
        baseline, description = system.name, system.summary
        corpus_size = len(system.collection.documents)
    elif baseline is not None and baseline not in named:
        raise ParameterError(
            where="baseline", found=repr(baseline), expected=f"one of {', '.join(named)}"
        )
    if documents is None and corpus is not None and floor in (None, "corpus"):
        documents = corpus_size or _count(corpus)
    scores = _Scores(judged, named, chosen, rules, floor, documents, threads, progress)
    return Headroom(
        evaluation=scores.evaluation,
        floor=scores.floor,
        ceiling=scores.ceiling,
        measures={repr(measure): scores.headroom(measure, baseline, level) for measure in chosen},
        baseline=baseline,
        baseline_description=description,
        level=level,
    )


class _Scores:
    """The scores of the systems, the floor and the ceiling."""

    def __init__(
        self,
        judged: Qrels,
        named: Mapping[str, Run],
        chosen: tuple[Measure, ...],
        policies: Convention,
        floor: str | None,
        documents: int | None,
        threads: int | None,
        progress: Callable[[int, int], object] | None,
    ) -> None:
        def score(runs: Mapping[str, Run]) -> Any:
            return evaluate_runs(judged, runs, chosen, policies, threads=threads)

        self.evaluation = evaluate(
            judged,
            None,
            chosen,
            runs=named,
            convention=policies,
            threads=threads,
            progress=progress,
        )
        deepest = max(map(len, judged.values()))
        ideal = score({"": oracle(judged, max(deepest, 1))})
        self.ceiling: dict[str, dict[str, float]] = {
            repr(measure): ideal._values(measure) for measure in chosen
        }
        self.reranked = {}
        for name, run in named.items():
            longest = max(map(len, run.values()), default=1)
            best = score({"": oracle(judged, max(longest, 1), run=run)})
            self.reranked[name] = {repr(measure): best.mean(measure) for measure in chosen}
        self.floor = _floor(floor, documents, judged, named, chosen, policies)

    def headroom(self, measure: Measure, baseline: str | None, level: float) -> MeasureHeadroom:
        name = repr(measure)
        places = [
            self.place(measure, system, baseline, level) for system in self.evaluation.systems
        ]
        places.sort(key=lambda place: -place.mean)
        return MeasureHeadroom(
            resolved=measure.resolve(self.evaluation.convention),
            floor=None if self.floor is None else _mean(self.floor.values[name]),
            ceiling=_mean(self.ceiling[name]),
            systems={place.system: place for place in places},
        )

    def place(self, measure: Measure, name: str, baseline: str | None, level: float) -> Place:
        key = repr(measure)
        own = self.evaluation._values(measure, name)
        top = self.ceiling[key]
        achieved = vs_baseline = None
        if self.floor is not None:
            achieved = _share(own, self.floor.values[key], top, level)
        if baseline is not None and baseline != name:
            vs_baseline = _share(own, self.evaluation._values(measure, baseline), top, level)
        summary = self.evaluation.summary(measure, name)
        return Place(
            system=name,
            n=summary.n,
            mean=summary.mean,
            interval=summary.interval,
            achieved=achieved,
            vs_baseline=vs_baseline,
            reranked=self.reranked[name][key],
        )


def _share(own: Values, bottom: Values, top: Values, level: float) -> Share | None:
    """Return the share of the gain from bottom to top; None if they are equal."""
    from gainful.inference import ratio_interval

    counted = [query for query in own if query in bottom and query in top]
    gains = [own[query] - bottom[query] for query in counted]
    achievable = [top[query] - bottom[query] for query in counted]
    total = sum(achievable)
    if not counted or not abs(total) > 1e-12 * len(counted):
        return None
    ends = ratio_interval(gains, achievable, level=level)
    interval = None if ends is None else Interval(*ends)
    return Share(value=sum(gains) / total, interval=interval, n=len(counted))


def _mean(values: Values) -> float:
    return sum(values[query] for query in sorted(values)) / len(values) if values else float("nan")


def _floor(
    kind: str | None,
    documents: int | None,
    judged: Qrels,
    named: Mapping[str, Run],
    chosen: tuple[Measure, ...],
    policies: Convention,
) -> Floor | None:
    kind = kind or ("pool" if documents is None else "corpus")
    if kind == "none":
        return None
    if kind == "judged":
        return of_judged(judged, chosen, policies)
    if kind == "pool":
        return of_pool(judged, named.values(), chosen, policies)
    assert documents is not None
    return of_corpus(judged, documents, chosen, policies)


# --- arguments ----------------------------------------------------------------------------------


def _check(
    measures: tuple[Measure, ...],
    floor: str | None,
    documents: int | None,
    corpus: object,
    queries: object,
    level: object,
) -> None:
    for measure in measures:
        if measure.aggregate != "mean":
            raise MeasureError(
                where=repr(measure),
                found=f"a {_AGGREGATES.get(measure.aggregate, measure.aggregate)} over queries",
                expected="a measure that is a mean over queries",
            )
    if floor is not None and floor not in FLOORS:
        raise ParameterError(
            where="floor", found=repr(floor), expected=f"one of {', '.join(FLOORS)}"
        )
    if documents is not None and (type(documents) is not int or documents < 1):
        raise ParameterError(
            where="documents", found=repr(documents), expected="an integer of 1 or more"
        )
    if not isinstance(level, float) or not 0.0 < level < 1.0:
        raise ParameterError(
            where="level", found=repr(level), expected="a number between 0 and 1, such as 0.95"
        )
    if queries is not None and corpus is None:
        raise ArgumentError(
            where="queries",
            found="queries without a corpus",
            expected="both, to build a BM25 baseline, or neither",
        )
    if floor == "corpus" and documents is None and corpus is None:
        raise ArgumentError(
            where="floor",
            found="'corpus' without a corpus",
            expected="a corpus, or its number of documents",
        )


def _named(runs: Any) -> dict[str, Run]:
    from gainful.data.named_runs import runs_by_name

    if isinstance(runs, Run):
        return {runs.name or "run": runs}
    # The convention has a policy for duplicate documents.
    return {name: as_run(run, duplicates="count") for name, run in runs_by_name(runs).items()}


def _bm25(
    named: Mapping[str, Run], judged: Qrels, corpus: TextsLike, queries: QueriesLike
) -> tuple[TermWeights, Run]:
    if "bm25" in named:
        raise ParameterError(
            where="the runs",
            found="a run 'bm25', and a corpus and queries to build another",
            expected="one of them",
            hint="⟪baseline='bm25'⟫ uses the run",
        )
    system = BM25(corpus)
    return system, run_queries(system, Queries.of(queries).judged(judged), _DEPTH)


def _count(corpus: TextsLike) -> int:
    return len({document for document, _ in each_document(corpus)})
