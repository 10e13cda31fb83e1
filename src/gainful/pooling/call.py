"""Pool the documents of several runs for judging, and continue the pool of a session."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, zip_longest
from math import log2
from random import Random

from gainful.conventions import get
from gainful.data import Qrels
from gainful.data.coercion import as_run
from gainful.data.named_runs import runs_by_name
from gainful.data.samples import QuerySample
from gainful.errors import ParameterError
from gainful.formats.table import Note
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measure
from gainful.parameters import OPTIONAL_COUNT
from gainful.parameters.comparing import SEED
from gainful.pooling.result import ADAPTIVE, ORDERS, Pool
from gainful.records.tables import table_of
from gainful.unjudged import find_unjudged
from gainful.vocabulary import POOLING_STRATEGIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Unpack

    from gainful.conventions import Convention
    from gainful.data import Run
    from gainful.data.named_runs import Runs
    from gainful.data.qrels import QrelsLike
    from gainful.formats.table import Table
    from gainful.judging import Session
    from gainful.measures import Measure
    from gainful.policies import PolicyKeywords
    from gainful.unjudged import ContestedPair, Unjudged

    #: The documents of one query, by system.
    Rankings = list[list[str]]
    #: The chosen documents of each query, and for a sample their strata and probabilities.
    Chosen = Iterator[tuple[str, list[str], Mapping[str, tuple[int, float]]]]

__all__ = [
    "ADVICE",
    "Effect",
    "allocate",
    "continue_pool",
    "draw_sample",
    "effect_of_labels",
    "pool",
    "share_budget",
    "stratify",
]


def stratify(best_ranks: Sequence[int], budget: int) -> list[int]:
    """Return the stratum of each document of a query, by its best rank.

    Stratum s, from 1, has the best ranks from 2^(s - 1) to 2^s - 1: 1, 2 to 3, 4 to 7, and so on.
    There are at most budget / 2 strata, the last of which has all further ranks, so that two
    documents of each can be drawn.

    Examples
    --------
    >>> stratify([1, 1, 2, 3, 4, 7, 8, 100], 20)
    [1, 1, 2, 2, 3, 3, 4, 7]
    >>> stratify([1, 1, 2, 3, 4, 7, 8, 100], 6)
    [1, 1, 2, 2, 3, 3, 3, 3]
    """
    last = max(1, budget // 2)
    return [min(rank.bit_length(), last) for rank in best_ranks]


def allocate(sizes: Sequence[int], budget: int) -> list[int]:
    """Return how many documents to draw from each stratum of a query.

    Notes
    -----
    Proportional to the size of a stratum times the discount 1 / log2(r + 1) of its best rank r,
    which bounds the contribution of a document to DCG: optimal allocation if the spread of a
    contribution is proportional to its bound. J. Neyman: On the two different aspects of the
    representative method. Journal of the Royal Statistical Society 97(4), 1934.

    Examples
    --------
    >>> allocate([3, 5, 9, 20], 12), allocate([3, 5], 100)
    ([2, 2, 3, 5], [3, 5])
    """
    weights = [size / log2(2**index + 1) for index, size in enumerate(sizes)]
    drawn = [min(2, budget, size) for size in sizes]
    for _ in range(min(budget, sum(sizes)) - sum(drawn)):
        # D'Hondt's method: the next document goes to the stratum with the largest weight per draw.
        place = max(
            (index for index, size in enumerate(sizes) if drawn[index] < size),
            key=lambda at: weights[at] / (drawn[at] + 1),
        )
        drawn[place] += 1
    return drawn


def draw_sample(
    documents: Sequence[str], best_ranks: Sequence[int], budget: int, random: Random
) -> dict[str, tuple[int, float]]:
    """Return the sampled documents of a query with their stratum and inclusion probability.

    Notes
    -----
    A simple random sample without replacement of n of the N documents of each stratum, with
    probability n / N.
    """
    strata: dict[int, list[str]] = {}
    for document, stratum in zip(documents, stratify(best_ranks, budget), strict=True):
        strata.setdefault(stratum, []).append(document)
    numbers = sorted(strata)
    sizes = [len(strata.get(number, ())) for number in range(1, (numbers or [0])[-1] + 1)]
    return {
        document: (number, count / sizes[number - 1])
        for number, count in enumerate(allocate(sizes, budget), start=1)
        for document in random.sample(strata.get(number, []), count)
    }


def share_budget(budget: int, sizes: Sequence[int]) -> list[int]:
    """Divide a budget evenly between queries, none of which gets more than its size.

    Examples
    --------
    >>> share_budget(10, [1, 20, 20]), share_budget(100, [1, 2]), share_budget(5, [9, 9, 9])
    ([1, 5, 4], [1, 2], [2, 2, 1])
    """
    shares = [0] * len(sizes)
    left = min(budget, sum(sizes))
    open_queries = [index for index, size in enumerate(sizes) if size]
    while left:
        share = max(1, left // len(open_queries))
        for query in open_queries:
            more = min(share, sizes[query] - shares[query], left)
            shares[query] += more
            left -= more
        open_queries = [place for place in open_queries if shares[place] < sizes[place]]
    return shares


#: The default depth of a pool without a budget, and with one.
_DEPTH, _DEPTH_OF_BUDGET = 10, 100


@suggest_keywords
def pool(
    runs: Runs,
    strategy: str = "depth",
    *,
    depth: int | None = None,
    budget: int | None = None,
    queries: int | None = None,
    judged: QrelsLike | None = None,
    overlap: float = 0.0,
    measure: Measure | str = "nDCG@10",
    convention: Convention | str = "gainful-1",
    scale: Iterable[float] | None = None,
    seed: int = 0,
    **policies: Unpack[PolicyKeywords],
) -> Pool:
    """Choose the documents of several runs that should be judged.

    Parameters
    ----------
    runs : mapping of str to run, or sequence of runs
        The systems.
    strategy : {"depth", "rrf", "mtf", "maxmean", "mtc", "sample"}, default "depth"
        ``depth``: the union of the first documents of each run. ``rrf``: first those that several
        runs rank high. ``mtf`` and ``maxmean``: first those of the runs that found relevant
        documents. ``mtc``: first those whose label changes a difference of two systems most.
        ``sample``: a stratified random sample, from which `gainful.evaluate` estimates DCG and
        precision without bias.
    depth : int, optional
        Pool only documents up to this rank. Default: 10 without a budget, and 100 with one; for
        ``mtc`` the cutoff of the measure.
    budget : int, optional
        The maximum number of documents to judge, divided evenly between the queries; ``mtc``
        divides it by value. Required by ``sample``.
    queries : int, optional
        Pool only a simple random sample of this many queries. The pool records the draw: pass it as
        ``sampled`` to `gainful.evaluate` or `gainful.compare` to combine the judgments with those
        of a model for all queries. Default: all queries.
    judged : judgments, optional
        Judgments that exist already. A sample includes them with probability 1; the other
        strategies leave them out. The adaptive strategies (``mtf``, ``maxmean``, ``mtc``) learn
        from them, so that a further call continues the pool.
    overlap : float, default 0
        The share of the documents that two people should judge, from 0 to 1.
    measure, convention, scale : optional
        For the adaptive strategies: the measure whose order of the systems counts, its policies,
        and the possible grades, as for `gainful.find_unjudged`. Default of the scale: 0, 1 and the
        grades of `judged`.
    seed : int
        The random seed of the samples, of the order within each query, and of the overlap.

    **policies
        Policies that differ from those of the convention, as for `evaluate`.

    Returns
    -------
    Pool
        The documents, query by query in the order of the runs, in random order within a query. An
        adaptive strategy returns none if no labels could change the order of the systems.

    Raises
    ------
    ParameterError
        For an unknown strategy, a number out of range, or a sample without a budget.
    GainfulError
        If a run or the judgments cannot be read.

    Notes
    -----
    The sources of the strategies are in `gainful.pooling.result`, `gainful.pooling.call` and
    `gainful.find_unjudged` (``mtc``: B. Carterette, J. Allan, R. Sitaraman: Minimal test
    collections for retrieval evaluation. SIGIR 2006).

    Examples
    --------
    >>> import gainful
    >>> found = gainful.pool(["bm25.run", "dense.run"], depth=3)
    >>> found
    <Pool 'depth' of bm25, dense: 26 documents>
    >>> new = gainful.pool(["bm25.run", "dense.run"], depth=3, judged="qrels.txt")
    >>> list(zip(new.queries, new.documents))
    [('q4', 'r04'), ('q6', 'r12')]
    """
    convention = get(convention, **policies)
    depth, budget, queries = (
        OPTIONAL_COUNT.check(number, name)
        for name, number in (("depth", depth), ("budget", budget), ("queries", queries))
    )
    seed = SEED.check(seed)
    _check(strategy, budget, overlap)
    named = {name: as_run(run) for name, run in runs_by_name(runs).items()}
    if depth is None:
        depth = _default_depth(strategy, budget, measure, convention)
    qrels = None if judged is None else Qrels(judged)
    pooled = list(dict.fromkeys(query for run in named.values() for query in run))
    drawn = None
    if queries is not None:
        drawn = _sample_queries(pooled, queries, seed)
        chosen_queries = drawn.draw(pooled)
        pooled = [query for query in pooled if query in chosen_queries]
    grades = {query: dict(qrels.get(query) or {}) if qrels else {} for query in pooled}
    rankings = ((query, _rankings(named, query, depth)) for query in pooled)
    settled = None
    if strategy in ADAPTIVE and (qrels is not None or strategy == "mtc"):
        unjudged = _find_unjudged(named, grades, depth, measure, convention, scale)
        settled = bool(unjudged.contests) and all(
            contest.verdict == "settled" for contest in unjudged.contests
        )
    if strategy == "sample":
        assert budget is not None
        chosen = _sample(dict(rankings), grades, budget, Random(seed))
    elif settled:
        chosen = ((query, [], {}) for query in pooled)
    elif strategy == "mtc":
        chosen = _by_impact(unjudged, pooled, budget)
    else:
        chosen = _in_order(strategy, rankings, grades, budget)
    return Pool.of(
        chosen,
        strategy=strategy,
        depth=depth,
        budget=budget,
        overlap=overlap,
        seed=seed,
        runs=named,
        judged=grades,
        query_sample=drawn,
        settled=repr(choose_measure(measure, convention)) if settled else None,
    )


def _sample_queries(pooled: Sequence[str], count: int, seed: int) -> QuerySample:
    if count > len(pooled):
        raise ParameterError(
            where="queries", found=str(count), expected=f"at most the {len(pooled)} of the runs"
        )
    return QuerySample(drawn=count, queries=len(pooled), seed=seed)


def _default_depth(
    strategy: str, budget: int | None, measure: Measure | str, convention: Convention | str
) -> int:
    if strategy == "mtc":
        return choose_measure(measure, get(convention)).cutoff or _DEPTH_OF_BUDGET
    return _DEPTH if budget is None else _DEPTH_OF_BUDGET


def _rankings(runs: Mapping[str, Run], query: str, depth: int) -> Rankings:
    return [[document for document, _ in (run.get(query) or ())[:depth]] for run in runs.values()]


def _in_order(
    strategy: str,
    rankings: Iterable[tuple[str, Rankings]],
    grades: Mapping[str, Mapping[str, float]],
    budget: int | None,
) -> Chosen:
    """Yield the first unjudged documents of each query in the order of a strategy."""
    order = ORDERS[strategy]
    unjudged = {}
    for query, lists in rankings:
        grades_of_query = grades[query]
        # No query gets more than the whole budget.
        unjudged[query] = list(
            islice(
                (
                    document
                    for document in order(lists, grades_of_query)
                    if document not in grades_of_query
                ),
                budget,
            )
        )
    sizes = [len(document) for document in unjudged.values()]
    shares = sizes if budget is None else share_budget(budget, sizes)
    for (query, documents), share in zip(unjudged.items(), shares, strict=True):
        yield query, documents[:share], {}


def _sample(
    rankings: Mapping[str, Rankings],
    grades: Mapping[str, Mapping[str, float]],
    budget: int,
    random: Random,
) -> Chosen:
    """Yield a stratified sample of each query, with its judged documents."""
    best = {query: _best_ranks(lists) for query, lists in rankings.items()}
    frames = {
        query: {document: rank for document, rank in ranks.items() if document not in grades[query]}
        for query, ranks in best.items()
    }
    open_queries = sum(map(bool, frames.values()))
    if budget < open_queries:
        raise ParameterError(
            where="budget",
            found=str(budget),
            expected=f"at least one document for each of {open_queries} queries",
        )
    shares = share_budget(budget, [len(frame) for frame in frames.values()])
    for (query, frame), share in zip(frames.items(), shares, strict=True):
        design = {document: (0, 1.0) for document in best[query] if document in grades[query]}
        design |= draw_sample(list(frame), list(frame.values()), share, random)
        yield query, list(design), design


def _best_ranks(rankings: Rankings) -> dict[str, int]:
    best: dict[str, int] = {}
    for ranking in rankings:
        for rank, document in enumerate(ranking, start=1):
            best[document] = min(rank, best.get(document, rank))
    return best


def _find_unjudged(
    runs: Mapping[str, Run],
    grades: Mapping[str, Mapping[str, float]],
    depth: int,
    measure: Measure | str,
    convention: Convention | str,
    scale: Iterable[float] | None,
) -> Unjudged:
    """Return the unjudged documents by what their labels change, and whether any changes order."""
    possible = {0.0, 1.0}.union(*(known.values() for known in grades.values()))
    return find_unjudged(
        grades,
        runs,
        measure,
        convention=convention,
        depth=depth,
        scale=sorted(possible) if scale is None else scale,
    )


def _by_impact(found: Unjudged, queries: Iterable[str], budget: int | None) -> Chosen:
    """Yield the documents whose labels change a difference most."""
    by_query: dict[str, list[str]] = {query: [] for query in queries}
    for document in found.documents[:budget]:
        by_query[document.query].append(document.document)
    for query, documents in by_query.items():
        yield query, documents, {}


def _check(strategy: object, budget: int | None, overlap: float) -> None:
    if strategy not in POOLING_STRATEGIES:
        raise ParameterError(
            where="strategy",
            found=repr(strategy),
            expected=f"one of {', '.join(POOLING_STRATEGIES)}",
        )
    if strategy == "sample" and budget is None:
        raise ParameterError(
            "a sample needs a budget",
            where="budget",
            hint="without one, strategy='depth' judges every document",
        )
    if not 0.0 <= overlap <= 1.0:
        raise ParameterError(
            where="overlap", found=repr(overlap), expected="a number between 0 and 1"
        )


#: Why a test should not decide when to stop.
ADVICE = (
    "Do not stop because a difference has become significant: each further look at the p-value is"
    " another chance of a false positive. Fix the number of documents beforehand, or stop when no"
    " label of an unjudged document can reverse the order."
)


@dataclass(frozen=True, slots=True)
class Effect:
    """The order of systems by the labels of a session, and whether further labels could reverse it.

    Attributes
    ----------
    measure : str
        The measure.
    contests : tuple of ContestedPair
        Each system vs. the next by mean.
    priority : dict of (str, str) to float
        How much the final grade of a document with different grades can change a difference between
        two systems, by query and document: the argument of `Session.disagreements`.
    settling : tuple of (int or None)
        For each contest, a number of further labels that could settle it: 0 if none can reverse it,
        None if all labels together do not. Empty if they were not counted.
    """

    measure: str
    contests: tuple[ContestedPair, ...]
    priority: dict[tuple[str, str], float]
    settling: tuple[int | None, ...] = ()

    @property
    def is_settled(self) -> bool:
        """Whether no label can reverse the order of two systems."""
        return all(contest.verdict == "settled" for contest in self.contests)

    @property
    def sentence(self) -> str:
        """What further labels could settle, as text."""
        if self.is_settled:
            return "No label of an unjudged document can reverse the order of these systems."
        parts = []
        for contest, count in zip_longest(self.contests, self.settling):
            pair = f"{contest.system} vs. {contest.baseline}"
            if count:
                parts.append(f"{count:,} more label{'s' * (count != 1)} could settle {pair}.")
            elif contest.verdict != "settled":
                parts.append(f"{pair}: {contest.verdict_text}.")
        return " ".join(parts)

    def tables(self) -> list[Table]:
        """Return one row per pair of systems: whether further labels could reverse the order."""
        labels = {"difference": f"difference in {self.measure}", "range": "over all labels"}
        notes = [Note("settling", self.sentence), Note("stopping", ADVICE)]
        title = "Effect on the systems"
        return [table_of(self.contests, "effect", title=title, notes=notes, labels=labels)]


def effect_of_labels(
    session: Session,
    runs: Mapping[str, Run],
    *,
    judged: Mapping[str, Mapping[str, float]] | None = None,
    measure: Measure | str | None = None,
    convention: Convention | str = "gainful-1",
    settling: bool = False,
) -> Effect | None:
    """Return what the labels of a session mean for systems; None without labels.

    Queries without a label count too: all their documents are unjudged.
    """
    from gainful.unjudged.differences import count_settling

    grades = session.final_grades()
    known: dict[str, dict[str, float]] = {
        query: {**(judged or {}).get(query, {}), **grades.get(query, {})}
        # In a query that nobody has begun to judge, all documents are open.
        for query in dict.fromkeys([*(judged or {}), *session.queries])
    }
    if not any(known.values()) or len(runs) < 2:
        return None
    unjudged = find_unjudged(known, runs, measure, convention=convention, scale=session.scale)
    disputed = {
        (disagreement.query_id, disagreement.doc_id) for disagreement in session.disagreements()
    }
    priority: dict[tuple[str, str], float] = {}
    if disputed:
        undisputed = {
            query: {name: grade for name, grade in grades.items() if (query, name) not in disputed}
            for query, grades in known.items()
        }
        # Without their grades these documents are unjudged, which have a value.
        without = find_unjudged(
            undisputed, runs, measure, convention=convention, scale=session.scale
        )
        priority = {
            (document.query, document.document): document.value
            for document in without.documents
            if (document.query, document.document) in disputed
        }
    evaluation = unjudged.evaluation
    counts = tuple(
        count_settling(known, runs, contest, evaluation, scale=session.scale)
        for contest in unjudged.contests
        if settling
    )
    return Effect(repr(evaluation.measures[0]), unjudged.contests, priority, counts)


#: The least number of documents that are added at once.
_BATCH = 20


def continue_pool(
    session: Session,
    runs: Mapping[str, Run],
    strategy: str,
    *,
    budget: int | None = None,
    depth: int | None = None,
    judged: Mapping[str, Mapping[str, float]] | None = None,
    measure: str = "nDCG@10",
    seed: int = 0,
) -> int:
    """Add the next documents to a session, chosen by the labels so far; return their number.

    Nothing is added if the budget is spent, or if no label can reverse the order of the systems.

    Examples
    --------
    >>> from gainful.judging import Session
    >>> runs = {"old": {"q1": ["a", "b", "c"]}, "new": {"q1": ["c", "b", "a"]}}
    >>> with Session("next.session", []) as session:
    ...     first = continue_pool(session, runs, "mtf", budget=2, measure="P@1")
    ...     document = session.next("ana")
    ...     _ = session.label("ana", document.query_id, document.doc_id, 0)
    ...     second = continue_pool(session, runs, "mtf", budget=2, measure="P@1")
    >>> first, second
    (2, 0)
    """
    effect = effect_of_labels(session, runs, judged=judged, measure=measure)
    if effect is not None and effect.is_settled:
        return 0
    grades = session.final_grades()
    known = {
        query: {**(judged or {}).get(query, {}), **grades.get(query, {})}
        for query in dict.fromkeys([*(judged or {}), *grades])
    }
    before = session.requested
    queries = {query for run in runs.values() for query in run}
    size = max(_BATCH, len(queries))
    if budget is not None:
        size = min(size, budget - before)
    if size < 1:
        return 0
    # What others are judging has no grade yet, so it is chosen again.
    chosen = pool(
        runs,
        strategy,
        depth=depth,
        budget=size + session.needed,
        judged=known or None,
        measure=measure,
        scale=session.scale,
        seed=seed,
    )
    session.add(chosen)
    return session.requested - before
