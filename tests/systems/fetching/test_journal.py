"""Answers in a journal are neither requested again nor mixed with those of other systems.

`test_verification` covers the few that are requested again to compare them.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import gainful
from gainful.errors import SearchError, SourceError
from gainful.sqlite_files import FileKind
from gainful.systems import Answer
from searching import DOCUMENTS, Scripted, queries


@pytest.fixture
def journal(tmp_path) -> Path:
    return tmp_path / "search.journal"


def resume(system, given, **settings):
    """Search with the answers of a journal, without comparing some of them."""
    return gainful.search(system, given, **settings, keep_answers=True)


def failing(*names: str):
    def script(query, before):
        return ValueError("no") if query.id in names else [f"for {query.text}"]

    return script


def test_answered_queries_are_not_repeated(journal) -> None:
    first = gainful.search(Scripted(failing()), queries(20), journal=journal)
    system = Scripted(failing())
    again = resume(system, queries(20), journal=journal)
    assert not system.asked
    assert again == first
    assert (again.account.reused, again.account.answered, again.account.sessions) == (20, 20, 2)


def test_failed_queries_are_repeated(journal) -> None:
    first = gainful.search(Scripted(failing("q3", "q4")), queries(20), journal=journal)
    assert set(first.failed) == {"q3", "q4"}
    system = Scripted(failing())
    again = resume(system, queries(20), journal=journal)
    assert system.asked == {"q3": 1, "q4": 1}
    assert (again.incomplete, again.account.reused) == (False, 18)
    assert again.keys() == list(queries(20))


def test_new_queries_run_before_failed_ones(journal) -> None:
    gainful.search(Scripted(failing("q0")), queries(1), journal=journal, quiet=True)
    system = Scripted(failing())
    gainful.search(system, queries(3), journal=journal, workers=1, quiet=True)
    assert system.calls == [["q1"], ["q2"], ["q0"]]


def test_more_queries_and_fewer(journal) -> None:
    gainful.search(Scripted(), queries(5), journal=journal)
    system = Scripted()
    assert len(resume(system, queries(8), journal=journal)) == 8
    assert set(system.asked) == {"q5", "q6", "q7"}
    few = gainful.search(Scripted(), queries(2), journal=journal)
    assert (few.keys(), few.account.queries, few.account.reused) == (["q0", "q1"], 2, 2)


def test_a_file_can_contain_several_searches(journal) -> None:
    one, two = Scripted(failing()), Scripted(lambda *_: ["other"], identity={"engine": "two"})
    gainful.search(one, queries(3), name="one", journal=journal)
    gainful.search(two, queries(4), name="two", journal=journal)
    gainful.search(one, queries(5), name="one", journal=journal)
    again = Scripted(failing())
    assert resume(again, queries(5), name="one", journal=journal)["q4"] == [("for text 4", None)]
    idle = Scripted(lambda *_: ["other"], identity={"engine": "two"})
    assert resume(idle, queries(4), name="two", journal=journal)["q1"] == [("other", None)]
    assert not again.asked
    assert not idle.asked


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"k": 10}, "k: 100 → 10"),
        ({"identity": {"engine": "a", "boost": {"title": 2}}}, "boost.title: 1 → 2"),
        ({"identity": {"engine": "b", "boost": {"title": 1}}}, "engine: 'a' → 'b'"),
        ({"identity": {"engine": "a"}}, 'boost: {"title": 1} → none'),
        ({"queries": {"q0": "text 0", "q1": "other"}}, "query q1: 'text 1' → 'other'"),
        ({"queries": {"q0": {"text": "text 0", "locale": "de"}}}, "query q0: other fields"),
        ({"version": "2"}, "version: none → '2'"),
    ],
)
def test_answers_to_something_else_are_not_mixed(journal, change, difference) -> None:
    def search(identity=None, **settings):
        system = Scripted(identity=identity or {"engine": "a", "boost": {"title": 1}})
        given = settings.pop("queries", queries(2))
        run = gainful.search(system, given, journal=journal, **settings)
        return system, run

    search()
    with pytest.raises(SearchError) as caught:
        search(**change)
    assert f"'scripted' has other settings or queries ({difference})" in str(caught.value)
    assert "use another name or journal, or restart=True" in caught.value.hint
    # The ways out that it names.
    assert search(**change, name="another")[0].asked
    assert search(**change, restart=True)[0].asked
    assert not search(**change, keep_answers=True)[0].asked


def test_a_repaired_system_keeps_its_answers(journal) -> None:
    gainful.search(Scripted(failing("q1"), identity={"source": "a"}), queries(3), journal=journal)
    repaired = Scripted(failing(), identity={"source": "b"})
    with pytest.raises(SearchError, match="keep_answers=True keeps the existing answers"):
        gainful.search(repaired, queries(3), journal=journal)
    with pytest.raises(SearchError, match="k: 100 → 5"):
        gainful.search(repaired, queries(3), k=5, journal=journal, keep_answers=True)
    run = gainful.search(repaired, queries(3), journal=journal, keep_answers=True)
    assert (repaired.asked, run.account.reused, run.incomplete) == ({"q1": 1}, 2, False)
    # From now on it is the one that the answers are from.
    gainful.search(repaired, queries(3), journal=journal)
    with pytest.raises(SearchError, match="source: 'b' → 'a'"):
        gainful.search(Scripted(identity={"source": "a"}), queries(3), journal=journal)


def test_without_an_answer_there_is_nothing_to_mix(journal) -> None:
    broken = Scripted(failing("q0", "q1"), identity={"source": "a"})
    assert gainful.search(broken, queries(2), journal=journal, quiet=True).account.answered == 0
    repaired = Scripted(failing(), identity={"source": "b"})
    run = gainful.search(repaired, queries(2), k=5, journal=journal, quiet=True)
    assert (run.account.answered, run.account.sessions, run.account.retried) == (2, 1, 0)
    # The text of a query that has no answer may be another one, too.
    gainful.search(Scripted(failing("q1")), queries(2), name="two", journal=journal, quiet=True)
    other = {"q0": "text 0", "q1": "other"}
    run = gainful.search(Scripted(failing()), other, name="two", journal=journal, quiet=True)
    assert run["q1"] == [("for other", None)]


def test_restarting_one_search_leaves_the_others(journal) -> None:
    gainful.search(Scripted(failing()), queries(3), name="one", journal=journal)
    gainful.search(Scripted(failing()), queries(3), name="two", journal=journal)
    system = Scripted(lambda *_: ["new"])
    run = gainful.search(system, queries(3), name="one", journal=journal, restart=True)
    assert (run["q0"], run.account.reused, run.account.sessions) == ([("new", None)], 0, 1)
    other = Scripted()
    resume(other, queries(3), name="two", journal=journal)
    assert not other.asked


def test_workers_batches_and_timeouts_do_not_identify_a_search(journal) -> None:
    gainful.search(Scripted(), queries(3), journal=journal, workers=2, retries=1, timeout=90.0)
    system = Scripted(batch=4)
    resume(system, queries(3), journal=journal, workers=1, rate=1000.0)
    assert not system.asked


@pytest.mark.parametrize(
    "odd", ["", "a\nb", 'quo"te', "\x00", "🍜", "\udcff", "[1]", " ", "x" * 100_000]
)
def test_ids_of_any_kind_are_restored(journal, odd) -> None:
    answer = Answer([odd, "plain"], [2.0, 1.0])
    given = {odd or "q": "soup"}
    run = gainful.search(Scripted(lambda *_: answer), given, journal=journal)
    assert run[odd or "q"] == [(odd, 2.0), ("plain", 1.0)]
    system = Scripted(lambda *_: answer)
    assert resume(system, given, journal=journal) == run
    assert not system.asked


def test_one_document_with_an_empty_id_is_not_none(journal) -> None:
    run = gainful.search(Scripted(lambda *_: [""]), queries(1), journal=journal)
    assert run["q0"] == [("", None)]


def test_vectors_are_distinguished(journal) -> None:
    import numpy as np

    def given(last):
        return {"q": {"text": "soup", "vector": np.array([1.0, last])}}

    gainful.search(Scripted(), given(2.0), journal=journal)
    gainful.search(Scripted(), given(2.0), journal=journal)
    with pytest.raises(SearchError, match="query q: other fields"):
        gainful.search(Scripted(), given(3.0), journal=journal)


# --- the file -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content", [b"q1 Q0 d1 1 2.0 run\n" * 99, b"SQLite format 3\x00" + b"x" * 999, b"x"]
)
def test_other_files_are_not_modified(journal, content) -> None:
    journal.write_bytes(content)
    for restart in (False, True):
        with pytest.raises(SourceError, match="damaged or of another kind") as caught:
            gainful.search(Scripted(), queries(1), journal=journal, restart=restart)
        assert caught.value.file == str(journal)
    assert journal.read_bytes() == content


def test_other_databases_are_not_modified(journal) -> None:
    with sqlite3.connect(journal) as connection:
        connection.execute("CREATE TABLE recipe (name TEXT)")
    connection.close()
    before = journal.read_bytes()
    with pytest.raises(SourceError, match="not a journal of gainful.search: another database"):
        gainful.search(Scripted(), queries(1), journal=journal, restart=True)
    assert journal.read_bytes() == before
    assert os.listdir(journal.parent) == [journal.name]


def test_a_journal_of_another_form(journal) -> None:
    gainful.search(Scripted(), queries(1), journal=journal)
    with sqlite3.connect(journal) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(SourceError, match="format 99 of another version"):
        gainful.search(Scripted(), queries(1), journal=journal)


def test_a_damaged_journal(journal) -> None:
    gainful.search(Scripted(), queries(500), journal=journal)
    content = bytearray(journal.read_bytes())
    content[8192:20000] = b"\xaa" * (20000 - 8192)
    journal.write_bytes(content)
    system = Scripted()
    with pytest.raises(SourceError, match="damaged"):
        gainful.search(system, queries(500), journal=journal)
    assert not system.asked
    assert journal.read_bytes() == content


def test_an_empty_file_becomes_a_journal(journal) -> None:
    journal.touch()
    gainful.search(Scripted(), queries(1), journal=journal)
    system = Scripted()
    resume(system, queries(1), journal=journal)
    assert not system.asked


def test_impossible_paths_are_errors(tmp_path) -> None:
    with pytest.raises(SourceError, match="no such folder"):
        gainful.search(Scripted(), queries(1), journal=tmp_path / "none" / "j")
    with pytest.raises(SourceError, match="a folder, not a file"):
        gainful.search(Scripted(), queries(1), journal=tmp_path)
    for name in ("", "a\0b"):
        with pytest.raises(
            SourceError, match="the file name is empty or contains a null character"
        ):
            gainful.search(Scripted(), queries(1), journal=name)


def test_nan_is_equal_to_itself_in_an_identity(journal) -> None:
    identity = {"boost": float("nan")}
    gainful.search(Scripted(identity=identity), queries(3), journal=journal)
    again = Scripted(identity=identity)
    resume(again, queries(3), journal=journal)
    assert not again.asked


def test_names_of_databases_in_memory_are_files(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    gainful.search(Scripted(), queries(3), journal=":memory:")
    assert os.listdir() == [":memory:"]
    again = Scripted()
    resume(again, queries(3), journal=os.fsencode(tmp_path / ":memory:"))
    assert not again.asked


def test_a_finished_search_leaves_one_file(journal) -> None:
    gainful.search(Scripted(), queries(30), journal=journal)
    assert os.listdir(journal.parent) == [journal.name]


def test_two_searches_do_not_share_a_file(journal) -> None:
    inner = {}

    def script(query, before):
        if not inner:
            try:
                gainful.search(Scripted(), queries(1), journal=journal)
            except SourceError as error:
                inner["error"] = error
        return DOCUMENTS

    gainful.search(Scripted(script), queries(3), journal=journal, workers=1)
    assert "another search is writing the journal" in str(inner["error"])


def test_two_processes_do_not_share_a_file(journal) -> None:
    code = (
        "import gainful, sys\n"
        "try:\n"
        "    gainful.search(lambda text, k: ['d'], {'q': 'text'}, journal=sys.argv[1])\n"
        "except gainful.errors.SourceError as error:\n"
        "    print(error)\n"
    )
    message = []

    def script(query, before):
        if query.id == "q0":
            done = subprocess.run(
                [sys.executable, "-c", code, str(journal)],
                capture_output=True,
                text=True,
                check=True,
            )
            message.append(done.stdout)
        return DOCUMENTS

    run = gainful.search(Scripted(script), queries(9), journal=journal, name="mine")
    assert message == [
        f"journal, {journal}: another search is writing the journal. "
        "Hint: wait for it, or use another journal\n"
    ]
    assert len(run) == 9


def test_a_full_disk_ends_the_search_with_one_message(journal, monkeypatch) -> None:
    opened = FileKind.connect

    def small(self, path):
        connection = opened(self, path)
        connection.execute("PRAGMA max_page_count = 20")
        return connection

    monkeypatch.setattr(FileKind, "connect", small)
    system = Scripted(lambda query, _: ["x" * 1000])
    with pytest.raises(
        SourceError, match="the journal cannot be used: no space left on the device"
    ):
        gainful.search(system, queries(500), journal=journal)
    assert system.asked.total() < 100
    monkeypatch.undo()
    # What it has is whole.
    again = Scripted(lambda query, _: ["x" * 1000])
    run = resume(again, queries(500), journal=journal)
    assert len(run) == 500
    assert again.asked.total() == 500 - run.account.reused
    assert run.account.reused > 0
