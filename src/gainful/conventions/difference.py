"""Find the differences between two conventions."""

from __future__ import annotations

from textwrap import TextWrapper

from gainful.conventions.convention import get
from gainful.errors import MeasureError
from gainful.formats.table import Column, Note, Table
from gainful.keywords import suggest_keywords
from gainful.measures import Measure, describe
from gainful.measures.gain_text import meaning
from gainful.measures.parameters import format_value
from gainful.policies import POLICIES
from gainful.records import Record, as_columns, field
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gainful.conventions.convention import Convention
    from gainful.measures.parameters import Value

__all__ = ["Difference", "Differences", "compare_parameters", "diff"]

WIDTH = 100
_VALUE = {"type": ["string", "number", "boolean", "array", "null"]}


class Difference(Record):
    """A policy, or a parameter of a measure, that differs between two conventions.

    Examples
    --------
    >>> (change,) = diff("gainful-1", get("gainful-1").replace(missing="skip"))
    >>> print(change)
    missing: empty → skip
    >>> change.their_meaning
    'left out of the mean'
    """

    family: str | None
    """The measure family of a parameter; None for a policy."""
    name: str
    """The policy or parameter; ``cutoff`` is the cutoff of measures written without one."""
    ours: Value | None = field(json=_VALUE)
    """The first convention's value; None for an unset parameter."""
    theirs: Value | None = field(json=_VALUE)
    """The second convention's value; None for an unset parameter."""
    decides: str
    """What it decides, in one line."""
    our_meaning: str
    """The meaning of the first value; empty if `decides` explains it."""
    their_meaning: str
    """The meaning of the second value; empty if `decides` explains it."""

    @property
    def label(self) -> str:
        """The name with its family: ``"ties"``, ``"nDCG gain"``."""
        return self.name if self.family is None else f"{self.family} {self.name}"

    @property
    def values(self) -> tuple[str, str]:
        """Both values as text."""
        return format_value(self.ours), format_value(self.theirs)

    def __str__(self) -> str:
        ours, theirs = self.values
        return f"{self.label}: {ours} → {theirs}"

    def to_dict(self) -> dict[str, Any]:
        """Return the entry for JSON; NaN is the text ``"nan"``."""
        exported = super().to_dict()
        for name in ("ours", "theirs"):
            value = getattr(self, name)
            exported[name] = exported[name] if value == value else "nan"
        return exported


class Differences(Result):
    """The differences between two conventions: a sequence of `Difference`.

    Examples
    --------
    >>> import gainful
    >>> found = diff("gainful-1", "trec_eval")
    >>> [change.label for change in found]
    ['precision', 'negative', 'fractions', 'missing', 'Prefs ties']
    >>> bool(found), len(diff(found.ours, found.ours))
    (True, 0)
    """

    RECORDS = {"differences": None}

    ours: Convention
    """The first convention."""
    theirs: Convention
    """The second convention."""
    entries: tuple[Difference, ...]
    """The policies in their order, then the parameters of measures by family."""

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, index: int) -> Difference:
        return self.entries[index]

    def to_dict(self) -> dict[str, Any]:
        """Return both conventions and the entries for JSON."""
        return {
            "ours": self.ours.to_dict(),
            "theirs": self.theirs.to_dict(),
            "differences": [change.to_dict() for change in self.entries],
        }

    def tables(self) -> list[Table]:
        """Return the differences as a table, one row per policy or parameter."""
        rows = []
        for change in self.entries:
            meanings = " → ".join(filter(None, (change.our_meaning, change.their_meaning)))
            explained = f"{change.decides}: {meanings}" if meanings else change.decides
            rows.append((change.label, *change.values, explained))
        columns = [
            Column("policy"),
            Column("ours", self.ours.label),
            Column("theirs", self.theirs.label),
            Column("decides", "meaning", fit="wrap"),
        ]
        notes = [] if rows else [Note("same", "They have the same policies.")]
        return [Table(columns, rows, notes=notes)]

    def _records(self, name: str) -> Records:
        values = zip(*(change.values for change in self.entries), strict=True)
        texts = dict(zip(("ours", "theirs"), map(list, values), strict=False))
        return as_columns(Difference, self.entries) | texts

    def to_text(self, *, notes: bool = False) -> str:
        """Return the differences as plain text, one line for each."""
        return "\n".join(_lines(self))

    def _plain(self, columns: int | None = None, *, notes: bool = False) -> str:
        return self.to_text()

    def _drawn(self, *, notes: bool = False) -> str:
        return self.to_text()


@suggest_keywords
def diff(ours: Convention | str, theirs: Convention | str) -> Differences:
    """Compare two conventions, policy by policy and parameter by parameter.

    Parameters
    ----------
    ours, theirs : Convention or str
        The conventions to compare, or the names of presets.

    Returns
    -------
    Differences
        One entry per differing policy and measure parameter, in the order of the policies. The
        names of the conventions are not compared.

    Raises
    ------
    ConventionError
        If no convention has the name.

    Examples
    --------
    >>> import gainful
    >>> print(gainful.conventions.diff("gainful-1", "ir_measures"))
    gainful-1 and ir_measures-0.4.3 differ in 2 policies
    <BLANKLINE>
    precision: the precision of scores in comparisons
      gainful-1          float64   64-bit floats
      ir_measures-0.4.3  float32   32-bit floats, in which close scores become equal
    <BLANKLINE>
    negative: treatment of negative grades
      gainful-1          zero      judged, not relevant, no gain
      ir_measures-0.4.3  unjudged  treated as unjudged
    """
    ours, other = get(ours), get(theirs)
    differences = [
        Difference(
            family=None,
            name=policy.name,
            ours=one,
            theirs=two,
            decides=policy.decides,
            our_meaning=policy.meaning(one),
            their_meaning=policy.meaning(two),
        )
        for policy in POLICIES
        for one, two in ((getattr(ours, policy.name), getattr(other, policy.name)),)
        if one != two and (one == one or two == two)
    ]
    families = ["nDCG", *sorted({*ours.defaults, *other.defaults} - {"nDCG"})]
    seen: dict[str, set[tuple[str, Value | None, Value | None]]] = {}
    for family in families:
        inherited = seen.get(_parent(family) or "", set())
        mine = compare_parameters(family, ours, other)
        seen[family] = {(entry.name, entry.ours, entry.theirs) for entry in mine}
        # Report an inherited default only for the family that it comes from.
        differences += [
            entry for entry in mine if (entry.name, entry.ours, entry.theirs) not in inherited
        ]
    return Differences(ours=ours, theirs=other, entries=tuple(differences))


def compare_parameters(family: str, ours: Convention, theirs: Convention) -> list[Difference]:
    """Return the parameters of a family that a convention sets."""
    measure = Measure(family)
    try:
        return compare_measures(measure.resolve(ours), measure.resolve(theirs))
    except MeasureError:
        # IPrec without a level cannot be measured, but its parameters can be compared.
        one, two = (
            Measure(family, dict(parameters.defaults.get(family, {})))
            for parameters in (ours, theirs)
        )
        return compare_measures(one, two)


def compare_measures(ours: Measure, theirs: Measure) -> list[Difference]:
    """Return the parameters and the cutoff in which two measures of one family differ."""
    family = ours.declaration
    one, two = ours.params, theirs.params
    entries = []
    for parameter in family.parameters:
        name = parameter.name
        mine, other = one.get(name, parameter.default), two.get(name, parameter.default)
        if mine != other:
            entries.append(
                Difference(
                    family=family.name,
                    name=name,
                    ours=mine,
                    theirs=other,
                    decides=parameter.decides,
                    our_meaning=meaning(name, mine),
                    their_meaning=meaning(name, other),
                )
            )
    if ours.cutoff != theirs.cutoff:
        entries.append(
            Difference(
                family=family.name,
                name="cutoff",
                ours=ours.cutoff,
                theirs=theirs.cutoff,
                decides="the default cutoff",
                our_meaning="all of them" if ours.cutoff is None else "",
                their_meaning="all of them" if theirs.cutoff is None else "",
            )
        )
    return entries


def _parent(family: str) -> str | None:
    return describe(family).inherits


def _lines(found: Differences) -> Iterator[str]:
    names = [found.ours.label, found.theirs.label]
    if not found.entries:
        yield f"{names[0]} and {names[1]} have the same policies"
        return
    if max(map(len, names)) > WIDTH // 3:
        # Names with all their changes are too wide for columns.
        for letter, name in zip("AB", names, strict=True):
            yield from _wrapped(name, f"{letter}  ", "   ")
        yield ""
        names = ["A", "B"]
    yield from _wrapped(f"{names[0]} and {names[1]} differ in {_counted(found.entries)}", "", "  ")
    first = max(map(len, names))
    values = [len(value) for entry in found.entries for value in entry.values]
    second = min(max(values), WIDTH // 3)
    for row in found.entries:
        yield ""
        yield from _wrapped(f"{row.label}: {row.decides}", "", "  ")
        for name, value, means in zip(
            names, row.values, (row.our_meaning, row.their_meaning), strict=True
        ):
            start = f"  {name:<{first}}  "
            text = f"{value:<{second}}  {means}" if means else value
            yield from _wrapped(text, start, " " * (len(start) + (second + 2 if means else 0)))


def _counted(entries: tuple[Difference, ...]) -> str:
    policies = sum(entry.family is None for entry in entries)
    parts = [
        f"{count} {one if count == 1 else several}"
        for count, one, several in (
            (policies, "policy", "policies"),
            (len(entries) - policies, "parameter of measures", "parameters of measures"),
        )
        if count
    ]
    return " and ".join(parts)


def _wrapped(text: str, first: str, others: str) -> Iterator[str]:
    filler = TextWrapper(WIDTH, break_long_words=False, break_on_hyphens=False)
    filler.initial_indent, filler.subsequent_indent = first, others
    filler.drop_whitespace = True
    filler.replace_whitespace = False
    yield from filler.wrap(text)
