"""The result: what judgments are worth, as far as they tell themselves."""

from __future__ import annotations

from dataclasses import dataclass

from gainful.errors import ParameterError
from gainful.judging.contract import figures, to_dict
from gainful.judging.rendering import tables
from gainful.results import Records, Result, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.formats.table import Table
    from gainful.judging.accounts import (
        AlphaAccount,
        Coverage,
        PairAccount,
        RaterAccount,
        SettledAccount,
    )
    from gainful.judging.choices import Choices
    from gainful.judging.ratings import Ratings
    from gainful.judging.systems import SystemsUnderRaters

__all__ = ["JudgmentQuality"]

_COLUMNS = ("about", "name", "other", "figure", "value", "low", "high")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class JudgmentQuality(Result):
    """How good judgments are; `assess_judgments` makes it.

    ``print`` shows it in 100 columns. It exports the Arrow C stream with a row a figure, so
    ``polars.DataFrame(quality)`` works.

    Attributes
    ----------
    ratings : Ratings
        The labels.
    choices : Choices
        How agreement was measured.
    coverage : Coverage
        How much is judged.
    raters : tuple of RaterAccount
        What each rater gave.
    pairs : tuple of PairAccount
        How far any two agree who graded a document in common.
    alphas : tuple of AlphaAccount
        Krippendorff's alpha of all raters and, where they are of several kinds, of each kind; empty
        for one rater.
    settled : SettledAccount or None
        The grades that were settled on.
    systems : SystemsUnderRaters or None
        The systems under each rater.
    not_scored : str or None
        Why there is none though there are runs.

    Examples
    --------
    >>> import gainful
    >>> rows = [("q1", "d1", "ana", 3), ("q1", "d1", "ben", 2), ("q1", "d2", "ana", 0),
    ...         ("q1", "d2", "ben", 0), ("q2", "d1", "ana", 1), ("q2", "d1", "ben", 1)]
    >>> told = gainful.assess_judgments(rows)
    >>> told.alpha.value, told.rater("ben").bias, told.confusion("ana")[3.0, 2.0]
    (0.9494949494949495, -0.3333333333333333, 1)
    """

    RECORDS = ("figures",)

    ratings: Ratings
    choices: Choices
    coverage: Coverage
    raters: tuple[RaterAccount, ...]
    pairs: tuple[PairAccount, ...]
    alphas: tuple[AlphaAccount, ...]
    settled: SettledAccount | None
    systems: SystemsUnderRaters | None
    not_scored: str | None

    @property
    def alpha(self) -> AlphaAccount | None:
        """Krippendorff's alpha of all raters; None for one rater."""
        return self.alphas[0] if self.alphas else None

    @property
    def grades(self) -> tuple[float, ...]:
        """All grades that were given or settled on, from the least to the greatest."""
        given = [each.distribution for each in self.raters]
        if self.settled is not None:
            given.append(self.settled.distribution)
        return tuple(sorted({grade for distribution in given for grade in distribution}))

    def rater(self, name: str) -> RaterAccount:
        """Return the account of a rater.

        Raises
        ------
        ParameterError
            For a name that is none of a rater.
        """
        for each in self.raters:
            if each.rater.name == name:
                return each
        names = ", ".join(each.rater.name for each in self.raters)
        raise ParameterError(where="rater", found=repr(name), expected=f"one of {names}")

    def confusion(self, name: str) -> dict[tuple[float, float], int]:
        """Return how often a rater gave the one grade and another rater the other.

        Where several others graded a document, each counts.

        Raises
        ------
        ParameterError
            For a name that is none of a rater.
        """
        self.rater(name)
        found: dict[tuple[float, float], int] = {}
        for pair in self.pairs:
            if name not in (pair.first, pair.second):
                continue
            for (one, two), often in pair.confusion.items():
                cell = (one, two) if pair.first == name else (two, one)
                found[cell] = found.get(cell, 0) + often
        return dict(sorted(found.items()))

    # --- showing and exchange -------------------------------------------------------------------

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of the rows."""
        return _COLUMNS

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Yield a row a figure: about, name, other, figure, value, low, high."""
        return figures(self)

    def to_dict(self) -> dict[str, object]:
        """Return it as the JSON contract ``gainful.judgments/1`` has it."""
        return to_dict(self)

    def __repr__(self) -> str:
        alpha = self.alpha
        told = "" if alpha is None or alpha.value is None else f": alpha {alpha.value:.4f}"
        return f"<JudgmentQuality of {self.ratings!r}{told}>"

    def tables(self) -> list[Table]:
        """Return the raters, their agreement, the coverage and the systems as tables."""
        return tables(self)

    def _heading(self) -> list[str]:
        from gainful.judging.rendering import heading

        return list(heading(self))

    def _records(self, name: str) -> Records:
        # Verdicts, which are words, are not among the figures.
        rows = [row for row in self.rows() if not isinstance(row[4], str)]
        numbers = [
            (*row[:4], *(None if each is None else float(each) for each in row[4:]))  # type: ignore[arg-type]
            for row in rows
        ]
        return as_records(_COLUMNS, numbers)
