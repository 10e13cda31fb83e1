"""Weights, clusters and slices of the queries of several collections."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import gainful
from gainful.cli import main
from gainful.errors import ParameterError, SourceNotFoundError
from gainful.inference.design import Design
from gainful.suite.call import find_in_collections
from json_schema import errors, schema_of

SYSTEMS = ("bm25", "dense", "both")


def collection(size: int, seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    chance = random.Random(seed)
    qrels = {
        f"q{at}": {f"d{n}": chance.choice([0, 0, 1, 2]) for n in range(12)} for at in range(size)
    }
    runs = {
        system: {
            query: {doc: chance.random() + 0.2 * grade for doc, grade in grades.items()}
            for query, grades in qrels.items()
        }
        for system in SYSTEMS
    }
    return qrels, runs


def labels(qrels: dict[str, Any], kinds: int) -> dict[str, str]:
    return {query: f"kind {at % kinds}" for at, query in enumerate(qrels)}


@pytest.mark.parametrize("baseline", [None, "bm25"])
def test_one_collection_gives_the_pairs_of_compare(baseline: str | None) -> None:
    qrels, runs = collection(24, 1)
    users, kinds = labels(qrels, 9), labels(qrels, 3)
    weights = {query: 1.0 + at % 4 for at, query in enumerate(qrels)}
    alone = gainful.compare(
        qrels, runs, baseline=baseline, weights=weights, clusters=users, by=kinds, resamples=999
    )
    suite = gainful.evaluate_suite(
        {"only": (qrels, runs)},
        weights={"only": weights},
        clusters={"only": users},
        by={"only": kinds},
    )
    found = suite.compare(baseline, resamples=999)
    assert [pair.to_dict() for pair in found.pairs] == [pair.to_dict() for pair in alone.pairs]
    assert found.segments.keys() == alone.segments.keys()
    for name, pairs in found.segments.items():
        expected = alone.segments[name]
        assert [each.to_dict() for each in pairs] == [each.to_dict() for each in expected]
        for pair in pairs:
            macro = suite.macro(system=pair.system, slice=name)
            assert macro is not None
            assert macro.mean == pytest.approx(pair.mean)


def test_clusters_widen_the_interval_of_the_macro_average_as_a_stratified_design() -> None:
    first, second = collection(12, 2), collection(20, 3)
    users = labels(first[0], 4)
    suite = gainful.evaluate_suite({"a": first, "b": second}, clusters={"a": users})
    macro = suite.macro(system="dense")
    values = [suite.per_query(system="dense", collection=name) for name in ("a", "b")]
    flat = [value for own in values for value in own.values()]
    design = Design(
        len(flat),
        strata=["a"] * 12 + ["b"] * 20,
        clusters=[f"a {users[query]}" for query in values[0]] + [f"b {q}" for q in values[1]],
    )
    assert macro is not None
    assert macro.standard_error == pytest.approx(design.standard_error(flat))
    plain = gainful.evaluate_suite({"a": first, "b": second}).macro(system="dense")
    assert plain is not None
    assert macro.df is not None
    assert plain.df is not None
    assert macro.df < plain.df


def test_a_slice_is_averaged_over_the_collections_that_have_it() -> None:
    first, second = collection(12, 4), collection(9, 5)
    by = {"a": labels(first[0], 2), "b": dict.fromkeys(second[0], "kind 0")}
    suite = gainful.evaluate_suite({"a": first, "b": second}, "P@5", by=by)
    both, one = (
        suite.macro(system="both", slice="kind 0"),
        suite.macro(system="both", slice="kind 1"),
    )
    assert both is not None
    assert one is not None
    assert (both.collections, one.collections) == (("a", "b"), ("a",))
    values = suite.per_query(system="both", collection="a")
    kinds = [[v for q, v in values.items() if by["a"][q] == f"kind {n}"] for n in (0, 1)]
    rest = suite.value(system="both", collection="b")
    assert rest is not None
    assert both.mean == pytest.approx((sum(kinds[0]) / len(kinds[0]) + rest) / 2)
    assert one.mean == pytest.approx(sum(kinds[1]) / len(kinds[1]))
    assert suite.compare("bm25", resamples=200).segments["kind 1"][0].n == 6


def test_unknown_slices_and_collections_are_errors() -> None:
    suite = gainful.evaluate_suite({"a": collection(4, 6)})
    with pytest.raises(ParameterError, match="the queries were not sliced"):
        suite.macro(system="bm25", slice="kind 0")
    with pytest.raises(ParameterError, match="unknown collection 'z'"):
        gainful.evaluate_suite({"a": collection(4, 6)}, by={"z": {"q0": "x"}})
    with pytest.raises(ParameterError, match="a cluster is missing"):
        gainful.evaluate_suite({"a": collection(4, 6)}, clusters={"a": {"q0": "x"}}).macro(
            system="bm25"
        )


@pytest.mark.parametrize("more", [[], ["--baseline", "fts5-plain"]])
def test_the_command_line_reads_files_of_each_collection(small_files, output_of, more) -> None:
    for name in ("help", "recipes"):
        folder = small_files / "collections" / name
        queries = sorted(
            {line.split()[0] for line in (folder / "qrels.txt").read_text().splitlines()}
        )
        rows = [f"{query}\t{'ab'[at % 2]}\tu{at // 3}" for at, query in enumerate(queries)]
        (folder / "kinds.tsv").write_text("\n".join(["query_id\tkind\tuser", *rows]) + "\n")
    (small_files / "collections" / "help" / "weights.txt").write_text(
        "".join(f"{row.split()[0]} {2 + at}\n" for at, row in enumerate(rows_of_help(small_files)))
    )
    words = ["evaluate-suite", "collections", "--by", "kinds.tsv:kind", "--clusters"]
    words += ["kinds.tsv:user", "--weights", "weights.txt", "--resamples", "500", *more]
    found = json.loads(output_of(*words, "--format", "json"))
    assert errors(found, schema_of("suite")) == []
    assert set(found["slices"]) == set(found["comparison"]["slices"]) == {"a", "b"}
    assert found["by"] == "kind"
    assert "by kind" in output_of(*words)


def rows_of_help(folder) -> list[str]:
    text = (folder / "collections" / "help" / "kinds.tsv").read_text()
    return text.splitlines()[1:]


def test_several_attributes_slice_the_collections() -> None:
    (first, runs), second = collection(8, 1), collection(6, 2)
    kinds, users = labels(first, 2), labels(first, 4)
    suite = gainful.evaluate_suite(
        {"a": (first, runs), "b": second},
        by={"a": {"kind": kinds, "user": users}, "b": {"kind": labels(second[0], 3)}},
    )
    assert suite.attribute == "kind, user"
    assert {name: tuple(parts) for name, parts in suite.slices.items()} == {
        "kind: kind 0": ("a", "b"),
        "kind: kind 1": ("a", "b"),
        "kind: kind 2": ("b",),
        **{f"user: kind {at}": ("a",) for at in range(4)},
        "user: (none)": ("b",),
    }
    alone = gainful.evaluate_suite({"a": (first, runs)}, by={"a": users})
    for at in range(4):
        macro = alone.macro(system="bm25", slice=f"kind {at}")
        assert suite.macro(system="bm25", slice=f"user: kind {at}") == macro


def test_a_file_that_no_collection_has_is_an_error(small_files, capsys) -> None:
    with pytest.raises(SourceNotFoundError, match="in any collection's folder"):
        find_in_collections("collections", ["help", "recipes"], "none.tsv:kind")
    assert main(["evaluate-suite", "collections", "--by", "none.tsv"]) == 2
    assert "none.tsv" in capsys.readouterr().err
