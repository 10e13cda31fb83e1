"""TREC text: values do not depend on notation, segments, order or compression."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import subprocess
import sys

import pytest

import gainful

MEASURES = ["nDCG@10", "AP", "RR", "P@5", "R@20", "bpref", "NumRet"]


def collection(queries: int, documents: int, seed: int = 1) -> tuple[dict, list[tuple]]:
    draw = random.Random(seed)
    qrels: dict = {}
    rows = []
    for number in range(queries):
        query = f"q{draw.randrange(10**6)}-{number}"
        pool = [f"doc{draw.randrange(10**7)}" for _ in range(documents)]
        pool = list(dict.fromkeys(pool))
        judged = draw.sample(pool, min(len(pool), 12))
        qrels[query] = {doc: draw.choice([0, 0, 1, 2, 3]) for doc in judged}
        qrels[query]["unretrieved"] = 1
        ranked = sorted(((round(draw.gauss(10, 3), 1), doc) for doc in pool), reverse=True)
        rows += [(query, doc, rank, score) for rank, (score, doc) in enumerate(ranked, 1)]
    return qrels, rows


def lines(rows: list[tuple], sep: str = " ", end: str = "\n") -> bytes:
    return "".join(
        sep.join((query, "Q0", doc, str(rank), f"{score}", "tag")) + end
        for query, doc, rank, score in rows
    ).encode()


def evaluated(qrels: dict, rows: list[tuple]) -> tuple[dict, list[tuple], gainful.Evaluation]:
    """Return judgments, rows and what a dictionary of them gives."""
    run: dict = {}
    for query, doc, _, score in rows:
        run.setdefault(query, {})[doc] = score
    return qrels, rows, gainful.evaluate(qrels, run, MEASURES)


@pytest.fixture(scope="module")
def small() -> tuple[dict, list[tuple], gainful.Evaluation]:
    return evaluated(*collection(40, 60))


@pytest.fixture(scope="module")
def large() -> tuple[dict, list[tuple], gainful.Evaluation]:
    """Return more than a megabyte, so that the file has several segments; queries vary in size."""
    (qrels, rows), (more_qrels, more_rows) = (
        collection(30, 400, seed=7),
        collection(3, 9000, seed=8),
    )
    return evaluated(qrels | more_qrels, rows + more_rows)


@pytest.fixture(scope="module", params=["grouped", "shuffled", "reversed"])
def large_file(request, large, tmp_path_factory):
    rows = list(large[1])
    if request.param == "shuffled":
        random.Random(2).shuffle(rows)
    elif request.param == "reversed":
        rows.reverse()
    path = tmp_path_factory.mktemp("large") / "a.run"
    path.write_bytes(lines(rows))
    return path


def same(one: gainful.Evaluation, other: gainful.Evaluation) -> None:
    for measure in one.measures:
        assert one.per_query(measure) == other.per_query(measure)
        assert one.mean(measure) == other.mean(measure)


WRITINGS = {
    "plain": lambda rows: lines(rows),
    "tabs": lambda rows: lines(rows, sep="\t"),
    "crlf": lambda rows: lines(rows, end="\r\n"),
    "wide": lambda rows: lines(rows, sep="   \v\t"),
    "blank lines": lambda rows: lines(rows, end="\n\n \n"),
    "no last newline": lambda rows: lines(rows)[:-1],
    "leading blanks": lambda rows: b" " + lines(rows).replace(b"\n", b"\n\t")[:-1],
    "trailing fields": lambda rows: lines(rows).replace(b" tag", b" tag and more words"),
    "no tag": lambda rows: lines(rows).replace(b" tag", b""),
    "shuffled": lambda rows: lines(random.Random(3).sample(rows, len(rows))),
    "queries in two parts": lambda rows: lines(rows[::2] + rows[1::2]),
    "exponents": lambda rows: b"".join(
        f"{q} Q0 {d} {r} {s * 1e20:.17e} tag\n".encode() for q, d, r, s in rows
    ),
    "long tags": lambda rows: lines(rows).replace(b" tag", b" " + b"t" * 90),
    "very long tags": lambda rows: lines(rows).replace(b" tag", b" " + b"t" * 900),
    "gzip": lambda rows: gzip.compress(lines(rows)),
    "two gzip members": lambda rows: (
        gzip.compress(lines(rows[:99])) + gzip.compress(lines(rows[99:]))
    ),
    "bzip2": lambda rows: bz2.compress(lines(rows)),
    "xz": lambda rows: lzma.compress(lines(rows)),
    "shuffled gzip": lambda rows: gzip.compress(lines(random.Random(4).sample(rows, len(rows)))),
}


@pytest.mark.parametrize("writing", WRITINGS)
def test_the_notation_does_not_matter(small, writing: str, tmp_path) -> None:
    qrels, rows, expected = small
    path = tmp_path / "a.run"
    path.write_bytes(WRITINGS[writing](rows))
    same(gainful.evaluate(qrels, path, MEASURES), expected)
    held = gainful.read_run(path)
    same(gainful.evaluate(qrels, held, MEASURES), expected)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_neither_threads_nor_segments_matter(large, large_file, threads: int) -> None:
    qrels, _, expected = large
    assert large_file.stat().st_size > 1 << 20
    same(gainful.evaluate(qrels, large_file, MEASURES, threads=threads), expected)


def test_several_files_are_read_as_one(small, tmp_path) -> None:
    qrels, rows, expected = small
    parts = [tmp_path / "a", tmp_path / "b", tmp_path / "c"]
    for part, chunk in zip(parts, (rows[:100], rows[100:777], rows[777:]), strict=True):
        part.write_bytes(lines(chunk))
    same(gainful.evaluate(qrels, gainful.read_run(parts), MEASURES), expected)
    same(
        gainful.evaluate(qrels, runs={"run": [str(part) for part in parts]}, measures=MEASURES),
        expected,
    )


@pytest.mark.parametrize("how", ["file", "pipe"])
def test_standard_input(small, how: str, tmp_path) -> None:
    qrels, rows, expected = small
    (tmp_path / "qrels").write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items())
    )
    (tmp_path / "run").write_bytes(lines(rows))
    code = (
        "import gainful, sys\n"
        f"print(gainful.evaluate({str(tmp_path / 'qrels')!r}, '-', 'nDCG@10').mean())"
    )
    with open(tmp_path / "run", "rb") as file:
        done = subprocess.run(
            [sys.executable, "-c", code],
            stdin=file if how == "file" else None,
            input=None if how == "file" else lines(rows),
            capture_output=True,
            check=True,
            timeout=60,
        )
    assert float(done.stdout) == expected.mean("nDCG@10")


def test_the_rank_column_orders_if_the_convention_uses_it(tmp_path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q Q0 a 2 9.0 t\nq Q0 b 1 1.0 t\n")
    qrels = {"q": {"b": 1}}
    assert gainful.evaluate(qrels, path, "RR").mean() == 0.5
    by_rank = gainful.conventions["gainful-1"].replace(order="rank")
    assert gainful.evaluate(qrels, path, "RR", convention=by_rank).mean() == 1.0
    assert gainful.evaluate(qrels, gainful.read_run(path), "RR", convention=by_rank).mean() == 1.0
    given = gainful.conventions["gainful-1"].replace(order="given")
    assert gainful.evaluate(qrels, path, "RR", convention=given).mean() == 0.5


def test_ids_are_bytes(tmp_path) -> None:
    (tmp_path / "qrels").write_bytes("q\u00a0x 0 d\xff 1\n".encode("latin-1"))
    (tmp_path / "run").write_bytes("q\u00a0x Q0 d\xff 1 2.0 t\n".encode("latin-1"))
    result = gainful.evaluate(tmp_path / "qrels", tmp_path / "run", "RR")
    assert result.per_query() == {"q\udca0x": 1.0}


def test_comments_are_an_option(tmp_path) -> None:
    (tmp_path / "qrels").write_text("# judged\nq 0 #d 1\n")
    (tmp_path / "run").write_text("#made by hand\nq Q0 #d 1 2.0 t\n  # indented\n")
    with pytest.raises(gainful.errors.FormatError):
        gainful.read_qrels(tmp_path / "qrels")
    qrels = gainful.read_qrels(tmp_path / "qrels", comments=True)
    run = gainful.read_run(tmp_path / "run", comments=True)
    assert gainful.evaluate(qrels, run, "RR").mean() == 1.0


def test_scattered_queries_on_disk_give_the_same_values(small, tmp_path, monkeypatch) -> None:
    from gainful import _kernel

    qrels, rows, expected = small
    path = tmp_path / "a.run"
    path.write_bytes(
        lines(random.Random(5).sample(rows, len(rows)) + collection(500, 200, seed=11)[1])
    )
    judged = gainful.Qrels(qrels)
    policies = gainful.conventions["gainful-1"]
    measures = [(repr(m), *m.spec(policies)) for m in expected.measures]
    table = _kernel.evaluate(
        judged._rows, [str(path)], policies.spec(), measures, threads=2, memory=1
    )
    for index, measure in enumerate(expected.measures):
        assert table.summary(index).mean == expected.mean(measure)
