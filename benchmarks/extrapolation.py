"""Estimate the time of larger runs from measured rates and the assumptions in this file.

The model adds the parts, without overlap: processor time, writing, reading and sending the shuffle,
waiting for the longest task, sending results to the driver, and startup.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rates import Rate

#: Bytes of judgments that `evaluate` keeps in memory; more are stored on disk.
JUDGMENTS_MEMORY = 1 << 30


def assumed(default: float, text: str, unit: str = "") -> float:
    """Return a field of `Cluster` with its description and unit."""
    value: float = field(default=default, metadata={"text": text, "unit": unit})
    return value


@dataclass(frozen=True)
class Data:
    """The size of a run and its judgments."""

    rows: float
    depth: float  # rows per query
    judged: float  # judgments per query

    @property
    def queries(self) -> float:
        return self.rows / self.depth

    @property
    def judgments(self) -> float:
        return self.queries * self.judged


@dataclass(frozen=True)
class Cluster:
    """A cluster, with the assumptions about its machines."""

    machines: float = assumed(32, "machines")
    cores: float = assumed(8, "cores per machine, as fast as the measured ones")
    busy: float = assumed(0.7, "CPU utilization")
    network: float = assumed(1.25, "network per machine, each way", "GB/s")
    disk: float = assumed(0.5, "disk per machine, reading or writing", "GB/s")
    tasks: float = assumed(4, "tasks per core, after the shuffle")
    skew: float = assumed(3, "rows of the largest task, as a multiple of the mean")
    row: float = assumed(200, "bytes per query sent to the driver")
    start: float = assumed(30, "starting executors and planning", "s")

    def seconds(self, data: Data, rate: Rate) -> dict[str, float]:
        """Return the parts of the time of an evaluation, in seconds.

        `rate` is the measured rate of Spark, with the bytes that it shuffled.
        """
        assert rate.shuffled is not None
        cores = self.machines * self.cores
        shuffled = data.rows * rate.shuffled / rate.rows / self.machines
        away = (self.machines - 1) / self.machines
        task = data.rows / (cores * self.tasks) * rate.cpu_each / self.busy
        return {
            "computing": data.rows * rate.cpu_each / (cores * self.busy),
            "writing and reading the shuffle": 2 * shuffled / (self.disk * 1e9),
            "sending the shuffle": shuffled * away / (self.network * 1e9),
            "waiting for the largest task": (self.skew - 1) * task,
            "sending results to the driver": data.queries * self.row / (self.network * 1e9),
            "starting": self.start,
        }


@dataclass(frozen=True)
class Machine:
    """One machine, with the assumptions about it."""

    cores: int
    scaling: float = 0.8  # fraction of a linear speedup
    disk: float = 1.0  # GB/s of compressed Parquet

    def seconds(self, data: Data, rate: Rate) -> float:
        """Return the seconds: reading and measuring overlap, so the slower one counts."""
        assert rate.size is not None
        more = 1.0 if self.cores == rate.cores else self.cores / rate.cores * self.scaling
        measuring = data.rows / rate.rows_a_second / more
        return max(measuring, data.rows * rate.size / rate.rows / (self.disk * 1e9))

    def memory(self, data: Data, judgment: float, query: float) -> float:
        """Return the bytes of memory of judgments and rows of queries."""
        return min(data.judgments * judgment, JUDGMENTS_MEMORY) + data.queries * query


@dataclass(frozen=True)
class Threads:
    """A job on one machine: startup and judgments, then queries that are independent of each other.

    All threads are assumed to have a processor each, as fast as when one of them works.
    """

    fixed: float  # seconds that one thread works, for a run of any size
    divided: float  # seconds of processor time that threads share

    def seconds(self, threads: int) -> float:
        """Return the seconds on a number of threads."""
        return self.fixed + self.divided / threads
