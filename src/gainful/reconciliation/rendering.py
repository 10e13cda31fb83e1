"""Show a reconciliation as a table with notes."""

from __future__ import annotations

from gainful.formats.numbers import digits
from gainful.formats.table import Column, Table, noted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.reconciliation.result import Match, Reconciliation

#: Maximum width of the convention in the table.
_CONVENTION = 56
#: Digits shown beyond the reported ones.
_EXTRA_DIGITS = 4
#: Number of presets named in addition to the first.
_MOST_NAMED = 24


def table(found: Reconciliation) -> Table:
    """Return the matches, or the nearest misses, with notes."""
    places = min(found.reported.digits + _EXTRA_DIGITS, 14)
    shown = Table(
        [
            Column("measure"),
            Column("convention", fit="wrap", most=_CONVENTION),
            Column("value", show=lambda value: digits(value, places)),
            Column("difference", show=lambda value: f"{value:+.{places}f}"),
        ],
        [
            (
                repr(match.measure),
                [match.label, *_other_presets(match)],
                match.value,
                match.difference,
            )
            for match in found.matches or found.nearest
        ],
        title=_title(found),
        notes=noted("search", _notes(found)),
    )
    return shown.only(lambda column: not found.matches or column.key != "difference")


def _title(found: Reconciliation) -> str:
    reported = found.reported
    measure = f" for {found.measure!r}" if found.measure is not None else ""
    share = f" ({digits(reported.value, reported.digits)})" if reported.per_cent else ""
    number = f"{reported.text}{share}{measure}"
    if found.matches:
        return f"Conventions that give {number}"
    values = ""
    if found.reported_queries:
        values = (
            f" and the reported {'value' if found.reported_queries == 1 else 'values'} of queries"
        )
    return f"No convention gives {number}{values}; nearest misses"


def _other_presets(match: Match) -> list[str]:
    more = len(match.also) - _MOST_NAMED
    named = f"{', '.join(match.also[:_MOST_NAMED])}{f' and {more} more' if more > 0 else ''}"
    return [f"  also {named}"] if match.also else []


def _notes(found: Reconciliation) -> list[str]:
    notes = []
    if not found.matches and found.nearest:
        notes.append("The nearest presets come first, then the nearest of all combinations.")
    if found.reported_queries:
        verb = "contradicts" if found.contradicted == 1 else "contradict"
        notes.append(
            f"{_count_text(found.contradicted, 'combination')} with this mean {verb} the reported "
            f"{'value' if found.reported_queries == 1 else 'values'} of "
            f"{_count_text(found.reported_queries, 'query', 'queries')}."
        )
    notes.append(_describe_search(found))
    if found.matches:
        notes.append(_describe_evidence(found))
    if found.indifferent:
        indifferent = "; ".join(f"{policy} ({why})" for policy, why in found.indifferent.items())
        notes.append(f"No effect on these data: {indifferent}.")
    if found.refused:
        notes.append(
            f"Conventions that reject these data: {', '.join(found.refused)}. If possible, they "
            "were tried without the policy that rejects the data."
        )
    if found.unverified:
        notes.append(_describe_unverified(found))
    return notes


def _describe_search(found: Reconciliation) -> str:
    limit = ""
    if found.farthest is not None:
        policies = _count_text(found.farthest, "policy", "policies")
        limit = f", with at most {policies} different from a preset"
    text = f"Searched {_count_text(found.searched, 'combination')}{limit}."
    if not found.matches:
        return text
    give = "gives" if found.matching == 1 else "give"
    text = f"{text} {found.matching:,} of them {give} the number, in"
    if found.found == 1:
        return f"{text} one group with the same value for every query."
    shown = len(found.matches)
    listed = "" if shown == found.found else f"; the {shown} most plausible are listed"
    return f"{text} {found.found:,} groups that differ in the values of queries{listed}."


def _describe_evidence(found: Reconciliation) -> str:
    """Compare the number of matches with the number expected by chance."""
    expected = found.expected
    if expected < 0.001:
        number = "Fewer than 0.001"
    else:
        number = "About " + (f"{expected:,.1f}" if expected >= 0.05 else f"{expected:.3f}")
    chance = (
        f"{number} such groups are expected by chance, from the number of combinations near "
        f"{found.reported.text}."
    )
    if found.coincidences == 0:
        return chance
    return (
        f"{chance} At most one group explains the number. To rule out coincidences, add reported "
        "values of single queries (--reported-per-query)."
    )


def _describe_unverified(found: Reconciliation) -> str:
    measure = "these measures" if found.measure is None else found.measure.family
    presets = _count_text(len(found.unverified), "preset")
    return f"Not tried: {presets} not verified for {measure}."


def _count_text(number: int, one: str, several: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"
