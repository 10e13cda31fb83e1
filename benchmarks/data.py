"""The collections of the benchmark, generated once."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

GENERATOR = Path(__file__).with_name("generate.py")


@dataclass(frozen=True)
class Recipe:
    """The parameters of a collection: keywords of ``generate.generate``."""

    queries: int
    depth: int
    judged: float = 1.1
    runs: int = 1
    shuffled: bool = False
    seed: int = 20_160_713

    def scaled(self, factor: float) -> Recipe:
        """Return the recipe with the number of queries multiplied by `factor`."""
        return Recipe(**{**asdict(self), "queries": max(1, round(self.queries * factor))})


@dataclass(frozen=True)
class Answer:
    """The nDCG@10 of a run, with its minimum and maximum over all orders of ties."""

    exact: float
    low: float
    high: float


@dataclass(frozen=True)
class Collection:
    """A generated collection on disk."""

    folder: Path
    recipe: Recipe

    @property
    def qrels(self) -> Path:
        return self.folder / "qrels.txt"

    @property
    def run(self) -> Path:
        return self.folder / "run01.txt"

    @property
    def runs(self) -> list[Path]:
        return [self.folder / f"run{n:02d}.txt" for n in range(1, self.recipe.runs + 1)]

    @property
    def shuffled(self) -> Path:
        return self.folder / "shuffled.txt"

    @property
    def rows(self) -> int:
        """The number of lines in one run."""
        return self.recipe.queries * self.recipe.depth

    @property
    def answers(self) -> list[Answer]:
        content = json.loads((self.folder / "answers.json").read_text(encoding="ascii"))
        return [Answer(a["nDCG@10"], a["low"], a["high"]) for a in content.values()]


def prepare(recipe: Recipe, parent: Path, python: Path) -> Collection:
    """Return the collection of `recipe` under `parent`; generate it if it does not exist.

    The folder's name contains the recipe and the version of the generator, so a change of either
    generates new files.
    """
    words = json.dumps(asdict(recipe), sort_keys=True)
    digest = hashlib.sha256(GENERATOR.read_bytes() + words.encode()).hexdigest()[:8]
    folder = parent / f"{recipe.queries}x{recipe.depth}-{recipe.runs}-{digest}"
    collection = Collection(folder, recipe)
    if (folder / "answers.json").exists():
        return collection
    print(f"generating {folder.name} ...", file=sys.stderr, flush=True)
    for old in parent.glob(f"{recipe.queries}x{recipe.depth}-{recipe.runs}-*"):
        shutil.rmtree(old)
    folder.mkdir(parents=True)
    subprocess.run([python, GENERATOR, folder, words], check=True)
    return collection
