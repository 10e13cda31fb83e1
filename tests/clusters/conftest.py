"""Evaluation on clusters: Spark, Ray and Dask, each on this machine alone."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterator
from typing import Any

import pytest

import spark_sessions
from combinations import share
from paths_of_evaluation import clusters

#: The kinds of sessions that a user of Spark has, with their fixtures.
SESSIONS = {"classic": "classic_spark", "connect": "connected_spark"}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test of any session in one of either kind; with ``ALL=1``, in both."""
    if "spark" in metafunc.fixturenames:
        number = zlib.crc32(metafunc.function.__name__.encode())
        metafunc.parametrize("spark", share(list(SESSIONS), number, len(SESSIONS)), indirect=True)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what asks for a cluster, so that `make test` leaves it to `make test-clusters`."""
    item.add_marker("cluster")
    # PySpark says so of a pandas that nothing here calls.
    item.add_marker(pytest.mark.filterwarnings("ignore:PySpark does not yet fully support"))


@pytest.fixture(scope="session")
def classic_spark() -> Any:
    """A session of Spark in this process, which lives as long as that."""
    return spark_sessions.classic()


@pytest.fixture(scope="session")
def connected_spark() -> Iterator[Any]:
    """A session of Spark Connect."""
    with spark_sessions.connected() as session:
        yield session


@pytest.fixture
def spark(request: pytest.FixtureRequest) -> Any:
    """A session of the kind that `pytest_generate_tests` chose."""
    return request.getfixturevalue(SESSIONS[request.param])


@pytest.fixture(scope="session")
def short_folder() -> Iterator[str]:
    """A folder whose path is short enough for the sockets that Ray makes in it."""
    with tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as folder:
        yield folder


@pytest.fixture(scope="session")
def ray_cluster(short_folder: str) -> Iterator[None]:
    """Ray on this machine, with two workers."""
    with clusters.ray_here(short_folder):
        yield
