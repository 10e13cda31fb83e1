"""Where systems stand: by their means, with what each comes to beside one of them."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.comparison import Comparison, Pair
    from gainful.evaluation import Evaluation, Summary
    from gainful.measures import Measure

__all__ = ["Standing", "StandingRow", "standing", "standing_alone"]


@dataclass(frozen=True, slots=True)
class StandingRow:
    """One system.

    Attributes
    ----------
    system : str
        Its name.
    summary : Summary
        Of the measure.
    pair : Pair or None
        The system beside the baseline; None for the baseline itself, and where nothing was
        compared.
    letters : str
        Systems that share a letter cannot be told apart; empty where not all pairs were compared.
    """

    system: str
    summary: Summary
    pair: Pair | None = None
    letters: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """Systems in the order of their means.

    Attributes
    ----------
    measure : str
        As it was asked for.
    baseline : str or None
        What the pairs are beside; None where nothing was compared.
    rows : tuple of StandingRow
        The highest mean first; of equal ones in the order that the runs were given in.
    """

    measure: str
    baseline: str | None
    rows: tuple[StandingRow, ...]

    @property
    def top(self) -> StandingRow:
        """The system with the highest mean."""
        return self.rows[0]


def standing(
    comparison: Comparison, measure: Measure | str | None = None, baseline: str | None = None
) -> Standing:
    """Put the systems of a comparison in the order of their means.

    Parameters
    ----------
    comparison : Comparison
        Whose pairs are told.
    measure : Measure or str, optional
        One of the comparison's; the first without it.
    baseline : str, optional
        Beside which system. Without it the comparison's first baseline, and where all pairs were
        compared the system with the highest mean.

    Examples
    --------
    >>> import gainful
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> found = standing(gainful.compare("qrels.txt", runs, "nDCG@10"))
    >>> found.baseline, [(row.system, row.letters) for row in found.rows]
    ('bm25', [('bm25', 'a'), ('dense', 'a')])
    """
    evaluation = comparison.evaluation
    chosen = comparison.measures[0] if measure is None else measure
    name = repr(chosen) if not isinstance(chosen, str) else chosen
    alone = standing_alone(evaluation, name)
    beside = baseline or (comparison.baselines or (alone.top.system,))[0]
    letters = {} if comparison.baselines else comparison.letters(name)
    rows = [
        StandingRow(
            row.system,
            row.summary,
            None if row.system == beside else comparison.pair(row.system, beside, name),
            letters.get(row.system, ""),
        )
        for row in alone.rows
    ]
    return Standing(name, beside, tuple(rows))


def standing_alone(evaluation: Evaluation, measure: Measure | str) -> Standing:
    """Put the systems of an evaluation in the order of their means; nothing is compared.

    Examples
    --------
    >>> import gainful
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> result = gainful.evaluate("qrels.txt", runs=runs, measures="nDCG@10")
    >>> [row.system for row in standing_alone(result, "nDCG@10").rows]
    ['bm25', 'dense']
    """
    rows = [
        StandingRow(system, evaluation.summary(measure, system)) for system in evaluation.systems
    ]
    rows.sort(key=lambda row: -row.summary.value if row.summary.value == row.summary.value else 0.0)
    name = repr(measure) if not isinstance(measure, str) else measure
    return Standing(name, None, tuple(rows))
