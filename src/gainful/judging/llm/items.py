"""The documents that a model grades, with their texts."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from importlib.resources import files
from random import Random
from typing import Any, NamedTuple

from gainful.data.columns import find_columns
from gainful.data.corpus import read_documents, read_queries
from gainful.data.paths import as_paths
from gainful.data.records import table_rows
from gainful.errors import FormatError, ParameterError
from gainful.judging.llm.answers import Usage
from gainful.judging.llm.prompt import Example
from gainful.judging.sessions.state import tasks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gainful.data.corpus import Texts, TextsLike
    from gainful.data.records import Text
    from gainful.judging.llm.prompt import Prompt
    from gainful.judging.sessions.state import PoolLike

__all__ = ["Asking", "Call", "Item", "Long", "injected_items", "read_examples", "read_items"]


#: The bytes of a token, which are between 3 and 5 for most languages and tokenizers.
_BYTES = 4
_LEFT_OUT = "\n[…]\n"


class Long(StrEnum):
    """What a model reads of a document that is longer than the maximum.

    Attributes
    ----------
    HEAD
        The beginning.
    HEAD_TAIL
        The beginning and the end, half of the maximum each.
    PASSAGES
        All consecutive passages, one request each; the grade is the highest of their grades.
    """

    HEAD = "head"
    HEAD_TAIL = "head-tail"
    PASSAGES = "passages"


def count_tokens(text: str) -> int:
    """Return an estimate of the number of tokens of a text: a quarter of its bytes.

    Examples
    --------
    >>> count_tokens("red shoes for running")
    6
    """
    return -(-len(text.encode("utf-8", "surrogateescape")) // _BYTES)


def parts_of(text: str, long: Long, most: int) -> list[str]:
    r"""Return what a model reads of a document: one part, or its passages.

    Parameters
    ----------
    text : str
        The document.
    long : Long
        The policy for documents that are longer.
    most : int
        The maximum number of tokens of a part, as `count_tokens` estimates them.

    Examples
    --------
    >>> parts_of("one two three four five six", Long.HEAD, 3)
    ['one two']
    >>> parts_of("one two three four five six", Long.HEAD_TAIL, 4)
    ['one two\n[…]\nfive six']
    >>> parts_of("one two three four five six", Long.PASSAGES, 3)
    ['one two', 'three four', 'five six']
    """
    if count_tokens(text) <= most:
        return [text]
    if long is Long.HEAD:
        return [_head(text, most * _BYTES)]
    if long is Long.HEAD_TAIL:
        half = most * _BYTES // 2
        return [_head(text, half) + _LEFT_OUT + _head(text[::-1], half)[::-1]]
    parts = []
    while text:
        part = _head(text, most * _BYTES)
        parts.append(part)
        text = text[len(part) :].lstrip()
    return parts


def _head(text: str, size: int) -> str:
    """Return the first bytes of a text, up to the end of a word."""
    content = text.encode("utf-8", "surrogateescape")
    if len(content) <= size:
        return text
    characters = len(content[: max(size, 4)].decode("utf-8", "ignore")) or 1
    head = text[:characters]
    if head[-1].isspace() or text[characters : characters + 1].isspace():
        return head.rstrip()
    words = head.rstrip().rsplit(None, 1)
    # A text without spaces is cut anywhere.
    return words[0] if len(words) == 2 else head


class Item(NamedTuple):
    """A document to grade.

    Attributes
    ----------
    query_id, doc_id : str
        The query and the document.
    query : str
        The text of the query.
    parts : tuple of str
        The texts that the model reads: one, or several passages.
    characters : int
        The length of the whole document.
    cut : bool
        Whether a part of it is left out.
    injection : str
        The name of the injected instruction; empty for the document as it is.
    """

    query_id: str
    doc_id: str
    query: str
    parts: tuple[str, ...]
    characters: int
    cut: bool
    injection: str = ""


class Call(NamedTuple):
    """One request for a grade.

    Attributes
    ----------
    item : int
        The number of the document.
    part : int
        The number of its part.
    vote : int
        The number of the vote, from 0.
    attempt : int
        How often the same was asked before without a grade.
    """

    item: int
    part: int
    vote: int
    attempt: int


@dataclass(frozen=True)
class Asking:
    """How documents are put to the model.

    Attributes
    ----------
    model : str
        The name of the model.
    prompt : Prompt
        The prompt.
    parameters : mapping
        The other parameters of a request.
    items : list of Item
        The documents.
    """

    model: str
    prompt: Prompt
    parameters: Mapping[str, Any]
    items: list[Item]

    def messages(self, call: Call) -> list[dict[str, str]]:
        """Return the messages of a request."""
        item = self.items[call.item]
        return self.prompt.messages(item.query, item.parts[call.part], again=call.attempt > 0)

    def parameters_of(self, call: Call) -> dict[str, Any]:
        """Return the parameters of a request: each attempt allows answers of twice the length."""
        parameters = dict(self.parameters)
        for name in ("max_tokens", "max_completion_tokens"):
            if type(parameters.get(name)) is int:
                parameters[name] <<= call.attempt
        return parameters

    def key(self, call: Call) -> str:
        """Return the hash of query, document, prompt and parameters, and of vote and attempt."""
        content = {
            "model": self.model,
            "messages": self.messages(call),
            "parameters": self.parameters_of(call),
            "vote": call.vote,
            "attempt": call.attempt,
        }
        return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def count_tokens(self, call: Call) -> int:
        """Return an estimate of the number of tokens of a request."""
        return sum(count_tokens(message["content"]) + 4 for message in self.messages(call))

    def guess(self, call: Call, answer: str) -> Usage:
        """Return an estimate of the tokens of a request and its answer."""
        return Usage(self.count_tokens(call), count_tokens(answer))


_COLUMNS = ("query_id", "doc_id", "grade")
_FIELD = re.compile(r"\{\{([a-z]+)\}\}")


def read_items(
    pool: PoolLike,
    queries: TextsLike,
    docs: TextsLike,
    *,
    long: Long,
    document_tokens: int,
    seed: int,
    leave_out: Iterable[tuple[str, str]],
) -> tuple[list[Item], list[tuple[str, str]]]:
    """Read the documents of a pool in random order, and those without a text.

    Parameters
    ----------
    pool, queries, docs
        As for `gainful.judge_llm`.
    long, document_tokens
        The policy for long documents.
    seed : int
        The random seed of the order.
    leave_out : iterable of (query, document)
        The examples of the prompt, which are not graded.

    Raises
    ------
    FormatError
        If the pool is empty, or has a query without a text.
    """
    known = frozenset(leave_out)
    pairs = list(dict.fromkeys((task.query_id, task.doc_id) for task in tasks_of(pool)))
    if not pairs:
        raise FormatError("the pool has no document to judge")
    query_texts = _queries(queries, [query for query, _ in pairs])
    texts = read_documents(docs, {document for _, document in pairs}).found
    pairs = [pair for pair in pairs if pair not in known]
    # Neighbors in the pool may have similar ranks.
    Random(seed).shuffle(pairs)
    items = []
    without = []
    for query, document in pairs:
        text = _whole(texts[document]) if document in texts else ""
        if not text.strip():
            without.append((query, document))
            continue
        parts = tuple(parts_of(text, long, document_tokens))
        cut = long is not Long.PASSAGES and parts[0] != text
        items.append(Item(query, document, query_texts[query], parts, len(text), cut))
    return items, without


def _queries(queries: TextsLike, ids: Sequence[str]) -> dict[str, str]:
    texts_of_queries = read_queries(queries, set(ids)).found
    texts = {query: _whole(texts_of_queries[query]).strip() for query in texts_of_queries}
    for query in ids:
        if not texts.get(query):
            raise FormatError(
                "the query has no text", query=query, hint="⟪queries⟫ needs every query of the pool"
            )
    return texts


def _whole(text: Text) -> str:
    whole = "\n".join(part for part in (text.title, text.text) if part)
    # Requests are UTF-8.
    return whole.encode("utf-8", "replace").decode()


def read_examples(
    path: PoolLike, queries: TextsLike, docs: TextsLike, prompt: Prompt
) -> list[Example]:
    """Read the graded documents that a prompt shows.

    Parameters
    ----------
    path : path
        A table or JSON lines with ``query_id``, ``doc_id`` and ``grade``.
    queries, docs
        The texts.
    prompt : Prompt
        The prompt, with the scale.

    Raises
    ------
    ColumnError, FormatError
        If a column, a grade or a text is missing.
    """
    (file,) = as_paths(path) or ("",)
    from gainful.data.text_files import opened

    rows: list[tuple[str, str, int]] = []
    grades = {str(grade): grade for grade in prompt.scale}
    with opened(file) as (label, stream):
        table = table_rows(stream, label)
        names, lines = table if table is not None else ((), ())
        columns = find_columns(names, "qrels")
        for line, row in lines:
            query, document, given = (str(row.get(columns[part])) for part in _COLUMNS)
            grade = grades.get(given.strip())
            if grade is None:
                raise FormatError(
                    file=label,
                    line=line,
                    found=f"the grade {given!r}",
                    expected=f"one of {', '.join(grades)}",
                )
            rows.append((query, document, grade))
    if not rows:
        raise FormatError("no example", file=file)
    query_texts = _queries(queries, [query for query, _, _ in rows])
    texts: Texts = read_documents(docs, {document for _, document, _ in rows})
    for query, document, _ in rows:
        if document not in texts.found:
            raise FormatError("the example has no text", query=query, document=document)
    return [
        Example(query_texts[query], _whole(texts.found[document]), grade, query, document)
        for query, document, grade in rows
    ]


def injected_items(items: Sequence[Item], count: int, prompt: Prompt, seed: int) -> list[Item]:
    """Return some documents with an instruction to give the highest grade, at their start or end.

    Parameters
    ----------
    items : sequence of Item
        The documents as they are.
    count : int
        The number of documents.
    prompt : Prompt
        The prompt, with the highest grade and the form of an answer.
    seed : int
        The random seed of the choice.

    Raises
    ------
    ParameterError
        If there are fewer documents.
    """
    if count > len(items):
        raise ParameterError(
            where="injections",
            found=f"{count:,}",
            expected=f"at most {len(items):,}, all documents",
        )
    content = files("gainful.judging.llm").joinpath("injections.toml").read_text("utf-8")
    texts = list(tomllib.loads(content)["injections"].items())
    top = prompt.scale[-1]
    injected = []
    for index, item in enumerate(Random(seed).sample(list(items), count)):
        name, template = texts[index % len(texts)]
        values = {"top": str(top), "query": item.query, "answer": prompt.answer(top)}
        text = _FIELD.sub(_filler(values), template)
        # Every part, since the model may read any of them; half of them at the start.
        first = (index // len(texts)) % 2 == 1
        parts = tuple(f"{text}\n\n{p}" if first else f"{p}\n\n{text}" for p in item.parts)
        injected.append(item._replace(parts=parts, injection=name))
    return injected


def _filler(values: Mapping[str, str]) -> Callable[[re.Match[str]], str]:
    return lambda match: values[match[1]]
