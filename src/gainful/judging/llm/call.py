"""Grade pooled documents with a language model."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Any

from gainful.errors import ArgumentError, NoAnswerError, ParameterError
from gainful.judging.llm.answers import Kept, Meter, ModelLabel, Usage, check_price, combine
from gainful.judging.llm.chat import make_parameters
from gainful.judging.llm.client import Client
from gainful.judging.llm.fetching import Server
from gainful.judging.llm.items import Asking, Call, Long, injected_items, read_examples, read_items
from gainful.judging.llm.prompt import load_prompt
from gainful.judging.llm.result import JudgingAccount, ModelLabels, Plan
from gainful.keywords import suggest_keywords
from gainful.parameters.judging import CHECKED
from gainful.progress import QueryBar, show_progress
from gainful.systems.fetching.base import LOG, Options
from gainful.systems.fetching.journal import Journal, journal_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

    from gainful.data.corpus import TextsLike
    from gainful.judging.llm.answers import Estimate
    from gainful.judging.llm.fetching import Requests
    from gainful.judging.llm.prompt import Prompt
    from gainful.judging.sessions.state import PoolLike

__all__ = ["judge_llm"]

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
    confirm: Callable[[Plan, str], bool] | None = None,
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
    server: Server | Client | None = None if url is None else Server.at(url, key_variable)
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
    asking = Asking(model or "", chosen, parameters, [*items, *tested])
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
    with closing(Journal(journal_path(journal))) as opened:
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
    asking: Asking,
    calls: list[Call],
    injections: int,
    without: tuple[tuple[str, str], ...],
    meter: Meter,
) -> Plan:
    different = {asking.key(call): call for call in calls}
    lengths = [asking.parameters.get(name) for name in ("max_tokens", "max_completion_tokens")]
    longest = next((length for length in lengths if type(length) is int), 0)
    most = Usage(sum(map(asking.count_tokens, different.values())), longest * len(different))
    return Plan(
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
    plan: Plan, server: Server | Client, confirm: Callable[[Plan, str], bool] | None
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
    by_item: list[list[Kept]] = [[] for _ in items]
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
