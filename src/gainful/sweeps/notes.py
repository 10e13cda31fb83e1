"""Notes below a sweep: the value of the choice, and the basis of the verdicts."""

from __future__ import annotations

from gainful.comparison.notes import verdict_notes
from gainful.evaluation.notes import describe_convention
from gainful.formats.numbers import percent
from gainful.formats.table import Note, noted
from gainful.sweeps.points import CURRENT, name_of
from gainful.systems.search_tables import damaged_words, moment, seconds_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from gainful.sweeps.result import Sweep

__all__ = ["SHOWN", "account_line", "notes"]

#: The most points to show; exports have all.
SHOWN = 30


def notes(sweep: Sweep) -> list[Note]:
    """Return the notes below the tables of a sweep."""
    comparison = sweep.comparison
    parts = list(_about_choice(sweep))
    if len(sweep.points) > SHOWN:
        parts.append(f"The best {SHOWN} of {len(sweep.points)} points; --format tsv has them all.")
    parts += [*_current(sweep), *_idle(sweep)]
    if sweep.unasked:
        parts.append(f"{sweep.unasked:,} queries without judgments were not asked.")
    failed = {name: len(run.failed) for name, run in sweep.runs.items() if run.failed}
    if failed:
        parts.append(
            f"{sum(failed.values()):,} queries failed at {len(failed)} points and count as missing"
            " from the run."
        )
    return [
        *noted("choice", parts),
        *verdict_notes(comparison, comparison.pairs),
        Note("counts", met_line(sweep)),
        Note("convention", describe_convention(sweep.evaluation)),
    ]


def _about_choice(sweep: Sweep) -> Iterator[str]:
    choice = sweep.choice
    if choice is None:
        yield "No query counts at every point, so that no best one can be chosen."
        return
    first = choice.worth[choice.by]
    if first.expected is None:
        yield "One query tells nothing of what the best point is worth on others."
        return
    parts = "query" if first.repeats == 1 and first.folds == choice.queries else "part"
    times = f", {first.repeats} times over" if first.repeats > 1 else ""
    yield (
        "The best of many is partly luck. On others: chosen without one"
        f" {parts} of {first.folds} and measured on it, each in turn{times}. Chosen: how often it"
        " was then the best."
    )
    if first.low is not None:
        yield (
            f"Its interval: chosen on {first.resamples:,} resamples of the queries, and measured on"
            " those that each lacks."
        )
    if choice.left_out:
        yield (
            f"{choice.left_out:,} queries that only some points have a value for do not take part"
            " in the choice."
        )


def _idle(sweep: Sweep) -> Iterator[str]:
    for setting in sweep.idle:
        yield f"{setting} makes no difference to any answer: does the system use it?"


def _current(sweep: Sweep) -> Iterator[str]:
    """Describe the values of unset settings."""
    if sweep.baseline == CURRENT:
        settings = sweep.point(CURRENT).settings
        if settings:
            yield f"{CURRENT}: {name_of(settings)}, as the description has it."


def met_line(sweep: Sweep) -> str:
    """Return the range of the evaluation's counts over all points."""
    met = [sweep.evaluation.counts(point.name) for point in sweep.points]
    judged = met[0]["judged_queries"]
    parts: list[str] = []
    for key, words in (
        ("missing", "not in the run"),
        ("extra", "more in the run without judgments (ignored)"),
    ):
        parts += _range_of([_number(each[key]) for each in met], words)
    nothing = [number for each in met for number in _table(each["no_relevant"]).values()]
    parts += _range_of(nothing, "with nothing relevant")
    further = []
    for cutoff in _table(met[0]["ties_at_cutoff"]):
        ties = [_table(each["ties_at_cutoff"])[cutoff] for each in met]
        further += [f"ties across rank {cutoff} in {_span(ties)}"] if any(ties) else []
    for cutoff in _table(met[0]["judged_at_cutoff"]):
        known = [
            share
            for each in met
            for at, share in _table(each["judged_at_cutoff"]).items()
            if at == cutoff and isinstance(share, float)
        ]
        if known:
            least, most = percent(min(known)), percent(max(known))
            both = least if least == most else f"{least.removesuffix('%')} to {most}"
            further.append(f"judged@{cutoff} {both}")
    line = f"{judged} quer{'y' if judged == 1 else 'ies'} at each point"
    return "; ".join([f"{line}: {', '.join(parts)}" if parts else line, *further])


def _range_of(numbers: list[float], words: str) -> Iterable[str]:
    return [f"{_span(numbers)} {words}"] if any(numbers) else []


def _span(numbers: list[float]) -> str:
    least, most = min(numbers), max(numbers)
    return f"{least:g}" if least == most else f"{least:g} to {most:g}"


def _number(found: object) -> float:
    assert isinstance(found, int)
    return found


def _table(found: object) -> dict[str, Any]:
    assert isinstance(found, dict)
    return found


def account_line(sweep: Sweep, journal: str | None = None) -> str:
    """Describe the searches: number of answers and latency."""
    accounts = [run.account for run in sweep.runs.values() if run.account is not None]
    answered = sum(account.answered for account in accounts)
    kept = sum(account.kept for account in accounts)
    damaged = sum(account.damaged for account in accounts)
    failed = sum(len(account.failed) for account in accounts)
    retried = sum(account.retried for account in accounts)
    parts = [f"{answered:,} answers at {len(accounts)} points"]
    if kept:
        since = min(account.began for account in accounts if account.kept)
        parts.append(f"{kept:,} of them from the journal (since {moment(since)})")
    parts += [damaged_words(damaged)] if damaged else []
    parts += [f"{failed:,} queries failed"] if failed else []
    parts += [f"{retried:,} queries asked again"] if retried else []
    medians = [account.latency.p50 for account in accounts if account.latency is not None]
    tails = [account.latency.p99 for account in accounts if account.latency is not None]
    if medians:
        parts.append(f"latency p50 {_from_to(medians)}, p99 {_from_to(tails)}")
    line = "; ".join(parts) + "."
    return (
        f"{line}\nKept in {journal}: a sweep of more points asks for the new ones only."
        if journal
        else line
    )


def _from_to(seconds: list[float]) -> str:
    least, most = seconds_of(min(seconds)), seconds_of(max(seconds))
    return least if least == most else f"{least} to {most}"
