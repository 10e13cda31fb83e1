"""Judging sessions: answers that are taken back, labels from spreadsheets, backups and plans."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from gainful.errors import ParameterError, SourceError
from gainful.judging import Kind, Session
from gainful.pooling.comparing import plan_settling

POOL = [("q0", "d0"), ("q0", "d1"), ("q1", "d2", 2)]
SCALE = "0=no,1=partly,2=yes"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "labels.session"


def test_an_answer_is_taken_back_by_its_document(path: Path) -> None:
    with Session(path, POOL, scale=SCALE) as session:
        session.label("ana", "q0", "d0", 2)
        session.record(Kind.CANNOT_JUDGE, "ana", "q0", "d1")
        session.withdraw("ana", "q0", "d0")
        assert session.final_grades() == {}
        assert session.needed == 3
        assert (found := session.next("ana")) is not None
        assert found.doc_id == "d0"
        with pytest.raises(ParameterError, match="expected an answered document"):
            session.withdraw("ana", "q0", "d0")
        # An undo takes back the last answer that is left.
        session.undo("ana")
        assert session.needed == 4
    with Session(path, read_only=True) as again:
        assert [event.kind for event in again.events()][-2:] == [Kind.WITHDRAW, Kind.UNDO]
        assert again.needed == 4


def test_a_withdrawal_that_is_sent_twice_is_recorded_once(path: Path) -> None:
    with Session(path, POOL, scale=SCALE) as session:
        session.label("ana", "q0", "d0", 1)
        session.label("ana", "q0", "d0", 2)
        for _ in range(2):
            session.record(Kind.WITHDRAW, "ana", "q0", "d0", client_id="once")
        assert session.final_grades() == {"q0": {"d0": 1.0}}


@pytest.mark.parametrize("kind", [Kind.SKIP, Kind.CANNOT_JUDGE])
def test_all_answers_of_a_kind_are_reset(path: Path, kind: Kind) -> None:
    with Session(path, POOL, scale=SCALE) as session:
        session.label("ana", "q0", "d0", 1)
        for judge, document in (("ana", "d1"), ("ben", "d0")):
            session.record(kind, judge, "q0", document)
        session.record(kind, "ana", "q1", "d2")
        assert session.reset("ana", kind, of="ana") == 2
        assert session.reset("eva", kind) == 1
        assert session.reset("eva", kind) == 0
        progress = session.progress()
        assert sum(judge.later + judge.cannot_judge for judge in progress.judges) == 0
        assert session.final_grades() == {"q0": {"d0": 1.0}}
        with pytest.raises(ParameterError, match="expected skip or cannot-judge"):
            session.reset("eva", Kind.GRADE)


def test_the_grades_of_judges_and_the_model(path: Path) -> None:
    suggestions = {"q0": {"d0": 2, "d1": 0}}
    with Session(path, POOL, scale=SCALE, suggestions=suggestions) as session:
        session.label("ana", "q0", "d0", 2)
        session.label("ana", "q0", "d1", 1)
        session.label("ana", "q1", "d2", 1)
        session.record(Kind.SKIP, "ben", "q1", "d2")
        (ana,) = session.grades_of_judges()
        assert (ana.judge, ana.counts) == ("ana", (0, 2, 1))
        assert (ana.suggested, ana.same, ana.difference) == (2, 1, 0.5)
        assert ana.confusion == ((1.0, 0.0, 1), (2.0, 2.0, 1))


def test_a_backup_opens_like_the_session(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.session"
    with Session(path, POOL, scale=SCALE) as session:
        session.label("ana", "q0", "d0", 2)
        session.back_up(copy)
        session.label("ana", "q0", "d1", 2)
        with pytest.raises(SourceError, match="the file exists"):
            session.back_up(copy)
    with Session(copy) as restored:
        assert restored.final_grades() == {"q0": {"d0": 2.0}}
        assert restored.needed == 3


def test_labels_of_several_raters_are_loaded(
    path: Path, tmp_path: Path, output_of: Callable[..., str]
) -> None:
    pool, labels = tmp_path / "pool.jsonl", tmp_path / "labels.csv"
    pool.write_text(
        "".join(f'{{"query_id": "{q}", "doc_id": "{d}", "judges": 2}}\n' for q, d, *_ in POOL)
    )
    labels.write_text("query,document,Anna,Ben\nq0,d0,2,1\nq0,d1,0,\nq1,d9,1,1\n")
    words = ("judge", str(pool), "--session", str(path), "--scale", SCALE)
    load = ("--load", str(labels), "--raters", "Anna,Ben")
    said = output_of(*words, *load)
    assert "added 3 labels of Anna, Ben. 2 are of documents that the session lacks." in said
    assert "added 0 labels" in output_of(*words, *load)
    with Session(path, read_only=True) as session:
        assert session.final_grades() == {"q0": {"d0": 1.0, "d1": 0.0}}
        assert {rater.name for rater in session.ratings().raters} == {"Anna", "Ben"}


def test_labels_outside_the_scale_load_nothing(path: Path) -> None:
    rows = [("q0", "d0", "ana", 1), ("q0", "d1", "ana", 7)]
    with Session(path, POOL, scale=SCALE) as session:
        with pytest.raises(ParameterError, match="found 7"):
            session.load(gainful.Ratings(rows))
        assert session.events() == []


@pytest.mark.parametrize("suffix", ["xlsx", "XLSX", "ods"])
def test_a_workbook_is_refused_by_name(
    path: Path, tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    book = tmp_path / f"labels.{suffix}"
    book.write_bytes(b"PK\x03\x04")
    with Session(path, POOL, scale=SCALE):
        pass
    assert main(["judge", str(path), "--load", str(book)]) == 2
    error = capsys.readouterr().err
    assert f"labels.{suffix}: found a workbook" in error
    assert "save each sheet as CSV UTF-8" in error


def test_raters_need_labels(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", str(path), "--raters", "Anna"]) == 2
    assert "--raters works with --load" in capsys.readouterr().err


def test_a_plan_counts_labels_and_hours_before_anybody_judges(
    small_files: Path, output_of: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    qrels = {"q1": {"a": 1}, "q2": {"z": 1}, "q3": {"y": 1}}
    runs = {
        name: gainful.Run(run)
        for name, run in {
            "new": {"q1": ["a"], "q2": ["c"], "q3": ["e"]},
            "old": {"q1": ["b"], "q2": ["d"], "q3": ["f"]},
        }.items()
    }
    (pair,) = plan_settling(qrels, runs, "P@1", judges=2, pace=36, overlap=0.5).pairs
    assert (pair.system, pair.baseline) == ("new", "old")
    assert pair.documents is not None
    assert pair.documents >= 1
    assert pair.labels == -(-3 * pair.documents // 2)
    assert pair.hours == pytest.approx(pair.labels / 100)
    assert pair.hours_per_judge == pytest.approx(pair.labels / 200)
    text = output_of("judge", "qrels.txt", "bm25.run", "dense.run", "--plan", "5", "--pace", "60")
    assert "hours per judge" in text
    assert "60 seconds per label, 5 judges." in " ".join(text.split())
    assert not list(Path().glob("*.session"))
    assert main(["judge", "qrels.txt", "bm25.run", "--plan", "5"]) == 2
    assert "--plan needs judgments and two or more runs" in capsys.readouterr().err
