"""A damaged journal never changes a run: answers are requested again, or it is rejected."""

from __future__ import annotations

import random
import sqlite3
import warnings
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

import gainful
from combinations import ALL
from gainful.errors import GainfulError, SearchWarning, SourceError
from gainful.formats.text import text
from gainful.systems import Answer
from gainful.systems.fetching.journal import Journal
from searching import Scripted, queries


@pytest.fixture
def journal(tmp_path, monkeypatch) -> Path:
    # The wait before a query is asked again.
    monkeypatch.setattr("gainful.systems.fetching.agenda.FIRST_WAIT", 0.0)
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
        connection.execute(statement)
        connection.commit()


def outcomes(files: dict[Path, bytes], flips: int, resume) -> Counter[str]:
    """Return how many flipped bits were reported, asked answers again, and were refused.

    Fails if one of them leads to another run.
    """
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
        assert (run, run.failed) == (expected, {}), (path.name, place, content[place])
        if run.account.damaged:
            found["damaged"] += 1
        elif run.account.reused < run.account.answered:
            found["asked"] += 1
    return found


def test_no_flipped_bit_changes_a_run(journal) -> None:
    search(journal, 2)
    search(journal)
    files = {journal: journal.read_bytes()}
    flips = 2000 if ALL else 250
    found = outcomes(files, flips, lambda: search(journal)[0])
    assert found["damaged"] > 0.08 * flips
    assert found["refused"] > 0.08 * flips


def test_no_flipped_bit_changes_a_run_that_was_killed(journal, monkeypatch) -> None:
    log = Path(f"{journal}-wal")
    files = {}

    def close(self) -> None:
        files.update({path: path.read_bytes() for path in (journal, log)})
        whole_close(self)

    whole_close = Journal.close
    with monkeypatch.context() as patched:
        patched.setattr(Journal, "close", close)
        search(journal, 2)
        search(journal)
    flips = 500 if ALL else 80
    found = outcomes(files, flips, lambda: search(journal)[0])
    # SQLite has checksums of its own in this file, and leaves out what follows the damage.
    assert found["asked"] > 0.2 * flips


@pytest.mark.parametrize(
    "damage",
    [
        "documents = 'other'",
        "scores = zeroblob(length(scores))",
        "scores = NULL, falling = NULL",
        "query = 'q3'",
        "text = 'other'",
        "fields = 'other'",
        "failure = 'no'",
        "documents = NULL, scores = NULL, falling = NULL, found = 0",
        "documents = CAST(documents AS BLOB)",
        "documents = CAST(x'ff' || documents AS TEXT)",
        "query = CAST(x'ff' AS TEXT)",
        "session = 2",
        "search = 2",
        "seconds = 1e9",
        "seconds = 'long'",
        "checksum = x''",
    ],
)
def test_damaged_answers_are_requested_again_and_reported(journal, damage) -> None:
    first, _ = search(journal)
    nullable = damage.startswith("checksum")
    change(journal, "PRAGMA user_version") if not nullable else None
    damage = damage.replace("NULL", "x''") if nullable else damage
    change(journal, f"UPDATE answer SET {damage} WHERE query = 'q2'")
    run, system = search(journal)
    assert (run, system.asked) == (first, {"q2": 1})
    assert (run.account.damaged, run.account.reused, run.account.answered) == (1, 3, 4)
    note = "1 damaged answer in the journal was discarded and its query sent again."
    assert note in text(run.account.tables()[0])
    again, idle = search(journal)
    assert (again, again.account.damaged, idle.asked) == (first, 0, {})


def test_python_warns_of_damaged_answers(journal) -> None:
    gainful.search(Scripted(), queries(4), journal=journal)
    change(journal, "UPDATE answer SET documents = 'other' WHERE query != 'q2'")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gainful.search(Scripted(), queries(4), journal=journal, keep_answers=True)
    assert [each.category for each in caught] == [SearchWarning] * 2
    assert str(caught[0].message) == (
        f"3 damaged answers in the journal '{journal}' were discarded and their queries sent again."
    )


def test_lost_answers_are_requested_again(journal) -> None:
    first, _ = search(journal)
    change(journal, "DELETE FROM answer WHERE query = 'q2'")
    run, system = search(journal)
    assert (run, system.asked) == (first, {"q2": 1})


def test_the_number_of_a_row_says_nothing_about_its_answer(journal) -> None:
    first, _ = search(journal)
    change(journal, "UPDATE answer SET id = 1000 WHERE query = 'q2'")
    run, system = search(journal)
    assert (run, run.account.damaged, system.asked) == (first, 0, {})


def test_an_intact_row_of_another_search_is_no_answer(journal) -> None:
    first, _ = search(journal, name="one")
    gainful.search(Scripted(), queries(4), k=20, journal=journal, name="two", quiet=True)
    with closing(sqlite3.connect(journal)) as connection:
        rows = connection.execute("SELECT id, search FROM answer ORDER BY id").fetchall()
        mine = [row for row, search in rows if search == 1]
        others = [row for row, search in rows if search == 2]
        connection.execute("DELETE FROM answer WHERE id = ?", (mine[0],))
        connection.execute("UPDATE answer SET id = ? WHERE id = ?", (mine[0], others[0]))
        connection.commit()
    run, system = search(journal, name="one")
    assert (run, run.account.damaged, len(system.asked)) == (first, 1, 1)


def test_damaged_retries_are_not_counted(journal) -> None:
    assert search(journal)[0].account.retries == {"ConnectionError: no connection": 1}
    change(journal, "UPDATE retry SET reason = CAST(x'ff' AS TEXT)")
    run, system = search(journal)
    assert (run.account.retries, run.account.damaged, system.asked) == ({}, 0, {})


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE search SET identity = '{}'", "the description of a search"),
        ("UPDATE search SET name = 'other'", "the description of a search"),
        ("UPDATE search SET k = 21", "the description of a search"),
        ("UPDATE search SET identity = CAST(x'ff' AS TEXT)", "the description of a search"),
        ("UPDATE session SET first = 3", "the beginning of a search"),
        ("UPDATE session SET began = 0", "the beginning of a search"),
        ("DELETE FROM search", "the beginning of a search"),
        ("UPDATE answer SET id = 9223372036854775807 WHERE id = 4", "the number of a row"),
        ("ALTER TABLE answer RENAME COLUMN at TO et", None),
    ],
)
def test_other_damage_is_an_error(journal, statement, what) -> None:
    search(journal)
    change(journal, statement)
    with pytest.raises(SourceError, match="the journal is damaged") as caught:
        search(journal)
    assert str(journal) in str(caught.value)
    assert what is None or f"({what})" in str(caught.value)
    assert "delete the file" in caught.value.hint


def test_the_journal_of_an_older_version_is_an_error(journal) -> None:
    search(journal)
    change(journal, "PRAGMA user_version = 1")
    with pytest.raises(SourceError, match="format 1 of another version"):
        search(journal)
