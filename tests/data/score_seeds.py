"""Small valid files of scores: those that are published, result files, and trec_eval's input."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

import gainful
from gainful.compat.trec_eval import main
from gainful.published import read_published, summarize_published, write_published
from seeds import Reader, lines, text

__all__ = ["READERS"]

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"
RUN = "q1 Q0 d1 1 2.5 t\nq2 Q0 d3 1 1.5 t\n"
NORMS = "q1 map .5 .1\nall map .5 .2\n"
PREFERENCES = "q1 g s d1 1\nq1 g s d2 2\n"
OF_MTEB = {
    "task_name": "fiqa",
    "mteb_version": "1.12",
    "scores": {
        "test": [
            {"main_score": 0.3, "ndcg_at_10": 0.3, "hf_subset": "all", "languages": ["eng-Latn"]}
        ]
    },
    "evaluation_time": 3.0,
}
OF_OLD_MTEB = {
    "mteb_dataset_name": "fiqa",
    "mteb_version": "1.1",
    "test": {"ndcg_at_10": 0.3, "map_at_1": 0.2, "evaluation_time": 3.1},
}
OF_BEIR = [{"NDCG@10": 0.3, "NDCG@1": 0.2}, {"MAP@10": 0.1}]
OF_QUERIES = {"q1": {"ndcg_cut_10": 0.5, "map": 0.2}, "q2": {"ndcg_cut_10": 0.25, "map": 0.1}}
GOLDEN = text(
    [
        {"question": "Why?", "expected_ids": ["d1", "d2"]},
        {"question": "Who?", "expected_ids": ["d3"]},
    ],
    lines(
        {"user_input": "Why?", "reference_context_ids": ["d1"]},
        {"user_input": "Who?", "reference_context_ids": ["d3"]},
    ),
    "question,relevant\nWhy?,d1;d2\nWho?,\"['d3']\"\n",
    {"examples": [{"inputs": {"question": "a"}, "outputs": {"expected_ids": ["d1"]}}]},
    [{"question": "x", "relevant": {"d1": 2}}, {"id": 3, "relevant": [{"id": "d", "grade": 1}]}],
    {"Why?": {"relevant": ["d1"]}, "Who?": {"relevant": ["d2"]}},
)


def published() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "scores.json"
        made = gainful.evaluate({"q1": {"d1": 1}}, {"q1": ["d1"]}, ["nDCG@10", "AP"])
        write_published(path, summarize_published(made, collection="shop", source="http://a/b"))
        return path.read_bytes()


def rank(path: Path) -> str:
    folder = path.parent / "leaderboard"
    for name in ("bm25", "dense"):
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "nq.json").write_text('{"NDCG@10": 0.3}')
    (folder / "bm25" / "fiqa.json").write_bytes(path.read_bytes())
    (folder / "dense" / "fiqa.json").write_text('{"NDCG@10": 0.3}')
    return str(gainful.rank_results(folder))


def trec_eval(seed: str, *words: str) -> Reader:
    """Return a reader that runs trec_eval with a file as one of its arguments."""

    def read(path: Path) -> int:
        named = {"QRELS": path.with_name("q"), "RUN": path.with_name("r"), "FILE": path}
        named["QRELS"].write_text(QRELS)
        named["RUN"].write_text(RUN)
        printed = io.TextIOWrapper(io.BytesIO())
        with redirect_stdout(printed), redirect_stderr(printed):
            return main([str(named.get(word, word)) for word in words])

    return Reader("file", text(seed), read, only_content=True)


READERS: dict[str, Reader] = {
    "published scores": Reader(
        "scores.json", (published(),), lambda path: repr(read_published(path))
    ),
    "result files": Reader(
        "results.json",
        text(OF_MTEB, OF_OLD_MTEB, OF_BEIR, OF_QUERIES, {"NDCG@10": 0.3}),
        rank,
        only_content=True,
    ),
    "golden sets": Reader("golden.json", GOLDEN, lambda path: gainful.read_qrels(path).to_dict()),
    "golden sets as CSV": Reader(
        "golden.csv", GOLDEN[2:3], lambda path: gainful.read_qrels(path).to_dict()
    ),
    "trec_eval's judgments": trec_eval(QRELS, "-q", "-m", "all_trec", "FILE", "RUN"),
    "trec_eval's run": trec_eval(RUN, "-q", "-c", "-m", "all_trec", "QRELS", "FILE"),
    "trec_eval's z-scores": trec_eval(NORMS, "-q", "-Z", "FILE", "QRELS", "RUN"),
    "trec_eval's preferences": trec_eval(
        PREFERENCES, "-q", "-R", "prefs", "-m", "prefs_simp", "FILE", "RUN"
    ),
}
