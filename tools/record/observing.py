"""What is stored of a step: what it prints and writes, without what differs between runs."""

from __future__ import annotations

import gzip
import hashlib
import html
import json
import re
from pathlib import Path
from typing import Any

__all__ = ["Observer"]

#: Longer texts are stored as their beginning and a digest.
LONGEST = 8_000
BEGINNING = 30

_TAGS = re.compile(r"(?s)<(script|style)\b.*?</\1>|<[^>]*>")
_WIDTHS = re.compile(r"([ ─])\1+")
_PATTERNS = [
    (re.compile(r"\b(127\.0\.0\.1|localhost|\[::1\]):\d{4,5}\b"), r"\1:PORT"),
    (re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?"), "TIME"),
    (re.compile(r"\b\d+(\.\d+)? (µs|ms|s|seconds?)\b"), "DURATION"),
    # Of several that are equal, one is printed.
    (re.compile(r"DURATION to DURATION"), "DURATION"),
    (re.compile(r'"latency": \{[^}]*\}'), '"latency": "DURATION"'),
    (re.compile(r'"seconds": [0-9.e-]+'), '"seconds": "DURATION"'),
    # Of files that contain times.
    (re.compile(r'"sha256": "[0-9a-f]{64}"'), '"sha256": "DIGEST"'),
    (re.compile(r"\b0x[0-9a-f]{6,}\b"), "ADDRESS"),
    (re.compile(r"\.gainful-[A-Za-z0-9_]+"), ".gainful-RANDOM"),
]


class Observer:
    """Describes what is in the folder of a session, and what its steps print.

    Parameters
    ----------
    replaced
        Texts that depend on the machine, such as the folder, by what is stored instead.
    """

    def __init__(self, replaced: dict[str, str]) -> None:
        self._replaced = dict(sorted(replaced.items(), key=lambda pair: -len(pair[0])))

    def describe_text(self, content: bytes) -> Any:
        """Return text as it is stored: JSON as parsed, long text as its beginning and a digest."""
        text = self.clean(content.decode("utf-8", "backslashreplace"))
        if text.lstrip()[:1] in ("{", "["):
            try:
                parsed = {"json": json.loads(text)}
            except ValueError:
                parsed = None
            if parsed is not None:
                return parsed if len(text) <= 4 * LONGEST else shorten(text)
        if text.lstrip()[:9].lower() == "<!doctype":
            return {"html": shorten(visible(text)), "sha256": digest(text)}
        return shorten(text)

    def clean(self, text: str) -> str:
        """Return a text without what differs between runs."""
        for name, stored in self._replaced.items():
            text = text.replace(name, stored)
        for pattern, stored in _PATTERNS:
            text = pattern.sub(stored, text)
        # The columns of a table are as wide as the durations in it.
        return _WIDTHS.sub(r"\1", text) if "DURATION" in text else text

    def describe_file(self, path: Path) -> Any:
        """Return what is stored of a file."""
        content = path.read_bytes()
        if path.name.endswith(("-wal", "-shm")):
            return {"binary": "SQLite"}
        if content.startswith(b"\x1f\x8b"):
            return {"gzip": self.describe_text(gzip.decompress(content))}
        if content.startswith((b"\x28\xb5\x2f\xfd", b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")):
            return self._describe_columns(content)
        if content.startswith((b"SQLite format 3", b"\x89PNG", b"PK", b"%PDF", b"BZh", b"\xfd7z")):
            return {"binary": content[1:4].decode("latin-1")}
        if b"<svg" in content[:500]:
            return {"svg": shorten(visible(self.clean(content.decode("utf-8", "replace"))))}
        if b"\0" in content:
            return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()[:16]}
        return self.describe_text(content)

    def _describe_columns(self, content: bytes) -> Any:
        """Return the rows of Parquet and Arrow files, and the text of Zstandard files."""
        import pyarrow
        from pyarrow import ipc, parquet

        source = pyarrow.BufferReader(content)
        if content.startswith(b"\x28\xb5\x2f\xfd"):
            return {
                "zstd": self.describe_text(pyarrow.CompressedInputStream(source, "zstd").read())
            }
        if content.startswith(b"PAR1"):
            table = parquet.read_table(source)
        elif content.startswith(b"ARROW1"):
            table = ipc.open_file(source).read_all()
        else:
            table = ipc.open_stream(source).read_all()
        types = {field.name: str(field.type) for field in table.schema}
        rows = "".join(f"{list(row.values())}\n" for row in table.to_pylist())
        return {"columns": types, "rows": shorten(self.clean(rows))}


def snapshot(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Return what tells whether a file of a folder changed, by name."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            status = path.stat()
            name = path.relative_to(folder).as_posix()
            found[name] = (status.st_mtime_ns, status.st_size, status.st_ino)
    return found


def visible(text: str) -> str:
    """Return the text of a page that a reader sees, without markup, scripts and styles."""
    words = html.unescape(_TAGS.sub("\n", text))
    return "\n".join(" ".join(line.split()) for line in words.splitlines() if line.strip())


def shorten(text: str) -> Any:
    """Return a text, or the beginning and a digest of a long one."""
    if len(text) <= LONGEST:
        return text
    beginning = "\n".join(line[:200] for line in text.splitlines()[:BEGINNING])
    return {"beginning": beginning, "characters": len(text), "sha256": digest(text)}


def digest(text: str) -> str:
    """Return a digest of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
