"""Search engines that run: each is started once, with the demo shop in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import engine_folders
from combinations import ALL
from engine_server import Server
from requirements import need
from serve import shop

#: Elasticsearch 8 is asked as 9 is, but for the nearest vectors, whose tests name it.
NAMES = [name for name in engine_folders.SEARCH_ENGINES if ALL or name != "elasticsearch8"]


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what asks for an engine, so that `make test` leaves it to `make test-engines`."""
    item.add_marker("engine")


@pytest.fixture(scope="session", params=NAMES)
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """Return an engine that has the demo's products in the index ``shop``."""
    need(request.param)
    with Server(request.param, tmp_path_factory.mktemp(request.param)) as server:
        server.create("shop")
        server.add("shop", shop())
        yield server
