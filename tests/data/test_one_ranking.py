"""One query of a run, read from every format without the rows of the others."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

import gainful
from gainful.data.coercion import one_ranking
from gainful.data.read_options import ReadOptions
from gainful.errors import DuplicateError, FormatError, GainfulError
from requirements import need

# More than a segment of text, and more than a batch; scattered, with a tie and a duplicate.
QUERIES = [f"q{number}" for number in range(40)]
ROWS = [
    (QUERIES[(number * 7) % 40], f"d{number % 911}", number % 97 / 4) for number in range(24_000)
]


def trec(rows: list[tuple[str, str, float]]) -> str:
    return "".join(f"{query} Q0 {document} 1 {score} tag\n" for query, document, score in rows)


def write_trec(path: Path) -> list[Path]:
    path.write_text(trec(ROWS), "utf-8")
    return [path]


def write_two(path: Path) -> list[Path]:
    first, second = path.with_suffix(".1"), path.with_suffix(".2")
    first.write_text(trec(ROWS[:11_000]), "utf-8")
    # Windows line ends, and no newline at the end.
    second.write_bytes(trec(ROWS[11_000:]).replace("\n", "\r\n").rstrip().encode())
    return [first, second]


def write_compressed(path: Path) -> list[Path]:
    path.write_bytes(gzip.compress(trec(ROWS).encode(), 1))
    return [path]


def write_csv(path: Path) -> list[Path]:
    lines = (f"{query},{document},{score}\n" for query, document, score in ROWS)
    path.write_text("query_id,doc_id,score\n" + "".join(lines), "utf-8")
    return [path]


def write_ranks(path: Path) -> list[Path]:
    lines = (f"{query}\t{document}\t{row}\n" for row, (query, document, _) in enumerate(ROWS))
    path.write_text("query_id\tdoc_id\trank\n" + "".join(lines), "utf-8")
    return [path]


def write_jsonl(path: Path) -> list[Path]:
    path.write_text(
        "".join(f'{{"query_id": "{q}", "doc_id": "{d}", "score": {s}}}\n' for q, d, s in ROWS),
        "utf-8",
    )
    return [path]


def write_lists(path: Path) -> list[Path]:
    path.write_text('{"q1": ["d3", "d1"], "q7": ["d5", "d2", "d9"], "q39": []}', "utf-8")
    return [path]


def columnar(path: Path) -> object:
    pyarrow = need("pyarrow")
    queries, documents, scores = zip(*ROWS, strict=True)
    return pyarrow.table({"query_id": queries, "doc_id": documents, "score": scores})


def write_parquet(path: Path) -> list[Path]:
    need("pyarrow")
    from pyarrow import parquet

    parquet.write_table(columnar(path), path, row_group_size=5000)
    return [path]


def write_arrow(path: Path) -> list[Path]:
    need("pyarrow")
    from pyarrow import feather

    feather.write_feather(columnar(path), path, chunksize=5000)
    return [path]


WRITERS = [
    write_trec,
    write_two,
    write_compressed,
    write_csv,
    write_ranks,
    write_jsonl,
    write_lists,
    write_parquet,
    write_arrow,
]


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_the_rows_are_those_of_the_whole_run(
    write: Callable[[Path], list[Path]], tmp_path: Path
) -> None:
    paths = write(tmp_path / "a.run")
    whole = gainful.read_run(paths, duplicates="count")
    for query in ("q7", "q39", "absent"):
        one = one_ranking(paths, query)
        assert list(one) == ([query] if query in whole else [])
        assert (one.scored, one.source, one.name) == (whole.scored, whole.source, whole.name)
        if query in whole:
            assert one._rows.columns(query) == whole._rows.columns(query)
            assert one._rows.tag == whole._rows.tag


def test_rows_of_a_stream() -> None:
    table = columnar(Path())
    whole = gainful.Run(table, duplicates="count")
    assert one_ranking(table, "q7")._rows.columns("q7") == whole._rows.columns("q7")


def test_scores_alone(tmp_path: Path) -> None:
    judged = gainful.Qrels({"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1}})
    path = tmp_path / "scores.txt"
    path.write_text("0.5\n0.25\n7\n", "utf-8")
    one = one_ranking(str(path), "q2", ReadOptions(format="scores"), judgments=judged)
    assert one.to_dict() == {"q2": {"d3": 7.0}}


@pytest.mark.parametrize("query", ["q0", "q1", "absent"])
def test_rows_of_other_queries_are_validated(query: str, tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    lines = trec(ROWS).splitlines(keepends=True)
    lines[20_000] = "q1 Q0 d1 1 high tag\n"
    lines[23_000] = "q0 Q0\n"
    path.write_text("".join(lines), "utf-8")
    with pytest.raises(FormatError, match="'high'") as raised:
        one_ranking(path, query)
    assert (raised.value.line, raised.value.file) == (20_001, str(path))


def test_duplicates_are_those_of_the_query(tmp_path: Path) -> None:
    from gainful import _kernel

    path = tmp_path / "a.run"
    path.write_text("a Q0 d 1 1 t\nb Q0 d 1 1 t\nb Q0 e 1 1 t\na Q0 d 1 1 t\n", "utf-8")
    assert len(_kernel.read([str(path)], "run", {}, query="b")) == 2
    with pytest.raises(DuplicateError) as raised:
        _kernel.read([str(path)], "run", {}, query="a")
    assert raised.value.line == 4


@pytest.mark.parametrize("content", ["", "\n\n", "q1 Q0 d1\n", "{"])
def test_errors_are_those_of_the_whole_run(content: str, tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(content, "utf-8")
    with pytest.raises(GainfulError) as whole:
        gainful.read_run(path)
    with pytest.raises(GainfulError) as one:
        one_ranking(path, "q1")
    assert str(one.value) == str(whole.value)


def test_explanations_are_those_of_the_run_in_memory(tmp_path: Path) -> None:
    qrels = {query: {"d7": 2, "d14": 1, "d900": 3} for query in QUERIES}
    path = tmp_path / "a.run"
    path.write_text(trec(ROWS), "utf-8")
    run = gainful.read_run(path, duplicates="count")
    policies = gainful.Convention(duplicates="first")
    read = gainful.explain(qrels, path, "q7", "nDCG@500", convention=policies)
    assert read == gainful.explain(qrels, run, "q7", "nDCG@500", convention=policies)
