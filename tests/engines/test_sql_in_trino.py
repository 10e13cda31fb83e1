"""SQL queries for Trino, run in Trino: the kernel's rows and messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from combinations import share
from engine_server import Server
from requirements import need
from sql_collections import CONVENTIONS, compare_under
from sql_databases import OfTrino
from sql_faults import FAULTS, check_fault


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OfTrino]:
    need("sqlglot")
    need("trino")
    with Server("trino", tmp_path_factory.mktemp("trino")) as server:
        yield OfTrino(server.url)


@pytest.mark.parametrize("name", share(list(CONVENTIONS), 1, 3))
def test_rows_are_those_of_the_engine(database: OfTrino, name: str) -> None:
    compare_under(database, name)


@pytest.mark.parametrize(("policies", "judged", "listed", "message"), share(FAULTS, 1, 2))
def test_a_fault_ends_the_query(
    database: OfTrino, policies: dict[str, Any], judged: list[Any], listed: list[Any], message: str
) -> None:
    # Planning takes seconds. Without policies, the tests above show that valid data are accepted.
    check_fault(database, policies, judged, listed, message, accepts=bool(policies))
