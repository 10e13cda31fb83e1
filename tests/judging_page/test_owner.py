"""The pages of owners: agreement, effect on systems, disagreements and people."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import gainful
from accessibility import violations
from awaiting import await_true
from gainful.judging import Session
from gainful.judging_page.documents import Mode
from gainful.pooling.call import effect_of_labels
from judging_servers import PageProcess, RunningPage, client, served, small_pool
from requirements import need

need("starlette")

Open = Callable[..., Any]

POOL = [(*pair, 2) for pair in small_pool(3, 4)]
RUNS = {
    "old": {"q0": ["d0-0", "d0-1", "d0-2"], "q1": ["d1-0", "d1-1"], "q2": ["d2-3"]},
    "new": {"q0": ["d0-2", "d0-3", "d0-0"], "q1": ["d1-1", "d1-0"], "q2": ["d2-2", "d2-3"]},
}


def label(session: Session) -> None:
    """Let two judges grade the first two queries, with three disagreements."""
    grades = [(0, 0), (3, 1), (2, 2), (1, 1), (1, 1), (0, 3), (2, 3), (0, 0)]
    for (query, document, _), (one, other) in zip(POOL, grades, strict=False):
        session.label("ana", query, document, one, seconds=4.0)
        session.label("ben", query, document, other, seconds=8.0)
    session.record("note", "ben", "q0", "d0-1", text="only a part of it")


@contextmanager
def page_of_owner(folder: Path) -> Iterator[RunningPage]:
    site = {"runs": _runs(), "judged": {"q2": {"d2-3": 1}}, "measure": "P@2"}
    with served(folder, POOL, site=site) as running:
        label(running.session)
        yield running


def test_judges_see_nothing_of_it(tmp_path: Path) -> None:
    with page_of_owner(tmp_path) as page, client(page, "ana") as judge:
        before = page.session.events()
        for path in ("overview", "disagreements", "people"):
            assert judge.get(f"/api/{path}").status_code == 403
        for path in ("adjudicate", "link", "revoke"):
            values = {"name": "ben", "kind": "adjudicate", "query_id": "q0", "doc_id": "d0-1"}
            assert judge.post(f"/api/{path}", json={**values, "grade": 1}).status_code == 403
        assert judge.get("/api/settings").json()["role"] == "judge"
        assert page.session.events() == before


def test_the_overview_is_that_of_the_library(tmp_path: Path) -> None:
    with page_of_owner(tmp_path) as page, client(page, "eva") as owner:
        found = owner.get("/api/overview").json()
        quality = gainful.assess_judgments(page.session.ratings(), resamples=999)
        assert quality.alpha is not None
        assert found["agreement"]["alpha"]["value"] == quality.alpha.value
        (pair,) = found["agreement"]["pairs"]
        assert pair["kappa"] == quality.pairs[0].kappa
        assert sum(count for *_, count in pair["confusion"]) == 8
        assert found["progress"] == page.session.progress().to_dict()
        known = {"q2": {"d2-3": 1.0}, **page.session.final_grades()}
        expected = gainful.find_unjudged(known, RUNS, "P@2", scale=[0, 1, 2, 3])
        (contest,) = found["effect"]["contests"]
        assert contest["difference"] == expected.contests[0].difference
        assert contest["text"] == expected.contests[0].verdict_text


def test_disagreements_come_by_their_effect_without_names(tmp_path: Path) -> None:
    with page_of_owner(tmp_path) as page, client(page, "eva") as owner:
        found = owner.get("/api/disagreements").json()
        assert found["count"] == 3
        assert "ana" not in str(found)
        known = {"q2": {"d2-3": 1.0}}
        effect = effect_of_labels(page.session, _runs(), judged=known, measure="P@2")
        assert effect is not None
        order = [(each["query_id"], each["doc_id"]) for each in found["documents"]]
        values = [effect.priority.get(pair, 0.0) for pair in order]
        assert values == sorted(values, reverse=True)
        assert found["documents"][0]["grades"] in ([1, 3], [0, 3], [2, 3])
        notes = [each["notes"] for each in found["documents"] if each["doc_id"] == "d0-1"]
        assert notes == [["only a part of it"]]


def _runs() -> dict[str, gainful.Run]:
    return {name: gainful.Run(run) for name, run in RUNS.items()}


def test_decisions_keep_the_labels(tmp_path: Path) -> None:
    with page_of_owner(tmp_path) as page, client(page, "eva") as owner:
        place = {"query_id": "q0", "doc_id": "d0-1"}
        decision = {"kind": "adjudicate", **place, "grade": 2, "client_id": "x1"}
        for _ in range(2):
            assert owner.post("/api/adjudicate", json=decision).json()["count"] == 2
        assert page.session.final_grades()["q0"]["d0-1"] == 2
        assert page.session.ratings().grades("ana")["q0", "d0-1"] == 3
        decided = owner.get("/api/disagreements", params={"decided": "1"}).json()
        assert decided["count"] == 1
        assert decided["documents"][0]["decision"] == 2
        # A decision is changed by another one.
        change = {**decision, "grade": 1, "client_id": "x5", "decided": True}
        assert owner.post("/api/adjudicate", json=change).json()["documents"][0]["decision"] == 1
        assert [each.decision for each in page.session.decisions()] == [1]
        owner.post("/api/adjudicate", json={"kind": "undo-decision", "client_id": "x6"})
        assert [each.decision for each in page.session.decisions()] == [2]
        undo = {"kind": "undo-decision", "client_id": "x2"}
        assert owner.post("/api/adjudicate", json=undo).json()["count"] == 3
        for wrong in ({"kind": "grade", **place, "grade": 1, "client_id": "x3"},
                      {"kind": "adjudicate", **place, "grade": 9, "client_id": "x4"},
                      {"kind": "adjudicate", **place, "grade": 1}):  # fmt: skip
            assert owner.post("/api/adjudicate", json=wrong).status_code == 400


def test_owners_give_and_take_access(tmp_path: Path) -> None:
    with (
        page_of_owner(tmp_path) as page,
        client(page, "eva") as owner,
        client(page, "ben") as judge,
    ):
        found = owner.post("/api/link", json={"name": "ben"}).json()
        assert found["address"].startswith(f"{page.address}#")
        assert {len(line) for line in found["code"]} == {len(found["code"])}
        assert judge.get("/api/next").status_code == 200
        owner.post("/api/revoke", json={"name": "ben"})
        assert judge.get("/api/next").status_code == 401
        for name in ("eva", "nobody", None):
            assert owner.post("/api/revoke", json={"name": name}).status_code == 400


def test_without_labels_or_runs_there_is_no_effect(tmp_path: Path) -> None:
    with Session(tmp_path / "s.session", POOL, scale="0,1,2,3") as session:
        assert effect_of_labels(session, _runs()) is None
        session.label("ana", "q0", "d0-0", 1)
        assert effect_of_labels(session, {"old": _runs()["old"]}) is None
        found = effect_of_labels(session, _runs(), measure="P@2")
        assert found is not None
        assert not found.is_settled
        label(session)
        found = effect_of_labels(session, _runs(), measure="P@2")
        assert found is not None
        assert found.is_settled
        # Nobody has begun the third query, which decides at rank 1.
        found = effect_of_labels(session, _runs(), measure="P@1", settling=True)
        assert found is not None
        assert not found.is_settled
        assert found.sentence == "1 more label could settle old vs. new."
        for document in ("d2-2", "d2-3"):
            session.label("ana", "q2", document, 0)
        found = effect_of_labels(session, _runs(), measure="P@1", settling=True)
        assert found is not None
        assert found.is_settled
        assert found.settling == (0,)


def test_an_owner_decides_in_the_browser(opened: Open, tmp_path: Path) -> None:
    need("chromium")
    with page_of_owner(tmp_path) as running:
        page = opened(running.link("eva"), bypass_csp=True)
        page.wait_for_selector(".document-title")
        page.get_by_role("button", name="Disagreements").click()
        page.wait_for_selector("text=Disagreement 1 of 3")
        assert violations(page) == []
        first = page.locator(".document-title").inner_text()
        page.keyboard.press("2")
        page.wait_for_selector("text=Disagreement 1 of 2")
        page.keyboard.press("u")
        page.wait_for_selector("text=of 3")
        assert running.session.progress().decisions == 0
        page.keyboard.press("2")
        page.wait_for_selector("text=Disagreement 1 of 2")
        assert page.locator(".document-title").inner_text() != first
        page.keyboard.press("d")
        page.wait_for_selector("text=Decision 1 of 1")
        assert page.locator(".document-title").inner_text() == first
        assert violations(page) == []
        page.keyboard.press("3")
        page.wait_for_selector("text=Decided: perfect")
        page.keyboard.press("d")
        page.wait_for_selector("text=Disagreement 1 of 2")
        page.get_by_role("button", name="Results").click()
        page.wait_for_selector("text=Krippendorff's alpha is")
        page.wait_for_selector("text=Do not stop because a difference has become significant")
        assert violations(page) == []
        page.get_by_role("button", name="New address for ben").click()
        page.wait_for_selector("dialog canvas")
        address = page.locator(".address").inner_text()
        assert violations(page) == []
        page.keyboard.press("Escape")
        judge = opened(address)
        judge.wait_for_selector("#standing progress")
        assert judge.get_by_role("button", name="Results").count() == 0
        page.get_by_role("button", name="Sign ben out").click()
        page.wait_for_function("() => document.querySelector('#live').textContent.includes('ben')")
        await_true(lambda: not running.access.people()["ben"][1], "ben is signed out")
        judge.reload()
        judge.wait_for_selector("text=Each address works once")


def test_an_owner_sees_the_pairs_that_were_compared(opened: Open, tmp_path: Path) -> None:
    need("chromium")
    with served(tmp_path, small_pool(2, 2), site={"mode": Mode.PAIRS}) as running:
        page = opened(running.link("eva"))
        page.wait_for_selector(".two")
        page.keyboard.press("1")
        page.wait_for_selector("text=question q1")
        assert page.get_by_role("button", name="Disagreements").count() == 0
        page.get_by_role("button", name="Results").click()
        page.wait_for_selector("text=pairs compared")
        tiles = page.locator(".tiles dd").all_inner_texts()
        assert tiles == ["1", "1 of 2", "4 for 2 queries"]
        assert page.locator("main tbody tr").first.locator("th").inner_text() == "eva"


@pytest.mark.usefixtures("small_files")
def test_the_command_passes_runs_and_judgments(capsys: pytest.CaptureFixture[str]) -> None:
    from gainful.cli import main

    assert main(["judge", "qrels.txt", "bm25.run", "-m", "nothing"]) == 2
    assert "nothing" in capsys.readouterr().err


def test_where_all_is_judged_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from gainful.cli import main

    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\n")
    Path("x.run").write_text("q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\n")
    for strategy in ("depth", "mtf"):
        assert main(["judge", "qrels.txt", "x.run", "--strategy", strategy]) == 0
        assert "Nothing is left to judge. A larger --depth" in capsys.readouterr().out


def test_practice_ends_with_the_documents(tmp_path: Path) -> None:
    with (
        served(tmp_path, small_pool(1, 1), practice={"p": {"k": 1}}) as page,
        client(page, "ana") as judge,
    ):
        assert judge.get("/api/settings").json()["practice"]
        page.session.label("ben", "q0", "d0-0", 1)
        assert not judge.get("/api/settings").json()["practice"]


def test_an_adaptive_session_grows_on_the_page(tmp_path: Path) -> None:
    added = []

    def add() -> int:
        added.append(len(added))
        running.session.add([("q0", f"n{len(added)}")] if len(added) < 3 else [])
        return int(len(added) < 3)

    with (
        served(tmp_path, small_pool(1, 1), site={"add_documents": add}) as running,
        client(running, "ana") as judge,
    ):
        seen = []
        found = judge.get("/api/next").json()["next"]
        while found:
            seen.append(found[0]["doc_id"])
            event = {"kind": "grade", "query_id": "q0", "doc_id": seen[-1], "grade": 1,
                     "client_id": seen[-1]}  # fmt: skip
            found = judge.post("/api/events", json={"events": [event]}).json()["next"]
        assert seen == ["d0-0", "n1", "n2"]
        assert len(added) == 3


def test_the_demo_opens_the_open_documents(opened: Open, tmp_path: Path) -> None:
    need("chromium")
    process = PageProcess("-o", "shop", folder=tmp_path, command=("demo", "--judge"))
    try:
        page = opened(process.address)
        page.wait_for_selector("text=Practice 1 of 5")
        page.get_by_role("button", name="Skip practice").click()
        page.wait_for_selector(".judge .document")
        page.wait_for_selector("#standing >> text=of 123 labels")
    finally:
        process.kill()
