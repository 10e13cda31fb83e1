"""trec_eval's command line, for tests: in this process, with its output as bytes."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from gainful.compat.trec_eval import main

#: A tab, for tests whose text would hide one.
TAB = "\t"


class Ended(NamedTuple):
    """What a command did."""

    status: int
    out: str
    err: str


class Program:
    """Runs the command on files of a folder."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[bytes]) -> None:
        self.folder = folder
        self._capture = capture

    def write(self, **texts: str) -> None:
        """Write files of these names; ``"qrels"`` and ``"run"`` are those that `__call__` reads."""
        for name, text in texts.items():
            (self.folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))

    def __call__(self, words: str = "", files: str = "qrels run", compat: int = 9) -> Ended:
        """Run the command with these words, and return how it ended."""
        self._capture.readouterr()
        status = main(["--compat", str(compat), *words.split(), *files.split()])
        out, err = self._capture.readouterr()
        return Ended(
            status, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape")
        )
