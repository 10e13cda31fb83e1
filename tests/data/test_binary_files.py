"""Binary files where text is expected: attributes, weights, classes, texts and values."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from gainful.cli import main
from repeated_tests import for_each

BINARY = {
    "a.parquet": (b"PAR1\x15\x04\x15\x18kind\n", "a Parquet file, not text"),
    "a.feather": (b"ARROW1\0\0", "an Arrow file, not text"),
    "a.xlsx": (b"PK\x03\x04\x14\0[Content_Types].xml", "an Excel workbook or a zip archive"),
    "a.pdf": (b"%PDF-1.4\n", "a PDF file, not text"),
    "a.bin": (b"query,kind\0\n", "binary data, not text"),
}


OPTIONS = ["--by", "--weights", "--same", "--queries", "--clusters", "explain --docs"]


@for_each(
    ("name", "option"),
    # A zip archive of texts is read.
    [pair for pair in product(BINARY, OPTIONS) if pair != ("a.xlsx", "explain --docs")],
)
def test_a_binary_file_is_named(
    name: str, option: str, small_files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, message = BINARY[name]
    Path(name).write_bytes(content)
    command, _, option = option.rpartition(" ")
    assert main([command or "evaluate", "qrels.txt", "bm25.run", option, name]) == 2
    assert message in capsys.readouterr().err
