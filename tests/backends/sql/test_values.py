"""SQL queries executed by databases give the kernel's rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, product
from typing import Any

import pytest

from combinations import ALL, in_turn, share
from gainful.backends import sql
from gainful.conventions import Convention
from sql_collections import (
    CONVENTIONS,
    asked,
    compare_rows,
    drawn,
    drawn_for_presets,
    written_presets,
)
from sql_databases import database_of

SEEDS = (1, 2, 3)


@pytest.fixture(scope="module", params=["duckdb", "postgres"])
def database(request: pytest.FixtureRequest) -> Iterator[Any]:
    with database_of(request) as database:
        yield database


@pytest.mark.parametrize(
    ("name", "seed"), list(product(CONVENTIONS, SEEDS) if ALL else zip(CONVENTIONS, cycle(SEEDS)))
)
def test_rows_are_those_of_the_engine(database: Any, name: str, seed: int) -> None:
    convention, measures, twice, listed = asked(name)
    # Each database has a half of the measures.
    measures = share(measures, list(CONVENTIONS).index(name) + (database.dialect == "duckdb"), 2)
    qrels, run = drawn(seed, twice=twice)
    database.fill(qrels, run)
    text = sql.query(
        measures,
        convention=convention,
        dialect=database.dialect,
        position="at" if listed else None,
    )
    compare_rows(database.ask(text), qrels, run, measures, convention)


@pytest.mark.parametrize(
    ("database", "name"),
    in_turn(["duckdb", "postgres"], share(list(written_presets()), 0, 3), 2),
    indirect=["database"],
)
def test_presets(database: Any, name: str) -> None:
    convention = written_presets()[name]
    qrels, run = drawn_for_presets(name)
    database.fill(qrels, run)
    text = sql.query(
        ["nDCG@3", "nDCG"], convention=convention, dialect=database.dialect, position="at"
    )
    compare_rows(database.ask(text), qrels, run, ["nDCG@3", "nDCG"], convention)


def test_scores_beyond_32_bits_tie_as_in_the_engine(database: Any) -> None:
    convention = Convention(precision="float32")
    scores = [1e39, -3.5e38, 2e39, 3.4e38, 1.0, -1e39, 1e-50, 0.0, -1e-50, 2.0**128 - 2.0**103]
    names = "abcdefghij"
    qrels = [("q", name, number % 3) for number, name in enumerate(names)]
    run = [("q", name, score, 0) for name, score in zip(names, scores, strict=True)]
    database.fill(qrels, run)
    measures = ["nDCG@3", "RR", "AP"]
    text = sql.query(measures, convention=convention, dialect=database.dialect)
    compare_rows(database.ask(text), qrels, run, measures, convention)
