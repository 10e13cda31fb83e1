"""Parse the values of a setting from a command line."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.sweeps.points import Range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["parse_values"]

_CLOSES = {"[": "]", '"': '"', "'": "'"}


def parse_values(name: str, text: str) -> list[Any] | Range:
    """Return the values, or the range, in a text.

    Parameters
    ----------
    name : str
        The setting, for messages.
    text : str
        Values separated by commas: numbers, ``true``, ``false``, lists and quoted texts as in TOML,
        otherwise plain texts. Or a range: ``1..8``, ``0.1..10:log``.

    Raises
    ------
    ParameterError
        For an empty value, or an unclosed bracket or quote.

    Examples
    --------
    >>> parse_values("boost", "1,2.5,4"), parse_values("operator", "and,or")
    ([1, 2.5, 4], ['and', 'or'])
    >>> parse_values("fields", '["title","body^2"],["title"]')
    [['title', 'body^2'], ['title']]
    >>> parse_values("boost", "0.1..10:log")
    Range(0.1, 10, log=True)
    """
    found = _range(text)
    if found is not None:
        return found
    from gainful.systems.description.reading import setting_value

    pieces = _pieces(name, text)
    for piece in pieces:
        if not piece:
            raise ParameterError(
                where=f"--set {name}",
                found=repr(text),
                expected="values separated by commas, as in 1,2,4",
                hint='write "" for an empty text',
            )
    return [setting_value(piece) for piece in pieces]


def _range(text: str) -> Range | None:
    low, dots, high = text.partition("..")
    end, _, kind = high.partition(":")
    if not dots or kind not in ("", "log"):
        return None
    ends = [_number(low), _number(end)]
    if ends[0] is None or ends[1] is None:
        return None
    return Range(ends[0], ends[1], log=kind == "log")


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def _pieces(name: str, text: str) -> list[str]:
    """Split a text at commas outside of brackets and quotes."""
    pieces, start = [], 0
    open_ones: list[str] = []
    for at, char in enumerate(text):
        if open_ones and char == open_ones[-1]:
            open_ones.pop()
        elif open_ones and open_ones[-1] in "\"'":
            continue
        elif char == "[" or (char in "\"'" and (open_ones or not text[start:at].strip())):
            open_ones.append(_CLOSES[char])
        elif char == "," and not open_ones:
            pieces.append(text[start:at].strip())
            start = at + 1
    if open_ones:
        raise ParameterError(f"{text!r} lacks a closing {open_ones[-1]}", where=f"--set {name}")
    pieces.append(text[start:].strip())
    return pieces
