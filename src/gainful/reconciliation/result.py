"""The result of `reconcile`: the conventions that give a number."""

from __future__ import annotations

from gainful.reconciliation.evidence import CHANCE, share_by_chance
from gainful.reconciliation.rendering import tables
from gainful.records import Record, derived, field
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.conventions import Convention
    from gainful.formats.table import Table
    from gainful.measures import Measure
    from gainful.reconciliation.reported import Reported


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
    queries: int | None = field(default=None, optional=True, json=_COUNT)
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
    found: int = field(json=_COUNT)
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
    searched: int = field(json=_COUNT)
    """Number of combinations searched. Those that are equal on all possible data count once."""
    matching: int = field(json=_COUNT)
    """Number of combinations that give the number."""
    contradicted: int = field(default=0, json=_COUNT)
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
