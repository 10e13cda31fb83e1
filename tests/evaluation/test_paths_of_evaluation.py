"""All paths of evaluation give the same rows, bit for bit."""

from __future__ import annotations

import tempfile
from pathlib import Path as Folder
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from combinations import share
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


#: Each path with each collection that it takes, and the conventions under which they are compared.
#: A path has each of its conventions on one collection; each collection has all on some paths.
CASES = [
    (path, name, share(path.conventions or list(all_conventions()), number + place, parts))
    for number, path in enumerate(PATHS.values())
    for names in [[name for name in COLLECTIONS if path.takes(COLLECTIONS[name])]]
    for parts in [len(names) if len(path.conventions or all_conventions()) > len(names) else 1]
    for place, name in enumerate(names)
]


@pytest.mark.parametrize(
    ("path", "name", "labels"), CASES, ids=[f"{path.name}-{name}" for path, name, _ in CASES]
)
def test_rows_are_the_same(
    path: Path, name: str, labels: list[str], reference: Reference, tmp_path: Folder
) -> None:
    for requirement in path.needs:
        need(requirement)
    found = tried(path, COLLECTIONS[name], reference, tmp_path, labels)
    assert found.wrong == {}
    refused = refused_by(path.name, name)
    assert found.refused == {label: refused[label] for label in labels if label in refused}
    assert found.values > 0


def test_each_convention_gives_rows_for_some_collection(reference: Reference) -> None:
    """Without rows, paths would agree only on errors."""
    given = {
        label
        for label in all_conventions()
        for collection in COLLECTIONS.values()
        if isinstance(reference(collection, label, measures_of(label, collection)), Rows)
    }
    assert given == set(all_conventions())
    assert len(given) > 100


#: Paths with equal bits on every collection.
EXACT = [
    path
    for path in PATHS.values()
    if path.tolerance is None and path.conventions is None and path.collections is None
]
FLAGS = ("integers", "ties", "twice", "gaps", "unjudged", "turns")


@settings(max_examples=80)
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
