"""`RelevanceEvaluator.evaluate` of pytrec_eval and of Gainful."""

from __future__ import annotations

from bench import Bench
from compare import Subject, Worker, compare
from results import GAINFUL, Row
from rows.files import MS_MARCO

# One measure, several common ones, and all.
MEASURES = {
    "nDCG@10": "ndcg_cut.10",
    "five measures": "map ndcg recall.100 P.10 recip_rank",
    "all_trec": "all_trec",
}
TIMES = 3


def measure(bench: Bench) -> list[Row]:
    """Time the call on a large run, and on one query with ten documents."""
    return [
        row
        for title, measures in MEASURES.items()
        for row in (_row(bench, title, measures), _row(bench, title, measures, "small"))
    ]


def _row(bench: Bench, title: str, measures: str, *size: str) -> Row:
    data = bench.collection(MS_MARCO)
    extent = "1 × 10" if size else f"{data.recipe.queries:,} × {data.recipe.depth:,}"
    row = Row(f"pytrec_eval's RelevanceEvaluator.evaluate on dicts, {title}, {extent}")
    arguments = (data.qrels, data.run, measures, *size)
    subjects: list[Subject] = []
    if bench.gainful is not None:
        script = bench.gainful_script("pytrec_eval_dicts.py", "gainful", *arguments)
        subjects.append(Worker(GAINFUL, script))
    script = bench.script("pytrec_eval_dicts.py", "pytrec_eval", *arguments)
    subjects.append(Worker("pytrec_eval", script))
    row.measured = compare(subjects, rounds=bench.rounds(5))
    if size:
        row.aim_ratio("not slower than pytrec_eval", "pytrec_eval", GAINFUL, 1)
    else:
        aim = f"≥ {TIMES}× pytrec_eval"
        row.aim_ratio(aim, "pytrec_eval", GAINFUL, TIMES, judged=not bench.quick)
    return row
