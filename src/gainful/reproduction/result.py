"""The result of `reproduce`: scores, rankings, improvements and a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from gainful.reproduction.rendering import rows, tables
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.conventions import Convention
    from gainful.formats.table import Table

__all__ = ["Claim", "Estimate", "Reproduction", "Scores", "Verdict"]

Verdict = Literal["reproduced", "partly reproduced", "not reproduced", "inconclusive"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its confidence interval.

    Attributes
    ----------
    value : float
        The number.
    low, high : float or None
        The ends of its confidence interval; None if it is not defined.
    p : float or None
        The two-sided p-value of a t test of whether the value is 0, where there is one.
    """

    value: float
    low: float | None
    high: float | None
    p: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The scores of one run and its rerun.

    Attributes
    ----------
    role : {"system", "baseline"}
        Which run it is.
    original, rerun : float
        The means over queries.
    difference : Estimate
        Rerun minus original. The t test is paired for the same collection, otherwise Welch's.
    rmse : float or None
        Root of the mean squared difference over queries. None for another collection.
    tau : float or None
        Mean Kendall's tau (union) of the rankings of queries. None for another collection.
    rbo : float or None
        Mean rank-biased overlap of the rankings of queries. None for another collection.
    """

    role: str
    original: float
    rerun: float
    difference: Estimate
    rmse: float | None
    tau: float | None
    rbo: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What the rerun shows about one measure.

    Attributes
    ----------
    measure : str
        The name of the measure.
    queries, rerun_queries : int
        Numbers of queries of the original and of the rerun.
    scores : tuple of Scores
        Of the system and, if given, of the baseline.
    improvement, rerun_improvement : Estimate or None
        The mean of system minus baseline with a paired t test, for the original and the rerun.
    effect_ratio : Estimate or None
        The rerun's improvement divided by the original's.
    delta_relative_improvement : Estimate or None
        The original's relative improvement minus the rerun's.
    few_changes : bool
        Whether the scores of only one to nine queries, or the improvements with baselines, differ;
        for another collection, whether one has fewer than ten queries. Too few for *reproduced*.
    verdict : str
        What the rule says.
    """

    measure: str
    queries: int
    rerun_queries: int
    scores: tuple[Scores, ...]
    improvement: Estimate | None
    rerun_improvement: Estimate | None
    effect_ratio: Estimate | None
    delta_relative_improvement: Estimate | None
    few_changes: bool
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Reproduction(Result):
    """How well a rerun reproduces an original experiment.

    Attributes
    ----------
    claims : dict of str to Claim
        What the rerun shows, by measure.
    same_collection : bool
        Whether both experiments have the same judgments and queries.
    margin : float
        Differences of means up to this are considered equal, if there are no baselines.
    least_ratio : float
        With baselines, the share of the original's improvement that reproduces it.
    level : float
        The confidence level of the intervals; verdicts are at alpha = 1 - level.
    depth : int
        The number of ranks that are compared.
    persistence : float
        The persistence of rank-biased overlap.
    convention : Convention
        The convention of the scores.

    Examples
    --------
    >>> import gainful
    >>> found = gainful.reproduce("qrels.txt", "dense.run", "dense.run", "nDCG@10")
    >>> found.claims["nDCG@10"].verdict
    'reproduced'
    """

    RECORDS = {"claims": None}

    claims: dict[str, Claim]
    same_collection: bool
    margin: float
    least_ratio: float
    level: float
    depth: int
    persistence: float
    convention: Convention

    @property
    def reproduced(self) -> bool:
        """Whether the verdict of every measure is *reproduced*."""
        return all(claim.verdict == "reproduced" for claim in self.claims.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the JSON contract ``gainful.reproduction/1``."""
        return {
            "schema": "gainful.reproduction/1",
            "convention": {**self.convention.to_dict(), "text": str(self.convention)},
            "same_collection": self.same_collection,
            "margin": self.margin,
            "least_ratio": self.least_ratio,
            "level": self.level,
            "depth": self.depth,
            "persistence": self.persistence,
            "reproduced": self.reproduced,
            "measures": {name: _fields(claim) for name, claim in self.claims.items()},
        }

    def tables(self) -> list[Table]:
        """Return the scores of each measure and, with baselines, the improvements."""
        return tables(self)

    def _records(self, name: str) -> Records:
        listed = list(rows(self))
        return {key: [row[key] for row in listed] for key in listed[0]}

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{name} {claim.verdict}" for name, claim in self.claims.items())
        return f"<Reproduction: {verdicts}>"


def _fields(claim: Claim) -> dict[str, object]:
    return {
        "queries": claim.queries,
        "rerun_queries": claim.rerun_queries,
        "few_changes": claim.few_changes,
        "verdict": claim.verdict,
        "runs": {
            scores.role: {
                "original": scores.original,
                "rerun": scores.rerun,
                "difference": _estimate(scores.difference),
                "rmse": scores.rmse,
                "tau": scores.tau,
                "rbo": scores.rbo,
            }
            for scores in claim.scores
        },
        "improvement": _estimate(claim.improvement),
        "rerun_improvement": _estimate(claim.rerun_improvement),
        "effect_ratio": _estimate(claim.effect_ratio),
        "delta_relative_improvement": _estimate(claim.delta_relative_improvement),
    }


def _estimate(estimate: Estimate | None) -> dict[str, object] | None:
    if estimate is None:
        return None
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "p": estimate.p}
