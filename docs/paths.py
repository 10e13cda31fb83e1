"""Compare every way to evaluate with a reference on real runs, query by query.

``.venv/bin/python docs/paths.py`` evaluates two runs of the TREC 2003 Robust track on all paths of
``tests/support/paths_of_evaluation``. Their files are in ../shared, next to the clone. It takes
about two minutes, and writes the table into reliability.md, between ``<!-- paths -->`` and
``<!-- end -->``. ``--print`` prints the table instead, and ``--runs NAME...`` selects others of the
eight runs. ``--clusters`` compares Spark, Ray and Dask instead, if they are installed, and prints.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tests" / "support"), str(HERE.parent / "tools" / "engines")]

from paths_of_evaluation import PATHS, REFERENCE, clusters  # noqa: E402
from paths_of_evaluation.path import Path as Way  # noqa: E402
from paths_of_evaluation.robust import CONVENTIONS, PAGE_RUNS, robust  # noqa: E402
from paths_of_evaluation.trying import Reference, tried  # noqa: E402

PAGE = HERE / "reliability.md"
PART = re.compile(r"(<!-- paths -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass
class Line:
    """The result of a path on all runs."""

    name: str
    tolerance: float | None
    values: int = 0
    farthest: float = 0.0
    wrong: list[str] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)


def compare_paths(folder: Path, names: Sequence[str], ways: Sequence[Way]) -> list[Line]:
    """Compare paths with the reference, on runs in a folder."""
    lines = {way.name: Line(way.name, way.tolerance) for way in ways}
    with tempfile.TemporaryDirectory() as name:
        temporary = Path(name)
        for run in names:
            collection = robust(folder, run)
            reference = Reference(REFERENCE, lambda: Path(tempfile.mkdtemp(dir=temporary)))
            for way in ways:
                line = lines[way.name]
                with tempfile.TemporaryDirectory(dir=temporary) as own:
                    found = tried(way, collection, reference, Path(own), CONVENTIONS)
                line.values += found.values
                line.farthest = max(line.farthest, found.farthest)
                line.wrong += [f"{run}, {label}: {said}" for label, said in found.wrong.items()]
                line.refused |= {str(reason) for reason in found.refused.values()}
                sys.stderr.write(f"{run}: {way.name}\n")
    return list(lines.values())


def table(lines: Sequence[Line]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| path | values compared | largest error | not supported |"
    yield "|---|---|---|---|"
    for line in lines:
        gap = f"{line.farthest:.0e}" if line.farthest else "0"
        yield (
            f"| {line.name} | {line.values:,} | {gap} | {', '.join(sorted(line.refused)) or '–'} |"
        )


def written(page: str, lines: Sequence[Line]) -> str:
    """Return a page with its table."""
    text = "\n".join(table(lines))
    return PART.sub(lambda match: f"{match[1]}\n{text}\n\n{match[2]}", page)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", nargs="+", metavar="NAME", default=PAGE_RUNS)
    parser.add_argument("--print", action="store_true", help="print the table, write nothing")
    parser.add_argument(
        "--clusters", action="store_true", help="compare Spark, Ray and Dask, and print"
    )
    arguments = parser.parse_args()
    folder = HERE.parent.parent / "shared" / "data" / "robust03"
    if arguments.clusters:
        with (
            tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as short,
            clusters.all_started(short) as ways,
        ):
            lines = compare_paths(folder, arguments.runs, ways)
    else:
        lines = compare_paths(folder, arguments.runs, list(PATHS.values()))
    wrong = [f"{line.name}: {each}" for line in lines for each in line.wrong]
    if wrong:
        sys.exit("\n".join(["Not the same:", *wrong]))
    if arguments.print or arguments.clusters:
        sys.stdout.write("\n".join(table(lines)) + "\n")
    else:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), lines), encoding="utf-8")
        sys.stderr.write(f"Written: {PAGE}\n")


if __name__ == "__main__":
    main()
