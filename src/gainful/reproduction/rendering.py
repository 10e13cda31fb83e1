"""Render how well a rerun reproduces an original experiment."""

from __future__ import annotations

from gainful.formats.numbers import digits, with_sign
from gainful.formats.table import Column, Note, Table, noted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from gainful.reproduction.result import Claim, Estimate, Reproduction

__all__ = ["describe_verdict", "rows", "tables"]


def tables(found: Reproduction) -> list[Table]:
    """Return for each measure the scores, then the improvements."""
    shown: list[Table] = []
    for claim in found.claims.values():
        shown.append(_scores(found, claim))
        if claim.improvement is not None:
            shown.append(_improvements(found, claim))
    last = shown[-1]
    return [*shown[:-1], last.replace(notes=[*last.notes, *_notes(found)])]


def _scores(found: Reproduction, claim: Claim) -> Table:
    size = f"{claim.queries} queries"
    if not found.same_collection:
        size = f"{claim.queries} queries vs. {claim.rerun_queries} of another collection"
    shown = Table(
        [
            Column("role", ""),
            Column("original", show=digits),
            Column("rerun", show=digits),
            Column("difference", show=with_sign),
            Column("interval", f"{100 * found.level:g}% CI", _ends(with_sign)),
            Column("p", show=_p_text),
            Column("rmse", "RMSE", digits),
            Column("tau", "Kendall's tau", digits),
            Column("rbo", "RBO", digits),
        ],
        [
            (
                each.role,
                each.original,
                each.rerun,
                each.difference.value,
                (each.difference.low, each.difference.high),
                _or_blank(each.difference.p),
                _or_blank(each.rmse),
                _or_blank(each.tau),
                _or_blank(each.rbo),
            )
            for each in claim.scores
        ],
        title=f"{claim.measure}, {size}: {claim.verdict}",
    )
    across = ("rmse", "tau", "rbo")
    return shown.only(lambda column: found.same_collection or column.key not in across)


def _improvements(found: Reproduction, claim: Claim) -> Table:
    named = [
        ("original: system − baseline", claim.improvement, with_sign),
        ("rerun: system − baseline", claim.rerun_improvement, with_sign),
        ("effect ratio", claim.effect_ratio, digits),
        ("delta relative improvement", claim.delta_relative_improvement, with_sign),
    ]
    listed = [
        (name, show(each.value), _ends(show)((each.low, each.high)), _or_blank(each.p))
        for name, each, show in named
        if each is not None
    ]
    return Table(
        [
            Column("quantity", ""),
            Column("value"),
            Column("interval", f"{100 * found.level:g}% CI"),
            Column("p", show=_p_text),
        ],
        listed,
        title=f"{claim.measure}, improvement over the baseline",
    )


def describe_verdict(claim: Claim, margin: float) -> str:
    """Return in one sentence whether a claim is reproduced."""
    verdict = claim.verdict.capitalize()
    few = " Fewer than 10 queries differ: too few to be reproduced." if claim.few_changes else ""
    first, second, ratio = claim.improvement, claim.rerun_improvement, claim.effect_ratio
    if first is None or second is None:
        found = claim.scores[0].difference
        where = {
            "reproduced": f"within {margin:g} of",
            "not reproduced": f"more than {margin:g} from",
        }.get(claim.verdict, f"possibly within {margin:g} of")
        interval = _ends(with_sign)((found.low, found.high))
        return (
            f"{verdict}: the rerun's {claim.measure} is {where} the original's ({interval}).{few}"
        )
    share = f", {100 * ratio.value:.0f}% of it" if ratio is not None else ""
    return (
        f"{verdict}: the original improves {claim.measure} by {_gain(first)}, the rerun by"
        f" {_gain(second)}{share}.{few}"
    )


def _gain(estimate: Estimate) -> str:
    p = "" if estimate.p is None else f" (p {_p_text(estimate.p)})"
    return f"{with_sign(estimate.value)}{p}"


def _notes(found: Reproduction) -> list[Note]:
    alpha = f"{1 - found.level:.4g}"
    sentences = [describe_verdict(claim, found.margin) for claim in found.claims.values()]
    with_baselines = any(claim.improvement is not None for claim in found.claims.values())
    if with_baselines:
        rule = (
            f"Reproduced: both improvements are significant (p ≤ {alpha}), and the interval of the"
            f" effect ratio is at or above {found.least_ratio:g}. Partly: both are significant, and"
            " the interval is below that. Not reproduced: the interval is below that, and the"
            " rerun's improvement is not significant; or that is significant in the other"
            " direction. Otherwise inconclusive."
        )
    else:
        rule = (
            f"Reproduced: the interval of the difference is within ±{found.margin:g} (margin). Not"
            " reproduced: it is outside. Otherwise inconclusive."
        )
    tests = "paired t test" if found.same_collection else "Welch's t test, for other queries"
    explained = [
        f"difference: rerun − original; p: {tests}. Intervals are corrected for skewness.",
        f"RMSE is over queries. Kendall's tau (union) and RBO (p {found.persistence:g}) are means"
        f" over queries, down to rank {found.depth}.",
    ]
    if with_baselines:
        explained.append(
            "effect ratio: rerun's improvement / original's, with Fieller's interval. Delta"
            " relative improvement: original's relative improvement − rerun's."
        )
    return [
        *noted("verdict", sentences),
        *noted("rule", [rule]),
        *noted("methods", explained, explains=True),
        Note("convention", str(found.convention), explains=True),
    ]


def _or_blank(value: float | None) -> object:
    return "" if value is None else value


def _p_text(p: float) -> str:
    return "<.0001" if p < 0.0001 else digits(p)


def _ends(show: Callable[[float], str]) -> Callable[[tuple[float | None, float | None]], str]:
    def write(ends: tuple[float | None, float | None]) -> str:
        low, high = ends
        return "–" if low is None or high is None else f"{show(low)} to {show(high)}"

    return write


def rows(found: Reproduction) -> Iterator[dict[str, Any]]:
    """Yield one dictionary per measure and run, with the improvements of the measure."""
    for claim in found.claims.values():
        for each in claim.scores:
            row: dict[str, object] = {
                "measure": claim.measure,
                "run": each.role,
                "verdict": claim.verdict,
                "queries": claim.queries,
                "rerun_queries": claim.rerun_queries,
                "original": each.original,
                "rerun": each.rerun,
                **_columns("difference", each.difference),
                "rmse": each.rmse,
                "tau": each.tau,
                "rbo": each.rbo,
            }
            for name in ("effect_ratio", "delta_relative_improvement"):
                row |= _columns(name, getattr(claim, name))
            yield row


def _columns(name: str, estimate: Estimate | None) -> dict[str, object]:
    found: dict[str, object] = {
        name: None if estimate is None else estimate.value,
        f"{name}_low": None if estimate is None else estimate.low,
        f"{name}_high": None if estimate is None else estimate.high,
    }
    if name == "difference":
        found["p"] = None if estimate is None else estimate.p
    return found
