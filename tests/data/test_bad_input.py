"""Objects that are neither judgments nor runs are errors with hints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful import errors
from repeated_tests import for_each

WRONG = {
    "a number": (7, errors.ArgumentError, "a run: found int, expected a path, {query"),
    "nothing": (None, errors.ArgumentError, "found None"),
    "bytes": (b"run.txt", errors.ArgumentError, "found bytes"),
    "judgments": (gainful.Qrels({"q": {"d": 1}}), errors.ArgumentError, "judgments come first"),
    "an empty mapping": ({}, errors.FormatError, "no queries"),
    "no rows": ([], errors.FormatError, "no queries"),
    "an empty generator": (iter(()), errors.FormatError, "no queries"),
    "text under a query": ({"q": "d1"}, errors.FormatError, "query 'q': found 'd1' of type str"),
    "a set": ({"q": {"d1", "d2"}}, errors.FormatError, "a list of documents in rank order"),
    "a number under a query": ({"q": 3}, errors.FormatError, "query 'q': found 3 of type int"),
    "a triple in a ranking": ({"q": [("d", 1, 2)]}, errors.FormatError, r"found \('d', 1, 2\)"),
    "a single row": (("q", "d", 1.0), errors.ArgumentError, "a single row.*write \\[\\("),
    "a pair": ([("q", "d", 1.0), ("q", "d")], errors.FormatError, r"row 1: found \('q', 'd'\)"),
    "a longer row": ([("q", "0", "d", 1.0)], errors.FormatError, r"row 0: found \('q', '0'"),
    "numbers": ([1, 2, 3], errors.FormatError, "row 0: found 1 of type int"),
    "a path among rows": (["run.txt", 7], errors.ArgumentError, "found 7 of type int, .*paths"),
    "an empty path": ("", errors.ParameterError, "a path cannot be empty"),
}


@for_each("case", WRONG)
def test_invalid_runs_are_errors(case: str) -> None:
    found, kind, words = WRONG[case]
    with pytest.raises(kind, match=words):
        gainful.Run(found)


def test_judgments_need_documents() -> None:
    with pytest.raises(errors.FormatError, match=r"write relevant documents as \{query: \["):
        gainful.Qrels({"q": "d1"})


def test_an_open_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("q Q0 d 1 1.0 r\n")
    with (
        path.open("rb") as file,
        pytest.raises(errors.ArgumentError, match="BufferedReader.*give the path of a file"),
    ):
        gainful.Run(file)


def test_a_query_without_documents_is_an_empty_ranking() -> None:
    run = gainful.Run({"q1": {}, "q2": {"d": 1.0}})
    assert (len(run), run["q1"]) == (2, [])
    result = gainful.evaluate({"q1": {"d": 1}}, run, "RR")
    assert (result.mean(), result.counts()["missing"]) == (0.0, 0)


def test_options_of_files_are_errors_for_objects() -> None:
    with pytest.raises(errors.ArgumentError, match="'trec' for dict, which is in memory"):
        gainful.Run({"q": {"d": 1.0}}, format="trec")


@pytest.mark.parametrize("read", [gainful.read_qrels, gainful.read_run])
def test_readers_accept_only_paths(read: Any) -> None:
    with pytest.raises(errors.ArgumentError, match="found dict, expected a path"):
        read({"q": {"d": 1}})


def test_errors_name_the_input() -> None:
    with pytest.raises(errors.FormatError, match="dense, query 'q', document 'd': found nan"):
        gainful.Run({"q": {"d": float("nan")}}, name="dense")
