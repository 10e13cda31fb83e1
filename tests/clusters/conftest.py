"""Evaluation on clusters: Spark, Ray and Dask, each on this machine alone."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what asks for a cluster, so that `make test` leaves it to `make test-clusters`."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker("cluster")
