"""The sentences of a trend."""

from __future__ import annotations

from gainful.formats.numbers import digits, span, with_sign
from gainful.vocabulary import SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.trends.result import Trend

__all__ = ["describe_family", "describe_left_out", "describe_total"]


def describe_total(trend: Trend) -> str:
    """Return how the measure changed since the first release, and which steps are significant."""
    first, last = trend.releases[0], trend.releases[-1]
    total = trend.total
    if total is None:
        return f"{last.release} and {first.release} have no common query with {trend.measure!r}."
    if total.queries == 1:
        return "One query proves nothing: add queries."
    name = repr(trend.measure)
    if total.verdict == "identical":
        opening = f"{name} is the same in {last.release} as in {first.release} on every query."
    else:
        level = f"{100 * (1 - trend.alpha):g}% CI"
        interval = f", {level} {span(*total.interval, with_sign)}" if total.interval else ""
        is_not = "" if total.verdict in SIGNIFICANT else "not "
        opening = (
            f"{name} is {digits(last.mean)} in {last.release} and {digits(first.mean)} in"
            f" {first.release}. The change ({with_sign(total.difference)}{interval}) is"
            f" {is_not}statistically significant."
        )
    steps = [
        f"{change.release} ({change.verdict}, {with_sign(change.difference)})"
        for change in trend.changes
        if change is not total and change.verdict in SIGNIFICANT
    ]
    if len(trend.releases) == 2:
        return opening
    if not steps:
        return f"{opening} No release differs significantly from the previous one."
    return f"{opening} Significant steps: {', '.join(steps)}."


def describe_family(trend: Trend) -> str:
    """Return which changes were tested, and how."""
    if len(trend.changes) == 1:
        return "Randomization test by sign flips, p corrected for skewness."
    which = "each release vs. the previous one"
    if len(trend.releases) > 2:
        which += ", and the last vs. the first"
    return (
        f"Randomization test, p corrected by Holm over {len(trend.changes)} changes and for"
        f" skewness: {which}. The intervals are simultaneous."
    )


def describe_left_out(trend: Trend) -> Iterator[str]:
    """Yield how many queries are left out because their judgments changed."""
    counts = [(one.release, one.left_out) for one in trend.releases if one.left_out]
    if counts:
        named = ", ".join(f"{count:,} of {name}" for name, count in counts[:3])
        more = f" and of {len(counts) - 3} more releases" if len(counts) > 3 else ""
        yield f"Queries left out, because their judgments have changed since: {named}{more}."
