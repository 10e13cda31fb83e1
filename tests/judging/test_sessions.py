"""Judging sessions: assignment, labels, undo, adjudication, files and export."""

from __future__ import annotations

import random
import sqlite3
import threading
from pathlib import Path

import pytest

import gainful
from gainful.errors import FormatError, ParameterError, SourceError, SourceNotFoundError
from gainful.judging import Session
from gainful.judging.sessions import assignment, journal
from gainful.judging.sessions.events import Kind
from json_schema import errors, schema_of

POOL = [(f"q{q}", f"d{q}{d}") for q in range(3) for d in range(4)]
SCALE = "0=no,1=partly,2=yes"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "labels.session"


def judge_all(session: Session, judge: str, grade: float = 1) -> list[tuple[str, str]]:
    seen = []
    while (found := session.next(judge)) is not None:
        session.label(judge, found.query_id, found.doc_id, grade)
        seen.append((found.query_id, found.doc_id))
    return seen


def test_a_judge_gets_each_document_once_in_the_order_of_the_pool(path: Path) -> None:
    with Session(path, POOL) as session:
        assert judge_all(session, "ana") == POOL
        assert session.next("ana") is None
        assert session.next("ben") is None


def test_the_same_document_is_next_until_it_is_answered(path: Path) -> None:
    with Session(path, POOL) as session:
        assert session.next("ana") == session.next("ana")
        assert [each.doc_id for each in session.upcoming("ana", 3)] == ["d00", "d01", "d02"]


def test_judges_get_different_queries_and_then_share_the_rest(path: Path) -> None:
    with Session(path, POOL) as session:
        first = [session.next(judge) for judge in ("ana", "ben", "eva")]
        assert [each.query_id for each in first if each] == ["q0", "q1", "q2"]
        # A fourth judge shares a query, but no document.
        fourth = session.next("kim")
        assert fourth is not None
        assert fourth.doc_id == "d01"
        for each, judge in zip(first, ("ana", "ben", "eva"), strict=True):
            assert each is not None
            session.label(judge, each.query_id, each.doc_id, 1)
        following = session.next("ben")
        assert following is not None
        assert following.doc_id == "d11"


def test_the_quota_of_the_pool_is_the_number_of_different_judges(path: Path) -> None:
    pool = [(query, document, 1 + at % 3) for at, (query, document) in enumerate(POOL)]
    with Session(path, pool) as session:
        seen = [each for judge in "abcd" for each in judge_all(session, judge)]
        assert sorted(seen) == sorted((q, d) for q, d, n in pool for _ in range(n))
        progress = session.progress()
        assert (progress.requested, progress.done, progress.documents) == (24, 24, 12)


def test_a_lease_ends_and_a_late_label_is_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(assignment, "time", lambda: now)
    with Session(path, [("q", "d")], lease=0.2) as session:
        assert session.next("ana") is not None
        assert session.next("ben") is None
        now = 0.25
        assert session.next("ben") is not None
        assert session.next("ana") is None
        session.label("ben", "q", "d", 0)
        session.label("ana", "q", "d", 1)
        assert session.disagreements()[0].grades == (0, 1)


def test_leases_survive_a_restart_until_they_end(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(assignment, "time", lambda: now)

    def upcoming(session: Session, judge: str) -> list[str]:
        return [assigned.doc_id for assigned in session.upcoming(judge, 2)]

    with Session(path, [("q", f"d{at}") for at in range(5)], lease=10) as session:
        assert upcoming(session, "ana") == ["d0", "d1"]
        session.record("skip", "ana", "q", "d0")
        assert upcoming(session, "ana") == ["d1", "d2"]
        session.label("ana", "q", "d1", 1)
    with Session(path, lease=10) as session:
        # What ana put off can go to others.
        assert upcoming(session, "ben") == ["d0", "d3"]
        assert upcoming(session, "ana") == ["d2", "d4"]
        now = 11
        session.label("ben", "q", "d0", 1)
        session.label("ben", "q", "d3", 1)
        assert upcoming(session, "ben") == ["d2", "d4"]


def test_a_query_of_pairs_stays_reserved_over_a_restart(path: Path) -> None:
    with Session(path, POOL[:8]) as session:
        assert session.next_pair("ana").query_id == "q0"  # type: ignore[union-attr]
    with Session(path) as session:
        assert session.next_pair("ben").query_id == "q1"  # type: ignore[union-attr]
        assert session.next_pair("ana").query_id == "q0"  # type: ignore[union-attr]


def test_skipped_documents_come_last_and_can_go_to_others(path: Path) -> None:
    with Session(path, POOL[:3]) as session:
        session.record("skip", "ana", *POOL[0])
        assert [session.next("ana").doc_id] == ["d01"]  # type: ignore[union-attr]
        session.label("ana", *POOL[1], 1)
        session.label("ana", *POOL[2], 1)
        later = session.next("ana")
        assert later is not None
        assert (later.doc_id, later.kind) == ("d00", Kind.SKIP)
        assert session.next("ben") is None
        session.record("skip", "ana", *POOL[0])
        assert session.next("ben").doc_id == "d00"  # type: ignore[union-attr]


def test_an_unclear_query_gives_no_further_documents_until_it_is_reopened(path: Path) -> None:
    with Session(path, POOL) as session:
        session.next("ana")
        session.record("query-unclear", "ana", "q0")
        assert session.next("ana").query_id == "q1"  # type: ignore[union-attr]
        assert session.next("ben").query_id == "q0"  # type: ignore[union-attr]
        assert session.progress().judges == ()
        session.record("reopen", "owner", "q0")
        assert ("q0", "d01") in judge_all(session, "ana")


def test_undo_restores_the_previous_answer_also_after_a_restart(path: Path) -> None:
    with Session(path, POOL, scale=SCALE) as session:
        session.label("ana", *POOL[0], 1)
        session.label("ana", *POOL[0], 2)
        session.record("cannot-judge", "ana", *POOL[1])
    with Session(path) as session:
        assert session.undo("ana").doc_id == "d01"
        assert session.next("ana").doc_id == "d01"  # type: ignore[union-attr]
        assert session.final_grades() == {"q0": {"d00": 2}}
        session.undo("ana")
        assert session.final_grades() == {"q0": {"d00": 1}}
    with Session(path) as session:
        assert session.final_grades() == {"q0": {"d00": 1}}
        session.undo("ana")
        assert session.final_grades() == {}
        assert session.next("ana").doc_id == "d00"  # type: ignore[union-attr]
        with pytest.raises(ParameterError, match="no event of 'ana'"):
            session.undo("ana")
        assert len(session.events()) == 6


def test_an_undone_document_comes_before_the_one_on_display(path: Path) -> None:
    with Session(path, POOL) as session:
        session.label("ana", *POOL[0], 1)
        assert session.next("ana").doc_id == "d01"  # type: ignore[union-attr]
        session.undo("ana")
        assert session.next("ana").doc_id == "d00"  # type: ignore[union-attr]


def test_back_goes_through_the_documents_in_reverse(path: Path) -> None:
    with Session(path, POOL) as session:
        for pair in POOL[:3]:
            session.label("ana", *pair, 1)
        session.label("ana", *POOL[0], 0)
        shown, seen = session.back("ana"), []
        while shown is not None:
            seen.append((shown.doc_id, shown.grade))
            shown = session.back("ana", shown.query_id, shown.doc_id)
        assert seen == [("d02", 1), ("d01", 1), ("d00", 0)]
        assert [each.doc_id for each in session.labels("ana")] == ["d00", "d01", "d02"]
        assert session.labels("ben") == []


def test_disagreements_hide_names_and_a_decision_ends_them(path: Path) -> None:
    with Session(path, [(*pair, 2) for pair in POOL], scale=SCALE) as session:
        for pair, grades in zip(POOL, [(0, 0), (0, 1), (2, 0), (1, 2)], strict=False):
            session.label("ana", *pair, grades[0])
            session.label("ben", *pair, grades[1])
        session.record("note", "ben", *POOL[2], text="only the title fits")
        found = session.disagreements()
        assert [(each.doc_id, each.grades) for each in found] == [
            ("d02", (0, 2)),
            ("d01", (0, 1)),
            ("d03", (1, 2)),
        ]
        assert found[0].notes == ("only the title fits",)
        assert "ana" not in repr(found)
        first = session.disagreements(priority={("q0", "d03"): 0.1})
        assert [each.doc_id for each in first] == ["d03", "d02", "d01"]
        session.adjudicate("eva", *POOL[2], 1)
        assert [each.doc_id for each in session.disagreements()] == ["d01", "d03"]
        assert session.final_grades()["q0"] == {"d00": 0, "d01": 0, "d02": 1, "d03": 1}
        assert session.ratings().grades("ana")[POOL[2]] == 2
        session.record("reopen", "eva", *POOL[2])
        assert len(session.disagreements()) == 3
        # A third judge can now help to decide.
        assert "d02" in [each.doc_id for each in session.upcoming("kim", 20)]
        session.undo_decision("eva")
        assert session.final_grades()["q0"]["d02"] == 1
        # An owner may judge too: decisions and answers have an undo each.
        session.label("eva", *POOL[0], 1)
        session.undo_decision("eva")
        assert session.progress().decisions == 0
        assert session.ratings().grades("eva")[POOL[0]] == 1
        with pytest.raises(ParameterError, match="no event"):
            session.undo_decision("eva")
        assert session.undo("eva").doc_id == POOL[0][1]


def test_identical_texts_are_judged_once_and_exported_for_each(path: Path) -> None:
    texts = {"a": "red  lentils", "b": "tomato", "c": "red lentils", "e": "", "f": ""}
    pool = [("q1", name) for name in texts] + [("q2", "c")]
    with Session(path, pool, documents=texts) as session:
        assert judge_all(session, "ana") == [
            ("q1", "a"),
            ("q1", "b"),
            ("q1", "e"),
            ("q1", "f"),
            ("q2", "c"),
        ]
        assert session.final_grades()["q1"] == dict.fromkeys(texts, 1)
        session.export(path.with_suffix(".csv"))
    rows = path.with_suffix(".csv").read_text().splitlines()
    assert [row.split(",")[6] for row in rows if row.startswith("q1,c")] == ["a"]
    # The digests are part of the session.
    with Session(path) as session:
        assert session.progress().documents == 5


def test_an_event_that_is_sent_twice_counts_once(path: Path) -> None:
    with Session(path, POOL) as session:
        first = session.label("ana", *POOL[0], 1, client_id="x1")
        assert session.label("ana", *POOL[0], 1, client_id="x1") == first
        session.undo("ana", client_id="x2")
        assert session.undo("ana", client_id="x2").text == "x1"
        with pytest.raises(ParameterError, match="unique id"):
            session.label("ana", *POOL[1], 1, client_id="x1")
    with Session(path) as session:
        assert session.undo("ana", client_id="x2").text == "x1"
        assert len(session.events()) == 2


def test_exports_are_read_back(path: Path) -> None:
    with Session(path, [(*pair, 2) for pair in POOL], scale=SCALE, guidelines="v3") as session:
        for pair, (one, other) in zip(POOL, [(0, 0), (0, 1), (2, 0)], strict=False):
            session.label("ana", *pair, one, seconds=4.5)
            session.label("ben", *pair, other)
        session.record("cannot-judge", "ana", *POOL[3])
        session.record("note", "ana", *POOL[0], text='=1+1, "quoted"\nline')
        session.adjudicate("ana", *POOL[2], 1)
        live = session.ratings()
        with pytest.raises(ParameterError, match="is an input"):
            session.export(path)
        for suffix in (".csv", ".jsonl"):
            target = path.with_suffix(suffix)
            session.export(target)
            ratings = gainful.read_ratings(target)
            assert [each.name for each in ratings.raters] == ["ana", "ben"]
            assert [str(each.source) for each in ratings.raters] == ["human", "human"]
            for rater in ("ana", "ben", "final"):
                assert dict(ratings.grades(rater)) == dict(live.grades(rater))
            assert dict(ratings.grades("final")) == {POOL[2]: 1}
            assert ratings.blank == 1
            assert gainful.assess_judgments(ratings).final is not None
        session.export(path.with_suffix(".qrels"))
        qrels = gainful.read_qrels(path.with_suffix(".qrels"))
        assert qrels.to_dict() == session.final_grades()


def test_qrels_without_grades_are_refused(path: Path) -> None:
    with Session(path, POOL) as session:
        with pytest.raises(FormatError, match="no grades yet"):
            session.export(path.with_suffix(".txt"))
        with pytest.raises(ParameterError, match="one of qrels, prefs, csv, jsonl"):
            session.export(path.with_suffix(".txt"), "xlsx")


@pytest.mark.usefixtures("small_files")
def test_pools_are_read_from_files_and_objects(path: Path, tmp_path: Path) -> None:
    pool = gainful.pool(["bm25.run", "dense.run"], depth=3, overlap=0.3, seed=2)
    expected = list(zip(pool.queries, pool.documents, strict=True))
    pool.write(tmp_path / "pool.jsonl")
    pool.write(tmp_path / "pool.pool")
    for number, source in enumerate((pool, tmp_path / "pool.jsonl")):
        with Session(f"{path}{number}", source, documents="docs.jsonl") as session:
            assert session.progress().requested == sum(pool.judges)
            first = session.next("ana")
            assert first is not None
            assert (first.query_id, first.doc_id) == expected[0]
            assert first.document is not None
    with Session(f"{path}-trec", tmp_path / "pool.pool") as session:
        assert judge_all(session, "ana") == expected


def test_documents_that_are_judged_before_are_not_tasks(path: Path) -> None:
    with Session(path, [("q", "a", 0), ("q", "b", 1)]) as session:
        assert judge_all(session, "ana") == [("q", "b")]


def test_a_session_grows(path: Path) -> None:
    with Session(path, POOL[:2]) as session:
        assert session.next("ana") is not None
        session.label("ben", *POOL[1], 1)
        session.add([(*POOL[1], 2), POOL[4]])
        assert session.next("ben").doc_id == "d10"  # type: ignore[union-attr]
        assert judge_all(session, "ana") == [POOL[0], POOL[1]]
    with Session(path, [POOL[5]]) as session:
        # The other new document is reserved for ben.
        assert judge_all(session, "ana") == [POOL[5]]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("grade", "ana", "q0", "d99"), {"grade": 1}, "a document of the pool"),
        (("grade", "ana", "q0", "d00"), {"grade": 7}, "found 7, expected one of 0, 1"),
        (("grade", "ana", "q0", "d00"), {"grade": float("nan")}, "expected one of 0, 1"),
        (("grade", "ana", "q0", "d00"), {"grade": True}, "expected one of 0, 1"),
        (("grade", "ana", "q0", "d00"), {}, "expected one of 0, 1"),
        (("grade", "", "q0", "d00"), {"grade": 1}, "judge: found ''"),
        (("grade", "a\nb", "q0", "d00"), {"grade": 1}, "printable"),
        (("grade", "ana", ["q0"], "d00"), {"grade": 1}, "an id as text"),
        (("grade", "ana", "q0", "d00"), {"grade": 1, "seconds": -1}, "seconds: found -1"),
        (("grade", "ana", "q0", "d00"), {"grade": 1, "client_id": ""}, "client_id"),
        (("skip", "ana", "q0", "d00"), {"grade": 1}, "a grade of skip"),
        (("note", "ana", "q0"), {"text": "\ud800"}, "surrogate"),
        (("note", "ana", "q9"), {"text": "x"}, "a query of the pool"),
        (("query-unclear", "ana", "q0", "d00"), {}, "without a document"),
        (("delete", "ana", "q0"), {}, "one of grade, cannot-judge"),
    ],
)
def test_wrong_events_are_refused_and_not_recorded(
    path: Path, arguments: tuple[str, ...], options: dict[str, object], message: str
) -> None:
    with Session(path, POOL) as session:
        with pytest.raises(ParameterError, match=message):
            session.record(*arguments, **options)  # type: ignore[arg-type]
        assert session.events() == []


def test_one_process_writes_and_others_read(path: Path) -> None:
    with Session(path, POOL) as session:
        session.label("ana", *POOL[0], 1)
        with pytest.raises(SourceError, match="another process is judging"):
            Session(path)
        with Session(path, read_only=True) as reader:
            assert reader.progress().done == 1
            with pytest.raises(ParameterError, match="opened to read it"):
                reader.label("ana", *POOL[0], 0)
        session.label("ana", *POOL[1], 1)
    with pytest.raises(SourceError, match="closed"):
        session.label("ana", *POOL[2], 1)
    with Session(path) as session:
        assert session.progress().done == 2


def test_files_that_are_not_sessions_are_refused_and_unchanged(path: Path) -> None:
    with pytest.raises(SourceNotFoundError, match="pass a pool"):
        Session(path)
    for content in (b"no database at all, but long enough to look at" * 50, b"x"):
        path.write_bytes(content)
        with pytest.raises(SourceError, match="not a judging session"):
            Session(path, POOL)
        assert path.read_bytes() == content
        path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE x (y)")
    with pytest.raises(SourceError, match="another database"):
        Session(path, POOL)
    path.unlink()
    Session(path, POOL).close()
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA user_version = 99")
    with pytest.raises(SourceError, match="format 99"):
        Session(path, POOL)


def test_the_journal_is_synchronous_and_events_cannot_be_changed(path: Path) -> None:
    with Session(path, POOL) as session:
        execute = session._journal._connection.execute
        assert execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert execute("PRAGMA synchronous").fetchone() == (2,)
        session.label("ana", *POOL[0], 1)
        for statement in ("DELETE FROM event", "UPDATE event SET grade = 0"):
            with pytest.raises(sqlite3.IntegrityError, match="never"):
                execute(statement)


def test_a_scale_must_have_the_grades_of_the_session(path: Path) -> None:
    with Session(path, POOL, scale=SCALE) as session:
        session.label("ana", *POOL[0], 2)
    with Session(path) as session:
        assert session.scale == {0: "no", 1: "partly", 2: "yes"}
    with pytest.raises(ParameterError, match="expected the grade 2"):
        Session(path, scale="0=no,1=yes")
    for bad in ("0=no", "0,0", "a=1,b=2", "", "0,nan"):
        with pytest.raises(ParameterError, match="scale: found"):
            Session(path, scale=bad)


def test_network_file_systems_are_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = f"/dev/sda / ext4 rw 0 0\nserver:/x {path.parent} nfs4 rw 0 0\n"
    monkeypatch.setattr(journal, "_mounts", lambda: journal._linux_mounts(mounts))
    with pytest.raises(SourceError, match=r"network file system \(nfs4\)"):
        Session(path, POOL)
    assert not path.exists()
    assert journal.network_file_system("/") is None


def test_twenty_judges_in_threads_never_collide(path: Path) -> None:
    rng = random.Random(1)
    pool = [(f"q{q}", f"d{q}-{d}", rng.choice((1, 1, 2))) for q in range(12) for d in range(15)]
    shown: list[tuple[str, str, str]] = []
    failures: list[BaseException] = []

    with Session(path, pool) as session:

        def judge(name: str) -> None:
            own = random.Random(name)
            try:
                while (found := session.next(name)) is not None:
                    shown.append((found.query_id, found.doc_id, name))
                    session.label(name, found.query_id, found.doc_id, own.choice((0, 1)))
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=judge, args=(f"judge{n}",)) for n in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        events = session.events()
    assert failures == []
    assert len(set(shown)) == len(shown)
    assert sorted((q, d) for q, d, _ in shown) == sorted(
        (q, d) for q, d, judges in pool for _ in range(judges)
    )
    assert [each.number for each in events] == list(range(1, len(shown) + 1))
    assert {(each.query_id, each.doc_id, each.judge) for each in events} == set(shown)


def test_practice_documents_give_feedback_and_are_no_labels(path: Path) -> None:
    known = {"p1": {"a": 2, "b": 0, "c": 0}, "p2": {"e": 1, "f": 9}}
    with Session(path, POOL, scale=SCALE, practice=known, documents={"a": "text"}) as session:
        found = session.practice("ana")
        assert {(each.query_id, each.doc_id) for each in found} == {
            *(("p1", "a"), ("p1", "b"), ("p2", "e"))
        }
        assert [(each.grade, each.expected) for each in found] == [(None, None)] * 3
        assert any(each.document and each.document.text == "text" for each in found)
        session.record("practice", "ana", "p1", "a", grade=1)
        session.record("practice", "ana", "p1", "a", grade=2)
        (done,) = (each for each in session.practice("ana") if each.grade is not None)
        assert (done.grade, done.expected) == (1, 2)
        assert session.practice("ben") == found
        assert session.final_grades() == {}
        with pytest.raises(ParameterError, match="no event of 'ana'"):
            session.undo("ana")
        with pytest.raises(ParameterError, match="a practice document"):
            session.record("practice", "ana", *POOL[0], grade=1)
    with Session(path, practice=known) as session:
        assert sum(each.grade is not None for each in session.practice("ana")) == 1


def test_suggestions_are_hidden_until_the_document_is_graded(path: Path) -> None:
    with Session(path, POOL, suggestions={"q0": {"d00": 0, "d01": 1}}) as session:
        assert [each.suggestion for each in session.upcoming("ana", 2)] == [None, None]
        session.record("skip", "ana", *POOL[1])
        event = session.label("ana", *POOL[0], 1)
        assert session.suggestion(event) == 0
        assert [each.suggestion for each in session.listing("ana", "q0")] == [0, None, None, None]
        assert all(each.suggestion is None for each in session.listing("ben", "q0"))


def compare_all(session: Session, judge: str, value: dict[str, int]) -> int:
    """Answer all pairs by a value for each document; return their number."""
    count = 0
    while (pair := session.next_pair(judge)) is not None:
        one, other = value[pair.left_id], value[pair.right_id]
        session.record(
            *("prefer", judge, pair.query_id, pair.left_id),
            text=pair.right_id,
            grade=(one > other) - (one < other),
        )
        count += 1
        assert pair.compared < pair.most
    return count


def test_pairs_sort_the_documents_and_are_read_as_preferences(path: Path) -> None:
    pool = [("q1", f"d{at}") for at in range(9)] + [("q2", "x"), ("q2", "y")]
    value = {f"d{at}": at // 2 for at in range(9)} | {"x": 1, "y": 0}
    with Session(path, pool) as session:
        first = session.next_pair("ana")
        assert first == session.next_pair("ana")
        other = session.next_pair("ben")
        assert first is not None
        assert other is not None
        assert (first.query_id, other.query_id) == ("q1", "q2")
        assert session.next_pair("eva") is None
        assert compare_all(session, "ana", value) <= 19
        assert compare_all(session, "ben", value) == 1
        # An undo asks for the pair again, and an unclear query for none.
        undone = session.undo("ben")
        assert {undone.doc_id, session.events()[-2].text} == {"x", "y"}
        assert session.next_pair("ben") is not None
        session.record("query-unclear", "ben", "q2")
        assert session.next_pair("ben") is None
        target = path.with_suffix(".prefs")
        session.export(target)
    # With one document for each value in order, all preferences are fulfilled.
    best = sorted(value, key=lambda name: -value[name])
    ideal = {"q1": [name for name in best if name.startswith("d")]}
    found = gainful.evaluate(target, ideal, ["NumPrefs", "Prefs"])
    assert found["Prefs"] == {"q1": 1.0}
    assert found["NumPrefs"]["q1"] == 36 - 4


def test_compared_pairs_are_progress(path: Path) -> None:
    with Session(path, POOL[:6]) as session:
        for seconds in (2, 4, 6):
            pair = session.next_pair("ana")
            assert pair is not None
            place = (pair.query_id, pair.left_id)
            session.record("prefer", "ana", *place, grade=0, text=pair.right_id, seconds=seconds)
        progress = session.progress()
        assert (progress.pairs, progress.orders, progress.requested_orders) == (3, 1, 2)
        (judge,) = progress.judges
        assert (judge.judge, judge.labels, judge.pairs, judge.pace) == ("ana", 0, 3, 4)
        assert progress.seconds_left is None
        text = str(progress)
        assert "1 of 2" in text
        assert "(0%)" not in text
        assert errors(progress.to_dict(), schema_of("judging-progress")) == []


def test_the_documents_left_for_a_judge(path: Path) -> None:
    pool = [("q0", f"d{at}", 2) for at in range(4)] + [("q1", "e", 1)]
    with Session(path, pool) as session:

        def left() -> list[int]:
            return [session.judge_progress(judge).left for judge in ("ana", "ben")]

        # Alone, each could judge each document once.
        assert left() == [5, 5]
        for at in range(4):
            session.label("ana", "q0", f"d{at}", 1)
        assert left() == [1, 3]
        session.label("ben", "q0", "d0", 1)
        assert left() == [1, 2]
        session.record("query-unclear", "ben", "q0")
        assert left() == [1, 1]


def test_labels_beyond_the_requested_ones_are_named(path: Path) -> None:
    with Session(path, [("q", "d")]) as session:
        for judge in ("ana", "ben", "eva"):
            session.label(judge, "q", "d", 1)
        progress = session.progress()
        assert (progress.done, progress.requested, progress.extra) == (1, 1, 2)
        assert errors(progress.to_dict(), schema_of("judging-progress")) == []


def test_pairs_are_swapped_at_random_and_checked(path: Path) -> None:
    pool = [(f"q{at}", f"{name}{at}") for at in range(40) for name in "ab"]
    with Session(path, pool) as session:
        left = []
        for _ in range(40):
            pair = session.next_pair("ana")
            assert pair is not None
            left.append(pair.left_id[0])
            session.record(
                "prefer", "ana", pair.query_id, pair.left_id, text=pair.right_id, grade=0
            )
        assert 8 < left.count("a") < 32
        for grade, second in ((2, "b1"), (0.5, "b1"), (True, "b1"), (1, "a1"), (1, "b2")):
            with pytest.raises(ParameterError):
                session.record("prefer", "ana", "q1", "a1", text=second, grade=grade)
    with Session(path) as session:
        assert session.next_pair("ana") is None


def test_exported_qrels_include_judgments_that_exist(path: Path) -> None:
    target = path.with_suffix(".qrels")
    with Session(path, POOL) as session:
        session.label("ana", *POOL[0], 1)
        session.export(target, judged={"q0": {"d00": 0, "old": 1}, "q9": {"x": 1}})
    assert gainful.read_qrels(target).to_dict() == {"q0": {"d00": 1, "old": 1}, "q9": {"x": 1}}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("qrels.txt", "q1 0 d1 1\n"),
        ("qrels.csv", "query_id,doc_id,grade\nq1,d1,1\n"),
        ("qrels.tsv", "qid\tdocno\tRel\nq1\td1\t1\n"),
        ("qrels.jsonl", '{"query_id": "q1", "doc_id": "d1", "relevance": 1}\n'),
    ],
)
def test_judgments_without_runs_are_explained(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(FormatError, match="found judgments.* pass runs too"):
        Session(tmp_path / "new.session", tmp_path / name)
    assert not (tmp_path / "new.session").exists()


@pytest.mark.parametrize(
    "content", ["query_id,doc_id,score\nq1,d1,1\n", "query_id,doc_id,judges,grade\nq1,d1,1,2\n"]
)
def test_pools_can_have_scores_and_grades(path: Path, tmp_path: Path, content: str) -> None:
    (tmp_path / "pool.csv").write_text(content)
    with Session(path, tmp_path / "pool.csv") as session:
        assert session.requested == 1
