"""Options for slices of queries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.mark.parametrize("command", ["compare", "find-unjudged"])
def test_several_attributes_slice_the_queries(
    small_files: Path, output_of: Callable[..., str], command: str
) -> None:
    lines = (small_files / "qrels.txt").read_text().splitlines()
    queries = sorted({line.split()[0] for line in lines})
    rows = [f"{query}\t{'ab'[at % 2]}\t{'cd'[at % 3 == 0]}" for at, query in enumerate(queries)]
    (small_files / "kinds.tsv").write_text("\n".join(["query_id\tkind\tlength", *rows]) + "\n")
    words = [command, "qrels.txt", "bm25.run", "dense.run", "-m", "nDCG@10"]
    printed = output_of(*words, "--by", "kinds.tsv:kind", "--by", "kinds.tsv:length")
    assert "kind, length" in printed
    for name in ("kind: a", "kind: b", "length: c"):
        assert name in printed
