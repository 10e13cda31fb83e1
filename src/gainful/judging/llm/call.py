"""Grade pooled documents with a language model, and the result."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import replace
from os import fspath
from typing import Any

from gainful.errors import ArgumentError, NoAnswerError, ParameterError
from gainful.formats.delimited import text as json_line
from gainful.formats.table import Column, Note, Table
from gainful.judging.llm.answers import (
    Estimate,
    Meter,
    ModelLabel,
    Outcome,
    StoredAnswer,
    audit_file,
    check_price,
    combine,
)
from gainful.judging.llm.chat import make_parameters
from gainful.judging.llm.fetching import Client, ModelServer
from gainful.judging.llm.items import (
    Call,
    JudgingRequest,
    Long,
    Usage,
    injected_items,
    load_prompt,
    read_examples,
    read_items,
)
from gainful.keywords import suggest_keywords
from gainful.parameters.judging import CHECKED
from gainful.progress import QueryBar, show_progress
from gainful.records import Record, as_columns, derived, field
from gainful.results import Records, Result
from gainful.systems.fetching.base import LOG, Options
from gainful.systems.fetching.journal import SearchJournal, journal_path
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from os import PathLike

    from gainful.data import Qrels
    from gainful.data.corpus import TextsLike
    from gainful.judging.llm.fetching import Requests
    from gainful.judging.llm.items import Prompt
    from gainful.judging.sessions.state import PoolLike

__all__ = ["JudgingAccount", "JudgingPlan", "ModelLabels", "estimate_line", "judge_llm"]

#: The names of outcomes in tables.
_WORDS = {
    Outcome.GRADE: "graded",
    Outcome.OFF_SCALE: "grade not on the scale",
    Outcome.NO_GRADE: "answer without a grade",
    Outcome.REFUSAL: "refused",
    Outcome.LENGTH: "answer cut at its maximum length",
}

_COUNT = {"minimum": 0}


class JudgingPlan(Record):
    """The requests of a judge before any is sent. Numbers of tokens are estimates."""

    documents: int
    """The number of documents with a text, each for one query."""
    injections: int
    """The number of documents that are sent again with an injected instruction."""
    requests: int
    """The number of different requests, if every answer is a grade."""
    reused: int
    """The number of them whose answer is in the journal; unknown in a dry run, where it is 0."""
    prompt_tokens: int
    """The tokens of all prompts: a quarter of their bytes."""
    most_output_tokens: int
    """The tokens of all answers at their maximum length."""
    most_cost: float | None = field(json=_COUNT)
    """The cost of all these tokens, without repeated requests; None without prices."""
    cut: int
    """The number of documents of which the model does not read all."""
    without_text: tuple[tuple[str, str], ...]
    """Query and document of the documents without a text, which are not judged."""


class JudgingAccount(Record):
    """What the requests of a judge cost."""

    server: str
    """The address."""
    answered: int
    """The number of answers, of which there may be several per document."""
    reused: int
    """The number of these answers that came from the journal."""
    prompt_tokens: int
    """The tokens of all prompts, as the server counted them, else as estimated."""
    output_tokens: int
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
    plan: JudgingPlan
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


#: The tokens of an answer before there is any.
_GUESSED_ANSWER = 20


@show_progress(QueryBar)
@suggest_keywords
def judge_llm(
    pool: PoolLike,
    queries: TextsLike,
    docs: TextsLike,
    *,
    url: str | None = None,
    client: str | Callable[[dict[str, Any]], Any] | None = None,
    model: str | None = None,
    key_variable: str | None = None,
    prompt: str | PathLike[str] | Prompt = "graded",
    examples: PoolLike | None = None,
    temperature: float | None = None,
    votes: int = 1,
    expected_grade: bool = False,
    max_tokens: int | None = None,
    param: Mapping[str, Any] | None = None,
    long: str = "head",
    document_tokens: int = 2_000,
    injections: int = 0,
    attempts: int = 3,
    price: Sequence[float] | None = None,
    budget: float | None = None,
    batch: bool = False,
    workers: int = 8,
    rate: float | None = None,
    tokens_per_minute: float | None = None,
    retries: int = 4,
    timeout: float = 120.0,
    journal: str | PathLike[str] | None = None,
    restart: bool = False,
    seed: int = 0,
    dry_run: bool = False,
    yes: bool = False,
    confirm: Callable[[JudgingPlan, str], bool] | None = None,
    announce: Callable[[Estimate], object] | None = None,
    progress: Callable[[int, int, int], object] | None = None,
) -> ModelLabels:
    """Grade pooled documents with a language model.

    Parameters
    ----------
    pool : path, Pool or iterable of (query, document)
        The documents to grade, as `gainful.pool` returns and writes them.
    queries, docs : path or mapping
        The texts, as for `gainful.explain`.
    url : str
        The address of a server with an OpenAI-compatible API, such as
        ``"http://localhost:8000/v1"``. A dry run needs none.
    client : str or callable, optional
        Instead of an address, a function that answers: it takes the body of a request, as OpenAI's
        API has it, and returns the answer as text, or as a response of the API. A text is
        ``"module:function"``, or the name of an installed package's entry point of the group
        ``gainful.llm_clients``.
    model : str
        The name of the model. A dry run needs none.
    key_variable : str, optional
        The environment variable with the server's key, which is never stored or displayed.
    prompt : str, path or Prompt
        ``"graded"`` (grades 0 to 3), ``"graded-few-shot"``, ``"binary"``, ``"rubric"`` (criteria
        and an overall grade), or a TOML file.
    examples : path, optional
        A table with ``query_id``, ``doc_id`` and ``grade``: documents that the prompt shows with
        their grades, instead of its own examples. They are not graded, and
        `gainful.assess_judgments` refuses them among the judgments by people.
    temperature : float, optional
        The temperature. Default: 0, or 0.7 for several votes.
    votes : int
        The number of answers per document, of which the lower median counts if more than half are
        grades.
    expected_grade : bool
        Whether the grade is the mean of the grades weighted by the model's probabilities, where the
        server returns log-probabilities.
    max_tokens : int, optional
        The maximum length of an answer. Default: 1,024. It doubles with each attempt.
    param : mapping, optional
        Other parameters of the requests. None leaves a parameter out.
    long : {"head", "head-tail", "passages"}
        What the model reads of long documents: their beginning; beginning and end; or all passages,
        of which the highest grade counts.
    document_tokens : int
        The length from which documents are long, in estimated tokens of 4 bytes.
    injections : int
        The number of documents that are graded again with an injected instruction to give the
        highest grade. `gainful.assess_judgments` reports how many were obeyed.
    attempts : int
        How often a document is sent until its answer is a grade.
    price : (float, float), optional
        The prices of a million tokens of prompts and of a million tokens of answers.
    budget : float, optional
        The maximum cost at these prices, including answers that are in the journal.
    batch : bool
        Whether to use the server's batch endpoint, which is cheaper and slower. The first 20
        documents are sent directly.
    workers, rate, retries, timeout
        The number of concurrent requests, the maximum number per second, the number of retries
        after temporary errors, and the timeout in seconds, as for `gainful.search`.
    tokens_per_minute : float, optional
        The maximum number of tokens per minute, of prompts and answers.
    journal : path, optional
        A file that stores every answer as it arrives. What it has an answer for is never sent
        again. Default: none.
    restart : bool
        Whether to delete the answers in the journal first.
    seed : int
        The random seed of the order of the documents and of the choice for `injections`.
    dry_run : bool
        Whether to only count documents, requests and tokens, with the maximum cost at `price`.
    yes : bool
        Whether the documents may be sent to another host. Required if the server is not on this
        computer, unless `confirm` agrees.
    confirm : callable, optional
        Called with the plan and the address before documents are sent to another host.
    announce : callable, optional
        Called with an estimate of the cost after 20 answers.
    progress : callable, optional
        Called with (requests finished, requests in total, requests that failed).

    Returns
    -------
    ModelLabels
        The labels. Documents without a grade have none: answers are never guessed.

    Raises
    ------
    ParameterError, ArgumentError
        For invalid arguments, or documents that would be sent to another host without consent.
    FormatError, ColumnError, SourceError
        For a pool, texts, a prompt or a journal that cannot be read.
    NoAnswerError
        If no request was answered.

    Notes
    -----
    Labels by a model are not labels by people. Before you report measures that use them, audit them
    with `gainful.assess_judgments`, on documents that people have judged.

    Documents are sent in random order, each in a request of its own, without rank or system. The
    key of an answer in the journal is the SHA-256 of model, query, document, prompt and parameters.

    The default prompt follows S. Upadhyay et al.: UMBRELA. arXiv 2406.06519, 2024, in other words.

    Examples
    --------
    >>> import gainful
    >>> docs = {"d1": "red running shoes", "d2": "blue hats"}
    >>> found = gainful.judge_llm(
    ...     [("q1", "d1"), ("q1", "d2")], {"q1": "red shoes"}, docs, prompt="binary", dry_run=True
    ... )
    >>> found.plan.requests
    2
    """
    if not dry_run and ((url is None and client is None) or model is None):
        raise ArgumentError(
            "a language model needs ⟪url⟫ and ⟪model⟫", hint="or count first with ⟪dry_run⟫"
        )
    server: ModelServer | Client | None = None if url is None else ModelServer.at(url, key_variable)
    if client is not None:
        if url is not None or batch:
            other = "url" if url is not None else "batch"
            raise ArgumentError(f"⟪client⟫ does not work with ⟪{other}⟫")
        server = Client.of(client)
    options = Options(1, workers, None, rate, retries, timeout, "mark").checked()
    prices, limit = check_price(price, budget)
    if model is not None and not str(model).strip():
        raise ParameterError(where="model", found=repr(model), expected="the name of a model")
    checked = {
        "votes": votes,
        "long": long,
        "document_tokens": document_tokens,
        "injections": injections,
        "temperature": temperature,
        "max_tokens": max_tokens,
        "attempts": attempts,
        "tokens_per_minute": tokens_per_minute,
    }
    for parameter in CHECKED:
        parameter.check(checked[parameter.name])
    chosen = load_prompt(prompt)
    if examples is not None:
        chosen = chosen.with_examples(read_examples(examples, queries, docs, chosen))
    items, without = read_items(
        pool,
        queries,
        docs,
        long=Long(long),
        document_tokens=document_tokens,
        seed=seed,
        leave_out=[(example.query_id, example.doc_id) for example in chosen.examples],
    )
    tested = injected_items(items, injections, chosen, seed)
    parameters = make_parameters(
        chosen,
        temperature=temperature,
        votes=votes,
        max_tokens=max_tokens,
        expected_grade=expected_grade,
        param=param or {},
    )
    asking = JudgingRequest(model or "", chosen, parameters, [*items, *tested])
    # The test of instructions comes last: it is worth nothing without the labels.
    calls = [
        Call(index, part, vote, 0)
        for index, item in enumerate(asking.items)
        for part in range(len(item.parts))
        for vote in range(votes)
    ]
    meter = Meter(prices, limit, Usage(0, _GUESSED_ANSWER))
    plan = _plan(asking, calls, len(tested), tuple(without), meter)
    described: dict[str, Any] = {
        "model": asking.model,
        "prompt": chosen.name,
        "prompt_hash": chosen.hash,
        "parameters": dict(parameters),
        "plan": plan,
    }
    if dry_run or server is None:
        return ModelLabels(**described, labels=(), injected=(), account=None)
    from gainful.judging.llm.fetching import Requests, ask_all

    requests_per_item = max(1, plan.requests)
    meter.first_guess = Usage(plan.prompt_tokens // requests_per_item, _GUESSED_ANSWER)
    meter.most = Usage(
        plan.prompt_tokens // requests_per_item, plan.most_output_tokens // requests_per_item
    )
    with closing(SearchJournal(journal_path(journal))) as opened:
        session = opened.session("judge-llm", {"judge": "llm"}, restart=restart)
        requests = Requests(
            asking,
            server,
            session,
            options,
            tokens_per_minute,
            meter,
            announce,
            progress,
        )
        missing = requests.add(calls)
        kept = plan.requests - len(missing)
        LOG.info("%s: %d requests to send, %d in the journal", server.shown, len(missing), kept)
        if missing and not (server.local or yes):
            _consent(plan.replace(reused=plan.requests - len(missing)), server, confirm)
        ask_all(requests, calls, attempts, batch=batch)
        labels = _labels(requests, votes, expected_grade=expected_grade)
        account = _account(requests, len(session.begins()))
        LOG.info("%s: finished, %d requests failed", server.shown, len(requests.failed))
    return ModelLabels(
        **described,
        labels=tuple(label for label in labels if not label.injection),
        injected=tuple(label for label in labels if label.injection),
        account=account,
    )


def _plan(
    asking: JudgingRequest,
    calls: list[Call],
    injections: int,
    without: tuple[tuple[str, str], ...],
    meter: Meter,
) -> JudgingPlan:
    different = {asking.key(call): call for call in calls}
    lengths = [asking.parameters.get(name) for name in ("max_tokens", "max_completion_tokens")]
    longest = next((length for length in lengths if type(length) is int), 0)
    most = Usage(sum(map(asking.count_tokens, different.values())), longest * len(different))
    return JudgingPlan(
        documents=len(asking.items) - injections,
        injections=injections,
        requests=len(different),
        reused=0,
        prompt_tokens=most.prompt,
        most_output_tokens=most.output,
        most_cost=meter.cost_of(most),
        cut=sum(item.cut for item in asking.items if not item.injection),
        without_text=without,
    )


def _consent(
    plan: JudgingPlan,
    server: ModelServer | Client,
    confirm: Callable[[JudgingPlan, str], bool] | None,
) -> None:
    if confirm is not None and confirm(plan, server.shown):
        return
    raise ParameterError(
        f"{plan.documents:,} documents would be sent to {server.shown}",
        where="yes",
        hint="set ⟪yes⟫ if they may be sent there",
    )


def _labels(requests: Requests, votes: int, *, expected_grade: bool) -> list[ModelLabel]:
    items = requests.asking.items
    by_item: list[list[StoredAnswer]] = [[] for _ in items]
    for call, key in requests.same.items():
        kept = requests.kept.get(key)
        if kept is not None:
            # Documents with equal texts share an answer.
            by_item[call.item].append(replace(kept, call=call))
    labels = [
        combine(requests.asking, item, kept, votes, expected_grade=expected_grade)
        for item, kept in zip(items, by_item, strict=True)
        if kept
    ]
    return [label for label in labels if label is not None]


def _account(requests: Requests, sessions: int) -> JudgingAccount:
    meter = requests.meter
    failed: dict[tuple[str, str], str] = {}
    for call, key in requests.same.items():
        if key in requests.failed:
            item = requests.asking.items[call.item]
            failed.setdefault((item.query_id, item.doc_id), requests.failed[key])
    if not requests.kept and failed:
        why = next(iter(failed.values()))
        problem = f"no request was answered ({len(failed):,} documents): {why}"
        raise NoAnswerError(problem, transient=requests.temporary)
    return JudgingAccount(
        server=requests.server.shown,
        answered=len(requests.kept),
        reused=requests.reused,
        prompt_tokens=meter.prompt,
        output_tokens=meter.output,
        cost=meter.cost,
        estimate=requests.estimate,
        dropped=dict(requests.chat.dropped),
        failed=failed,
        sessions=sessions,
    )
