"""evaluate(): how good is it? One row a query, and what the rows come to."""

from __future__ import annotations

from gainful import _engine
from gainful.conventions import Convention
from gainful.errors import ArgumentError, ParameterError
from gainful.measures import Measure, parse_measures
from gainful.table import TextTable, digits
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gainful.data.inputs import QrelsLike, RunLike

__all__ = ["DEFAULT_MEASURES", "Evaluation", "Summary", "evaluate"]

#: What is measured when nothing is named.
DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")

#: Columns of the engine's rows after the measures and the parts of nDCG.
_COUNTS = ("retrieved", "relevant", "judged", "tied", "duplicates")
_AT_CUTOFF = ("judged", "unjudged", "tie")


class Summary:
    """What one measure comes to over the queries of one system.

    Attributes
    ----------
    n : int
        Queries that count.
    mean : float
        The mean; NaN for no query. With weights, the weighted mean.
    sum : float
        The sum; what measures that count (``NumRel``) report.
    median, minimum, maximum, lower_quartile, upper_quartile : float
        Quantiles, interpolated linearly; not weighted.
    standard_deviation : float
        Of the sample, with n - 1; NaN below two queries.
    low, high : float or None
        The 95 % interval for the mean over queries like these: Student's t, clipped to the
        measure's range. None below two queries.
    no_relevant : int
        Queries with nothing relevant for the measure, whether they count or not.
    """

    __slots__ = (
        "aggregate",
        "high",
        "low",
        "lower_quartile",
        "maximum",
        "mean",
        "median",
        "minimum",
        "n",
        "no_relevant",
        "standard_deviation",
        "sum",
        "upper_quartile",
    )

    n: int
    mean: float
    sum: float
    median: float
    minimum: float
    maximum: float
    lower_quartile: float
    upper_quartile: float
    standard_deviation: float
    low: float | None
    high: float | None
    no_relevant: int
    aggregate: str

    def __init__(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a summary cannot be changed ({name})")

    @property
    def value(self) -> float:
        """The figure that stands for the system: the mean, or the sum of a count."""
        return self.sum if self.aggregate == "sum" else self.mean

    def to_dict(self) -> dict[str, float | int | None]:
        """Return the figures; NaN as None."""
        names = (name for name in self.__slots__ if name != "aggregate")
        return {name: _finite(getattr(self, name)) for name in sorted(names)}

    def __repr__(self) -> str:
        interval = "" if self.low is None else f", low={self.low:.4f}, high={self.high:.4f}"
        return f"Summary(n={self.n}, mean={self.mean:.4f}{interval}, median={self.median:.4f})"


class Evaluation:
    """The result of `evaluate`: a table with one row a system and query, and its summaries.

    It exports the Arrow C stream, so ``polars.DataFrame(evaluation)``, ``pyarrow.table(evaluation)``
    and DuckDB take it as it is.

    Attributes
    ----------
    convention : Convention
        Under which the numbers were made.
    measures : tuple of Measure
        As they were asked for.
    resolved : tuple of Measure
        The same with every parameter set.
    systems : tuple of str
        The names of the runs.
    """

    __slots__ = ("_tables", "_weights", "convention", "measures", "resolved", "systems")

    convention: Convention
    measures: tuple[Measure, ...]
    resolved: tuple[Measure, ...]
    systems: tuple[str, ...]
    _tables: dict[str, _engine.Evaluated]
    _weights: dict[str, float] | None

    def __init__(
        self,
        tables: dict[str, _engine.Evaluated],
        measures: tuple[Measure, ...],
        convention: Convention,
        weights: dict[str, float] | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "_tables", tables)
        put(self, "_weights", weights)
        put(self, "convention", convention)
        put(self, "measures", measures)
        put(self, "resolved", tuple(measure.resolve(convention) for measure in measures))
        put(self, "systems", tuple(tables))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an evaluation cannot be changed ({name})")

    # --- one number -----------------------------------------------------------------------------

    def mean(self, measure: Measure | str | None = None, system: str | None = None) -> float:
        """Return the mean of a measure over queries; of the only measure and system if not named."""
        return self.summary(measure, system).mean

    def summary(self, measure: Measure | str | None = None, system: str | None = None) -> Summary:
        """Return mean, interval, median, spread and counts of a measure for a system.

        Raises
        ------
        ParameterError
            For a measure or system that is not part of the evaluation, or none named of several.
        """
        return self._summary(self._measure(measure), self._table(system))

    def _summary(self, index: int, table: _engine.Evaluated) -> Summary:
        from gainful.inference import mean_interval

        weights = None
        if self._weights is not None:
            weights = _aligned(self._weights, table.query_ids())
        n, mean, total, deviation, low, lower, median, upper, high, nothing = table.summary(
            index, weights
        )
        bounds = self.measures[index].range(self.convention)
        interval = mean_interval(mean, deviation, n, low=bounds[0], high=bounds[1])
        return Summary(
            n=n,
            mean=mean,
            sum=total,
            standard_deviation=deviation,
            minimum=low,
            lower_quartile=lower,
            median=median,
            upper_quartile=upper,
            maximum=high,
            low=interval[0] if interval else None,
            high=interval[1] if interval else None,
            no_relevant=nothing,
            aggregate=self.measures[index].aggregate,
        )

    # --- the rows -------------------------------------------------------------------------------

    def per_query(
        self, measure: Measure | str | None = None, system: str | None = None
    ) -> dict[str, float]:
        """Return a measure's value for each query that counts, in byte order of the query ids."""
        index, table = self._measure(measure), self._table(system)
        values = zip(table.query_ids(), table.column(index), table.flags(index), strict=True)
        return {query: value for query, value, flags in values if not flags & 2}

    def rows(self) -> Iterator[dict[str, object]]:
        """Yield one dictionary a system and query.

        Its keys are ``system``, ``query_id``, each measure, ``DCG`` and ``IDCG`` of each nDCG,
        ``retrieved``, ``relevant`` (grade 1 or more), ``judged`` (retrieved and judged), ``tied``,
        ``duplicates``, and at each cutoff ``judged@k``, ``unjudged@k`` and ``tie@k`` (equal scores
        on both sides of the cutoff). A query left out of a measure has None there.
        """
        names = self.columns
        for system in self.systems:
            columns = self._columns(system)
            for values in zip(*columns, strict=True):
                yield dict(zip(names, values, strict=True))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of the table of rows."""
        names = ["system", "query_id"]
        names += [repr(measure) for measure in self.measures]
        names += [name for name, _ in self._parts()]
        names += _COUNTS
        names += [f"{name}@{cutoff}" for cutoff in self._cutoffs() for name in _AT_CUTOFF]
        return tuple(names)

    def _columns(self, system: str) -> list[list[object]]:
        table = self._tables[system]
        columns: list[list[object]] = [[system] * len(table), list(table.query_ids())]
        for index in range(len(self.measures)):
            values: list[object] = list(table.column(index))
            if self.convention.no_relevant == "skip":
                flags = table.flags(index)
                values = [None if f & 2 else v for v, f in zip(values, flags, strict=True)]
            columns.append(values)
        columns += [list(table.column(column)) for _, column in self._parts()]
        first = self._first_count()
        columns += [_whole(table.column(first + index)) for index in range(len(_COUNTS))]
        at = first + len(_COUNTS)
        for _ in self._cutoffs():
            columns.append(_whole(table.column(at)))
            columns.append(_whole(table.column(at + 1)))
            columns.append([value > 0 for value in table.column(at + 2)])
            at += 3
        return columns

    def _cutoffs(self) -> list[int]:
        return sorted({measure.cutoff for measure in self.measures if measure.cutoff is not None})

    def _parts(self) -> list[tuple[str, int]]:
        """Names and engine columns of DCG and IDCG of each nDCG, where nobody asked for them."""
        parts = []
        known = {repr(measure) for measure in self.measures}
        column = len(self.measures)
        for measure in self.measures:
            if measure.family != "nDCG":
                continue
            for family in ("DCG", "IDCG"):
                params = dict(measure.params)
                if family == "DCG":
                    params.pop("ideal", None)
                name = repr(Measure(family, params, measure.cutoff))
                if name not in known:
                    parts.append((name, column))
                    known.add(name)
                column += 1
        return parts

    def _first_count(self) -> int:
        parts = sum(2 for measure in self.measures if measure.family == "nDCG")
        return len(self.measures) + parts

    # --- counts ---------------------------------------------------------------------------------

    def counts(self, system: str | None = None) -> dict[str, object]:
        """Return what the evaluation of a system met on its way.

        ``judged_queries`` in the judgments; of these ``queries`` in the table; ``missing`` in the
        run; ``extra`` in the run alone; ``no_relevant`` by measure; ``duplicates`` rows; ``tied``
        documents; and by cutoff ``ties_at_cutoff`` (queries with equal scores on both sides of it)
        and ``judged_at_cutoff`` (share of the documents above it that are judged).
        """
        table = self._table(system)
        judged, evaluated, missing, extra = table.counts
        first = self._first_count()
        at = first + len(_COUNTS)
        ties = {}
        shares = {}
        for cutoff in self._cutoffs():
            known, unknown = table.total(at), table.total(at + 1)
            shares[str(cutoff)] = known / (known + unknown) if known + unknown else None
            ties[str(cutoff)] = table.positive(at + 2)
            at += 3
        return {
            "judged_queries": judged,
            "queries": evaluated,
            "missing": missing,
            "extra": extra,
            "no_relevant": {
                repr(measure): table.summary(index)[-1]
                for index, measure in enumerate(self.measures)
            },
            "duplicates": int(table.total(first + 4)),
            "tied": int(table.total(first + 3)),
            "ties_at_cutoff": ties,
            "judged_at_cutoff": shares,
        }

    # --- showing --------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, object]:
        """Return the evaluation as the JSON contract ``gainful.evaluation/1`` has it."""
        return {
            "schema": "gainful.evaluation/1",
            "convention": {**self.convention.to_dict(), "text": str(self.convention)},
            "measures": {
                repr(measure): repr(resolved)
                for measure, resolved in zip(self.measures, self.resolved, strict=True)
            },
            "systems": {
                system: {
                    repr(measure): self.summary(measure, system).to_dict()
                    for measure in self.measures
                }
                for system in self.systems
            },
            "counts": {system: self.counts(system) for system in self.systems},
        }

    def table(self) -> TextTable:
        """Return the summary as a table of text: one row a system and measure."""
        several = len(self.systems) > 1
        rows = []
        for system in self.systems:
            for measure in self.measures:
                summary = self.summary(measure, system)
                places = 0 if summary.aggregate == "sum" else 4
                interval = "–"
                if summary.low is not None and summary.aggregate == "mean":
                    interval = f"{digits(summary.low)} to {digits(summary.high)}"
                rows.append(
                    [
                        *([system] if several else []),
                        repr(measure),
                        digits(summary.value, places),
                        interval,
                        digits(summary.median, places),
                        str(summary.n),
                    ]
                )
        sums = any(measure.aggregate == "sum" for measure in self.measures)
        mean = "mean or sum" if sums else "mean"
        headers = ["measure", mean, "95 % interval", "median", "queries"]
        return TextTable(
            ["system", *headers] if several else headers,
            rows,
            align="llrrrr" if several else "lrrrr",
            title="" if several else self.systems[0],
            notes=[*self._remarks(), str(self.convention), *self._caption()],
        )

    def _remarks(self) -> list[str]:
        """What a reader of the numbers must know, one line a system that has something to tell."""
        remarks = []
        for system in self.systems:
            counts = self.counts(system)
            told = _told(counts)
            if told:
                name = f"{system}: " if len(self.systems) > 1 else ""
                remarks.append(name + "; ".join(told))
        return remarks

    def _caption(self) -> list[str]:
        if all(measure.aggregate == "sum" for measure in self.measures):
            return []
        return [
            "The interval is for the mean over new queries like these (Student's t). Two systems are"
            " compared query by query, not by whether their intervals overlap.",
        ]

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        measures = ", ".join(map(repr, self.measures))
        return f"<Evaluation of {', '.join(self.systems)}: {measures}>"

    def _repr_html_(self) -> str:
        return self.table().html()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the rows as an Arrow stream; the requested schema is not followed."""
        columns: list[list[object]] = [[] for _ in self.columns]
        for system in self.systems:
            for column, more in zip(columns, self._columns(system), strict=True):
                column.extend(more)
        return _engine.arrow_stream(list(self.columns), columns)

    # --- look-up --------------------------------------------------------------------------------

    def _measure(self, measure: Measure | str | None) -> int:
        if measure is None:
            if len(self.measures) == 1:
                return 0
            raise ParameterError(
                where="measure",
                found="none named",
                expected=f"one of {', '.join(map(repr, self.measures))}",
            )
        wanted = Measure.parse(measure) if isinstance(measure, str) else measure
        if wanted in self.measures:
            return self.measures.index(wanted)
        resolved = wanted.resolve(self.convention)
        if resolved in self.resolved:
            return self.resolved.index(resolved)
        raise ParameterError(
            where="measure",
            found=repr(wanted),
            expected=f"one of {', '.join(map(repr, self.measures))}",
        )

    def _table(self, system: str | None) -> _engine.Evaluated:
        if system is None and len(self.systems) == 1:
            return self._tables[self.systems[0]]
        if system not in self._tables:
            raise ParameterError(
                where="system",
                found="none named" if system is None else repr(system),
                expected=f"one of {', '.join(self.systems)}",
            )
        return self._tables[system]


def evaluate(
    qrels: QrelsLike,
    run: RunLike | None = None,
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    runs: Mapping[str, RunLike] | None = None,
    convention: Convention | str = "gainful-1",
    weights: Mapping[str, float] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Evaluation:
    """Evaluate one run or several against judgments.

    Parameters
    ----------
    qrels : path, mapping, data frame or Qrels
        The judgments: a path (``"-"`` is the standard input), ``{query: {document: grade}}``, an
        object with ``__arrow_c_stream__`` (polars, pyarrow, pandas, DuckDB), an iterable of
        ``(query, document, grade)``, or `Qrels`.
    run : path, mapping, data frame or Run, optional
        The ranking to evaluate: the same kinds with scores; ``{query: [document, ...]}`` is a
        ranking without scores.
    measures : measure, text, or several
        ``"nDCG@10"``, ``[nDCG @ 10, AP(rel=2)]``, a name of trec_eval (``"ndcg_cut_10"``).
    runs : mapping of str to run, optional
        Several runs with their names, instead of `run`.
    convention : Convention or str
        The policies, or the name of a preset: ``"gainful-1"``, ``"trec_eval-9.0.8"``.
    weights : mapping of query id to float, optional
        How much each query counts in the means.
    threads : int, optional
        Threads to use; the numbers never depend on it.
    progress : callable, optional
        Called some ten times a second with (bytes done, bytes in all).

    Returns
    -------
    Evaluation
        The table of queries and its summaries.

    Raises
    ------
    GainfulError
        For whatever cannot be read, matched or measured; `gainful.errors` lists the classes.

    Examples
    --------
    >>> import gainful
    >>> qrels = {"q1": {"d1": 3, "d2": 0, "d3": 2}, "q2": {"d4": 1}}
    >>> run = {"q1": {"d1": 9.1, "d2": 8.7, "d3": 8.0}, "q2": {"d9": 1.0, "d4": 0.5}}
    >>> result = gainful.evaluate(qrels, run, ["nDCG@10", "AP"])
    >>> round(result.mean("nDCG@10"), 4)
    0.7847
    >>> result.per_query("AP")
    {'q1': 0.8333333333333333, 'q2': 0.5}
    """
    from gainful.conventions import get
    from gainful.data.inputs import as_qrels, run_input

    policies = get(convention)
    chosen = tuple(parse_measures(measures))
    if not chosen:
        raise ParameterError(where="measures", found="no measure", expected="at least one")
    kernels = [(repr(measure), *measure.kernel(policies)) for measure in chosen]
    count = thread_count(threads)
    named = _named(run, runs)
    judged = as_qrels(qrels, duplicates=policies.duplicates)
    tables = {}
    for name, one in named.items():
        # A plain dictionary is measured while the engine walks it.
        source = one if type(one) is dict else run_input(one)
        tables[name] = _engine.evaluate(
            judged._rows,
            source,
            policies.engine(),
            kernels,
            threads=count,
            report=progress,
        )
    own = None if weights is None else _checked_weights(weights)
    return Evaluation(tables, chosen, policies, own)


def _named(run: RunLike | None, runs: Mapping[str, RunLike] | None) -> dict[str, RunLike]:
    if (run is None) == (runs is None):
        raise ArgumentError(
            where="evaluate",
            found="both run and runs" if runs is not None else "neither run nor runs",
            expected="one of them",
            hint="runs={'name': run, ...} takes several",
        )
    if runs is not None:
        if not runs:
            raise ParameterError(where="runs", found="no run", expected="at least one")
        return dict(runs)
    from gainful.data.inputs import run_name

    assert run is not None
    return {run_name(run) or "run": run}


def _checked_weights(weights: Mapping[str, float]) -> dict[str, float]:
    checked = {}
    for query, weight in weights.items():
        value = float(weight)
        if not 0 <= value < float("inf"):
            raise ParameterError(
                where="weights", query=str(query), found=repr(weight), expected="a finite weight of 0 or more"
            )
        checked[str(query)] = value
    return checked


def _aligned(weights: dict[str, float], queries: list[str]) -> list[float]:
    try:
        own = [weights[query] for query in queries]
    except KeyError as missing:
        raise ParameterError(
            where="weights",
            query=missing.args[0],
            found="no weight",
            expected="a weight for every query that is evaluated",
        ) from None
    if not any(own):
        raise ParameterError(where="weights", found="only weights of 0", expected="one above 0")
    return own


def _whole(values: list[float]) -> list[object]:
    return [int(value) for value in values]


def _finite(value: float | int | None) -> float | int | None:
    return None if value is None or value != value else value


def _told(counts: dict[str, object]) -> list[str]:
    told = []
    missing, extra = counts["missing"], counts["extra"]
    if missing:
        told.append(f"{missing} of {counts['judged_queries']} judged queries are not in the run")
    if extra:
        told.append(f"{_queries(extra)} of the run not judged")
    nothing = counts["no_relevant"]
    assert isinstance(nothing, dict)
    for number in sorted({n for n in nothing.values() if n}):
        names = [name for name, n in nothing.items() if n == number]
        told.append(f"{_queries(number)} with nothing relevant for {', '.join(names)}")
    if counts["duplicates"]:
        told.append(f"{counts['duplicates']} duplicate rows")
    ties, shares = counts["ties_at_cutoff"], counts["judged_at_cutoff"]
    assert isinstance(ties, dict) and isinstance(shares, dict)
    for cutoff, share in shares.items():
        if share is not None and share < 1:
            told.append(f"{share:.1%} of the documents up to rank {cutoff} are judged")
    for cutoff, number in ties.items():
        if number:
            told.append(f"equal scores straddle rank {cutoff} in {_queries(number)}")
    return told


def _queries(number: object) -> str:
    return "1 query" if number == 1 else f"{number} queries"
