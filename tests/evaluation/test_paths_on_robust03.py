"""Every query of a real collection has the same values on all paths."""

from __future__ import annotations

import re
from pathlib import Path as Folder

import pytest

from combinations import ALL
from paths_of_evaluation import PATHS, REFERENCE, Path
from paths_of_evaluation.collections import Collection
from paths_of_evaluation.robust import CONVENTIONS, PAGE_RUNS, robust, runs
from paths_of_evaluation.trying import Reference, tried
from requirements import ROOT, need

#: Each path supports at least one of these.
QUICK = ("gainful-1", "ranx-0.3.21", "trectools-0.0.50")


@pytest.fixture(scope="module")
def folder() -> Folder:
    """Return the folder of judgments and runs."""
    return need("shared-data", "the runs of TREC 2003's Robust track") / "robust03"


@pytest.fixture(scope="module")
def collection(folder: Folder) -> Collection:
    """Return the judgments and a run with 100 rows per query, of 100 queries or of 5."""
    whole = robust(folder, "humR03dc")
    return whole if ALL else whole.part({*whole.queries()[::20]})


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    """Return the outcomes of TREC text on one thread."""
    return Reference(REFERENCE, lambda: tmp_path_factory.mktemp("reference"))


@pytest.mark.parametrize("path", PATHS.values(), ids=lambda path: path.name)
def test_a_run(path: Path, collection: Collection, reference: Reference, tmp_path: Folder) -> None:
    for each in path.needs:
        need(each)
    found = tried(path, collection, reference, tmp_path, QUICK)
    assert found.wrong == {}
    assert found.values > (500 if path.tolerance else 5_000) / (1 if ALL else 20)


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
        values += found.values if name in PAGE_RUNS else 0
    # The page states the number.
    assert numbers_of_the_page()[path.name] == f"{values:,}"


def numbers_of_the_page() -> dict[str, str]:
    """Return the number of compared values that the page states, by path."""
    page = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    table = page.partition("<!-- paths -->")[2].partition("<!-- end -->")[0]
    return dict(re.findall(r"^\| ([^|]+) \| ([\d,]+) \|", table, re.MULTILINE))


def test_the_page_names_all_paths() -> None:
    assert list(numbers_of_the_page()) == list(PATHS)
