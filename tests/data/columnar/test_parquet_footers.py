"""Parquet files with wrong footers or page headers: an error, in little memory."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import gainful
from combinations import ALL
from gainful.errors import SourceError
from limited_memory import READ_ALL, run_limited
from repeated_tests import for_each
from requirements import need
from thrift_compact import (
    BINARY,
    LIST,
    STRUCT,
    Field,
    List,
    Struct,
    footer,
    lie,
    with_footer,
    with_header,
    written,
)

pa = need("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

QRELS = {"q1": {"d1": 1}}


def content(compression: str = "snappy", **options: Any) -> bytes:
    """Return a run of three columns as Parquet."""
    table = pa.table(
        {
            "query_id": [f"q{row // 10}" for row in range(40)],
            "doc_id": [f"d{row % 10}" for row in range(40)],
            "score": [float(-row) for row in range(40)],
        }
    )
    sink = io.BytesIO()
    pq.write_table(table, sink, compression=compression, row_group_size=20, **options)
    return sink.getvalue()


def lying(change: Callable[[Struct], None]) -> bytes:
    """Return a Parquet file with a changed footer."""
    whole = content()
    found = footer(whole)
    change(found)
    return with_footer(whole, found)


def element(name: bytes, children: int | None = None) -> Struct:
    """Return a schema element: a group, or a column of doubles."""
    if children is None:
        return Struct([Field(1, 5, 5), Field(3, 5, 0), Field(4, BINARY, name)])
    return Struct([Field(3, 5, 0), Field(4, BINARY, name), Field(5, 5, children)])


# --- the footer -----------------------------------------------------------------------------------


def test_missing_children_of_a_schema_are_errors() -> None:
    path = need("shared-data") / "hostile" / "schema-claims-children.parquet"
    evaluate = "from gainful.cli import main\nsys.exit(main(['evaluate', *sys.argv[1:]]))"
    done = run_limited(evaluate, path, path, "-m", "AP")
    assert done.status == 2
    assert "claims more children than the schema has" in done.error
    assert len(done.error.splitlines()) == 1
    with pytest.raises(SourceError, match="claims more children than the schema has"):
        gainful.read_run(path)


def set_children(count: int) -> Callable[[Struct], None]:
    return lambda found: setattr(found[2].items[0].at(5), "value", count)


def nested(deep: int) -> Callable[[Struct], None]:
    def change(found: Struct) -> None:
        groups = [element(b"g", 1)] * deep
        found[2].items[1:2] = [*groups, found[2].items[1]]

    return change


def long_names(found: Struct) -> None:
    """Add a group with a long name, which is copied for each of its columns."""
    columns = [element(b"c") for _ in range(2000)]
    found[2].items += [element(b"g" * 100_000, len(columns)), *columns]
    found[2].items[0].at(5).value += 1


def claim(id: int, count: int = 2**31 - 1) -> Callable[[Struct], None]:
    return lambda found: setattr(found[id], "claimed", count)


def unknown_booleans(found: Struct) -> None:
    """Add an unknown field with lists of booleans, which other readers would count."""
    found.put(60, LIST, List(LIST, [List(1, [], 2**31 - 1) for _ in range(40)]))


def hidden(found: Struct) -> None:
    """Write the version as bytes that contain a footer, which readers that ignore types use."""
    inner = footer(content())
    set_children(2**31 - 1)(inner)
    found.at(1).kind = BINARY
    found.at(1).value = written(inner)


@for_each(
    ("change", "message"),
    [
        (set_children(2**31 - 1), "more children than the schema has"),
        (set_children(4), "more children than the schema has"),
        (set_children(-1), "more children than the schema has"),
        (set_children(2), "elements that belong to no column"),
        (nested(100_000), "nested more than 128 deep"),
        (long_names, "names of its columns .* take more than 64 MiB"),
        (claim(2), "claims more elements than there are bytes"),
        (claim(4), "claims more elements than there are bytes"),
        (claim(4, 300), "columns|truncated|type"),
        (claim(5), "claims more elements than there are bytes"),
        (claim(7), "claims more elements than there are bytes"),
        (lambda found: claim(1)(found[4].items[0]), "more elements than there are bytes"),
        (unknown_booleans, "metadata"),
        (hidden, "another type than it should"),
        (lambda found: found.fields.append(Field(2, LIST, found[2])), "two schemas"),
        (lambda found: found[2].items.append(element(b"x" * 20)), "belong to no column"),
        (lambda found: found[4].items.append(Struct()), "lacks its columns or its size"),
        (lambda found: found[2].items.__setitem__(1, Struct([Field(1, 5, 5)])), "has no name"),
        (
            lambda found: found.put(2, LIST, List(STRUCT, [element(b"", 263_000)] * 263_000)),
            "more than 262144 elements",
        ),
    ],
)
def test_wrong_footers_are_errors(
    change: Callable[[Struct], None], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "run.parquet"
    path.write_bytes(lying(change))
    with pytest.raises(SourceError, match=message) as caught:
        gainful.read_run(path)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value).splitlines()) == 1


def test_unusual_footers_are_valid(tmp_path: Path) -> None:
    """Nested columns, unknown fields and a long footer are valid."""
    path = tmp_path / "run.parquet"
    deep = pa.array([{"a": {"b": [1, 2]}, "c": None}] * 4)
    table = pa.table({"query_id": ["q1"] * 4, "deep": deep, "doc_id": list("abcd")})
    table = table.append_column("score", pa.array([4.0, 3.0, 2.0, 1.0]))
    table = table.replace_schema_metadata({"note": "x" * 1_000_000})
    pq.write_table(table, path)
    found = footer(path.read_bytes())
    found.put(90, STRUCT, Struct([Field(1, LIST, List(BINARY, [b"later"]))]))
    path.write_bytes(with_footer(path.read_bytes(), found))
    assert gainful.evaluate({"q1": {"b": 1}}, path, "RR").mean() == 0.5


# --- headers of pages -----------------------------------------------------------------------------


@for_each("dictionary", [False, True])
@for_each("version", ["1.0", "2.0"])
@for_each("compression", ["snappy", "zstd", "gzip", "lz4"])
def test_wrong_page_lengths_are_errors(
    compression: str, version: str, dictionary: bool, tmp_path: Path
) -> None:
    whole = content(compression, data_page_version=version, use_dictionary=dictionary)
    path = tmp_path / "run.parquet"
    path.write_bytes(with_header(whole, lambda header: None))
    assert gainful.evaluate(QRELS, path, "RR").mean() == 0.5
    path.write_bytes(with_header(whole, lambda header: setattr(header.at(2), "value", 2**31 - 1)))
    with pytest.raises(SourceError, match="page claims to be longer than its compressed bytes"):
        gainful.evaluate(QRELS, path, "RR")
    path.write_bytes(with_header(whole, lambda header: setattr(header.at(3), "value", 2**31 - 1)))
    with pytest.raises(SourceError, match="ends before its pages do"):
        gainful.evaluate(QRELS, path, "RR")


def test_long_statistics_in_a_header(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"

    def put(header: Struct) -> None:
        header[5].put(5, STRUCT, Struct([Field(5, BINARY, b"d" * 3_000_000)]))

    path.write_bytes(with_header(content(use_dictionary=False), put))
    assert gainful.evaluate(QRELS, path, "RR").mean() == 0.5

    def booleans(header: Struct) -> None:
        header[5].put(9, LIST, List(1, [], 2**31 - 1))

    path.write_bytes(with_header(content(use_dictionary=False), booleans))
    with pytest.raises(SourceError, match="metadata"):
        gainful.evaluate(QRELS, path, "RR")


# --- random changes -------------------------------------------------------------------------------


def test_random_wrong_numbers(tmp_path: Path) -> None:
    kinds = [
        content("snappy"),
        content("zstd", use_dictionary=False, data_page_version="2.0"),
        content("gzip", use_dictionary=False, column_encoding={"doc_id": "DELTA_BYTE_ARRAY"}),
    ]
    count = 300 if ALL else 100
    for seed in range(count):
        chance = random.Random(seed)
        whole = kinds[seed % len(kinds)]
        if seed % 2:
            found = footer(whole)
            lie(found, chance)
            whole = with_footer(whole, found)
        else:
            whole = with_header(whole, partial(lie, chance=chance), seed % 3)
        (tmp_path / f"{seed:03}.parquet").write_bytes(whole)
    done = run_limited(READ_ALL, tmp_path)
    lines = done.out.splitlines()
    assert done.status == 0, (lines[-1:], done.error)
    assert len(lines) == 2 * count
    ends = [line.split(" ", 2)[1] for line in lines]
    assert set(ends) == {"read", "1"}
    assert ends.count("1") > count / 2
    assert done.peak < 500
