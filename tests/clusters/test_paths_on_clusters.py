"""Clusters give the rows of a file on one thread, bit for bit, under each preset."""

from __future__ import annotations

from pathlib import Path as Folder
from typing import Any

import pytest

from combinations import share
from paths_of_evaluation import COLLECTIONS, REFERENCE, Path, clusters
from paths_of_evaluation.trying import Reference, tried
from requirements import need

#: Each evaluation is a job of its own, so a path is compared under a quarter of the presets, each
#: on one collection. Connect, which differs in how tables and rows travel alone, has few.
FEW = (
    *("gainful-1", "trec_eval-9.0.8", "ndeval-4.5", "spark-4.3.0-graded"),
    *("tensorflow-ranking-0.5.5", "gdeval-1.3"),
)


def presets_for(name: str, number: int) -> tuple[str, ...]:
    """Return the presets for a path, which has a number, on a collection."""
    place = clusters.COLLECTIONS.index(name)
    return tuple(share(clusters.PRESETS, number + place, 4 * len(clusters.COLLECTIONS)))


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    """Return what TREC text on one thread gives."""
    return Reference(REFERENCE, lambda: tmp_path_factory.mktemp("reference"))


def compare(path: Path, name: str, reference: Reference, folder: Folder) -> None:
    """Compare a path with the reference on a collection."""
    for requirement in path.needs:
        need(requirement)
    result = tried(path, COLLECTIONS[name], reference, folder)
    assert result.wrong == {}
    assert result.values > 60


@pytest.mark.parametrize("name", clusters.COLLECTIONS)
def test_spark(name: str, reference: Reference, tmp_path: Folder, classic_spark: Any) -> None:
    path = clusters.spark_path("Spark", classic_spark, presets_for(name, 0))
    compare(path, name, reference, tmp_path)


@pytest.mark.parametrize("name", clusters.COLLECTIONS)
def test_spark_files(name: str, reference: Reference, tmp_path: Folder, classic_spark: Any) -> None:
    path = clusters.files_path("Spark, addresses", classic_spark, presets_for(name, 3))
    compare(path, name, reference, tmp_path)


@pytest.mark.parametrize("name", clusters.COLLECTIONS)
def test_connect(name: str, reference: Reference, tmp_path: Folder, connected_spark: Any) -> None:
    under = share(FEW, clusters.COLLECTIONS.index(name), len(clusters.COLLECTIONS))
    path = clusters.spark_path("Spark Connect", connected_spark, tuple(under))
    compare(path, name, reference, tmp_path)


@pytest.mark.parametrize("name", clusters.COLLECTIONS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.usefixtures("ray_cluster")
def test_ray(name: str, reference: Reference, tmp_path: Folder) -> None:
    path = clusters.RAY._replace(conventions=presets_for(name, 1))
    compare(path, name, reference, tmp_path)


@pytest.mark.parametrize("name", clusters.COLLECTIONS)
def test_dask(name: str, reference: Reference, tmp_path: Folder) -> None:
    path = clusters.DASK._replace(conventions=presets_for(name, 4))
    compare(path, name, reference, tmp_path)
