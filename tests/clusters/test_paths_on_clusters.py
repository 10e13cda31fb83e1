"""Clusters give the rows of a file on one thread, bit for bit, under each preset."""

from __future__ import annotations

from pathlib import Path as Folder
from typing import Any

import pytest

from paths_of_evaluation import COLLECTIONS, REFERENCE, Path, clusters
from paths_of_evaluation.trying import Reference, tried
from requirements import need

#: For Connect, which differs in how tables and rows travel alone, and after one collection has been
#: measured under all presets: each evaluation is a job of its own.
FEW = (
    *("gainful-1", "trec_eval-9.0.8", "ndeval-4.5", "spark-4.3.0-graded"),
    *("tensorflow-ranking-0.5.5", "gdeval-1.3"),
)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    """Return what TREC text on one thread gives."""
    return Reference(REFERENCE, lambda: tmp_path_factory.mktemp("reference"))


def hold(path: Path, name: str, reference: Reference, folder: Folder) -> None:
    """Hold a path to the reference on a collection."""
    for each in path.needs:
        need(each)
    found = tried(path, COLLECTIONS[name], reference, folder)
    assert found.wrong == {}
    assert found.values > 200


@pytest.mark.parametrize("name", clusters.COLLECTIONS)
def test_spark(name: str, reference: Reference, tmp_path: Folder, classic_spark: Any) -> None:
    under = clusters.PRESETS if name == "scattered" else FEW
    hold(clusters.spark_path("Spark", classic_spark, under), name, reference, tmp_path)


@pytest.mark.parametrize("name", clusters.COLLECTIONS)
def test_spark_files(name: str, reference: Reference, tmp_path: Folder, classic_spark: Any) -> None:
    under = clusters.PRESETS if name == "scattered" else FEW
    path = clusters.files_path("Spark, addresses", classic_spark, under)
    hold(path, name, reference, tmp_path)


@pytest.mark.parametrize("name", clusters.COLLECTIONS)
def test_connect(name: str, reference: Reference, tmp_path: Folder, connected_spark: Any) -> None:
    path = clusters.spark_path("Spark Connect", connected_spark, FEW)
    hold(path, name, reference, tmp_path)


@pytest.mark.parametrize("name", clusters.COLLECTIONS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.usefixtures("ray_cluster")
def test_ray(name: str, reference: Reference, tmp_path: Folder) -> None:
    under = clusters.PRESETS if name == "scattered" else FEW
    hold(clusters.RAY._replace(conventions=under), name, reference, tmp_path)


@pytest.mark.parametrize("name", clusters.COLLECTIONS)
def test_dask(name: str, reference: Reference, tmp_path: Folder) -> None:
    hold(clusters.DASK, name, reference, tmp_path)
