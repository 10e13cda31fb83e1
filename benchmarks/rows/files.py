"""Files to nDCG@10 as a whole process, with a run as large as MS MARCO's development set."""

from __future__ import annotations

from bench import Bench, last_number
from compare import PRINTED, Process, Subject, compare
from data import Recipe
from results import GAINFUL, Row

MS_MARCO = Recipe(queries=6_980, depth=1_000, shuffled=True)


def measure(bench: Bench) -> list[Row]:
    """Time Gainful, the peers, and programs that only read the bytes."""
    data = bench.collection(MS_MARCO)
    qrels, run, answer = data.qrels, data.run, data.answers[0]
    right = [answer.exact]
    size = run.stat().st_size / 1e6
    row = Row(
        f"File to nDCG@10, whole process: {data.recipe.queries:,} queries × "
        f"{data.recipe.depth:,} rows, {size:.0f} MB of TREC run"
    )
    subjects: list[Subject] = [
        *bench.gainful_files(GAINFUL, qrels, [run], right, runs_each_round=5)
    ]
    if bench.peers.trec_eval is not None:
        trec_eval = bench.trec_eval(qrels, run)
        subjects.append(
            Process("trec_eval", trec_eval, last_number, expected=right, tolerance=PRINTED)
        )
    else:
        row.notes.append(f"no trec_eval: {bench.peers.missing}")
    pytrec_eval = bench.script("files_pytrec_eval.py", qrels, run)
    subjects += [
        Process("pytrec_eval", pytrec_eval, last_number, expected=right),
        Process("ir_measures", bench.ir_measures(qrels, run), last_number, expected=right),
    ]
    for way in ("window", "arg_max"):
        script = bench.script("files_duckdb.py", way, qrels, run)
        name = f"DuckDB {way}"
        subjects.append(Process(name, script, last_number, expected=right, runs_each_round=3))
    if bench.ranx:
        # Its order of ties is undefined, so its answer is compared with the bounds over ties.
        room = max(answer.high - answer.exact, answer.exact - answer.low)
        script = bench.script("files_ranx.py", qrels, run)
        subjects.append(Process("ranx", script, last_number, expected=right, tolerance=room))
        row.notes.append("ranx does not define the order of ties: its answer has bounds")
    subjects += [
        Process("wc -l", ["/usr/bin/wc", "-l", run], runs_each_round=3),
        Process("cat", ["/bin/cat", run], runs_each_round=3),
    ]
    row.measured = compare(subjects, rounds=bench.rounds(3))
    full = not bench.quick
    row.aim_ratio("≥ 8× DuckDB (window)", "DuckDB window", GAINFUL, 8, judged=full)
    row.aim_ratio("≥ 8× DuckDB (arg_max)", "DuckDB arg_max", GAINFUL, 8, judged=full)
    row.aim_ratio("≥ 40× trec_eval", "trec_eval", GAINFUL, 40, judged=full)
    row.aim_memory("≤ 40 MB peak memory", GAINFUL, 40, judged=full)
    return [row]
