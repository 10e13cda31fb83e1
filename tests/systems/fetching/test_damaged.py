"""A damaged journal is refused if SQLite or the constraints of its tables notice the damage."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

import gainful
from combinations import ALL
from gainful.errors import GainfulError, SourceError
from gainful.systems import Answer
from gainful.systems.fetching.journal import SearchJournal
from searching import Scripted, queries


@pytest.fixture
def journal(tmp_path, monkeypatch) -> Path:
    # The wait before a query is asked again.
    monkeypatch.setattr("gainful.systems.fetching.base.FIRST_WAIT", 0.0)
    return tmp_path / "search.journal"


def answer(query, before):
    """Return scores or none, ids of one byte per character or of more; fail once for a query."""
    number = int(query.id[1:])
    if number == 1 and not before:
        return ConnectionError("no connection")
    documents = [f"{query.id}-{'é' if number % 2 else 'e'}{rank}" for rank in range(3 + number)]
    return Answer(documents, [10 - rank / 7 for rank in range(3 + number)])


def search(journal: Path, count: int = 4, **settings):
    system = Scripted(answer)
    run = gainful.search(
        system,
        queries(count),
        k=20,
        journal=journal,
        keep_answers=True,
        workers=1,
        retries=1,
        **settings,
        quiet=True,
    )
    return run, system


def change(journal: Path, statement: str) -> None:
    with closing(sqlite3.connect(journal)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(statement)
        connection.commit()


def outcomes(files: dict[Path, bytes], flips: int, resume) -> Counter[str]:
    """Return what resuming led to after flips of random bits; no other error may be raised."""
    expected = resume()
    chosen = random.Random(16)
    # Empty space, most of a small file, means nothing.
    used = [(path, place) for path in files for place, byte in enumerate(files[path]) if byte]
    found: Counter[str] = Counter()
    for _ in range(flips):
        for path, content in files.items():
            path.write_bytes(content)
        path, place = chosen.choice(used)
        content = bytearray(files[path])
        content[place] ^= 1 << chosen.randrange(8)
        path.write_bytes(content)
        try:
            run = resume()
        except GainfulError:
            found["refused"] += 1
            continue
        found["same" if run == expected else "other"] += 1
        if run.account.reused < run.account.answered:
            found["asked"] += 1
    return found


def test_a_flipped_bit_is_refused_or_gives_a_run(journal) -> None:
    search(journal, 2)
    search(journal)
    files = {journal: journal.read_bytes()}
    flips = 2000 if ALL else 250
    found = outcomes(files, flips, lambda: search(journal)[0])
    assert found["refused"] > 0.08 * flips


def test_no_flipped_bit_changes_a_run_that_was_killed(journal, monkeypatch) -> None:
    log = Path(f"{journal}-wal")
    files = {}

    def close(self) -> None:
        files.update({path: path.read_bytes() for path in (journal, log)})
        whole_close(self)

    whole_close = SearchJournal.close
    with monkeypatch.context() as patched:
        patched.setattr(SearchJournal, "close", close)
        search(journal, 2)
        search(journal)
    flips = 500 if ALL else 80
    found = outcomes({journal: files[journal], log: files[log]}, flips, lambda: search(journal)[0])
    # SQLite has checksums of its own in this file, and leaves out what follows the damage.
    assert found["asked"] > 0.2 * flips
    assert found["other"] == 0


def test_lost_answers_are_requested_again(journal) -> None:
    first, _ = search(journal)
    change(journal, "DELETE FROM job WHERE key = 'q2'")
    run, system = search(journal)
    assert (run, system.asked) == (first, {"q2": 1})


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE work SET identity = '{'",
        "UPDATE job SET id = 9223372036854775807 WHERE key = 'q3'",
        "UPDATE job SET answer = NULL WHERE key = 'q2'",
        "UPDATE job SET answer = '[' WHERE key = 'q2'",
        "UPDATE job SET answer = '[\"d1\"]' WHERE key = 'q2'",
        "UPDATE job SET answer = '[1, 2, 3, 4, 5]' WHERE key = 'q2'",
        "UPDATE job SET answer = CAST(x'ff' AS TEXT) WHERE key = 'q2'",
        "UPDATE job SET scores = zeroblob(3) WHERE key = 'q2'",
        "UPDATE job SET failure = 'no' WHERE key = 'q2'",
        "UPDATE job SET at = 'now' WHERE key = 'q2'",
        "UPDATE job SET seconds = 'long' WHERE key = 'q2'",
        "UPDATE job SET tries = 'many' WHERE key = 'q2'",
        "ALTER TABLE job RENAME COLUMN at TO et",
        "DROP TABLE retry",
    ],
)
def test_damage_that_can_be_noticed_is_an_error(journal, statement) -> None:
    search(journal)
    change(journal, statement)
    with pytest.raises(SourceError) as caught:
        search(journal)
    assert str(journal) in str(caught.value)


def test_the_hint_names_the_ways_out(journal) -> None:
    search(journal)
    change(journal, "DROP TABLE retry")
    with pytest.raises(SourceError, match="the file is damaged .*its tables have changed") as error:
        search(journal)
    assert error.value.hint == "use a new name, or delete the file to send all queries again"


def test_the_journal_of_an_older_version_is_an_error(journal) -> None:
    search(journal)
    change(journal, "PRAGMA user_version = 1")
    with pytest.raises(SourceError, match="format 1 of another version"):
        search(journal)
