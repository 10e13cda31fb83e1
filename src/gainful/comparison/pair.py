"""One system beside another on one measure: what was found, and what it comes to."""

from __future__ import annotations

from dataclasses import dataclass, fields

__all__ = ["VERDICTS", "Pair"]

#: What a pair can come to.
VERDICTS = ("better", "worse", "equivalent", "identical", "inconclusive")


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """One system beside another on the same queries, under one measure.

    What is not defined for the data is None: an interval of a single query, an effect where all
    differences are the same, a test that was not asked for.

    Attributes
    ----------
    system, baseline, measure : str
        Their names; the measure as it was asked for.
    segment : str or None
        The slice of the queries, or None for all of them.
    n, left_out : int
        Queries that both have a value for, and those that only one of them has a value for.
    mean, baseline_mean : float
        Over these n queries.
    difference : float
        The mean over queries of the system's value less the baseline's.
    deviation : float or None
        The standard deviation of the differences, with n - 1.
    low, high : float or None
        The interval for the difference that agrees with the verdict: it holds at once for all pairs
        of the family, and leaves out 0 where the verdict is better or worse, and only there. An end
        that is exactly 0 was moved there to agree. None where so few queries bound nothing.
    t_statistic, df, p_t : float or None
        The paired t test.
    t_low, t_high, bca_low, bca_high : float or None
        Intervals for this pair alone, at 1 - alpha: Student's t and the BCa bootstrap.
    p : float
        Of the randomisation test of this pair alone, two-sided.
    exact : bool
        Whether all sign flips were counted for it, and not a sample.
    p_adjusted : float
        The same corrected over the family; the verdict rests on it.
    correction : str
        How: ``holm``, ``max-t``, ``tukey`` (randomized Tukey HSD), or ``none`` for a family of
        one.
    p_bh : float
        `p` corrected by Benjamini and Hochberg, which controls the false discovery rate.
    p_wilcoxon, p_sign : float or None
        The signed-rank and the sign test, where asked for.
    effect : float or None
        Hedges' d_z: the difference over the deviation, corrected for small samples.
    dominance : float
        (wins - losses) / n.
    wins, ties, losses : int
        Queries on which the system is better, equal and worse.
    detectable : float or None
        The difference that a paired t test of n queries like these finds with power .8.
    needed : int or None
        Queries with which a difference of the margin, or of ``detect``, is found with power .8;
        None where neither was given. It is never computed from the difference observed.
    p_equivalence, p_equivalence_adjusted : float or None
        Of two one-sided t tests against the margin, and corrected by Holm over the family.
    verdict : str
        ``better``, ``worse``, ``equivalent``, ``identical`` or ``inconclusive``.
    within_margin : bool
        Whether the difference is shown to be less than the margin.
    """

    system: str
    baseline: str
    measure: str
    segment: str | None = None
    n: int
    left_out: int = 0
    mean: float
    baseline_mean: float
    difference: float
    deviation: float | None = None
    low: float | None = None
    high: float | None = None
    t_statistic: float | None = None
    df: float | None = None
    p_t: float | None = None
    t_low: float | None = None
    t_high: float | None = None
    bca_low: float | None = None
    bca_high: float | None = None
    p: float
    exact: bool = False
    p_adjusted: float
    correction: str = "none"
    p_bh: float
    p_wilcoxon: float | None = None
    p_sign: float | None = None
    effect: float | None = None
    dominance: float
    wins: int
    ties: int
    losses: int
    detectable: float | None = None
    needed: int | None = None
    p_equivalence: float | None = None
    p_equivalence_adjusted: float | None = None
    verdict: str
    within_margin: bool = False

    @property
    def words(self) -> str:
        """The verdict in words: ``better, by less than the margin``.

        Examples
        --------
        >>> Pair(system="b", baseline="a", measure="AP", n=50, mean=0.31, baseline_mean=0.3,
        ...     difference=0.01, p=0.001, p_adjusted=0.001, p_bh=0.001, dominance=0.4, wins=30,
        ...     ties=10, losses=10, verdict="better", within_margin=True).words
        'better, by less than the margin'
        """
        if self.within_margin and self.verdict in ("better", "worse"):
            return f"{self.verdict}, by less than the margin"
        return self.verdict

    def to_dict(self) -> dict[str, object]:
        """Return all of it by name, the words too."""
        told: dict[str, object] = {field.name: getattr(self, field.name) for field in fields(self)}
        told["words"] = self.words
        return told
