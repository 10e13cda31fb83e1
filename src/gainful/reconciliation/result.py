"""The conventions that give the reported numbers, and how many others would."""

from __future__ import annotations

from math import expm1

from gainful.conventions import Convention
from gainful.formats.numbers import digits
from gainful.formats.table import ALWAYS, Column, Table, noted
from gainful.records import Record, derived, field
from gainful.references import refer
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.measures import Measure
    from gainful.reconciliation.space import Reported


#: A match explains a number if chance gives one as plausible to at most this share of numbers.
CHANCE = 0.05


def share_by_chance(coincidences: float) -> float:
    """Return the share of numbers with a match if so many matches are expected for each.

    Examples
    --------
    >>> round(share_by_chance(0.05), 4), round(share_by_chance(3.0), 4)
    (0.0488, 0.9502)
    """
    return -expm1(-coincidences)


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


_COUNT = {"minimum": 0}
_NUMBER = {"minimum": 1}


class Match(Record):
    """A measure, convention and aggregation that give the number."""

    preset: str | None = derived(lambda match: None if match.changes else match.nearest)
    """The name of the preset if the convention is one; None if it is not."""
    label: str = derived(lambda match: " with ".join(filter(None, _parts(match))))
    """The convention as text, the nearest preset and the differences: ``scikit-learn-1.9.1 with
    ideal=judged``."""
    changes: tuple[str, ...] = ()
    """The differences from the nearest preset, such as ``"ideal=judged"``. Empty for the preset
    itself."""
    separating: tuple[str, ...] = ()
    """For a preset, the policies and parameters in which the default convention has to be changed
    to give the value, such as ``"duplicates=copies"``."""
    measure: Measure
    """The measure."""
    aggregation: str = field(json={"enum": ["mean", "median", "sum"]})
    """The attribute of the evaluation's summary that has the value."""
    convention: Convention
    """The convention; ``evaluate(qrels, run, measure, convention=convention)`` gives the value."""
    value: float
    """The full-precision value; of several runs, that of the first."""
    difference: float
    """The value minus the reported one."""
    values: tuple[float, ...]
    """The value of each run, in the order of `numbers`."""
    also: tuple[str, ...] = ()
    """Other presets with the same value for every query apart from rounding, with the measure if it
    differs."""
    combinations: int = field(default=1, json=_NUMBER)
    """Number of searched combinations with the same value for every query, including this one."""
    coincidences: float | None = field(default=None, json=_COUNT)
    """Number of matches at least as plausible as this one that are expected by chance. None for a
    nearest miss."""
    readings: tuple[str, ...] = ()
    """How the number has to be read differently: at another cutoff than reported, with another
    relevance threshold, as a mean over another number of queries or over all relevant documents, or
    times a constant."""
    queries: int | None = field(default=None, json=_NUMBER)
    """The number of queries that the mean is over, if it is another than that of `evaluate`. The
    value is then the mean of `evaluate` times the ratio of both numbers."""
    nearest: str = field(key="")
    """The preset that is equal to the convention or nearest to it."""

    @property
    def explains(self) -> bool:
        """Whether chance gives a match as plausible to at most 5% of numbers."""
        return self.coincidences is not None and share_by_chance(self.coincidences) <= CHANCE

    def __str__(self) -> str:
        return f"{self.measure!r} under {self.label}: {self.value!r}"


def _parts(match: Match) -> tuple[str, str]:
    return match.nearest, ", ".join(match.changes)


class ReportedNumber(Record):
    """A reported number."""

    text: str
    """The number as reported."""
    value: float
    """The number as a share, also if it was a percentage."""
    digits: int = field(json=_NUMBER)
    """The printed digits of the value."""
    per_cent: bool | None = field(default=None, optional=True)
    """Whether it is a percentage."""
    queries: int | None = field(default=None, optional=True)
    """The number of queries with reported values."""


class Reconciliation(Result):
    """The conventions that give a reported number, and the strength of the evidence.

    It exports its matches as an Arrow stream, or the nearest misses if there are no matches, so
    ``polars.DataFrame(reconciliation)`` works.

    Examples
    --------
    >>> import gainful
    >>> qrels = {"q1": {"d1": 3, "d2": 2, "d3": 1}, "q2": {"d4": 1, "d5": 2}}
    >>> run = {"q1": {"d2": 3.0, "d9": 2.0, "d1": 1.0}, "q2": {"d4": 2.0, "d5": 1.0}}
    >>> found = gainful.reconcile(qrels, run, "0.7974", "nDCG@10")
    >>> found.matches[0].preset, round(found.matches[0].value, 6)
    ('gainful-1', 0.797363)
    """

    SCHEMA = "gainful.reconciliation/1"
    COMMAND = "reconcile"
    RECORDS = {"matches": None, "nearest": None}

    _reported: ReportedNumber = derived(
        lambda result: _reported(result.reported).replace(
            per_cent=result.reported.per_cent, queries=result.reported_queries
        ),
        key="reported",
    )
    """The reported number; of several runs, that of the first."""
    _numbers: dict[str, ReportedNumber] = derived(
        lambda result: {run: _reported(number) for run, number in result.numbers.items()},
        key="numbers",
        json={"minProperties": 1},
    )
    """The number of each run, the first as in `reported`."""
    measure: Measure | None
    """The measure as reported."""
    matches: tuple[Match, ...]
    """The most plausible combinations that give the number. Presets at usual cutoffs come first,
    then combinations by the number of policies that differ from a preset. An unusual cutoff counts
    as one more policy. Each match represents all combinations with the same value for every query
    apart from rounding."""
    found: int
    """The total number of matches, of which `matches` lists the first. Any two of them differ on
    some query."""
    coincidences: float = field(json=_COUNT)
    """The number of matches expected by chance, from the density of all combinations' values around
    the number."""
    explained: bool = derived(lambda result: bool(result.matches) and result.matches[0].explains)
    """Whether the first match is more than a coincidence: chance gives one at least as plausible to
    at most 5% of numbers."""
    nearest: tuple[Match, ...] = ()
    """If there is no match, the nearest presets and then the nearest of all combinations, including
    those that give the number but not the reported values of queries."""
    searched: int
    """Number of combinations searched. Those that are equal on all possible data count once."""
    matching: int
    """Number of combinations that give the number."""
    contradicted: int = 0
    """Number of combinations that give the number but not the reported values of queries."""
    farthest: int | None = None
    """The largest number of policies in which a searched combination differs from the nearest
    preset; None if the search had no such limit."""
    indifferent: dict[str, str]
    """Policies that make no difference on these data, and why; they were not searched."""
    refused: dict[str, str]
    """Presets that cannot be evaluated on these data, and why."""
    unverified: tuple[str, ...] = ()
    """Presets that were not tried because they are not verified for the searched measures."""
    numbers: dict[str, Reported] = field(key="")
    """The number of each run: its text, value, digits, and whether it is a percentage."""
    reported_queries: int = field(default=0, key="")
    """Number of queries with reported values."""

    @property
    def reported(self) -> Reported:
        """The number; of several runs, that of the first."""
        return next(iter(self.numbers.values()))

    def combined_with(self, other: Reconciliation) -> Reconciliation:
        """Return this result combined with that of a search for other measures."""
        matches = sorted(
            (*self.matches, *other.matches),
            key=lambda match: (not match.explains, len(match.changes) > 0),
        )
        nearest = () if matches else (*self.nearest, *other.nearest)
        limits = [result.farthest for result in (self, other) if result.farthest is not None]
        base = self if self.matches or not other.matches else other
        return base.replace(
            matches=tuple(matches),
            found=self.found + other.found,
            coincidences=self.coincidences + other.coincidences,
            searched=self.searched + other.searched,
            matching=self.matching + other.matching,
            contradicted=self.contradicted + other.contradicted,
            nearest=nearest,
            farthest=min(limits, default=None),
        )

    def __bool__(self) -> bool:
        return self.explained

    def __repr__(self) -> str:
        what = self.matches[0] if self.matches else "no match"
        texts = ", ".join(number.text for number in self.numbers.values())
        return f"<Reconciliation of {texts}: {what}>"

    def tables(self) -> list[Table]:
        """Return the matches, or the nearest misses, as a table."""
        return tables(self)

    def _records(self, name: str) -> Records:
        shown = self.nearest if name == "nearest" else self.matches
        return {
            "measure": [repr(match.measure) for match in shown],
            "preset": [match.preset for match in shown],
            "convention": [match.label for match in shown],
            "separating": [", ".join(match.separating) for match in shown],
            "aggregation": [match.aggregation for match in shown],
            "value": [match.value for match in shown],
            "difference": [match.difference for match in shown],
            "also": [", ".join(match.also) for match in shown],
            "combinations": [match.combinations for match in shown],
            "coincidences": [match.coincidences for match in shown],
            "readings": ["; ".join(match.readings) for match in shown],
        }


def _reported(number: Reported) -> ReportedNumber:
    return ReportedNumber(text=number.text, value=number.value, digits=number.digits)
