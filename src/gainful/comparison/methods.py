"""What a paper says about a comparison: the evaluation, the tests and their corrections."""

from __future__ import annotations

from gainful.evaluation.methods import describe_evaluation, references_of
from gainful.formats.methods import Methods, Reference
from gainful.formats.numbers import short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.comparison.result import Comparison

__all__ = ["methods_of"]

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
_REFERENCES = [each for each in map(Reference.parse, _SOURCES) if each is not None]
_CORRECTIONS = {"max-t": "max-T {westfall1993}", "holm": "Holm's method {holm1979}"}


def methods_of(comparison: Comparison) -> Methods:
    """Return the paragraph about a comparison."""
    evaluation = comparison.evaluations[0]
    sentences = [
        *describe_evaluation(evaluation, comparison.measures),
        *_describe_comparison(comparison),
    ]
    return Methods(sentences, [*references_of(comparison.measures), *_REFERENCES])


def _describe_comparison(comparison: Comparison) -> Iterator[str]:
    choices, pairs = comparison.choices, comparison.pairs
    number = len(comparison.systems)
    baselines = ", ".join(comparison.baselines)
    if baselines:
        yield f"We compare {number - len(comparison.baselines)} systems with {baselines}."
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
        yield f"The queries form {clusters:,} clusters ({comparison.cluster}), the units of tests."
    yield f"The random seed is {choices.seed}."
