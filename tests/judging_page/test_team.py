"""What several people need every day: lists, keys, resets, Markdown, files, grades by judge."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gainful
from accessibility import violations
from awaiting import await_true
from combinations import each_once
from gainful.judging import Kind, Session
from judging_servers import RunningPage, client, served, small_pool
from requirements import need

need("starlette")

Open = Callable[..., Any]

POOL = small_pool(1, 4)
HOSTILE = (
    "# A heading\n\nOne *good* answer\nto a question <script>window.hit = 1</script>"
    '<img src=x onerror="window.hit = 1"> [good](https://example.org/)'
    " [bad](javascript:window.hit=1) ![picture](https://example.org/x.png)\n"
)


def opened_list(opened: Open, running: RunningPage, **options: Any) -> Any:
    need("chromium")
    page = opened(running.link("ana"), bypass_csp=True, **options)
    page.wait_for_selector(".document-title")
    page.get_by_role("button", name="List", exact=True).click()
    page.wait_for_selector(".listing")
    return page


def shown(page: Any) -> list[str]:
    return [text.strip() for text in page.locator(".listing h2").all_inner_texts()]


def test_documents_are_searched_filtered_and_graded_together(opened: Open, tmp_path: Path) -> None:
    with served(tmp_path, POOL) as running:
        page = opened_list(opened, running)
        page.get_by_label("Search these documents").type("d0-2")
        page.wait_for_function("() => document.querySelectorAll('.listing li').length === 1")
        assert shown(page) == ["Title d0-2"]
        # The field keeps the focus while it filters.
        assert page.evaluate("document.activeElement.id") == "search"
        page.get_by_label("Search these documents").fill("nothing has this")
        page.wait_for_selector("text=No document of this query matches.")
        page.get_by_label("Search these documents").fill("")
        page.get_by_label("Select Title d0-0").check()
        page.get_by_label("Select Title d0-3").check()
        assert violations(page) == []
        page.get_by_role("button", name="good: all selected documents").click()
        await_true(
            lambda: running.session.final_grades() == {"q0": {"d0-0": 2.0, "d0-3": 2.0}}, "grades"
        )
        assert all(event.seconds is not None for event in running.session.events())
        page.locator("#filter").select_option("open")
        assert shown(page) == ["Title d0-1", "Title d0-2"]
        page.locator("#filter").select_option("grade-2")
        assert shown(page) == ["Title d0-0", "Title d0-3"]
        page.locator("#filter").select_option("all")
        # One undo takes back what was graded together.
        page.keyboard.press("Escape")
        page.locator("h1").click()
        page.keyboard.press("u")
        await_true(lambda: running.session.final_grades() == {}, "undone")
        page.locator("#check-all").click()
        page.get_by_role("button", name="Later: all selected documents").click()
        await_true(lambda: running.session.judge_progress("ana").later == 4, "put off")
        page.get_by_label("Select Title d0-1").check()
        page.get_by_role("button", name="Take back answers").click()
        await_true(lambda: running.session.judge_progress("ana").later == 3, "taken back")


def test_what_was_put_off_is_judged_again(opened: Open, tmp_path: Path) -> None:
    with served(tmp_path, POOL) as running:
        for document, kind in (
            ("d0-0", Kind.SKIP),
            ("d0-1", Kind.CANNOT_JUDGE),
            ("d0-2", Kind.SKIP),
        ):
            running.session.record(kind, "ana", "q0", document)
        running.session.record(Kind.CANNOT_JUDGE, "ben", "q0", "d0-3")
        page = opened_list(opened, running)
        page.get_by_role("button", name="Judge 2 again: later").click()
        page.wait_for_selector("text=2 documents open again.")
        page.get_by_role("button", name="Judge 1 again: cannot judge").click()
        page.wait_for_selector("text=1 document open again.")
        assert running.session.judge_progress("ana").later == 0
        # Another judge's answers are left alone.
        assert running.session.judge_progress("ben").cannot_judge == 1
        owner = opened(running.link("eva"), bypass_csp=True)
        owner.get_by_role("button", name="Results").click()
        owner.get_by_role("button", name="Reset 1 “cannot judge”").click()
        owner.wait_for_selector("text=1 answer taken back.")
        assert running.session.judge_progress("ben").cannot_judge == 0


def test_a_judge_takes_back_no_answer_of_others(tmp_path: Path) -> None:
    with served(tmp_path, POOL) as running, client(running, "ana") as judge:
        running.session.label("ben", "q0", "d0-0", 2)
        event = {"kind": "withdraw", "query_id": "q0", "doc_id": "d0-0", "text": "ben"}
        answer = judge.post("/api/events", json={"events": [{**event, "client_id": "x"}]}).json()
        assert "without an answer of 'ana'" in answer["events"][0]["error"]
        assert judge.post("/api/reset-all", json={"kind": "skip"}).status_code == 403
        assert judge.post("/api/reset", json={"kind": "grade"}).status_code == 400
        assert running.session.final_grades() == {"q0": {"d0-0": 2.0}}


def test_keys_are_changed_and_kept(opened: Open, tmp_path: Path) -> None:
    need("chromium")
    with served(tmp_path, POOL) as running:
        page = opened(running.link("ana"), bypass_csp=True)
        page.wait_for_selector("text=Title d0-0")
        page.keyboard.press("?")
        page.get_by_label("Key: perfect").fill("p")
        page.get_by_label("Key: Cannot judge").fill("l")
        # Two actions have swapped their keys.
        assert page.get_by_label("Key: Later").input_value() == "X"
        assert violations(page) == []
        page.keyboard.press("Escape")
        page.get_by_label("Key: perfect").wait_for(state="hidden")
        page.wait_for_selector("text=Title d0-0")
        page.keyboard.press("3")
        page.keyboard.press("p")
        page.wait_for_selector("text=Title d0-1")
        page.keyboard.press("l")
        page.wait_for_selector("text=Title d0-2")
        await_true(lambda: len(running.session.events()) == 2, "two answers")
        assert [event.kind for event in running.session.events()] == [Kind.GRADE, Kind.CANNOT_JUDGE]
        page.reload()
        page.wait_for_selector("text=Title d0-2")
        assert page.locator("button.grade", has_text="perfect").locator("kbd").inner_text() == "P"
        page.keyboard.press("?")
        page.get_by_role("button", name="Reset keys").click()
        assert page.get_by_label("Key: perfect").input_value() == "3"


@pytest.mark.parametrize("is_markdown", [True, False])
def test_markdown_of_documents_is_shown_without_html(
    opened: Open, tmp_path: Path, is_markdown: bool
) -> None:
    need("chromium")
    documents = {document: {"title": document, "text": HOSTILE} for _, document in POOL}
    site = {"is_markdown": is_markdown}
    with served(tmp_path, POOL, documents=documents, site=site) as running:
        page = opened(running.link("ana"), bypass_csp=True)
        page.wait_for_selector(".document-title")
        text = page.locator(".text")
        assert text.locator("script, img").count() == 0
        assert page.evaluate("window.hit") is None
        assert "<script>" in text.inner_text()
        if is_markdown:
            assert text.locator("h1").inner_text() == "A heading"
            assert text.locator("em").inner_text() == "good"
            assert text.locator("br").count() == 1
            links = [link.get_attribute("href") for link in text.locator("a").all()]
            assert links == ["https://example.org/", "https://example.org/x.png"]
            assert "noopener" in text.locator("a").first.get_attribute("rel")
            # Words of the query are marked inside of the Markdown.
            assert text.locator("mark").inner_text() == "question"
        else:
            assert "*good* answer\nto a question" in text.inner_text()
            assert text.locator("em, a").count() == 0
        assert violations(page) == []


def test_an_owner_downloads_files(tmp_path: Path) -> None:
    with served(tmp_path, POOL) as running, client(running, "eva") as owner:
        assert owner.get("/files/qrels").status_code == 400
        running.session.label("ana", "q0", "d0-0", 2)
        files = {form: owner.get(f"/files/{form}") for form in ("qrels", "csv", "jsonl", "backup")}
        assert files["qrels"].text == "q0 0 d0-0 2\n"
        assert "attachment" in files["csv"].headers["content-disposition"]
        assert "ana" in files["csv"].text
        (tmp_path / "copy.session").write_bytes(files["backup"].content)
        with Session(tmp_path / "copy.session", read_only=True) as copy:
            assert copy.final_grades() == {"q0": {"d0-0": 2.0}}
        assert owner.get("/files/nothing").status_code == 400
        other = {"sec-fetch-site": "cross-site"}
        assert owner.get("/files/csv", headers=other).status_code == 403
        with client(running, "ana") as judge:
            assert judge.get("/files/csv").status_code == 403
        with client(running) as stranger:
            assert stranger.get("/files/csv").status_code == 401


@pytest.mark.parametrize(("scheme", "width"), each_once(["light", "dark"], [1440, 390]))
def test_an_owner_sees_grades_and_suggestions(
    opened: Open, tmp_path: Path, scheme: str, width: int
) -> None:
    need("chromium")
    suggestions = {"q0": {"d0-0": 3, "d0-1": 0}}
    runs = {name: gainful.Run({"q0": own}) for name, own in {"a": ["x"], "b": ["d0-3"]}.items()}
    site = {"runs": runs, "measure": "P@1"}
    pool = [(*pair, 2) for pair in POOL]
    with served(tmp_path, pool, suggestions=suggestions, site=site) as running:
        for judge, grades in {"ana": (3, 1, 0), "ben": (3, 0, 1)}.items():
            for number, grade in enumerate(grades):
                running.session.label(judge, "q0", f"d0-{number}", grade, seconds=60)
        page = opened(
            running.link("eva"),
            bypass_csp=True,
            color_scheme=scheme,
            viewport={"width": width, "height": 900},
        )
        page.get_by_role("button", name="Results").click()
        page.wait_for_selector("text=Grades by judge")
        rows = page.get_by_role("region", name="Grades by judge").locator("tbody tr")
        cells = [row.split("\t") for row in rows.all_inner_texts()]
        assert cells == [
            ["ana", "1 (33%)", "1 (33%)", "0 (0%)", "1 (33%)", "33% of 3", "50% of 2", "+.50"],
            ["ben", "1 (33%)", "1 (33%)", "0 (0%)", "1 (33%)", "33% of 3", "100% of 2", ".00"],
        ]
        effect = page.get_by_role("region", name="Systems").locator("tbody td")
        assert "1 (60 s)" in effect.all_inner_texts()
        page.get_by_text("suggestions of the model (columns)").click()
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
