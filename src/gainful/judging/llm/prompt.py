"""Prompts: files with fixed instructions, grades, and a question with fields."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.resources import files
from os import fspath
from os.path import basename, splitext

from gainful.errors import FormatError, ParameterError, SourceError, SourceNotFoundError
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike
    from typing import Any

__all__ = ["PROMPTS", "Example", "Prompt", "load_prompt"]

#: The prompts that Gainful has.
PROMPTS = ("graded", "graded-few-shot", "binary", "rubric")

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
        One of `PROMPTS`, or the path of a TOML file with ``instructions``, ``question``, a table
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
    if name in PROMPTS:
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
    hint = f"the prompts of Gainful are {', '.join(PROMPTS)}"
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
