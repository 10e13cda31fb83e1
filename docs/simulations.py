"""Simulate the error rates of the tests of `gainful.inference`.

``python docs/simulations.py`` runs ten thousand simulations of each study, which takes some
minutes, and writes the tables into statistics.md, between ``<!-- simulated: NAME -->`` and
``<!-- end -->``. ``--simulations 500 --print`` prints less precise tables sooner, and ``--pairs``
runs only the tests of all pairs.

The simulations use real differences of nDCG@10: between runs of the TREC 2003 Robust track if their
files are in ../shared, next to the clone, and otherwise between the demo's systems.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

import simulated_errors
import simulated_pairs
import simulated_skew
from simulated_queries import (
    Queries,
    compared_systems,
    demo_queries,
    real_queries,
    robust_queries,
)

__all__ = ["PAGE", "SIMULATIONS", "demo_queries", "robust_queries", "simulate", "written"]

PAGE = Path(__file__).resolve().parent / "statistics.md"
PART = re.compile(r"(<!-- simulated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
SIMULATIONS = 10_000


@dataclass(frozen=True)
class Tables:
    """The results: rates with limits, and rates for information."""

    errors: list[simulated_errors.Rate]
    pairs: list[simulated_pairs.Comparison]
    skew: list[simulated_skew.Rates]


def simulate(queries: Queries, simulations: int = SIMULATIONS) -> Tables:
    """Run all studies with a fixed seed."""
    random = np.random.default_rng(20_031_121)
    return Tables(
        errors=list(simulated_errors.studies(queries, simulations, random)),
        pairs=pairs_studies(simulations),
        skew=list(simulated_skew.studies(queries, simulations, random)),
    )


def pairs_studies(simulations: int) -> list[simulated_pairs.Comparison]:
    """Run the studies of all pairs, which have their own seed."""
    return list(simulated_pairs.studies(compared_systems(), simulations))


def errors_table(tables: Tables) -> Iterator[str]:
    """Yield the lines of the table of rates with limits."""
    yield "| test | data | queries | error rate | at most |"
    yield "|---|---|---|---|---|"
    for rate in tables.errors:
        least = f"{percent(rate.least)} to " if rate.least is not None else ""
        yield (
            f"| {rate.what} | {rate.where} | {rate.queries} | {percent(rate.found)}"
            f" | {least}{percent(rate.most)} |"
        )


def pairs_table(tables: Tables) -> Iterator[str]:
    """Yield the lines of the table of tests for all pairs."""
    yield (
        "| systems | queries | family-wise error: max-T | family-wise error: Tukey"
        " | true differences detected: max-T | true differences detected: Tukey |"
    )
    yield "|---" * 6 + "|"
    for each in tables.pairs:
        rates = [*each.errors.values(), *each.found.values()]
        yield f"| {each.systems} | {each.queries} | {' | '.join(map(percent, rates))} |"


def size_table(tables: Tables) -> Iterator[str]:
    """Yield the lines of the table of rejection rates, Gainful's and SciPy's."""
    names = list(tables.skew[0].size)
    yield from _with_scipy(names, [(rates.queries, rates.size) for rates in tables.skew])


def coverage_table(tables: Tables) -> Iterator[str]:
    """Yield the lines of the table of coverage, Gainful's and SciPy's."""
    names = list(tables.skew[0].coverage)
    yield from _with_scipy(names, [(rates.queries, rates.coverage) for rates in tables.skew])


PARTS: dict[str, Callable[[Tables], Iterator[str]]] = {
    "errors": errors_table,
    "pairs": pairs_table,
    "size": size_table,
    "coverage": coverage_table,
}


def _with_scipy(
    names: list[str], rows: list[tuple[int, dict[str, tuple[float, float]]]]
) -> Iterator[str]:
    yield "| queries | " + " | ".join(names) + " |"
    yield "|---" * (len(names) + 1) + "|"
    for queries, rates in rows:
        cells = " | ".join(
            f"{percent(ours)} ({percent(scipys)})" for ours, scipys in rates.values()
        )
        yield f"| {queries} | {cells} |"


def percent(rate: float) -> str:
    """Return a rate as a percentage with two digits."""
    return f"{100 * rate:.2f}%"


def written(page: str, tables: Tables, names: Collection[str] = tuple(PARTS)) -> str:
    """Return a page with the named tables replaced."""

    def part(match: re.Match[str]) -> str:
        if match[2] not in names:
            return match[0]
        lines = "\n".join(PARTS[match[2]](tables))
        return f"{match[1]}\n{lines}\n\n{match[3]}"

    return PART.sub(part, page)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--simulations", type=int, default=SIMULATIONS, metavar="N")
    parser.add_argument("--print", action="store_true", help="print the tables, write nothing")
    parser.add_argument("--pairs", action="store_true", help="only the tests for all pairs")
    arguments = parser.parse_args()
    names = ["pairs"] if arguments.pairs else list(PARTS)
    if arguments.pairs:
        tables = Tables([], pairs_studies(arguments.simulations), [])
    else:
        queries = real_queries()
        sys.stderr.write(f"Differences of {queries.origin}.\n")
        tables = simulate(queries, arguments.simulations)
    if arguments.print:
        for name in names:
            sys.stdout.write(f"{name}\n" + "\n".join(PARTS[name](tables)) + "\n\n")
    else:
        page = written(PAGE.read_text(encoding="utf-8"), tables, names)
        PAGE.write_text(page, encoding="utf-8")
        sys.stderr.write(f"Written: {PAGE}\n")


if __name__ == "__main__":
    main()
