"""The tables of threads and of growth, from the rates of the row `scaling`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from extrapolation import Threads
from formatting import amount, digits, memory, span, table
from rates import GROWN, Rate

NUMBERS = (1, 2, 4, 8, 16)


def named(number: int) -> str:
    return f"{number} thread" if number == 1 else f"{number} threads"


def model(measured: Mapping[str, Rate]) -> Threads:
    """Return the model of the run on several threads, from the processor times on one."""
    one = measured[named(1)]
    assert one.size is not None
    fixed = measured["first query"].cpu_seconds
    return Threads(fixed, one.cpu_seconds - fixed)


def bandwidth(measured: Mapping[str, Rate]) -> float:
    """Return the bytes per second at which memory is read, by one thread or all.

    On a busy machine it is that of one thread, from its processor time.
    """
    found = [measured.get(f"memory, {named(number)}") for number in NUMBERS]
    idle = [rate.size / rate.seconds for rate in found if rate and rate.size and not rate.quick]
    one = measured[f"memory, {named(1)}"]
    assert one.size is not None
    return max(idle, default=one.size / one.cpu_seconds)


def threads(measured: Mapping[str, Rate]) -> Iterator[str]:
    """Yield the time on each number of threads: measured, and modeled from one thread.

    Of rates of a busy machine, only the processor times count.
    """
    whole, size = model(measured), measured[named(1)].size
    assert size is not None
    limit = bandwidth(measured)
    rows = []
    for number in NUMBERS:
        found = measured.get(named(number))
        modeled = whole.seconds(number)
        seconds = modeled if found is None or found.quick else found.seconds
        rows.append(
            [
                str(number),
                "" if found is None or found.quick else span(found.seconds),
                span(modeled),
                f"{digits(whole.seconds(1) / modeled)}×",
                f"{memory(size / seconds)}/s",
                f"{digits(100 * size / seconds / limit)}%",
            ]
        )
    heads = ["threads", "measured", "modeled", "speedup of the model", "input read"]
    yield from table([*heads, f"of the rate of memory, {memory(limit)}/s"], rows)


def parquet(measured: Mapping[str, Rate]) -> Iterator[str]:
    """Yield the time of the largest run in Parquet on each measured number of threads."""
    found = {number: measured.get(f"parquet, {named(number)}") for number in NUMBERS}
    one = found[1]
    assert one is not None
    rows = [
        [
            str(number),
            span(rate.seconds),
            f"{digits(one.seconds / rate.seconds)}×",
            amount(rate.rows_a_second),
            memory(rate.peak_mb * 1e6),
        ]
        for number, rate in found.items()
        if rate is not None
    ]
    yield from table(["threads", "time", "speedup", "rows per second", "peak memory"], rows)


def growth(measured: Mapping[str, Rate]) -> Iterator[str]:
    """Yield the processor time without startup of a collection, and of more of one thing each."""
    fixed = measured["first query"].cpu_seconds
    names = {name: name.removeprefix(GROWN) for name in measured if name.startswith(GROWN)}
    base = next(name for name in names if "×" in name)
    rows = []
    for name in sorted(names, key=lambda name: (name != base, len(names[name]), name)):
        seconds = measured[name].cpu_seconds
        times = (seconds - fixed) / (measured[base].cpu_seconds - fixed)
        rows.append([names[name], span(seconds), "" if name == base else f"{digits(times)}×"])
    yield from table(["collection", "CPU time", "without startup, vs. the first line"], rows)
