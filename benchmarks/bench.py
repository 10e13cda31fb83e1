"""The context of every row: paths of Gainful, the peers and the data, and the sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import columns_data
import gainful_command
from columns_data import ColumnsData
from compare import Process
from data import Collection, Recipe, prepare
from peers import Peers

SUBJECTS = Path(__file__).parent / "subjects"
QUICK_SCALE = 1 / 20


@dataclass(frozen=True)
class Bench:
    """The settings of one run of the benchmark. `gainful` is None if only peers are timed."""

    gainful: Path | None
    peers: Peers
    folder: Path
    quick: bool
    ranx: bool

    def collection(self, recipe: Recipe, *, scaled: bool = True) -> Collection:
        """Return the data of `recipe`; if `scaled`, a quick run gets a twentieth of it."""
        if self.quick and scaled:
            recipe = recipe.scaled(QUICK_SCALE)
        return prepare(recipe, self.folder, self.peers.python)

    def columns(self, queries: int, *, depth: int = 100, parts: int = 1) -> ColumnsData:
        """Return a run in Parquet; in a quick run with a twentieth of the queries or rows."""
        if self.quick and queries > 1:
            queries = round(queries * QUICK_SCALE)
        elif self.quick:
            depth = round(depth * QUICK_SCALE)
        return columns_data.prepare(queries, depth, parts, self.folder, self.peers.python)

    def rounds(self, count: int) -> int:
        """Return the number of rounds: `count`, at most three in a quick run."""
        return min(count, 3) if self.quick else count

    @property
    def python(self) -> Path:
        """The Python for measuring Python's own startup: Gainful's, so both start the same way."""
        return self.gainful or self.peers.python

    def script(self, name: str, *arguments: str | Path) -> list[str | Path]:
        """Return the command that runs a script of `subjects` with the peers' Python."""
        return [self.peers.python, SUBJECTS / name, *arguments]

    def gainful_script(self, name: str, *arguments: str | Path) -> list[str | Path]:
        """Return the command that runs a script of `subjects` with Gainful's Python."""
        assert self.gainful is not None
        return [self.gainful, SUBJECTS / name, *arguments]

    def gainful_files(
        self,
        name: str,
        qrels: Path,
        runs: Sequence[Path],
        expected: Sequence[float],
        *,
        runs_each_round: int = 1,
    ) -> list[Process]:
        """Return the subject that evaluates files with `gainful`; empty if only peers are timed."""
        if self.gainful is None:
            return []
        command = gainful_command.evaluate(self.gainful, qrels, runs)
        return [
            Process(
                name,
                command,
                gainful_command.read_means,
                expected=expected,
                runs_each_round=runs_each_round,
            )
        ]

    def trec_eval(self, qrels: Path, run: Path) -> list[str | Path]:
        """Return trec_eval's command for nDCG@10."""
        assert self.peers.trec_eval is not None
        return [self.peers.trec_eval, "-m", "ndcg_cut.10", qrels, run]

    def ir_measures(self, qrels: Path, run: Path) -> list[str | Path]:
        """Return ir_measures' command for nDCG@10, with more digits than its default."""
        return [self.peers.bin / "ir_measures", "--places", "12", qrels, run, "nDCG@10"]


def last_number(output: str) -> list[float]:
    """Return the last number in the output of trec_eval, ir_measures or a script."""
    return [float(output.split()[-1])]


def all_numbers(output: str) -> list[float]:
    """Return the numbers that a script printed, one per line."""
    return [float(line) for line in output.split()]
