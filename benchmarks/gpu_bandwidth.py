"""Measure the formulas on arrays as a fraction of a device's memory bandwidth.

    python benchmarks/gpu_bandwidth.py                       # PyTorch on the first GPU
    python benchmarks/gpu_bandwidth.py --library jax --lists 100000 --items 1000
    python benchmarks/gpu_bandwidth.py --library numpy       # the same on the CPU

The reference is the rate of copying an array within the device's memory: bytes read and written per
second. Each measure must read its grades and scores at least once; its rate is these bytes per
second, and its fraction is this rate divided by the copy's. Measures of scores have to sort, which
reads and writes the data several times, so the fraction of a sort, also printed, is their limit.

First, the values are compared with Gainful's kernel.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import gainful
from gainful.backends import arrays


class Library:
    """An array library: operations to move arrays to its device, wait, copy and sort."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.wait: Callable[[Any], object] = lambda array: None
        if name == "numpy":
            self.put, self.copy, self.sort = np.asarray, np.copy, lambda a: np.argsort(a, axis=-1)
            self.device = "the processor"
        elif name == "torch":
            import torch

            self.put = lambda array: torch.as_tensor(array, device="cuda")
            self.copy = torch.clone
            self.sort = lambda array: torch.argsort(array, dim=-1, stable=True)
            self.wait = lambda array: torch.cuda.synchronize()
            self.device = torch.cuda.get_device_name(0)
        elif name == "cupy":
            import cupy

            self.put, self.copy = cupy.asarray, cupy.copy
            self.sort = lambda array: cupy.argsort(array, axis=-1)
            self.wait = lambda array: cupy.cuda.get_current_stream().synchronize()
            found = cupy.cuda.runtime.getDeviceProperties(0)["name"]
            self.device = found.decode()
        else:
            import jax
            import jax.numpy

            self.put = jax.numpy.asarray
            # A compiler removes the addition of 0, and might remove a copy.
            self.copy = jax.jit(lambda array: array + 1)
            self.sort = jax.jit(lambda array: jax.numpy.argsort(array, axis=-1, stable=True))
            self.wait = jax.block_until_ready
            self.device = str(jax.devices()[0])

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function of arrays, compiled if the library can compile."""
        if self.name != "jax":
            return function
        import jax

        return jax.jit(function)


def median_time(library: Library, call: Callable[[], Any], repeats: int) -> float:
    """Return the median time of a call in seconds, after two warm-up calls."""
    times = []
    for turn in range(repeats + 2):
        library.wait(None) if library.name != "jax" else None
        start = time.perf_counter()
        library.wait(call())
        if turn >= 2:
            times.append(time.perf_counter() - start)
    return statistics.median(times)


def on_host(array: Any) -> Any:
    """Return an array as a NumPy array."""
    if hasattr(array, "cpu"):
        return array.cpu().numpy()
    return array.get() if hasattr(array, "get") else np.asarray(array)


def main() -> int:
    """Measure, print a table, and write the numbers to ``--output``."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--library", choices=("numpy", "torch", "cupy", "jax"), default="torch")
    parser.add_argument("--lists", type=int, default=200_000)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    library = Library(given.library)

    random = np.random.default_rng(0)
    shape = (given.lists, given.items)
    host_grades = random.integers(0, 5, shape, dtype=np.int8).astype(np.float32)
    host_scores = random.random(shape, dtype=np.float32)
    # Some ties, as in quantized scores.
    host_scores = np.round(host_scores * 4096) / np.float32(4096)
    grades, scores = library.put(host_grades), library.put(host_scores)

    few = slice(0, 200)
    expected = gainful.ndcg(host_grades[few], scores=host_scores[few], k=given.k)
    found = on_host(arrays.ndcg(grades[few], scores=scores[few], k=given.k))
    worst = float(abs(found - expected).max())
    if worst > 1e-5:
        print(f"nDCG differs from the kernel's by {worst:.1e}", file=sys.stderr)
        return 1

    size = 4 * given.lists * given.items
    k = given.k
    jobs: dict[str, tuple[Callable[[], Any], int]] = {}

    def job(name: str, moved: int, function: Callable[..., Any], *inputs: Any) -> None:
        call = library.compiled(function)
        jobs[name] = (lambda: call(*inputs)), moved

    jobs["copy"] = (lambda: library.copy(grades)), 2 * size
    jobs["sort of the scores"] = (lambda: library.sort(scores)), 2 * size
    job(f"DCG@{k} in rank order", 4 * k * given.lists, lambda g: arrays.dcg(g, k=k), grades)
    job("DCG in rank order", size, arrays.dcg, grades)
    job("AP in rank order", size, arrays.average_precision, grades)
    job(f"nDCG@{k} in rank order", size, lambda g: arrays.ndcg(g, k=k), grades)
    for ties in ("given", "expected"):
        job(
            f"nDCG@{k} of scores, ties {ties}",
            2 * size,
            lambda g, s, ties=ties: arrays.ndcg(g, scores=s, k=k, ties=ties),
            grades,
            scores,
        )
    rates = {}
    for name, (call, moved) in jobs.items():
        seconds = median_time(library, call, given.repeats)
        rates[name] = {"seconds": seconds, "bytes": moved, "rate": moved / seconds}
    scale = rates["copy"]["rate"]
    print(
        f"{given.library} on {library.device}: {given.lists} lists of {given.items} 32-bit floats"
    )
    print(f"nDCG@{k} of 200 lists equals the kernel's within {worst:.1e}")
    print(f"{'':34} {'time':>10} {'GB/s':>8} {'of the copy':>12}")
    for name, rate in rates.items():
        rate["fraction"] = rate["rate"] / scale
        print(
            f"{name:34} {1000 * rate['seconds']:>7.2f} ms {rate['rate'] / 1e9:>8.1f} "
            f"{100 * rate['fraction']:>11.1f}%"
        )
    if given.output:
        summary = {"library": given.library, "device": library.device, "lists": given.lists}
        given.output.write_text(
            json.dumps({**summary, "items": given.items, "jobs": rates}, indent=1)
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
