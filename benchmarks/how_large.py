"""How large it can get: measured rates and estimates for larger data and clusters.

    python benchmarks/how_large.py                          # print the tables of the page
    python benchmarks/how_large.py --machines 8 --rows 1e9  # the same for other assumptions
    python benchmarks/how_large.py --write                  # write docs/large-files.md

The rates are in ``rates.json`` in this folder. ``--measured target/bench/results.json`` first
updates them from the benchmark's results; name several files if it was run in pieces.
"""

from __future__ import annotations

import argparse
import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import rates
import scaling_tables
from extrapolation import Cluster, Data, Machine
from formatting import amount, digits, memory, span, table
from rates import Rate, bytes_each

PAGE = Path(__file__).resolve().parent.parent / "docs" / "large-files.md"
PART = re.compile(r"(<!-- printed: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
DATA = Data(rows=1e10, depth=100, judged=6)
MEMORY = 16e9


@dataclasses.dataclass(frozen=True)
class Case:
    """The input of the tables: rates, data and cluster."""

    measured: Mapping[str, Rate]
    data: Data = DATA
    cluster: Cluster = dataclasses.field(default_factory=Cluster)

    @property
    def judgment(self) -> float:
        """Bytes of memory per judgment."""
        return bytes_each(self.measured["judgments"], self.measured["judgments, quarter"])

    @property
    def ranked(self) -> float:
        """Bytes of memory per row of the query being measured."""
        return bytes_each(self.measured["one query"], self.measured["one query, quarter"])

    @property
    def query(self) -> float:
        """Bytes of memory per query in the result."""
        results = self.measured["results"]
        assert results.held is not None
        return results.held / results.rows


def setting(case: Case) -> Iterator[str]:
    """Yield a description of the measuring machine."""
    yield f"Measured on {case.measured['parquet'].where}, by `make bench-scale`."
    if any(rate.quick for rate in case.measured.values()):
        yield "Some rates are from a quick run or a busy machine."


def one_machine(case: Case) -> Iterator[str]:
    """Yield the measured rates."""
    jobs = {
        "parquet": "Parquet, 100 rows per query, to nDCG@10",
        "parquet, DuckDB": "the same in DuckDB, ties in any order",
        "three": "Parquet, the same run, to nDCG@10, AP and R@100",
        "three, DuckDB": "the same in DuckDB, ties in any order",
        "text": "TREC text, 1,000 rows per query, to nDCG@10",
        "spark": "Spark local[2], addresses of Parquet, to nDCG@10",
        "spark, frames": "Spark local[2], DataFrames of Parquet, to nDCG@10",
        "spark, first ranks": "the same with `counts=False`",
        "spark, windows": "the same with window functions",
        "spark, pandas": "the same with `applyInPandas`",
        "spark, three": "Spark local[2], addresses of Parquet, to nDCG@10, AP and R@100",
        "spark, three, frames": "Spark local[2], DataFrames of Parquet, to nDCG@10, AP and R@100",
        "spark, three, windows": "the same with window functions",
    }
    rows = []
    for name, job in jobs.items():
        if name in case.measured:
            rate = case.measured[name]
            each = f"{digits(rate.cpu_each * 1e6)} s"
            speed = amount(rate.rows_a_second)
            cells = [
                job,
                amount(rate.rows),
                span(rate.seconds),
                speed,
                each,
                memory(rate.peak_mb * 1e6),
            ]
            rows.append(cells)
    heads = ["job", "rows", "time", "rows per second", "CPU time per million rows", "peak memory"]
    yield from table(heads, rows)


def doubling(case: Case) -> Iterator[str]:
    """Yield the times of a quarter, a half and the whole of the largest run."""
    rows: list[list[str]] = []
    before: Rate | None = None
    for share in (4, 2, 1):
        rate = case.measured[f"doubling, {share}"]
        times = f"{rate.seconds / before.seconds:.2f}×" if before else ""
        rows.append([amount(rate.rows), span(rate.seconds), times, memory(rate.peak_mb * 1e6)])
        before = rate
    yield from table(["rows of Parquet", "time", "vs. half the rows", "peak memory"], rows)


def threads(case: Case) -> Iterator[str]:
    """Yield the times on 1 to 16 threads, measured or modeled."""
    yield f"On {case.measured['1 thread'].where}:"
    yield ""
    yield from scaling_tables.threads(case.measured)


def parquet_threads(case: Case) -> Iterator[str]:
    """Yield the times of the largest run on several threads."""
    yield from scaling_tables.parquet(case.measured)


def growth(case: Case) -> Iterator[str]:
    """Yield the processor times of several times as much of one thing each."""
    yield from scaling_tables.growth(case.measured)


def memory_use(case: Case) -> Iterator[str]:
    """Yield the memory per item, and how many items fit into 16 GB."""
    rows = [
        [what, f"{size:,.0f} bytes", amount(MEMORY / size)]
        for what, size in (
            ("judgment with integer ids", case.judgment),
            ("query in the result, one measure", case.query),
            ("row of the query that is being read", case.ranked),
        )
        if size > 0
    ]
    yield from table(["item", "memory", "fit into 16 GB"], rows)


def assumptions(case: Case) -> Iterator[str]:
    """Yield the measured values and the assumptions about data and machines."""
    spark = case.measured["spark, frames"]
    rows = [
        *(
            [
                f"CPU time per million rows in Spark, {how}",
                f"{digits(each.cpu_each * 1e6)} s",
                "measured",
            ]
            for how, each in spark_rates(case).items()
        ),
        ["bytes per row in the shuffle", f"{shuffled(spark):,.1f}", "measured"],
        ["rows per query", f"{case.data.depth:,.0f}", "assumed, as in the measurements"],
        ["judgments per query", f"{case.data.judged:,.0f}", "assumed, as in the measurements"],
    ]
    for field in dataclasses.fields(case.cluster):
        value, unit = getattr(case.cluster, field.name), field.metadata["unit"]
        rows.append([field.metadata["text"], f"{value:g} {unit}".strip(), "assumed"])
    yield from table(["quantity", "value", "source"], rows)


def cluster(case: Case) -> Iterator[str]:
    """Yield the parts of the time on the cluster."""
    ways = {how: spark_seconds(case, case.data, rate) for how, rate in spark_rates(case).items()}
    first = next(iter(ways.values()))
    rows = [[name, *(span(parts[name]) for parts in ways.values())] for name in first]
    sums = (f"**{span(sum(parts.values()))}**" for parts in ways.values())
    rows.append([f"**{amount(case.data.rows)} rows**", *sums])
    yield from table(["phase", *ways], rows)


def sizes(case: Case) -> Iterator[str]:
    """Yield estimates for runs of growing size, on one machine and on the cluster."""
    machines = [Machine(2), Machine(16)]
    cores = int(case.cluster.machines * case.cluster.cores)
    heads = [
        "rows",
        *(f"one machine, {machine.cores} cores" for machine in machines),
        "memory for judgments and results",
        *(f"Spark, {cores} cores, {how}" for how in spark_rates(case)),
        "driver memory for results",
    ]
    rows = []
    for count in (1e8, 1e9, 1e10, 1e11):
        data = dataclasses.replace(case.data, rows=count)
        needed = machines[0].memory(data, case.judgment, case.query)
        rows.append(
            [
                amount(count),
                *(span(machine.seconds(data, case.measured["parquet"])) for machine in machines),
                memory(needed),
                *(
                    span(sum(spark_seconds(case, data, rate).values()))
                    for rate in spark_rates(case).values()
                ),
                memory(data.queries * case.query),
            ]
        )
    yield from table(heads, rows)


PARTS: dict[str, Callable[[Case], Iterator[str]]] = {
    "setting": setting,
    "one_machine": one_machine,
    "doubling": doubling,
    "threads": threads,
    "parquet_threads": parquet_threads,
    "growth": growth,
    "memory_use": memory_use,
    "assumptions": assumptions,
    "cluster": cluster,
    "sizes": sizes,
}


def shuffled(rate: Rate) -> float:
    """Return the shuffled bytes per row of the run, including its share of the judgments."""
    assert rate.shuffled is not None
    return rate.shuffled / rate.rows


def spark_rates(case: Case) -> dict[str, Rate]:
    """Return the rates of Spark with a shuffle and, if measured, without one."""
    ways = {"with a shuffle": "spark, frames", "without a shuffle": "spark"}
    return {how: case.measured[name] for how, name in ways.items() if name in case.measured}


def spark_seconds(case: Case, data: Data, rate: Rate) -> dict[str, float]:
    """Return the parts of the time on the cluster."""
    return case.cluster.seconds(data, rate)


def printed(case: Case) -> dict[str, str]:
    """Return the text of every table by name."""
    return {name: "\n".join(part(case)) + "\n" for name, part in PARTS.items()}


def page(case: Case, text: str) -> str:
    """Return the text of a page with updated tables."""
    parts = printed(case)
    return PART.sub(lambda found: f"{found[1]}\n{parts[found[2]]}\n{found[3]}", text)


def parse_arguments(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--measured", type=Path, nargs="+", metavar="RESULTS", help="update the rates from these"
    )
    parser.add_argument("--write", action="store_true", help="write the tables into the page")
    for each in (DATA, Cluster()):
        for field in dataclasses.fields(each):
            text = field.metadata.get("text", f"{field.name} of the run")
            default = getattr(each, field.name)
            parser.add_argument(f"--{field.name}", type=float, default=default, help=text)
    return parser.parse_args(words)


def of(kind: Any, arguments: argparse.Namespace) -> Any:
    """Return a dataclass with the values of the command line."""
    return kind(
        **{field.name: getattr(arguments, field.name) for field in dataclasses.fields(kind)}
    )


def main() -> None:
    """Print the tables or write the page."""
    arguments = parse_arguments()
    if arguments.measured:
        print(f"updated: {', '.join(rates.take(arguments.measured))}")
    case = Case(rates.load(), of(Data, arguments), of(Cluster, arguments))
    if arguments.write:
        text = page(Case(rates.load()), PAGE.read_text(encoding="utf-8"))
        PAGE.write_text(text, encoding="utf-8")
        print(f"written: {PAGE}")
        return
    for name, text in printed(case).items():
        print(f"\n{name}\n{text}", end="")


if __name__ == "__main__":
    main()
