"""Extract documents and scores from an engine's answer."""

from __future__ import annotations

import codecs
import json
import re
from time import time
from typing import Any

from gainful.data.list_texts import Path, kind_of
from gainful.errors import SearchError
from gainful.systems.protocol import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.systems.description.description import Description
    from gainful.systems.http.transport import Response

__all__ = ["AnswerPaths", "charset_of", "failure", "parse_json"]


_NO_CHARSETS = frozenset({"idna", "punycode", "raw_unicode_escape", "unicode_escape", "undefined"})
_CHARSET = re.compile(r"""charset\s*=\s*"?([^\s";]+)""", re.IGNORECASE)
# The maximum length of an engine's text in messages.
_EXCERPT = 200


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
    value = path.find(hit)
    if len(value) != 1:
        raise LookupError(f"{len(value)} values")
    return value[0]


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
    problem = "an empty text" if value == "" else kind_of(value)
    raise SearchError(f"document id is {problem}, not text or a whole number")


def _number(value: Any) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise SearchError("a score has more than 308 digits") from None
    raise SearchError(f"score is {kind_of(value)}, not a number")


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


#: Statuses of temporary errors: too many requests, overloaded servers.
TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})

_HINTS = {
    401: "set credentials in headers, with ${NAME} for environment variables",
    403: "the credentials lack permission",
    404: "check the path, and that the index exists",
    405: 'method = "GET" or "POST"',
    413: "the query is too long for the engine",
    414: 'the query is too long for an address; use method = "POST"',
}
# Locations of error messages in answers, most specific first.
_REASONS = ("reason", "msg", "message", "detail", "error", "title")


def failure(response: Response) -> SearchError | None:
    """Return the error of an answer; None for a success."""
    if 200 <= response.status < 300:
        return None
    message = _reason(response.body)
    return SearchError(
        f"status {response.status}{f' ({message})' if message else ''}",
        transient=response.status in TRANSIENT,
        wait=wait_of(response.headers.get("retry-after")),
        hint=_HINTS.get(response.status),
    )


def wait_of(text: str | None) -> float | None:
    """Return the seconds of a ``Retry-After`` header: a number or a date.

    Examples
    --------
    >>> wait_of("2"), wait_of("soon"), wait_of("Fri, 31 Dec 1999 23:59:59 GMT")
    (2.0, None, 0.0)
    """
    if text is None:
        return None
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time())
    except (ValueError, OverflowError):
        return None


def _reason(body: bytes) -> str:
    """Return the error message of an answer, or else its beginning."""
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        return excerpt(body)
    # Prefer messages near the top, and the first of a list. But Elasticsearch reports above its
    # root causes only that all shards failed.
    error = parsed.get("error") if isinstance(parsed, dict) else None
    causes = error.get("root_cause") if isinstance(error, dict) else None
    level: list[Any] = [causes or parsed]
    for _ in range(4):
        for key in _REASONS:
            for one in level:
                if isinstance(one, dict) and isinstance(one.get(key), str) and one[key]:
                    return excerpt(one[key])
        level = [
            child
            for one in level
            for child in (
                one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
            )
        ][:64]
    return excerpt(body)
