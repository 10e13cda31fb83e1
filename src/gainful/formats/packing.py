"""Pack columns of whole numbers, with gzip and in 85 letters, for the scripts of a page."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence

import numpy as np

from gainful.writing import compressed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["from_text", "pack_columns", "to_letters", "to_text", "unpack_columns"]

#: The 91 visible letters except `"`, `&` and `<`, so that a page needs no escapes. Two of them have
#: 13 bits, which is 8% more than in base64.
_LETTERS = np.array([code for code in range(33, 127) if chr(code) not in '"&<'], np.uint8)
_BITS = 13


def to_text(content: bytes) -> str:
    """Compress bytes with gzip, and return them as text.

    Examples
    --------
    >>> to_text(b"lentil soup")[:4]
    '.+F-'
    """
    return to_letters(b"".join(compressed(content, "gz", level=6)))


def to_letters(content: bytes) -> str:
    """Return bytes as text, two letters per 13 bits.

    A letter more means that the last byte is none.
    """
    packed = np.frombuffer(content, np.uint8)
    missing = -8 * len(packed) % _BITS
    bits = np.append(np.unpackbits(packed), np.zeros(missing, np.uint8))
    numbers = bits.reshape(-1, _BITS) @ (1 << np.arange(_BITS - 1, -1, -1))
    pairs = np.stack(np.divmod(numbers, len(_LETTERS)), axis=1)
    letters: bytes = _LETTERS[pairs].tobytes()
    return letters.decode("ascii") + "!" * (missing >= 8)


def pack_columns(
    header: Mapping[str, object], columns: Mapping[str, Sequence[int] | NDArray[np.integer]]
) -> bytes:
    """Return a header and columns of whole numbers from 0 as bytes.

    The length of the header as 4 bytes, the header as JSON, then the columns. Its key ``columns``
    has the name, the length and the number of bytes per number of each. A column is stored by
    bytes: the lowest byte of each number, then the second, and so on, which compresses better than
    number by number.
    """
    described, parts = [], []
    for name, column in columns.items():
        values = np.asarray(column, np.int64)
        highest = int(values.max(initial=0))
        width = max(1, (highest.bit_length() + 7) // 8)
        described.append([name, len(values), width])
        by_byte = values.astype("<i8").view(np.uint8).reshape(len(values), 8)[:, :width]
        parts.append(by_byte.T.tobytes())
    text = json.dumps(
        {**header, "columns": described}, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    content = text.encode("utf-8", "backslashreplace")
    return b"".join([len(content).to_bytes(4, "little"), content, *parts])


def from_text(text: str) -> bytes:
    """Return the bytes that `to_text` packed.

    Examples
    --------
    >>> from_text(to_text(b"lentil soup"))
    b'lentil soup'
    """
    places = np.zeros(128, np.int64)
    places[_LETTERS] = np.arange(len(_LETTERS))
    letters = places[np.frombuffer(text.encode("ascii"), np.uint8)]
    first, second = letters[: len(letters) // 2 * 2].reshape(-1, 2).T
    numbers = first * len(_LETTERS) + second
    bits = (numbers[:, None] >> np.arange(_BITS - 1, -1, -1)) & 1
    length = len(numbers) * _BITS // 8 - len(letters) % 2
    return gzip.decompress(np.packbits(bits.astype(np.uint8).ravel()).tobytes()[:length])


def unpack_columns(content: bytes) -> tuple[dict[str, object], dict[str, NDArray[np.int64]]]:
    """Return the header and the columns that `pack_columns` packed.

    Examples
    --------
    >>> header, columns = unpack_columns(pack_columns({"unit": "ms"}, {"times": [3, 700]}))
    >>> header["unit"], columns["times"].tolist()
    ('ms', [3, 700])
    """
    start = 4 + int.from_bytes(content[:4], "little")
    header = json.loads(content[4:start])
    columns = {}
    for name, length, width in header["columns"]:
        column_bytes = np.frombuffer(content, np.uint8, length * width, start).reshape(
            width, length
        )
        start += length * width
        columns[name] = sum(
            (column_bytes[place].astype(np.int64) << (8 * place) for place in range(width)),
            np.zeros(length, np.int64),
        )
    return header, columns
