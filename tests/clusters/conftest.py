"""Evaluation on clusters: Spark, Ray and Dask, each on this machine alone."""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import spark_sessions
from requirements import need


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what asks for a cluster, so that `make test` leaves it to `make test-clusters`."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
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


@pytest.fixture(params=["classic", "connect"])
def spark(request: pytest.FixtureRequest) -> Any:
    """Sessions of both kinds."""
    name = "classic_spark" if request.param == "classic" else "connected_spark"
    return request.getfixturevalue(name)


@pytest.fixture(scope="session")
def short_folder() -> Iterator[str]:
    """A folder whose path is short enough for the sockets that Ray makes in it."""
    with tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as folder:
        yield folder


@pytest.fixture(scope="module")
def ray_cluster(short_folder: str) -> Iterator[None]:
    """Ray on this machine, with two workers."""
    ray = need("ray")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # Workers find the modules of the tests where this process finds them.
    paths = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    # Ray's own settings warn of each other.
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        ray.init(
            num_cpus=2,
            _temp_dir=short_folder,
            object_store_memory=200_000_000,
            include_dashboard=False,
            logging_level="error",
            log_to_driver=False,
            runtime_env={"env_vars": paths},
        )
        ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()
