"""Read mutated files with every reader for some minutes or longer, and print how many of each.

    python tests/data/fuzz_readers.py --minutes 10

Any bytes must give a value or a `GainfulError`. The seeds of `reader_seeds` are changed at random;
Parquet and Arrow files get wrong numbers in their metadata. Processes with 8 GB of memory read
them, so that a crash is noticed. An input that fails is kept in the folder of ``--keep``.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "support")]

#: The longest turn of a reader in seconds.
SECONDS = 20.0
#: The seconds that a file may take, on a busy machine.
SLOW = 120.0
#: A fork has what is imported; Gainful starts no threads before it reads.
CONTEXT = multiprocessing.get_context("fork" if sys.platform.startswith("linux") else "spawn")
#: What a process leaves next to the file that it reads.
COUNTS, STDERR = "counts.json", "stderr"


class Target(NamedTuple):
    """A reader with a function that makes a file for it."""

    name: str
    make: Callable[[random.Random], bytes]
    read: Callable[[Path], object]


@cache
def targets() -> dict[str, Target]:
    """Return the readers by name."""
    import gainful
    from columnar_files import ARROW, PARQUET, mutant
    from mutations import mutated
    from reader_seeds import READERS

    found = {}
    for name, reader in READERS.items():

        def make(chance: random.Random, seeds: tuple[bytes, ...] = reader.seeds) -> bytes:
            return mutated(chance.choice(seeds), chance)

        found[name] = Target(reader.name, make, reader.read)
    qrels = {f"q{query}": {f"d{query}": 1} for query in range(6)}
    for name, content in {**PARQUET, **ARROW}.items():
        whole = content()
        found[f"run, {name}"] = Target(
            name,
            lambda chance, whole=whole: mutant(whole, chance),  # type: ignore[misc]
            lambda path: gainful.evaluate(qrels, path, ["nDCG@10", "AP"], threads=1),
        )
        found[f"judgments, {name}"] = Target(
            name,
            lambda chance, whole=whole: mutant(whole, chance),  # type: ignore[misc]
            gainful.read_qrels,
        )
    return found


def work(name: str, first: int, seconds: float, folder: Path) -> None:
    """Read files until the time is over, and write the counts; a process of its own runs this."""
    import warnings

    from gainful.errors import GainfulError

    warnings.simplefilter("ignore")
    os.dup2(os.open(folder / STDERR, os.O_WRONLY | os.O_CREAT), 2)
    if sys.platform.startswith("linux"):
        import resource

        from limited_memory import ADDRESSES

        resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    target = targets()[name]
    path = folder / target.name
    end = time.monotonic() + seconds
    number, count = first, Counter[str]()
    while time.monotonic() < end:
        path.write_bytes(target.make(random.Random(f"{name} {number}")))
        try:
            target.read(path)
            count["read"] += 1
        except GainfulError as error:
            assert str(error), number
            count["refused"] += 1
        number += 1
    (folder / COUNTS).write_text(json.dumps(count))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--only", default="", help="readers whose name contains this text")
    parser.add_argument("--keep", type=Path, default=Path("target/fuzz"))
    parser.add_argument("--first", type=int, default=0, help="the number of the first file")
    given = parser.parse_args()
    names = [name for name in targets() if given.only in name]
    if not names:
        parser.error(f"no reader's name contains {given.only!r}")
    each = min(given.minutes * 60 / len(names), SECONDS)
    end = time.monotonic() + given.minutes * 60
    totals: dict[str, Counter[str]] = {name: Counter() for name in names}
    failed = 0
    while time.monotonic() < end:
        # Every reader has its turn, also if the starts of the processes take longer.
        for name in names:
            count = totals[name]
            first = given.first + sum(count.values())
            failed += run(name, first, each, given.keep, count)
    width = max(map(len, names))
    print(f"{'reader':{width}}  {'files':>9}  {'read':>9}  {'refused':>9}")
    for name, count in [*totals.items(), ("all", sum(totals.values(), Counter()))]:
        files = count["read"] + count["refused"]
        print(f"{name:{width}}  {files:9,}  {count['read']:9,}  {count['refused']:9,}")
    print(f"{failed} failed" + (f"; see {given.keep}" if failed else ""))
    return 1 if failed else 0


def run(name: str, first: int, seconds: float, keep: Path, count: Counter[str]) -> int:
    """Run a process; add its counts, or keep the file that ended it and return 1."""
    with TemporaryDirectory() as written:
        folder = Path(written)
        process = CONTEXT.Process(target=work, args=(name, first, seconds, folder))
        process.start()
        process.join(seconds + SLOW)
        if process.exitcode == 0:
            count.update(json.loads((folder / COUNTS).read_text()))
            return 0
        if process.exitcode is None:
            process.kill()
            process.join()
            why = f"the file took more than {SLOW:g} seconds\n"
        else:
            why = f"status {process.exitcode}\n{(folder / STDERR).read_text()}"
        keep.mkdir(parents=True, exist_ok=True)
        kept = keep / f"{name.replace(' ', '-').replace(',', '')}-{os.urandom(3).hex()}"
        for path in folder.iterdir():
            if path.is_file() and path.name != STDERR:
                (kept.parent / f"{kept.name}-{path.name}").write_bytes(path.read_bytes())
        kept.with_suffix(".txt").write_text(why)
        print(f"{name}: failed, see {kept}.txt\n{why[-2000:]}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
