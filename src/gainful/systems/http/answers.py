"""Extract documents and scores from an engine's answer."""

from __future__ import annotations

import codecs
import json
import re
from typing import Any, NamedTuple

from gainful.errors import SearchError
from gainful.systems.protocol import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.systems.description.description import Description
    from gainful.systems.http.transport import Response

__all__ = ["AnswerPaths", "Path", "charset_of", "parse_json"]

_STEP = re.compile(
    r"""(?:^|\.)(?:(?P<name>[^.\[\]"?]+)|"(?P<quoted>[^"]+)")(?P<optional>\?)?"""
    r"""|\[(?P<index>\d*)\]"""
)
_NO_CHARSETS = frozenset({"idna", "punycode", "raw_unicode_escape", "unicode_escape", "undefined"})
_CHARSET = re.compile(r"""charset\s*=\s*"?([^\s";]+)""", re.IGNORECASE)
_ALL = object()
# The maximum length of an engine's text in messages.
_EXCERPT = 200


class _Key(NamedTuple):
    """A step to a key of an object."""

    name: str
    optional: bool


class Path:
    """A path in JSON.

    Parameters
    ----------
    text : str
        Names with dots between them, such as ``hits.hits[]``: ``[]`` is every item of a list,
        ``[0]`` the first; ``name?`` may be absent; a name with dots is quoted. An empty path is
        the value itself.

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
        self.steps: list[_Key | int | object] = []
        at = 0
        while at < len(text):
            match = _STEP.match(text, at)
            if match is None or text[0] == ".":
                raise ValueError(text)
            at = match.end()
            if match["index"] is None:
                name = match["name"] or match["quoted"]
                self.steps.append(_Key(name, match["optional"] is not None))
            else:
                self.steps.append(int(match["index"]) if match["index"] else _ALL)

    @property
    def key(self) -> str | None:
        """The name, if the path is a single required name, which is the usual case."""
        first = self.steps[0] if len(self.steps) == 1 else None
        return first.name if isinstance(first, _Key) and not first.optional else None

    def find(self, value: Any) -> list[Any]:
        """Return all values at the path.

        Raises
        ------
        LookupError
            If a step is missing; the message lists what exists instead.
        """
        here = [value]
        for step in self.steps:
            following: list[Any] = []
            for one in here:
                following += _step(one, step)
            here = following
        return here

    def items(self, value: Any) -> list[Any]:
        """Return the items of the lists at the path, with or without ``[]`` at its end."""
        found = self.find(value)
        if self.steps[-1:] == [_ALL]:
            return found
        return [item for one in found for item in _step(one, _ALL)]


def _step(value: Any, step: _Key | int | object) -> list[Any]:
    if isinstance(step, _Key):
        if not isinstance(value, dict):
            if step.optional and value is None:
                return []
            raise LookupError(f"{_kind(value)} instead of an object with {step.name!r}")
        if step.name not in value:
            if step.optional:
                return []
            keys = ", ".join(list(value)[:8]) or "no keys"
            raise LookupError(f"no {step.name!r} ({keys})")
        return [value[step.name]]
    # Servers written in Go write null for an empty list.
    if value is None and step is _ALL:
        return []
    if not isinstance(value, list):
        raise LookupError(f"{_kind(value)} instead of a list")
    if isinstance(step, int):
        if step >= len(value):
            raise LookupError(f"no item [{step}] in a list of {len(value)}")
        return [value[step]]
    return value


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    kinds = {dict: "an object", list: "a list", str: "a text", int: "a number", float: "a number"}
    return kinds.get(type(value), type(value).__name__)


class AnswerPaths:
    """The paths of documents and scores in an engine's answers.

    Parameters
    ----------
    description : Description
        ``[results]``: ``documents``, ``id``, ``score``, ``expect``, ``error``, ``most``.
    """

    def __init__(self, description: Description) -> None:
        self._documents = _path(description, "documents", description.text("documents"))
        self._id = _path(description, "id", description.text("id", ""))
        score = description.text("score", None)
        # Smaller distances are better.
        self._sign = -1.0 if score is not None and score.startswith("-") else 1.0
        self._score = None if score is None else _path(description, "score", score, "-")
        error = description.text("error", None)
        self._error = None if error is None else _path(description, "error", error)
        self._expect = {
            name: (_path(description, "expect", name), value)
            for name, value in description.values("expect").items()
        }
        self.most: int | None = description.integer("most", None, least=1)

    def answer(self, body: Any, k: int) -> Answer:
        """Return the first `k` documents of an answer.

        Parameters
        ----------
        body : object
            The parsed JSON.
        k : int
            The number of documents.

        Raises
        ------
        SearchError
            If it does not match the description, or reports that it is incomplete.
        """
        self._check(body)
        try:
            hits = self._documents.items(body)
        except LookupError as error:
            raise _missing(self._documents.text, str(error)) from None
        hits = hits[:k]
        documents = self._each(hits, self._id)
        # Checking all at once is ten times faster, and most answers are valid.
        if set(map(type, documents)) != {str} or "" in documents:
            documents = [_document(value) for value in documents]
        if self._score is None:
            return Answer(documents)
        scores = self._each(hits, self._score)
        kinds = set(map(type, scores))
        if kinds == {type(None)}:
            # Elasticsearch returns no scores when it sorts by a field.
            return Answer(documents)
        if kinds != {float} or self._sign < 0:
            scores = [self._sign * _number(score) for score in scores]
        return Answer(documents, scores)

    def _each(self, hits: list[Any], path: Path) -> list[Any]:
        key = path.key
        try:
            if key is not None:
                return [hit[key] for hit in hits]
            return [_only(path, hit) for hit in hits]
        except (LookupError, TypeError):
            for place, hit in enumerate(hits):
                try:
                    _only(path, hit)
                except LookupError as error:
                    where = f"{self._documents.text}, number {place + 1}: {path.text}"
                    raise _missing(where, str(error)) from None
            raise

    def _check(self, body: Any) -> None:
        if self._error is not None:
            errors = [one for one in _found(self._error, body) if one]
            if errors:
                raise SearchError(f"the answer reports an error: {excerpt(json.dumps(errors[0]))}")
        for name, (path, expected) in self._expect.items():
            for value in _found(path, body):
                if value != expected:
                    raise SearchError(
                        f"the answer is incomplete: {name} is {json.dumps(value)[:40]}, expected "
                        f"{json.dumps(expected)}",
                        transient=True,
                    )


def _path(description: Description, key: str, text: str, sign: str = "") -> Path:
    try:
        return Path(text.removeprefix(sign))
    except ValueError:
        expected = "a path such as hits.hits[], response.docs[0] or _id"
        raise description.wrong(key, text, expected) from None


def _found(path: Path, body: Any) -> list[Any]:
    try:
        return path.find(body)
    except LookupError:
        return []


def _only(path: Path, hit: Any) -> Any:
    found = path.find(hit)
    if len(found) != 1:
        raise LookupError(f"{len(found)} values")
    return found[0]


def _missing(where: str, found: str) -> SearchError:
    return SearchError(
        f"the answer has {found}, expected {where}",
        hint="set the location of the documents in [results]",
    )


def _document(value: Any) -> str:
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    found = "an empty text" if value == "" else _kind(value)
    raise SearchError(f"document id is {found}, not text or a whole number")


def _number(value: Any) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise SearchError("a score has more than 308 digits") from None
    raise SearchError(f"score is {_kind(value)}, not a number")


def parse_json(response: Response) -> Any:
    """Parse the JSON of an answer.

    Raises
    ------
    SearchError
        If it is invalid.
    """
    kind = response.headers.get("content-type", "")
    body: bytes | str = response.body
    try:
        charset = charset_of(kind)
        if charset is not None:
            body = response.body.decode(charset)
        return json.loads(body, parse_constant=_refuse)
    except LookupError:
        charset = excerpt(_CHARSET.findall(kind)[0])
        raise SearchError(f"the answer has the charset {charset!r}, not UTF-8") from None
    except (ValueError, RecursionError):
        raise SearchError(
            f"the answer is not JSON: {excerpt(response.body) or 'empty'}",
            hint="check that this is the address of the engine's API",
        ) from None


def charset_of(kind: str) -> str | None:
    """Return the charset of a content type; None for UTF-8, and without one.

    Raises
    ------
    LookupError
        For an unknown charset, and for Python codecs that are not charsets, some of which take
        minutes for a million letters.
    """
    named = _CHARSET.search(kind)
    if named is None:
        return None
    charset = codecs.lookup(named[1].encode("ascii", "replace").decode()).name
    if charset.replace("-", "_") in _NO_CHARSETS:
        raise LookupError(charset)
    return None if charset == "utf-8" else charset


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def excerpt(text: bytes | str) -> str:
    """Return the beginning of an engine's text, in one line."""
    if isinstance(text, bytes):
        text = text[: 4 * _EXCERPT].decode("utf-8", "replace")
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= _EXCERPT else f"{line[: _EXCERPT - 3]}..."
