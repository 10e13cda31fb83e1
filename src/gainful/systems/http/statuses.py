"""What a status means: whether asking again may help, and when."""

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

#: Statuses of trouble that passes: too many requests, and servers that are not up to it just now.
TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})

_HINTS = {
    401: "credentials stand in headers, with ${NAME} for what the environment holds",
    403: "these credentials may not do that",
    404: "does the index exist, and is the path right?",
    405: 'method = "GET" or "POST"',
    413: "the query is longer than the engine takes",
    414: 'the query is longer than an address may be; method = "POST"',
}
# Where engines say what is wrong, the most telling first.
_REASONS = ("reason", "msg", "message", "detail", "error", "title")


def failure(response: Response) -> SearchError | None:
    """Return the error that an answer is; None for one that is none."""
    if 200 <= response.status < 300:
        return None
    said = _reason(response.body)
    return SearchError(
        found=f"status {response.status}{f' ({said})' if said else ''}",
        expected="200",
        hint=_HINTS.get(response.status),
        transient=response.status in TRANSIENT,
        wait=wait_of(response.headers.get("retry-after")),
    )


def wait_of(text: str | None) -> float | None:
    """Return the seconds of a ``Retry-After``: a number, or a date that is still to come.

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
    """Return what an engine says is wrong; the beginning of its answer where it says it oddly."""
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        return excerpt(body)
    # Nearer to the top first; a list of causes is as telling as its first. But above its root
    # causes Elasticsearch says only that all shards failed.
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
