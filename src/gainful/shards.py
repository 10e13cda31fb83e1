"""Differences beyond the documents of one corpus: systems measured on random parts of it."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from os import PathLike, fspath

from gainful.comparison.choices import check_baselines, check_systems, list_couples
from gainful.conventions import Convention, get
from gainful.data import Qrels
from gainful.data.coercion import as_run
from gainful.data.query_attributes import read_document_classes
from gainful.data.table import kernel_rows
from gainful.errors import ArgumentError, MatchError, MeasureError, ParameterError
from gainful.evaluation.arguments import judgments_for, named_runs
from gainful.evaluation.call import evaluate_runs
from gainful.evaluation.selection import SelectedInputs
from gainful.formats.numbers import digits, percent, with_sign
from gainful.formats.table import Note
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measure
from gainful.parameters.comparing import ANY_ALPHA
from gainful.progress import Bar, show_progress
from gainful.quoting import names_shown
from gainful.records import Interval, Record, field
from gainful.records.tables import table_of
from gainful.results import Result
from gainful.vocabulary import EMPTY_SHARDS, PAIR_VERDICTS, SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    from gainful.data import Run
    from gainful.data.named_runs import Runs
    from gainful.data.qrels import QrelsLike
    from gainful.data.table import RowTable
    from gainful.formats.table import Table as PrintedTable
    from gainful.inference import CrossedMean
    from gainful.measures import Measure

    Floats = NDArray[np.float64]
    Shards: TypeAlias = int | Mapping[str, str] | str | PathLike[str]

__all__ = ["ShardAnalysis", "ShardPair", "ShardSystem", "VarianceRow", "analyze_shards"]

#: More parts would leave most queries without a relevant document in some of them.
_MOST_SHARDS = 100

#: Of a system with more lists that end early in shards, the runs say little.
_SHORT = 0.05

_SHARE = {"minimum": 0, "maximum": 1}


class ShardSystem(Record):
    """A system on the parts of the corpus."""

    system: str = field(tables="systems")
    """The name of the system."""
    whole: float = field(tables="systems", label="whole corpus", show=digits)
    """The mean on the whole corpus."""
    mean: float = field(tables="systems", label="shards", show=digits)
    """The mean over queries and shards."""
    lowest: float = field(tables="systems", label="lowest shard", show=digits)
    """The mean on the shard with the lowest one."""
    highest: float = field(tables="systems", label="highest shard", show=digits)
    """The mean on the shard with the highest one."""
    short_lists: float = field(tables="systems", label="lists cut", show=percent, json=_SHARE)
    """The share of lists that end before the cutoff of the measure in a shard, though not on the
    whole corpus."""


class ShardPair(Record):
    """Two systems over queries and documents."""

    system: str = field(tables="pairs")
    """The system."""
    baseline: str = field(tables="pairs", label="vs.")
    """The system that it is compared with."""
    difference: float = field(tables="pairs", show=with_sign)
    """The mean difference over queries and shards."""
    interval: Interval | None = field(tables="pairs", label="{level} CI", show=with_sign)
    """Its confidence interval over queries and documents like these, simultaneous for all pairs;
    None if all values are equal."""
    query_error: float
    """The standard error over queries."""
    shard_error: float
    """The standard error over shards, pooled over all systems."""
    verdict: str = field(tables="pairs", fit="whole", json={"enum": list(PAIR_VERDICTS)})
    """Whether the system is better, worse, identical or inconclusive; not comparable if too many
    lists of either end early in shards."""


class VarianceRow(Record):
    """A row of the analysis of variance."""

    source: str = field(tables="effects")
    """The effect or interaction."""
    df: int = field(tables="effects")
    """The degrees of freedom."""
    sum_of_squares: float = field(tables="effects", label="sum of squares", show=digits)
    """The sum of squares."""
    mean_square: float = field(tables="effects", label="mean square", show="{:.5f}".format)
    """The mean square."""
    f: float | None = field(tables="effects", label="F", show="{:.1f}".format)
    """The mean square divided by that of the residual; None for the residual."""
    omega_squared: float | None = field(tables="effects", label="omega²", show=digits)
    """The effect size: the partial omega squared; None for the residual."""


class ShardAnalysis(Result):
    """Systems on parts of a corpus: the result of `gainful.analyze_shards`.

    Examples
    --------
    >>> import gainful
    >>> result = gainful.analyze_shards("qrels.txt", ["bm25.run", "dense.run"], shards=2)
    >>> pair = result.pairs[0]
    >>> pair.system, pair.baseline, pair.verdict
    ('dense', 'bm25', 'inconclusive')
    """

    SCHEMA = "gainful.shards/1"
    COMMAND = "analyze-shards"
    RECORDS = {"pairs": ShardPair, "systems": ShardSystem, "effects": VarianceRow}

    convention: Convention
    """The convention of the values."""
    measure: Measure
    """The measure."""
    alpha: float = field(json=_SHARE)
    """The family-wise error rate; the level of the intervals is 1 - alpha."""
    shards: tuple[str, ...]
    """The names of the parts of the corpus."""
    seed: int | None = None
    """The random seed of the parts; None if they were given."""
    empty: str = field(json={"enum": list(EMPTY_SHARDS)})
    """What represents a query in a shard without relevant documents of it."""
    queries: int
    """The number of queries."""
    left_out: int
    """The number of queries left out: without a relevant document, without a value for some system,
    or under ``skip`` without a relevant document in some shard."""
    empty_cells: int
    """The number of queries and shards without relevant documents, among those used."""
    pairs: tuple[ShardPair, ...]
    """The compared pairs."""
    systems: tuple[ShardSystem, ...]
    """The systems."""
    effects: tuple[VarianceRow, ...]
    """The analysis of variance."""

    def _heading(self) -> list[str]:
        beyond = [pair for pair in self.pairs if pair.verdict in SIGNIFICANT]
        of = (
            f"{len(beyond)} of {len(self.pairs)} differences"
            if self.pairs[1:]
            else "The difference"
        )
        if not self.pairs[1:]:
            of += " is" if beyond else " is not"
        else:
            of += " is" if len(beyond) == 1 else " are"
        return [f"{of} statistically significant for other queries and documents like these."]

    def tables(self) -> list[PrintedTable]:
        """Return the pairs, the systems, and the analysis of variance."""
        labels = {"level": f"{100 * (1 - self.alpha):g}%"}
        title = f"{self.measure!r}, {self.queries:,} queries, {len(self.shards)} shards"
        return [
            table_of(self.pairs, "pairs", title=title, labels=labels, notes=list(self._notes())),
            table_of(self.systems, "systems", title="Means"),
            table_of(
                self.effects,
                "effects",
                title="Analysis of variance",
                notes=[
                    Note(
                        "residual",
                        "F has the residual as its error: that of system is about these queries and"
                        " shards only.",
                    ),
                    Note("convention", str(self.convention)),
                ],
            ),
        ]

    def _notes(self) -> Iterator[Note]:
        yield Note(
            "intervals",
            "The intervals are over queries and documents, and simultaneous for all pairs.",
        )
        errors = [pair.query_error for pair in self.pairs]
        low, high = digits(min(errors)), digits(max(errors))
        yield Note(
            "errors",
            f"Standard errors of a difference: {low if low == high else f'{low} to {high}'} over"
            f" queries, {digits(max(pair.shard_error for pair in self.pairs))} over documents.",
        )
        if self.left_out:
            yield Note("queries", f"Queries left out: {self.left_out:,}.")
        if self.empty_cells:
            cells = self.queries * len(self.shards)
            yield Note(
                "empty",
                f"{self.empty_cells:,} of {cells:,} values lack a relevant document in the shard;"
                f" instead: {EMPTY_SHARDS[self.empty]}.",
            )
        cut = [system.system for system in self.systems if system.short_lists > _SHORT]
        if cut:
            yield Note(
                "depth",
                f"Not comparable: {names_shown(cut)}. Their lists end before the cutoff in the"
                " shards, though not on the whole corpus. Use deeper runs or fewer shards.",
            )

    def __repr__(self) -> str:
        return (
            f"<ShardAnalysis of {self.measure!r}: {len(self.systems)} systems,"
            f" {len(self.shards)} shards>"
        )


@show_progress(Bar)
@suggest_keywords
def analyze_shards(
    qrels: QrelsLike,
    runs: Runs,
    measure: Measure | str | None = None,
    *,
    shards: Shards = 5,
    baseline: str | Sequence[str] | None = None,
    empty: str = "mean",
    alpha: float = 0.05,
    convention: Convention | str = "gainful-1",
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> ShardAnalysis:
    """Test whether differences hold for other documents, by parts of the corpus.

    Parameters
    ----------
    qrels
        The judgments, as for `gainful.evaluate`.
    runs
        Two or more runs, as for `gainful.evaluate`. Each needs more documents than the cutoff of
        the measure times the number of shards.
    measure : Measure or str, optional
        The measure. Default: nDCG@10, or that which the convention is verified for.
    shards : int, mapping or path
        The number of random parts, from 2 to 100, or the shard of each document: a mapping, or a
        file with columns document and class.
    baseline : str or sequence of str, optional
        The system or systems to compare the others with, each on the queries that count for both.
        Default: compare all pairs, each system with those before it, on the queries that count for
        all systems, so that ranks, means and differences agree.
    empty : {"mean", "zero", "skip"}
        For a query without relevant documents in a shard: the mean of its other shards, 0, or the
        query is left out.
    alpha : float, default 0.05
        The family-wise error rate.
    convention : Convention or str
        The policies, or the name of a preset.
    seed : int
        The random seed. The result does not depend on the number of threads.
    threads : int, optional
        Number of threads.
    progress : callable, optional
        As for `gainful.evaluate`, called after each shard.

    Returns
    -------
    ShardAnalysis
        Pairs with intervals over queries and documents, and the analysis of variance.

    Raises
    ------
    ParameterError
        For a value out of range, or fewer than two systems.
    MatchError
        If a document has no shard, or fewer than two queries remain.
    MeasureError
        For a geometric mean, or a measure of spans.
    GainfulError
        For input that cannot be read, matched or evaluated.

    Notes
    -----
    Each shard is evaluated as a corpus of its own: the judgments and rankings without the other
    documents. See `gainful.inference.shard_differences` and `gainful.inference.shard_anova`.

    Examples
    --------
    >>> import gainful
    >>> result = gainful.analyze_shards("qrels.txt", ["bm25.run", "dense.run"], shards=2)
    >>> [(row.source, row.df) for row in result.effects][:4]
    [('query', 4), ('system', 1), ('shard', 1), ('query × system', 4)]
    """
    ANY_ALPHA.check(alpha)
    if empty not in EMPTY_SHARDS:
        raise ParameterError(where="empty", found=repr(empty), expected=" or ".join(EMPTY_SHARDS))
    policies = get(convention)
    chosen = choose_measure(measure, policies)
    if chosen.aggregate == "geometric" or chosen.declaration.judgments == "spans":
        kind = "a measure of spans" if chosen.aggregate != "geometric" else "a geometric mean"
        raise MeasureError(f"{kind} cannot be computed by shard", where=repr(chosen))
    judged = judgments_for([chosen], qrels, duplicates=policies.duplicates)
    ranked = {
        name: as_run(run, duplicates="count")
        for name, run in named_runs(runs, None, threads=threads, progress=None).items()
    }
    systems = list(ranked)
    check_systems(systems)
    couples = list_couples(systems, check_baselines(baseline, systems))
    named, of_document = _assign(shards, seed, judged, ranked)
    values, whole, short = _measure(
        judged, ranked, chosen, policies, named, of_document, threads, progress
    )
    return _analyze(
        values,
        whole,
        couples,
        {
            "convention": policies,
            "measure": chosen,
            "alpha": alpha,
            "shards": tuple(named),
            "seed": seed if isinstance(shards, int) else None,
            "empty": empty,
        },
        dict(zip(systems, short, strict=True)),
    )


def _assign(
    shards: Shards, seed: int, judged: Qrels, runs: Mapping[str, Run]
) -> tuple[list[str], Callable[[str], str]]:
    """Return the names of the shards, and a function from a document to its shard."""
    if isinstance(shards, int) and not isinstance(shards, bool):
        if not 2 <= shards <= _MOST_SHARDS:
            raise ParameterError(
                where="shards", found=str(shards), expected=f"a number from 2 to {_MOST_SHARDS}"
            )
        number = shards

        def draw(document: str) -> str:
            digest = blake2b(
                f"{seed}\t{document}".encode("utf-8", "surrogateescape"), digest_size=8
            )
            return str(int.from_bytes(digest.digest(), "big") % number + 1)

        return [str(place + 1) for place in range(number)], draw
    if isinstance(shards, Mapping):
        known = {str(document): str(shard) for document, shard in shards.items()}
    elif isinstance(shards, (str, PathLike)):
        known = read_document_classes(fspath(shards))
    else:
        raise ArgumentError(
            where="shards",
            found=type(shards).__name__,
            expected="a number, a mapping of documents to shards, or a file",
        )
    documents = {
        document
        for table in (judged, *runs.values())
        for query in table
        for document in _ids(table, query)
    }
    lacking = sorted(documents - known.keys())
    if lacking:
        raise MatchError(
            f"{len(lacking):,} of {len(documents):,} documents have no shard, such as {lacking[0]}",
            where="shards",
        )
    names = sorted({known[document] for document in documents})
    if not 2 <= len(names) <= _MOST_SHARDS:
        raise ParameterError(
            where="shards",
            found=f"{len(names)} shards of the documents",
            expected=f"2 to {_MOST_SHARDS}",
        )
    return names, known.__getitem__


def _ids(table: RowTable, query: str) -> Iterator[str]:
    """Yield the documents of a query."""
    documents = kernel_rows(table).documents(query)
    yield from documents or ()


def _measure(
    judged: Qrels,
    runs: Mapping[str, Run],
    measure: Measure,
    policies: Convention,
    shards: Sequence[str],
    shard_of: Callable[[str], str],
    threads: int | None,
    progress: Callable[[int, int], object] | None,
) -> tuple[Floats, Floats, list[float]]:
    """Return values by query, system and shard, on the whole corpus, and shares of short lists.

    A value is NaN if the shard has no relevant document of the query.
    """
    import numpy as np

    cutoff = measure.cutoff or 0
    rules = policies.replace(no_relevant="nan")
    evaluation = evaluate_runs(judged, runs, measure, rules, threads=threads)
    columns = [evaluation.per_query(measure, system) for system in runs]
    queries = [query for query in columns[0] if all(query in column for column in columns)]
    whole = np.array([[column[query] for column in columns] for query in queries])
    places: dict[str, dict[str, list[str]]] = {}
    short: dict[str, float] = {}
    for name, table in [("", judged), *runs.items()]:
        ended = 0
        for query in queries:
            by_shard: dict[str, list[str]] = {shard: [] for shard in shards}
            for document in _ids(table, query) if query in table else ():
                by_shard[shard_of(document)].append(document)
            sizes = [len(documents) for documents in by_shard.values()]
            ended += sum(size < cutoff <= sum(sizes) for size in sizes)
            known = places.setdefault(query, {shard: [] for shard in shards})
            for shard, documents in by_shard.items():
                known[shard] += documents
        short[name] = ended / max(len(queries) * len(shards), 1)
    values = np.full((len(queries), len(runs), len(shards)), np.nan)
    rules = rules.replace(missing="empty")
    for place, shard in enumerate(shards):
        others = [
            (query, document)
            for query, by_shard in places.items()
            for other, documents in by_shard.items()
            if other != shard
            for document in documents
        ]
        part = SelectedInputs(judged, rules, queries=queries, exclude=others)
        ranked = {name: part.select(name, run) for name, run in runs.items()}
        evaluation = evaluate_runs(part.judgments, ranked, measure, rules, threads=threads)
        for column, system in enumerate(runs):
            numbers = evaluation.per_query(measure, system)
            values[:, column, place] = [numbers.get(query, np.nan) for query in queries]
        if progress is not None:
            progress(place + 1, len(shards))
    return values, whole, [short[system] for system in runs]


def _analyze(
    values: Floats,
    whole: Floats,
    couples: Sequence[tuple[int, int]],
    facts: dict[str, Any],
    short: Mapping[str, float],
) -> ShardAnalysis:
    import numpy as np

    from gainful.inference import shard_anova, shard_differences

    systems, total, empty = list(short), len(values), facts["empty"]
    lacking = np.asarray(np.isnan(values).any(axis=1))
    gone = np.asarray(lacking.any(axis=1) if empty == "skip" else lacking.all(axis=1))
    kept = ~gone & np.isfinite(whole).all(axis=1)
    values, whole, lacking = values[kept], whole[kept], lacking[kept]
    if len(values) < 2:
        raise MatchError(
            f"{len(values)} of {total} queries have relevant documents in the shards",
            hint="use fewer shards",
        )
    if empty == "mean":
        means = np.nanmean(np.where(lacking[:, None], np.nan, values), axis=2, keepdims=True)
        values = np.where(lacking[:, None], means, values)
    else:
        values = np.where(lacking[:, None], 0.0, values)
    estimates = shard_differences(values, couples, level=1.0 - facts["alpha"])
    by_shard = values.mean(axis=0)
    return ShardAnalysis(
        **facts,
        queries=len(values),
        left_out=total - len(values),
        empty_cells=int(lacking.sum()),
        pairs=tuple(
            _pair(systems[system], systems[baseline], estimate, short)
            for (system, baseline), estimate in zip(couples, estimates, strict=True)
        ),
        systems=tuple(
            ShardSystem(
                system=system,
                whole=float(whole[:, column].mean()),
                mean=float(by_shard[column].mean()),
                lowest=float(by_shard[column].min()),
                highest=float(by_shard[column].max()),
                short_lists=short[system],
            )
            for column, system in enumerate(systems)
        ),
        effects=tuple(VarianceRow(**row._asdict()) for row in shard_anova(values)),
    )


def _pair(
    system: str, baseline: str, estimate: CrossedMean | None, short: Mapping[str, float]
) -> ShardPair:
    verdict, interval = "identical", None
    if estimate is not None:
        interval = Interval(estimate.low, estimate.high)
        verdict = "inconclusive"
        if not interval.low <= 0.0 <= interval.high:
            verdict = "better" if estimate.mean > 0.0 else "worse"
    if max(short[system], short[baseline]) > _SHORT:
        verdict = "not comparable"
    return ShardPair(
        system=system,
        baseline=baseline,
        difference=estimate.mean if estimate else 0.0,
        interval=interval,
        query_error=estimate.query_error if estimate else 0.0,
        shard_error=estimate.rater_error if estimate else 0.0,
        verdict=verdict,
    )
