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
_MORE = 4
#: Number of presets named in addition to the first.
_NAMED = 24


def table(found: Reconciliation) -> Table:
    """Return the matches, or the nearest misses, with notes."""
    places = min(found.reported.digits + _MORE, 14)
    shown = Table(
        [
            Column("measure"),
            Column("convention", fit="wrap", most=_CONVENTION),
            Column("value", show=lambda value: digits(value, places)),
            Column("difference", "off by", lambda value: f"{value:+.{places}f}"),
        ],
        [
            (repr(match.measure), [match.label, *_also(match)], match.value, match.difference)
            for match in found.matches or found.nearest
        ],
        title=_title(found),
        notes=noted("search", _notes(found)),
    )
    return shown.only(lambda column: not found.matches or column.key != "difference")


def _title(found: Reconciliation) -> str:
    reported = found.reported
    said = f" as {found.measure!r}" if found.measure is not None else ""
    share = f", which is {digits(reported.value, reported.digits)}" if reported.per_cent else ""
    if found.matches:
        return f"What gives {reported.text}{share}{said}"
    also = ""
    if found.known:
        also = f" and the {'value' if found.known == 1 else 'values'} given of queries"
    return f"Nothing gives {reported.text}{share}{said}{also}; the nearest are"


def _also(match: Match) -> list[str]:
    more = len(match.also) - _NAMED
    named = f"{', '.join(match.also[:_NAMED])}{f' and {more} more' if more > 0 else ''}"
    return [f"  also {named}"] if match.also else []


def _notes(found: Reconciliation) -> list[str]:
    notes = []
    if not found.matches and found.nearest:
        notes.append("The nearest presets stand first, then the nearest of all that was searched.")
    if found.known:
        give = "gives" if found.contradicted == 1 else "give"
        notes.append(
            f"The {'value' if found.known == 1 else 'values'} of "
            f"{_count(found.known, 'query', 'queries')} {'was' if found.known == 1 else 'were'} "
            f"given, too: {_count(found.contradicted, 'combination')} that {give} the number "
            f"{'does' if found.contradicted == 1 else 'do'} not give "
            f"{'it' if found.known == 1 else 'them all'}."
        )
    notes.append(_searched(found))
    if found.matches:
        notes.append(_evidence(found))
    if found.indifferent:
        indifferent = "; ".join(f"{policy} ({why})" for policy, why in found.indifferent.items())
        notes.append(f"Makes no difference here: {indifferent}.")
    if found.refused:
        notes.append(
            f"Refuse these data as they are: {', '.join(found.refused)}. Where one can do without "
            "the policy that refuses, it was tried without."
        )
    if found.unverified:
        notes.append(_unverified(found))
    return notes


def _searched(found: Reconciliation) -> str:
    limit = ""
    if found.farthest is not None:
        limit = (
            ", all that differ from a preset in at most "
            f"{_count(found.farthest, 'policy', 'policies')}"
        )
    text = f"Searched {_count(found.searched, 'combination')}{limit}."
    if not found.matches:
        return text
    give = "gives" if found.matching == 1 else "give"
    text = f"{text} {found.matching:,} of them {give} the number, in"
    if found.found == 1:
        return f"{text} one group: all are the same query by query."
    shown = len(found.matches)
    listed = "" if shown == found.found else f"; the {shown} most plausible are listed"
    return f"{text} {found.found:,} groups that differ query by query{listed}."


def _evidence(found: Reconciliation) -> str:
    """Compare the number of matches with the number expected by chance."""
    expected = found.expected
    if expected < 0.001:
        number = "fewer than 0.001"
    else:
        number = "about " + (f"{expected:,.1f}" if expected >= 0.05 else f"{expected:.3f}")
    chance = (
        f"Chance alone would make {number} such groups, so densely do other numbers lie around "
        f"{found.reported.text}."
    )
    if found.coincidences == 0:
        return chance
    others = "the other one is" if found.coincidences == 1 else f"{found.coincidences:,} are"
    return (
        f"{chance} Only one can be how the number was made; {others} coincidence, and values of "
        "single queries tell which (--reported-per-query)."
    )


def _unverified(found: Reconciliation) -> str:
    measure = "these measures" if found.measure is None else found.measure.family
    presets = _count(len(found.unverified), "preset")
    return f"Not tried: {presets} not verified for {measure}."


def _count(number: int, one: str, several: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"
