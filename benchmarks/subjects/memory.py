"""In process: read memory on several threads, each its own part.

Usage: memory.py BYTES THREADS
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import worker


def main(size: str, threads: str) -> None:
    """Fill the memory, then serve the calls."""
    parts = np.array_split(np.ones(int(size) // 8, dtype=np.int64), int(threads))
    # Adding releases Python's lock. The sum is returned, so that it cannot be left out.
    with ThreadPoolExecutor(len(parts)) as pool:
        worker.serve(lambda: [sum(pool.map(lambda part: float(part.sum()), parts))])


main(*sys.argv[1:])
