"""The result of `gainful.judge_llm`."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from os import fspath
from typing import Any

from gainful.formats.json import text as json_line
from gainful.judging.llm.answers import Outcome
from gainful.judging.llm.labels import audit_file, row_of
from gainful.judging.llm.rendering import tables
from gainful.results import Records, Result, as_records
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

    from gainful.data import Qrels
    from gainful.formats.table import Table
    from gainful.judging.llm.calls import Asking
    from gainful.judging.llm.labels import ModelLabel
    from gainful.judging.llm.meter import Estimate

__all__ = ["JudgingAccount", "ModelLabels", "Plan"]

_COLUMNS = ("query_id", "doc_id", "grade", "outcome", "version", "time")


@dataclass(frozen=True, slots=True)
class Plan:
    """The requests of a judge before any is sent. Numbers of tokens are estimates.

    Attributes
    ----------
    documents : int
        The number of documents with a text, each for one query.
    injections : int
        The number of documents that are sent again with an injected instruction.
    requests : int
        The number of different requests, if every answer is a grade.
    reused : int
        The number of them whose answer is in the journal; unknown in a dry run, where it is 0.
    prompt_tokens : int
        The tokens of all prompts: a quarter of their bytes.
    most_output_tokens : int
        The tokens of all answers at their maximum length.
    most_cost : float or None
        The cost of all these tokens, without repeated requests; None without prices.
    cut : int
        The number of documents of which the model does not read all.
    without_text : tuple of (query, document)
        The documents without a text, which are not judged.
    """

    documents: int
    injections: int
    requests: int
    reused: int
    prompt_tokens: int
    most_output_tokens: int
    most_cost: float | None
    cut: int
    without_text: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class JudgingAccount:
    """What the requests of a judge cost.

    Attributes
    ----------
    server : str
        The address.
    answered : int
        The number of answers, of which there may be several per document.
    reused : int
        The number of these answers that came from the journal.
    prompt_tokens, output_tokens : int
        The tokens of all answers, as the server counted them, else as estimated.
    cost : float or None
        Their cost at the given prices, including answers from the journal; None without prices.
    estimate : Estimate or None
        The cost that the first answers predicted.
    dropped : dict of str to str
        The parameters that the server refused, with its messages.
    failed : dict of (query, document) to str
        The documents without an answer, with the reasons.
    sessions : int
        How often the judge was started or resumed with this journal.
    """

    server: str
    answered: int
    reused: int
    prompt_tokens: int
    output_tokens: int
    cost: float | None
    estimate: Estimate | None
    dropped: dict[str, str]
    failed: dict[tuple[str, str], str] = field(repr=False)
    sessions: int


@dataclass(frozen=True, eq=False, repr=False)
class ModelLabels(Result):
    """Labels by a language model, as returned by `gainful.judge_llm`.

    Attributes
    ----------
    plan : Plan
        The numbers of documents, requests and tokens.
    labels : tuple of ModelLabel
        The label of each document that has an answer, also if the answer is not a grade.
    injected : tuple of ModelLabel
        The answers to documents with an injected instruction, which are not labels.
    account : JudgingAccount or None
        Answers, tokens and costs; None for a dry run.

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

    RECORDS = {"labels": None}

    plan: Plan
    labels: tuple[ModelLabel, ...]
    injected: tuple[ModelLabel, ...]
    account: JudgingAccount | None
    _asking: Asking

    @property
    def model(self) -> str:
        """The name of the model; empty for a dry run without one."""
        return self._asking.model

    @property
    def prompt(self) -> str:
        """The name of the prompt and its hash."""
        return f"{self._asking.prompt.name} {self._asking.prompt.hash}"

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
        return dict(Counter(label.outcome.value for label in self.labels).most_common())

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
        return (json_line(row_of(label, self._asking)).encode() for label in labels)

    # --- display and export ---------------------------------------------------------------------

    def tables(self) -> list[Table]:
        """Return the plan, or the numbers of labels, tokens and costs, as a table."""
        return tables(self)

    def to_dict(self) -> dict[str, object]:
        """Return everything as the JSON contract ``gainful.model-labels/1``."""
        account: dict[str, Any] | None = None
        if self.account is not None:
            account = asdict(self.account)
            account["failed"] = [[*pair, why] for pair, why in self.account.failed.items()]
            if self.account.estimate is not None:
                account["estimate"] = self.account.estimate._asdict()
        plan = asdict(self.plan)
        plan["without_text"] = [list(pair) for pair in self.plan.without_text]
        return {
            "schema": "gainful.model-labels/1",
            "model": self.model,
            "prompt": self._asking.prompt.name,
            "prompt_hash": self._asking.prompt.hash,
            "parameters": dict(self._asking.parameters),
            "plan": plan,
            "account": account,
            "labels": [row_of(label, self._asking) for label in self.labels],
            "injected": [row_of(label, self._asking) for label in self.injected],
        }

    def _records(self, name: str) -> Records:
        rows = [
            (
                label.query_id,
                label.doc_id,
                label.grade,
                label.outcome.value,
                label.version,
                label.time,
            )
            for label in self.labels
        ]
        return as_records(_COLUMNS, rows)

    def __repr__(self) -> str:
        return f"<ModelLabels of {self.model}: {len(self.graded):,} grades>"

    @property
    def refusals(self) -> int:
        """The number of documents that the model refused to grade."""
        return sum(label.outcome is Outcome.REFUSAL for label in self.labels)
