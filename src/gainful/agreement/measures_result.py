"""The result of comparing measures: discriminative power and agreement."""

from __future__ import annotations

from dataclasses import dataclass, field

from gainful import plots
from gainful.agreement.measure_tables import columns, document, tables
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.formats.table import Table
    from gainful.plots import Plot

__all__ = ["Discrimination", "MeasureAgreement", "MeasurePair", "SystemPair"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPair:
    """Two systems under one measure.

    Attributes
    ----------
    system, other : str
        The better and the worse by their means; for equal means, in the order of the runs.
    difference : float
        The difference of their means, at least 0.
    p : float
        The p-value; with "max-t" and "tukey" corrected over all pairs of the measure.
    significant : bool
        Whether p is at most alpha.
    """

    system: str
    other: str
    difference: float
    p: float
    significant: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Discrimination:
    """The discriminative power of one measure.

    Attributes
    ----------
    measure : str
        The name of the measure.
    queries, left_out : int
        Number of queries that count for all systems, and that count only for some.
    means : dict of str to float
        The mean of each system over these queries.
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
    def significant(self) -> int:
        """The number of significant pairs."""
        return sum(pair.significant for pair in self.pairs)

    @property
    def power(self) -> float:
        """Discriminative power: the share of significant pairs."""
        return self.significant / len(self.pairs)

    @property
    def order(self) -> dict[str, float]:
        """The means to 12 digits, because later digits depend on the order of summation."""
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
    """The agreement of two measures on the rankings of systems and on significant pairs.

    Attributes
    ----------
    measure, other : str
        The names of the measures.
    tau_b, tau_ap_b : float or None
        Kendall's tau-b and the AP correlation with ties, tau-AP,b, of their rankings of the
        systems; None if all systems are equal under a measure.
    tau_b_low, tau_b_high, tau_ap_b_low, tau_ap_b_high : float or None
        Their confidence intervals at level 1 - alpha, for all queries from which these are a
        sample; None without bootstrap resamples, or if not defined.
    rbo : float
        RBO_ext of these rankings.
    same_sign, opposite_sign : int
        Pairs of systems that differ significantly under both measures, with the same and with the
        opposite sign.
    only_first, only_second : int
        Pairs that differ significantly under one of the measures only.
    """

    measure: str
    other: str
    tau_b: float | None
    tau_b_low: float | None
    tau_b_high: float | None
    tau_ap_b: float | None
    tau_ap_b_low: float | None
    tau_ap_b_high: float | None
    rbo: float
    same_sign: int
    opposite_sign: int
    only_first: int
    only_second: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class MeasureAgreement(Result):
    """The discriminative power and the agreement of several measures.

    ``print`` shows it as tables; it exports the pairs of measures as an Arrow stream, so
    ``polars.DataFrame(agreement)`` works.

    Attributes
    ----------
    systems : tuple of str
        The names of the systems.
    measures : tuple of Discrimination
        One per measure.
    pairs : tuple of MeasurePair
        All pairs of measures.
    test : {"max-t", "tukey", "t", "randomization"}
        The test of whether two systems differ significantly.
    alpha : float
        The significance level; with "max-t" and "tukey" the family-wise error rate of a measure.
    resamples, seed : int
        The number of sign flips or permutations, and the random seed.
    persistence : float
        The parameter p of RBO.
    least_rbo : float
        RBO of a ranking of these systems without ties and its reverse.
    convention : str
        The convention in one line.
    bootstrap : int
        The number of resamples for intervals.
    cluster, attribute : str or None
        The names of the attributes of the clusters and of the slices.
    slices : dict of str to MeasureAgreement
        The comparison within each slice of the queries; empty without slices.
    too_small : tuple of str
        Slices in which a measure has fewer than two queries that count for all systems.

    Examples
    --------
    >>> import gainful
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> found = gainful.compare_measures("qrels.txt", runs, ["nDCG@10", "AP"])
    >>> found.pairs[0].tau_b, found.measures[0].power
    (1.0, 0.0)
    """

    RECORDS = {"agreement": None, "power": None, "ranks": None, "curve": None, "slices": None}
    PICTURES = ("sorted_p", "agreement")

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
    bootstrap: int = 0
    cluster: str | None = None
    attribute: str | None = None
    slices: dict[str, MeasureAgreement] = field(default_factory=dict)
    too_small: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the JSON contract ``gainful.agreement/1``."""
        return document(self)

    def tables(self) -> list[Table]:
        """Return the discriminative power, the agreement and the ranks as tables."""
        return tables(self)

    def _records(self, name: str) -> Records:
        return columns(self, name)

    def _picture(self, name: str) -> Plot:
        if name == "agreement":
            cells = [
                {"one": each.measure, "other": each.other, "value": each.tau_b}
                for each in self.pairs
            ]
            return plots.agreement(cells, "Kendall's tau-b of rankings")
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
        return plots.sorted_p(rows, self.alpha)

    def __repr__(self) -> str:
        names = ", ".join(each.measure for each in self.measures)
        return f"<MeasureAgreement of {names} on {len(self.systems)} systems>"
