"""Adaptive strategies choose the next documents of a session by the labels so far."""

from __future__ import annotations

from pathlib import Path

import pytest

import gainful
from gainful.judging import Session
from gainful.pooling.call import continue_pool

RUNS = {
    "good": gainful.Run({f"q{q}": [f"g{q}-{d}" for d in range(40)] for q in range(3)}),
    "bad": gainful.Run({f"q{q}": [f"b{q}-{d}" for d in range(40)] for q in range(3)}),
}


def judge_all(session: Session, judge: str = "ana") -> list[str]:
    seen = []
    while (found := session.next(judge)) is not None:
        session.label(judge, found.query_id, found.doc_id, float(found.doc_id.startswith("g")))
        seen.append(found.doc_id)
    return seen


@pytest.mark.parametrize("strategy", ["mtf", "maxmean"])
def test_documents_of_the_better_run_come_next(tmp_path: Path, strategy: str) -> None:
    with Session(tmp_path / "s.session", []) as session:
        assert continue_pool(session, RUNS, strategy, measure="nDCG@100") == 20
        judge_all(session)
        assert continue_pool(session, RUNS, strategy, measure="nDCG@100") == 20
        assert sum(name.startswith("g") for name in judge_all(session)) >= 15


def test_it_stops_at_the_budget_or_when_the_order_is_settled(tmp_path: Path) -> None:
    with Session(tmp_path / "a.session", []) as session:
        added = [continue_pool(session, RUNS, "mtf", budget=30, measure="nDCG@100")]
        judge_all(session)
        added += [
            continue_pool(session, RUNS, "mtf", budget=30, measure="nDCG@100") for _ in range(2)
        ]
        assert added == [20, 10, 0]
    with Session(tmp_path / "b.session", []) as session:
        labels = 0
        while continue_pool(session, RUNS, "mtc", measure="P@3"):
            labels += len(judge_all(session))
        # All first three documents of both runs would be 18.
        assert 6 <= labels <= 18
        known = session.final_grades()
        (contest,) = gainful.find_unjudged(known, RUNS, "P@3").contests
        assert contest.verdict == "settled"


def test_documents_on_display_are_not_added_again(tmp_path: Path) -> None:
    with Session(tmp_path / "s.session", []) as session:
        continue_pool(session, RUNS, "mtf", measure="nDCG@100")
        shown = session.next("ana")
        before = session.requested
        assert continue_pool(session, RUNS, "mtf", measure="nDCG@100") == 20
        assert session.requested == before + 20
        following = session.next("ana")
        assert shown is not None
        assert following is not None
        assert (following.query_id, following.doc_id) == (shown.query_id, shown.doc_id)
