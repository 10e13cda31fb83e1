"""The result of a gate: the verdict, what it rests on, and what else was met."""

from __future__ import annotations

from dataclasses import dataclass, field

from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from gainful.conventions import Convention
    from gainful.gates.baseline import Baseline
    from gainful.inference.design import Design, Floats

__all__ = ["STATUSES", "GateResult", "GatedMeasure"]

#: What a program that ran the gate exits with; 2 is that of errors.
STATUSES = {"pass": 0, "fail": 1, "inconclusive": 3}

#: With which a run that is no different would pass, in `GatedMeasure.needed`.
_POWER = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedMeasure:
    """What the gate found for one measure.

    Attributes
    ----------
    measure : str
        As it was asked for.
    verdict : str
        ``pass``, ``fail`` or ``inconclusive``.
    mean, baseline_mean, difference : float
        Over the queries that both have a value for; weighted, if there are weights.
    low, high : float
        One-sided bounds of the difference; infinite where none can be had.
    method : str
        How: ``t``, ``randomisation`` (fewer than 10 queries changed), or ``none`` (nothing changed,
        or the budget of looks is spent).
    n, left_out : int
        Queries that both have a value for, and queries that only one has a value for.
    wins, losses : int
        Queries whose value is higher and lower than the baseline's.
    changed_units : int
        Queries, or clusters of them if there are some, whose difference is not 0.
    clustered : bool
        Whether there are clusters.
    needed : int or None
        Of an inconclusive measure, the number of queries like these with which a run that is no
        different would pass with power .8. It depends on how much the differences vary, and not on
        their mean.
    """

    measure: str
    verdict: str
    mean: float
    baseline_mean: float
    difference: float
    low: float
    high: float
    method: str
    n: int
    left_out: int
    wins: int
    losses: int
    changed_units: int
    clustered: bool
    needed: int | None

    @property
    def changed(self) -> int:
        """Queries whose value is not the baseline's."""
        return self.wins + self.losses

    @classmethod
    def of(
        cls,
        measure: str,
        values: Mapping[str, tuple[float, float]],
        *,
        left_out: int,
        margin: float,
        fail_on: str,
        alpha_low: float,
        alpha_high: float,
        weights: Mapping[str, float] | None = None,
        clusters: Mapping[str, Hashable] | None = None,
    ) -> GatedMeasure:
        """Judge the values of queries, each the baseline's and the run's."""
        import numpy as np

        from gainful.gates.bounds import bounds_of, verdict_of

        before, after = np.array(list(values.values()), np.float64).T
        differences = after - before
        design = _design(list(values), weights, clusters)
        bounds = bounds_of(differences, design, alpha_low, alpha_high)
        wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
        verdict = verdict_of(bounds, margin, fail_on)
        needed = None
        if verdict == "inconclusive" and margin > 0 and alpha_low > 0:
            needed = _needed(differences, design, margin, alpha_low)
        return cls(
            measure=measure,
            verdict=verdict,
            mean=_mean(after, design),
            baseline_mean=_mean(before, design),
            difference=design.mean(differences),
            low=bounds.low,
            high=bounds.high,
            method=bounds.method,
            n=len(values),
            left_out=left_out,
            wins=wins,
            losses=losses,
            changed_units=bounds.changed,
            clustered=clusters is not None,
            needed=needed,
        )

    def to_dict(self) -> dict[str, object]:
        """Return the fields; a bound that cannot be had is None."""
        fields: dict[str, object] = {name: getattr(self, name) for name in self.__slots__}
        for name in ("low", "high"):
            if abs(getattr(self, name)) == float("inf"):
                fields[name] = None
        return {**fields, "changed": self.changed}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GateResult:
    """What came of holding a run against a baseline.

    ``print`` shows it as a table; `gainful.report.gate` writes it as Markdown, JUnit XML, JSON and
    annotations of GitHub. It exports the Arrow C stream, a row a measure and query.

    Attributes
    ----------
    system : str
        The run.
    baseline : Baseline
        What it was held against; with this look counted, if that was asked for and possible.
    convention : Convention
        Under which both sides were measured.
    margin, alpha : float
        As they were asked for.
    alpha_used : float
        What of alpha this look may use: alpha over the budget of looks, 0 after it is spent.
    fail_on, inconclusive
        As they were asked for.
    measures : tuple of GatedMeasure
        One a measure.
    judgments, run : str
        Digests of today's judgments and of the run.
    rescored : bool
        Whether the baseline's rankings were measured with today's judgments.
    judgments_changed : tuple of str
        Queries on both sides whose judgments are not those that the baseline was made with.
    added, removed : tuple of str
        Queries that only the run was measured on, and only the baseline; they are not compared.
    look : int
        The number of this look at these queries; 0 for the baseline's own run.
    counted : bool or None
        Whether the look is in the file; None if that was not asked for.
    values : mapping of str to mapping of str to (float, float)
        The baseline's value and the run's, by measure and query.

    Examples
    --------
    >>> import gainful
    >>> baseline = gainful.make_baseline("qrels.txt", "bm25.run", "nDCG@10")
    >>> print(gainful.gate("qrels.txt", "dense.run", baseline, margin=0.05))
    Gate inconclusive: dense beside the baseline bm25
    measure  baseline    run  difference  lower bound  upper bound  changed  verdict
    ─────────────────────────────────────────────────────────────────────────────────────
    nDCG@10     .7193  .7581      +.0388       -.0967       +.1660   5 of 6  inconclusive
    ...
    """

    system: str
    baseline: Baseline
    convention: Convention
    margin: float
    alpha: float
    alpha_used: float
    fail_on: str
    inconclusive: str | None
    measures: tuple[GatedMeasure, ...]
    judgments: str
    run: str
    rescored: bool
    judgments_changed: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    look: int
    counted: bool | None = None
    values: Mapping[str, Mapping[str, tuple[float, float]]] = field(hash=False)

    @property
    def verdict(self) -> str:
        """``fail`` if a measure fails, else ``inconclusive`` if one is, else ``pass``."""
        found = {each.verdict for each in self.measures}
        return next(each for each in ("fail", "inconclusive", "pass") if each in found)

    @property
    def status(self) -> int:
        """What a program exits with: 0 pass, 1 fail, 3 inconclusive, unless that counts as one."""
        verdict = self.verdict
        if verdict == "inconclusive":
            verdict = self.inconclusive or verdict
        return STATUSES[verdict]

    def worst(self, measure: str | None = None, k: int = 5) -> list[tuple[str, float]]:
        """Return the queries that lost most, with their differences; of the first measure if none.

        Examples
        --------
        >>> import gainful
        >>> baseline = gainful.make_baseline("qrels.txt", "bm25.run", "nDCG@10")
        >>> result = gainful.gate("qrels.txt", "dense.run", baseline)
        >>> [(query, round(lost, 4)) for query, lost in result.worst()]
        [('q4', -0.2033)]
        """
        name = self.measures[0].measure if measure is None else measure
        if name not in self.values:
            raise ParameterError(
                where="measure", found=repr(name), expected=f"one of {', '.join(self.values)}"
            )
        changes = [(new - old, query) for query, (old, new) in self.values[name].items()]
        return [(query, change) for change, query in sorted(changes)[:k] if change < 0]

    def to_dict(self) -> dict[str, object]:
        """Return the result as the JSON contract ``gainful.gate/1`` has it."""
        from gainful.gates.words import remarks, sentence

        return {
            "schema": "gainful.gate/1",
            "verdict": self.verdict,
            "status": self.status,
            "system": self.system,
            "baseline": self.baseline.system,
            "convention": {**self.convention.to_dict(), "text": str(self.convention)},
            "margin": self.margin,
            "alpha": self.alpha,
            "alpha_used": self.alpha_used,
            "fail_on": self.fail_on,
            "measures": [
                {
                    **each.to_dict(),
                    "text": sentence(each, self),
                    "worst": [
                        {"query_id": query, "difference": lost}
                        for query, lost in self.worst(each.measure)
                    ],
                }
                for each in self.measures
            ],
            "rescored": self.rescored,
            "judgments": {"baseline": self.baseline.judgments, "now": self.judgments},
            "runs": {"baseline": self.baseline.run, "now": self.run},
            "judgments_changed": list(self.judgments_changed),
            "added": list(self.added),
            "removed": list(self.removed),
            "look": self.look,
            "budget": self.baseline.budget,
            "counted": self.counted,
            "notes": remarks(self),
        }

    def __str__(self) -> str:
        from gainful.report.gate import table

        return table(self).plain()

    def __repr__(self) -> str:
        measures = ", ".join(f"{each.measure} {each.verdict}" for each in self.measures)
        return f"<GateResult of {self.system} beside {self.baseline.system}: {measures}>"

    def _repr_html_(self) -> str:
        from gainful.report.gate import table

        return table(self).html()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export a row a measure and query as an Arrow stream; a requested schema is ignored."""
        from gainful import _engine

        rows = [
            [measure, query, old, new, new - old]
            for measure, values in self.values.items()
            for query, (old, new) in values.items()
        ]
        names = ["measure", "query_id", "baseline", "value", "difference"]
        return _engine.arrow_stream(names, [list(column) for column in zip(*rows, strict=True)])


def _mean(values: Floats, design: Design) -> float:
    if not design.plain:
        return float(design.mean(values))
    # One after the other, as `evaluate` adds them: the same mean to the last digit.
    total = 0.0
    for value in values.tolist():
        total += value
    return total / len(values)


def _design(
    queries: list[str],
    weights: Mapping[str, float] | None,
    clusters: Mapping[str, Hashable] | None,
) -> Design:
    from gainful.inference.design import Design

    for what, given in (("weights", weights), ("clusters", clusters)):
        for query in queries:
            if given is not None and query not in given:
                raise ParameterError(
                    where=what, query=query, found="nothing", expected="one for each query"
                )
    return Design(
        len(queries),
        weights=None if weights is None else [weights[query] for query in queries],
        clusters=None if clusters is None else [clusters[query] for query in queries],
    )


def _needed(differences: object, design: Design, margin: float, alpha: float) -> int | None:
    from gainful.inference.power import queries_needed

    error = float(design.standard_error(differences))  # type: ignore[arg-type]
    if not error > 0.0:
        return None
    # Weights and clusters count through the standard error. One side at alpha is, but for what is
    # negligible, two sides at twice that.
    deviation = error * design.queries**0.5
    return queries_needed(margin, deviation, power=_POWER, alpha=2 * alpha)
