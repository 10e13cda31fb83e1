"""The result of comparing measures: what each decides, and how far they agree."""

from __future__ import annotations

from dataclasses import dataclass

from gainful import charts
from gainful.agreement.measure_tables import columns, document, tables
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.formats.table import Table

__all__ = ["Discrimination", "MeasureAgreement", "MeasurePair", "SystemPair"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPair:
    """Two systems under one measure.

    Attributes
    ----------
    system, other : str
        The better and the worse by their means; of equal means the first that was named.
    difference : float
        Of their means, 0 or more.
    p : float
        Of the test; with "max-t" and "tukey" corrected for all pairs of the measure.
    apart : bool
        Whether the measure tells them apart: p is at most alpha.
    """

    system: str
    other: str
    difference: float
    p: float
    apart: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Discrimination:
    """What one measure decides about the systems.

    Attributes
    ----------
    measure : str
        Its name.
    queries, left_out : int
        Those that count for all systems, and those that count only for some.
    means : dict of str to float
        Of each system, over these queries.
    pairs : tuple of SystemPair
        All pairs, the smallest p first: the sorted-p curve.
    half_width : float or None
        With "tukey", the difference above which two systems can differ significantly.
    """

    measure: str
    queries: int
    left_out: int
    means: dict[str, float]
    pairs: tuple[SystemPair, ...]
    half_width: float | None = None

    @property
    def apart(self) -> int:
        """How many pairs are told apart."""
        return sum(pair.apart for pair in self.pairs)

    @property
    def power(self) -> float:
        """Discriminative power: the share of the pairs that are told apart."""
        return self.apart / len(self.pairs)

    @property
    def order(self) -> dict[str, float]:
        """The means to 12 digits: what differs beyond them differs by the order of additions."""
        return {system: float(f"{mean:.12g}") for system, mean in self.means.items()}

    @property
    def ranks(self) -> dict[str, int]:
        """The rank of each system by its mean; systems with equal means share the smallest."""
        order = self.order
        return {
            system: 1 + sum(other > mean for other in order.values())
            for system, mean in order.items()
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurePair:
    """Two measures and the systems: how far their rankings agree, and their decisions.

    Attributes
    ----------
    measure, other : str
        Their names.
    tau_b, tau_ap_b : float or None
        Kendall's tau-b and the AP correlation with ties, tau-AP,b, of their rankings of the
        systems; None where a measure has all systems equal.
    rbo : float
        RBO_ext of these rankings.
    alike : int
        Pairs of systems that both tell apart the same way round.
    contrary : int
        Those that both tell apart, each the other way round.
    only_first, only_second : int
        Those that one tells apart and the other does not.
    """

    measure: str
    other: str
    tau_b: float | None
    tau_ap_b: float | None
    rbo: float
    alike: int
    contrary: int
    only_first: int
    only_second: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class MeasureAgreement(Result):
    """What several measures decide about the same systems, and how far they agree.

    ``print`` shows it as tables; it exports the pairs of measures as an Arrow stream, so
    ``polars.DataFrame(agreement)`` works.

    Attributes
    ----------
    systems : tuple of str
        Their names.
    measures : tuple of Discrimination
        One a measure.
    pairs : tuple of MeasurePair
        All pairs of measures.
    test : {"max-t", "tukey", "t", "randomization"}
        The test of whether two systems differ significantly.
    alpha : float
        Its level: with "max-t" and "tukey" for all pairs of a measure at once, else for each.
    resamples, seed : int
        Of the randomization.
    persistence : float
        p of RBO.
    least_rbo : float
        RBO of two rankings of these systems one of which is the reverse of the other, ties apart.
    convention : str
        In one line.

    Examples
    --------
    >>> import gainful
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> found = gainful.compare_measures("qrels.txt", runs, ["nDCG@10", "AP"])
    >>> found.pairs[0].tau_b, found.measures[0].power
    (1.0, 0.0)
    """

    RECORDS = ("agreement", "power", "ranks", "curve")
    PICTURES = ("sorted_p",)

    systems: tuple[str, ...]
    measures: tuple[Discrimination, ...]
    pairs: tuple[MeasurePair, ...]
    test: str
    alpha: float
    resamples: int
    seed: int
    persistence: float
    least_rbo: float
    convention: str

    def to_dict(self) -> dict[str, object]:
        """Return it as the JSON contract ``gainful.agreement/1`` has it."""
        return document(self)

    def tables(self) -> list[Table]:
        """Return it as tables of text: what each measure decides, how far they agree, the ranks."""
        return tables(self)

    def _records(self, name: str) -> Records:
        return columns(self, name)

    def _picture(self, name: str) -> Any:
        rows = [
            {
                "measure": each.measure,
                "at": at,
                "p": pair.p,
                "pair": f"{pair.system} and {pair.other}",
            }
            for each in self.measures
            for at, pair in enumerate(reversed(each.pairs), 1)
        ]
        return charts.sorted_p(rows, self.alpha)

    def __repr__(self) -> str:
        names = ", ".join(each.measure for each in self.measures)
        return f"<MeasureAgreement of {names} on {len(self.systems)} systems>"
