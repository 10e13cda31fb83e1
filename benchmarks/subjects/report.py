"""Whole process: write an HTML report with `gainful report` to a new file.

Prints the mean of each system, computed from the values in the page, and on the last line the size
of the page in million bytes.

Usage: report.py QRELS RUN...
"""

from __future__ import annotations

import base64
import gzip
import math
import re
import struct
import sys
import tempfile
from pathlib import Path

from gainful.cli import main as gainful


def main(qrels: str, *runs: str) -> None:
    """Write the page, and print its means and size."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        status = gainful(["report", qrels, *runs, "-m", "nDCG@10", "-o", str(path)])
        if status:
            sys.exit(status)
        page = path.read_text(encoding="utf-8")
        size = path.stat().st_size
    found = re.search(r'id="block-scores-0">([^<]*)<', page)
    assert found is not None
    raw = gzip.decompress(base64.b64decode(found[1]))
    values = struct.unpack(f"<{len(raw) // 8}d", raw)
    n = len(values) // len(runs)
    for at in range(len(runs)):
        own = values[at * n : (at + 1) * n]
        print(repr(math.fsum(own) / n))
    print(size / 1e6)


if __name__ == "__main__":
    main(*sys.argv[1:])
