"""After a power failure files are the old or the new ones, and what was acknowledged is kept."""

from __future__ import annotations

import os
import random
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

import pytest

from file_writers import ADDRESS, OLD, STORES, WRITERS, prepare
from gainful.errors import GainfulError
from http_faults import serving
from power_loss import Crash, Event, crashes, events_of, python, record, write_folder
from requirements import need
from stub_llm import grading

need("strace")

#: Random states per call, and states per store. ``make test-hostile`` tries more.
ALL = os.environ.get("GAINFUL_FAULTS") == "all"
SAMPLES = 40 if ALL else 4
STATES = 5000 if ALL else 18

RUN = str(Path(__file__).with_name("write_files.py"))


class Recorded(NamedTuple):
    """What a program did in a folder, and the files in it before."""

    events: list[Event]
    before: dict[str, bytes]
    folder: Path


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recorded]:
    """Record a program that writes files in several folders."""
    place = tmp_path_factory.mktemp("recorded")
    files = {}
    for name in ("replace", *STORES):
        folder = place / name
        folder.mkdir()
        prepare(folder)
        for writer in WRITERS if name == "replace" else ():
            (folder / writer).write_bytes(OLD)
        files[name] = {str(path.resolve()): path.read_bytes() for path in folder.iterdir()}
    log = place / "log"
    with serving(grading()) as server, pytest.MonkeyPatch.context() as patched:
        patched.setenv(ADDRESS, server.url)
        record(python(RUN, place), log)
    recorded = {}
    for name, before in files.items():
        events = events_of(log, place / name)
        # What others acknowledge is nothing to this folder.
        entries = [e for e in events if e.kind != "printed" or e.path.startswith(f"{name}: ")]
        recorded[name] = Recorded(entries, before, place / name)
    return recorded


def test_replaced_files_are_old_or_new(recorded: dict[str, Recorded]) -> None:
    events, before, _ = recorded["replace"]
    after = {path: Path(path).read_bytes() for path in before}
    assert len(set(after.values()) - {OLD}) >= len(WRITERS) - 2
    count = 0
    for crash in crashes(events, before, random.Random(1), SAMPLES):
        count += 1
        for path, content in before.items():
            found = crash.files[path]
            assert found in (content, after[path]), (path, len(found), crash.printed)
    assert count > 80
    print(f"power failures while files are replaced: {count}")


@pytest.mark.parametrize("name", list(STORES))
def test_stores_keep_what_they_acknowledged(
    name: str, recorded: dict[str, Recorded], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(grading()) if name == "language model" else nullcontext() as server:
        if server is not None:
            monkeypatch.setenv(ADDRESS, server.url)
        check_store(name, recorded[name], tmp_path)


def check_store(name: str, recorded: Recorded, tmp_path: Path) -> None:
    store = STORES[name]
    events, before, folder = recorded
    whole = store.complete(folder / store.name)
    chance = random.Random(2)
    states: list[Crash] = list(crashes(events, before, chance, SAMPLES))
    assert len(states) > 20
    kept = set()
    # One of each few, so that failures come early and late.
    few = -(-len(states) // STATES)
    chosen = [chance.choice(states[at : at + few]) for at in range(0, len(states), few)]
    for number, crash in enumerate(chosen):
        place = tmp_path / str(number)
        place.mkdir()
        write_folder(crash.files, place, folder)
        path = place / store.name
        found = store.stored(path)
        printed = {line.removeprefix(f"{name}: ") for line in crash.printed}
        kept.add(len(found))
        if store.durable:
            assert found >= printed, (number, printed - found)
        # What is lost is done again.
        assert store.complete(path) == whole, number
    print(f"power failures, {name}: {len(chosen)} of {len(states)} states")
    assert len(kept) > 1, kept


def test_the_simulation_finds_files_that_are_not_synchronized(tmp_path: Path) -> None:
    script = (
        "import os, sys\n"
        "with open(sys.argv[1] + '/new', 'wb') as file:\n"
        "    file.write(b'new' * 1000)\n"
        "    file.flush()\n"
        "    os.fsync(file.fileno()) if sys.argv[2] == 'sync' else None\n"
        "os.replace(sys.argv[1] + '/new', sys.argv[1] + '/file')\n"
    )
    for how, torn in (("", True), ("sync", False)):
        folder = tmp_path / f"recorded{how}"
        folder.mkdir()
        path = folder / "file"
        path.write_bytes(OLD)
        before = {str(path.resolve()): OLD}
        record([sys.executable, "-S", "-c", script, str(folder), how], tmp_path / "log")
        events = events_of(tmp_path / "log", folder)
        found = {
            crash.files[str(path.resolve())]
            for crash in crashes(events, before, random.Random(3), 20)
        }
        assert bool(found - {OLD, b"new" * 1000}) == torn
        assert {OLD, b"new" * 1000} <= found


def test_damage_beyond_a_power_failure_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "labels.session"
    STORES["judging"].complete(path)
    path.write_bytes(path.read_bytes()[:-5000])
    with pytest.raises(GainfulError, match="damaged"):
        STORES["judging"].stored(path)
