"""Recordings of requests and answers, to replay a search without its engine."""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from os import PathLike, fspath
from typing import Any

from gainful.data.paths import check_path
from gainful.data.text_files import unchanged
from gainful.errors import FormatError, SearchError, SourceError, SourceNotFoundError
from gainful.systems.http.answers import charset_of
from gainful.systems.http.transport import Request, Response, Transport
from gainful.systems.masking import masked
from gainful.writing import flush_to_disk, write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


__all__ = ["RecordingTransport", "ReplayTransport"]

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
        """Return the recorded answer to a request.

        Raises
        ------
        SearchError
            If it is not in the recording.
        """
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
        text = body.decode(charset_of(kind) or "utf-8")
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
    found = []
    check_path(path)
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file, unchanged(file, path):
            for number, line in enumerate(file, 1):
                if number == 1:
                    _check_schema(path, line)
                elif line.endswith("\n"):
                    found.append(_exchange(path, number, line))
                # A last line without a line break was interrupted.
    except FileNotFoundError:
        raise SourceNotFoundError(file=path, found="no such file") from None
    except SourceError:
        raise
    except OSError as error:
        raise SourceError(f"cannot read the file ({error.strerror})", file=path) from error
    return found


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
