"""The result of `explain`."""

from __future__ import annotations

from gainful import _kernel
from gainful.conventions import Convention, get
from gainful.errors import GradeError, ParameterError
from gainful.explanation.data import (
    ExplainedDocument,
    ExplainedGroup,
    ExplainedRank,
    ExplanationData,
    LeftOut,
)
from gainful.explanation.rendering import plain, tables
from gainful.measures import Measure
from gainful.measures.choosing import choose_measure
from gainful.parameters import OPTIONAL_COUNT
from gainful.quoting import shown
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from gainful.formats.table import Table
    from gainful.plots import Plot

    Number = float | None

__all__ = ["Explanation", "explanation_of"]


def ranks_of(account: dict[str, Any]) -> Iterator[ExplainedRank]:
    """Yield the kernel's ranks, each with the ideal one."""
    ranks, ideals, parts = account["ranks"], account["ideal"], account["parts"]
    running = ideal_running = 0.0
    # Beyond the end of the ranking, ideal ranks without a contribution are omitted.
    last = max((index for index, ideal in enumerate(ideals, start=1) if ideal[3]), default=0)
    for index in range(max(len(ranks), last)):
        ranks_of_query: tuple[Any, ...] = ranks[index] if index < len(ranks) else ()
        ideal: tuple[Any, ...] = ideals[index] if index < len(ideals) else ()
        document, score, grade, tie, gain, discount, adds, sum_, relevant, precision, read = (
            ranks_of_query
            or (*(None, None, None, None, None, None, 0.0, running, None, None, None),)
        )
        new, repeated, covered = read or (None, None, None)
        ideal_document, ideal_grade, ideal_gain, ideal_adds, ideal_sum = ideal or (
            *(None, None, None, 0.0, ideal_running),
        )
        if parts is None:
            ideal_adds = ideal_sum = None
        else:
            running, ideal_running = sum_, ideal_sum
        yield ExplainedRank(
            rank=index + 1,
            document=document,
            score=score,
            grade=grade,
            tie=tie or None,
            gain=gain,
            discount=discount,
            contribution=adds,
            running=sum_,
            relevant=relevant,
            precision=precision,
            new_units=new,
            repeated_units=repeated,
            covered=covered,
            ideal_document=ideal_document,
            ideal_grade=ideal_grade,
            ideal_gain=ideal_gain,
            ideal_contribution=ideal_adds,
            ideal_running=ideal_sum,
            cost=None if parts is None else ideal_adds - adds,
        )


def documents_of(account: dict[str, Any]) -> Iterator[ExplainedDocument]:
    """Yield the kernel's documents with their costs."""
    for document, grade, gain, rank, ideal_rank, adds, ideal_adds in account["documents"]:
        yield ExplainedDocument(
            document=document,
            grade=grade,
            gain=gain,
            rank=rank,
            ideal_rank=ideal_rank,
            contribution=adds,
            ideal_contribution=ideal_adds,
            cost=None if adds is None else ideal_adds - adds,
        )


#: The columns of ranks that only spans have.
_OF_SPANS = ("new_units", "repeated_units", "covered")

# Beyond it, consecutive integers are the same float.
_LARGEST_GRADE = 2**53


class Explanation(ExplanationData, Result):
    """The score of one query, rank by rank, next to the ideal ranking.

    ``print`` shows a table of at most 100 columns. ``to_markdown``, ``to_latex``, ``to_html`` and
    ``to_dict`` export it. Its ranks are an Arrow stream, so ``polars.DataFrame(explanation)``
    works.

    Examples
    --------
    >>> worked = Explanation.of_grades([2, 0, 3], "nDCG@2")
    >>> [(each.document, each.rank, each.ideal_rank) for each in worked.missing]
    [('d3', 3, 1)]
    >>> [round(rank.cost, 4) for rank in worked.ranks], round(worked.loss, 4)
    ([1.0, 1.2619], 2.2619)
    """

    SCHEMA = "gainful.explanation/1"
    COMMAND = "explain"
    RECORDS = {"ranks": ExplainedRank, "documents": ExplainedDocument, "groups": ExplainedGroup}
    PICTURES = ("gains",)

    @classmethod
    def of_grades(
        cls,
        grades: Iterable[float | None],
        measure: Measure | str = "nDCG",
        *,
        ideal: Sequence[float] | None = None,
        convention: Convention | str = "gainful-1",
        depth: int | None = None,
    ) -> Explanation:
        """Explain a list of grades. The documents are named d1, d2 and so on.

        Parameters
        ----------
        grades : iterable of float or None
            The grades in rank order; ``None`` is an unjudged document.
        measure : Measure or str
            The measure to explain.
        ideal : sequence of float, optional
            Grades of the ideal ranking; by default those of the list, sorted.
        convention : Convention or str
            The policies, or the name of a preset.
        depth : int, optional
            Number of ranks to list.

        Raises
        ------
        GradeError
            For a grade that is not finite, or beyond 2^53.
        MeasureError
            For a measure that cannot be explained, or an `ideal` for one that has no ideal.

        Examples
        --------
        >>> worked = Explanation.of_grades([3, 2, 3, 0, 1])
        >>> worked.dcg, worked.idcg
        (6.148712314377457, 6.323465818787765)
        >>> [rank.contribution for rank in worked.ranks]
        [3.0, 1.261859507142915, 1.5, 0.0, 0.38685280723454163]
        """
        policies = get(convention)
        asked = choose_measure(measure, policies)
        if ideal is not None:
            asked = asked(ideal=tuple(ideal))
        checked = [_checked(grade, rank) for rank, grade in enumerate(grades, start=1)]
        known = [grade for grade in checked if grade is not None]
        account = _kernel.explain_list(
            checked,
            policies.spec(),
            (
                repr(asked),
                *asked.spec(policies, lambda: known),
            ),
            depth=OPTIONAL_COUNT.check(depth, "depth"),
        )
        return explanation_of(account, asked, policies, query="")

    def to_text(self, *, notes: bool = False) -> str:
        """Return the explanation as plain text: the ranks, and a summary."""
        return plain(self)

    def _plain(self, columns: int | None = None, *, notes: bool = False) -> str:
        return plain(self) if columns is None else plain(self, columns)

    def _drawn(self, *, notes: bool = False) -> str:
        from gainful.explanation.rendering import drawn

        return drawn(self)

    def __repr__(self) -> str:
        of = f" of query {self.query!r}" if self.query else ""
        return f"<Explanation{of}: {self.measure!r} = {self.value:.4f}, {len(self.ranks)} ranks>"

    def tables(self) -> list[Table]:
        """Return the ranks and the misplaced documents as tables."""
        return tables(self)

    def _records(self, name: str) -> Records:
        """Return records; columns of spans only with spans."""
        columns = super()._records(name)
        if not self.has_spans:
            for column in _OF_SPANS:
                columns.pop(column, None)
        return columns

    def _picture(self, name: str) -> Plot:
        """Draw the discounted gain of each rank, in the ranking and in the ideal ranking."""
        from gainful import plots

        if self.dcg is None:
            raise ParameterError(
                where="plot",
                found=repr(self.measure),
                expected="a sum of gains, such as nDCG",
            )
        rows = [
            {"rank": rank.rank, "ranking": ranking, "document": document, "gain": gain}
            for rank in self.ranks
            for ranking, document, gain in (
                ("ranking", rank.document, rank.contribution),
                ("ideal", rank.ideal_document, rank.ideal_contribution),
            )
            if gain is not None
        ]
        of = f" of {self.query}" if self.query else ""
        return plots.gains(rows, f"{self.measure!r}{of}: {self.value:.4f}")


def explanation_of(
    account: dict[str, Any], measure: Measure, convention: Convention, query: str
) -> Explanation:
    """Make an explanation from the kernel's tuples."""
    dcg, idcg = account["parts"] or (None, None)
    return Explanation(
        query=query,
        measure=measure,
        resolved=measure.resolve(convention),
        convention=convention,
        value=account["value"],
        dcg=dcg,
        idcg=idcg,
        ranks=tuple(ranks_of(account)),
        documents=tuple(documents_of(account)),
        groups=tuple(
            ExplainedGroup(group=group, weight=weight, rank=rank)
            for group, weight, rank in account["groups"]
        ),
        left_out=tuple(
            LeftOut(document=document, reason=reason) for document, reason in account["left_out"]
        ),
        retrieved=account["retrieved"],
        judged=account["judged"],
        no_relevant=account["nothing"],
        skipped=account["skipped"],
    )


def _checked(grade: object, rank: int) -> float | None:
    if grade is None:
        return None
    try:
        value = float(grade)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        value = float("nan")
    if abs(value) <= _LARGEST_GRADE:
        return value
    raise GradeError(
        where=f"rank {rank}",
        found=f"the grade {shown(grade)}",
        expected="a number between -2^53 and 2^53, or None for an unjudged document",
    )
