"""A reconciliation in words."""

from __future__ import annotations

from textwrap import wrap

from gainful.table import TextTable, digits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.reconciliation.result import Match, Reconciliation

#: Columns of a note, and of the convention in the table.
_WIDE, _CONVENTION = 100, 56
#: Digits beyond those that were reported.
_MORE = 4
_NAMED = 8


def table(found: Reconciliation) -> TextTable:
    """Return the matches, or the nearest misses, with what they say below."""
    places = min(found.reported.digits + _MORE, 14)
    rows = []
    for match in found.matches or found.nearest:
        rows += _rows(match, places, missed=not found.matches)
    headers = ["measure", "convention", "value"]
    if not found.matches:
        headers.append("off by")
    notes = [line for text in _notes(found) for line in wrap(text, _WIDE)]
    return TextTable(
        headers,
        rows,
        align="llr" if found.matches else "llrr",
        title=_title(found),
        notes=notes,
    )


def _title(found: Reconciliation) -> str:
    reported = found.reported
    said = f" as {found.measure!r}" if found.measure is not None else ""
    share = f", which is {digits(reported.value, reported.digits)}" if reported.per_cent else ""
    if found.matches:
        return f"What gives {reported.text}{share}{said}"
    return f"Nothing gives {reported.text}{share}{said}; the nearest are"


def _rows(match: Match, places: int, *, missed: bool) -> list[list[str]]:
    lines = wrap(match.label, _CONVENTION, break_on_hyphens=False, subsequent_indent="  ")
    if match.also:
        named = ", ".join(match.also[:_NAMED])
        more = len(match.also) - _NAMED
        text = f"also {named}{f' and {more} more' if more > 0 else ''}"
        lines += wrap(
            text,
            _CONVENTION,
            break_on_hyphens=False,
            initial_indent="  ",
            subsequent_indent="  ",
        )
    first = [repr(match.measure), lines[0], digits(match.value, places)]
    if missed:
        first.append(f"{match.difference:+.{places}f}")
    return [
        first,
        *([*["" for _ in first[:1]], line, *["" for _ in first[2:]]] for line in lines[1:]),
    ]


def _notes(found: Reconciliation) -> list[str]:
    notes = []
    if found.known:
        notes.append(
            f"The values of {_count(found.known, 'query', 'queries')} were given, too: "
            f"{_count(found.contradicted, 'combination')} that "
            f"{'gives' if found.contradicted == 1 else 'give'} the number "
            f"{'does' if found.contradicted == 1 else 'do'} not give these."
        )
    notes.append(_searched(found))
    if found.matches:
        notes.append(_evidence(found))
    if found.indifferent:
        told = "; ".join(f"{policy} ({why})" for policy, why in found.indifferent.items())
        notes.append(f"Makes no difference here: {told}.")
    if found.refused:
        notes.append(
            f"Refuse these data as they are: {', '.join(found.refused)}; they were tried without "
            "the policy that refuses, if there is such a one."
        )
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
    differ = "differs" if found.found == 1 else "differ"
    return (
        f"{text} {found.matching:,} of them {give} the number, in {_count(found.found, 'group')} "
        f"that {differ} query by query."
    )


def _evidence(found: Reconciliation) -> str:
    expected = f"{found.expected:,.1f}" if found.expected >= 0.05 else f"{found.expected:.3f}"
    text = (
        f"So densely lie the numbers around {found.reported.text} that {expected} would round to "
        "it by chance"
    )
    if found.coincidences == 0:
        return f"{text}; nothing else does."
    return (
        f"{text}; beside the first match {found.coincidences:,} "
        f"{'does' if found.coincidences == 1 else 'do'}: values of single queries would tell them "
        "apart."
    )


def _count(number: int, one: str, several: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"
