"""SQL queries for ClickHouse, run in chDB: the kernel's rows and messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from combinations import share
from requirements import need
from sql_collections import CONVENTIONS, compare_under
from sql_databases import OfClickHouse
from sql_faults import FAULTS, check_fault

pytestmark = pytest.mark.peer


@pytest.fixture(scope="module")
def database() -> Iterator[Any]:
    need("clickhouse")
    made = OfClickHouse()
    yield made
    made.close()


@pytest.mark.parametrize("name", share(list(CONVENTIONS), 2, 3))
def test_rows_are_those_of_the_engine(database: Any, name: str) -> None:
    need("sqlglot")
    compare_under(database, name)


@pytest.mark.parametrize(("policies", "judged", "listed", "message"), share(FAULTS, 0, 2))
def test_a_fault_ends_the_query(
    database: Any, policies: dict[str, Any], judged: list[Any], listed: list[Any], message: str
) -> None:
    check_fault(database, policies, judged, listed, message)
