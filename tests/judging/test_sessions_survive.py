"""Judging sessions keep what they acknowledged: kill -9 and random sequences of events."""

from __future__ import annotations

import random
import signal
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from hypothesis.strategies import booleans, integers, sampled_from

from combinations import ALL
from gainful.errors import ParameterError
from gainful.judging import Session
from gainful.judging.sessions.events import Kind
from warm_process import running

#: Three judges label until the process is killed. A line is printed after each acknowledgment.
CHILD = """
import os, random, sys, threading
from gainful.judging import Session
path, pool = sys.argv[1], [(f"q{q}", f"d{d}", 2) for q in range(60) for d in range(50)]
session = Session(path, pool)
def judge(name):
    own = random.Random()
    while (found := session.next(name)) is not None:
        event = session.label(name, found.query_id, found.doc_id, own.choice((0, 1)))
        if own.random() < 0.3:
            # The client got no answer, and sends the event again.
            again = event.query_id, event.doc_id, event.grade
            session.label(name, *again, client_id=event.client_id)
        kind, grade = event.kind.value, event.grade
        if own.random() < 0.1:
            event = session.undo(name)
            kind, grade = event.kind.value, ""
        line = "\\t".join((event.client_id, kind, name, event.query_id, event.doc_id, str(grade)))
        os.write(1, (line + "\\n").encode())
for name in ("ana", "ben", "eva"):
    threading.Thread(target=judge, args=(name,)).start()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a signal of POSIX")
def test_nothing_acknowledged_is_lost_or_doubled_by_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "labels.session"
    rng = random.Random()
    acknowledged: dict[str, list[str]] = {}
    for _ in range(5):
        with running(CHILD, path) as process:
            lines = [process.output.readline() for _ in range(rng.randint(1, 90))]
            process.send_signal(signal.SIGKILL)
            lines += process.output.readlines()
            assert process.wait() == -signal.SIGKILL, lines[-1]
        for line in lines:
            client, *rest = line.rstrip("\n").split("\t")
            assert client not in acknowledged
            acknowledged[client] = rest
        with Session(path) as session:
            events = session.events()
        stored = {each.client_id: each for each in events}
        assert len(stored) == len(events)
        assert [each.number for each in events] == list(range(1, len(events) + 1))
        for client, (kind, judge, query, document, grade) in acknowledged.items():
            event = stored[client]
            assert (event.kind, event.judge) == (kind, judge)
            assert (event.query_id, event.doc_id) == (query, document)
            assert grade == ("" if event.grade is None else str(event.grade))
    assert len(acknowledged) >= 5


JUDGES = ("ana", "ben", "eva")
POOL = [(f"q{n // 3}", f"d{n}", 1 + n % 2) for n in range(6)]
PAIRS = [(query, document) for query, document, _ in POOL]


class SessionMachine(RuleBasedStateMachine):
    """Compare a session with a list of all that was recorded, in which an undo removes an entry."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.path = Path(self.folder.name) / "labels.session"
        self.session = Session(self.path, POOL, scale="0,1,2")
        self.entries: list[tuple[Kind, str, tuple[str, str], float | None]] = []
        self.recorded = 0

    def teardown(self) -> None:
        self.session.close()
        self.folder.cleanup()

    def record(self, kind: Kind, judge: str, pair: tuple[str, str], grade: float | None) -> None:
        event = self.session.record(kind, judge, *pair, grade=grade)
        assert self.session.record(kind, judge, *pair, grade=grade, client_id=event.client_id) is (
            event
        )
        self.entries.append((kind, judge, pair, grade))
        self.recorded += 1

    @rule(judge=sampled_from(JUDGES), grade=integers(0, 2))
    def label_the_next(self, judge: str, grade: int) -> None:
        found = self.session.next(judge)
        if found is None:
            # Nothing is open except what this judge has answered, or others are looking at.
            assert not any(
                self.needed(pair) > 0 and self.current(judge, pair) is None and not self.held
                for pair in PAIRS
            )
            return
        pair = (found.query_id, found.doc_id)
        assert self.current(judge, pair) in (None, Kind.SKIP)
        assert self.needed(pair) > 0
        self.record(Kind.GRADE, judge, pair, float(grade))

    @rule(judge=sampled_from(JUDGES), pair=sampled_from(PAIRS), grade=integers(0, 2))
    def label_any(self, judge: str, pair: tuple[str, str], grade: int) -> None:
        self.record(Kind.GRADE, judge, pair, float(grade))

    @rule(
        judge=sampled_from(JUDGES),
        pair=sampled_from(PAIRS),
        kind=sampled_from([Kind.SKIP, Kind.CANNOT_JUDGE, Kind.REOPEN]),
    )
    def answer_otherwise(self, judge: str, pair: tuple[str, str], kind: Kind) -> None:
        self.record(kind, judge, pair, None)

    @rule(pair=sampled_from(PAIRS), grade=integers(0, 2), judge=sampled_from(JUDGES))
    def adjudicate(self, pair: tuple[str, str], grade: int, judge: str) -> None:
        self.record(Kind.ADJUDICATE, judge, pair, float(grade))

    @rule(judge=sampled_from(JUDGES), decision=booleans())
    def undo(self, judge: str, decision: bool) -> None:
        own = [
            at
            for at, (kind, name, *_) in enumerate(self.entries)
            if name == judge and (kind in (Kind.ADJUDICATE, Kind.REOPEN)) is decision
        ]
        undo = self.session.undo_decision if decision else self.session.undo
        if not own:
            with pytest.raises(ParameterError):
                undo(judge)
            return
        undo(judge)
        del self.entries[own[-1]]
        self.recorded += 1

    @rule()
    def restart(self) -> None:
        self.session.close()
        self.session = Session(self.path)

    @property
    def held(self) -> bool:
        return bool(self.session._leases._of_query) and any(self.session._leases._of_query.values())

    def current(self, judge: str, pair: tuple[str, str]) -> Kind | None:
        answers = (Kind.GRADE, Kind.CANNOT_JUDGE, Kind.SKIP)
        found = [e for e in self.entries if e[1] == judge and e[2] == pair and e[0] in answers]
        return found[-1][0] if found else None

    def needed(self, pair: tuple[str, str]) -> int:
        quota = dict(zip(PAIRS, (judges for *_, judges in POOL), strict=True))[pair]
        quota += sum(kind is Kind.REOPEN and at == pair for kind, _, at, _ in self.entries)
        return quota - sum(self.current(each, pair) not in (None, Kind.SKIP) for each in JUDGES)

    @invariant()
    def the_final_grades_are_those_of_the_list(self) -> None:
        expected: dict[str, dict[str, float]] = {}
        for query, document in PAIRS:
            own = [entry for entry in self.entries if entry[2] == (query, document)]
            last = {e[1]: e for e in own if e[0] not in (Kind.ADJUDICATE, Kind.REOPEN)}
            grades = sorted(e[3] for e in last.values() if e[3] is not None)
            rulings = [e for e in own if e[0] in (Kind.ADJUDICATE, Kind.REOPEN)]
            grade = rulings[-1][3] if rulings else None
            if grade is None and grades:
                grade = grades[(len(grades) - 1) // 2]
            if grade is not None:
                expected.setdefault(query, {})[document] = grade
        assert self.session.final_grades() == expected

    @invariant()
    def the_journal_has_every_event_once(self) -> None:
        events = self.session.events()
        assert len(events) == self.recorded
        assert max(Counter(each.client_id for each in events).values(), default=1) == 1


TestSessionMachine = SessionMachine.TestCase
TestSessionMachine.settings = settings(
    max_examples=100 if ALL else 20,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
