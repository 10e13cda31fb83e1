"""Secrets: ``${NAME}`` in descriptions stands for environment variables."""

from __future__ import annotations

import json
import os
import re
from functools import lru_cache
from html import escape
from urllib.parse import quote

from gainful.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["VARIABLE", "Secret", "masked"]

#: A variable, with its name as a group.
VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
# Shorter values occur in ordinary words and cannot be masked.
_SHORTEST = 4


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

    Examples
    --------
    >>> Secret("ApiKey ${SHOP_KEY}", "headers.Authorization")
    <Secret 'ApiKey ${SHOP_KEY}'>
    """

    def __init__(self, written: str, where: str, file: str | None = None) -> None:
        self.written = written
        self.names = tuple(match.group(1) for match in VARIABLE.finditer(written))
        self._where = where
        self._file = file

    def values(self) -> list[str]:
        """Return the current values of the variables.

        Raises
        ------
        FormatError
            If a variable is missing or empty.
        """
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


def masked(text: str, values: Iterable[str]) -> str:
    r"""Mask secret values in a text, such as a server's message.

    Detects them verbatim, and as encoded in addresses, JSON and HTML.

    Examples
    --------
    >>> masked("no such key: s3cret", ["s3cret"])
    'no such key: ***'
    >>> masked('/find?key=p%40ss%2fw "p@ss\\/w"', ["p@ss/w"])
    '/find?key=*** "***"'
    """
    hidden = tuple(sorted({value for value in values if len(value) >= _SHORTEST}, key=len))
    return _pattern_of(hidden).sub("***", text) if hidden else text


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
