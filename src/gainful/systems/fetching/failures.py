"""Failures: the message, whether a retry may help, and how long to wait."""

from __future__ import annotations

import os
import re
from threading import current_thread, main_thread

from gainful.errors import GainfulError, SearchError
from gainful.references import refer

__all__ = ["LONGEST_PAUSE", "is_temporary", "pause", "reason", "worth_retrying"]

#: The longest wait in seconds that a system may request; longer ones are failures.
LONGEST_PAUSE = 120.0
_LENGTH = 300

_USER = re.compile(r"(?<=://)[^\s/@]+@")
_SECRET = re.compile(
    r"(?i)\b([\w-]*(?:api[_-]?key|token|secret|passw(?:or)?d|authorization|signature)[\w-]*)"
    r"(\"?'?\s*[=:]\s*\"?'?)((?:(?:bearer|basic|apikey)\s+)?[^\s&\"',;]+)"
)
_CONFIDENTIAL = re.compile(r"(?i)key|token|secret|passw|credential|auth")


def worth_retrying(error: BaseException) -> bool:
    """Return whether a retry may help.

    Examples
    --------
    >>> worth_retrying(TimeoutError()), worth_retrying(KeyError("id"))
    (True, False)
    >>> worth_retrying(SearchError("status 429", transient=True, wait=3600.0))
    False
    >>> worth_retrying(ExceptionGroup("tasks", [TimeoutError(), ConnectionError()]))
    True
    """
    if isinstance(error, SearchError):
        return error.transient and (error.wait or 0.0) <= LONGEST_PAUSE
    if isinstance(error, BaseExceptionGroup):
        return all(map(worth_retrying, error.exceptions))
    return isinstance(error, (ConnectionError, TimeoutError))


def is_temporary(error: BaseException) -> bool:
    """Return whether the same request may succeed later, even if it is too late for a retry.

    Examples
    --------
    >>> is_temporary(SearchError("status 429", transient=True, wait=3600.0))
    True
    >>> is_temporary(KeyError("id"))
    False
    """
    return error.transient if isinstance(error, SearchError) else worth_retrying(error)


def pause(error: BaseException) -> float:
    """Return the wait in seconds that a system requests; 0 if none or too long."""
    if not isinstance(error, SearchError) or not worth_retrying(error):
        return 0.0
    return max(0.0, error.wait or 0.0)


def reason(error: BaseException) -> str:
    """Return the message of a failure: one line, without keys and passwords.

    Of an exception group, only the first is used. Apparent keys and passwords are masked, and so
    are the values of environment variables with names of secrets.

    Examples
    --------
    >>> reason(KeyError("id"))
    "KeyError: 'id'"
    >>> reason(SearchError(found="status 503", expected="200"))
    'found status 503, expected 200'
    >>> reason(OSError("https://ann:pw@host/search?api_key=12345&q=a: refused"))
    'OSError: https://…@host/search?api_key=…&q=a: refused'
    """
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, GainfulError):
        # It is shown next to the query's id, and counted with other queries' failures.
        text = str(error.replace(query=None))
        wait = error.wait if isinstance(error, SearchError) and error.transient else None
        if wait is not None and wait > LONGEST_PAUSE:
            text += f" (it requests a wait of {wait:,.0f} s)"
    else:
        text = type(error).__name__
        try:
            message = str(error)
        except Exception:
            message = ""
        if message:
            text += f": {message}"
        if _refuses_threads(error):
            text += f" ({refer('workers', '1')} calls it in the calling thread)"
    for name, value in os.environ.items():
        if len(value) >= 6 and _CONFIDENTIAL.search(name):
            text = text.replace(value, "…")
    text = _SECRET.sub(r"\1\2…", _USER.sub("…@", text))
    # One line without control characters.
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return text if len(text) <= _LENGTH else f"{text[: _LENGTH - 1]}…"


def _refuses_threads(error: BaseException) -> bool:
    """Return whether an error in a thread is one with which sqlite3 refuses threads."""
    kind = type(error)
    named = (kind.__module__, kind.__name__) == ("sqlite3", "ProgrammingError")
    return named and current_thread() is not main_thread()
