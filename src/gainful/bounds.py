"""Compare systems with a random order, a baseline and the ideal order."""

from __future__ import annotations

from gainful.baselines import oracle
from gainful.baselines.fusion import run_queries
from gainful.conventions import Convention, get
from gainful.data import Qrels, Run
from gainful.data.coercion import as_run
from gainful.data.corpus import each_document
from gainful.errors import ArgumentError, MeasureError, ParameterError
from gainful.evaluation import evaluate
from gainful.evaluation.arguments import judgments_for
from gainful.evaluation.call import evaluate_runs
from gainful.evaluation.chance import expected_values, others
from gainful.evaluation.notes import describe_convention, describe_counts
from gainful.formats.numbers import digits, with_sign
from gainful.formats.table import Column, Note, Table, noted
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measures
from gainful.parameters import OPTIONAL_COUNT
from gainful.progress import Bar, show_progress
from gainful.records import Interval, Record, derived, field
from gainful.records.tables import columns_of, table_of_columns
from gainful.references import refer
from gainful.results import Records, Result, as_records, only_choice
from gainful.systems.lexical import BM25
from gainful.systems.queries import Queries
from gainful.vocabulary import FLOORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from os import PathLike
    from typing import Any, Literal, Unpack

    from gainful.data.corpus import TextsLike
    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.evaluation import Evaluation
    from gainful.evaluation.data import ChanceValues
    from gainful.measures import Measure
    from gainful.plots import Plot
    from gainful.policies import PolicyKeywords
    from gainful.systems.lexical import TermWeights
    from gainful.systems.queries.collection import QueriesLike

    QueryValues = Mapping[str, float]

__all__ = ["Headroom", "MeasureHeadroom", "Place", "Share", "headroom"]


#: Documents in random order, over all queries. For a larger corpus a subset with all relevant
#: documents is used. They then rank higher on average, so the result is an upper bound.
LIMIT = 20_000_000

#: Minimum number of other documents next to the judged ones, to fill the ranks up to a cutoff.
_OTHERS = 1_000


class Floor(Record):
    """The expected score of a random order of documents."""

    kind: Literal["corpus", "pool", "judged"] = field(key="of")
    """The documents in random order for each query."""
    documents: int | None = None
    """The size of the corpus."""
    taken: int | None = None
    """The number of these documents that were used; if fewer, the floor is an upper bound."""
    values: dict[str, dict[str, float]] = field(key="")
    """By measure and query, the exact mean over all orders of these documents."""


def of_judged(judged: Qrels, measures: Sequence[Measure], policies: Convention) -> Floor:
    """Return the floor of the judged documents of each query."""
    candidates = ((query, list(grades)) for query, grades in judged.items())
    return Floor(kind="judged", values=_measure(judged, candidates, measures, policies))


def of_pool(
    judged: Qrels, runs: Iterable[Run], measures: Sequence[Measure], policies: Convention
) -> Floor:
    """Return the floor of all documents that are judged or in one of the runs."""
    all_runs = list(runs)

    def pools() -> Iterable[tuple[str, list[str]]]:
        for query, grades in judged.items():
            pool = dict.fromkeys(grades)
            for run in all_runs:
                pool.update(dict.fromkeys(document for document, _ in run.get(query) or ()))
            yield query, list(pool)

    return Floor(kind="pool", values=_measure(judged, pools(), measures, policies))


def of_corpus(
    judged: Qrels, documents: int, measures: Sequence[Measure], policies: Convention
) -> Floor:
    """Return the floor of a corpus of the given size."""
    most = max(map(len, judged.values()), default=0)
    if documents < most:
        raise ParameterError(
            where="the corpus",
            found=f"{documents:,} documents, and {most:,} judged for a query",
            expected="at least as many as are judged",
        )
    taken = min(documents, max(most + _OTHERS, LIMIT // max(len(judged), 1)))
    fillers = others(taken)

    def corpora() -> Iterable[tuple[str, list[str]]]:
        for query, grades in judged.items():
            yield query, [*grades, *fillers[: taken - len(grades)]]

    values = _measure(judged, corpora(), measures, policies)
    return Floor(kind="corpus", documents=documents, taken=taken, values=values)


def _measure(
    judged: Qrels,
    candidates: Iterable[tuple[str, list[str]]],
    measures: Sequence[Measure],
    policies: Convention,
) -> ChanceValues:
    """Return the expected values of the measures."""
    said = "the floor", "floor='none'"
    return expected_values(judged, candidates, measures, policies, *said, evaluate_runs)


FLOOR, CEILING = "floor", "ceiling"

_NUMBER = {"type": ["number", "null"]}
_NO_ENDS = (None, None)


def _percent(share: float) -> str:
    return f"{digits(100 * share, 1)}%"


def _signed(share: float) -> str:
    return f"{with_sign(100 * share, 1)}%"


def _ends(show: Callable[[float], str]) -> Callable[[Interval], str]:
    return lambda ends: f"{show(ends.low).removesuffix('%')} to {show(ends.high)}"


class Share(Record):
    """A share of the difference between two means."""

    value: float
    """0 at the lower mean and 1 at the upper one; it can be negative or above 1."""
    interval: Interval | None
    """Its confidence interval; None if the difference is not significantly different from 0."""
    n: int
    """The number of queries that count for both ends and for the system."""


class Place(Record):
    """The score of a system between floor and ceiling."""

    system: str = field(key="")
    """The name of the system."""
    mean: float = field(tables="systems", json=_NUMBER)
    """The mean over queries."""
    interval: Interval | None
    """The 95% confidence interval of the mean."""
    n: int
    """The number of queries in the mean."""
    achieved: Share | None
    """The share of the achievable gain, from floor to ceiling; None without a floor, or if floor
    and ceiling are equal."""
    vs_baseline: Share | None
    """The share of the headroom from the baseline to the ceiling; None without a baseline, and for
    the baseline."""
    reranked: float = field(tables="systems", label="re-ranked", json=_NUMBER)
    """The mean of the retrieved documents in ideal order: the upper bound for a re-ranker."""


class MeasureHeadroom(Record):
    """The scores of all systems under one measure, with their bounds."""

    resolved: Measure
    """The measure with every parameter set."""
    floor: float | None
    """The mean score of a random order, over all queries that count; None without a floor."""
    ceiling: float = field(json=_NUMBER)
    """The mean score of the ideal order."""
    systems: dict[str, Place]
    """The systems by name, the best mean first."""


class Headroom(Result):
    """The scores of systems between floor, baseline and ceiling.

    Examples
    --------
    >>> import gainful
    >>> found = gainful.headroom("qrels.txt", ["bm25.run", "dense.run"])
    >>> found
    <Headroom of bm25, dense: nDCG@10>
    >>> round(found.place(system="bm25").achieved.value, 2)
    0.51
    """

    SCHEMA = "gainful.headroom/1"
    COMMAND = "headroom"
    RECORDS = {"systems": None}
    PICTURES = ("means",)

    convention: Convention = derived(lambda headroom: headroom.evaluation.convention)
    """The policies of the numbers, as in gainful.evaluation/1."""
    level: float = field(json={"minimum": 0, "maximum": 1})
    """The confidence level of the intervals of shares. Intervals of means are always 95%."""
    baseline: str | None
    """The name of the baseline; None for none."""
    baseline_description: str | None
    """The settings of the baseline, if it was built for the comparison."""
    floor: Floor | None
    """The expected score of a random order; None for none."""
    measures: dict[str, MeasureHeadroom]
    """The systems and bounds by measure."""
    counts: dict[str, Any] = derived(
        lambda headroom: {
            system: headroom.evaluation.counts(system) for system in headroom.evaluation.systems
        }
    )
    """Data checks by system, as in gainful.evaluation/1."""
    evaluation: Evaluation = field(key="")
    """The evaluation of the systems, including the baseline."""
    ceiling: Mapping[str, Mapping[str, float]] = field(key="")
    """By measure and query, the score of the judged documents in ideal order."""

    @property
    def floors(self) -> dict[str, float]:
        """The mean score of a random order by measure; empty without a floor."""
        floors = {name: bounds.floor for name, bounds in self.measures.items()}
        return {name: floor for name, floor in floors.items() if floor is not None}

    @property
    def ceilings(self) -> dict[str, float]:
        """The mean score of the ideal order by measure."""
        return {name: bounds.ceiling for name, bounds in self.measures.items()}

    def place(self, measure: Measure | str | None = None, system: str | None = None) -> Place:
        """Return the score and shares of a system.

        The measure and the system are optional if there is only one.

        Raises
        ------
        ParameterError
            For an unknown system or measure, or if one is needed and missing.
        """
        key = repr(self.evaluation.measures[self.evaluation.index_of(measure)])
        return self.measures[key].systems[only_choice("system", system, self.evaluation.systems)]

    def tables(self) -> list[Table]:
        """Return one table per measure, from ceiling to floor; the last has the notes."""
        tables = [_table(self, name, bounds) for name, bounds in self.measures.items()]
        return [*tables[:-1], tables[-1].replace(notes=_notes(self))]

    def _picture(self, name: str, **options: Any) -> Plot:
        return self.evaluation.plot(name, **options)

    def _records(self, name: str) -> Records:
        shares = [
            f"{name}{end}" for name in ("achieved", "vs_baseline") for end in ("", "_low", "_high")
        ]
        names = ("measure", "system", "role", "mean", "low", "high", *shares, "reranked", "n")
        return as_records(names, _rows(self))

    def __repr__(self) -> str:
        return f"<Headroom of {', '.join(self.evaluation.systems)}: {', '.join(self.measures)}>"


def _rows(headroom: Headroom) -> Iterator[tuple[object, ...]]:
    """Yield one row per measure and system, from ceiling to floor."""
    nothing = [None] * 10
    for measure, bounds in headroom.measures.items():
        yield measure, CEILING, CEILING, bounds.ceiling, *nothing
        for system, place in bounds.systems.items():
            role = "baseline" if system == headroom.baseline else "system"
            shares = (*_values(place.achieved), *_values(place.vs_baseline))
            ends = place.interval or _NO_ENDS
            yield measure, system, role, place.mean, *ends, *shares, place.reranked, place.n
        if bounds.floor is not None:
            yield measure, FLOOR, FLOOR, bounds.floor, *nothing


def _values(share: Share | None) -> tuple[object, ...]:
    return (None, *_NO_ENDS) if share is None else (share.value, *(share.interval or _NO_ENDS))


# --- tables ---------------------------------------------------------------------------------------


def _table(headroom: Headroom, measure: str, bounds: MeasureHeadroom) -> Table:
    places = list(bounds.systems.values())
    mean, reranked = columns_of(places, "systems")
    marks = [" (baseline)" if place.system == headroom.baseline else "" for place in places]
    names = [place.system + mark for place, mark in zip(places, marks, strict=True)]
    columns: list[tuple[Column, Sequence[object]]] = [(Column("system", ""), names), mean]
    if bounds.floor is not None:
        columns += _share_columns(headroom, places, "achieved", "gain achieved", _percent)
    if headroom.baseline is not None:
        label = f"vs. {headroom.baseline}"
        columns += _share_columns(headroom, places, "vs_baseline", label, _signed)
    title = f"{measure} and ideal order (ceiling)"
    columns.append(reranked)
    blank = [""] * (len(columns) - 2)
    table = table_of_columns(columns)
    rows = [(CEILING, bounds.ceiling, *blank), *table.rows]
    if bounds.floor is not None:
        title = f"{measure} between random order (floor) and ideal order (ceiling)"
        rows.append((FLOOR, bounds.floor, *blank))
    return Table(table.columns, rows, title=title)


def _share_columns(
    headroom: Headroom, places: list[Place], name: str, label: str, show: Callable[[float], str]
) -> list[tuple[Column, list[object]]]:
    shares: list[Share | None] = [getattr(place, name) for place in places]
    interval = Column(f"{name}_interval", f"{100 * headroom.level:g}% CI", _ends(show))
    return [
        (Column(name, label, show), ["" if share is None else share.value for share in shares]),
        (interval, ["" if share is None else share.interval for share in shares]),
    ]


# --- sentences ------------------------------------------------------------------------------------


def _notes(headroom: Headroom) -> list[Note]:
    explaining, facts = [], []
    places = [place for bounds in headroom.measures.values() for place in bounds.systems.values()]
    if headroom.floor is not None:
        explaining += [
            "gain achieved: share of the achievable gain, (mean − floor) / (ceiling − floor).",
            describe_floor(headroom.floor),
        ]
        if any(_is_uncertain(place.achieved) for place in places):
            facts.append("gain achieved –: floor and ceiling do not differ significantly.")
    if headroom.baseline is not None:
        name = headroom.baseline
        explaining.append(
            f"vs. {name}: share of the headroom from {name} to the ceiling."
            f" {refer('compare()')} tests the difference."
        )
        if any(_is_uncertain(place.vs_baseline) for place in places):
            facts.append(f"vs. {name} –: no significant headroom up to the ceiling.")
    if headroom.baseline_description is not None:
        facts.append(f"{headroom.baseline}: built here, {headroom.baseline_description}.")
    explaining += [
        "re-ranked: mean with the retrieved documents in ideal order, the limit for a re-ranker.",
        "ceiling: the judged documents of each query in ideal order.",
    ]
    above = _above(headroom)
    if above:
        facts.append(
            f"Above the ceiling: {above}. For this measure, the order by grade is not the best."
        )
    return [
        *noted("bounds", facts),
        *describe_counts(headroom.evaluation),
        Note("convention", describe_convention(headroom.evaluation)),
        *noted("bounds", explaining, explains=True),
        Note("interval", "CI: Fieller's confidence interval of a ratio of means.", explains=True),
    ]


def _is_uncertain(share: Share | None) -> bool:
    """Return whether a share has no interval in spite of several queries."""
    return share is not None and share.interval is None and share.n > 1


def describe_floor(floor: Floor) -> str:
    """Return in one sentence what the floor is."""
    if floor.kind == "judged":
        of = "the judged documents"
    elif floor.kind == "pool":
        of = "all documents that are judged or in a run"
    else:
        of = f"the {floor.documents:,} documents"
    order = f"expected score of a random order of {of}"
    if floor.taken != floor.documents:
        return f"floor: upper bound of the {order} (from {floor.taken:,}, with all relevant ones)."
    return f"floor: exact {order}."


def _above(headroom: Headroom) -> str:
    return ", ".join(
        f"{system} ({measure})"
        for measure, bounds in headroom.measures.items()
        for system in headroom.evaluation.systems
        if bounds.systems[system].mean > bounds.ceiling + 1e-9
    )


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
    >>> place = found.place(system="dense")
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
            repr(measure): ideal.values_by_text_id(measure) for measure in chosen
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
        values = self.evaluation.values_by_text_id(measure, name)
        top = self.ceiling[key]
        achieved = vs_baseline = None
        if self.floor is not None:
            achieved = _share(values, self.floor.values[key], top, level)
        if baseline is not None and baseline != name:
            vs_baseline = _share(
                values, self.evaluation.values_by_text_id(measure, baseline), top, level
            )
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


def _share(
    system: QueryValues, bottom: QueryValues, top: QueryValues, level: float
) -> Share | None:
    """Return the share of the gain from bottom to top; None if they are equal."""
    from gainful.inference import ratio_interval

    counted = [query for query in system if query in bottom and query in top]
    gains = [system[query] - bottom[query] for query in counted]
    achievable = [top[query] - bottom[query] for query in counted]
    total = sum(achievable)
    if not counted or not abs(total) > 1e-12 * len(counted):
        return None
    ends = ratio_interval(gains, achievable, level=level)
    interval = None if ends is None else Interval(*ends)
    return Share(value=sum(gains) / total, interval=interval, n=len(counted))


def _mean(values: QueryValues) -> float:
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
    OPTIONAL_COUNT.check(documents, "documents")
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
