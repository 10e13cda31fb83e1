"""Keep the code of test modules between runs: pytest rewrites their assertions in each process.

pytest itself would keep it in folders next to the tests, where nothing is written.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
from _pytest.assertion import rewrite

__all__ = ["keep_code", "stored"]

#: What comes before the code says of which source it is, for the files that pytest does not write.
Rewrite = Callable[[Path, Any], tuple[Any, CodeType]]


def stored(rewrite_module: Rewrite, folder: Path) -> Rewrite:
    """Return a function that reads from a folder what has been rewritten from the same source."""
    versions = f"{pytest.__version__} {sys.version}".encode()

    def read_or_rewrite(path: Path, config: Any) -> tuple[Any, CodeType]:
        name = hashlib.sha256(str(path).encode()).hexdigest()
        digest = hashlib.sha256(versions + path.read_bytes()).digest()
        file = folder / name
        content = file.read_bytes() if file.exists() else b""
        if content.startswith(digest):
            return None, marshal.loads(content[len(digest) :])
        version, code = rewrite_module(path, config)
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{name}.{os.getpid()}"
        part.write_bytes(digest + marshal.dumps(code))
        part.replace(file)
        return version, code

    return read_or_rewrite


def keep_code(folder: Path) -> None:
    """Make pytest keep the code of the modules that it rewrites in a folder."""
    rewrite._rewrite_test = stored(rewrite._rewrite_test, folder)  # type: ignore[assignment]
