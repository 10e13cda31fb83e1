"""The notes below estimates that combine people and a model."""

from __future__ import annotations

from typing import NamedTuple

from gainful.evaluation.predicted import DOUBTFUL
from gainful.formats.numbers import digits, with_sign
from gainful.formats.table import Note, noted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gainful.evaluation.predicted import TwoPhaseSample
    from gainful.evaluation.predicted_result import PredictedEstimate

__all__ = [
    "Worth",
    "condition_notes",
    "describe_worth",
    "explanations",
    "show_rate",
    "worth_of",
]

#: With more names, a note counts them.
_NAMED = 4


class Worth(NamedTuple):
    """What notes say about an estimate; the fields are those of `PredictedEstimate`."""

    n: int
    effective: float
    effective_low: float | None
    effective_high: float | None
    reason: str
    p_random: float


def worth_of(estimate: PredictedEstimate) -> Worth:
    """Return what notes say about an estimate."""
    low, high = estimate.effective_interval or (None, None)
    numbers = (estimate.n, estimate.effective, low, high)
    return Worth(*numbers, estimate.reason, estimate.p_random)


def explanations() -> list[Note]:
    """Return notes on the headings of an estimate."""
    return [
        Note(
            "combined",
            "combined: the mean of people, corrected by the model's values of the other queries."
            " λ: how much of these values is used.",
            explains=True,
        ),
        Note(
            "effective",
            "worth: how many human-judged queries would give this interval without the model.",
            explains=True,
        ),
    ]


def show_rate(rate: float) -> str:
    """Format a rate: 0 if the model is not used."""
    return with_sign(rate, 2).removeprefix("+") if rate else "0"


def describe_worth(estimates: Sequence[Worth]) -> str:
    """Return a sentence on the effective sample size, with the range of several estimates.

    Examples
    --------
    >>> describe_worth([Worth(40, 71.2, 58.6, 90.1, "", 0.5)])
    'Your 40 human-judged queries are worth 71 (95% CI 59 to 90).'
    >>> describe_worth([Worth(40, 40.0, None, None, "no-gain", 0.5)])
    'Your 40 human-judged queries are worth 40.'
    """
    n = max(estimate.n for estimate in estimates)
    sizes = sorted({round(estimate.effective) for estimate in estimates})
    worth = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
    ends = [
        (estimate.effective_low, estimate.effective_high)
        for estimate in estimates
        if estimate.effective_low is not None and estimate.effective_high is not None
    ]
    if ends:
        kind = "95% CI" if len(ends) == 1 else "95% CIs from"
        worth += f" ({kind} {min(ends)[0]:,.0f} to {max(high for _, high in ends):,.0f})"
    return f"Your {n:,} human-judged queries are worth {worth}."


def condition_notes(sample: TwoPhaseSample, estimates: Sequence[tuple[str, Worth]]) -> list[Note]:
    """Return notes on the conditions of combined estimates, and where the model adds nothing.

    Parameters
    ----------
    sample : TwoPhaseSample
        The queries.
    estimates : sequence of (str, PredictedEstimate)
        The estimates by name.
    """
    return [
        *noted("random", _describe_sample(sample, [estimate for _, estimate in estimates])),
        *noted("scale", _describe_scales(sample)),
        *noted("few_errors", _list(estimates, "few-errors", _few_errors)),
        *noted("few_values", _list(estimates, "few-values", _few_values)),
        *noted("no_gain", _list(estimates, "no-gain", _no_gain)),
        *noted("left_out", _describe_left_out(sample)),
        Note(
            "condition",
            f"{_condition(sample)} the model (prompt, examples, calibration) was fixed without"
            f" {'the human-judged queries' if sample.drawn else 'them'}.",
        ),
    ]


def _describe_sample(sample: TwoPhaseSample, estimates: Sequence[Worth]) -> Iterator[str]:
    """Warn if the model's values of the human-judged queries differ from those of the others."""
    # Corrected by Bonferroni, since each estimate has a test.
    least = len(estimates) * min((estimate.p_random for estimate in estimates), default=1.0)
    if least < DOUBTFUL and sample.drawn is None:
        yield (
            "Warning: the human-judged queries do not look like a random sample: the model's values"
            f" of them differ from those of the other queries (p {'<' if least < 1e-4 else '='}"
            f" {digits(max(least, 1e-4))}). If they were not drawn at random, do not use the"
            " combined estimate."
        )


def _condition(sample: TwoPhaseSample) -> str:
    if sample.drawn is None:
        return "Valid if people judged a random sample of the queries, and"
    drawn = sample.drawn
    return (
        f"People judged the {drawn.drawn:,} of {drawn.queries:,} queries that were drawn at random"
        f" (seed {drawn.seed}). Valid if"
    )


def _describe_scales(sample: TwoPhaseSample) -> Iterator[str]:
    if sample.other_scale:
        people, model = (f"{grade:g}" for grade in sample.highest)
        yield (
            f"Warning: the highest grade is {people} by people and {model} by the model. The"
            " combined estimate is valid, but labels on one scale help more."
        )


def _list(
    estimates: Sequence[tuple[str, Worth]], reason: str, text: Callable[[str], str]
) -> Iterator[str]:
    names = [name for name, estimate in estimates if estimate.reason == reason]
    if names:
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        whole = len(names) == len(estimates)
        yield text("" if whole else f"{', '.join(names[:_NAMED])}{more}: ")


def _few_errors(names: str) -> str:
    people = "people" if names else "People"
    return (
        f"{names}{people} and the model disagree on fewer than 10 queries, too few to know the"
        " error of the model. The interval is that of people only."
    )


def _few_values(names: str) -> str:
    return (
        f"{names}{'f' if names else 'F'}ewer than 6 human-judged queries have another value than"
        " the most frequent one, too few to use the model. The interval is that of people only."
    )


def _no_gain(names: str) -> str:
    return (
        f"{names}{'t' if names else 'T'}he model adds nothing. The interval is that of people only."
    )


def _describe_left_out(sample: TwoPhaseSample) -> Iterator[str]:
    if sample.left_out:
        yield f"Human-judged queries without judgments of the model, left out: {sample.left_out:,}."
