"""The result of `explain`: its ranks and documents."""

from __future__ import annotations

from gainful import _kernel
from gainful.conventions import Convention, get
from gainful.errors import GradeError, ParameterError
from gainful.explanation.rendering import plain, tables
from gainful.measures import Measure
from gainful.measures.choosing import choose_measure
from gainful.parameters import OPTIONAL_COUNT
from gainful.quoting import shown
from gainful.records import Record, derived, field
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from gainful.data.records import Text
    from gainful.formats.table import Table
    from gainful.plots import Plot

    Number = float | None

__all__ = [
    "ExplainedDocument",
    "ExplainedGroup",
    "ExplainedRank",
    "FullRank",
    "FullRanking",
    "LeftOut",
]

_RANK = {"minimum": 1}


class ExplainedRank(Record):
    """One rank of the ranking and of the ideal ranking."""

    rank: int = field(json=_RANK)
    """The rank, from 1."""
    document: str | None = None
    """The document; None below the end of the ranking."""
    score: Number = None
    """The score in the run; None in a ranking without scores."""
    grade: Number = None
    """The judged grade; None for an unjudged document."""
    tie: int | None = field(default=None, json=_RANK)
    """The number of its group of equal scores, from 1; None for a unique score."""
    gain: Number = None
    """For sums of gains (CG, DCG, IDCG, nDCG): the gain of the grade."""
    discount: Number = None
    """For sums of gains: the discount factor of the rank, 0 below the cutoff."""
    contribution: Number = None
    """For sums of gains: gain × discount, rounded if the convention rounds terms; under
    ``ties=expected`` the mean gain of the tied group × discount."""
    running: Number = None
    """The DCG at this rank; for other measures the measure's value at this rank."""
    relevant: bool | None = None
    """For measures that are not sums of gains: whether the document is relevant."""
    precision: Number = None
    """For AP: the precision at the rank of a relevant document."""
    new_units: int | None = field(default=None, optional=True)
    """With spans: the units of the chunk that no chunk above it has."""
    repeated_units: int | None = field(default=None, optional=True)
    """With spans: the units of the chunk that chunks above it have."""
    covered: Number = field(default=None, optional=True)
    """With spans: the share of the relevant text that the chunks down to this rank cover."""
    ideal_document: str | None = None
    """The document at this rank of the ideal ranking; None if the ideal consists of grades without
    documents."""
    ideal_grade: Number = None
    """Its grade."""
    ideal_gain: Number = None
    """Its gain."""
    ideal_contribution: Number = None
    """Its gain × discount."""
    ideal_running: Number = None
    """The IDCG at this rank."""
    cost: Number = None
    """`ideal_contribution` - `contribution`. The costs of all ranks sum to IDCG - DCG. It is
    negative if the rank contributes more than in the ideal ranking."""


class ExplainedDocument(Record):
    """A document that counts in the ranking, in the ideal ranking, or in both."""

    document: str
    """Its id."""
    grade: Number
    """Its grade; None for an unjudged document, which counts if the convention gives it a grade."""
    gain: Number
    """The gain of the grade; None for measures that are not sums of gains."""
    rank: int | None = field(json=_RANK)
    """Its rank in the whole ranking; None if it was not retrieved."""
    ideal_rank: int | None = field(json=_RANK)
    """Its rank in the ideal ranking; None if it is not in the ideal ranking."""
    contribution: Number
    """Its term of the DCG: gain × discount of its rank, or 0. Under ``ties=expected``, gain × the
    mean discount of its possible ranks."""
    ideal_contribution: Number
    """Its term of the IDCG."""
    cost: Number
    """`ideal_contribution` - `contribution`. The costs of all documents sum to IDCG - DCG. It is
    negative for a document above its ideal rank."""


class ExplainedGroup(Record):
    """A group of alternatives, of which one document or span is needed."""

    group: str
    """Its name."""
    weight: float = field(json={"minimum": 0})
    """Its weight, 1 unless the judgments have weights."""
    rank: int | None = field(json=_RANK)
    """The rank at which it is found; None if the ranking lacks it."""


class FullRank(Record):
    """A relevant document among sampled candidates, and the estimate among all documents."""

    document: str
    """Its id."""
    rank: int = field(json=_RANK)
    """Its rank among the candidates."""
    full_rank: float = field(json=_RANK)
    """The estimated rank: 1 + relevant documents above it + other candidates above it × all other
    documents / sampled ones."""


class FullRanking(Record):
    """An estimate of what a ranking of all documents would give, from sampled candidates."""

    documents: int = field(json=_RANK)
    """The number of all documents."""
    sampled: int = field(json=_RANK)
    """The number of sampled documents that are not relevant."""
    ranks: tuple[FullRank, ...]
    """The retrieved relevant documents by rank."""
    value: float = field(json={"type": ["number", "null"]})
    """The measure with these documents at their estimated ranks, rounded down."""


class LeftOut(Record):
    """A document that the convention removed from the ranking."""

    document: str
    """Its id."""
    reason: str = field(json={"enum": ["unjudged", "duplicate", "negative", "same-id"]})
    """The policy that removed it: ``unjudged=condense`` (or a measure's ``judged_only``),
    ``duplicates``, ``negative=drop`` or ``same_id=drop``."""


class DocumentText(Record):
    """The title and the text of a document."""

    title: str
    """Its title."""
    text: str
    """Its text."""


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
    retrieved: int
    """Number of documents in the evaluated ranking."""
    judged: int
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
            depth=OPTIONAL_COUNT.check(depth, "depth"),
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
