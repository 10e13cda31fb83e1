"""Every query of a real run has the same values on clusters as in a file on one thread."""

from __future__ import annotations

from pathlib import Path as Folder
from typing import Any

import pytest

from paths_of_evaluation import REFERENCE, Collection, Path, clusters
from paths_of_evaluation.robust import robust
from paths_of_evaluation.trying import Reference, tried
from requirements import need

UNDER = ("gainful-1", "trectools-0.0.50", "ndeval-4.5")


@pytest.fixture(scope="module")
def collection() -> Collection:
    """Return the judgments and a run of a hundred rows a query."""
    folder = need("shared-data", "the runs of TREC 2003's Robust track") / "robust03"
    return robust(folder, "humR03dc")


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    """Return what TREC text on one thread gives."""
    return Reference(REFERENCE, lambda: tmp_path_factory.mktemp("reference"))


def hold(path: Path, collection: Collection, reference: Reference, folder: Folder) -> None:
    """Hold a path to the reference."""
    for each in path.needs:
        need(each)
    found = tried(path, collection, reference, folder, UNDER)
    assert found.wrong == {}
    assert found.values > 10_000


def test_spark(
    collection: Collection, reference: Reference, tmp_path: Folder, classic_spark: Any
) -> None:
    hold(clusters.spark_path("Spark", classic_spark), collection, reference, tmp_path)


def test_connect(
    collection: Collection, reference: Reference, tmp_path: Folder, connected_spark: Any
) -> None:
    hold(clusters.spark_path("Spark Connect", connected_spark), collection, reference, tmp_path)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.usefixtures("ray_cluster")
def test_ray(collection: Collection, reference: Reference, tmp_path: Folder) -> None:
    hold(clusters.RAY, collection, reference, tmp_path)


def test_dask(collection: Collection, reference: Reference, tmp_path: Folder) -> None:
    hold(clusters.DASK, collection, reference, tmp_path)
