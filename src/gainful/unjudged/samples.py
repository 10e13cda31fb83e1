"""Means over labels that are drawn at random for the documents that nobody judged."""

from __future__ import annotations

from dataclasses import KW_ONLY, asdict, dataclass

from gainful import _kernel
from gainful.conventions import Convention, get
from gainful.errors import GainfulError, GradeError, ParameterError
from gainful.evaluation.arguments import named_runs
from gainful.evaluation.call import evaluate_runs
from gainful.evaluation.error_context import add_convention_context
from gainful.evaluation.loaded import LoadedInputs
from gainful.measures.choosing import choose_measures
from gainful.results import Records, Result, as_records
from gainful.threads import thread_count
from gainful.unjudged.rendering import samples_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.evaluation import Evaluation
    from gainful.formats.table import Table
    from gainful.measures import Measure

__all__ = ["LabelSamples", "SampledMean", "sample_labels"]

PRIORS = ("run", "pool")

#: Values of queries, over all draws, in memory at once: 2 GiB.
_MOST = 2**28


@dataclass(frozen=True, slots=True)
class SampledMean:
    """What a mean is over drawn labels.

    Attributes
    ----------
    value : float
        The mean as `evaluate` has it, the unjudged documents not relevant.
    mean : float
        The mean of the samples.
    low, high : float
        Between them lie the middle 95% of the samples, or as many as `LabelSamples.level` says.
    judged : float or None
        The share of the documents above the cutoff that are judged.
    """

    value: float
    mean: float
    low: float
    high: float
    judged: float | None


@dataclass(frozen=True, eq=False)
class LabelSamples(Result):
    """Means of systems over labels that were drawn for the unjudged documents.

    Attributes
    ----------
    evaluation : Evaluation
        Without labels.
    prior : str or dict of float to float
        How likely each grade was.
    samples, seed : int
        How many labellings were drawn, and from what they follow.
    level : float
        Of the intervals.

    Examples
    --------
    >>> import gainful
    >>> drawn = gainful.sample_labels("qrels.txt", "dense.run", "nDCG@10")
    >>> one = drawn.summary()
    >>> round(one.value, 3), round(one.mean, 3), round(one.low, 3), round(one.high, 3)
    (0.758, 0.758, 0.758, 0.758)
    """

    RECORDS = ("means",)

    evaluation: Evaluation
    _means: dict[str, list[list[float]]]
    _: KW_ONLY
    prior: str | dict[float, float]
    samples: int
    seed: int
    level: float

    def means(self, measure: Measure | str | None = None, system: str | None = None) -> list[float]:
        """Return the mean over the queries under each labelling, in the order of the draws.

        Where two systems retrieve one document, the same draw decides its label in both; it is the
        same label where its grades are equally likely, as with ``prior="pool"``.
        """
        index = self.evaluation._measure(measure)
        self.evaluation._table(system)
        return self._means[system or self.evaluation.systems[0]][index]

    def summary(
        self, measure: Measure | str | None = None, system: str | None = None
    ) -> SampledMean:
        """Return the mean of the samples and the interval that holds their middle."""
        plain = self.evaluation.summary(measure, system)
        means = sorted(self.means(measure, system))
        tail = (1 - self.level) / 2
        return SampledMean(
            value=plain.value,
            mean=sum(means) / len(means),
            low=_quantile(means, tail),
            high=_quantile(means, 1 - tail),
            judged=plain.judged,
        )

    def to_dict(self) -> dict[str, object]:
        """Return the figures, by system and measure."""
        prior = self.prior
        return {
            "prior": prior if isinstance(prior, str) else {f"{g:g}": p for g, p in prior.items()},
            "samples": self.samples,
            "seed": self.seed,
            "level": self.level,
            "systems": {
                system: {
                    repr(measure): asdict(self.summary(measure, system))
                    for measure in self.evaluation.measures
                }
                for system in self.evaluation.systems
            },
        }

    def tables(self) -> list[Table]:
        """Return the means without labels and over drawn ones as a table."""
        return [samples_table(self)]

    def _records(self, name: str) -> Records:
        names = ("system", "measure", "value", "mean", "low", "high", "judged")
        return as_records(
            names,
            [
                (system, repr(measure), one.value, one.mean, one.low, one.high, one.judged)
                for system in self.evaluation.systems
                for measure in self.evaluation.measures
                for one in (self.summary(measure, system),)
            ],
        )

    def __repr__(self) -> str:
        return f"<LabelSamples of {', '.join(self.evaluation.systems)}: {self.samples} labellings>"


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
    """Draw labels for the unjudged documents again and again, and measure with each.

    The labels of the documents that stand above the measure's cutoff and that nobody judged are
    drawn, independently of each other; the ideal is made anew with them. The spread of the means
    says how much depends on labels that nobody gave, if the prior is right. It says nothing of new
    queries.

    Parameters
    ----------
    qrels, run, runs, measures, convention, weights, threads, progress
        As `gainful.evaluate` has them. The measures are those that have bounds.
        Default: nDCG@10, or what the convention is verified for.
    prior : {"run", "pool"} or mapping of float to float
        How likely each grade is, query by query. ``"pool"``: as often as among all that is judged
        for the query. ``"run"``: as often as among what the run itself has above the cutoff and is
        judged, with all that is judged for the query together as one document more, so that there
        is a prior where nothing is judged above the cutoff. Or grades with probabilities.
    samples : int
        How many labellings are drawn.
    level : float
        Of the interval.
    seed : int
        The draws follow from it, and do not depend on threads.

    Returns
    -------
    LabelSamples
        The means, and their interval.

    Raises
    ------
    GradeError
        If no document is judged as not relevant: such judgments do not say how likely it is that an
        unjudged one is relevant.
    GainfulError
        As `evaluate`; for measures and policies without bounds.

    References
    ----------
    M. Fröbe, L. Gienapp, M. Potthast, M. Hagen: Bootstrapped nDCG Estimation in the Presence of
    Unjudged Documents. ECIR 2023. That a query's pool counts as one document in the prior of a run
    is ours.

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
    if type(samples) is not int or samples < 1:
        raise ParameterError(
            where="samples", found=repr(samples), expected="a whole number, at least 1"
        )
    if type(seed) is not int or not 0 <= seed < 2**64:
        raise ParameterError(
            where="seed", found=repr(seed), expected="a whole number from 0 to 2^64 - 1"
        )
    own = _checked_prior(prior)
    policies = get(convention)
    chosen = choose_measures(measures, policies)
    try:
        named = named_runs(run, runs)
        loaded = LoadedInputs(
            qrels, None, named, chosen, [policies], threads=threads, progress=progress
        )
        judged = loaded.qrels
        _refuse_too_many(samples, len(judged) * len(chosen))
        if isinstance(own, str) and len(judged._rows.at_least(5e-324)) == len(judged._rows):
            raise GradeError(
                where="the judgments",
                found="not one document that is judged as not relevant",
                expected="some, to tell how likely a document is relevant",
                hint="prior={0: 0.9, 1: 0.1} says it by itself",
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
            ids = evaluation._tables[name].query_ids()
            if weights is not None:
                # Weights that lack a query are found out when a mean is asked for.
                evaluation.summary(chosen[0], name)
            means[name] = _kernel.sample_labels(
                judged._rows,
                one._rows,
                policies.spec(),
                kernels,
                own if isinstance(own, str) else list(own.items()),
                samples,
                seed,
                weights=None if weights is None else [float(weights[query]) for query in ids],
                threads=thread_count(threads),
                report=progress,
            )
            _sums(means[name], chosen, len(ids))
    except GainfulError as error:
        raise add_convention_context(error, policies) from None
    return LabelSamples(evaluation, means, prior=own, samples=samples, seed=seed, level=level)


def _refuse_too_many(samples: int, values: int) -> None:
    """Refuse what would not fit into memory: each draw keeps the value of every query."""
    most = _MOST // max(values, 1)
    if samples > most:
        raise ParameterError(
            where="samples",
            found=f"{samples:,}",
            expected=f"at most {most:,} for so many queries and measures",
        )


def _sums(means: list[list[float]], measures: tuple[Measure, ...], queries: int) -> None:
    """Make sums of the means of measures that count."""
    for index, measure in enumerate(measures):
        if measure.aggregate == "sum":
            means[index] = [float(round(mean * queries)) for mean in means[index]]


def _checked_prior(prior: str | Mapping[float, float]) -> str | dict[float, float]:
    if isinstance(prior, str):
        if prior not in PRIORS:
            raise ParameterError(
                where="prior",
                found=repr(prior),
                expected="'run', 'pool', or probabilities by grade, as {0: 0.9, 1: 0.1}",
            )
        return prior
    own = {float(grade): float(share) for grade, share in sorted(prior.items())}
    if not own or not all(share >= 0 for share in own.values()):
        raise ParameterError(
            where="prior", found=repr(dict(prior)), expected="grades, each with its probability"
        )
    if abs(sum(own.values()) - 1) > 1e-9:
        raise ParameterError(
            where="prior",
            found=f"probabilities that sum to {sum(own.values()):g}",
            expected="a sum of 1",
        )
    return own


def _quantile(ordered: list[float], share: float) -> float:
    """Return a quantile, interpolated linearly between the two nearest."""
    at = share * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (at - below)
