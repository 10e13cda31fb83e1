"""The result of `reconcile`: the conventions that give a number."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gainful.reconciliation.evidence import CHANCE, share_by_chance
from gainful.reconciliation.rendering import tables
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.conventions import Convention
    from gainful.formats.table import Table
    from gainful.measures import Measure
    from gainful.reconciliation.reported import Reported


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A measure, convention and aggregation that give the number.

    Attributes
    ----------
    measure : Measure
        The measure.
    convention : Convention
        The convention; ``evaluate(qrels, run, measure, convention=convention)`` gives the value.
    aggregation : {"mean", "median", "sum"}
        The attribute of the evaluation's summary that has the value.
    value : float
        The full-precision value; of several runs, that of the first.
    difference : float
        The value minus the reported one.
    values : tuple of float
        The value of each run.
    nearest : str
        The preset that is equal to the convention or nearest to it.
    changes : tuple of str
        The differences from that preset, such as ``"ideal=judged"``. Empty for the preset itself.
    separating : tuple of str
        For a preset, the policies and parameters in which the default convention has to be changed
        to give the value, such as ``"duplicates=copies"``.
    also : tuple of str
        Other presets with the same value for every query apart from rounding, with the measure if
        it differs.
    combinations : int
        Number of searched combinations with the same value for every query, including this one.
    coincidences : float or None
        Number of matches at least as plausible as this one that are expected by chance. None for a
        nearest miss.
    readings : tuple of str
        How the number has to be read differently: at another cutoff than reported, with another
        relevance threshold, as a mean over another number of queries or over all relevant
        documents, or times a constant.
    queries : int or None
        The number of queries that the mean is over, if it is another than that of `evaluate`. The
        value is then the mean of `evaluate` times the ratio of both numbers.
    """

    measure: Measure
    convention: Convention
    aggregation: str
    value: float
    difference: float
    values: tuple[float, ...]
    nearest: str
    changes: tuple[str, ...] = ()
    separating: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    combinations: int = 1
    coincidences: float | None = None
    readings: tuple[str, ...] = ()
    queries: int | None = None

    @property
    def explains(self) -> bool:
        """Whether chance gives a match as plausible to at most 5% of numbers."""
        return self.coincidences is not None and share_by_chance(self.coincidences) <= CHANCE

    @property
    def preset(self) -> str | None:
        """The name of the preset if the convention is one, or None."""
        return None if self.changes else self.nearest

    @property
    def label(self) -> str:
        """The convention as text: ``scikit-learn-1.9.1 with ideal=judged``."""
        return f"{self.nearest} with {', '.join(self.changes)}" if self.changes else self.nearest

    def to_dict(self) -> dict[str, Any]:
        """Return the combination as plain values."""
        return {
            "preset": self.preset,
            "label": self.label,
            "changes": list(self.changes),
            "separating": list(self.separating),
            "measure": repr(self.measure),
            "aggregation": self.aggregation,
            "convention": {**self.convention.to_dict(), "text": str(self.convention)},
            "value": self.value,
            "difference": self.difference,
            "values": list(self.values),
            "also": list(self.also),
            "combinations": self.combinations,
            "coincidences": self.coincidences,
            "readings": list(self.readings),
            "queries": self.queries,
        }

    def __str__(self) -> str:
        return f"{self.measure!r} under {self.label}: {self.value!r}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Reconciliation(Result):
    """The conventions that give a reported number, and the strength of the evidence.

    It exports its matches as an Arrow stream, or the nearest misses if there are no matches, so
    ``polars.DataFrame(reconciliation)`` works.

    Attributes
    ----------
    numbers : dict of str to Reported
        The number of each run: its text, value, digits, and whether it is a percentage.
    measure : Measure or None
        The measure as reported.
    matches : tuple of Match
        The most plausible combinations that give the number. Presets at usual cutoffs come first,
        then combinations by the number of policies that differ from a preset. An unusual cutoff
        counts as one more policy. Each match represents all combinations with the same value for
        every query apart from rounding.
    found : int
        The total number of matches, of which `matches` lists the first. Any two of them differ on
        some query.
    coincidences : float
        The number of matches expected by chance, from the density of all combinations' values
        around the number.
    searched : int
        Number of combinations searched. Those that are equal on all possible data count once.
    matching : int
        Number of combinations that give the number.
    contradicted : int
        Number of combinations that give the number but not the reported values of queries.
    reported_queries : int
        Number of queries with reported values.
    nearest : tuple of Match
        If there is no match, the nearest presets and then the nearest of all combinations,
        including those that give the number but not the reported values of queries.
    indifferent : dict of str to str
        Policies that make no difference on these data, and why; they were not searched.
    refused : dict of str to str
        Presets that cannot be evaluated on these data, and why.
    unverified : tuple of str
        Presets that were not tried because they are not verified for the searched measures.
    farthest : int or None
        The largest number of policies in which a searched combination differs from the nearest
        preset; None if the search had no such limit.

    Examples
    --------
    >>> import gainful
    >>> qrels = {"q1": {"d1": 3, "d2": 2, "d3": 1}, "q2": {"d4": 1, "d5": 2}}
    >>> run = {"q1": {"d2": 3.0, "d9": 2.0, "d1": 1.0}, "q2": {"d4": 2.0, "d5": 1.0}}
    >>> found = gainful.reconcile(qrels, run, "0.7974", "nDCG@10")
    >>> found.matches[0].preset, round(found.matches[0].value, 6)
    ('gainful-1', 0.797363)
    """

    RECORDS = {"matches": None, "nearest": None}

    numbers: dict[str, Reported]
    measure: Measure | None
    matches: tuple[Match, ...]
    found: int
    coincidences: float
    searched: int
    matching: int
    contradicted: int = 0
    reported_queries: int = 0
    nearest: tuple[Match, ...] = ()
    indifferent: dict[str, str]
    refused: dict[str, str]
    unverified: tuple[str, ...] = ()
    farthest: int | None = None

    @property
    def reported(self) -> Reported:
        """The number; of several runs, that of the first."""
        return next(iter(self.numbers.values()))

    @property
    def explained(self) -> bool:
        """Whether the first match is more than a coincidence.

        Chance alone gives a match at least as plausible to at most 5% of numbers.
        """
        return bool(self.matches) and self.matches[0].explains

    def combined_with(self, other: Reconciliation) -> Reconciliation:
        """Return this result combined with that of a search for other measures."""
        matches = sorted(
            (*self.matches, *other.matches),
            key=lambda match: (not match.explains, len(match.changes) > 0),
        )
        nearest = () if matches else (*self.nearest, *other.nearest)
        limits = [each.farthest for each in (self, other) if each.farthest is not None]
        return replace(
            self if self.matches or not other.matches else other,
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

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the JSON contract ``gainful.reconciliation/1``."""
        reported = self.reported
        return {
            "schema": "gainful.reconciliation/1",
            "reported": {
                "text": reported.text,
                "value": reported.value,
                "digits": reported.digits,
                "per_cent": reported.per_cent,
                "queries": self.reported_queries,
            },
            "numbers": {
                run: {"text": number.text, "value": number.value, "digits": number.digits}
                for run, number in self.numbers.items()
            },
            "measure": None if self.measure is None else repr(self.measure),
            "matches": [match.to_dict() for match in self.matches],
            "found": self.found,
            "coincidences": self.coincidences,
            "explained": self.explained,
            "nearest": [match.to_dict() for match in self.nearest],
            "searched": self.searched,
            "matching": self.matching,
            "contradicted": self.contradicted,
            "farthest": self.farthest,
            "indifferent": dict(self.indifferent),
            "refused": dict(self.refused),
            "unverified": list(self.unverified),
        }

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
