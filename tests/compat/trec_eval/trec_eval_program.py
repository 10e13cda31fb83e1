"""The command line of gainful trec_eval in this process, with its output as bytes."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from gainful.compat.trec_eval import main

#: A tab, for tests whose source text would hide it.
TAB = "\t"


class Ended(NamedTuple):
    """The exit status and output of a command."""

    status: int
    out: str
    err: str


class Program:
    """A runner of the command on files of a folder."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[bytes]) -> None:
        self.folder = folder
        self._capture = capture

    def write(self, **texts: str) -> None:
        """Write files with these names; `__call__` reads ``"qrels"`` and ``"run"``."""
        for name, text in texts.items():
            (self.folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))

    def __call__(self, words: str = "", files: str = "qrels run", compat: int = 9) -> Ended:
        """Run the command with these arguments; return its status and output."""
        self._capture.readouterr()
        status = main(["--compat", str(compat), *words.split(), *files.split()])
        out, err = self._capture.readouterr()
        return Ended(
            status, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape")
        )
