"""One suite for all paths: the same rows, to the last bit, whichever way judgments and run take."""

from __future__ import annotations

from pathlib import Path as Folder

import pytest

from paths_of_evaluation import COLLECTIONS, PATHS, REFERENCE, Path
from paths_of_evaluation.conventions import all_conventions, measures_of
from paths_of_evaluation.outcome import Rows
from paths_of_evaluation.refused import refused_by
from paths_of_evaluation.trying import Reference, tried
from requirements import need


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    """Return what TREC text on one thread gives."""
    return Reference(REFERENCE, lambda: tmp_path_factory.mktemp("reference"))


@pytest.mark.parametrize("name", COLLECTIONS)
@pytest.mark.parametrize("path", PATHS.values(), ids=lambda path: path.name)
def test_rows_are_the_same(path: Path, name: str, reference: Reference, tmp_path: Folder) -> None:
    for each in path.needs:
        need(each)
    if not path.takes(COLLECTIONS[name]):
        return
    found = tried(path, COLLECTIONS[name], reference, tmp_path)
    assert found.wrong == {}
    assert found.refused == refused_by(path.name, name)
    assert found.values > 0


def test_each_convention_gives_rows_for_some_collection(reference: Reference) -> None:
    """So that paths are not only held to the same errors."""
    given = {
        label
        for label in all_conventions()
        for collection in COLLECTIONS.values()
        if isinstance(reference(collection, label, measures_of(label, collection)), Rows)
    }
    assert given == set(all_conventions())
    assert len(given) > 100
