"""A sweep as rows and JSON."""

from __future__ import annotations

from gainful.sweeps.points import format_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from gainful.comparison import Pair
    from gainful.evaluation.records import Rows
    from gainful.measures import Measure
    from gainful.sweeps.result import Sweep

__all__ = ["point_rows", "to_dict"]

_FIGURES = ("measure", "mean", "low", "high", "n", "judged", "chosen")
_VS_BASELINE = (
    "baseline",
    "difference",
    "difference_low",
    "difference_high",
    "p_adjusted",
    "verdict",
)
_LATENCY = ("latency_p50", "latency_p95")


def point_rows(sweep: Sweep) -> Rows:
    """Return headers and one row per point and measure.

    Settings come first; values other than numbers and text are JSON. With a baseline, the
    difference, its interval and the verdict come last.
    """
    versus = _VS_BASELINE if sweep.baseline is not None else ()
    headers = ("point", *sweep.settings, *_FIGURES, *versus, *_LATENCY)
    return headers, _rows(sweep)


def _rows(sweep: Sweep) -> Iterator[Sequence[object]]:
    comparison = sweep.comparison
    for measure in comparison.measures:
        for point in sweep.points:
            figures = sweep.evaluation.summary(measure, point.name)
            row: list[object] = [point.name]
            row += [_plain(point.settings.get(setting)) for setting in sweep.settings]
            row += [repr(measure), figures.mean, *(figures.interval or (None, None)), figures.n]
            row.append(figures.judged)
            row.append(sweep.choice.shares[point.name] if sweep.choice else None)
            if sweep.baseline is not None:
                row += [sweep.baseline, *_vs_baseline(_pair(sweep, point.name, measure))]
            account = sweep.runs[point.name].account
            latency = account.latency if account is not None else None
            row += [latency.p50, latency.p95] if latency is not None else [None, None]
            yield row


def _pair(sweep: Sweep, name: str, measure: Measure) -> Pair | None:
    if name == sweep.baseline:
        return None
    return sweep.comparison.pair(name, sweep.baseline, measure)


def _vs_baseline(pair: Pair | None) -> list[object]:
    if pair is None:
        return [None] * (len(_VS_BASELINE) - 1)
    return [pair.difference, *(pair.interval or (None, None)), pair.p_adjusted, pair.verdict]


def _plain(value: object) -> object:
    return value if isinstance(value, (int, float, str, type(None))) else format_value(value)


def to_dict(sweep: Sweep) -> dict[str, Any]:
    """Return the sweep as the JSON contract ``gainful.sweep/1``."""
    return {
        "schema": "gainful.sweep/1",
        "settings": list(sweep.settings),
        "sampled": sweep.sampled,
        "k": sweep.k,
        "skipped": sweep.skipped,
        "baseline": sweep.baseline,
        "points": [
            {
                "name": point.name,
                "settings": dict(point.settings),
                "failed": dict(sweep.runs[point.name].failed),
                "latency": _latency(sweep, point.name),
            }
            for point in sweep.points
        ],
        "choice": sweep.choice.to_dict() if sweep.choice is not None else None,
        "idle": list(sweep.idle),
        "comparison": sweep.comparison.to_dict(),
    }


def _latency(sweep: Sweep, name: str) -> dict[str, float] | None:
    account = sweep.runs[name].account
    if account is None or account.latency is None:
        return None
    found = account.latency
    return {each: getattr(found, each) for each in ("mean", "p50", "p90", "p95", "p99", "max")}
