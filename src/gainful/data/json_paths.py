"""Paths to values in JSON, and parts of a JSON text with their locations."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from gainful._kernel import names_of, names_with
from gainful.data.records import strict_json_value
from gainful.errors import FormatError
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    Step: TypeAlias = "Key | int"

__all__ = ["ALL", "MEMBERS", "Key", "Part", "Path", "kind_of", "load", "parts_at"]

_STEP = re.compile(
    r"""(?:^|\.)(?:(?P<name>[^.\[\]{}"?]+)|"(?P<quoted>[^"]+)")(?P<optional>\[\]\?|\?)?"""
    r"""|\[(?P<index>\d*)\]|(?P<members>\{\})"""
)
#: Steps to every item of a list, and to every member of an object.
ALL, MEMBERS = -1, -2


class Key(NamedTuple):
    """A step to a key of an object; a layer is a list that may be missing around its items."""

    name: str
    optional: bool = False
    is_layer: bool = False


class Path:
    """A path in JSON.

    Parameters
    ----------
    text : str
        Names with dots between them, such as ``hits.hits[]``: ``[]`` is every item of a list,
        ``[0]`` the first, and ``{}`` every member of an object; ``name?`` may be absent; a name
        with dots is quoted. ``name[]?`` is a list that may be missing around its items. An empty
        path is the value itself.

    Raises
    ------
    ValueError
        If it is invalid.

    Examples
    --------
    >>> Path("hits[].id").find({"hits": [{"id": 7}, {"id": 8}]})
    [7, 8]
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps: list[Step] = []
        at = 0
        while at < len(text):
            match = _STEP.match(text, at)
            if match is None or text[0] == ".":
                raise ValueError(text)
            at = match.end()
            name = match["name"] or match["quoted"]
            if name:
                optional = match["optional"]
                self.steps.append(Key(name, optional is not None, optional == "[]?"))
            elif match["members"]:
                self.steps.append(MEMBERS)
            else:
                self.steps.append(int(match["index"]) if match["index"] else ALL)

    @property
    def key(self) -> str | None:
        """The name, if the path is a single required name, which is the usual case."""
        first = self.steps[0] if len(self.steps) == 1 else None
        return first.name if isinstance(first, Key) and not first.optional else None

    def find(self, value: Any) -> list[Any]:
        """Return all values at the path.

        Raises
        ------
        LookupError
            If a step is missing; the message lists what exists instead.
        """
        here = [value]
        for step in self.steps:
            here = [inner for outer in here for _, _, inner in _next(outer, step)]
        return here

    def items(self, value: Any) -> list[Any]:
        """Return the items of the lists at the path, with or without ``[]`` at its end."""
        found = self.find(value)
        if self.steps[-1:] == [ALL]:
            return found
        return [item for one in found for _, _, item in _next(one, ALL)]


def _next(value: Any, step: Step) -> list[tuple[str, str, Any]]:
    """Return the values one step further, with what the step adds to a location, and the key."""
    if isinstance(step, Key):
        return _members(value, step)
    # Servers written in Go write null for an empty list.
    if value is None and step == ALL:
        return []
    if step == MEMBERS:
        if not isinstance(value, dict):
            raise LookupError(f"{kind_of(value)} instead of an object")
        return [(f".{key}", key, inner) for key, inner in value.items()]
    if not isinstance(value, list):
        raise LookupError(f"{kind_of(value)} instead of a list")
    if step >= len(value):
        raise LookupError(f"no item [{step}] in a list of {len(value)}")
    items = enumerate(value) if step == ALL else [(step, value[step])]
    return [(f"[{place}]", "", item) for place, item in items]


def _members(value: Any, step: Key) -> list[tuple[str, str, Any]]:
    role = step.name[1:].replace("text", "query.question") if step.name[0] == "~" else None
    if not isinstance(value, dict):
        if step.optional and value is None:
            return []
        what = repr(step.name) if role is None else f"a field for {role}"
        raise LookupError(f"{kind_of(value)} instead of an object with {what}")
    name = step.name if role is None else _named(value, role)
    if name is None or name not in value or (step.optional and value[name] is None):
        if step.optional:
            return [("", "", value)] if step.is_layer else []
        keys = ", ".join(list(value)[:8]) or "no keys"
        known = repr(name) if role is None else f"field such as {', '.join(names_of(role)[:3])}"
        raise LookupError(f"no {known} ({keys})")
    if not step.is_layer:
        return [(f".{name}", name, value[name])]
    return [(f".{name}{place}", "", item) for place, _, item in _next(value[name], ALL)]


def _named(value: dict[str, Any], role: str) -> str | None:
    """Return the best name of a role; an id without a name is that of the record.

    Examples
    --------
    >>> _named({"id": 7, "query": "soup", "docid": "r01"}, "query_id")
    'query'
    """
    names = [*value]
    documents = names_with(names, "document.id") if role == "query_id" else []
    best = names_with(names, "document") if role == "doc_id" else []
    found = [*best, *(name for name in names_with(names, role) if name not in documents)]
    return found[0] if found else None


def kind_of(value: Any) -> str:
    """Return what a JSON value is, for messages."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    kinds = {dict: "an object", list: "a list", str: "a text", int: "a number", float: "a number"}
    return kinds.get(type(value), type(value).__name__)


class Part(NamedTuple):
    """A value in a JSON text with its location, as in ``topics[0].queries``, and its key."""

    value: Any
    file: str
    where: str = ""
    key: str = ""

    def text(self) -> str:
        """Return a text that is not empty; whole numbers are converted.

        Raises
        ------
        FormatError
            For another value.
        """
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return str(self.value)
        if not isinstance(self.value, str) or not self.value:
            found = shown(self.value)
            raise FormatError(file=self.file, where=self.where, found=found, expected="a text")
        return self.value

    def next(self, step: Step) -> list[Part]:
        """Return the parts one step further; ``@key`` is the name of a member.

        Raises
        ------
        FormatError
            If there are none, or the value has another type.
        """
        if isinstance(step, Key) and step.name == "@key":
            return [self._replace(value=self.key)]
        try:
            found = _next(self.value, step)
        except LookupError as error:
            raise FormatError(str(error), file=self.file, where=self.where or None) from None
        return [
            Part(value, self.file, (self.where + place).lstrip("."), key)
            for place, key, value in found
        ]


def parts_at(part: Part, steps: Sequence[Step]) -> Iterator[tuple[Part, ...]]:
    """Yield each part at the end of some steps, after the parts on the way to it.

    Examples
    --------
    >>> chains = parts_at(Part({"a": [{"b": 1}, {"b": 2}]}, "x.json"), Path("a[].b").steps)
    >>> [[part.where for part in chain] for chain in chains]
    [['', 'a', 'a[0]', 'a[0].b'], ['', 'a', 'a[1]', 'a[1].b']]
    """
    if not steps:
        yield (part,)
        return
    for inner in part.next(steps[0]):
        for chain in parts_at(inner, steps[1:]):
            yield (part, *chain)


def load(text: str, file: str) -> Part:
    """Parse a JSON text.

    Raises
    ------
    FormatError
        For invalid JSON, or an object with a duplicate key.
    """
    try:
        return Part(strict_json_value(text), file)
    except KeyError as error:
        raise FormatError(
            f"the key {shown(error.args[0])} occurs twice in one object", file=file
        ) from None
    except json.JSONDecodeError as error:
        raise FormatError(f"invalid JSON: {error.msg}", file=file, line=error.lineno) from None
    except (RecursionError, ValueError):
        raise FormatError("the JSON is too large or too deep", file=file) from None
