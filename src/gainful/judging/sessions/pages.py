"""Read the rows of an SQLite file from its pages, also if it is damaged."""

from __future__ import annotations

import struct
from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    Value: TypeAlias = int | float | str | bytes | None

__all__ = ["rows_of_pages"]

_INTERIOR_INDEX, _LEAF_INDEX, _LEAF_TABLE = 2, 10, 13

#: The number of bytes of an integer, by its type.
_WIDTHS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


def rows_of_pages(path: str) -> Iterator[tuple[int | None, list[Value]]]:
    """Yield row number and values of each row that can be read; index entries have no number.

    Pages are read one by one (https://sqlite.org/fileformat2.html), those of the write-ahead log up
    to its last commit too. Rows can repeat, and include deleted and replaced ones.
    """
    with open(path, "rb") as stream:
        content = stream.read()
    size = int.from_bytes(content[16:18]) if content.startswith(b"SQLite format 3\0") else 4096
    size = 65536 if size == 1 else size if size >= 512 and size & (size - 1) == 0 else 4096
    pages = {
        offset // size + 1: content[offset : offset + size]
        for offset in range(0, len(content) - size + 1, size)
    }
    logged = {**pages, **_logged_pages(f"{path}-wal", size)}
    for number, page in pages.items():
        yield from _Pages(pages, size).rows(number, page)
    for number, page in logged.items():
        if page is not pages.get(number):
            yield from _Pages(logged, size).rows(number, page)


def _logged_pages(path: str, size: int) -> dict[int, bytes]:
    try:
        with open(path, "rb") as stream:
            content = stream.read()
    except OSError:
        return {}
    committed: dict[int, bytes] = {}
    waiting: dict[int, bytes] = {}
    for offset in range(32, len(content) - size - 23, size + 24):
        number, is_commit = struct.unpack_from(">II", content, offset)
        # Frames of an earlier log have other salts.
        if content[offset + 8 : offset + 16] != content[16:24]:
            break
        waiting[number] = content[offset + 24 : offset + 24 + size]
        if is_commit:
            committed |= waiting
            waiting.clear()
    return committed


@dataclass(frozen=True)
class _Pages:
    """The pages of a file by number, and the size of a page."""

    pages: dict[int, bytes]
    size: int

    def rows(self, number: int, page: bytes) -> Iterator[tuple[int | None, list[Value]]]:
        start = 100 if number == 1 else 0
        kind = page[start]
        if kind not in (_INTERIOR_INDEX, _LEAF_INDEX, _LEAF_TABLE):
            return
        pointers = start + (12 if kind == _INTERIOR_INDEX else 8)
        count = int.from_bytes(page[start + 3 : start + 5])
        for offset in range(pointers, min(pointers + 2 * count, self.size - 1), 2):
            try:
                yield self._row(kind, page, int.from_bytes(page[offset : offset + 2]))
            except (LookupError, ValueError, struct.error):
                continue  # The cell is damaged.

    def _row(self, kind: int, page: bytes, offset: int) -> tuple[int | None, list[Value]]:
        length, offset = _varint(page, offset + (4 if kind == _INTERIOR_INDEX else 0))
        number = None
        if kind == _LEAF_TABLE:
            number, offset = _varint(page, offset)
        return number, _values(self._payload(kind, page, offset, length))

    def _payload(self, kind: int, page: bytes, offset: int, length: int) -> bytes:
        """Return the bytes of a row, which can continue on further pages."""
        # Gainful's files have no reserved bytes at the ends of pages.
        least = (self.size - 12) * 32 // 255 - 23
        most = self.size - 35 if kind == _LEAF_TABLE else (self.size - 12) * 64 // 255 - 23
        local = length
        if length > most:
            local = least + (length - least) % (self.size - 4)
            local = local if local <= most else least
        parts = [page[offset : offset + local]]
        missing = length - local
        following = page[offset + local : offset + local + 4]
        while missing > 0:
            further = self.pages.get(int.from_bytes(following))
            if further is None:
                raise ValueError("a page is missing")
            parts.append(further[4 : 4 + missing])
            missing -= len(parts[-1])
            following = further[:4]
        return b"".join(parts)


def _values(payload: bytes) -> list[Value]:
    end, offset = _varint(payload, 0)
    kinds = []
    while offset < end:
        kind, offset = _varint(payload, offset)
        kinds.append(kind)
    values: list[Value] = []
    for kind in kinds:
        width = _WIDTHS.get(kind, 8 if kind == 7 else max(0, (kind - 12) // 2))
        field = payload[offset : offset + width]
        offset += width
        if len(field) < width:
            raise ValueError("the row is cut")
        if kind in _WIDTHS:
            values.append(int.from_bytes(field, signed=True))
        elif kind == 7:
            values.append(struct.unpack(">d", field)[0])
        elif kind >= 12:
            values.append(field.decode() if kind % 2 else field)
        else:
            values.append({0: None, 8: 0, 9: 1}[kind])
    return values


def _varint(data: bytes, offset: int) -> tuple[int, int]:
    """Return an integer of 1 to 9 bytes, and where the next value begins."""
    value = 0
    for count in range(8):
        byte = data[offset + count]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, offset + count + 1
    return value << 8 | data[offset + 8], offset + 9
