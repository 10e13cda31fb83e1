"""Rows that clusters make are those of a file on one thread, to the last bit, under each preset."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as Folder
from typing import Any

import pytest

from paths_of_evaluation import COLLECTIONS, REFERENCE, Path, clusters
from paths_of_evaluation.trying import Reference, tried
from requirements import need

#: Connect differs in how tables and rows travel alone.
FEW = ("gainful-1", "trec_eval-9.0.8", "ranx-0.3.21", "ndeval-4.5", "scikit-learn-1.9.1")


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    """Return what TREC text on one thread gives."""
    return Reference(REFERENCE, lambda: tmp_path_factory.mktemp("reference"))


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """Ray on this machine; one that runs already is left running."""
    found = need("ray")
    running = found.is_initialized()
    if not running:
        found.init(
            num_cpus=2,
            object_store_memory=150_000_000,
            include_dashboard=False,
            logging_level="error",
            log_to_driver=False,
        )
    found.data.DataContext.get_current().enable_progress_bars = False
    yield found
    if not running:
        found.shutdown()


def hold(path: Path, name: str, reference: Reference, folder: Folder) -> None:
    """Hold a path to the reference on a collection."""
    for each in path.needs:
        need(each)
    found = tried(path, COLLECTIONS[name], reference, folder)
    assert found.wrong == {}
    assert found.values > 500


@pytest.mark.parametrize("name", clusters.COLLECTIONS)
def test_spark(name: str, reference: Reference, tmp_path: Folder, classic_spark: Any) -> None:
    hold(clusters.spark_path("Spark", classic_spark), name, reference, tmp_path)


@pytest.mark.parametrize("name", clusters.COLLECTIONS)
def test_connect(name: str, reference: Reference, tmp_path: Folder, connected_spark: Any) -> None:
    path = clusters.spark_path("Spark Connect", connected_spark, FEW)
    hold(path, name, reference, tmp_path)


@pytest.mark.parametrize("name", clusters.COLLECTIONS)
@pytest.mark.usefixtures("ray")
def test_ray(name: str, reference: Reference, tmp_path: Folder) -> None:
    hold(clusters.RAY, name, reference, tmp_path)


@pytest.mark.parametrize("name", clusters.COLLECTIONS)
def test_dask(name: str, reference: Reference, tmp_path: Folder) -> None:
    hold(clusters.DASK, name, reference, tmp_path)
