"""SQL queries executed by databases give the kernel's rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, product
from typing import Any

import pytest

from combinations import ALL, share
from gainful.backends import sql
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
    qrels, run = drawn(seed, twice=twice)
    database.fill(qrels, run)
    text = sql.query(
        measures,
        convention=convention,
        dialect=database.dialect,
        position="at" if listed else None,
    )
    compare_rows(database.ask(text), qrels, run, measures, convention)


@pytest.mark.parametrize("name", share(list(written_presets()), 0, 3))
def test_presets(database: Any, name: str) -> None:
    convention = written_presets()[name]
    qrels, run = drawn_for_presets(name)
    database.fill(qrels, run)
    text = sql.query(
        ["nDCG@3", "nDCG"], convention=convention, dialect=database.dialect, position="at"
    )
    compare_rows(database.ask(text), qrels, run, ["nDCG@3", "nDCG"], convention)
