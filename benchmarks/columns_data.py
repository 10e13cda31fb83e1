"""Large runs in Parquet, generated once: all parts or the first of them."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

GENERATOR = Path(__file__).with_name("generate_columns.py")


@dataclass(frozen=True)
class ColumnsData:
    """The first `taken` of the `parts` files of a run with this number of `queries`."""

    folder: Path
    queries: int
    depth: int
    parts: int
    taken: int

    @property
    def qrels(self) -> str:
        """The glob pattern of the judgments, for Gainful and DuckDB."""
        return self._files("qrels")

    @property
    def run(self) -> str:
        """The glob pattern of the run, for Gainful and DuckDB."""
        return self._files("run")

    @property
    def rows(self) -> int:
        """The number of rows of the run."""
        return self.queries * self.depth * self.taken // self.parts

    @property
    def answers(self) -> list[float]:
        """The means of nDCG@10, AP and R@100."""
        queries = self.rows // self.depth
        sums = [part["sums"] for part in self._parts()]
        return [sum(column) / queries for column in zip(*sums, strict=True)]

    @property
    def judgments(self) -> int:
        """The number of judgments."""
        return sum(part["judgments"] for part in self._parts())

    @property
    def bytes(self) -> int:
        """The size of the run on disk, in bytes."""
        files = sorted((self.folder / "run").iterdir())[: self.taken]
        return sum(file.stat().st_size for file in files)

    def first(self, parts: int) -> ColumnsData:
        """Return the data of the first parts only."""
        return replace(self, taken=parts)

    def _parts(self) -> list[dict[str, Any]]:
        content = json.loads((self.folder / "answers.json").read_text(encoding="ascii"))
        return list(content[: self.taken])

    def _files(self, name: str) -> str:
        if self.taken == 1:
            return str(self.folder / name / "part-0.parquet")
        return str(self.folder / name / f"part-[0-{self.taken - 1}].parquet")


def prepare(queries: int, depth: int, parts: int, parent: Path, python: Path) -> ColumnsData:
    """Return a run of `queries` × `depth` under `parent`; generate it if it does not exist."""
    assert parts <= 10, "one digit per part"
    digest = hashlib.sha256(GENERATOR.read_bytes()).hexdigest()[:8]
    folder = parent / f"columns-{queries}x{depth}-{parts}-{digest}"
    if not (folder / "answers.json").exists():
        for old in parent.glob(f"columns-{queries}x{depth}-*"):
            shutil.rmtree(old)
        print(f"generating {folder.name} ...", file=sys.stderr, flush=True)
        folder.mkdir(parents=True)
        words = [python, GENERATOR, folder, str(queries), str(depth), str(parts)]
        subprocess.run(words, check=True)
    return ColumnsData(folder, queries, depth, parts, parts)
