"""All paths of evaluation give the same rows, bit for bit."""

from __future__ import annotations

import tempfile
from pathlib import Path as Folder
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from combinations import share
from gainful.conventions import presets
from paths_of_evaluation import COLLECTIONS, PATHS, REFERENCE, Path
from paths_of_evaluation.collections import drawn
from paths_of_evaluation.conventions import all_conventions, measures_of
from paths_of_evaluation.outcome import Rows
from paths_of_evaluation.refused import refused_by
from paths_of_evaluation.trying import Reference, tried
from requirements import need


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    """Return the outcomes of TREC text on one thread."""
    return Reference(REFERENCE, lambda: tmp_path_factory.mktemp("reference"))


PRESETS = [preset.name for preset in presets()]


def conventions_of(path: Path, number: int) -> list[str]:
    """Return all values of policies, and a third of the presets, which combine them."""
    chosen = share(PRESETS, number, 3)
    labels = path.conventions or all_conventions()
    return [label for label in labels if label in chosen or label not in PRESETS]


@pytest.mark.parametrize(
    ("number", "path"), list(enumerate(PATHS.values())), ids=[path.name for path in PATHS.values()]
)
def test_rows_are_the_same(number: int, path: Path, reference: Reference, tmp_path: Folder) -> None:
    """A path has each convention on one collection; each collection has all on some paths."""
    for requirement in path.needs:
        need(requirement)
    labels = conventions_of(path, number)
    names = [name for name in COLLECTIONS if path.takes(COLLECTIONS[name])]
    values = 0
    for place, name in enumerate(names):
        under = share(labels, number + place, min(len(names), len(labels)))
        (tmp_path / name).mkdir()
        found = tried(path, COLLECTIONS[name], reference, tmp_path / name, under)
        assert (name, found.wrong) == (name, {})
        refused = refused_by(path.name, name)
        assert found.refused == {label: refused[label] for label in under if label in refused}
        values += found.values
    assert values > 0


def test_each_convention_gives_rows_for_some_collection(reference: Reference) -> None:
    """Without rows, paths would agree only on errors."""
    assert len(all_conventions()) > 100
    for label in all_conventions():
        outcomes = (
            reference(collection, label, measures_of(label, collection))
            for collection in COLLECTIONS.values()
        )
        assert any(isinstance(outcome, Rows) for outcome in outcomes), label


#: Paths with equal bits on every collection.
EXACT = [
    path
    for path in PATHS.values()
    if path.tolerance is None and path.conventions is None and path.collections is None
]
FLAGS = ("integers", "ties", "twice", "gaps", "unjudged", "turns")


@given(
    seed=st.integers(0, 10**9),
    flags=st.fixed_dictionaries({flag: st.booleans() for flag in FLAGS}),
    grades=st.sampled_from([(1, 0), (3, 0, 0, 1, 2), (0, 0, 1, 2, 3, 4, -1, 0.5)]),
    count=st.integers(9, 14),
    path=st.sampled_from(EXACT),
    label=st.sampled_from(sorted(all_conventions())),
)
def test_rows_of_other_collections(
    seed: int, flags: Any, grades: Any, count: int, path: Path, label: str
) -> None:
    for each in path.needs:
        need(each)
    collection = drawn(str(seed), grades=grades, count=count, **flags)
    assume(path.takes(collection))
    # If several queries are invalid in scattered rows, any may be reported.
    path = path._replace(lacks=path.lacks | {"first error"})
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        reference = Reference(REFERENCE, lambda: Folder(one))
        assert tried(path, collection, reference, Folder(other), [label]).wrong == {}
