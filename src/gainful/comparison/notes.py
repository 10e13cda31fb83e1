"""Notes below a comparison, and what a paper says about it."""

from __future__ import annotations

from gainful.comparison.families import describe_extreme_baselines, describe_families
from gainful.comparison.pair_statistics import describe_equivalence
from gainful.evaluation.data import KnownJudgments
from gainful.evaluation.data_checks import describe_count_ranges
from gainful.evaluation.notes import describe_convention, describe_counts
from gainful.evaluation.predicted import Worth, condition_notes, describe_worth
from gainful.evaluation.query_groups import describe_clusters
from gainful.evaluation.summary_tables import count_queries
from gainful.formats.markup import Methods, Reference
from gainful.formats.numbers import digits, probability, short
from gainful.formats.table import Note, noted
from gainful.inference.posterior import FEWEST_DIFFERENCES, SKEPTICAL_QUERIES
from gainful.references import refer
from gainful.vocabulary import CORRECTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from gainful.comparison.data import ComparisonData
    from gainful.comparison.pair import Pair
    from gainful.comparison.paired_result import PairedResult

__all__ = [
    "MOST_SYSTEMS",
    "POSTERIOR_RANKS",
    "describe_margins",
    "describe_test",
    "describe_tied_for_first",
    "error_rate",
    "methods_of",
    "name_tied_for_first",
    "notes",
    "power_notes",
    "verdict_notes",
]

#: The first sentence of the note.
_INCONCLUSIVE = "Inconclusive is not the same as equal."

#: The most pairs that the note names one by one.
_NAMED = 3


def power_notes(comparison: PairedResult, pairs: Sequence[Pair], where: str = "") -> Iterator[Note]:
    """Yield a note on the power of the pairs that are inconclusive.

    `where` says how further queries are distributed.
    """
    open_ones = [
        pair
        for pair in pairs
        if pair.verdict == "inconclusive" and not _cannot_be_significant(comparison, pair)
    ]
    detectable = [pair.detectable for pair in open_ones if pair.detectable is not None]
    if not detectable:
        return
    scores = comparison.scores
    if min(detectable) > max(scores.limits(index)[1] for index in range(len(scores.measures))):
        text = f"{_INCONCLUSIVE} These queries are too few to detect any difference (80% power)."
        yield Note("power", text, explains=True)
        return
    counts = {pair.n for pair in open_ones}
    queries = f"{counts.pop()} queries" if len(counts) == 1 else "these queries"
    line = f"{_INCONCLUSIVE} With {queries} {_minimum_detectable(open_ones, pairs)}."
    sought = comparison.choices.sought
    needed = [(pair, pair.needed) for pair in open_ones if pair.needed is not None]
    if sought is None or not needed:
        yield Note("power", line, explains=True)
        return
    if len(needed) <= _NAMED:
        # With several baselines, the system's name alone does not identify the pair.
        several = len({pair.baseline for pair, _ in needed}) > 1
        counted = ", ".join(
            f"{number:,}"
            + f" ({pair.system}{f' vs. {pair.baseline}' * several})" * (len(needed) > 1)
            for pair, number in needed
        )
    else:
        numbers = [number for _, number in needed]
        counted = f"{min(numbers):,} to {max(numbers):,}"
    yield Note(
        "power", f"{line} A difference of {short(sought)} requires {counted} queries{where}."
    )


def _minimum_detectable(inconclusive: Sequence[Pair], pairs: Sequence[Pair]) -> str:
    """Return a clause with the minimum detectable difference of each inconclusive pair."""
    known = [pair for pair in inconclusive if pair.detectable is not None]
    sizes = [digits(pair.detectable) for pair in known if pair.detectable is not None]
    start = "the minimum detectable difference is"
    if len(pairs) == 1:
        return f"{start} {sizes[0]} (80% power)"
    if len(known) > _NAMED:
        ends = sorted(pair.detectable for pair in known if pair.detectable is not None)
        return f"{start} {digits(ends[0])} to {digits(ends[-1])}, by pair (80% power)"
    several = len({pair.measure for pair in pairs}) > 1
    baselines = {pair.baseline for pair in pairs}
    named = [
        f"{size} for {_name_pair(pair, baselines)}" + f" in {pair.measure}" * several
        for size, pair in zip(sizes, known, strict=True)
    ]
    *first, last = named
    listed = f"{', '.join(first)} and {last}" if first else last
    return f"{start} {listed} (80% power)"


def _name_pair(pair: Pair, baselines: Collection[str]) -> str:
    """Return the name of a pair: the system if there is one baseline, else the better one first."""
    if len(baselines) == 1:
        return pair.system
    names = (pair.system, pair.baseline)
    return " vs. ".join(names if pair.difference >= 0 else names[::-1])


def _cannot_be_significant(comparison: PairedResult, pair: Pair) -> bool:
    """Return whether no p-value of a pair can reach alpha."""
    if pair.verdict == "identical":
        return False
    # Permutations of three systems can give a lower p, but it is raised to the p of the pair alone.
    return pair.exact and _smallest_p(comparison, pair) > comparison.alpha


def _smallest_p(comparison: PairedResult, pair: Pair) -> float:
    """Return the smallest p-value that sign flips of these queries can give."""
    scores = comparison.scores
    differences = comparison.differences(pair)
    moved = {
        index if scores.clusters is None else scores.clusters[index]
        for index, query in enumerate(scores.queries)
        if differences.get(query) and (scores.weights is None or scores.weights[index])
    }
    return float(2.0 ** (1 - len(moved))) if moved else 1.0


#: What the posterior probabilities of ranks mean.
POSTERIOR_RANKS = (
    "P(rank 1) and the sets of ranks are posterior probabilities under the skeptical prior. They"
    " presume that no two systems are equal; otherwise use the intervals of ranks."
)

#: The most systems whose data checks are noted one by one.
MOST_SYSTEMS = 8

#: With fewer clusters, a test has few p-values.
_FEW_CLUSTERS = 8

#: The ratio of two pairs' standard deviations above which some systems are variants of one another.
_UNLIKE = 4.0


def notes(comparison: ComparisonData, pairs: Sequence[Pair]) -> list[Note]:
    """Return the notes below the tables of some pairs.

    Examples
    --------
    >>> import gainful
    >>> found = gainful.compare("qrels.txt", ["bm25.run", "dense.run"], "nDCG@10")
    >>> print(notes(found, found.pairs)[0])
    Randomization test, all 32 sign flips; p is corrected for skewed differences (without: .5625).
    """
    return [
        *verdict_notes(comparison, pairs),
        *noted("judgments", _judgments(comparison)),
        *_describe_counts(comparison),
        Note("convention", describe_convention(comparison.evaluations[0])),
    ]


def _describe_counts(comparison: ComparisonData) -> list[Note]:
    """Return the data checks by system, or the ranges of counts if there are many systems."""
    evaluations = comparison.evaluations
    checks = [note for evaluation in evaluations for note in describe_counts(evaluation)]
    if len(comparison.systems) <= MOST_SYSTEMS:
        return checks
    counts = [evaluation.counts(name) for evaluation in evaluations for name in evaluation.systems]
    ranges = Note("counts", describe_count_ranges(counts, "in each run"))
    return [ranges, *(note for note in checks if note.key != "counts")]


def verdict_notes(comparison: ComparisonData, pairs: Sequence[Pair]) -> list[Note]:
    """Return the notes about pairs, without those about the evaluations."""
    return [
        Note("verdict", describe_test(comparison, pairs)),
        *_describe_predictions(comparison, pairs),
        *noted("scale", _describe_logarithms(pairs)),
        *noted("family", describe_families(comparison.choices, len(comparison.measures))),
        *noted("p_all_pairs", describe_extreme_baselines(pairs, comparison.alpha)),
        *_groups(comparison),
        *noted("first", name_tied_for_first(comparison, pairs)),
        *power_notes(comparison, pairs),
        *_intervals(comparison, pairs),
        *noted("correction", _unequal_variances(pairs)),
        *noted("margin", describe_margins(comparison, pairs)),
        *noted("bayes", _describe_probabilities(comparison, pairs)),
        *noted("few", _warn_of_few_differences(comparison, pairs)),
        *noted("unreliable", _describe_unreliable_intervals(comparison, pairs)),
        *noted("queries", _describe_weights_and_clusters(comparison, pairs)),
    ]


def _describe_predictions(comparison: ComparisonData, pairs: Sequence[Pair]) -> list[Note]:
    """Return the worth of the judgments of people with predictions, and the conditions."""
    if comparison.predictions is None:
        return []
    sliced = [pair for segment in comparison.segments.values() for pair in segment]
    measures = len({pair.measure for pair in pairs}) > 1

    def describe(some: Iterable[Pair]) -> list[tuple[str, Worth]]:
        return [
            (
                f"{pair.system} vs. {pair.baseline}"
                + (f" ({pair.measure})" if measures else "")
                + (f" in {pair.segment}" if pair.segment is not None else ""),
                Worth(
                    n=pair.n,
                    effective=pair.worth,
                    effective_low=pair.worth_interval and pair.worth_interval.low,
                    effective_high=pair.worth_interval and pair.worth_interval.high,
                    reason=pair.judged_reason or "",
                    p_random=pair.p_random or 0.0,
                ),
            )
            for pair in some
            if pair.worth is not None
        ]

    estimates = describe(pairs)
    sample = comparison.predictions.sample
    few = [
        name
        for name, segment in comparison.segments.items()
        if segment and segment[0].worth is None
    ]
    return [
        Note("worth", describe_worth([estimate for _, estimate in estimates])),
        *noted("needed_without", _describe_plan(comparison, pairs)),
        *condition_notes(sample, [*estimates, *describe(sliced)]),
        *noted("few_judged", _name_small_slices(few)),
    ]


def _describe_plan(comparison: ComparisonData, pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield how many human-judged queries are needed with and without the model."""
    planned = [
        pair for pair in pairs if pair.needed is not None and pair.needed_without is not None
    ]
    if planned and comparison.choices.sought is not None:
        # The pair that needs the most queries decides.
        most = max(planned, key=lambda pair: pair.needed or 0)
        yield (
            f"To detect {short(comparison.choices.sought)} (80% power): {most.needed:,}"
            f" human-judged queries with this model, {most.needed_without:,} without it."
        )


def _name_small_slices(few: Sequence[str]) -> Iterator[str]:
    if few:
        more = f" and {len(few) - _NAMED:,} more" if len(few) > _NAMED else ""
        yield (
            f"Fewer than 10 human-judged queries in {', '.join(few[:_NAMED])}{more}: people only."
        )


def _judgments(comparison: ComparisonData) -> Iterator[str]:
    """Yield a note if the judgments of some evaluations are unknown."""
    if len(comparison.evaluations) < 2:
        return
    # Computing the digest of judgments takes time, so skip those that are present.
    absent = [
        evaluation
        for evaluation in comparison.evaluations
        if evaluation.judgments is None or isinstance(evaluation.judgments, KnownJudgments)
    ]
    unknown = [system for system in absent if system.judgments_digest is None]
    if unknown:
        named = ", ".join(system for group in unknown for system in group.systems)
        yield (
            f"The judgments of {named} are unknown (assembled from parts), so it was not checked"
            " that all systems have the same."
        )


def describe_test(comparison: PairedResult, pairs: Sequence[Pair], of: str = "") -> str:
    """Return a sentence about the test and its correction; `of` says what is tested."""
    many = f"{comparison.choices.resamples:,}"
    correction = pairs[0].correction
    if all(pair.verdict == "identical" for pair in pairs):
        return "No test was run: the systems do not differ on any query."
    if correction == "tukey":
        systems = len(comparison.systems)
        return (
            f"Randomized Tukey HSD{of}, {many} permutations, all pairs of {systems} systems"
            f"{_measures_clause(comparison, pairs)}{error_rate(comparison.alpha)}."
        )
    exact = all(pair.exact for pair in pairs)
    if exact and len(pairs) == 1:
        number = round(2 / _smallest_p(comparison, pairs[0]))
        flips = f"all {number:,} sign flips" if number > 2 else "both sign flips"
    else:
        flips = "all sign flips" if exact else f"{many} sign flips"
        if not exact and any(pair.exact for pair in pairs):
            flips = f"{many} sign flips (all of them if few queries differ)"
    size = _family_size(comparison, pairs)
    return f"Randomization test{of}, {flips}{_describe_correction(pairs, size, comparison.alpha)}."


def _describe_correction(pairs: Sequence[Pair], size: int, alpha: float) -> str:
    """Return how p is corrected over a family of this size, and for skewed differences."""
    named = CORRECTIONS.get(pairs[0].correction)
    if named:
        return f", p corrected by {named} over {size:,} pairs and for skewness{error_rate(alpha)}"
    if all(probability(pair.p_adjusted) == probability(pair.p) for pair in pairs):
        return ""
    without = f" (without: {probability(pairs[0].p)})" if len(pairs) == 1 else ""
    return f"; p is corrected for skewed differences{without}"


def error_rate(alpha: float) -> str:
    """Return the family-wise error rate in parentheses.

    Examples
    --------
    >>> error_rate(0.05)
    ' (family-wise error rate 5%)'
    """
    return f" (family-wise error rate {100 * alpha:g}%)"


def _measures_clause(comparison: PairedResult, pairs: Sequence[Pair]) -> str:
    measures = len({pair.measure for pair in pairs})
    return (
        f" and {measures} measures" if comparison.choices.family == "all" and measures > 1 else ""
    )


def _family_size(comparison: PairedResult, pairs: Sequence[Pair]) -> int:
    """Return how many pairs were corrected together."""
    if comparison.choices.family == "all":
        return len(pairs)
    return sum(pair.measure == pairs[0].measure for pair in pairs)


def _groups(comparison: ComparisonData) -> Iterator[Note]:
    if not comparison.baselines and len(comparison.systems) > 2:
        text = "Systems that share a letter do not differ significantly."
        yield Note("group", text, explains=True)


def name_tied_for_first(comparison: PairedResult, pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield a note on the systems that can have rank 1, if they are several."""
    if not comparison.baselines and len(comparison.systems) > 2:
        measures = dict.fromkeys(pair.measure for pair in pairs)
        ties = {measure: comparison.tied_for_first(measure) for measure in measures}
        if any(len(systems) > 1 for systems in ties.values()):
            yield describe_tied_for_first(ties, comparison.alpha)


def describe_tied_for_first(tied: Mapping[str, Sequence[str]], alpha: float) -> str:
    """Return a note on the systems that can have rank 1, by measure.

    Examples
    --------
    >>> describe_tied_for_first({"nDCG@10": ["dense", "bm25"]}, 0.05)
    'Tied for first (95% confidence): dense, bm25.'
    >>> describe_tied_for_first({"nDCG@10": ["dense"], "AP": list("abcde")}, 0.05)
    'Tied for first (95% confidence): dense only (nDCG@10); a, b, c and 2 more (AP).'
    """
    parts = []
    for measure, systems in tied.items():
        more = f" and {len(systems) - _NAMED:,} more" if len(systems) > _NAMED else ""
        text = ", ".join(systems[:_NAMED]) + more + " only" * (len(systems) == 1)
        parts.append(f"{text} ({measure})" if len(tied) > 1 else text)
    return f"Tied for first ({100 * (1 - alpha):g}% confidence): {'; '.join(parts)}."


def _intervals(comparison: ComparisonData, pairs: Sequence[Pair]) -> Iterator[Note]:
    if len(pairs) > 1 and _family_size(comparison, pairs) > 1:
        level = f"{100 * (1 - comparison.alpha):g}%"
        text = f"The intervals are simultaneous {level} confidence intervals."
        yield Note("intervals", text, explains=True)
    if any(0.0 in (p.interval or ()) and p.difference for p in pairs):
        text = "An interval end of .0000 was set to 0 to agree with the verdict."
        yield Note("ends", text, explains=True)


def _unequal_variances(pairs: Sequence[Pair]) -> Iterator[str]:
    spreads = [pair.deviation for pair in pairs if pair.deviation]
    if pairs[0].correction == "tukey" and spreads and max(spreads) > _UNLIKE * min(spreads):
        robust = refer("correction", "'max-t'")
        yield (
            "The variances of the differences are very unequal, so randomized Tukey HSD has too"
            f" many false positives. {robust} is the more robust test."
        )


def _describe_logarithms(pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield a note if differences are those of logarithms."""
    logarithms = dict.fromkeys(pair.measure for pair in pairs if pair.scale == "log")
    if logarithms:
        yield (
            f"{', '.join(logarithms)}: differences and their intervals are of natural logarithms;"
            " +.10 is a ratio of 1.11."
        )


def describe_margins(comparison: PairedResult, pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield notes on equivalence and on ties."""
    if any(pair.within_margin for pair in pairs):
        yield from describe_equivalence(comparison.choices, pairs)
    if comparison.choices.tie_margin:
        yield f"Ties: differences of at most {short(comparison.choices.tie_margin)}."


def _describe_probabilities(comparison: ComparisonData, pairs: Sequence[Pair]) -> Iterator[str]:
    if not comparison.choices.bayes:
        return
    if any(pair.probability_better is not None for pair in pairs):
        yield (
            "Posterior probabilities of the mean difference, for normal differences and a skeptical"
            f" prior, worth {SKEPTICAL_QUERIES:g} queries without a difference; with a flat prior"
            " they are overconfident."
            " They are not corrected for multiple comparisons, and the verdict does not use them."
        )
    few: dict[str, list[Pair]] = {}
    for pair in pairs:
        if pair.probability_better is None:
            equal = not pair.deviation and pair.wins + pair.losses >= FEWEST_DIFFERENCES
            few.setdefault(
                "all queries differ equally"
                if equal
                else f"fewer than {FEWEST_DIFFERENCES} queries differ",
                [],
            ).append(pair)
    for reason, without in few.items():
        named = ", ".join(f"{pair.system} vs. {pair.baseline}" for pair in without[:_NAMED])
        more = f", and {len(without) - _NAMED:,} more pairs" if len(without) > _NAMED else ""
        yield f"No probabilities where {reason}: {named}{more}."


def _warn_of_few_differences(comparison: ComparisonData, pairs: Sequence[Pair]) -> Iterator[str]:
    """Warn if too few queries differ for any difference to be significant."""
    size = _family_size(comparison, pairs)
    least = size / (comparison.choices.resamples + 1)
    if least > comparison.alpha and any(p.correction == "holm" and not p.exact for p in pairs):
        yield (
            f"Too few resamples for {size:,} pairs: p cannot be below {digits(min(least, 1.0))}."
        )
    few = [pair for pair in pairs if _cannot_be_significant(comparison, pair)]
    if few:
        some = dict.fromkeys(pair.system for pair in few) if len(few) < len(pairs) else ()
        # A long list of names says less than their number.
        many = len(some) > _NAMED
        named = f"{len(few):,} of {len(pairs):,} pairs" if many else ", ".join(some)
        yield (
            f"{f'{named}: t' if named else 'T'}oo few queries differ for a significant result: p"
            f" cannot be below {digits(min(_smallest_p(comparison, pair) for pair in few))}."
        )
    elif comparison.scores.clusters is not None:
        least = min(_smallest_p(comparison, pair) for pair in pairs)
        if 2.0 ** (2 - _FEW_CLUSTERS) <= least < 1.0:
            yield (
                f"Fewer than {_FEW_CLUSTERS} clusters differ, so p cannot be below {digits(least)}."
            )


def _describe_unreliable_intervals(
    comparison: ComparisonData, pairs: Sequence[Pair]
) -> Iterator[str]:
    """Warn of intervals of pairs that differ on few queries."""
    few = [pair for pair in pairs if pair.few_differences and pair.verdict != "identical"]
    if not few:
        return
    units = "queries" if comparison.scores.clusters is None else "clusters"
    names = list(dict.fromkeys(f"{pair.system} vs. {pair.baseline}" for pair in few))
    more = f", and {len(names) - _NAMED:,} more pairs" if len(names) > _NAMED else ""
    one = len(names) == 1
    yield (
        f"Fewer than 10 {units} differ, so the interval{'s' * (not one)} of"
        f" {', '.join(names[:_NAMED])}{more} {'is' if one else 'are'} unreliable."
    )


def _describe_weights_and_clusters(
    comparison: ComparisonData, pairs: Sequence[Pair]
) -> Iterator[str]:
    scores = comparison.scores
    if scores.weights is not None:
        yield "Means and tests are weighted. Wins, ties and losses count queries."
    if scores.clusters is not None:
        number = len(set(scores.clusters))
        yield (
            f"{len(scores.clusters):,} queries in {number:,} cluster{'s' * (number != 1)}"
            f" ({comparison.cluster}), which are resampled as a whole."
        )
        yield from describe_clusters(comparison.cluster, number)
    effective = [pair.effective for pair in pairs if pair.effective is not None]
    if effective:
        sizes = " to ".join(f"{count:.1f}" for count in sorted({min(effective), max(effective)}))
        yield f"Effective sample size: {sizes}."
    if scores.ranked and len(comparison.systems) > 2:
        counts = {scores.left_out(index) for index in range(len(comparison.measures))} - {0}
        if counts:
            yield f"Left out, because a system has no value for them: {count_queries(counts)}."
        return
    left = {f"{pair.system} vs. {pair.baseline}": pair.left_out for pair in pairs}
    left = {name: number for name, number in left.items() if number}
    if left:
        counted = ", ".join(f"{number} ({name})" for name, number in list(left.items())[:_NAMED])
        more = f", and {len(left) - _NAMED:,} more pairs" if len(left) > _NAMED else ""
        yield f"Queries left out because only one system has a value: {counted}{more}."


_SOURCES = (
    "M. Smucker, J. Allan, B. Carterette: A comparison of statistical significance tests for"
    " information retrieval evaluation. CIKM 2007",
    "P. Hall: On the removal of skewness by transformation. Journal of the Royal Statistical"
    " Society B 54(1), 1992",
    "P. Westfall, S. Young: Resampling-Based Multiple Testing. Wiley, 1993",
    "S. Holm: A simple sequentially rejective multiple test procedure. Scandinavian Journal of"
    " Statistics 6(2), 1979",
    "B. Carterette: Multiple testing in statistical analysis of systems-based information retrieval"
    " experiments. ACM TOIS 30(1), 2012",
    "D. Schuirmann: A comparison of the two one-sided tests procedure and the power approach for"
    " assessing the equivalence of average bioavailability. Journal of Pharmacokinetics and"
    " Biopharmaceutics 15(6), 1987",
)

_REFERENCES = [work for work in map(Reference.parse, _SOURCES) if work is not None]

_CORRECTIONS = {"max-t": "max-T {westfall1993}", "holm": "Holm's method {holm1979}"}


def methods_of(
    comparison: PairedResult, about: Iterable[str], references: Iterable[Reference]
) -> Methods:
    """Return the paragraph about a comparison, after sentences about what is compared."""
    sentences = [*about, *(_describe_comparison(comparison) if comparison.pairs else ())]
    return Methods(sentences, [*references, *_REFERENCES])


def _describe_comparison(comparison: PairedResult) -> Iterator[str]:
    choices, pairs = comparison.choices, comparison.pairs
    number = len(comparison.systems)
    baselines = ", ".join(comparison.baselines)
    if baselines:
        others = number - len(comparison.baselines)
        yield f"We compare {others} system{'s' * (others != 1)} with {baselines}."
    elif number > 2:
        yield f"We compare all pairs of {number} systems."
    else:
        yield f"We compare {' and '.join(comparison.systems)}."
    correction = pairs[0].correction
    draws = f"{choices.resamples:,}"
    if all(pair.exact for pair in pairs):
        draws = "all"
    if comparison.predictions is not None:
        yield "Means and differences combine human judgments with predictions of a model."
    size = len(pairs) if choices.family == "all" else len(pairs) // len(comparison.measures)
    over = f"the {size:,} pairs" + (" and measures" if choices.family == "all" else "")
    rate = f"a family-wise error rate of {100 * choices.alpha:g}%"
    if correction == "tukey":
        yield (
            f"Differences are tested with randomized Tukey HSD {{carterette2012}}, with {draws}"
            f" permutations, over {over}, at {rate}."
        )
    else:
        units = "clusters" if comparison.scores.clusters is not None else "per-query differences"
        text = (
            "Differences are tested with a two-sided paired randomization test {smucker2007}, with"
            f" {draws} sign flips of {units}; p-values are corrected for skewed differences"
            " {hall1992}"
        )
        if correction in _CORRECTIONS:
            yield f"{text} and over {over} by {_CORRECTIONS[correction]}, at {rate}."
        else:
            yield f"{text}. The level of significance is {100 * choices.alpha:g}%."
    level = f"{100 * (1 - choices.alpha):g}%"
    simultaneous = "simultaneous " if size > 1 else ""
    yield f"Intervals of differences are {simultaneous}{level} confidence intervals."
    if choices.margin is not None:
        holm = ", corrected by Holm's method {holm1979}" if size > 1 else ""
        yield (
            f"Two systems are equivalent if two one-sided tests {{schuirmann1987}} show that their"
            f" difference is within ±{short(choices.margin)}{holm}."
        )
    if comparison.scores.weights is not None:
        yield "Queries are weighted."
    if comparison.scores.clusters is not None:
        clusters = len(set(comparison.scores.clusters))
        attribute = f" ({comparison.cluster})" if comparison.cluster else ""
        yield f"The queries form {clusters:,} clusters{attribute}, the units of tests."
    yield f"The random seed is {choices.seed}."
