"""Small valid files of judging: samples, labels of models, prompts, sessions and their people."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

import gainful
from gainful.data.samples import read_examples
from gainful.judging import Session
from gainful.judging.llm.items import load_prompt
from gainful.judging.source import AUDIT
from gainful.judging_page.documents import read_guidelines
from gainful.judging_page.server import Access, Role, read_users
from seeds import Reader, lines, text

__all__ = ["READERS"]

QRELS = {
    f"q{query}": {f"d{document}": document % 3 for document in range(17)} for query in range(12)
}
RUNS = {
    name: {
        f"q{query}": {f"d{rank * step % 17}": -float(rank) for rank in range(10)}
        for query in range(12)
    }
    for name, step in (("a", 1), ("b", 3))
}
LABELS = (
    "query\tdocid\trater_1\trater_2\tfinal_rating\nq1\td1\t3\t2\t3\nq1\td2\t\t0\t0\n",
    lines(
        {"query_id": "q1", "doc_id": "d1", "rater": "ann", "grade": 2},
        {"query_id": "q1", "doc_id": "d1", "model": "gpt", "version": "4", "grade": 1.5},
    ),
)
OF_A_MODEL = lines(
    *(
        {"query_id": query, "doc_id": "d1", "grade": 2, "model": "m", "examples": [["q99", "d9"]]}
        for query in QRELS
    )
)
AUDITS = lines(
    {"query_id": "q1", "doc_id": "d1", "model": "m", "kind": "repeat", "grade": 2},
    {"query_id": "q2", "doc_id": "d1", "model": "m", "outcome": "refused"},
)
PROMPT = files("gainful.judging.llm").joinpath("prompts/graded.toml").read_text("utf-8")
MORE = '[criteria]\ntrust = "how far"\n\n[[examples]]\nquery = "a"\ndocument = "b"\ngrade = 1\n'
PEOPLE = {
    "ana": {"role": "owner", "tokens": ["a" * 64], "browsers": ["b" * 64]},
    "ben": {"role": "judge", "tokens": [], "browsers": []},
}


def sample() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "pool.jsonl"
        gainful.pool(RUNS, "sample", depth=10, budget=60).write(path)
        return path.read_bytes()


def session() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "session"
        with Session(path, [("q1", "d1"), ("q1", "d2"), ("q2", "d3")], scale="0,1,2") as made:
            made.label("ana", "q1", "d1", 2)
            made.label("ben", "q1", "d1", 1)
        return path.read_bytes()


def read_session(path: Path) -> object:
    with Session(path) as opened:
        found = [opened.final_grades(), [each.grade for each in opened.events()]]
        while (task := opened.next("ana")) is not None:
            opened.label("ana", task.query_id, task.doc_id, 1)
        return found


def enter(path: Path) -> object:
    people = Access(str(path), {"ana": Role.OWNER, "ben": Role.JUDGE})
    people.enter(people.issue("ana"))
    return people.people()


def assess(path: Path) -> str:
    return str(gainful.assess_judgments(path, resamples=20))


def assess_audited(path: Path) -> str:
    labels = path.with_name("labels.jsonl")
    labels.write_text(OF_A_MODEL)
    labels.with_name(f"labels{AUDIT}").write_bytes(path.read_bytes())
    return assess(labels)


READERS: dict[str, Reader] = {
    "sample": Reader(
        "pool.jsonl",
        (sample(),),
        lambda path: str(gainful.evaluate_sample(QRELS, RUNS, path, "P@5")),
    ),
    "few-shot examples": Reader(
        "labels.jsonl", text(OF_A_MODEL), lambda path: read_examples(str(path))
    ),
    "predicted labels": Reader(
        "labels.jsonl",
        text(OF_A_MODEL),
        lambda path: str(
            gainful.evaluate(QRELS, RUNS["a"], "nDCG@10", predicted=path, sampled="random")
        ),
    ),
    "agreement": Reader("labels.tsv", text(*LABELS, OF_A_MODEL), assess),
    "agreement of TSV": Reader("labels", text(LABELS[0]), assess),
    "audits": Reader("audits", text(AUDITS), assess_audited, only_content=True),
    "prompt": Reader(
        "prompt.toml", text(PROMPT, PROMPT + MORE), lambda path: load_prompt(path).scale
    ),
    "people": Reader(
        "people", text("ana, owner\nben\n# x\n\nche, judge\n"), lambda path: read_users(str(path))
    ),
    "access": Reader("access.json", text(json.dumps(PEOPLE)), enter),
    "guidelines": Reader(
        "guidelines.md", text("# Good\n\nIt *fits*.\n"), lambda path: read_guidelines(str(path))
    ),
    "session": Reader("session", (session(),), read_session),
}
