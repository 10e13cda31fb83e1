"""Do the work of typical users, from which the compiler learns what is used often.

`maturin build --pgo` runs this with a wheel that counts what is executed, and compiles the kernel
again with these counts. The runs are random, and large enough for the counts to be stable.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile

import gainful

QUERIES, DEPTH, JUDGED = 700, 1_000, 20
MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100", "ERR@20", "RBP(p=0.8)", "bpref"]

Row = tuple[str, str, float]


def draw(seed: int, queries: int, depth: int) -> tuple[list[Row], list[Row]]:
    """Return judgments, and a run grouped by query with ties."""
    random.seed(seed)
    judged, listed = [], []
    for query in range(queries):
        documents = random.sample(range(8_000_000), depth + JUDGED // 2)
        found = random.sample(documents[:depth], min(JUDGED // 2, depth))
        for document in [*found, *documents[depth:]]:
            judged.append((f"{query * 37}", f"{document}", float(random.choice([0, 0, 1, 2, 3]))))
        scores = sorted((random.randrange(300_000) / 1e4 for _ in range(depth)), reverse=True)
        listed += [
            (f"{query * 37}", f"{document}", score)
            for document, score in zip(documents, scores, strict=False)
        ]
    return judged, listed


def write_trec(path: str, rows: list[Row], tag: str = "") -> None:
    """Write judgments or, with a tag, a run."""
    with open(path, "w", encoding="utf-8") as file:
        for at, (query, document, value) in enumerate(rows):
            end = f"{at % DEPTH + 1} {value:.4f} {tag}" if tag else f"{value:.0f}"
            file.write(f"{query} {'Q0' if tag else 0} {document} {end}\n")


def write_parquet(path: str, rows: list[Row], value: str) -> None:
    """Write the ids as integers."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    queries, documents, values = zip(*rows, strict=True)
    columns = {"query_id": map(int, queries), "doc_id": map(int, documents), value: values}
    parquet.write_table(pa.table({name: list(each) for name, each in columns.items()}), path)


def run(*words: str) -> None:
    """Run a command of Gainful without its output."""
    subprocess.run([sys.executable, "-m", "gainful", *words], check=True, stdout=subprocess.DEVNULL)


def train() -> None:
    """Evaluate, compare, explain and write, as from the command line and from Python."""
    judged, listed = draw(1, QUERIES, DEPTH)
    write_trec("qrels.txt", judged)
    write_trec("a.run", listed, "a")
    shuffled = random.sample(listed, len(listed))
    write_trec("b.run", shuffled, "b")
    many_judged, many = draw(2, 40_000, 10)
    write_trec("many.txt", many_judged)
    write_trec("many.run", many, "m")
    with open("a.tsv", "w", encoding="utf-8") as file:
        file.write("query_id\tdoc_id\tscore\n")
        file.writelines(f"{query}\t{document}\t{score:.4f}\n" for query, document, score in listed)
    write_parquet("qrels.parquet", judged, "grade")
    write_parquet("a.parquet", listed, "score")
    write_parquet("b.parquet", shuffled, "score")

    for _ in range(5):
        run("evaluate", "qrels.txt", "a.run", "-m", "nDCG@10")
        run("evaluate", "many.txt", "many.run", "-m", "nDCG@10")
        run("evaluate", "qrels.parquet", "a.parquet", "-m", "nDCG@10")
    every = [word for measure in MEASURES for word in ("-m", measure)]
    run("evaluate", "qrels.txt", "a.run", "b.run", *every)
    run("evaluate", "qrels.txt", "a.tsv", *every)
    run("evaluate", "qrels.parquet", "a.parquet", "b.parquet", *every)
    for style in ("tsv", "csv", "json", "jsonl"):
        run("evaluate", "many.txt", "many.run", "--per-query", "-o", f"rows.{style}")
    run("explain", "qrels.txt", "a.run", "--query", "37")
    run("compare", "qrels.txt", "a.run", "b.run", *every)

    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, float]] = {}
    for query, document, grade in judged:
        qrels.setdefault(query, {})[document] = int(grade)
    for query, document, score in listed:
        runs.setdefault(query, {})[document] = score
    gainful.evaluate(qrels, runs, MEASURES)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        train()
        os.chdir("/")
