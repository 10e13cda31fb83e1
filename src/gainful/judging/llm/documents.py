"""The parts of long documents that a model reads."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Long", "count_tokens", "parts_of"]

#: The bytes of a token, which are between 3 and 5 for most languages and tokenizers.
_BYTES = 4
_LEFT_OUT = "\n[…]\n"


class Long(StrEnum):
    """What a model reads of a document that is longer than the maximum.

    Attributes
    ----------
    HEAD
        The beginning.
    HEAD_TAIL
        The beginning and the end, half of the maximum each.
    PASSAGES
        All consecutive passages, one request each; the grade is the highest of their grades.
    """

    HEAD = "head"
    HEAD_TAIL = "head-tail"
    PASSAGES = "passages"


def count_tokens(text: str) -> int:
    """Return an estimate of the number of tokens of a text: a quarter of its bytes.

    Examples
    --------
    >>> count_tokens("red shoes for running")
    6
    """
    return -(-len(text.encode("utf-8", "surrogateescape")) // _BYTES)


def parts_of(text: str, long: Long, most: int) -> list[str]:
    r"""Return what a model reads of a document: one part, or its passages.

    Parameters
    ----------
    text : str
        The document.
    long : Long
        The policy for documents that are longer.
    most : int
        The maximum number of tokens of a part, as `count_tokens` estimates them.

    Examples
    --------
    >>> parts_of("one two three four five six", Long.HEAD, 3)
    ['one two']
    >>> parts_of("one two three four five six", Long.HEAD_TAIL, 4)
    ['one two\n[…]\nfive six']
    >>> parts_of("one two three four five six", Long.PASSAGES, 3)
    ['one two', 'three four', 'five six']
    """
    if count_tokens(text) <= most:
        return [text]
    if long is Long.HEAD:
        return [_head(text, most * _BYTES)]
    if long is Long.HEAD_TAIL:
        half = most * _BYTES // 2
        return [_head(text, half) + _LEFT_OUT + _head(text[::-1], half)[::-1]]
    parts = []
    while text:
        part = _head(text, most * _BYTES)
        parts.append(part)
        text = text[len(part) :].lstrip()
    return parts


def _head(text: str, size: int) -> str:
    """Return the first bytes of a text, up to the end of a word."""
    content = text.encode("utf-8", "surrogateescape")
    if len(content) <= size:
        return text
    characters = len(content[: max(size, 4)].decode("utf-8", "ignore")) or 1
    head = text[:characters]
    if head[-1].isspace() or text[characters : characters + 1].isspace():
        return head.rstrip()
    words = head.rstrip().rsplit(None, 1)
    # A text without spaces is cut anywhere.
    return words[0] if len(words) == 2 else head
