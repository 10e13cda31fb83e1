"""Small files, and the functions that read them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Reader", "lines", "text", "zipped"]


class Reader(NamedTuple):
    """A file's name, possible contents, and the function that reads it.

    Some functions write files next to it, or return an exit status: `only_content` says that their
    results follow from its content alone, not from errors of the system.
    """

    name: str
    seeds: tuple[bytes, ...]
    read: Callable[[Path], object]
    only_content: bool = False


def text(*contents: str | dict[str, Any] | list[Any]) -> tuple[bytes, ...]:
    plain = (each if isinstance(each, str) else json.dumps(each) for each in contents)
    return tuple(each.encode() for each in plain)


def lines(*records: Any) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def zipped(name: str, content: str, how: int = zipfile.ZIP_DEFLATED) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", how) as archive:
        archive.writestr(name, content)
    return sink.getvalue()
