"""The documents that a model grades, with their texts."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from random import Random

from gainful.data.columns import find_columns
from gainful.data.corpus import read_documents, read_queries
from gainful.data.paths import as_paths
from gainful.data.records import table_rows
from gainful.errors import FormatError, ParameterError
from gainful.judging.llm.calls import Item
from gainful.judging.llm.documents import Long, parts_of
from gainful.judging.llm.prompt import Example
from gainful.judging.sessions.tasks import tasks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gainful.data.corpus import Texts, TextsLike
    from gainful.data.records import Text
    from gainful.judging.llm.prompt import Prompt
    from gainful.judging.sessions.tasks import PoolLike

__all__ = ["injected_items", "read_examples", "read_items"]

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
    found = read_queries(queries, set(ids)).found
    texts = {query: _whole(found[query]).strip() for query in found}
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
    found = []
    for at, item in enumerate(Random(seed).sample(list(items), count)):
        name, template = texts[at % len(texts)]
        values = {"top": str(top), "query": item.query, "answer": prompt.answer(top)}
        text = _FIELD.sub(_filler(values), template)
        # Every part, since the model may read any of them; half of them at the start.
        first = (at // len(texts)) % 2 == 1
        parts = tuple(f"{text}\n\n{p}" if first else f"{p}\n\n{text}" for p in item.parts)
        found.append(item._replace(parts=parts, injection=name))
    return found


def _filler(values: Mapping[str, str]) -> Callable[[re.Match[str]], str]:
    return lambda match: values[match[1]]
