"""Damaged sessions: what can be read of them is saved."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from gainful.cli import main
from gainful.errors import SourceError
from gainful.judging import Session, recover_session

POOL = [(f"q{q}", f"d{q}-{d}", 2) for q in range(20) for d in range(20)]
PAGE = 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "labels.session"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, float]]:
    """Return the file of a session with events of several kinds, and its grades."""
    path = tmp_path_factory.mktemp("recorded") / "labels.session"
    source = random.Random(1)
    with Session(path, POOL, scale="0=no,1=partly,4=yes") as session:
        for at, (query, document, _) in enumerate(POOL):
            session.label("ana", query, document, source.choice((0, 1, 4)), seconds=at)
            if at % 50 == 0:
                session.record("note", "ana", query, document, text=f"{at} " + "long " * 2000)
                session.label("ben", query, document, 4)
                session.undo("ben")
        session.record("query-unclear", "ben", "q3")
        grades = {
            document: grade
            for documents in session.final_grades().values()
            for document, grade in documents.items()
        }
    return path.read_bytes(), grades


@pytest.fixture
def labels(path: Path, recorded: tuple[bytes, dict[str, float]]) -> dict[str, float]:
    """Write a session without a backup, and return its grades."""
    path.write_bytes(recorded[0])
    return recorded[1]


def overwrite(path: Path, pages: Callable[[int, bytes], bool]) -> int:
    """Overwrite the second half of some pages; return their number."""
    content = bytearray(path.read_bytes())
    count = 0
    for at in range(0, len(content), PAGE):
        if pages(at // PAGE + 1, bytes(content[at : at + PAGE])):
            content[at + PAGE // 2 : at + PAGE] = b"\x55" * (PAGE // 2)
            count += 1
    path.write_bytes(content)
    return count


@pytest.mark.parametrize("seed", range(5))
def test_readable_labels_of_a_damaged_session_are_saved(
    path: Path, labels: dict[str, float], seed: int
) -> None:
    source = random.Random(seed)
    with Session(path, read_only=True) as session:
        events = {event.client_id: event for event in session.events()}
    assert overwrite(path, lambda number, _: source.random() < 0.15)
    damaged = path.read_bytes()
    saved = recover_session(path)
    assert saved is not None
    assert saved.answers + saved.lost == len(events)
    assert 0 < saved.lost < saved.answers
    assert Path(saved.damaged).read_bytes() == damaged
    with Session(path) as session:
        recovered = session.events()
        assert [event.number for event in recovered] == list(range(1, saved.answers + 1))
        # Nothing says whether the text of a long note, which has pages of its own, is damaged.
        for event in recovered:
            before = events[event.client_id]
            assert event[1:] == before._replace(text=event.text)[1:]
            assert event.text == before.text or len(event.text) > PAGE
        session.label("eva", *POOL[0][:2], 4)
        assert session.final_grades().keys() <= {query for query, *_ in POOL}
    assert recover_session(path) is None


@pytest.mark.parametrize(
    "damage",
    [
        # The header and the schema.
        lambda path: path.write_bytes(bytes(PAGE) + path.read_bytes()[PAGE:]),
        # All inner pages of tables, so that SQLite finds no row.
        lambda path: overwrite(path, lambda number, page: page[0] == 5),
    ],
    ids=["first page", "inner pages"],
)
def test_no_label_is_lost_with_other_pages(
    path: Path, labels: dict[str, float], damage: Callable[[Path], object]
) -> None:
    damage(path)
    with pytest.raises(SourceError, match="recover_session"):
        Session(path)
    saved = recover_session(path)
    assert saved is not None
    assert saved.lost == 0
    with Session(path) as session:
        assert sum(map(len, session.final_grades().values())) == len(labels)
        assert session.scale == {0: "no", 1: "partly", 4: "yes"}


def test_labels_of_the_log_and_of_the_backup_are_saved(
    path: Path, labels: dict[str, float], tmp_path: Path
) -> None:
    copy = tmp_path / "copy.session"
    with Session(path) as session:
        session.label("eva", *POOL[0][:2], 1)
        session.label("eva", *POOL[1][:2], 4)
        # As after kill -9: the last labels are in the log only.
        for name in ("", "-wal", ".backup"):
            shutil.copy(f"{path}{name}", f"{copy}{name}")
    copy.write_bytes(b"\x55" * copy.stat().st_size)
    saved = recover_session(copy)
    assert saved is not None
    assert saved.lost == 0
    with Session(copy) as session:
        assert [event.grade for event in session.events() if event.judge == "eva"] == [1, 4]
        assert len(session.labels("ana")) == len(labels)


def test_values_that_no_session_has_are_left_out(path: Path) -> None:
    with Session(path, POOL[:3]) as session:
        for query, document, _ in POOL[:3]:
            session.label("ana", query, document, 1)
        session.undo("ana")
    Path(f"{path}.backup").unlink()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TRIGGER event_is_not_changed")
        connection.execute("UPDATE event SET kind = 'grbde' WHERE id = 3")
        connection.execute("UPDATE event SET grade = 7 WHERE id = 1")
    with pytest.raises(SourceError, match="damaged"):
        Session(path)
    saved = recover_session(path)
    # The undo of a lost label is of no use.
    assert saved is not None
    assert (saved.answers, saved.lost) == (1, 3)


def test_the_command_recovers_and_continues(
    path: Path, labels: dict[str, float], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["judge", str(path), "--recover", "--status"]) == 0
    assert "not damaged" in capsys.readouterr().err
    path.write_bytes(bytes(PAGE) + path.read_bytes()[PAGE:])
    assert main(["judge", str(path), "--status"]) == 2
    assert "--recover" in capsys.readouterr().err
    assert main(["judge", str(path), "--recover", "--status"]) == 0
    printed = capsys.readouterr()
    assert "425 answers of judges; 0 are lost" in printed.err
    assert "400 of 800" in printed.out


def test_other_files_are_left_alone(path: Path) -> None:
    for content in (b"query_id,doc_id\n" * 500, b"", b"x"):
        path.write_bytes(content)
        with pytest.raises(SourceError):
            recover_session(path)
        assert path.read_bytes() == content
        assert [file.name for file in path.parent.iterdir()] == [path.name]
