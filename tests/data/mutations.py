"""Random changes to the bytes of a file."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random

from structured import restructured

__all__ = ["changed", "compressed", "mutated"]

#: Difficult input for readers: bytes that are not text, numbers out of range, line ends, unmatched
#: quotes and brackets, partial characters.
PIECES = (
    *(
        b"\0",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"\xff",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\xc3",
        b"\xed\xa0\x80",
    ),
    *(
        b"\\ud83d",
        b"\\u0000",
        b"\\",
        b'"',
        b"'",
        b'""',
        b"\xe2\x80\xa8",
        b"\xc2\x85",
        b"\x1c",
        b"\v",
    ),
    *(b"{", b"}", b"[", b"]", b"<", b">", b"</", b"&#1114112;", b"&#xd800;", b"&#0;", b"<!--"),
    *(b",", b";", b"\t", b" ", b":", b"=", b"#", b"-", b".", b"%", b"e", b"{{", b"}}"),
    *(b"null", b"true", b"NaN", b"Infinity", b"-1", b"0", b"1e999", b"1_0", "١".encode(), b"1.5"),
    *(b"[]", b"{}", b'""', b"[[[[1]]]]", b'{"a": {"a": {}}}', b"9" * 25),
    *(b"9" * 400, b"9" * 5000, b"x" * 140_000, b"[" * 3000, b'{"a":' * 3000),
)


def changed(content: bytes, chance: random.Random) -> bytes:
    """Return contents with a few random changes."""
    made = bytearray(content)
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        place = chance.randrange(len(made) + 1)
        length = chance.choice([0, 0, 1, 2, 5, 20])
        kind = chance.randrange(8)
        if kind <= 2:
            made[place : place + length] = chance.choice(PIECES)
        elif kind == 3 and made:
            made[place % len(made)] ^= 1 << chance.randrange(8)
        elif kind == 4:
            del made[place : place + 1 + length]
        elif kind == 5:
            made[place:place] = made[place : place + 1 + length * 3]
        elif kind == 6:
            del made[place:]
        else:
            lines = bytes(made).split(b"\n")
            chance.shuffle(lines)
            made = bytearray(b"\n".join(lines))
    return bytes(made)


def compressed(content: bytes, chance: random.Random) -> bytes:
    """Return compressed contents, intact, changed and truncated."""
    made = chance.choice([gzip.compress, bz2.compress, lzma.compress])(content)
    return changed(made, chance) if chance.random() < 0.8 else made


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Return contents with one kind of change."""
    change = chance.choices([changed, restructured, compressed], [5, 4, 1])[0]
    return change(content, chance)
