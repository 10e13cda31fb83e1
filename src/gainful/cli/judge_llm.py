"""``gainful judge-llm``: grade a pool with a language model."""

from __future__ import annotations

import sys

import click

from gainful.cli.arguments import examples, writable_output
from gainful.cli.comparing import seed_option
from gainful.cli.fetching import journal_of, journal_option, request_options
from gainful.cli.option_groups import Command, Group, complete_files, option
from gainful.cli.written_files import Content, Output
from gainful.errors import ParameterError
from gainful.exit_statuses import INCONCLUSIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gainful.judging.llm.meter import Estimate
    from gainful.judging.llm.result import ModelLabels, Plan


def _audit_of(path: str, values: Mapping[str, Any]) -> list[tuple[str, Callable[[bytes], bool]]]:
    """Return the other files of labels, and whether existing ones are such files."""
    from gainful.judging.llm.labels import audit_file

    audit = (audit_file(path), lambda head: not head or head.startswith(b'{"query_id": '))
    return [audit, *journal_of(path, values)]


@click.command(
    cls=Command,
    epilog=examples(
        "gainful judge-llm pool.jsonl --queries queries.tsv --docs docs.jsonl --dry-run",
        "gainful judge-llm pool.jsonl --queries queries.tsv --docs docs.jsonl"
        " --url http://localhost:8000/v1 --model llama-3.1-8b -o labels.jsonl",
        "gainful judge-llm pool.jsonl --queries queries.tsv --docs docs.jsonl"
        " --url https://api.openai.com/v1 --key-variable OPENAI_API_KEY --model gpt-4o-mini"
        " --price 0.15,0.60 --budget 5 --injections 40 -o labels.jsonl",
    ),
)
@click.argument("pool", metavar="POOL", shell_complete=complete_files)
@option(
    "--queries",
    required=True,
    metavar="FILE",
    shell_complete=complete_files,
    help="The texts of the queries.",
)
@option(
    "--docs",
    required=True,
    metavar="FILE",
    shell_complete=complete_files,
    help="The texts of the documents.",
)
@option(
    "--url",
    metavar="URL",
    help="The address of an OpenAI-compatible server, such as http://localhost:8000/v1.",
)
@option("--model", metavar="NAME", help="The name of the model.")
@option(
    "-o",
    "--output",
    callback=writable_output,
    metavar="FILE",
    shell_complete=complete_files,
    writes=Output(Content.JUDGMENTS, companions=_audit_of),
    help="Write the labels to this file, as JSON lines. Answers without a grade are written to a"
    " second file whose name ends in .audit.jsonl.",
)
@option(
    "--prompt",
    default="graded",
    metavar="PROMPT",
    shell_complete=complete_files,
    help="graded (0 to 3), graded-few-shot, binary, rubric, or a TOML file.",
)
@option(
    "--examples",
    metavar="FILE",
    shell_complete=complete_files,
    help="Show the model these graded documents: a table with query_id, doc_id and grade.",
)
@option("--votes", type=int, default=1, metavar="N", help="Number of answers per document.")
@option(
    "--long",
    type=click.Choice(("head", "head-tail", "passages")),
    default="head",
    help="What the model reads of long documents: the beginning, beginning and end, or all"
    " passages, of which the highest grade counts.",
)
@option(
    "--document-tokens",
    type=int,
    default=2_000,
    metavar="N",
    help="Documents with more tokens are long.",
)
@option(
    "--injections",
    type=int,
    default=0,
    metavar="N",
    help="Also grade N documents with an injected instruction to give the highest grade.",
)
@option(
    "--dry-run",
    is_flag=True,
    help="Count documents, requests and tokens, and send nothing. Needs no server.",
)
@option("--yes", is_flag=True, help="Send the documents to another host without a question.")
@option(
    "--price",
    metavar="PROMPT,ANSWER",
    help="Prices of a million tokens of prompts and of answers, such as 0.15,0.60.",
)
@option("--budget", type=float, metavar="X", help="Stop before the cost exceeds this.")
@option(
    "--temperature",
    group=Group.REQUESTS,
    type=float,
    metavar="T",
    help="The temperature. Default: 0, or 0.7 for several votes.",
)
@option(
    "--max-tokens",
    group=Group.REQUESTS,
    type=int,
    metavar="N",
    help="The maximum length of an answer. Default: 1,024.",
)
@option(
    "--expected-grade",
    group=Group.REQUESTS,
    is_flag=True,
    help="Weight grades by the model's probabilities, where the server returns them.",
)
@option(
    "--param",
    "params",
    group=Group.REQUESTS,
    multiple=True,
    metavar="NAME=VALUE",
    help="Set another parameter of the requests; null leaves one out. Repeatable.",
)
@option(
    "--attempts",
    group=Group.REQUESTS,
    type=int,
    default=3,
    metavar="N",
    help="How often a document is sent until the answer is a grade.",
)
@option("--batch", group=Group.REQUESTS, is_flag=True, help="Use the batch endpoint of the server.")
@option(
    "--key-variable",
    group=Group.REQUESTS,
    metavar="NAME",
    help="The environment variable with the server's key.",
)
@option(
    "--tokens-per-minute",
    group=Group.REQUESTS,
    type=float,
    metavar="N",
    help="Maximum number of tokens per minute. Default: no limit.",
)
@journal_option("OUTPUT.journal")
@request_options(timeout=120.0)
@seed_option
def command(
    pool: str,
    queries: str,
    docs: str,
    output: str | None,
    params: tuple[str, ...],
    price: str | None,
    journal: str | None,
    dry_run: bool,
    **arguments: Any,
) -> None:
    """Grade the documents of POOL with a language model.

    Each answer is stored in a journal as it arrives, and is never requested again. Labels by a
    model are not labels by people: audit them with gainful assess-judgments.
    """
    from gainful.cli.output import say, write
    from gainful.cli.runs import check_standard_input
    from gainful.judging.llm.call import judge_llm
    from gainful.progress import QueryBar

    check_standard_input(pool, queries, docs)
    if output is None and not dry_run:
        raise ParameterError("judge-llm needs -o FILE for the labels", hint="or ⟪dry_run⟫")
    if output == "-":
        raise ParameterError("labels are written to two files", where="-o", found="-")
    if output is not None and not dry_run:
        journal = journal or f"{output}.journal"
    with QueryBar() as progress:
        labels = judge_llm(
            pool,
            queries,
            docs,
            param=_parse_params(params),
            price=_parse_price(price),
            journal=journal,
            dry_run=dry_run,
            confirm=_ask,
            announce=_announce,
            progress=progress,
            **arguments,
        )
    if output is not None and not dry_run:
        labels.write(output)
        say(_written(labels, output))
    write(labels, "table", None)
    if not labels.is_complete:
        raise click.exceptions.Exit(INCONCLUSIVE)


def _written(labels: ModelLabels, output: str) -> str:
    from gainful.judging.llm.labels import audit_file

    others = len(labels.labels) - len(labels.graded) + len(labels.injected)
    line = f"{output}: {_count(len(labels.graded), 'label')}."
    return f"{line} {audit_file(output)}: {_count(others, 'other answer')}." if others else line


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _ask(plan: Plan, server: str) -> bool:
    """Ask on a terminal whether the documents may be sent to another host."""
    if not (sys.stdin and sys.stdin.isatty()):
        return False
    return click.confirm(
        f"Send {plan.documents:,} documents (about {plan.prompt_tokens:,} tokens) to {server}?",
        err=True,
    )


def _announce(estimate: Estimate) -> None:
    from gainful.cli.output import say
    from gainful.judging.llm.result import estimate_line

    say(estimate_line(estimate))


def _parse_params(words: Sequence[str]) -> dict[str, Any]:
    """Return the parameters of ``--param NAME=VALUE``, whose values may be JSON.

    Examples
    --------
    >>> _parse_params(["top_p=0.9", "seed=null", "reasoning_effort=low"])
    {'top_p': 0.9, 'seed': None, 'reasoning_effort': 'low'}
    """
    import json

    found: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.strip():
            raise ParameterError(
                where="--param", found=repr(word), expected="NAME=VALUE, as in top_p=0.9"
            )
        try:
            found[name.strip()] = json.loads(value)
        except (ValueError, RecursionError):
            found[name.strip()] = value
    return found


def _parse_price(text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    from gainful.numerals import parse_number

    try:
        return tuple(parse_number(part) for part in text.split(","))
    except ValueError:
        raise ParameterError(
            where="price", found=repr(text), expected="two numbers, such as 0.15,0.60"
        ) from None
