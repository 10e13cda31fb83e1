"""``gainful judge-llm``: grade a pool with a language model."""

from __future__ import annotations

import sys

from gainful.cli.arguments import QUIET, check_writable
from gainful.cli.command import Command
from gainful.cli.option_values import parse_pairs
from gainful.cli.output import confirm, say, write
from gainful.cli.systems import journal_of, journal_option
from gainful.cli.written_files import Content, Output
from gainful.errors import INCONCLUSIVE, SUCCESS, ParameterError
from gainful.parameters import Argument, File, Group, Parameter, judging
from gainful.parameters.comparing import SEED
from gainful.parameters.searching import REQUESTS, RESTART, TIMEOUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gainful.cli.command import Values
    from gainful.judging.llm.answers import Estimate
    from gainful.judging.llm.call import JudgingPlan, ModelLabels


def _audit_of(path: str, values: Mapping[str, Any]) -> list[tuple[str, Callable[[bytes], bool]]]:
    """Return the other files of labels, and whether existing ones are such files."""
    from gainful.judging.llm.answers import audit_file

    audit = (audit_file(path), lambda head: not head or head.startswith(b'{"query_id": '))
    return [audit, *journal_of(path, values)]


def _parse_params(words: Sequence[str], values: Values) -> dict[str, Any]:
    """Return the parameters of ``--param NAME=VALUE``, whose values may be JSON.

    Examples
    --------
    >>> _parse_params(["top_p=0.9", "seed=null", "reasoning_effort=low"], None)
    {'top_p': 0.9, 'seed': None, 'reasoning_effort': 'low'}
    """
    import json

    params: dict[str, Any] = {}
    for name, value in parse_pairs(words, "--param", "NAME=VALUE, as in top_p=0.9"):
        try:
            params[name] = json.loads(value)
        except (ValueError, RecursionError):
            params[name] = value
    return params


def _parse_price(text: str, values: Values) -> tuple[float, ...]:
    from gainful.numerals import parse_number

    try:
        return tuple(parse_number(part) for part in text.split(","))
    except ValueError:
        raise ParameterError(
            where="price", found=repr(text), expected="two numbers, such as 0.15,0.60"
        ) from None


@Command(
    Argument("pool"),
    Parameter("queries", File, required=True, help="The texts of the queries."),
    Parameter("docs", File, required=True, help="The texts of the documents."),
    Parameter(
        "url",
        metavar="URL",
        help="The address of an OpenAI-compatible server, such as http://localhost:8000/v1.",
    ),
    Parameter(
        "client",
        metavar="NAME",
        help="Instead of --url, call a function: module:function, file.py:function, or the name"
        " of a client of an installed package.",
    ),
    Parameter("model", metavar="NAME", help="The name of the model."),
    Parameter(
        "output",
        File,
        flags=("-o", "--output"),
        validate=check_writable,
        writes=Output(Content.JUDGMENTS, companions=_audit_of),
        help="Write the labels to this file, as JSON lines. Answers without a grade are written to"
        " a second file whose name ends in .audit.jsonl.",
    ),
    Parameter(
        "prompt",
        File,
        "graded",
        metavar="PROMPT",
        help="graded (0 to 3), graded-few-shot, binary, rubric, or a TOML file.",
    ),
    Parameter(
        "examples",
        File,
        help="Show the model these graded documents: a table with query_id, doc_id and grade.",
    ),
    judging.VOTES,
    judging.LONG,
    judging.DOCUMENT_TOKENS,
    judging.INJECTIONS,
    Parameter(
        "dry_run",
        bool,
        help="Count documents, requests and tokens, and send nothing. Needs no server.",
    ),
    Parameter("yes", bool, help="Send the documents to another host without a question."),
    Parameter(
        "price",
        metavar="PROMPT,ANSWER",
        convert=_parse_price,
        help="Prices of a million tokens of prompts and of answers, such as 0.15,0.60.",
    ),
    Parameter("budget", float, metavar="X", help="Stop before the cost exceeds this."),
    judging.TEMPERATURE,
    judging.MAX_TOKENS,
    Parameter(
        "expected_grade",
        bool,
        group=Group.REQUESTS,
        help="Weight grades by the model's probabilities, where the server returns them.",
    ),
    Parameter(
        "params",
        python="param",
        flags=("--param",),
        metavar="NAME=VALUE",
        convert=_parse_params,
        group=Group.REQUESTS,
        repeatable=True,
        help="Set another parameter of the requests; null leaves one out. Repeatable.",
    ),
    judging.ATTEMPTS,
    Parameter("batch", bool, group=Group.REQUESTS, help="Use the batch endpoint of the server."),
    Parameter(
        "key_variable",
        metavar="NAME",
        group=Group.REQUESTS,
        help="The environment variable with the server's key.",
    ),
    judging.TOKENS_PER_MINUTE,
    QUIET,
    journal_option("OUTPUT.journal"),
    REQUESTS[:3],
    TIMEOUT.replace(default=120.0),
    RESTART,
    SEED.replace(
        doc="The random seed of the order of the documents and of the choice for `injections`."
    ),
    targets=("gainful.judging.llm.call:judge_llm",),
    common="queries docs url model output prompt votes dry_run price budget key_variable",
    examples=(
        "gainful judge-llm pool.jsonl --queries queries.tsv --docs docs.jsonl --dry-run",
        "gainful judge-llm pool.jsonl --queries queries.tsv --docs docs.jsonl"
        " --url http://localhost:8000/v1 --model llama-3.1-8b -o labels.jsonl",
        "gainful judge-llm pool.jsonl --queries queries.tsv --docs docs.jsonl"
        " --url https://api.openai.com/v1 --key-variable OPENAI_API_KEY --model gpt-4o-mini"
        " --price 0.15,0.60 --budget 5 --injections 40 -o labels.jsonl",
    ),
)
def command(values: Values) -> int:
    """Grade the documents of POOL with a language model.

    Each answer is stored in a journal as it arrives, and is never requested again. Labels by a
    model are not labels by people: audit them with gainful assess-judgments.
    """
    output, is_written = values.output, not values.dry_run
    if output is None and is_written:
        raise ParameterError("judge-llm needs -o FILE for the labels", hint="or ⟪dry_run⟫")
    if output == "-":
        raise ParameterError("labels are written to two files", where="-o", found="-")
    journal = values.journal
    if is_written and journal is None:
        journal = f"{output}.journal"
    labels = values.call(journal=journal, confirm=_ask, announce=_announce)
    if is_written:
        labels.write(output)
        say(_written(labels, output))
    write(labels, "table", None)
    return SUCCESS if labels.is_complete else INCONCLUSIVE


def _written(labels: ModelLabels, output: str) -> str:
    from gainful.judging.llm.answers import audit_file

    others = len(labels.labels) - len(labels.graded) + len(labels.injected)
    line = f"{output}: {_count(len(labels.graded), 'label')}."
    return f"{line} {audit_file(output)}: {_count(others, 'other answer')}." if others else line


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _ask(plan: JudgingPlan, server: str) -> bool:
    """Ask on a terminal whether the documents may be sent to another host."""
    if not (sys.stdin and sys.stdin.isatty()):
        return False
    tokens = f"about {plan.prompt_tokens:,} tokens"
    return confirm(f"Send {plan.documents:,} documents ({tokens}) to {server}?")


def _announce(estimate: Estimate) -> None:
    from gainful.judging.llm.call import estimate_line

    say(estimate_line(estimate))
