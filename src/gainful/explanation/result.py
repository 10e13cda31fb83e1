"""The result of `explain`."""

from __future__ import annotations

from gainful import _kernel
from gainful.conventions import Convention, get
from gainful.errors import GradeError, ParameterError
from gainful.explanation.rendering import plain, tables
from gainful.explanation.rows import (
    DocumentText,
    ExplainedDocument,
    ExplainedGroup,
    ExplainedRank,
    FullRanking,
    LeftOut,
    documents_of,
    ranks_of,
)
from gainful.measures import Measure
from gainful.measures.choosing import choose_measure
from gainful.quoting import shown
from gainful.records import derived, field
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gainful.data.records import Text
    from gainful.formats.table import Table
    from gainful.plots import Plot

#: The columns of ranks that only spans have.
_OF_SPANS = ("new_units", "repeated_units", "covered")
# Beyond it, consecutive integers are the same float.
_LARGEST_GRADE = 2**53


class Explanation(Result):
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

    query: str
    """The query's id; empty for a plain list of grades."""
    query_text: str | None = None
    """The query's text, if known."""
    measure: Measure
    """The measure as requested."""
    resolved: Measure
    """The measure with every parameter set."""
    convention: Convention
    """The convention of the numbers."""
    value: float = field(json={"type": ["number", "null"]})
    """The measure's value for the query, bit for bit that of `evaluate`; null for NaN."""
    dcg: float | None
    """The sum of the ranking; None for measures that are not sums of gains."""
    idcg: float | None
    """The sum of the ideal ranking."""
    loss: float | None = derived(
        lambda worked: None if worked.dcg is None else worked.idcg - worked.dcg
    )
    """IDCG - DCG; None for measures without these sums."""
    no_relevant: bool
    """Whether the query has no relevant documents, so that the convention sets the value."""
    skipped: bool
    """Whether the convention excludes the query from the mean."""
    retrieved: int = field(json={"minimum": 0})
    """Number of documents in the evaluated ranking."""
    judged: int = field(json={"minimum": 0})
    """Number of documents judged for the query."""
    ranks: tuple[ExplainedRank, ...]
    """From rank 1 to the cutoff, or to the requested depth."""
    documents: tuple[ExplainedDocument, ...]
    """The documents that count in the ranking or in the ideal, by descending cost. For measures
    without an ideal ranking: the relevant documents, by grade."""
    _missing_ids: tuple[str, ...] = derived(
        lambda worked: tuple(document.document for document in worked.missing), key="missing"
    )
    """Ids of relevant documents that are not retrieved or below the cutoff."""
    groups: tuple[ExplainedGroup, ...] = ()
    """The groups of which a document or span is needed, if the judgments have groups and the
    measure uses them."""
    left_out: tuple[LeftOut, ...]
    """The documents that the convention removed from the ranking."""
    _texts: dict[str, DocumentText] = derived(lambda worked: _known_texts(worked), key="texts")
    """Known titles and texts by document."""
    full_ranking: FullRanking | None = None
    """With ``candidates=sampled(N of M)``, an estimate for a ranking of all M documents. None with
    other candidates."""
    notes: tuple[str, ...] = ()
    """Remarks on the texts, for instance that some are missing."""
    texts: Mapping[str, Text] = field(default={}, key="")
    """The known titles and texts of documents."""

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
            depth=checked_depth(depth),
        )
        return explanation_of(account, asked, policies, query="")

    # --- totals ---------------------------------------------------------------------------------

    @property
    def misplaced(self) -> tuple[ExplainedDocument, ...]:
        """The documents with a cost, by descending cost."""
        return tuple(document for document in self.documents if document.cost)

    @property
    def missing(self) -> tuple[ExplainedDocument, ...]:
        """The relevant documents that do not count: not retrieved, or below the cutoff."""
        if self.dcg is not None:
            return tuple(
                document
                for document in self.documents
                if document.ideal_rank and not document.contribution
            )
        last = self.resolved.cutoff or self.retrieved
        return tuple(
            document for document in self.documents if document.rank is None or document.rank > last
        )

    @property
    def missing_groups(self) -> tuple[ExplainedGroup, ...]:
        """The groups that the ranking does not find above the cutoff."""
        last = self.resolved.cutoff or self.retrieved
        return tuple(group for group in self.groups if group.rank is None or group.rank > last)

    @property
    def has_spans(self) -> bool:
        """Whether judgments and run have offsets."""
        return any(rank.new_units is not None for rank in self.ranks)

    @property
    def ties(self) -> tuple[tuple[int, int], ...]:
        """First and last rank of each group of equal scores among the listed ranks."""
        groups: dict[int, tuple[int, int]] = {}
        for rank in self.ranks:
            if rank.tie is not None:
                groups[rank.tie] = (groups.get(rank.tie, (rank.rank, 0))[0], rank.rank)
        return tuple(groups.values())

    # --- showing --------------------------------------------------------------------------------

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


def _known_texts(worked: Explanation) -> dict[str, DocumentText]:
    """Return the texts of the documents that the explanation lists."""
    listed = {name for rank in worked.ranks for name in (rank.document, rank.ideal_document)}
    listed |= {document.document for document in worked.documents}
    return {
        name: DocumentText(title=text.title, text=text.text)
        for name, text in worked.texts.items()
        if name in listed
    }


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


def checked_depth(depth: int | None) -> int | None:
    """Return the number of ranks to list, after checking it.

    Raises
    ------
    ParameterError
        If it is not an integer of 1 or more.
    """
    if depth is None or (type(depth) is int and depth > 0):
        return depth
    raise ParameterError(where="depth", found=repr(depth), expected="an integer of 1 or more")


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
