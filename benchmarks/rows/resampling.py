"""P-values by resampling: sign flips of differences, and permutations of systems."""

from __future__ import annotations

from bench import QUICK_SCALE, Bench, all_numbers
from compare import Process, Subject, Worker, compare
from results import GAINFUL, Row

QUERIES, RESAMPLES = 6_980, 100_000
TUKEY = (500, 50, 10_000)
#: 200 systems have 19,900 pairs.
PAIRS, SYSTEMS = (50, 1_000), 200
SCIPY, NUMPY = "SciPy's permutation_test", "NumPy, in batches"


def measure(bench: Bench) -> list[Row]:
    """Time the randomization test of two systems, Tukey HSD of 50, and max-T of 200."""
    resamples = round(RESAMPLES * QUICK_SCALE) if bench.quick else RESAMPLES
    job = f"Randomization test, {QUERIES:,} queries, {resamples:,} resamples"
    signs = _row(bench, job, "signs", (QUERIES, 2, resamples), {SCIPY: "scipy", NUMPY: "numpy"})
    signs.aim_seconds("≤ 0.3 s", GAINFUL, 0.3, judged=not bench.quick)
    signs.aim_ratio("≥ 200 × SciPy", SCIPY, GAINFUL, 200, judged=not bench.quick)

    queries, systems, resamples = TUKEY
    resamples = round(resamples * QUICK_SCALE) if bench.quick else resamples
    job = f"Randomized Tukey HSD, {systems} systems, {queries} queries, {resamples:,} resamples"
    peers = {"NumPy, one permutation at a time": "numpy"}
    tukey = _row(bench, job, "tukey", (queries, systems, resamples), peers)
    tukey.aim_seconds("≤ 0.6 s", GAINFUL, 0.6, judged=not bench.quick)
    return [signs, tukey, *(_pairs(bench, queries) for queries in PAIRS)]


def _pairs(bench: Bench, queries: int) -> Row:
    resamples = round(RESAMPLES * QUICK_SCALE) if bench.quick else RESAMPLES
    job = f"Max-T of all pairs, {SYSTEMS} systems, {queries:,} queries, {resamples:,} resamples"
    row = _row(bench, job, "pairs", (queries, SYSTEMS, resamples), {NUMPY: "numpy"})
    row.aim_seconds("≤ 10 s", GAINFUL, 10.0, judged=not bench.quick)
    return row


def _row(
    bench: Bench, job: str, kind: str, size: tuple[int, int, int], peers: dict[str, str]
) -> Row:
    row = Row(job)
    words = [kind, *map(str, size)]
    # Each program draws its own resamples, so the tolerance is four standard errors of the
    # difference of two p-values, or five for many systems.
    tolerance = (4.0 if size[1] == 2 else 5.0) * (0.5 / size[2]) ** 0.5
    subjects: list[Subject] = []
    if bench.gainful is not None:
        script = bench.gainful_script("resampling.py", "gainful", *words)
        subjects.append(Worker(GAINFUL, script, tolerance=tolerance, runs_each_round=5))
    for name, subject in peers.items():
        script = bench.script("resampling.py", subject, *words)
        subjects.append(Process(name, script, all_numbers, tolerance=tolerance))
    row.notes.append("p-values of different resamples: equal to within 4 to 5 standard errors")
    # SciPy takes more than a minute: once is enough.
    row.measured = compare(subjects, rounds=1)
    return row
