"""Sample labels of unjudged documents, and compute means over the samples."""

from __future__ import annotations

from gainful import _kernel
from gainful.conventions import Convention, get
from gainful.data.table import kernel_rows
from gainful.errors import GainfulError, GradeError, ParameterError
from gainful.evaluation.arguments import add_convention_context, named_runs
from gainful.evaluation.call import LoadedInputs, evaluate_runs
from gainful.evaluation.notes import describe_convention
from gainful.evaluation.summary_tables import format_figure, round_sum
from gainful.formats.numbers import percent
from gainful.formats.table import Column, Note, Table
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measures
from gainful.parameters import COUNT
from gainful.parameters.comparing import SEED
from gainful.progress import Bar, show_progress
from gainful.records import Interval, Record, as_columns, derived, field
from gainful.records.tables import columns_of, table_of_columns
from gainful.results import Records, Result
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Literal

    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.evaluation import Evaluation
    from gainful.measures import Measure

__all__ = ["LabelSamples", "SampledMean", "describe_samples", "interval_heading", "sample_labels"]

PRIORS = ("run", "pool")

#: Maximum number of values, over all queries and samples: 2 GiB of memory.
_MOST = 2**28

#: A mean without queries is NaN, which JSON does not have.
_NUMBER = {"type": ["number", "null"]}


class SampledMean(Record):
    """The distribution of a mean over sampled labels."""

    value: float = field(tables="samples", label="mean", show=format_figure, json=_NUMBER)
    """The mean of `evaluate`, with unjudged documents not relevant."""
    mean: float = field(tables="samples systems", label="sampled", json=_NUMBER)
    """The mean of the samples."""
    interval: Interval = field(tables="samples systems", label="{draws}", json=_NUMBER)
    """The interval of the middle 95% of the samples, or of `LabelSamples.level`."""
    judged: float | None = field(tables="samples", show=percent, json={"minimum": 0, "maximum": 1})
    """The share of the top k with a judgment."""


class LabelSamples(Result):
    """Means of systems over sampled labels of their unjudged documents.

    Examples
    --------
    >>> import gainful
    >>> drawn = gainful.sample_labels("qrels.txt", "dense.run", "nDCG@10")
    >>> one = drawn.summary()
    >>> round(one.value, 3), round(one.mean, 3), [round(end, 3) for end in one.interval]
    (0.758, 0.758, [0.758, 0.758])
    """

    RECORDS = {"means": None}

    evaluation: Evaluation = field(key="")
    """The evaluation without labels."""
    prior: str | dict[float, float] = field(key="")
    """The probability of each grade."""
    _prior: Literal["run", "pool"] | dict[str, float] = derived(
        lambda drawn: (
            drawn.prior
            if isinstance(drawn.prior, str)
            else {f"{grade:g}": share for grade, share in drawn.prior.items()}
        ),
        key="prior",
    )
    """``run``, ``pool``, or the probabilities by grade."""
    samples: int = field(json={"minimum": 1})
    """The number of labelings."""
    seed: int
    """The random seed."""
    level: float = field(json={"minimum": 0, "maximum": 1})
    """The level of the intervals."""
    systems: dict[str, dict[str, SampledMean]] = derived(
        lambda drawn: {
            system: {
                repr(measure): drawn.summary(measure, system)
                for measure in drawn.evaluation.measures
            }
            for system in drawn.evaluation.systems
        }
    )
    """The means by system and measure."""
    _means: dict[str, list[list[float]]]

    def means(self, measure: Measure | str | None = None, system: str | None = None) -> list[float]:
        """Return the mean under each labeling, in the order of the samples.

        If two systems retrieve a document, its labels in both come from the same random number.
        They are equal if the probabilities are, as with ``prior="pool"``.
        """
        index = self.evaluation.index_of(measure)
        self.evaluation.table_of(system)
        return self._means[system or self.evaluation.systems[0]][index]

    def summary(
        self, measure: Measure | str | None = None, system: str | None = None
    ) -> SampledMean:
        """Return the mean of the samples and the interval of their middle."""
        plain = self.evaluation.summary(measure, system)
        means = sorted(self.means(measure, system))
        tail = (1 - self.level) / 2
        return SampledMean(
            value=plain.value,
            mean=sum(means) / len(means),
            interval=Interval(_quantile(means, tail), _quantile(means, 1 - tail)),
            judged=plain.judged,
        )

    def tables(self) -> list[Table]:
        """Return the means without and with sampled labels as a table."""
        return [_samples_table(self)]

    def _records(self, name: str) -> Records:
        systems = self.systems
        pairs = [(system, measure) for system, means in systems.items() for measure in means]
        return {
            "system": [system for system, _ in pairs],
            "measure": [measure for _, measure in pairs],
            **as_columns(SampledMean, [systems[system][measure] for system, measure in pairs]),
        }

    def __repr__(self) -> str:
        return f"<LabelSamples of {', '.join(self.evaluation.systems)}: {self.samples} labelings>"


@show_progress(Bar)
@suggest_keywords
def sample_labels(
    qrels: QrelsLike,
    run: RunLike | None = None,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    runs: Mapping[str, RunLike] | None = None,
    convention: Convention | str = "gainful-1",
    prior: str | Mapping[float, float] = "run",
    samples: int = 1_000,
    level: float = 0.95,
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> LabelSamples:
    """Sample labels of the unjudged documents, and evaluate with each sample.

    Labels of unjudged documents above the measure's cutoff are sampled independently, and the ideal
    is recomputed. If the prior is right, the spread of the means shows how much depends on missing
    labels. It does not cover new queries.

    Parameters
    ----------
    qrels, run, runs, measures, convention, weights, threads, progress
        As for `gainful.evaluate`, for measures with bounds. Default: nDCG@10, or what the
        convention is verified for.
    prior : {"run", "pool"} or mapping of float to float
        The probability of each grade, by query. ``"pool"``: the frequencies among all judged
        documents of the query. ``"run"``: the frequencies among the run's judged documents above
        the cutoff, with the pool added as one more document. Or the probabilities by grade.
    samples : int
        The number of labelings.
    level : float
        The level of the interval.
    seed : int
        The random seed. The samples do not depend on the number of threads.

    Returns
    -------
    LabelSamples
        The means and their intervals.

    Raises
    ------
    GradeError
        If no document is judged as not relevant: then the probability of relevance is unknown.
    GainfulError
        As for `evaluate`; and for measures and policies without bounds.

    References
    ----------
    M. Fröbe, L. Gienapp, M. Potthast, M. Hagen: Bootstrapped nDCG Estimation in the Presence of
    Unjudged Documents. ECIR 2023. Adding the pool as one document to the prior of a run is ours.

    Examples
    --------
    >>> import gainful
    >>> qrels = {"q": {"a": 1, "b": 0, "c": 0, "d": 1}}
    >>> drawn = gainful.sample_labels(qrels, {"q": ["a", "x"]}, "P@2", prior={0: 0.75, 1: 0.25})
    >>> drawn.summary().value, round(drawn.summary().mean, 1)
    (0.5, 0.6)
    """
    if not 0 < level < 1:
        raise ParameterError(where="level", found=repr(level), expected="a number between 0 and 1")
    samples = COUNT.check(samples, "samples")
    seed = SEED.check(seed)
    shares = _check_prior(prior)
    policies = get(convention)
    chosen = choose_measures(measures, policies)
    try:
        named = named_runs(run, runs)
        loaded = LoadedInputs(
            qrels, None, named, chosen, [policies], threads=threads, progress=progress
        )
        judged = loaded.qrels
        _check_size(samples, len(judged) * len(chosen))
        if isinstance(shares, str) and len(kernel_rows(judged).at_least(5e-324)) == len(
            kernel_rows(judged)
        ):
            raise GradeError(
                where="the judgments",
                found="no document judged as not relevant",
                expected="some, to estimate the probability of relevance",
                hint="set the probabilities, as in prior={0: 0.9, 1: 0.1}",
            )
        evaluation = evaluate_runs(
            judged,
            loaded.runs,
            chosen,
            policies,
            weights=weights,
            threads=threads,
            progress=progress,
        )
        kernels = [(repr(measure), *measure.spec(policies)) for measure in chosen]
        means = {}
        for name, one in loaded.runs.items():
            ids = evaluation.kernel_tables[name].query_ids()
            if weights is not None:
                # A summary checks that all queries have weights.
                evaluation.summary(chosen[0], name)
            means[name] = _kernel.sample_labels(
                kernel_rows(judged),
                kernel_rows(one),
                policies.spec(),
                kernels,
                shares if isinstance(shares, str) else list(shares.items()),
                samples,
                seed,
                weights=None if weights is None else [float(weights[query]) for query in ids],
                threads=thread_count(threads),
                report=progress,
            )
            _replace_by_sums(means[name], chosen, len(ids))
    except GainfulError as error:
        raise add_convention_context(error, policies) from None
    return LabelSamples(
        evaluation=evaluation, _means=means, prior=shares, samples=samples, seed=seed, level=level
    )


def _check_size(samples: int, values: int) -> None:
    """Reject more values than fit into memory."""
    most = _MOST // max(values, 1)
    if samples > most:
        raise ParameterError(
            where="samples",
            found=f"{samples:,}",
            expected=f"at most {most:,} for this number of queries and measures",
        )


def _replace_by_sums(means: list[list[float]], measures: tuple[Measure, ...], queries: int) -> None:
    """Replace the means of counting measures by sums."""
    for index, measure in enumerate(measures):
        if measure.aggregate == "sum":
            means[index] = [float(round(mean * queries)) for mean in means[index]]


def _check_prior(prior: str | Mapping[float, float]) -> str | dict[float, float]:
    if isinstance(prior, str):
        if prior not in PRIORS:
            raise ParameterError(
                where="prior",
                found=repr(prior),
                expected="'run', 'pool', or probabilities by grade, as {0: 0.9, 1: 0.1}",
            )
        return prior
    shares = {float(grade): float(share) for grade, share in sorted(prior.items())}
    if not shares or not all(share >= 0 for share in shares.values()):
        raise ParameterError(
            where="prior", found=repr(dict(prior)), expected="a probability for each grade"
        )
    if abs(sum(shares.values()) - 1) > 1e-9:
        raise ParameterError(
            where="prior",
            found=f"probabilities that sum to {sum(shares.values()):g}",
            expected="a sum of 1",
        )
    return shares


def _quantile(ordered: list[float], share: float) -> float:
    """Return a quantile by linear interpolation."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _samples_table(drawn: LabelSamples) -> Table:
    """Return one row per system and measure: means without and with sampled labels."""
    evaluation = drawn.evaluation
    pairs = [(system, measure) for system in evaluation.systems for measure in evaluation.measures]
    means = []
    for system, measure in pairs:
        mean = drawn.summary(measure, system)
        means.append(mean.replace(value=round_sum(mean.value, measure.aggregate == "sum")))
    columns: list[tuple[Column, list[object]]] = [
        (Column("measure"), [repr(measure) for _, measure in pairs]),
        *columns_of(means, "samples", labels={"draws": interval_heading(drawn)}),
    ]
    if len(evaluation.systems) > 1:
        columns.insert(0, (Column("system"), [system for system, _ in pairs]))
    return table_of_columns(
        columns,
        title="" if len(evaluation.systems) > 1 else evaluation.systems[0],
        notes=[
            Note("mean", describe_samples(drawn)),
            Note("convention", describe_convention(evaluation)),
        ],
    )


def interval_heading(drawn: LabelSamples) -> str:
    """Return the heading of the intervals of the samples."""
    return f"{drawn.level:.0%} of samples"


def describe_samples(drawn: LabelSamples) -> str:
    """Return a sentence on the number of samples and their prior."""
    priors = {
        "run": "with the grade frequencies of the judged documents in the run",
        "pool": "with the grade frequencies of all judged documents of the query",
    }
    if isinstance(drawn.prior, str):
        prior = priors[drawn.prior]
    else:
        prior = "with P(grade) " + ", ".join(f"{g:g}: {p:g}" for g, p in drawn.prior.items())
    count = drawn.samples
    labelings = "1 random labeling" if count == 1 else f"{count:,} random labelings"
    return (
        f"sampled: mean over {labelings} of the documents above the cutoff, {prior} (random seed"
        f" {drawn.seed})."
    )
