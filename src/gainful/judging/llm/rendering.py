"""The plan and the account of a judge as tables."""

from __future__ import annotations

from collections import Counter

from gainful.formats.table import Column, Note, Table
from gainful.judging.llm.answers import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.judging.llm.meter import Estimate
    from gainful.judging.llm.result import ModelLabels

__all__ = ["estimate_line", "outcome_words", "tables"]

#: The names of outcomes in tables.
_WORDS = {
    Outcome.GRADE: "graded",
    Outcome.OFF_SCALE: "grade not on the scale",
    Outcome.NO_GRADE: "answer without a grade",
    Outcome.REFUSAL: "refused",
    Outcome.LENGTH: "answer cut at its maximum length",
}


def outcome_words(outcome: Outcome) -> str:
    """Return the name of an outcome."""
    return _WORDS[outcome]


def tables(result: ModelLabels) -> list[Table]:
    """Return the plan, or the account, as a table."""
    rows = list(_plan(result) if result.account is None else _account(result))
    title = ", ".join(filter(None, (result.model, f"prompt {result.prompt}")))
    columns = [Column("figure"), Column("value", align="r")]
    return [Table(columns, rows, title=title, notes=list(_notes(result)))]


def _plan(result: ModelLabels) -> Iterator[tuple[str, str]]:
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


def _account(result: ModelLabels) -> Iterator[tuple[str, str]]:
    account = result.account
    assert account is not None
    yield "documents", f"{result.plan.documents:,}"
    counts = Counter(label.outcome for label in result.labels)
    for outcome in Outcome:
        if counts[outcome]:
            yield outcome_words(outcome), f"{counts[outcome]:,}"
    grades = Counter(label.grade for label in result.graded)
    for grade in sorted(each for each in grades if each is not None):
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
