"""The comparison of one system with another on one measure."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from gainful.evaluation.predicted_tables import show_rate
from gainful.formats.numbers import (
    chances,
    digits,
    places_adding_up,
    places_for,
    probability,
    spans,
    tallies,
    thousands,
    with_sign,
)
from gainful.formats.table import ALWAYS, Column
from gainful.vocabulary import CORRECTIONS, PAIR_VERDICTS, SIGNIFICANT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = [
    "FIELDS",
    "Pair",
    "interval_places_of",
    "mirrored",
    "page_fields",
    "pair_columns",
    "pair_names",
    "pair_schema",
    "places_of",
    "verdict_text",
]


def verdict_text(verdict: str, *, within_margin: bool) -> str:
    """Return a verdict as text, with the result of the test against the margin."""
    if within_margin and verdict in SIGNIFICANT:
        return f"{verdict}, by less than the margin"
    return verdict


@dataclass(frozen=True, kw_only=True, slots=True)
class About:
    """Describe a field of `Pair` for tables, the JSON schema and the HTML report.

    Attributes
    ----------
    text : str
        A description, for the schema and the documentation.
    label : str
        The column heading; ``{level}`` and ``{p}`` depend on the comparison.
    pairs, details, bayes : int
        The column's position in the tables of pairs, details and probabilities; 0 if absent.
    value : callable, optional
        Return the column's value for a pair. Default: the field.
    show : callable
        Take all values of the column and the digits of means, differences or intervals; return the
        function that formats one value.
    optional : bool
        Whether the table of pairs leaves the column out if it is empty.
    short, priority, around
        As for `gainful.formats.table.Column`. Intervals of differences are drawn with 0.
    page : str or None
        The field's name in the HTML report; "" if only the report's sentences show it, None if the
        report leaves it out.
    page_digits : int
        The digits that the report shows.
    mirror : str
        The field that it becomes when system and baseline swap, with ``-`` if the sign changes.
    schema : mapping
        Further keywords of its JSON schema.
    """

    text: str
    label: str = ""
    pairs: int = 0
    details: int = 0
    bayes: int = 0
    value: Callable[[Pair], object] | None = None
    show: Callable[[list[Any], int], Callable[[Any], str]] | None = None
    optional: bool = False
    short: str = ""
    priority: int = ALWAYS
    around: str = ""
    page: str | None = None
    page_digits: int = 4
    mirror: str = ""
    schema: Mapping[str, object] = field(default_factory=dict)


def _mean(values: list[Any], places: int) -> Callable[[Any], str]:
    return lambda value: digits(value, places)


def _difference(values: list[Any], places: int) -> Callable[[Any], str]:
    return lambda value: with_sign(value, places)


def _interval(values: list[Any], places: int) -> Callable[[Any], str]:
    return spans(lambda value: with_sign(value, places))


def _always(show: Callable[[Any], str]) -> Callable[[list[Any], int], Callable[[Any], str]]:
    return lambda values, places: show


def _two_digits(value: float) -> str:
    return with_sign(value, 2)


def _chances(pair: Pair, prior: str) -> tuple[float, ...] | None:
    parts = (getattr(pair, f"{prior}_{name}") for name in ("better", "within", "worse"))
    return tuple(each for each in parts if each is not None) or None


_P = {"minimum": 0, "maximum": 1}


def _about(text: str, **more: Any) -> dict[str, About]:
    return {"about": About(text=text, **more)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """The comparison of two systems on the same queries, under one measure.

    A value that is not defined for the data is None: the interval of a single query, the effect
    size if all differences are equal, a test that was not requested.
    """

    system: str = field(
        metadata=_about(
            "The system.", label="system", pairs=10, details=10, bayes=10, mirror="baseline"
        )
    )
    baseline: str = field(
        metadata=_about(
            "The system that it is compared with.",
            label="vs.",
            pairs=20,
            details=20,
            bayes=20,
            mirror="system",
        )
    )
    measure: str = field(metadata=_about("The measure as it was requested."))
    segment: str | None = field(
        default=None, metadata=_about("The slice of the queries; null for all of them.")
    )
    scale: str = field(
        default="linear",
        metadata=_about(
            "The scale of differences, intervals and margins: log for geometric means (GMAP),"
            " whose systems are compared by the natural logarithms of their values; otherwise"
            " linear.",
            schema={"enum": ["linear", "log"]},
        ),
    )
    n: int = field(
        metadata=_about(
            "Queries for which both have a value.",
            label="queries",
            pairs=40,
            show=_always(str),
            schema={"minimum": 1},
            page="",
        )
    )
    left_out: int = field(
        default=0,
        metadata=_about(
            "Queries with a value for one of them that do not count: only one of them has a value"
            " or, if all pairs are compared, another system has none.",
            page="left out",
            show=_always(thousands),
            schema={"minimum": 0},
        ),
    )
    effective: float | None = field(
        default=None,
        metadata=_about(
            "The effective number of queries or clusters, 1 / the sum of their squared shares of"
            " the weight; null if all have the same share.",
            schema={"minimum": 1},
            page="",
        ),
    )
    mean: float = field(
        metadata=_about(
            "The system's mean over the n queries.",
            label="mean",
            pairs=30,
            show=_mean,
            mirror="baseline_mean",
            page="",
        )
    )
    baseline_mean: float = field(
        metadata=_about("The baseline's mean over the n queries.", mirror="mean", page="")
    )
    difference: float = field(
        metadata=_about(
            "The mean per-query difference, system minus baseline.",
            label="difference",
            pairs=50,
            show=_difference,
            mirror="-difference",
            page="",
        )
    )
    deviation: float | None = field(
        default=None,
        metadata=_about("The standard deviation of the per-query differences, with n - 1."),
    )
    low: float | None = field(
        default=None,
        metadata=_about(
            "The lower end of the simultaneous confidence interval of the difference, at level"
            " 1 - alpha. An end that is exactly 0 was set to 0 to agree with the verdict.",
            label="{level}",
            pairs=60,
            value=lambda pair: (pair.low, pair.high),
            show=_interval,
            around="difference",
            mirror="-high",
            page="",
        ),
    )
    high: float | None = field(
        default=None, metadata=_about("Its upper end.", mirror="-low", page="")
    )
    few_differences: bool = field(
        default=False,
        metadata=_about(
            "Whether the interval is unreliable because fewer than 10, and fewer than half, of the"
            " queries or clusters differ.",
            page="",
        ),
    )
    t_statistic: float | None = field(
        default=None,
        metadata=_about("The statistic of the paired t test.", mirror="-t_statistic"),
    )
    df: float | None = field(default=None, metadata=_about("Its degrees of freedom."))
    p_t: float | None = field(
        default=None,
        metadata=_about(
            "Its p-value, two-sided.",
            label="t test",
            details=40,
            show=_always(probability),
            priority=4,
        ),
    )
    t_low: float | None = field(
        default=None,
        metadata=_about("The lower end of Student's t interval, uncorrected.", mirror="-t_high"),
    )
    t_high: float | None = field(default=None, metadata=_about("Its upper end.", mirror="-t_low"))
    bca_low: float | None = field(
        default=None,
        metadata=_about(
            "The lower end of the BCa bootstrap interval, uncorrected.",
            label="{level} (BCa)",
            details=90,
            value=lambda pair: (pair.bca_low, pair.bca_high),
            show=_always(spans(with_sign)),
            mirror="-bca_high",
        ),
    )
    bca_high: float | None = field(
        default=None, metadata=_about("Its upper end.", mirror="-bca_low")
    )
    p: float = field(
        metadata=_about(
            "The two-sided p-value of the randomization test, without any correction.",
            label="p (raw)",
            details=30,
            show=_always(probability),
            schema=_P,
            page="",
        )
    )
    exact: bool = field(default=False, metadata=_about("Whether p enumerates all sign flips."))
    p_adjusted: float = field(
        metadata=_about(
            "The p-value corrected for skewed differences and over the family, which decides the"
            " verdict.",
            label="{p}",
            pairs=70,
            show=_always(probability),
            priority=5,
            schema=_P,
            page="",
        )
    )
    correction: str = field(
        default="none",
        metadata=_about(
            "The correction: holm, max-t, tukey (randomized Tukey HSD), or none for a family"
            " of one.",
            schema={"enum": [*CORRECTIONS, "none"]},
        ),
    )
    p_all_pairs: float | None = field(
        default=None,
        metadata=_about(
            "The p-value corrected over all pairs of systems, if the baseline has the highest or"
            " the lowest mean of three or more systems; otherwise null.",
            label="p (all pairs)",
            pairs=75,
            optional=True,
            show=_always(probability),
            priority=4,
            page="p-value corrected over all pairs",
        ),
    )
    p_bh: float = field(
        metadata=_about(
            "The p-value corrected for skewed differences, and by Benjamini and Hochberg, which"
            " controls the false discovery rate.",
            label="p (BH)",
            details=70,
            show=_always(probability),
            schema=_P,
        )
    )
    p_wilcoxon: float | None = field(
        default=None,
        metadata=_about(
            "The p-value of the Wilcoxon signed-rank test, if requested.",
            label="Wilcoxon",
            details=50,
            show=_always(probability),
        ),
    )
    p_sign: float | None = field(
        default=None,
        metadata=_about(
            "The p-value of the sign test, if requested.",
            label="sign test",
            details=60,
            show=_always(probability),
        ),
    )
    effect: float | None = field(
        default=None,
        metadata=_about(
            "Hedges' d_z: the difference divided by the deviation, corrected for small samples.",
            label="effect",
            details=100,
            show=_always(_two_digits),
            priority=2,
            page="effect size",
            page_digits=2,
            mirror="-effect",
        ),
    )
    effect_low: float | None = field(
        default=None,
        metadata=_about(
            "The lower end of its confidence interval, uncorrected.",
            label="{level}",
            details=105,
            value=lambda pair: (pair.effect_low, pair.effect_high),
            show=_always(spans(_two_digits)),
            priority=1,
            mirror="-effect_high",
        ),
    )
    effect_high: float | None = field(
        default=None, metadata=_about("Its upper end.", mirror="-effect_low")
    )
    dominance: float = field(
        metadata=_about(
            "(wins - losses) / n.",
            label="dominance",
            details=110,
            show=_always(_two_digits),
            priority=3,
            page="dominance",
            page_digits=2,
            mirror="-dominance",
            schema={"minimum": -1, "maximum": 1},
        )
    )
    wins: int = field(
        metadata=_about(
            "Queries on which the system is better.",
            label="wins / ties / losses",
            short="W / T / L",
            pairs=80,
            value=lambda pair: (pair.wins, pair.ties, pair.losses),
            show=lambda values, places: tallies(values),
            priority=2,
            mirror="losses",
            schema={"minimum": 0},
            page="",
        )
    )
    ties: int = field(
        metadata=_about(
            "Queries on which they are equal or differ by at most the tie margin.",
            schema={"minimum": 0},
            page="",
        )
    )
    losses: int = field(
        metadata=_about(
            "Queries on which it is worse.", mirror="wins", schema={"minimum": 0}, page=""
        )
    )
    detectable: float | None = field(
        default=None,
        metadata=_about(
            "The minimum detectable difference of the test with these queries (80% power).",
            label="detectable",
            details=120,
            show=_always(digits),
            page="minimum detectable difference (80% power)",
        ),
    )
    needed: int | None = field(
        default=None,
        metadata=_about(
            "The number of queries required to detect a difference of detect, or else the margin"
            " (80% power). It does not depend on the observed difference.",
            label="queries needed",
            details=130,
            show=_always(thousands),
            page="",
        ),
    )
    p_equivalence: float | None = field(
        default=None,
        metadata=_about(
            "The p-value of two one-sided tests (TOST) with the margin, corrected for skewness."
        ),
    )
    p_equivalence_adjusted: float | None = field(
        default=None,
        metadata=_about(
            "The same, corrected by Holm over the family.",
            label="TOST",
            details=80,
            show=_always(probability),
        ),
    )
    skeptical_better: float | None = field(
        default=None,
        metadata=_about(
            "The posterior probability that the mean difference is above the margin, or above 0"
            " without one, if requested, under the skeptical prior, 25 queries of difference 0."
            " It is not corrected for multiple comparisons.",
            label="{chances}",
            bayes=30,
            value=lambda pair: _chances(pair, "skeptical"),
            show=_always(chances),
            mirror="skeptical_worse",
            schema=_P,
            page="P(better)",
        ),
    )
    skeptical_within: float | None = field(
        default=None,
        metadata=_about(
            "The posterior probability that the mean difference is within the margin, under the"
            " skeptical prior.",
            schema=_P,
            page="P(within the margin)",
        ),
    )
    skeptical_worse: float | None = field(
        default=None,
        metadata=_about(
            "The posterior probability that the mean difference is below -margin, under the"
            " skeptical prior.",
            mirror="skeptical_better",
            schema=_P,
            page="P(worse)",
        ),
    )
    probability_better: float | None = field(
        default=None,
        metadata=_about(
            "As skeptical_better, under the reference prior, which is flat. With few queries it is"
            " overconfident.",
            label="flat prior",
            bayes=40,
            value=lambda pair: _chances(pair, "probability"),
            show=_always(chances),
            mirror="probability_worse",
            schema=_P,
            page="P(better), flat prior",
        ),
    )
    probability_within: float | None = field(
        default=None,
        metadata=_about("As skeptical_within, under the reference prior.", schema=_P, page=""),
    )
    probability_worse: float | None = field(
        default=None,
        metadata=_about(
            "As skeptical_worse, under the reference prior.",
            mirror="probability_better",
            schema=_P,
            page="",
        ),
    )
    people_difference: float | None = field(
        default=None,
        metadata=_about(
            "With predictions, the mean difference by people only.",
            label="people only",
            pairs=82,
            optional=True,
            show=_always(with_sign),
            priority=6,
            mirror="-people_difference",
            page="difference by people only",
        ),
    )
    people_low: float | None = field(
        default=None,
        metadata=_about(
            "The lower end of its simultaneous confidence interval.",
            label="{level}",
            pairs=84,
            optional=True,
            value=lambda pair: (pair.people_low, pair.people_high),
            show=_always(spans(with_sign)),
            priority=3,
            mirror="-people_high",
        ),
    )
    people_high: float | None = field(
        default=None, metadata=_about("Its upper end.", mirror="-people_low")
    )
    model_difference: float | None = field(
        default=None,
        metadata=_about(
            "With predictions, the mean difference over all queries by the model only.",
            label="model only",
            pairs=86,
            optional=True,
            show=_always(with_sign),
            priority=6,
            mirror="-model_difference",
            page="difference by the model only",
        ),
    )
    rate: float | None = field(
        default=None,
        metadata=_about(
            "With predictions, how much of the model's differences is used; 0 for none.",
            label="λ",
            pairs=88,
            optional=True,
            show=_always(show_rate),
            priority=2,
            page="share of the model's differences used",
            page_digits=2,
        ),
    )
    worth: float | None = field(
        default=None,
        metadata=_about(
            "With predictions, the number of human-judged queries that would give the same"
            " precision without the model.",
            label="worth",
            pairs=90,
            optional=True,
            show=_always(lambda value: f"{value:.0f}"),
            priority=7,
            schema={"minimum": 0},
            page="worth in human-judged queries",
            page_digits=0,
        ),
    )
    worth_low: float | None = field(
        default=None,
        metadata=_about(
            "The lower end of its 95% confidence interval; null if the model is not used.",
            schema={"minimum": 0},
        ),
    )
    worth_high: float | None = field(
        default=None, metadata=_about("Its upper end.", schema={"minimum": 0})
    )
    needed_without: int | None = field(
        default=None,
        metadata=_about(
            "With predictions, the number of human-judged queries required without the model to"
            " detect a difference of detect, or else the margin (80% power); needed is the number"
            " with it, if the model judges as many times more queries as here.",
            schema={"minimum": 1},
        ),
    )
    judged_reason: str | None = field(
        default=None,
        metadata=_about(
            "With predictions, why only people are used: few-errors if people and model disagree"
            " on fewer than 10 queries, few-values if fewer than 6 values of people differ from the"
            " most frequent one, no-gain if the model does not help; otherwise empty.",
            schema={"enum": ["", "few-errors", "few-values", "no-gain", None]},
        ),
    )
    p_random: float | None = field(
        default=None,
        metadata=_about(
            "With predictions, the p-value of a test that the human-judged queries are a random"
            " sample of all queries, by the model's means and difference.",
            schema=_P,
        ),
    )
    verdict: str = field(
        metadata=_about(
            "Better, worse, equivalent, identical or inconclusive.",
            label="verdict",
            pairs=100,
            value=lambda pair: pair.verdict_text,
            schema={"enum": list(PAIR_VERDICTS)},
        )
    )
    within_margin: bool = field(
        default=False,
        metadata=_about("Whether the difference is significantly smaller than the margin."),
    )

    @property
    def verdict_text(self) -> str:
        """Return the verdict as text: ``better, by less than the margin``.

        Examples
        --------
        >>> Pair(system="b", baseline="a", measure="AP", n=50, mean=0.31, baseline_mean=0.3,
        ...     difference=0.01, p=0.001, p_adjusted=0.001, p_bh=0.001, dominance=0.4, wins=30,
        ...     ties=10, losses=10, verdict="better", within_margin=True).verdict_text
        'better, by less than the margin'
        """
        return verdict_text(self.verdict, within_margin=self.within_margin)

    @property
    def change(self) -> tuple[float, float, float]:
        """The numbers that should add up in tables: both means and the difference.

        The difference of logarithms, or with predictions, is not that of the means; 0 takes the
        place of the baseline's.
        """
        if self.scale == "log" or self.rate is not None:
            return 0.0, self.difference, self.difference
        return self.baseline_mean, self.mean, self.difference

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as a dict, with the verdict as text."""
        return {name: getattr(self, name) for name in pair_names()}


#: How each field is shown.
FIELDS: dict[str, About] = {each.name: each.metadata["about"] for each in fields(Pair)}


def _attributes() -> str:
    """Return the docstring section that describes the fields."""
    parts = []
    for each in fields(Pair):
        text = each.metadata["about"].text.replace("; null for", "; None for")
        parts.append(f"    {each.name} : {each.type}\n        {text}\n".replace(" | ", " or "))
    return "\n    Attributes\n    ----------\n" + "".join(parts) + "    "


Pair.__doc__ = (Pair.__doc__ or "").rstrip() + "\n" + _attributes()


def pair_names() -> list[str]:
    """Return the names of a pair's exported fields, in the order of the CSV columns."""
    return [*FIELDS, "verdict_text"]


def interval_places_of(pairs: Sequence[Pair]) -> int:
    """Return how many digits show significant differences as nonzero."""
    return places_for((pair.change for pair in pairs if pair.verdict in SIGNIFICANT), 1e-12)


def places_of(pairs: Sequence[Pair]) -> int:
    """Return how many digits of means show differences, which should be those of the means."""
    return places_adding_up((pair.change for pair in pairs), interval_places_of(pairs))


def pair_columns(
    pairs: Sequence[Pair], table: str, labels: Mapping[str, str]
) -> tuple[list[Column], list[list[object]]]:
    """Return the columns and rows of a table of pairs.

    Parameters
    ----------
    pairs : sequence of Pair
        One per row.
    table : {"pairs", "details", "bayes"}
        Which table. The table of details leaves out empty columns.
    labels : mapping of str to str
        The values of ``{level}``, ``{p}`` and ``{chances}`` in labels.
    """
    chosen = sorted(
        (place, name, about)
        for name, about in FIELDS.items()
        if (place := getattr(about, table))
        and (
            (table != "details" and not about.optional)
            or any(getattr(pair, name) is not None for pair in pairs)
        )
    )
    places, interval_places = places_of(pairs), interval_places_of(pairs)
    columns, cells = [], []
    for _, name, about in chosen:
        values = [about.value(pair) if about.value else getattr(pair, name) for pair in pairs]
        show = (
            about.show(values, interval_places if about.around else places)
            if about.show and values
            else None
        )
        fit = "whole" if name == "verdict" else ""
        label = about.label.format(**labels)
        column = Column(
            name,
            label,
            show,
            priority=about.priority,
            fit=fit,
            short=about.short,
            around=about.around,
            zero=bool(about.around),
        )
        columns.append(column)
        cells.append(values)
    return columns, [list(row) for row in zip(*cells, strict=True)]


def page_fields() -> dict[str, dict[str, str | int]]:
    """Return each field's name and mirror in the HTML report."""
    return {
        name: {
            "label": about.page,
            "digits": about.page_digits,
            "mirror": about.mirror,
            "text": about.text,
        }
        for name, about in FIELDS.items()
        if about.page is not None
    }


def mirrored(pair: Pair) -> Pair:
    """Return a pair with system and baseline swapped."""
    changes: dict[str, Any] = {}
    for name, about in FIELDS.items():
        if about.mirror:
            value = getattr(pair, about.mirror.removeprefix("-"))
            negative = about.mirror.startswith("-") and value is not None
            changes[name] = -value if negative else value
    opposite = {"better": "worse", "worse": "better"}
    return replace(pair, **changes, verdict=opposite.get(pair.verdict, pair.verdict))


def pair_schema() -> dict[str, object]:
    """Return the JSON schema of a pair."""
    names = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
    properties: dict[str, object] = {}
    for each in fields(Pair):
        about = FIELDS[each.name]
        kinds = [names.get(part, "null") for part in str(each.type).split(" | ")]
        kind = {} if "enum" in about.schema else {"type": kinds if len(kinds) > 1 else kinds[0]}
        properties[each.name] = {"description": about.text, **kind, **about.schema}
    properties["verdict_text"] = {"description": "The verdict as text.", "type": "string"}
    return {
        "description": "One system compared with another. A value that is not defined for the data"
        " or was not requested is null.",
        "type": "object",
        "required": pair_names(),
        "properties": properties,
    }
