"""Dense baselines: exact nearest neighbors, in blocks, from all sources of vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gainful.baselines import dense
from gainful.baselines.vectors import nearest
from gainful.errors import ArgumentError, FormatError, GainfulError, ParameterError
from requirements import need

RANDOM = np.random.default_rng(3)
DOCUMENTS = RANDOM.normal(size=(500, 24)).astype(np.float32)
QUERIES = RANDOM.normal(size=(7, 24)).astype(np.float32)
IDS = [f"d{n}" for n in range(500)]
NAMES = [f"q{n}" for n in range(7)]


def everything(documents: np.ndarray, queries: np.ndarray) -> dict[str, list[str]]:
    """Return the documents of each query by brute force, equal scores by id, descending."""
    found = {}
    for name, query in zip(NAMES, queries.astype(float), strict=True):
        scores = {IDS[n]: float(np.dot(d, query)) for n, d in enumerate(documents.astype(float))}
        found[name] = sorted(scores, key=lambda each: (scores[each], each), reverse=True)
    return found


@pytest.fixture(scope="module")
def expected() -> dict[str, list[str]]:
    return everything(DOCUMENTS, QUERIES)


@pytest.mark.parametrize("k", [1, 10, 499, 500, 1000])
@pytest.mark.parametrize("rows", [1, 7, 64, 500])
def test_results_equal_brute_force(k: int, rows: int, expected: dict[str, list[str]]) -> None:
    run = nearest(DOCUMENTS, QUERIES, k, document_ids=IDS, query_ids=NAMES, rows=rows)
    assert {query: [each for each, _ in ranked] for query, ranked in run.items()} == {
        query: ranked[:k] for query, ranked in expected.items()
    }


def test_scores_do_not_depend_on_blocks_and_equal_vectors_tie() -> None:
    doubled = np.concatenate([DOCUMENTS, DOCUMENTS[:100]])
    ids = [*IDS, *(f"twin{n}" for n in range(100))]
    runs = [
        nearest(doubled, QUERIES, 50, document_ids=ids, query_ids=NAMES, rows=rows).to_dict()
        for rows in (3, 17, 128, 600)
    ]
    assert all(run == runs[0] for run in runs)
    for found in runs[0].values():
        assert isinstance(found, dict)
        for n in range(100):
            if f"twin{n}" in found and f"d{n}" in found:
                assert found[f"twin{n}"] == found[f"d{n}"]
    assert sum(f"twin{n}" in found for found in runs[0].values() for n in range(100)) > 20


def test_equal_scores_at_the_cut_are_ordered_by_id() -> None:
    run = nearest(np.ones((40, 3)), [[1, 1, 1]], 3, document_ids=IDS[:40], query_ids=["q"], rows=4)
    assert [document for document, _ in run["q"]] == ["d9", "d8", "d7"]


def test_the_cosine_divides_by_lengths() -> None:
    documents = {"long": [3.0, 4.0], "short": [0.0, 0.1], "none": [0.0, 0.0]}
    run = dense(documents, {"q": [0.0, 2.0]}, similarity="cosine")
    assert run["q"] == [("short", 1.0), ("long", 0.8), ("none", 0.0)]
    assert dense(documents, {"q": [0.0, 2.0]})["q"][0] == ("long", 8.0)


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "int8"])
def test_files_of_numpy_are_read(tmp_path: Path, kind: str) -> None:
    np.save(tmp_path / "docs.npy", (DOCUMENTS * 20).astype(kind))
    np.save(tmp_path / "queries.npy", (QUERIES * 20).astype(kind))
    (tmp_path / "ids.txt").write_text("\n".join(IDS) + "\n")
    lines = "".join(f'{{"_id": "{name}", "text": "t"}}\n' for name in NAMES)
    (tmp_path / "queries.jsonl").write_text(lines)
    run = dense(
        tmp_path / "docs.npy",
        tmp_path / "queries.npy",
        5,
        document_ids=tmp_path / "ids.txt",
        query_ids=tmp_path / "queries.jsonl",
    )
    expected = everything((DOCUMENTS * 20).astype(kind), (QUERIES * 20).astype(kind))
    assert [each for each, _ in run["q3"]] == expected["q3"][:5]


@pytest.mark.parametrize("fixed", [False, True])
def test_parquet_and_data_frames_are_read(tmp_path: Path, fixed: bool) -> None:
    pyarrow = need("pyarrow")
    from pyarrow import parquet

    kind = pyarrow.list_(pyarrow.float32(), *([24] if fixed else []))

    def table(ids: list[str], vectors: np.ndarray, name: str) -> object:
        column = pyarrow.array(vectors.tolist(), type=kind)
        return pyarrow.table({name: ids, "note": ids, "Embedding": column})

    documents = table(IDS, DOCUMENTS, "doc_id")
    queries = table(NAMES, QUERIES, "query_id")
    expected = dense(DOCUMENTS, QUERIES, 9, document_ids=IDS, query_ids=NAMES)
    assert dense(documents, queries, 9) == expected
    parquet.write_table(documents, tmp_path / "docs.parquet", row_group_size=77)
    parquet.write_table(queries, tmp_path / "queries.parquet")
    assert dense(tmp_path / "docs.parquet", tmp_path / "queries.parquet", 9) == expected


def test_polars_is_read() -> None:
    polars = need("polars")
    need("pyarrow")
    documents = polars.DataFrame({"id": [1, 2], "vector": [[1.0, 0.0], [0.0, 1.0]]})
    assert dense(documents, {"q": [0.0, 1.0]})["q"] == [("2", 1.0), ("1", 0.0)]


def bad_frame(
    column: list[object], ids: list[object] | None = None, name: str = "vector"
) -> object:
    pyarrow = need("pyarrow")
    return pyarrow.table({"id": ids or [f"d{n}" for n in range(len(column))], name: column})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dense([[1, 2]], {"q": [1, 2]}), "vectors without ids, expected document_ids"),
        (lambda: dense({"d": [1]}, [[1]]), "vectors without ids, expected query_ids"),
        (lambda: dense({"d": [1, 2]}, {"q": [1]}), "2 dimensions of documents, 1 of queries"),
        (lambda: dense({"d": [1, np.nan]}, {"q": [1, 2]}), "document 'd': found a component that"),
        (lambda: dense({"d": [1, 2]}, {"q": [np.inf, 2]}), "query 'q': found a component that"),
        (lambda: dense({}, {"q": [1]}), "found an array of float64 with shape 0"),
        (lambda: dense({"d": ["a"]}, {"q": [1]}), "a two-dimensional array"),
        (lambda: dense({"d": [1], "e": [1, 2]}, {"q": [1]}), "a two-dimensional array"),
        (lambda: dense({"d": [1]}, {"q": [1]}, similarity="l2"), "similarity: found 'l2'"),
        (lambda: dense({"d": [1]}, {"q": [1]}, 0), "k: found 0"),
        (
            lambda: dense([[1], [2]], {"q": [1]}, document_ids=["a"]),
            "found 2 vectors and 1 ids, expected one id per vector",
        ),
        (lambda: dense([[1], [2]], {"q": [1]}, document_ids=["a", "a"]), "'a': found several"),
        (lambda: dense({"d": [1]}, {"q": [1]}, document_ids=["a"]), "vectors that have their own"),
        (lambda: dense("missing.npy", {"q": [1]}), "no such file: missing.npy"),
        (lambda: dense("missing.parquet", {"q": [1]}), "no such file: missing.parquet"),
        (lambda: dense(bad_frame([[1.0], [1.0, 2.0]]), {"q": [1]}), "lists of different lengths"),
        (lambda: dense(bad_frame([[1.0], None]), {"q": [1]}), "different lengths, or nulls"),
        (lambda: dense(bad_frame([[1.0], [None]]), {"q": [1]}), "a component that is not finite"),
        (lambda: dense(bad_frame([["a"]]), {"q": [1]}), "expected lists of numbers"),
        (lambda: dense(bad_frame([1.0]), {"q": [1]}), "expected lists of numbers"),
        (
            lambda: dense(bad_frame([[1.0]], name="x"), {"q": [1]}),
            "expected a column for vectors (vector",
        ),
        (lambda: dense(bad_frame([[1.0], [1.0]], ids=["a", None]), {"q": [1]}), "nulls in id"),
    ],
)
def test_invalid_vectors_are_errors(make: object, message: str) -> None:
    with pytest.raises(GainfulError) as caught:
        make()  # type: ignore[operator]
    assert message in str(caught.value)
    assert isinstance(caught.value, (ArgumentError, FormatError, ParameterError, OSError, KeyError))


@pytest.mark.parametrize("ending", ["npy", "parquet"])
def test_damaged_files_are_errors(tmp_path: Path, ending: str) -> None:
    need("pyarrow")
    path = tmp_path / f"docs.{ending}"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(GainfulError, match="not a NumPy array|PyArrow cannot read"):
        dense(path, {"q": [1]}, document_ids=["d"] if ending == "npy" else None)


def test_without_pyarrow_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(GainfulError, match="pip install pyarrow"):
        dense(tmp_path / "docs.parquet", {"q": [1]})


def test_progress_counts_documents() -> None:
    done: list[tuple[int, int]] = []
    nearest(
        DOCUMENTS,
        QUERIES,
        document_ids=IDS,
        query_ids=NAMES,
        rows=200,
        progress=lambda number, total: done.append((number, total)),
    )
    assert done == [(200, 500), (400, 500), (500, 500)]
