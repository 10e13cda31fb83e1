"""The result of comparing measures: discriminative power and agreement."""

from __future__ import annotations

from itertools import chain

from gainful import plots
from gainful.formats.numbers import digits, short
from gainful.formats.table import Column, Note, Table, noted
from gainful.records import Interval, Record, as_columns, derived, field
from gainful.records.tables import columns_of, table_of_columns
from gainful.results import Records, Result, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gainful.plots import Plot

__all__ = ["Discrimination", "MeasureAgreement", "MeasurePair", "SystemPair"]

#: Columns of a sorted-p curve.
CURVE = 20
_BLOCKS = "▁▂▃▄▅▆▇█"
#: Pairs are counted at these p-values.
LEVELS = (0.001, 0.01, 0.05, 0.1)

#: The tests of whether two systems differ significantly, and their texts.
TESTS = {
    "max-t": "randomization test, p corrected by max-T over a measure's pairs, and for skewness",
    "tukey": "randomized Tukey HSD over the pairs of a measure",
    "t": "paired t test, uncorrected",
    "randomization": "randomization test, uncorrected",
}

#: The fields that are also shown by slice, and their titles.
_SLICED = {"Discriminative power": "measures", "Agreement between measures": "pairs"}

_COUNT = {"minimum": 0}
_SHARE = {"minimum": 0, "maximum": 1}
_CORRELATION = {"minimum": -1, "maximum": 1}


def _three(value: float) -> str:
    return digits(value, 3)


def _two(value: float) -> str:
    return digits(value, 2)


class SystemPair(Record):
    """Two systems under one measure."""

    system: str
    """The better system by its mean; for equal means, the first of the runs."""
    other: str
    """The other system."""
    difference: float = field(json=_COUNT)
    """The difference of their means."""
    p: float = field(json=_SHARE)
    """The p-value; with ``max-t`` and ``tukey`` corrected over all pairs of the measure."""
    significant: bool
    """Whether p is at most alpha."""


class Discrimination(Record):
    """The discriminative power of one measure."""

    measure: str = field(tables="power slices")
    """The name of the measure."""
    queries: int = field(tables="power slices", show=str, json=_COUNT)
    """The number of queries that count for all systems."""
    left_out: int = field(json=_COUNT)
    """The number of queries that count only for some systems."""
    significant: int = derived(
        lambda power: sum(pair.significant for pair in power.pairs),
        tables="power slices",
        json=_COUNT,
    )
    """The number of significant pairs."""
    power: float = derived(
        lambda power: power.significant / len(power.pairs),
        tables="power slices",
        label="share",
        show=lambda share: f"{share:.0%}",
        json=_SHARE,
    )
    """Discriminative power: the share of significant pairs."""
    # The fourth digit depends on the seed.
    half_width: float | None = field(
        default=None, tables="power", label="critical difference", show=_three
    )
    """With ``tukey``, the difference above which two systems can differ significantly; None with
    other tests, and if no difference is significant."""
    means: dict[str, float]
    """The mean of each system over these queries."""
    ranks: dict[str, int] = derived(
        lambda power: _ranks(power.order),
        json={"additionalProperties": {"type": "integer", "minimum": 1}},
    )
    """The rank of each system by its mean; systems with equal means share the smallest."""
    pairs: tuple[SystemPair, ...]
    """All pairs of systems, the smallest p first: the sorted-p curve."""

    @property
    def order(self) -> dict[str, float]:
        """The means to 12 digits, because later digits depend on the order of summation."""
        return {system: float(f"{mean:.12g}") for system, mean in self.means.items()}


class MeasurePair(Record):
    """The agreement of two measures on the rankings of systems and on significant pairs."""

    measure: str = field(tables="pairs slices")
    """The name of the first measure."""
    other: str = field(tables="pairs slices", label="and")
    """The name of the second measure."""
    tau_b: float | None = field(tables="pairs slices", label="tau-b", show=_three)
    """Kendall's tau-b of their rankings of the systems; None if all systems are equal under a
    measure."""
    tau_b_interval: Interval | None = field(
        tables="pairs slices", label="{level} CI", show=_two, json=_CORRELATION
    )
    """The confidence interval of tau-b at level 1 - alpha, for all queries from which these are a
    sample; None without bootstrap resamples, or if not defined."""
    tau_ap_b: float | None = field(tables="pairs", label="tau-AP", show=_three)
    """The AP correlation with ties, tau-AP,b, of these rankings; None if all systems are equal
    under a measure."""
    tau_ap_b_interval: Interval | None = field(
        tables="pairs", label="{level} CI", show=_two, json=_CORRELATION, priority=1
    )
    """The confidence interval of tau-AP,b; None as for tau-b."""
    rbo: float = field(tables="pairs", label="RBO_ext", show=_three, json=_SHARE, priority=2)
    """RBO_ext of these rankings."""
    same_sign: int = field(tables="pairs slices", label="same sign", show=str, json=_COUNT)
    """The number of pairs of systems that differ significantly under both measures, in the same
    direction."""
    opposite_sign: int = field(
        tables="pairs slices", label="opposite sign", show=str, json=_COUNT, short="opposite"
    )
    """The number of pairs that differ significantly under both measures, in opposite directions."""
    only_first: int = field(tables="pairs slices", label="only first", show=str, json=_COUNT)
    """The number of pairs that differ significantly under the first measure only."""
    only_second: int = field(tables="pairs slices", label="only second", show=str, json=_COUNT)
    """The number of pairs that differ significantly under the second measure only."""


class MeasureAgreement(Result):
    """The discriminative power and the agreement of several measures.

    ``print`` shows it as tables; it exports the pairs of measures as an Arrow stream, so
    ``polars.DataFrame(agreement)`` works.

    Examples
    --------
    >>> import gainful
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> found = gainful.compare_measures("qrels.txt", runs, ["nDCG@10", "AP"])
    >>> found.pairs[0].tau_b, found.measures[0].power
    (1.0, 0.0)
    """

    SCHEMA = "gainful.agreement/1"
    COMMAND = "compare-measures"
    RECORDS = {"agreement": None, "power": None, "ranks": None, "curve": None, "slices": None}
    PICTURES = ("sorted_p", "agreement")

    convention: str
    """The convention in one line."""
    systems: tuple[str, ...]
    """The names of the systems."""
    test: str = field(json={"enum": list(TESTS)})
    """The test of whether two systems differ significantly."""
    alpha: float = field(json=_SHARE)
    """The significance level; with ``max-t`` and ``tukey`` the family-wise error rate of a measure.
    """
    resamples: int = field(json=_COUNT)
    """The number of sign flips or permutations."""
    seed: int = field(json=_COUNT)
    """The random seed."""
    bootstrap: int = field(json=_COUNT)
    """The number of resamples for the intervals of tau_b and tau_ap_b; 0 for none."""
    persistence: float = field(json=_SHARE)
    """The parameter p of RBO."""
    least_rbo: float
    """RBO of a ranking of these systems without ties and its reverse."""
    measures: tuple[Discrimination, ...]
    """One per measure."""
    pairs: tuple[MeasurePair, ...]
    """All pairs of measures."""
    cluster: str | None = field(key="")
    """The name of the attribute of the clusters."""
    attribute: str | None = field(key="by", optional=True)
    """The attribute of the slices."""
    slices: dict[str, MeasureAgreement] = field(optional=True)
    """By slice of the queries, the same result for its queries."""
    too_small: tuple[str, ...] = field(optional=True)
    """Slices in which a measure has fewer than two queries that count for all systems."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values for JSON, as its schema describes."""
        exported = super().to_dict()
        if self.attribute is None:
            del exported["slices"], exported["too_small"]
        return exported

    def tables(self) -> list[Table]:
        """Return the discriminative power, the agreement and the ranks as tables."""
        tables = [_power_table(self)]
        if self.pairs:
            title = "Agreement between measures: rankings and significant pairs"
            tables.append(table_of_columns(_columns(self, self.pairs, "pairs"), title=title))
        tables += [_rank_table(self), *_slice_tables(self)]
        return [*tables[:-1], tables[-1].replace(notes=_notes(self))]

    def _records(self, name: str) -> Records:
        match name:
            case "agreement":
                return as_columns(MeasurePair, self.pairs)
            case "power":
                columns = as_columns(Discrimination, self.measures)
                columns["pairs"] = [len(measure.pairs) for measure in self.measures]
                order = "measure queries left_out pairs significant power half_width"
                return {column: columns[column] for column in order.split()}
            case "ranks":
                rows = (
                    (measure.measure, system, mean, measure.ranks[system])
                    for measure in self.measures
                    for system, mean in measure.means.items()
                )
                return as_records(("measure", "system", "mean", "rank"), rows)
            case "curve":
                parts = {measure.measure: measure.pairs for measure in self.measures}
                return _labeled("measure", SystemPair, parts)
        return _labeled(
            "slice", MeasurePair, {name: part.pairs for name, part in self.slices.items()}
        )

    def _picture(self, name: str) -> Plot:
        if name == "agreement":
            cells = [
                {"one": pair.measure, "other": pair.other, "value": pair.tau_b}
                for pair in self.pairs
            ]
            return plots.agreement(cells, "Kendall's tau-b of rankings")
        rows = [
            {
                "measure": measure.measure,
                "at": place,
                "p": pair.p,
                "pair": f"{pair.system} and {pair.other}",
            }
            for measure in self.measures
            for place, pair in enumerate(reversed(measure.pairs), 1)
        ]
        return plots.sorted_p(rows, self.alpha)

    def __repr__(self) -> str:
        names = ", ".join(measure.measure for measure in self.measures)
        return f"<MeasureAgreement of {names} on {len(self.systems)} systems>"


def _ranks(order: dict[str, float]) -> dict[str, int]:
    means = order.values()
    return {system: 1 + sum(other > mean for other in means) for system, mean in order.items()}


def _labeled(name: str, kind: type[Record], parts: Mapping[str, Sequence[Record]]) -> Records:
    """Return the records of several parts as columns, the first with the names of the parts."""
    names: list[object] = [part for part, records in parts.items() for _ in records]
    return {name: names, **as_columns(kind, [*chain.from_iterable(parts.values())])}


# --- tables ---------------------------------------------------------------------------------------


def _columns(
    agreement: MeasureAgreement, records: Sequence[Record], table: str
) -> list[tuple[Column, list[object]]]:
    number = len(agreement.measures[0].pairs)
    columns = columns_of(
        records,
        table,
        labels={"level": f"{100 * (1 - agreement.alpha):g}%"},
        show={"significant": lambda count: f"{count} of {number}"},
    )
    hidden = set() if agreement.test == "tukey" else {"half_width"}
    hidden |= set() if agreement.bootstrap else {"tau_b_interval", "tau_ap_b_interval"}
    return [(column, values) for column, values in columns if column.key not in hidden]


def _power_table(agreement: MeasureAgreement) -> Table:
    measures = agreement.measures
    columns: list[tuple[Column, Sequence[object]]] = [*_columns(agreement, measures, "power")]
    for place, level in enumerate(LEVELS):
        column = Column(f"p.{level}", f"{'' if place else 'p '}≤ {short(level)}", str)
        counts = [sum(pair.p <= level for pair in measure.pairs) for measure in measures]
        columns.append((column, counts))
    column = Column("curve", "sorted p", curve, align="l", fit="picture")
    text = "sorted p: from the largest p-value to the smallest; the lowest block is significant."
    return table_of_columns(
        [*columns, (column, measures)],
        title=f"Discriminative power: pairs of {len(agreement.systems)} systems",
        notes=[Note("curve", text, explains=True)],
    )


def curve(measure: Discrimination, columns: int = CURVE) -> str:
    """Return the p-values of the pairs from the largest to the smallest, as blocks.

    The lowest block is a significant pair; the others are p in sevenths. With more pairs than
    columns, a block shows the middle pair of its share.
    """
    pairs = measure.pairs[::-1]
    if len(pairs) > columns:
        step = len(pairs) / columns
        pairs = tuple(pairs[int((place + 0.5) * step)] for place in range(columns))
    # The second block is the smallest p that is not significant, the eighth is 1.
    return "".join(
        _BLOCKS[0] if pair.significant else _BLOCKS[min(7, 1 + int(pair.p * 7))] for pair in pairs
    )


def _slice_tables(agreement: MeasureAgreement) -> list[Table]:
    """Return the discriminative power and the agreement within the slices."""
    by = agreement.attribute
    tables = []
    for title, field_name in _SLICED.items():
        rows: list[tuple[str, Record]] = []
        for name, part in agreement.slices.items():
            records = getattr(part, field_name)
            rows += zip([name, *[""] * len(records)], records, strict=False)
        if rows:
            names = (Column("slice", by), [name for name, _ in rows])
            columns = _columns(agreement, [record for _, record in rows], "slices")
            tables.append(table_of_columns([names, *columns], title=f"{title}, by {by}"))
    return tables


def _rank_table(agreement: MeasureAgreement) -> Table:
    """Return the ranks, best system first."""
    by_measure = {measure.measure: measure.ranks for measure in agreement.measures}
    systems = sorted(
        agreement.systems, key=lambda system: sum(ranks[system] for ranks in by_measure.values())
    )
    columns = [
        (Column(f"rank.{name}", name, align="r"), [_rank(ranks, system) for system in systems])
        for name, ranks in by_measure.items()
    ]
    return table_of_columns([(Column("system"), systems), *columns], title="Ranks of the systems")


def _rank(ranks: dict[str, int], system: str) -> str:
    is_shared = list(ranks.values()).count(ranks[system]) > 1
    return f"{ranks[system]}=" if is_shared else str(ranks[system])


def _notes(agreement: MeasureAgreement) -> list[Note]:
    test = TESTS[agreement.test]
    notes = [Note("test", f"Significant: p ≤ {short(agreement.alpha)} ({test}).")]
    if agreement.test == "tukey":
        text = "critical difference: the smallest significant difference of means."
        notes.append(Note("half_width", text, explains=True))
    notes += noted(
        "left_out",
        (
            f"{measure.measure}: {measure.left_out} queries left out because they do not count for"
            " all systems."
            for measure in agreement.measures
            if measure.left_out
        ),
    )
    if agreement.too_small:
        text = f"Slices with too few queries: {', '.join(agreement.too_small)}."
        notes.append(Note("too_small", text))
    if agreement.pairs:
        if agreement.bootstrap:
            of = f"clusters ({agreement.cluster})" if agreement.cluster else "queries"
            text = f"Intervals of tau-b and tau-AP: {agreement.bootstrap:,} resamples of {of}."
            notes.append(Note("tau_b_interval", text, explains=True))
        text = "same sign, opposite sign: pairs that differ significantly under both measures."
        notes.append(Note("same_sign", text, explains=True))
        text = (
            f"RBO_ext: p {short(agreement.persistence)}; the reverse ranking of"
            f" {len(agreement.systems)} systems has {digits(agreement.least_rbo, 3)}."
        )
        notes.append(Note("rbo", text))
    return [*notes, Note("convention", agreement.convention)]
