"""Build requests from a description and queries, and extract documents from the answers."""

from __future__ import annotations

import codecs
import json
import os
import re
from base64 import b64decode, b64encode
from os import PathLike, fspath
from time import time
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus

from gainful.data.paths import check_path
from gainful.data.records import Path, kind_of
from gainful.data.text_files import unchanged
from gainful.errors import FormatError, SearchError, SourceError, SourceNotFoundError
from gainful.systems.http.transport import Request, Response, Transport
from gainful.systems.languages import plain_text
from gainful.systems.masking import VARIABLE, masked
from gainful.systems.protocol import Answer, Query
from gainful.writing import flush_to_disk, write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gainful.systems.description.description import Description, Placeholder, Template

__all__ = [
    "AnswerPaths",
    "RecordingTransport",
    "ReplayTransport",
    "RequestTemplate",
    "failure",
    "parse_json",
    "preset",
]

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
        """Return the first `k` documents of an answer."""
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
    """Parse the JSON of an answer."""
    kind = response.headers.get("content-type", "")
    body: bytes | str = response.body
    try:
        charset = _charset_of(kind)
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


def _charset_of(kind: str) -> str | None:
    """Return the charset of a content type; None for UTF-8, and without one."""
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


METHODS = ("GET", "POST", "PUT")

JSON = "application/json"

FORM = "application/x-www-form-urlencoded"

# Characters allowed in an address besides letters and digits: existing escapes, and the
# braces of ${NAME} until it is filled in.
_IN_ADDRESS = "/?:@!$&'()*+,;=%~{}"

_STEPS = re.compile(r"(^|/)\.{1,2}(/|$)")


def _one_segment(text: str) -> str:
    return quote(text, safe="")


class RequestTemplate:
    """The template of requests to an engine.

    Parameters
    ----------
    description : Description
        With ``method``, ``path``, ``params``, and ``body`` (JSON) or ``form``.
    prefix : str
        The path before every other path.
    values : mapping of str to str
        Values for a preset's path, such as the name of an index.

    Attributes
    ----------
    method : str
        Such as ``"POST"``.
    placeholders : tuple of Placeholder
        All placeholders in path, parameters and body.
    """

    def __init__(self, description: Description, prefix: str, values: dict[str, Any]) -> None:
        self._prefix = quote(prefix, safe=_IN_ADDRESS)
        self._path = description.template("path", values=values, encode=_one_segment)
        params = description.raw("params")
        # Only the description is expanded with environment variables, never a query.
        self._secrets = {
            name: value
            for name, value in params.items()
            if isinstance(value, str) and VARIABLE.search(value)
        }
        rest = {name: value for name, value in params.items() if name not in self._secrets}
        self._params = description.template_of("params", rest, values=values)
        self._body: Template | None = description.template("body", values=values)
        self._form = description.template("form", values=values)
        if self._body is not None and self._form is not None:
            raise description.wrong("form", "…", "either [form] or [body], not both")
        _check_tables(description)
        has_body = self._body is not None or self._form is not None
        self.method = description.choice("method", METHODS, "POST" if has_body else "GET")
        self.placeholders: tuple[Placeholder, ...] = tuple(
            placeholder
            for template in (self._path, self._params, self._body, self._form)
            if template is not None
            for placeholder in template.placeholders
        )

        same = self._path is None or self._path.constant
        if same:
            try:
                self._path_of(Query("", ""), 0)
            except SearchError as error:
                written = description.text("path")
                raise description.wrong("path", written, str(error.expected)) from None
        # If the query is in the body, the target is the same for all queries.
        self._fixed = self._target(Query("", ""), 0) if same and self._params.constant else None

    def request(self, query: Query, k: int) -> Request:
        """Return the request of a query."""
        try:
            target = self._fixed or self._target(query, k)
            if self._body is not None:
                rendered = self._body.render(query, k)
                text = json.dumps(rendered, ensure_ascii=False, allow_nan=False)
                return Request(self.method, target, text.encode(), JSON)
            if self._form is not None:
                pairs = "&".join(_pairs(self._form, query, k))
                return Request(self.method, target, pairs.encode("ascii"), FORM)
        except UnicodeEncodeError:
            raise SearchError("the text is not valid Unicode", query=query.id) from None
        except (TypeError, ValueError) as error:
            raise SearchError(f"a value cannot be sent: {error}", query=query.id) from None
        return Request(self.method, target)

    def _path_of(self, query: Query, k: int) -> str:
        path = "" if self._path is None else str(self._path.render(query, k))
        if _STEPS.search(path.partition("?")[0]):
            raise SearchError(
                query=query.id, found=f"the path {path!r}", expected="a path without '.' and '..'"
            )
        return self._prefix + quote(path, safe=_IN_ADDRESS)

    def _target(self, query: Query, k: int) -> str:
        target = self._path_of(query, k)
        if not target.startswith("/"):
            target = f"/{target}"
        pairs = [*_pairs(self._params, query, k), *_written(self._secrets)]
        if pairs:
            target += ("&" if "?" in target else "?") + "&".join(pairs)
        return target


def _check_tables(description: Description) -> None:
    """Refuse invalid tables before any query is sent."""
    for key in ("params", "form"):
        if key not in description:
            continue
        for name, value in description.raw(key).items():
            for one in value if isinstance(value, list) else [value]:
                if not isinstance(one, (str, int, float)):
                    raise description.wrong(f"{key}.{name}", value, "a value, or a list of values")


def _pairs(template: Template, query: Query, k: int) -> list[str]:
    return [
        f"{quote_plus(name)}={quote_plus(plain_text(one))}"
        for name, value in template.render(query, k).items()
        for one in (value if isinstance(value, list) else [value])
    ]


def _written(secrets: Mapping[str, str]) -> list[str]:
    """Return parameters with ``${NAME}`` unchanged, for the transport to expand."""
    return [f"{quote_plus(name)}={quote(value, safe='${}')}" for name, value in secrets.items()]


SCHEMA = "gainful.recording/1"


class RecordingTransport:
    """Append every request and its answer to a file, one line each, as they arrive.

    Headers are not recorded, and values from the environment are masked.

    Parameters
    ----------
    inner : Transport
        The transport that sends the requests.
    path : path
        A new file, or an existing recording, to which new lines are appended.
    hidden : iterable of str
        Texts to mask.
    """

    def __init__(
        self, inner: Transport, path: str | PathLike[str], hidden: Iterable[str] = ()
    ) -> None:
        self._inner = inner
        self._path = fspath(path)
        self._hidden = list(hidden)
        # As bytes, because the encoding of bodies is unknown.
        self._hidden_bytes = [
            text.encode("utf-8", "surrogateescape").decode("latin-1") for text in self._hidden
        ]
        if os.path.exists(self._path) and os.path.getsize(self._path):
            _read(self._path)
            _cut_incomplete_line(self._path)
        else:
            write_whole(self._path, [f"{json.dumps({'schema': SCHEMA})}\n".encode()])

    async def send(self, request: Request) -> Response:
        """Send a request with the inner transport, and record its answer."""
        response = await self._inner.send(request)
        body = masked(response.body.decode("latin-1"), self._hidden_bytes).encode("latin-1")
        recorded = _response(response._replace(body=body))
        line = json.dumps({"request": _request(request), "response": recorded}, ensure_ascii=False)
        self._write(masked(line, self._hidden) + "\n")
        return response

    async def close(self) -> None:
        """Close the inner transport."""
        await self._inner.close()

    def _write(self, text: str) -> None:
        try:
            # One write in append mode, so that concurrent writers cannot split a line.
            with open(self._path, "ab") as file:
                file.write(text.encode("utf-8", "surrogatepass"))
                flush_to_disk(file)
        except OSError as error:
            raise SourceError(
                f"cannot write the file ({error.strerror})", file=self._path
            ) from error


class ReplayTransport:
    """Answer requests from a recording, without sending them.

    Requests are matched by method, target and body. A request that was recorded several times gets
    the answers in their order, and then the last one again.

    Parameters
    ----------
    path : path
        A recording.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self._path = fspath(path)
        self._answers: dict[str, list[Response]] = {}
        for request, response in _read(self._path):
            self._answers.setdefault(_key(request), []).append(response)

    async def send(self, request: Request) -> Response:
        """Return the recorded answer to a request."""
        answers = self._answers.get(_key(_request(request)))
        if answers is None:
            raise SearchError(
                f"{self._path} has no {request.method} {request.target[:40]} with this body",
                hint="record it again",
            )
        return answers.pop(0) if len(answers) > 1 else answers[0]

    async def close(self) -> None:
        """Do nothing."""


def _request(request: Request) -> dict[str, Any]:
    recorded: dict[str, Any] = {"method": request.method, "target": request.target}
    if request.body is not None:
        recorded.update(_body(request.body, request.content_type or ""))
    return recorded


def _response(response: Response) -> dict[str, Any]:
    kind = response.headers.get("content-type", "")
    return {"status": response.status, **_body(response.body, kind)}


def _body(body: bytes, kind: str) -> dict[str, Any]:
    """Return a body as readable JSON or text, if that is lossless."""
    try:
        text = body.decode(_charset_of(kind) or "utf-8")
    except (LookupError, UnicodeDecodeError):
        return {"base64": b64encode(body).decode()}
    try:
        return {"json": json.loads(text)}
    except (ValueError, RecursionError):
        return {"text": text}


def _key(request: dict[str, Any]) -> str:
    return json.dumps(request, sort_keys=True)


def _bytes(recorded: dict[str, Any]) -> bytes:
    if "json" in recorded:
        return json.dumps(recorded["json"]).encode()
    if "text" in recorded:
        return str(recorded["text"]).encode("utf-8", "surrogatepass")
    return b64decode(recorded["base64"], validate=True)


def _read(path: str) -> list[tuple[dict[str, Any], Response]]:
    documents = []
    check_path(path)
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file, unchanged(file, path):
            for number, line in enumerate(file, 1):
                if number == 1:
                    _check_schema(path, line)
                elif line.endswith("\n"):
                    documents.append(_exchange(path, number, line))
                # A last line without a line break was interrupted.
    except FileNotFoundError:
        raise SourceNotFoundError(file=path, found="no such file") from None
    except SourceError:
        raise
    except OSError as error:
        raise SourceError(f"cannot read the file ({error.strerror})", file=path) from error
    return documents


def _cut_incomplete_line(path: str) -> None:
    """Remove an incomplete last line."""
    try:
        with open(path, "rb+") as file:
            whole = file.read()
            file.truncate(whole.rfind(b"\n") + 1)
    except OSError as error:
        raise SourceError(f"cannot write the file ({error.strerror})", file=path) from error


def _check_schema(path: str, line: str) -> None:
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        first = None
    if not isinstance(first, dict) or first.get("schema") != SCHEMA:
        raise FormatError(f'not a recording: no "schema": "{SCHEMA}"', file=path, line=1)


def _exchange(path: str, number: int, line: str) -> tuple[dict[str, Any], Response]:
    try:
        whole = json.loads(line)
        recorded = whole["response"]
        return dict(whole["request"]), Response(int(recorded["status"]), {}, _bytes(recorded))
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise FormatError(
            f"the line is damaged ({type(error).__name__})", file=path, line=number
        ) from None


class EngineDefaults(NamedTuple):
    """The preset of an engine.

    Attributes
    ----------
    title : str
        Its title.
    evidence : str
        How it was verified: ``"run"`` if tests run it, ``"read"`` if only its documentation was
        read.
    keys : mapping of str to str
        The keys that a description must add for the path, with explanations.
    table : mapping
        Method, path, parameters, body and results, as in a description.
    """

    title: str
    evidence: str
    keys: Mapping[str, str]
    table: Mapping[str, Any]


def preset(engine: str) -> EngineDefaults:
    """Return the preset of an engine.

    Examples
    --------
    >>> preset("solr").title, preset("solr").table["results"]["documents"]
    ('Apache Solr', 'response.docs[]')
    """
    import tomllib
    from importlib.resources import files

    file = files("gainful.systems.http").joinpath("engines", f"{engine}.toml")
    table = tomllib.loads(file.read_text("utf-8"))
    entry = table.pop("preset")
    return EngineDefaults(entry["title"], entry["evidence"], entry.get("keys", {}), table)
