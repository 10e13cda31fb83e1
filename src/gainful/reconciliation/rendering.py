"""Show a reconciliation as a table with notes."""

from __future__ import annotations

from gainful.conventions import Convention
from gainful.formats.numbers import digits
from gainful.formats.table import ALWAYS, Column, Table, noted
from gainful.reconciliation.evidence import CHANCE, share_by_chance
from gainful.references import refer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.reconciliation.result import Match, Reconciliation

#: The default convention.
_DEFAULT = Convention().name
#: Maximum width of the convention in the table.
_CONVENTION = 56
#: Digits shown beyond the reported ones.
_EXTRA_DIGITS = 4
#: Number of presets named in addition to the first; JSON has all of them.
_MOST_NAMED = 6
#: Number of rows if no match is more than a coincidence.
_MOST_COINCIDENCES = 5


def tables(found: Reconciliation) -> list[Table]:
    """Return the matches, or the nearest misses, with notes."""
    places = min(found.reported.digits + _EXTRA_DIGITS, 14)
    several = len(found.numbers) > 1
    shown = Table(
        [
            Column("measure"),
            Column("convention", fit="wrap", most=_CONVENTION),
            *_value_columns(found, places),
            Column("difference", show=lambda value: f"{value:+.{places}f}"),
        ],
        [
            (
                repr(match.measure),
                [
                    *_names(match),
                    *_readings(match),
                    *_other_presets(match),
                    *_other_measures(others),
                ],
                *match.values,
                match.difference,
            )
            for match, *others in _rows(found)
        ],
        title=_title(found),
        notes=noted("search", _notes(found)),
    )
    exact = found.matches or several
    return [shown.only(lambda column: not exact or column.key != "difference")]


def _value_columns(found: Reconciliation, places: int) -> Iterator[Column]:
    """Yield a column for the value of each run; on a narrow page only the first."""
    for number, run in enumerate(found.numbers):
        label = run if len(found.numbers) > 1 else "value"
        priority = 1 if number else ALWAYS
        yield Column(f"value.{run}", label, lambda value: digits(value, places), priority=priority)


def _rows(found: Reconciliation) -> list[list[Match]]:
    """Return the matches, those of equal conventions together."""
    rows: dict[tuple[object, ...], list[Match]] = {}
    for match in found.matches or found.nearest:
        rows.setdefault((match.label, match.also, match.readings), []).append(match)
    shown = list(rows.values())
    return shown[:_MOST_COINCIDENCES] if found.matches and not found.explained else shown


def _title(found: Reconciliation) -> str:
    reported = found.reported
    measure = f" for {found.measure!r}" if found.measure is not None else ""
    share = f" ({digits(reported.value, reported.digits)})" if reported.per_cent else ""
    number = f"{reported.text}{share}{measure}"
    if len(found.numbers) > 1:
        texts = (f"{number.text} ({run})" for run, number in found.numbers.items())
        number = f"{', '.join(texts)}{measure}"
    if found.explained:
        return f"Conventions that give {number}"
    if found.matches:
        conventions = _count_text(found.found, "convention")
        give = "gives" if found.found == 1 else "give"
        expected = _expected_text(found.coincidences)
        return f"No evidence: {conventions} {give} {number}, {expected} expected by chance"
    values = ""
    if found.reported_queries:
        values = (
            f" and the reported {'value' if found.reported_queries == 1 else 'values'} of queries"
        )
    return f"No convention gives {number}{values}; nearest misses"


def _names(match: Match) -> list[str]:
    """Return what separates a preset from the default convention, and its name."""
    if not match.separating:
        return [match.label]
    return [f"{', '.join(match.separating)}, unlike {_DEFAULT}", f"  {match.label}"]


def _readings(match: Match) -> list[str]:
    return [f"  {reading}" for reading in match.readings]


def _other_measures(others: list[Match]) -> list[str]:
    names = ", ".join(repr(match.measure) for match in others)
    return [f"  equally for {names}"] if others else []


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
    number = "numbers" if len(found.numbers) > 1 else "number"
    text = f"{text} {found.matching:,} of them {give} the {number}, in"
    if found.found == 1:
        return f"{text} one group with the same value for every query."
    shown = sum(len(row) for row in _rows(found))
    listed = "" if shown == found.found else f"; the {shown} most plausible are listed"
    return f"{text} {found.found:,} groups that differ in the values of queries{listed}."


def _describe_evidence(found: Reconciliation) -> str:
    """Compare the matches with those expected by chance."""
    first = found.matches[0]
    assert first.coincidences is not None
    share = share_by_chance(first.coincidences)
    percent = f"{share:.1%}" if share < 0.0995 else f"{share:.0%}"
    if share < 0.001:
        percent = "less than 0.1%"
    expected = _expected_text(found.coincidences)
    chance = (
        f"{expected[0].upper()}{expected[1:]} such groups are expected by chance. Chance gives "
        f"{percent} of numbers near {_texts(found)} a match at least as plausible as the "
        "first"
    )
    more = refer("per_query", "FILE")
    if not found.explained:
        return (
            f"{chance}, more than the limit of {CHANCE:.0%}. For evidence, add digits, name the "
            "measure with its cutoff, or add the reported numbers of other runs or of single "
            f"queries ({more})."
        )
    if found.found == 1 or len(found.numbers) > 1:
        return f"{chance}."
    return (
        f"{chance}. At most one group explains the number. To rule out the others, add reported "
        f"values of single queries ({more})."
    )


def _texts(found: Reconciliation) -> str:
    return ", ".join(number.text for number in found.numbers.values())


def _expected_text(number: float) -> str:
    if number < 0.001:
        return "fewer than 0.001"
    return f"about {number:,.1f}" if number >= 0.05 else f"about {number:.3f}"


def _describe_unverified(found: Reconciliation) -> str:
    measure = "these measures" if found.measure is None else found.measure.family
    presets = _count_text(len(found.unverified), "preset")
    return f"Not tried: {presets} not verified for {measure}."


def _count_text(number: int, one: str, several: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"
