"""The comparison of one system with another on one measure."""

from __future__ import annotations

from gainful.evaluation.predicted import show_rate
from gainful.formats.numbers import (
    chances,
    digits,
    places_adding_up,
    places_for,
    tallies,
    thousands,
    with_sign,
)
from gainful.records import Interval, Record, derived, field, swapped
from gainful.records.tables import table_of
from gainful.vocabulary import CORRECTIONS, PAIR_VERDICTS, SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gainful.formats.table import Table

__all__ = [
    "OPPOSITES",
    "Pair",
    "interval_places_of",
    "mirrored",
    "pair_table_of",
    "places_of",
    "verdict_text",
]

#: The verdicts of a pair with system and baseline swapped.
OPPOSITES = {"better": "worse", "worse": "better"}

_COUNT = {"minimum": 0}
_SHARE = {"minimum": 0, "maximum": 1}


def verdict_text(verdict: str, *, within_margin: bool, withheld: str | None = None) -> str:
    """Return a verdict as text, with the result of the test against the margin, or the reason.

    Examples
    --------
    >>> verdict_text("better", within_margin=True)
    'better, by less than the margin'
    """
    if within_margin and verdict in SIGNIFICANT:
        return f"{verdict}, by less than the margin"
    return verdict if withheld is None else f"{verdict}: {withheld}"


def _two_digits(value: float) -> str:
    return with_sign(value, 2)


def _chances(pair: Pair, prior: str) -> tuple[float, ...] | None:
    parts = (getattr(pair, f"{prior}_{name}") for name in ("better", "within", "worse"))
    return tuple(part for part in parts if part is not None) or None


class Pair(Record):
    """The comparison of two systems on the same queries, under one measure.

    A value that is not defined for the data is None: the interval of a single query, the effect
    size if all differences are equal, a test that was not requested.
    """

    COLUMNS = {
        "bayes": ("system baseline skeptical_better probability_better"),
        "details": (
            "system baseline p p_t p_wilcoxon p_sign p_bh p_equivalence_adjusted bca_interval "
            "effect effect_interval dominance detectable needed"
        ),
        "pairs": (
            "system baseline mean n difference interval p_adjusted p_all_pairs wins "
            "people_difference people_interval model_difference rate worth verdict"
        ),
    }

    system: str = field(mirror="baseline")
    """The system."""
    baseline: str = field(label="vs.", mirror="system")
    """The system that it is compared with."""
    measure: str
    """The measure as it was requested."""
    segment: str | None = None
    """The slice of the queries; None for all of them."""
    scale: str = field(default="linear", json={"enum": ["linear", "log"]})
    """The scale of differences, intervals and margins: log for geometric means (GMAP), whose
    systems are compared by the natural logarithms of their values; otherwise linear."""
    n: int = field(label="queries", page="", json={"minimum": 1})
    """Queries for which both have a value."""
    left_out: int = field(default=0, show=thousands, page="left out")
    """Queries with a value for one of them that do not count: only one of them has a value or,
    if all pairs are compared, another system has none."""
    effective: float | None = field(default=None, page="", json={"minimum": 1})
    """The effective number of queries or clusters, 1 / the sum of their squared shares of the
    weight; None if all have the same share."""
    mean: float = field(page="", mirror="baseline_mean")
    """The system's mean over the n queries."""
    baseline_mean: float = field(page="", mirror="mean")
    """The baseline's mean over the n queries."""
    difference: float = field(show=with_sign, page="", mirror="-")
    """The mean per-query difference, system minus baseline."""
    deviation: float | None = None
    """The standard deviation of the per-query differences, with n - 1."""
    interval: Interval | None = field(
        default=None,
        label="{level}",
        show=with_sign,
        around="difference",
        zero=True,
        page="",
        mirror="-",
    )
    """The simultaneous confidence interval of the difference, at level 1 - alpha. An end that
    is exactly 0 was set to 0 to agree with the verdict."""
    few_differences: bool = field(default=False, page="")
    """Whether the interval is unreliable because fewer than 10, and fewer than half, of the
    queries or clusters differ."""
    t_statistic: float | None = field(default=None, mirror="-")
    """The statistic of the paired t test."""
    df: float | None = None
    """Its degrees of freedom."""
    p_t: float | None = field(default=None, label="t test", priority=4)
    """Its p-value, two-sided."""
    t_interval: Interval | None = field(default=None, mirror="-")
    """Student's t interval, uncorrected."""
    bca_interval: Interval | None = field(
        default=None, label="{level} (BCa)", show=with_sign, mirror="-"
    )
    """The BCa bootstrap interval, uncorrected."""
    p: float = field(label="p (raw)", page="")
    """The two-sided p-value of the randomization test, without any correction."""
    exact: bool = False
    """Whether p enumerates all sign flips."""
    p_adjusted: float = field(label="{p}", priority=5, page="")
    """The p-value corrected for skewed differences and over the family, which decides the
    verdict."""
    correction: str = field(default="none", json={"enum": [*CORRECTIONS, "none"]})
    """The correction: holm, max-t, tukey (randomized Tukey HSD), or none for a family of one."""
    p_all_pairs: float | None = field(
        default=None,
        label="p (all pairs)",
        if_any=True,
        priority=4,
        page="p-value corrected over all pairs",
    )
    """The p-value corrected over all pairs of systems, if the baseline has the highest or the
    lowest mean of three or more systems; otherwise None."""
    p_bh: float = field(label="p (BH)")
    """The p-value corrected for skewed differences, and by Benjamini and Hochberg, which
    controls the false discovery rate."""
    p_wilcoxon: float | None = field(default=None, label="Wilcoxon")
    """The p-value of the Wilcoxon signed-rank test, if requested."""
    p_sign: float | None = field(default=None, label="sign test")
    """The p-value of the sign test, if requested."""
    effect: float | None = field(
        default=None, show=_two_digits, priority=2, page="effect size", page_digits=2, mirror="-"
    )
    """Hedges' d_z: the difference divided by the deviation, corrected for small samples."""
    effect_interval: Interval | None = field(
        default=None, label="{level}", show=_two_digits, priority=1, mirror="-"
    )
    """Its confidence interval, uncorrected."""
    dominance: float = field(
        show=_two_digits,
        priority=3,
        page="dominance",
        page_digits=2,
        mirror="-",
        json={"minimum": -1, "maximum": 1},
    )
    """(wins - losses) / n."""
    wins: int = field(
        label="wins / ties / losses",
        cell=lambda pair: (pair.wins, pair.ties, pair.losses),
        short="W / T / L",
        priority=2,
        page="",
        mirror="losses",
    )
    """Queries on which the system is better."""
    ties: int = field(page="")
    """Queries on which they are equal or differ by at most the tie margin."""
    losses: int = field(page="", mirror="wins")
    """Queries on which it is worse."""
    detectable: float | None = field(default=None, page="minimum detectable difference (80% power)")
    """The minimum detectable difference of the test with these queries (80% power)."""
    needed: int | None = field(default=None, label="queries needed", show=thousands, page="")
    """The number of queries required to detect a difference of detect, or else the margin (80%
    power). It does not depend on the observed difference."""
    p_equivalence: float | None = None
    """The p-value of two one-sided tests (TOST) with the margin, corrected for skewness."""
    p_equivalence_adjusted: float | None = field(default=None, label="TOST")
    """The same, corrected by Holm over the family."""
    skeptical_better: float | None = field(
        default=None,
        label="{chances}",
        show=chances,
        cell=lambda pair: _chances(pair, "skeptical"),
        page="P(better)",
        mirror="skeptical_worse",
        json=_SHARE,
    )
    """The posterior probability that the mean difference is above the margin, or above 0
    without one, if requested, under the skeptical prior, 25 queries of difference 0. It is not
    corrected for multiple comparisons."""
    skeptical_within: float | None = field(default=None, page="P(within the margin)", json=_SHARE)
    """The posterior probability that the mean difference is within the margin, under the
    skeptical prior."""
    skeptical_worse: float | None = field(
        default=None, page="P(worse)", mirror="skeptical_better", json=_SHARE
    )
    """The posterior probability that the mean difference is below -margin, under the skeptical
    prior."""
    probability_better: float | None = field(
        default=None,
        label="flat prior",
        show=chances,
        cell=lambda pair: _chances(pair, "probability"),
        page="P(better), flat prior",
        mirror="probability_worse",
        json=_SHARE,
    )
    """As skeptical_better, under the reference prior, which is flat. With few queries it is
    overconfident."""
    probability_within: float | None = field(default=None, page="", json=_SHARE)
    """As skeptical_within, under the reference prior."""
    probability_worse: float | None = field(
        default=None, page="", mirror="probability_better", json=_SHARE
    )
    """As skeptical_worse, under the reference prior."""
    people_difference: float | None = field(
        default=None,
        label="people only",
        show=with_sign,
        if_any=True,
        priority=6,
        page="difference by people only",
        mirror="-",
    )
    """With predictions, the mean difference by people only."""
    people_interval: Interval | None = field(
        default=None, label="{level}", show=with_sign, if_any=True, priority=3, mirror="-"
    )
    """Its simultaneous confidence interval."""
    model_difference: float | None = field(
        default=None,
        label="model only",
        show=with_sign,
        if_any=True,
        priority=6,
        page="difference by the model only",
        mirror="-",
    )
    """With predictions, the mean difference over all queries by the model only."""
    rate: float | None = field(
        default=None,
        label="λ",
        show=show_rate,
        if_any=True,
        priority=2,
        page="share of the model's differences used",
        page_digits=2,
    )
    """With predictions, how much of the model's differences is used; 0 for none."""
    worth: float | None = field(
        default=None,
        show=lambda value: f"{value:.0f}",
        if_any=True,
        priority=7,
        page="worth in human-judged queries",
        page_digits=0,
        json=_COUNT,
    )
    """With predictions, the number of human-judged queries that would give the same precision
    without the model."""
    worth_interval: Interval | None = field(default=None, json=_COUNT)
    """Its 95% confidence interval; None if the model is not used."""
    needed_without: int | None = field(default=None, json={"minimum": 1})
    """With predictions, the number of human-judged queries required without the model to detect
    a difference of detect, or else the margin (80% power); needed is the number with it, if the
    model judges as many times more queries as here."""
    judged_reason: str | None = field(
        default=None, json={"enum": ["", "few-errors", "few-values", "no-gain", None]}
    )
    """With predictions, why only people are used: few-errors if people and model disagree on
    fewer than 10 queries, few-values if fewer than 6 values of people differ from the most
    frequent one, no-gain if the model does not help; otherwise empty."""
    p_random: float | None = None
    """With predictions, the p-value of a test that the human-judged queries are a random sample
    of all queries, by the model's means and difference."""
    verdict: str = field(
        cell=lambda pair: pair.verdict_text, fit="whole", json={"enum": list(PAIR_VERDICTS)}
    )
    """Better, worse, equivalent, identical or inconclusive; or not comparable, if the systems
    return other chunks of the texts, or lists end before the budget."""
    withheld: str | None = None
    """Why the pair is not comparable; None for other pairs."""
    within_margin: bool = False
    """Whether the difference is significantly smaller than the margin."""
    verdict_text: str = derived(
        lambda pair: verdict_text(
            pair.verdict, within_margin=pair.within_margin, withheld=pair.withheld
        )
    )
    """The verdict as text: better, by less than the margin."""

    @property
    def change(self) -> tuple[float, float, float]:
        """The numbers that should add up in tables: both means and the difference.

        The difference of logarithms, or with predictions, is not that of the means; 0 takes the
        place of the baseline's.
        """
        if self.scale == "log" or self.rate is not None:
            return 0.0, self.difference, self.difference
        return self.baseline_mean, self.mean, self.difference


def interval_places_of(pairs: Sequence[Pair]) -> int:
    """Return how many digits show significant differences as nonzero."""
    return places_for((pair.change for pair in pairs if pair.verdict in SIGNIFICANT), 1e-12)


def places_of(pairs: Sequence[Pair]) -> int:
    """Return how many digits of means show differences, which should be those of the means."""
    return places_adding_up((pair.change for pair in pairs), interval_places_of(pairs))


def pair_table_of(
    pairs: Sequence[Pair], table: str, labels: Mapping[str, str], *, title: str = ""
) -> Table:
    """Return a table of pairs."""
    places, interval_places = places_of(pairs), interval_places_of(pairs)
    show = {
        "mean": lambda value: digits(value, places),
        "difference": lambda value: with_sign(value, places),
        "interval": lambda value: with_sign(value, interval_places),
        "wins": tallies([(pair.wins, pair.ties, pair.losses) for pair in pairs]),
    }
    return table_of(
        pairs, table, title=title, labels=labels, show=show, without_empty=table == "details"
    )


def mirrored(pair: Pair) -> Pair:
    """Return a pair with system and baseline swapped."""
    return swapped(pair, verdict=OPPOSITES.get(pair.verdict, pair.verdict))  # type: ignore[no-any-return]
