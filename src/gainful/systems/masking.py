"""Values from the environment, and secrets masked in what is shown."""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode
from functools import lru_cache
from html import escape, unescape
from typing import NamedTuple
from urllib.parse import quote, unquote

from gainful.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

__all__ = ["VARIABLE", "Secret", "exposes", "masked", "masked_strings", "protect"]

# Shorter values occur in ordinary words: they are neither masked nor protected.
_SHORTEST = 4

_SHORTEST_PROTECTED = 8

_ESCAPE = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)

_WORD = re.compile(r"[^\s\"'<>{}\[\](),;]+")

#: Encodings inside of encodings that are looked through.
_DEPTH = 3

#: The keys that this process has sent.
_protected: set[str] = set()


def protect(keys: Iterable[str]) -> None:
    """Remember keys that are being sent, so that no answer with one is stored."""
    _protected.update(key for key in keys if len(key) >= _SHORTEST_PROTECTED)


def exposes(text: str) -> bool:
    """Return whether a text contains a protected key, or half of one, in some encoding.

    Detects upper and lower case, base64, hexadecimal digits, and the encodings of addresses, JSON
    and HTML, also inside of each other.

    Examples
    --------
    >>> protect(["s3cret-key-of-a-shop"])
    >>> exposes("d1"), exposes("S3CRET-KEY-OF-A"), exposes("QmVhcmVyIHMzY3JldC1rZXktb2YtYS1zaG9w")
    (False, True, True)
    """
    return bool(_protected) and _contains(text, tuple(sorted(_protected)))


def masked(text: str, values: Iterable[str] | None = None) -> str:
    r"""Mask secret values in a text, such as a server's message.

    Examples
    --------
    >>> masked("no such key: s3cret", ["s3cret"])
    'no such key: ***'
    >>> masked('/find?key=p%40ss%2fw "p@ss\\/w"', ["p@ss/w"])
    '/find?key=*** "***"'
    """
    values = _protected if values is None else values
    hidden = tuple(sorted({value for value in values if len(value) >= _SHORTEST}, key=len))
    if not hidden:
        return text
    text = _pattern_of(hidden).sub("***", text)
    long = tuple(value for value in hidden if len(value) >= _SHORTEST_PROTECTED)
    if _contains(text, long):
        # A part, or another form: its word goes, or else the text.
        text = _WORD.sub(lambda word: "***" if _contains(word[0], long) else word[0], text)
    return "***" if _contains(text, long) else text


def masked_strings(value: Any) -> Any:
    """Mask protected keys in the strings of a JSON value."""
    if isinstance(value, str):
        return masked(value) if exposes(value) else value
    if isinstance(value, list):
        return [masked_strings(element) for element in value]
    if isinstance(value, dict):
        return {masked_strings(key): masked_strings(element) for key, element in value.items()}
    return value


class _Forms(NamedTuple):
    lower: tuple[str, ...]
    base64: tuple[str, ...]


def _contains(text: str, keys: tuple[str, ...]) -> bool:
    forms = _forms_of(keys)
    joined = "".join(text.split()).replace("-", "+").replace("_", "/")
    if any(form in joined for form in forms.base64):
        return True
    for _ in range(_DEPTH):
        lower = text.casefold()
        if any(form in lower for form in forms.lower):
            return True
        decoded = unescape(unquote(_ESCAPE.sub(_unescaped, text)))
        if decoded == text:
            break
        text = decoded
    return False


def _unescaped(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else match[2]


@lru_cache(maxsize=64)
def _forms_of(keys: tuple[str, ...]) -> _Forms:
    parts = set()
    for key in keys:
        # Of a truncated key, half is left; less would occur in other texts.
        half = max(_SHORTEST_PROTECTED, (len(key) + 1) // 2)
        parts |= {key[:half], key[-half:]}
    lower, base64 = set(), set()
    for part in parts:
        content = part.encode("utf-8", "surrogateescape")
        lower |= {part.casefold(), content.hex(), unquote(part.replace("+", " ")).casefold()}
        for offset in range(3):
            # Without the digits that depend on the neighbors.
            digits = b64encode(bytes(offset) + content).decode()
            base64.add(digits[-(-offset * 8 // 6) : (offset + len(content)) * 8 // 6])
    return _Forms(tuple(lower), tuple(base64))


@lru_cache(maxsize=64)
def _pattern_of(values: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for several texts, longest first."""
    return re.compile("|".join("".join(map(_encodings_of, value)) for value in reversed(values)))


def _encodings_of(sign: str) -> str:
    """Return a pattern for a character in every encoding."""
    if sign.isascii() and (sign.isalnum() or sign in "-_.~"):
        return re.escape(sign)
    try:
        in_address = quote(sign, safe="")
    except UnicodeEncodeError:
        # A lone surrogate: the environment may contain bytes that are not UTF-8.
        in_address = sign
    ways = {json.dumps(sign)[1:-1], json.dumps(sign, ensure_ascii=False)[1:-1]}
    ways |= {f"\\u{ord(sign):04x}", escape(sign), f"&#{ord(sign)};", f"&#x{ord(sign):x};"}
    ways |= {in_address, sign} | ({"+"} if sign == " " else set())
    # Longest first, so that escapes stay whole.
    either = "|".join(
        re.escape(way) if way == sign else f"(?i:{re.escape(way)})"
        for way in sorted(ways, key=lambda way: (-len(way), way))
    )
    # JSON inside of JSON escapes the escapes.
    return rf"\\*(?:{either})"


#: A variable, with its name as a group.
VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")

_SENSITIVE = re.compile(r"auth|cookie|key|token|secret|passw|credential", re.IGNORECASE)


class Secret:
    """A text with ``${NAME}``, which is displayed as written.

    Parameters
    ----------
    written : str
        The text in the description.
    where : str
        The key, for messages.
    file : str, optional
        The description, for messages.

    Attributes
    ----------
    written : str
        As given; it may be displayed, logged and stored.
    names : tuple of str
        The names of the variables.
    is_key : bool
        Whether it contains a key or a password, and not only a host or an index, by its names.

    Examples
    --------
    >>> Secret("ApiKey ${SHOP_KEY}", "headers.Authorization")
    <Secret 'ApiKey ${SHOP_KEY}'>
    """

    def __init__(self, written: str, where: str, file: str | None = None) -> None:
        self.written = written
        self.names = tuple(match.group(1) for match in VARIABLE.finditer(written))
        self.is_key = bool(_SENSITIVE.search(" ".join((where, *self.names))))
        self._where = where
        self._file = file

    def values(self) -> list[str]:
        """Return the current values of the variables."""
        values = []
        for name in self.names:
            value = os.environ.get(name, "")
            if not value:
                raise FormatError(
                    f"the environment variable {name} is not set",
                    file=self._file,
                    where=self._where,
                    hint=f"export {name}=…",
                )
            values.append(value)
        return values

    def reveal(self) -> str:
        """Return the text with the values of the variables."""
        values = dict(zip(self.names, self.values(), strict=True))
        return VARIABLE.sub(lambda match: values[match.group(1)], self.written)

    def __repr__(self) -> str:
        return f"<Secret {self.written!r}>"
