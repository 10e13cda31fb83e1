"""The result of `gainful.judge_llm`."""

from __future__ import annotations

from collections import Counter
from os import fspath
from typing import Any

from gainful.formats.json import text as json_line
from gainful.formats.table import Column, Note, Table
from gainful.judging.llm.answers import Estimate, ModelLabel, Outcome, audit_file
from gainful.records import Record, as_columns, derived, field
from gainful.results import Records, Result
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

    from gainful.data import Qrels

__all__ = ["JudgingAccount", "ModelLabels", "Plan", "estimate_line"]

#: The names of outcomes in tables.
_WORDS = {
    Outcome.GRADE: "graded",
    Outcome.OFF_SCALE: "grade not on the scale",
    Outcome.NO_GRADE: "answer without a grade",
    Outcome.REFUSAL: "refused",
    Outcome.LENGTH: "answer cut at its maximum length",
}

_COUNT = {"minimum": 0}


class Plan(Record):
    """The requests of a judge before any is sent. Numbers of tokens are estimates."""

    documents: int = field(json=_COUNT)
    """The number of documents with a text, each for one query."""
    injections: int = field(json=_COUNT)
    """The number of documents that are sent again with an injected instruction."""
    requests: int = field(json=_COUNT)
    """The number of different requests, if every answer is a grade."""
    reused: int = field(json=_COUNT)
    """The number of them whose answer is in the journal; unknown in a dry run, where it is 0."""
    prompt_tokens: int = field(json=_COUNT)
    """The tokens of all prompts: a quarter of their bytes."""
    most_output_tokens: int = field(json=_COUNT)
    """The tokens of all answers at their maximum length."""
    most_cost: float | None = field(json=_COUNT)
    """The cost of all these tokens, without repeated requests; None without prices."""
    cut: int = field(json=_COUNT)
    """The number of documents of which the model does not read all."""
    without_text: tuple[tuple[str, str], ...]
    """Query and document of the documents without a text, which are not judged."""


class JudgingAccount(Record):
    """What the requests of a judge cost."""

    server: str
    """The address."""
    answered: int = field(json=_COUNT)
    """The number of answers, of which there may be several per document."""
    reused: int = field(json=_COUNT)
    """The number of these answers that came from the journal."""
    prompt_tokens: int = field(json=_COUNT)
    """The tokens of all prompts, as the server counted them, else as estimated."""
    output_tokens: int = field(json=_COUNT)
    """The tokens of all answers."""
    cost: float | None = field(json=_COUNT)
    """Their cost at the given prices, including answers from the journal; None without prices."""
    estimate: Estimate | None
    """The cost that the first answers predicted."""
    dropped: dict[str, str]
    """The parameters that the server refused, with its messages."""
    failed: dict[tuple[str, str], str] = field(key="")
    """The documents without an answer, by query and document, with the reasons."""
    failures: tuple[tuple[str, str, str], ...] = derived(
        lambda account: tuple((*pair, why) for pair, why in account.failed.items()), key="failed"
    )
    """Query, document and reason of each document without an answer."""
    sessions: int = field(json={"minimum": 1})
    """How often the judge was started or resumed with this journal."""


class ModelLabels(Result):
    """Labels by a language model, as returned by `gainful.judge_llm`.

    Examples
    --------
    >>> import gainful
    >>> docs = {"d1": "red shoes", "d2": "blue hats"}
    >>> found = gainful.judge_llm(
    ...     [("q1", "d1"), ("q1", "d2")], {"q1": "red shoes"}, docs, dry_run=True
    ... )
    >>> found.plan.documents, found.plan.requests, found.labels
    (2, 2, ())
    """

    SCHEMA = "gainful.model-labels/1"
    RECORDS = {"labels": None}

    model: str
    """The requested model; empty for a dry run without one."""
    prompt: str
    """The name of the prompt."""
    prompt_hash: str
    """The first 16 hexadecimal digits of the SHA-256 of the prompt."""
    parameters: dict[str, Any]
    """The requested parameters."""
    plan: Plan
    """The numbers of documents, requests and tokens."""
    account: JudgingAccount | None
    """Answers, tokens and costs; None for a dry run."""
    labels: tuple[ModelLabel, ...]
    """The label of each document that has an answer, also if the answer is not a grade."""
    injected: tuple[ModelLabel, ...]
    """The answers to documents with an injected instruction, which are not labels."""

    @property
    def graded(self) -> tuple[ModelLabel, ...]:
        """The labels with a grade."""
        return tuple(label for label in self.labels if label.grade is not None)

    @property
    def ungraded(self) -> int:
        """The number of documents with a text and without a grade."""
        return self.plan.documents - len(self.graded) if self.account is not None else 0

    @property
    def is_complete(self) -> bool:
        """Whether all documents have an answer, and at most a tenth of them no grade."""
        failed = self.account is not None and self.account.failed
        return not failed and 10 * self.ungraded <= self.plan.documents

    @property
    def outcomes(self) -> dict[str, int]:
        """The number of documents by `Outcome`, most frequent first."""
        return dict(Counter(label.outcome for label in self.labels).most_common())

    def qrels(self) -> Qrels:
        """Return the grades as judgments.

        Raises
        ------
        FormatError
            If there is no grade.
        """
        from gainful.data import Qrels

        grades: dict[str, dict[str, float]] = {}
        for label in self.graded:
            assert label.grade is not None
            grades.setdefault(label.query_id, {})[label.doc_id] = label.grade
        return Qrels(grades, name=self.model)

    def write(self, path: str | PathLike[str]) -> None:
        """Write the labels as JSON lines, atomically.

        Answers without a grade, and answers to injected instructions, are written to a second file
        whose name ends in ``.audit.jsonl``: no reader of judgments can mistake them for labels.

        Raises
        ------
        SourceError
            If a file cannot be written.
        """
        name = fspath(path)
        others = [label for label in self.labels if label.grade is None]
        write_whole(audit_file(name), self._lines((*others, *self.injected)))
        write_whole(name, self._lines(self.graded))

    def _lines(self, labels: Iterable[ModelLabel]) -> Iterator[bytes]:
        return (json_line(label.to_dict()).encode() for label in labels)

    def tables(self) -> list[Table]:
        """Return the plan, or the numbers of labels, tokens and costs, as a table."""
        rows = _plan_rows(self) if self.account is None else _account_rows(self)
        title = ", ".join(filter(None, (self.model, f"prompt {self.prompt} {self.prompt_hash}")))
        columns = [Column("figure"), Column("value", align="r")]
        return [Table(columns, rows, title=title, notes=list(_notes(self)))]

    def _records(self, name: str) -> Records:
        columns = as_columns(ModelLabel, self.labels)
        names = ("query_id", "doc_id", "grade", "outcome", "version", "time")
        return {name: columns[name] for name in names}

    def __repr__(self) -> str:
        return f"<ModelLabels of {self.model}: {len(self.graded):,} grades>"

    @property
    def refusals(self) -> int:
        """The number of documents that the model refused to grade."""
        return sum(label.outcome == Outcome.REFUSAL for label in self.labels)


def _plan_rows(result: ModelLabels) -> Iterator[tuple[str, str]]:
    plan = result.plan
    yield "documents", f"{plan.documents:,}"
    if plan.injections:
        yield "with an injected instruction", f"{plan.injections:,}"
    yield "requests", f"{plan.requests:,}"
    yield "tokens of prompts, estimated", f"{plan.prompt_tokens:,}"
    yield "tokens of answers, at most", f"{plan.most_output_tokens:,}"
    if plan.most_cost is not None:
        yield "cost of one attempt, at most", f"{plan.most_cost:,.4f}"
    if plan.cut:
        yield "documents that are cut", f"{plan.cut:,}"
    if plan.without_text:
        yield "documents without a text", f"{len(plan.without_text):,}"


def _account_rows(result: ModelLabels) -> Iterator[tuple[str, str]]:
    account = result.account
    assert account is not None
    yield "documents", f"{result.plan.documents:,}"
    counts = Counter(label.outcome for label in result.labels)
    for outcome in Outcome:
        if counts[outcome]:
            yield _WORDS[outcome], f"{counts[outcome]:,}"
    grades = Counter(label.grade for label in result.graded)
    for grade in sorted(grade for grade in grades if grade is not None):
        if len(grades) <= 12:
            yield f"grade {grade:g}", f"{grades[grade]:,}"
    if account.failed:
        yield "no answer", f"{len(account.failed):,}"
    if result.plan.without_text:
        yield "without a text", f"{len(result.plan.without_text):,}"
    yield "answers", f"{account.answered:,}"
    if account.reused:
        yield "of them from the journal", f"{account.reused:,}"
    yield "tokens of prompts", f"{account.prompt_tokens:,}"
    yield "tokens of answers", f"{account.output_tokens:,}"
    if account.cost is not None:
        yield "cost", f"{account.cost:,.4f}"


def _notes(result: ModelLabels) -> Iterator[Note]:
    account = result.account
    if account is None:
        return
    for name, why in account.dropped.items():
        yield Note("dropped", f"The server refuses the parameter {name}, so it was dropped: {why}.")
    if result.ungraded:
        share = result.ungraded / result.plan.documents
        yield Note(
            "ungraded",
            f"{result.ungraded:,} of {result.plan.documents:,} documents ({share:.0%}) have no"
            " grade, so measures treat them as unjudged.",
        )
    if account.failed:
        (query, document), why = next(iter(account.failed.items()))
        yield Note("failed", f"Without an answer, such as {query} {document}: {why}.")


def estimate_line(estimate: Estimate) -> str:
    """Return the estimate of the cost after the first answers, as a sentence."""
    answers = f"{estimate.answers:,} answer{'' if estimate.answers == 1 else 's'}"
    text = (
        f"After {answers}: {estimate.prompt:,.0f} tokens per prompt and {estimate.output:,.0f} per"
        " answer"
    )
    if estimate.cost is None:
        return f"{text}, {estimate.requests:,} requests in total."
    return f"{text}; all {estimate.requests:,} requests cost about {estimate.cost:,.4f}."
