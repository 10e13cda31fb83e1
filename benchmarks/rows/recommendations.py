"""A recommender of two matrices, evaluated in blocks of users, vs. hand-written code."""

from __future__ import annotations

from bench import QUICK_SCALE, Bench
from compare import Subject, Worker, compare
from results import GAINFUL, Row

USERS, ITEMS = 2_000, 20_000
# The last digits of 32-bit sums depend on the size of the blocks, which sometimes swaps two items.
CLOSE = 1e-5


def measure(bench: Bench) -> list[Row]:
    """Time all users."""
    users = round(USERS * QUICK_SCALE) if bench.quick else USERS
    row = Row(f"Recommender of {users:,} users × {ITEMS:,} items to nDCG@10, in process")
    size = (str(users), str(ITEMS))
    subjects: list[Subject] = []
    if bench.gainful is not None:
        script = bench.gainful_script("recommendations.py", "gainful", *size)
        subjects.append(Worker(GAINFUL, script, tolerance=CLOSE))
    for name, way in (("NumPy", "numpy"), ("scikit-learn", "scikit-learn")):
        script = bench.script("recommendations.py", way, *size)
        subjects.append(Worker(name, script, tolerance=CLOSE, first_counts_from=10.0))
    row.measured = compare(subjects, rounds=2)
    row.notes.append(f"all scores are {users * ITEMS * 4 / 1e6:,.0f} MB in 32 bits")
    return [row]
