"""Sessions on a full disk, and sessions whose file is deleted."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gainful.errors import SourceError
from gainful.judging import Session
from judging_servers import full_disk

POOL = [(f"q{q}", f"d{q}{d}") for q in range(3) for d in range(4)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "labels.session"


def test_a_full_disk_is_named_and_only_stored_labels_count(path: Path) -> None:
    with Session(path, POOL) as session:
        session.label("ana", *POOL[0], 1)
        with full_disk(session):
            for _ in range(2):
                with pytest.raises(SourceError, match="no space left on the device"):
                    session.label("ana", *POOL[1], 1, client_id="again")
            assert session.next("ana").doc_id == POOL[1][1]  # type: ignore[union-attr]
            assert session.next("ben").query_id == "q1"  # type: ignore[union-attr]
        assert session.event_count == len(session.events())
        assert session.judge_progress("ana").labels == session.requested - session.needed == 1
        # There is space again, and the same session goes on.
        event = session.label("ana", *POOL[1], 1, client_id="again")
        assert event.number == session.event_count == len(session.events())
    with Session(path) as session:
        assert session.judge_progress("ana").labels == 2


def test_many_threads_on_a_full_disk_lose_and_double_nothing(path: Path) -> None:
    pool = [(f"q{q}", f"d{d}") for q in range(8) for d in range(20)]
    with Session(path, pool) as session:

        def judge(name: str) -> None:
            for at, place in enumerate(pool[int(name) :: 8]):
                while True:
                    try:
                        session.label(name, *place, 1, client_id=f"{name}-{at}")
                        break
                    except SourceError:
                        is_full.wait()

        is_full = threading.Event()
        with full_disk(session):
            threads = [threading.Thread(target=judge, args=(str(n),)) for n in range(8)]
            for thread in threads:
                thread.start()
            with pytest.raises(SourceError):
                session.label("ben", *pool[0], 0)
        is_full.set()
        for thread in threads:
            thread.join()
        assert session.needed == 0
        events = session.events()
        labels = [each.client_id for each in events if each.kind == "grade"]
        assert sorted(labels) == sorted(f"{n}-{at}" for n in range(8) for at in range(20))
        assert [each.number for each in events] == list(range(1, len(events) + 1))


@pytest.mark.parametrize(
    "remove",
    [
        lambda path: path.unlink(),
        lambda path: path.rename(path.with_name("other.session")),
        lambda path: (path.unlink(), path.touch()),
        lambda path: path.with_name(f"{path.name}-wal").unlink(),
    ],
    ids=["deleted", "moved", "replaced", "log deleted"],
)
def test_a_session_that_is_deleted_ends(path: Path, remove: Callable[[Path], object]) -> None:
    with Session(path, POOL) as session:
        session.label("ana", *POOL[0], 1)
        assert session.end is None
        remove(path)
        for _ in range(2):
            with pytest.raises(SourceError, match="deleted, moved or replaced") as caught:
                session.label("ana", *POOL[1], 1)
        assert session.end is caught.value
        with pytest.raises(SourceError, match="deleted, moved or replaced"):
            session.next("ana")
    # All that was confirmed is in the backup.
    with Session(f"{path}.backup", read_only=True) as session:
        assert session.final_grades()["q0"][POOL[0][1]] == 1


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_only_its_owner_can_read_a_session(path: Path) -> None:
    with Session(path, POOL) as session:
        session.label("ana", *POOL[0], 1)
        modes = {
            each.name: each.stat().st_mode & 0o077 for each in path.parent.glob(f"{path.name}*")
        }
    assert modes.keys() >= {path.name, f"{path.name}-wal"}
    assert (path.with_name(f"{path.name}.backup").stat().st_mode & 0o077) == 0
    assert set(modes.values()) == {0}
