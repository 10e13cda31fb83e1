"""Every query of a real collection has the same values on all paths."""

from __future__ import annotations

import re
from pathlib import Path as Folder

import pytest

from paths_of_evaluation import PATHS, REFERENCE, Path
from paths_of_evaluation.collections import Collection
from paths_of_evaluation.robust import CONVENTIONS, robust, runs
from paths_of_evaluation.trying import Reference, tried
from requirements import ROOT, need

QUICK = ("gainful-1", "ranx-0.3.21", "scikit-learn-1.9.1")


@pytest.fixture(scope="module")
def folder() -> Folder:
    """Return the folder of judgments and runs."""
    return need("shared-data", "the runs of TREC 2003's Robust track") / "robust03"


@pytest.fixture(scope="module")
def collection(folder: Folder) -> Collection:
    """Return the judgments and a run of a hundred rows a query."""
    return robust(folder, "humR03dc")


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    """Return what TREC text on one thread gives."""
    return Reference(REFERENCE, lambda: tmp_path_factory.mktemp("reference"))


@pytest.mark.parametrize("path", PATHS.values(), ids=lambda path: path.name)
def test_a_run(path: Path, collection: Collection, reference: Reference, tmp_path: Folder) -> None:
    for each in path.needs:
        need(each)
    found = tried(path, collection, reference, tmp_path, QUICK)
    assert found.wrong == {}
    assert found.values > 10_000 or path.tolerance
    assert found.values + len(found.refused) > 1_000


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS.values(), ids=lambda path: path.name)
def test_all_runs(path: Path, folder: Folder, tmp_path_factory: pytest.TempPathFactory) -> None:
    for each in path.needs:
        need(each)
    made = tmp_path_factory.mktemp
    values = 0
    for name in runs(folder):
        own = Reference(REFERENCE, lambda: made("reference"))
        found = tried(path, robust(folder, name), own, made("path"), CONVENTIONS)
        assert found.wrong == {}
        values += found.values
    # The page has the number.
    page = (ROOT / "docs" / "exactness.md").read_text(encoding="utf-8")
    (told,) = re.findall(rf"^\| {re.escape(path.name)} \| ([\d,]+) \|", page, re.MULTILINE)
    assert f"{values:,}" == told


def test_the_page_names_all_paths() -> None:
    page = (ROOT / "docs" / "exactness.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| ([^|]+) \| [\d,]+ \|", page, re.MULTILINE)
    assert [name for name in PATHS if name not in told] == []
