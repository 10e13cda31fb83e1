"""The parameters of comparisons, and how means are taken."""

from __future__ import annotations

from gainful.parameters import File, Group, Parameter
from gainful.vocabulary import AGGREGATES, CORRECTIONS, EXTRA_TESTS, MEASURE_TESTS, PAIR_FAMILIES

#: More resamples take memory and time without a visible effect on results.
MOST_RESAMPLES = 100_000_000

_FINITE = "a finite number above 0, in units of the measure"

BASELINE = Parameter(
    "baselines",
    flags=("--baseline",),
    python="baseline",
    metavar="NAME",
    repeatable=True,
    help="Compare every other run with this one. Repeatable. Default: compare all pairs.",
    annotation="str | Sequence[str] | None",
    type="str or sequence of str",
    doc="The system or systems to compare the others with, each on the queries that count for both."
    " Default: compare all pairs, each system with those before it, on the queries that count for"
    " all systems, so that ranks, means and differences agree.",
)

MARGIN = Parameter(
    "margin",
    float,
    range="(0, inf)",
    expected=_FINITE,
    metavar="D",
    help="Equivalence margin: the largest difference that does not matter. With it, the verdict can"
    " be `equivalent`.",
    doc="The equivalence margin, in units of the measure, above 0; for geometric means of their"
    " natural logarithm. With it systems can be equivalent, by two one-sided tests, unless fewer"
    " than 10 queries differ.",
)

DETECT = Parameter(
    "detect",
    float,
    range="(0, inf)",
    expected=_FINITE,
    group=Group.STATISTICS,
    metavar="D",
    help="Report how many queries are needed to detect this difference. Default: the margin.",
    doc="The difference for which to report the required number of queries. Default: `margin`.",
)

#: With and without the number of queries that a difference needs.
MARGINS = (MARGIN, DETECT)

BY = Parameter(
    "by",
    File,
    metavar="FILE[:COLUMN]",
    repeatable=True,
    help="Also compare within slices of the queries, such as categories: TSV, CSV or JSON lines"
    " with query ids, or lines of a query id and a value. Repeatable.",
    annotation="By | None",
    type="mapping of query id to value, or path",
    doc="An attribute that slices the queries: each slice is compared too, and all slices of a"
    " measure are one family of tests. Several attributes are a list of paths, or a mapping of"
    " their names to such mappings.",
)

CLUSTERS = Parameter(
    "clusters",
    File,
    group=Group.STATISTICS,
    metavar="FILE[:COLUMN]",
    help="Treat related queries, such as those of one user, as one unit of intervals and tests: a"
    " file of query ids and cluster labels.",
    annotation="Attribute | None",
    type="mapping of query id to value, or path",
    doc="Queries that belong together, such as those of one user or intent: they are resampled,"
    " flipped and permuted together. A path is a file as for `--clusters`.",
)

ALPHA = Parameter(
    "alpha",
    float,
    0.05,
    # Resampling cannot estimate smaller probabilities.
    range="[.000001, 1.)",
    expected="a number from .000001 to below 1, such as .05",
    group=Group.STATISTICS,
    metavar="P",
    help="Significance level. The confidence level is 1 - P.",
    doc="The family-wise error rate. The confidence level of intervals is 1 - alpha.",
)

#: Of tests that need no resampling.
ANY_ALPHA = ALPHA.replace(range="(0, 1)", expected="a number between 0 and 1", doc="")

MEASURE_TEST = Parameter(
    "test",
    default=MEASURE_TESTS[0],
    annotation="str",
    choices=MEASURE_TESTS,
    group=Group.STATISTICS,
    help="max-t and tukey (randomized Tukey HSD) correct for all pairs of a measure; t (paired"
    " t test) and randomization (sign flips) test each pair alone.",
)

PERSISTENCE = Parameter(
    "persistence",
    float,
    0.9,
    metavar="P",
    range="(0, 1)",
    expected="a number between 0 and 1",
    group=Group.STATISTICS,
    help="Persistence p of rank-biased overlap.",
)

CORRECTION = Parameter(
    "correction",
    choices=tuple(CORRECTIONS),
    group=Group.STATISTICS,
    help="Correction for multiple comparisons. tukey is randomized Tukey HSD, for all pairs."
    " Default: max-t for all pairs, holm for comparisons with baselines.",
    doc="How p-values and intervals are corrected. Default: max-T for all pairs of three or more"
    " systems, Holm for comparisons with baselines. Randomized Tukey HSD is for all pairs only,"
    " and its family-wise error rate exceeds `alpha` if the systems' variances differ.",
)

FAMILY = Parameter(
    "family",
    default="measure",
    choices=PAIR_FAMILIES,
    group=Group.STATISTICS,
    help="Correct over the pairs of each measure, or over those of all measures.",
    doc="Which pairs are corrected together: the pairs of each measure, or all pairs.",
)

TESTS = Parameter(
    "tests",
    default=(),
    flags=("--test",),
    choices=EXTRA_TESTS,
    repeatable=True,
    group=Group.STATISTICS,
    help="Add a Wilcoxon signed-rank test or a sign test to the details. Repeatable.",
    doc="Further tests to run.",
)

BAYES = Parameter(
    "bayes",
    bool,
    group=Group.STATISTICS,
    help="Show posterior probabilities of each mean difference: better, within --margin, worse.",
    doc="Whether to add posterior probabilities of each mean difference: better, within the margin,"
    " worse. They are not corrected for multiple comparisons, and the verdict does not use them."
    " `gainful.inference.mean_posterior` documents the model and its priors.",
)

TIE_MARGIN = Parameter(
    "tie_margin",
    float,
    0.0,
    range="[0, inf)",
    expected="a finite number of 0 or more",
    group=Group.STATISTICS,
    metavar="D",
    help="Count differences of a query up to D as ties.",
    doc="Differences up to this are ties, in the counts of wins and losses and in the sign test.",
)

RESAMPLES = Parameter(
    "resamples",
    int,
    100_000,
    # With fewer than a hundred resamples even p = .01 is out of reach.
    range=f"[100, {MOST_RESAMPLES}]",
    expected=f"100 or more, up to {MOST_RESAMPLES:,}",
    group=Group.STATISTICS,
    help="Number of random sign flips or permutations.",
    doc="Number of sign flips and permutations. With up to 20 queries whose values differ, the"
    " p-value of a single pair enumerates all sign flips instead.",
)

BOOTSTRAP = Parameter(
    "bootstrap",
    int,
    9_999,
    range=f"[100, {MOST_RESAMPLES}]",
    also=(0,),
    expected=f"100 or more, up to {MOST_RESAMPLES:,}, or 0 for no bootstrap",
    doc="Number of resamples for the BCa interval; 0 for no interval.",
)

SEED = Parameter(
    "seed",
    int,
    0,
    range=f"[0, {2**64 - 1}]",
    expected="a whole number from 0 to 2^64 - 1",
    group=Group.STATISTICS,
    help="Random seed.",
    doc="The random seed. The result does not depend on the number of threads.",
)

POOL = Parameter(
    "pool",
    File,
    help="The file of `gainful pool` that was judged: also report p under the labels of unjudged"
    " documents that are least favorable to each difference.",
)

DETAILS = Parameter("details", bool, help="Show all statistics of each pair.")

RISK = Parameter(
    "risk",
    float,
    group=Group.STATISTICS,
    metavar="A",
    help="Show URisk, TRisk and GeoRisk; losses have the weight 1 + A.",
)

WORST = Parameter(
    "worst",
    int,
    0,
    range="[0, inf)",
    metavar="K",
    help="Show the K queries on which each system loses most.",
)


COMMON = Parameter(
    "common",
    bool,
    help="Average over the collections in which all systems have a run. Default: all collections.",
)

OVER = Parameter(
    "over",
    metavar="COLLECTION",
    repeatable=True,
    help="Average over this collection only. Repeatable. Default: all collections.",
)

AGGREGATE = Parameter(
    "aggregate",
    default=AGGREGATES[0],
    choices=AGGREGATES,
    annotation="str",
    help="Average the scores, or the scores relative to all systems on the same query, by a normal"
    " distribution or by the empirical one. Default: mean.",
)
