"""The documents that a model grades, and the prompts that ask for their grades."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from importlib.resources import files
from os import fspath
from os.path import basename, splitext
from random import Random
from typing import Any, NamedTuple

from gainful.data.columns import find_columns
from gainful.data.corpus import read_documents, read_queries
from gainful.data.paths import as_paths
from gainful.data.records import table_rows
from gainful.errors import FormatError, ParameterError, SourceError, SourceNotFoundError
from gainful.judging.sessions.state import tasks_of
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from os import PathLike

    from gainful.data.corpus import Texts, TextsLike
    from gainful.data.records import Text
    from gainful.judging.sessions.state import PoolLike

__all__ = [
    "Call",
    "Item",
    "JudgingRequest",
    "Long",
    "Prompt",
    "Usage",
    "injected_items",
    "load_prompt",
    "read_examples",
    "read_items",
]

#: The prompts that Gainful has.
_PROMPTS = ("graded", "graded-few-shot", "binary", "rubric")

_FIELD = re.compile(r"\{\{\s*([a-z]+)\s*\}\}")

_FIXED, _VARIED = ("grades", "criteria", "format"), ("query", "document")

_CRITERION = re.compile(r"[a-z][a-z0-9_-]*")

_KEYS = ("instructions", "question", "grades", "criteria", "examples")


@dataclass(frozen=True, slots=True)
class Example:
    """A document with its grade, as a part of a prompt.

    Attributes
    ----------
    query, document : str
        The texts.
    grade : int
        The grade.
    query_id, doc_id : str
        Their ids; empty if the example is not from the collection.
    """

    query: str
    document: str
    grade: int
    query_id: str = ""
    doc_id: str = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt.

    Attributes
    ----------
    name : str
        The name.
    instructions : str
        The fixed text, which comes first, so that servers can cache it. ``{{grades}}``,
        ``{{criteria}}`` and ``{{format}}`` are the grades with their meanings, the criteria, and
        the form of the answer.
    question : str
        The text for each document, with ``{{query}}`` and ``{{document}}``.
    grades : dict of int to str
        The meaning of each grade.
    criteria : dict of str to str
        The meaning of each criterion that is graded before the document; empty without any.
    examples : tuple of Example
        Graded documents, which come after the instructions.

    Examples
    --------
    >>> prompt = load_prompt("binary")
    >>> prompt.scale, prompt.form()
    ((0, 1), '{"grade": G}')
    """

    name: str
    instructions: str
    question: str
    grades: dict[int, str]
    criteria: dict[str, str] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()

    @property
    def scale(self) -> tuple[int, ...]:
        """The grades, in ascending order."""
        return tuple(sorted(self.grades))

    @property
    def hash(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of everything but the name."""
        content = (
            self.instructions,
            self.question,
            sorted(self.grades.items()),
            list(self.criteria.items()),
            [(example.query, example.document, example.grade) for example in self.examples],
        )
        return sha256(json.dumps(content).encode()).hexdigest()[:16]

    def form(self) -> str:
        """Return the form of an answer."""
        return self._answer(dict.fromkeys(self.criteria, "G"), "G")

    def answer(self, grade: int) -> str:
        """Return an answer with the same grade for every criterion."""
        return self._answer(dict.fromkeys(self.criteria, grade), grade)

    def _answer(self, criteria: Mapping[str, object], grade: object) -> str:
        pairs = [*criteria.items(), ("grade", grade)]
        return "{" + ", ".join(f'"{name}": {value}' for name, value in pairs) + "}"

    def schema(self) -> dict[str, object]:
        """Return the JSON schema of an answer."""
        grade = {"type": "integer", "enum": list(self.scale)}
        names = [*self.criteria, "grade"]
        return {
            "type": "object",
            "properties": dict.fromkeys(names, grade),
            "required": names,
            "additionalProperties": False,
        }

    def messages(self, query: str, document: str, *, again: bool = False) -> list[dict[str, str]]:
        """Return the messages that ask for the grade of a document.

        Parameters
        ----------
        query, document : str
            The texts.
        again : bool
            Whether an earlier answer was not a grade, so that its form is repeated at the end.
        """
        messages = []
        if self.instructions.strip():
            messages.append({"role": "system", "content": _fill(self.instructions, self._fixed())})
        for example in self.examples:
            content = self._question(example.query, example.document)
            messages.append({"role": "user", "content": content})
            messages.append({"role": "assistant", "content": self.answer(example.grade)})
        content = self._question(query, document)
        if again:
            content += f"\n\n{self._format()}"
        messages.append({"role": "user", "content": content})
        return messages

    def _question(self, query: str, document: str) -> str:
        # The code follows from the text, so that equal questions are equal, and no document can
        # contain its own end.
        code = sha256(f"{query}\0{document}".encode("utf-8", "surrogateescape")).hexdigest()[:12]
        block = f"[document {code}]\n{document}\n[end of document {code}]"
        values = {**self._fixed(), "query": query, "document": block}
        return _fill(self.question, values)

    def _fixed(self) -> dict[str, str]:
        return {
            "grades": "\n".join(f"{grade} = {self.grades[grade]}" for grade in self.scale),
            "criteria": "\n".join(f"{name} = {text}" for name, text in self.criteria.items()),
            "format": self._format(),
        }

    def _format(self) -> str:
        *rest, last = map(str, self.scale)
        grades = f"{', '.join(rest)} or {last}"
        return (
            "End your answer with one line of JSON, and write nothing after it:"
            f" {self.form()}, where G is {grades}."
        )

    def with_examples(self, examples: Sequence[Example]) -> Prompt:
        """Return the prompt with other examples.

        Raises
        ------
        ParameterError
            If one has a grade that is not on the scale.
        """
        for example in examples:
            if example.grade not in self.grades:
                raise ParameterError(
                    where="examples",
                    query=example.query_id or None,
                    document=example.doc_id or None,
                    found=f"the grade {example.grade!r}",
                    expected=f"one of {', '.join(map(str, self.scale))}, the grades of the prompt",
                )
        return replace(self, examples=tuple(examples))


def _fill(template: str, values: Mapping[str, str]) -> str:
    """Fill in all fields at once, so that no text is searched for the next field."""
    return _FIELD.sub(lambda match: values.get(match[1], match[0]), template).strip()


@suggest_keywords
def load_prompt(prompt: str | PathLike[str] | Prompt) -> Prompt:
    """Return a prompt of Gainful by its name, or read one from a file.

    Parameters
    ----------
    prompt : str, path or Prompt
        One of `_PROMPTS`, or the path of a TOML file with ``instructions``, ``question``, a table
        ``grades``, and optionally a table ``criteria`` and tables ``examples`` with ``query``,
        ``document`` and ``grade``.

    Raises
    ------
    FormatError
        If the file is not a prompt.
    SourceError
        If the file cannot be read.

    Examples
    --------
    >>> load_prompt("graded").scale
    (0, 1, 2, 3)
    """
    if isinstance(prompt, Prompt):
        return prompt
    name = fspath(prompt)
    if name in _PROMPTS:
        content = files("gainful.judging.llm").joinpath(f"prompts/{name}.toml").read_bytes()
    else:
        content = _read(name)
    try:
        table = tomllib.loads(content.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FormatError(f"not a prompt in TOML ({error})", file=name) from None
    except (ValueError, RecursionError):
        raise FormatError("not a prompt in TOML", file=name) from None
    return _Checked(name, table).prompt()


def _read(path: str) -> bytes:
    hint = f"the prompts of Gainful are {', '.join(_PROMPTS)}"
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except (FileNotFoundError, ValueError):
        raise SourceNotFoundError(f"no such prompt: {path}", hint=hint) from None
    except OSError as error:
        raise SourceError(error.strerror or str(error), file=path, hint=hint) from None


@dataclass(frozen=True)
class _Checked:
    """The content of a prompt's file, which is checked while it is read."""

    file: str
    table: dict[str, Any]

    def prompt(self) -> Prompt:
        unknown = [key for key in self.table if key not in _KEYS]
        if unknown:
            raise self.wrong(f"the key {unknown[0]!r}", f"only {', '.join(_KEYS)}")
        criteria = self.texts("criteria")
        for name in criteria:
            if not _CRITERION.fullmatch(name) or name == "grade":
                raise self.wrong(f"the criterion {name!r}", "a short name in lower case")
        grades = {self.grade(key): text for key, text in self.texts("grades").items()}
        if len(grades) < 2:
            raise self.wrong(f"{len(grades)} grades", "a table [grades] with at least two")
        return Prompt(
            name=splitext(basename(self.file))[0],
            instructions=self.text("instructions", _FIXED),
            question=self.text("question", (*_FIXED, *_VARIED), needs=_VARIED),
            grades=grades,
            criteria=criteria,
        ).with_examples([self.example(example) for example in self.table.get("examples", ())])

    def text(self, key: str, fields: Sequence[str], needs: Sequence[str] = ()) -> str:
        value = self.table.get(key, "")
        if not isinstance(value, str):
            raise self.wrong(f"{key} = {value!r}", "a text")
        present = [match[1] for match in _FIELD.finditer(value)]
        for name in present:
            if name not in fields:
                shown = ", ".join(f"{{{{{part}}}}}" for part in fields)
                raise self.wrong(f"{{{{{name}}}}} in {key}", f"one of {shown}")
        for name in needs:
            if name not in present:
                raise self.wrong(f"{key} without {{{{{name}}}}}", f"{{{{{name}}}}} in {key}")
        if key == "question" and "{{format}}" not in self.table.get("instructions", "") + value:
            value += "\n\n{{format}}"
        return value

    def texts(self, key: str) -> dict[str, str]:
        table = self.table.get(key, {})
        if not isinstance(table, dict) or any(not isinstance(v, str) for v in table.values()):
            raise self.wrong(f"{key} = {table!r}", f"a table [{key}] of texts")
        return table

    def grade(self, key: object) -> int:
        text = str(key)
        if isinstance(key, bool) or not re.fullmatch(r"-?[0-9]{1,4}", text):
            raise self.wrong(f"the grade {text!r}", "a whole number")
        return int(text)

    def example(self, table: Any) -> Example:
        if not isinstance(table, dict) or not {"query", "document", "grade"} <= table.keys():
            raise self.wrong("an example", "query, document and grade in each [[examples]]")
        return Example(
            query=str(table["query"]),
            document=str(table["document"]),
            grade=self.grade(table["grade"]),
            query_id=str(table.get("query_id", "")),
            doc_id=str(table.get("doc_id", "")),
        )

    def wrong(self, found: str, expected: str) -> FormatError:
        return FormatError(file=self.file, found=found, expected=expected)


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
class JudgingRequest:
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

_INJECTED_FIELD = re.compile(r"\{\{([a-z]+)\}\}")


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
    """Read the documents of a pool in random order, and those without a text."""
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
    """Read the graded documents that a prompt shows."""
    (file,) = as_paths(path) or ("",)
    from gainful.data.text_files import opened

    rows: list[tuple[str, str, int]] = []
    grades = {str(grade): grade for grade in prompt.scale}
    with opened(file) as (label, stream):
        table = table_rows(stream, label)
        names, lines = table if table is not None else ((), ())
        columns = find_columns(names, "qrels")
        for line, row in lines:
            query, document, text = (str(row.get(columns[part])) for part in _COLUMNS)
            grade = grades.get(text.strip())
            if grade is None:
                raise FormatError(
                    file=label,
                    line=line,
                    found=f"the grade {text!r}",
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
    """Return documents with an instruction to give the highest grade, at their start or end."""
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
        text = _INJECTED_FIELD.sub(_filler(values), template)
        # Every part, since the model may read any of them; half of them at the start.
        first = (index // len(texts)) % 2 == 1
        parts = tuple(f"{text}\n\n{p}" if first else f"{p}\n\n{text}" for p in item.parts)
        injected.append(item._replace(parts=parts, injection=name))
    return injected


def _filler(values: Mapping[str, str]) -> Callable[[re.Match[str]], str]:
    return lambda match: values[match[1]]


class Usage(NamedTuple):
    """The tokens of an answer, as the server counted them.

    Attributes
    ----------
    prompt, output : int
        The number of tokens of the prompt and of the answer.
    """

    prompt: int
    output: int
