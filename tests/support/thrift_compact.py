"""A reader and writer of Thrift's compact protocol, to write wrong Parquet metadata."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
INTEGERS = (4, 5, 6)


@dataclass
class Field:
    """A field of a structure: its number, its type and its value."""

    id: int
    kind: int
    value: Any


@dataclass
class List:
    """A list and its declared length; None for the true length."""

    kind: int
    items: list[Any] = field(default_factory=list)
    claimed: int | None = None


@dataclass
class Struct:
    """A structure."""

    fields: list[Field] = field(default_factory=list)

    def __getitem__(self, id: int) -> Any:
        return self.at(id).value

    def at(self, id: int) -> Field:
        """Return a field by its number."""
        return next(field for field in self.fields if field.id == id)

    def put(self, id: int, kind: int, value: Any) -> None:
        """Set a field, which may be new."""
        self.fields = [field for field in self.fields if field.id != id]
        self.fields.append(Field(id, kind, value))
        self.fields.sort(key=lambda field: field.id)


def varint(value: int) -> bytes:
    """Return an unsigned integer encoded with seven bits per byte."""
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def zigzag(value: int) -> bytes:
    """Return a signed integer encoded with seven bits per byte."""
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


class Reader:
    """A reader of structures from bytes."""

    def __init__(self, content: bytes, at: int = 0) -> None:
        self.content, self.at = content, at

    def byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def take(self, length: int) -> bytes:
        self.at += length
        return bytes(self.content[self.at - length : self.at])

    def unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def integer(self) -> int:
        value = self.unsigned()
        return value >> 1 if value % 2 == 0 else -(value >> 1) - 1

    def value(self, kind: int) -> Any:
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind == BYTE:
            return self.byte()
        if kind in INTEGERS:
            return self.integer()
        if kind == DOUBLE:
            return self.take(8)
        if kind == BINARY:
            return self.take(self.unsigned())
        if kind in (LIST, SET):
            head = self.byte()
            size = head >> 4 if head >> 4 < 15 else self.unsigned()
            return List(head & 0xF, [self.value(head & 0xF) for _ in range(size)])
        assert kind == STRUCT, kind
        return self.struct()

    def struct(self) -> Struct:
        found, last = Struct(), 0
        while (head := self.byte()) & 0xF:
            last = last + (head >> 4) if head >> 4 else self.integer()
            found.fields.append(Field(last, head & 0xF, self.value(head & 0xF)))
        return found


def written(value: Any, kind: int = STRUCT) -> bytes:
    """Return a value as bytes."""
    if kind in (TRUE, FALSE):
        return b""
    if kind == BYTE:
        return bytes([value & 0xFF])
    if kind in INTEGERS:
        return zigzag(value)
    if kind == DOUBLE:
        return bytes(value)
    if kind == BINARY:
        return varint(len(value)) + value
    if kind in (LIST, SET):
        size = len(value.items) if value.claimed is None else value.claimed
        head = bytes([size << 4 | value.kind]) if size < 15 else bytes([0xF0 | value.kind])
        # Lists may have one item thousands of times.
        distinct = {id(item): item for item in value.items}
        items = {key: written(item, value.kind) for key, item in distinct.items()}
        own = b"".join(items[id(item)] for item in value.items)
        return head + (varint(size) if size >= 15 else b"") + own
    found, last = bytearray(), 0
    for each in value.fields:
        kind = (TRUE if each.value else FALSE) if each.kind in (TRUE, FALSE) else each.kind
        if 0 < each.id - last < 16:
            found.append((each.id - last) << 4 | kind)
        else:
            found += bytes([kind]) + zigzag(each.id)
        found += written(each.value, kind)
        last = each.id
    return bytes([*found, 0])


def footer(content: bytes) -> Struct:
    """Return the footer of a Parquet file."""
    length = int.from_bytes(content[-8:-4], "little")
    return Reader(content, len(content) - 8 - length).struct()


def with_footer(content: bytes, footer: Struct | bytes) -> bytes:
    """Return a Parquet file with a replaced footer."""
    length = int.from_bytes(content[-8:-4], "little")
    new = footer if isinstance(footer, bytes) else written(footer)
    return content[: len(content) - 8 - length] + new + len(new).to_bytes(4, "little") + b"PAR1"


def with_header(whole: bytes, change: Callable[[Struct], None], column: int = 0) -> bytes:
    """Return a Parquet file in which the first page of a column has a changed header."""
    found = footer(whole)
    chunks = [chunk[3] for group in found[4].items for chunk in group[1].items]
    own = chunks[column]
    starts = [field.value for field in own.fields if field.id in (9, 11)]
    reader = Reader(whole, min(starts))
    header = reader.struct()
    change(header)
    new = written(header)
    longer = len(new) - (reader.at - min(starts))
    own.at(7).value += longer
    for chunk in chunks:
        for each in chunk.fields:
            if each.id in (9, 11) and each.value > min(starts):
                each.value += longer
    return with_footer(whole[: min(starts)] + new + whole[reader.at :], found)


def lies(value: Any, chance: random.Random) -> list[Callable[[], None]]:
    """Return the possible wrong values of the numbers of a structure."""
    numbers = [-1, 0, 1, 7, 2**15, 2**31 - 1, 2**32 + 5, 2**40, 2**62]
    if isinstance(value, List):
        under = [lie for item in value.items for lie in lies(item, chance)]
        size = partial(setattr, value, "claimed", abs(chance.choice(numbers)) % 2**31)
        return [size, value.items.clear, *under]
    if not isinstance(value, Struct):
        return []
    found: list[Callable[[], None]] = []
    for each in value.fields:
        found.append(partial(drop, value, each))
        if type(each.value) is int:
            found.append(partial(setattr, each, "value", chance.choice(numbers)))
        elif isinstance(each.value, bytes):
            found.append(partial(setattr, each, "value", b"x" * chance.choice([0, 1, 5000])))
        else:
            found += lies(each.value, chance)
    return found


def drop(value: Struct, field: Field) -> None:
    """Remove a field."""
    value.fields = [each for each in value.fields if each is not field]


def lie(value: Struct, chance: random.Random) -> None:
    """Replace one or two numbers of a structure with wrong ones."""
    for change in chance.sample(lies(value, chance), chance.choice([1, 1, 2])):
        change()
