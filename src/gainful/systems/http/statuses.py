"""HTTP statuses: errors, hints, and whether and when to retry."""

from __future__ import annotations

import json
from time import time
from typing import Any

from gainful.errors import SearchError
from gainful.systems.http.answers import excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.systems.http.transport import Response

__all__ = ["TRANSIENT", "failure", "wait_of"]

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
