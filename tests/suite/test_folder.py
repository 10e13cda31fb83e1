"""The judgments and runs in a folder of collections."""

from __future__ import annotations

from pathlib import Path

import pytest

import gainful
from gainful.errors import ParameterError, SourceError, SourceNotFoundError
from gainful.suite import read_folder

QRELS = "q1 0 d1 1\n"
RUN = "q1 Q0 d1 1 1.0 x\n"


def files(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(QRELS if path.name.startswith("qrels") or "qrels" in name else RUN)


def found(folder: Path) -> dict[str, tuple[str, list[str]]]:
    return {
        name: (str(Path(qrels).relative_to(folder)), sorted(runs))
        for name, (qrels, runs) in read_folder(folder).collections.items()
    }


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("a/qrels.txt", "a/bm25.run", "a/dense.run.gz"), ("a/qrels.txt", ["bm25", "dense"])),
        (("a/qrels.robust.txt", "a/RUN.RES"), ("a/qrels.robust.txt", ["RUN"])),
        (("a/qrels.tsv", "a/runs/bm25.txt", "a/runs/dense"), ("a/qrels.tsv", ["bm25", "dense"])),
        (("a/qrels/test.tsv", "a/qrels/dev.tsv", "a/x.run"), ("a/qrels/test.tsv", ["x"])),
        (("a/qrels/all.tsv", "a/x.run"), ("a/qrels/all.tsv", ["x"])),
        (("a/qrels.txt", "a/x.run", "a/docs.jsonl", "a/.y.run"), ("a/qrels.txt", ["x"])),
        # With a folder runs, files outside it are not runs.
        (("a/qrels.txt", "a/old.run", "a/runs/x.run"), ("a/qrels.txt", ["x"])),
    ],
)
def test_layouts(tmp_path: Path, names: tuple[str, ...], expected: tuple[str, list[str]]) -> None:
    files(tmp_path, *names)
    assert found(tmp_path) == {"a": expected}


def test_collections_are_sorted_and_other_folders_are_listed(tmp_path: Path) -> None:
    files(tmp_path, "b/qrels", "b/x.run", "a/qrels", "a/x.run", "scripts/go.sh", "README.md")
    files(tmp_path, ".git/qrels", ".git/x.run")
    folder = read_folder(tmp_path)
    assert list(folder.collections) == ["a", "b"]
    assert folder.left_out == ("scripts",)
    assert gainful.evaluate_suite(tmp_path).left_out == ("scripts",)
    note = "Subfolders without judgments and runs: scripts."
    assert note in str(gainful.evaluate_suite(tmp_path))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "the folder contains no collection"),
        (("qrels.txt", "bm25.run"), "the folder contains no collection"),
        (("a/x.run", "a/y.run"), "2 runs but no judgments"),
        (("a/x.run",), "1 run but no judgments"),
        (("a/qrels.txt", "a/x.txt"), "judgments (qrels.txt) but no run"),
        (("a/qrels.txt", "a/qrels.old", "a/x.run"), "could be the judgments: qrels.old, qrels.txt"),
        (("a/qrels/a.tsv", "a/qrels/b.tsv", "a/x.run"), "could be the judgments: a.tsv, b.tsv"),
        (
            ("a/qrels.txt", "a/x.run", "a/x.run.gz"),
            "two runs have the name 'x': x.run and x.run.gz",
        ),
    ],
)
def test_ambiguous_folders_are_rejected(
    tmp_path: Path, names: tuple[str, ...], message: str
) -> None:
    files(tmp_path, *names)
    with pytest.raises(ParameterError) as error:
        read_folder(tmp_path)
    assert message in str(error.value)


def test_paths_that_are_not_folders_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(SourceNotFoundError):
        read_folder(tmp_path / "none")
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceError, match="found a file"):
        read_folder(tmp_path / "file")
