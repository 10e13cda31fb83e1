"""Finds the numbers in the metadata of Arrow files and streams, to replace them with wrong ones.

The metadata are flatbuffers: tables with offsets to their fields. The fields are those of Arrow's
``File.fbs``, ``Message.fbs`` and ``Schema.fbs``.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Number", "lied", "numbers"]

#: By table, the fields in order: a format of `struct`, a table, a list of one of these, or unknown.
TABLES: dict[str, tuple[str, ...]] = {
    "Footer": ("h", "Schema", "[block]", "[block]", "[KeyValue]"),
    "Message": ("h", "B", "Header", "q", "[KeyValue]"),
    "RecordBatch": ("q", "[node]", "[buffer]", "Compression", "[q]"),
    "DictionaryBatch": ("q", "RecordBatch", "B"),
    "Compression": ("b", "b"),
    "Schema": ("h", "[Field]", "[KeyValue]", "[q]"),
    "Field": ("text", "B", "B", "Type", "Dictionary", "[Field]", "[KeyValue]"),
    "Dictionary": ("q", "Type", "B", "h"),
    "Type": ("i", "B"),
    "KeyValue": ("text", "text"),
}
STRUCTS = {"block": ("q", "i", "i", "q"), "node": ("q", "q"), "buffer": ("q", "q")}
#: The kinds of messages, by the number in the field before.
HEADERS = {1: "Schema", 2: "DictionaryBatch", 3: "RecordBatch"}


class Number(NamedTuple):
    """The place and the format of a number."""

    at: int
    format: str


def _table(content: bytes, at: int, name: str) -> Iterator[Number]:
    yield Number(at, "i")
    places = at - struct.unpack_from("<i", content, at)[0]
    size, _ = struct.unpack_from("<HH", content, places)
    yield from (Number(places, "H"), Number(places + 2, "H"))
    header = ""
    for field, kind in enumerate(TABLES[name]):
        entry = places + 4 + 2 * field
        if entry >= places + size:
            break
        yield Number(entry, "H")
        (offset,) = struct.unpack_from("<H", content, entry)
        if not offset:
            continue
        if name == "Message" and field == 1:
            header = HEADERS.get(content[at + offset], "")
        yield from _value(content, at + offset, header if kind == "Header" else kind)


def _value(content: bytes, at: int, kind: str) -> Iterator[Number]:
    if len(kind) == 1:
        yield Number(at, kind)
        return
    yield Number(at, "I")
    target = at + struct.unpack_from("<I", content, at)[0]
    if kind in TABLES:
        yield from _table(content, target, kind)
    elif kind.startswith("["):
        yield Number(target, "I")
        yield from _items(content, target, kind[1:-1])
    elif kind:
        yield Number(target, "I")


def _items(content: bytes, at: int, kind: str) -> Iterator[Number]:
    (count,) = struct.unpack_from("<I", content, at)
    place = at + 4
    for _ in range(count):
        if kind in STRUCTS:
            for format in STRUCTS[kind]:
                yield Number(place, format)
                place += struct.calcsize(f"<{format}")
        elif kind in TABLES:
            yield from _value(content, place, kind)
            place += 4
        else:
            yield Number(place, kind)
            place += struct.calcsize(f"<{kind}")


def numbers(content: bytes) -> list[Number]:
    """Return the numbers in the metadata of a file or stream."""
    found: list[Number] = []
    at = 0
    if content.startswith(b"ARROW1"):
        at = 8
        (size,) = struct.unpack_from("<i", content, len(content) - 10)
        start = len(content) - 10 - size
        found.append(Number(len(content) - 10, "i"))
        found += _table(content, start + struct.unpack_from("<I", content, start)[0], "Footer")
    while at + 8 <= len(content):
        mark, size = struct.unpack_from("<Ii", content, at)
        if mark != 0xFFFFFFFF or size <= 0:
            break
        root = at + 8 + struct.unpack_from("<I", content, at + 8)[0]
        found += [Number(at, "I"), Number(at + 4, "i"), Number(at + 8, "I")]
        found += _table(content, root, "Message")
        at += 8 + size + _body(content, root)
    # Tables share their lists of offsets.
    return list(dict.fromkeys(found))


def _body(content: bytes, root: int) -> int:
    """Return the length of the body of a message."""
    places = root - struct.unpack_from("<i", content, root)[0]
    if struct.unpack_from("<H", content, places)[0] < 12:
        return 0
    (offset,) = struct.unpack_from("<H", content, places + 10)
    return int(struct.unpack_from("<q", content, root + offset)[0]) if offset else 0


_LIES = (-1, 0, 1, 2, 7, 100, 2**15, 2**31 - 1, 2**32 + 5, 2**40, 2**62)


def lied(content: bytes, places: list[Number], chance: random.Random) -> bytes:
    """Return a file with one or two wrong numbers in its metadata."""
    made = bytearray(content)
    for number in chance.sample(places, chance.choice([1, 1, 2])):
        bits = 8 * struct.calcsize(f"<{number.format}")
        if chance.random() < 0.3:
            (old,) = struct.unpack_from(f"<{number.format}", made, number.at)
            lie = old + chance.choice([-8, -1, 1, 4, 8])
        else:
            lie = chance.choice(_LIES)
        made[number.at : number.at + bits // 8] = (lie % (1 << bits)).to_bytes(bits // 8, "little")
    return bytes(made)
