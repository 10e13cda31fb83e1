"""``${NAME}``: what a description takes from the environment, and nobody else gets to see."""

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

#: One of them, and its name as a group.
VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
# What is shorter is in every other word of a message, and protects nothing.
_SHORTEST = 4


class Secret:
    """A text with ``${NAME}`` in it, shown as it is written.

    Parameters
    ----------
    written : str
        The text as the description has it.
    where : str
        Of which key it is, for messages.
    file : str, optional
        In which description it stands.

    Attributes
    ----------
    written : str
        May be shown, logged and kept.
    names : tuple of str
        The variables.

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
        """Return what the variables hold now.

        Raises
        ------
        FormatError
            If the environment does not have one, or only an empty one.
        """
        held = []
        for name in self.names:
            value = os.environ.get(name, "")
            if not value:
                raise FormatError(
                    file=self._file,
                    where=self._where,
                    found=f"${{{name}}}, which the environment does not have",
                    expected="an environment variable of that name",
                    hint=f"export {name}=…",
                )
            held.append(value)
        return held

    def reveal(self) -> str:
        """Return the text with the variables filled in."""
        held = dict(zip(self.names, self.values(), strict=True))
        return VARIABLE.sub(lambda match: held[match.group(1)], self.written)

    def __repr__(self) -> str:
        return f"<Secret {self.written!r}>"


def masked(text: str, values: Iterable[str]) -> str:
    r"""Return a text, such as a server's message, with secret values replaced.

    They are found as they are, and as they are written in addresses, JSON and HTML.

    Examples
    --------
    >>> masked("no such key: s3cret", ["s3cret"])
    'no such key: ***'
    >>> masked('/find?key=p%40ss%2fw "p@ss\\/w"', ["p@ss/w"])
    '/find?key=*** "***"'
    """
    held = tuple(sorted({value for value in values if len(value) >= _SHORTEST}, key=len))
    return _hiding(held).sub("***", text) if held else text


@lru_cache(maxsize=64)
def _hiding(values: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds some texts, the longest first."""
    return re.compile("|".join("".join(map(_ways, value)) for value in reversed(values)))


def _ways(sign: str) -> str:
    """Return what finds a sign however it is written."""
    if sign.isascii() and (sign.isalnum() or sign in "-_.~"):
        return re.escape(sign)
    try:
        in_address = quote(sign, safe="")
    except UnicodeEncodeError:
        # Half a character, which the environment may hold for bytes that are no UTF-8.
        in_address = sign
    ways = {json.dumps(sign)[1:-1], json.dumps(sign, ensure_ascii=False)[1:-1]}
    ways |= {f"\\u{ord(sign):04x}", escape(sign), f"&#{ord(sign)};", f"&#x{ord(sign):x};"}
    ways |= {in_address, sign} | ({"+"} if sign == " " else set())
    # The longest first: an escape is not cut in two.
    either = "|".join(
        re.escape(way) if way == sign else f"(?i:{re.escape(way)})"
        for way in sorted(ways, key=lambda way: (-len(way), way))
    )
    # JSON inside of JSON escapes the escapes.
    return rf"\\*(?:{either})"
