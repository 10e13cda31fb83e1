"""Invalid input of baselines and headroom: one clear error, and no wrong number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gainful
from gainful.cli import main
from gainful.errors import ArgumentError, FormatError, GainfulError, ParameterError
from requirements import need

RUN = {"q": {"a": 2.0, "b": 1.0}}
QRELS = {"q": {"a": 2, "b": 0}}
DOCUMENTS = {"a": "lentil soup", "b": "bread"}


def cosines(documents: Any, queries: Any) -> dict[str, float]:
    run = gainful.baselines.dense(documents, queries, similarity="cosine")
    return run.to_dict()["q"]  # type: ignore[return-value]


@pytest.mark.parametrize("size", [5e-324, 1e-200, 1.0, 1e200, 1.7e308])
@pytest.mark.filterwarnings("error")
def test_the_cosine_does_not_depend_on_the_length(size: float) -> None:
    found = cosines({"a": [size, 0.0], "b": [size, size]}, {"q": [size, 0.0]})
    assert found == {"a": 1.0, "b": pytest.approx(0.5**0.5, rel=1e-15)}


@pytest.mark.parametrize("size", [1e-200, 1.0, 1e148])
@pytest.mark.filterwarnings("error")
def test_products_are_exact_for_all_sizes(size: float) -> None:
    documents = {f"d{number:02}": [size * number, size] for number in range(40)}
    run = gainful.baselines.dense(documents, {"q": [1.0, 0.0]}, k=3)
    assert run["q"] == [("d39", 39 * size), ("d38", 38 * size), ("d37", 37 * size)]


@pytest.mark.filterwarnings("error")
def test_components_that_could_overflow_are_errors() -> None:
    large = {"a": [1.0, 2.0], "b": [-1e200, 0.0]}
    with pytest.raises(FormatError, match=r"document 'b': found a component of size 1e\+200"):
        gainful.baselines.dense(large, {"q": [1.0, 0.0]})
    with pytest.raises(FormatError, match="query 'b'"):
        gainful.baselines.dense({"a": [1.0, 2.0]}, large)


@pytest.mark.parametrize("ids", [5, [None, "b"], [1.5, "b"], [True, "b"]])
def test_ids_of_vectors_are_text_or_integers(ids: Any) -> None:
    with pytest.raises(ArgumentError, match="document_ids: found "):
        gainful.baselines.dense([[1, 0], [0, 1]], {"q": [1, 1]}, document_ids=ids)


def test_masked_components_are_errors() -> None:
    masked = np.ma.masked_array([[1.0, 2.0]], mask=[[True, False]])
    with pytest.raises(FormatError, match="a masked array"):
        gainful.baselines.dense(masked, {"q": [1.0, 1.0]}, document_ids=["a"])


@pytest.mark.parametrize("norm", ["min-max", "z-score"])
@pytest.mark.parametrize("size", [5e-324, 1e-200, 1e200, 1.7e308])
def test_scores_of_all_sizes_are_normalized(norm: str, size: float) -> None:
    plain = gainful.baselines.fuse([{"q": {"a": 1.0, "b": -1.0}}] * 2, "combsum", norm=norm)
    sized = gainful.baselines.fuse([{"q": {"a": size, "b": -size}}] * 2, "combsum", norm=norm)
    assert sized.to_dict() == plain.to_dict()


@pytest.mark.parametrize(
    "wrong",
    [
        {"weights": 3},
        {"weights": "12"},
        {"weights": [None, 1]},
        {"weights": [True, 1]},
        {"weights": [0, 0]},
        {"weights": [float("inf"), 1]},
        {"constant": 10**400},
        {"constant": "60"},
    ],
)
def test_weights_and_constant_of_fusion(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=f"{next(iter(wrong))}: found "):
        gainful.baselines.fuse([RUN, RUN], **wrong)


def test_fused_runs_have_unique_names() -> None:
    with pytest.raises(ParameterError, match="a duplicate name"):
        gainful.baselines.fuse({1: RUN, "1": RUN, "2": RUN})  # type: ignore[dict-item]


def test_a_k_beyond_all_documents() -> None:
    assert gainful.baselines.fuse([RUN, RUN], k=10**30).rows == 2
    assert gainful.Run(RUN).top(10**30).rows == 2


@pytest.mark.parametrize("corpus", [[("a", "soup")], [{"doc_id": "a", "text": "soup"}], [None]])
@pytest.mark.parametrize("ranked", [gainful.baselines.tfidf, gainful.baselines.random_order])
def test_a_corpus_in_memory_is_a_mapping(ranked: Callable[..., Any], corpus: Any) -> None:
    with pytest.raises(ArgumentError, match="found list of .* a mapping of ids to texts"):
        ranked(corpus, {"q": "soup"}, **({"stemmer": None} if "tfidf" in str(ranked) else {}))


def test_numbers_of_numpy_are_parameters() -> None:
    need("bm25s")
    queries = {"q": "soup"}
    runs = [
        gainful.baselines.bm25(DOCUMENTS, queries, k1=k1, stemmer=None)
        for k1 in (0.9, np.float64(0.9))
    ]
    assert runs[0].to_dict() == runs[1].to_dict()


@pytest.mark.parametrize(
    ("wrong", "found"),
    [
        ({"queries": {"q": "soup"}}, "queries without a corpus"),
        ({"level": "x"}, "level: found 'x'"),
        ({"level": 2}, "level: found 2"),
        ({"measures": "gmAP"}, "a geometric mean over queries"),
    ],
)
def test_invalid_arguments_of_headroom_are_errors(wrong: dict[str, Any], found: str) -> None:
    with pytest.raises(GainfulError, match=found):
        gainful.headroom(QRELS, {"x": RUN}, **wrong)


@pytest.mark.parametrize(
    "words",
    [
        ["random", "-", "-"],
        ["random", "--judged", "-", "--qrels", "-"],
        ["oracle", "-", "--run", "-"],
        ["dense", "a.npy", "b.npy", "--doc-ids", "-", "--query-ids", "-"],
    ],
)
def test_the_standard_input_is_read_once(
    words: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["baseline", *words]) == 2
    assert "the standard input (-) is given 2 times" in capfd.readouterr().err


@pytest.mark.usefixtures("small_files")
def test_with_the_run_on_standard_output_the_score_is_on_standard_error(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert main(["baseline", "oracle", "qrels.txt", "--qrels", "qrels.txt", "-o", "-"]) == 0
    out, err = capfd.readouterr()
    assert {line.split()[5] for line in out.splitlines()} == {"oracle"}
    assert "nDCG@10 between random order (floor)" in err


@pytest.mark.usefixtures("small_files")
def test_a_format_without_a_file_is_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    words = ["oracle", "qrels.txt", "--qrels", "qrels.txt", "--format", "csv"]
    assert main(["baseline", *words]) == 2
    assert "--format needs -o FILE" in capfd.readouterr().err
