"""The judging page in Chromium: by keyboard, in two tabs, offline, after kill -9, hostile texts."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from accessibility import violations
from awaiting import await_true
from combinations import each_once
from free_ports import free_port
from gainful.judging import Kind, Session
from gainful.judging_page import Role
from judging_servers import PageProcess, served, small_pool, texts_of
from requirements import need

need("starlette")
need("chromium")

Open = Callable[..., Any]

#: Without, a page tries again after a second, see test_storage.py.
ONLINE = "dispatchEvent(new Event('online'))"


def title(page: Any) -> str:
    return str(page.locator(".document-title").inner_text())


def press(page: Any, key: str) -> None:
    """Press a key, and wait until another document is shown."""
    before = page.locator("article").element_handle()
    page.keyboard.press(key)
    page.wait_for_function("before => before !== document.querySelector('article')", arg=before)


def settle(session: Session, count: int) -> None:
    """Wait until a number of events is recorded."""
    await_true(lambda: len(session.events()) >= count, f"{count} events")
    assert len(session.events()) == count


def test_documents_are_judged_by_keyboard(opened: Open, tmp_path: Path) -> None:
    pool = small_pool(3, 4)
    with served(tmp_path, pool) as running:
        page = opened(running.link("ana"))
        page.wait_for_selector(".document-title")
        assert running.access.issue("ana") not in page.url
        assert "#" not in page.url
        expected = {}
        for number in range(12):
            document = title(page).removeprefix("Title ")
            key = "012 3x"[number % 6].strip() or "l"
            if key in "0123":
                expected[document] = float(key)
            if number < 11:
                press(page, key)
            else:
                page.keyboard.press(key)
        settle(running.session, 12)
        graded = running.session.final_grades()
        assert {d: g for own in graded.values() for d, g in own.items()} == expected
        events = running.session.events()
        assert Counter(each.kind for each in events) == {
            Kind.GRADE: len(expected),
            Kind.CANNOT_JUDGE: 2,
            Kind.SKIP: 2,
        }
        assert all(each.judge == "ana" and each.seconds is not None for each in events)
        # What was put off comes again.
        page.wait_for_selector("text=Title d0-3")
        page.wait_for_function(
            "() => document.querySelector('#standing').textContent.includes('10 of 12 labels')"
        )


def test_a_held_key_grades_one_document_and_an_unclear_query_gives_way(
    opened: Open, tmp_path: Path
) -> None:
    with served(tmp_path) as running:
        page = opened(running.link("ana"))
        page.wait_for_selector("text=Title d0-0")
        for _ in range(5):
            # All but the first are repeats.
            page.keyboard.down("2")
        page.keyboard.up("2")
        page.wait_for_selector("text=Title d0-1")
        page.locator("button.grade").first.focus()
        for _ in range(5):
            page.keyboard.down("Enter")
        page.keyboard.up("Enter")
        page.wait_for_selector("text=Title d0-2")
        settle(running.session, 2)
        press(page, "q")
        page.wait_for_selector("text=question q1")
        settle(running.session, 3)
        assert running.session.progress().done == 2


def test_notes_undo_and_back(opened: Open, tmp_path: Path) -> None:
    with served(tmp_path) as running:
        page = opened(running.link("ana"))
        page.wait_for_selector("text=Title d0-0")
        page.keyboard.press("e")
        page.keyboard.type("a good answer: 3 x l")
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        page.keyboard.type("exactly 2 of these")
        page.keyboard.press("Escape")
        press(page, "2")
        assert page.locator("#expectation").input_value() == "a good answer: 3 x l"
        press(page, "3")
        page.wait_for_selector("text=Title d0-2")
        page.keyboard.press("b")
        page.wait_for_selector("text=Judged before: perfect")
        page.keyboard.press("b")
        page.wait_for_selector("text=Judged before: good")
        assert page.locator("#note").input_value() == "exactly 2 of these"
        assert page.locator("[aria-pressed=true] span").inner_text() == "good"
        press(page, "1")
        assert title(page) == "Title d0-2"
        settle(running.session, 5)
        assert running.session.final_grades() == {"q0": {"d0-0": 1, "d0-1": 3}}
        page.keyboard.press("u")
        page.wait_for_function("() => document.querySelector('#live').textContent === 'Undone'")
        assert running.session.final_grades() == {"q0": {"d0-0": 2, "d0-1": 3}}
        assert running.session.listing("ana", "q0")[0].note == "exactly 2 of these"
        assert running.session.listing("ana", "q0")[0].expectation == "a good answer: 3 x l"


def test_undo_over_a_restart(opened: Open, tmp_path: Path) -> None:
    port = free_port()
    with served(tmp_path, port=port) as running:
        page = opened(running.link("ana"))
        press_when_ready(page, "3")
        settle(running.session, 1)
    with served(tmp_path, port=port) as running:
        # The browser remains signed in.
        page.keyboard.press("u")
        page.wait_for_selector("text=Title d0-0")
        settle(running.session, 2)
        assert running.session.final_grades() == {}
        press(page, "1")
        settle(running.session, 3)
        assert running.session.final_grades() == {"q0": {"d0-0": 1}}


def press_when_ready(page: Any, key: str) -> None:
    page.wait_for_selector(".document-title")
    press(page, key)


def test_two_judges_never_get_the_same_document(opened: Open, tmp_path: Path) -> None:
    with served(tmp_path, small_pool(2, 7)) as running:
        pages = [opened(running.link(name)) for name in ("ana", "ben")]
        for page in pages:
            page.wait_for_selector(".document-title")
        # Documents are loaded ahead, so that one judge may have nothing left before the other.
        ends = [page.locator("text=Nothing left to judge") for page in pages]
        while not all(end.count() for end in ends):
            for page in pages:
                if page.locator("article").count():
                    press(page, "1")
        events = running.session.events()
        assert len(events) == 14
        assert max(Counter((each.query_id, each.doc_id) for each in events).values()) == 1
        assert {each.judge for each in events} == {"ana", "ben"}


def test_two_tabs_of_a_judge_show_no_document_twice(opened: Open, tmp_path: Path) -> None:
    with served(tmp_path, small_pool(1, 6)) as running:
        first = opened(running.link("ana"))
        first.wait_for_selector("text=Title d0-0")
        second = opened(running.address, context=first.context)
        second.wait_for_selector("text=Title d0-0")
        press(first, "1")
        second.wait_for_selector("text=Title d0-1")
        press(second, "2")
        first.wait_for_selector("text=Title d0-2")
        settle(running.session, 2)
        assert running.session.final_grades() == {"q0": {"d0-0": 1, "d0-1": 2}}


def test_what_is_graded_offline_is_sent_later_once(opened: Open, tmp_path: Path) -> None:
    with served(tmp_path, small_pool(1, 9)) as running:
        page = opened(running.link("ana"))
        press_when_ready(page, "1")
        settle(running.session, 1)
        page.wait_for_function(
            "() => document.querySelector('#standing').textContent.includes('1 of 9')"
        )
        page.context.set_offline(True)
        press(page, "2")
        page.wait_for_selector("text=No connection")
        press(page, "3")
        press(page, "u")
        press(page, "0")
        # More than were loaded in advance: the page waits.
        press(page, "1")
        assert len(running.session.events()) == 1
        # Closing the tab loses nothing.
        page.close()
        page.context.set_offline(False)
        page = opened(running.address, context=page.context)
        page.wait_for_selector("text=Title d0-4")
        settle(running.session, 6)
        assert running.session.final_grades() == {
            "q0": {"d0-0": 1, "d0-1": 2, "d0-2": 0, "d0-3": 1}
        }
        # The page forgets them when it has the answer.
        page.wait_for_function("() => localStorage.length === 0")


def test_an_answer_that_gets_lost_on_its_way_back_counts_once(opened: Open, tmp_path: Path) -> None:
    with served(tmp_path, suggestions={"q0": {"d0-0": 2}}) as running:
        page = opened(running.link("ana"))
        page.wait_for_selector("text=Title d0-0")
        assert "suggested" not in page.content()
        lost = []

        def lose(route: Any) -> None:
            if not lost:
                lost.append(route.fetch())
                route.abort()
            else:
                route.continue_()

        page.route("**/api/events", lose)
        press(page, "3")
        page.wait_for_selector("text=No connection")
        page.evaluate(ONLINE)
        page.wait_for_function("() => localStorage.length === 0")
        page.wait_for_selector("text=The model suggested “good”")
        assert len(lost) == 1
        assert [each.grade for each in running.session.events()] == [3]


def run_with_kills(
    opened: Open, folder: Path, kills: int, seed: int
) -> tuple[list[tuple[str, str]], list[Any]]:
    """Judge by keyboard while the server is killed; return what was judged, and all events."""
    source = random.Random(seed)
    pool = small_pool(kills + 4, 5)
    (folder / "pool.pool").write_text("".join(f"{query} {document}\n" for query, document in pool))
    texts = texts_of(pool)["documents"]
    with open(folder / "docs.jsonl", "w") as stream:
        for name, text in texts.items():
            stream.write(json.dumps({"doc_id": name, **text}) + "\n")
    probe = PageProcess(
        *("pool.pool", "--docs", "docs.jsonl", "--scale", "0,1,2,3", "--judge", "ana"),
        *("--port", str(free_port()), "--no-browser"),
        folder=folder,
    )
    judged: list[tuple[str, str]] = []
    try:
        page = opened(probe.address)
        page.wait_for_selector(".document-title")
        for _ in range(kills):
            for _ in range(source.randint(1, 4)):
                document, grade = title(page).removeprefix("Title "), source.choice("0123")
                press(page, grade)
                judged.append((document, grade))
            time.sleep(source.random() * 0.03)
            probe.kill()
            for _ in range(source.randint(0, 1)):
                if page.locator(".document-title").count():
                    document, grade = title(page).removeprefix("Title "), source.choice("0123")
                    page.keyboard.press(grade)
                    judged.append((document, grade))
            probe.start()
            page.evaluate(ONLINE)
            page.wait_for_function("() => localStorage.length === 0")
            page.wait_for_selector(".document-title")
    finally:
        probe.kill()
    with Session(folder / "pool.session", read_only=True) as session:
        return judged, session.events()


@pytest.mark.parametrize(
    "kills", [2, pytest.param(30, marks=pytest.mark.slow)], ids=["2-kills", "30-kills"]
)
def test_kill_9_loses_and_doubles_nothing(opened: Open, tmp_path: Path, kills: int) -> None:
    judged, events = run_with_kills(opened, tmp_path, kills, seed=2 * kills)
    assert [(each.doc_id, f"{each.grade:g}") for each in events] == judged
    assert max(Counter(each.client_id for each in events).values()) == 1


HOSTILE = "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>"


def test_markup_in_any_field_is_text(opened: Open, tmp_path: Path) -> None:
    pool = [(HOSTILE, f"{HOSTILE}{at}") for at in range(3)]
    fields = {
        "title": HOSTILE,
        "text": HOSTILE,
        HOSTILE: HOSTILE,
        "url": "javascript:document.title='broken'",
        "link": "https://example.com/'\"><script>x</script>",
        "image": "https://example.com/x.png",
    }
    people = {HOSTILE[:150]: Role.OWNER}
    with served(
        tmp_path,
        pool,
        people=people,
        queries={HOSTILE: {"text": HOSTILE, "narrative": HOSTILE}},
        documents={
            name: {**fields, "text": f"{HOSTILE} {at}"} for at, (_, name) in enumerate(pool)
        },
        scale=f"0={HOSTILE.replace(',', '').replace('=', ':')},1=good",
        site={
            "title": HOSTILE,
            "guidelines": f"# {HOSTILE}\n[x](javascript:alert(1)) ![y](http://example.com/z.png)",
        },
    ) as running:
        page = opened(running.link(HOSTILE[:150]))
        page.wait_for_selector(".document-title")
        assert page.title() == HOSTILE
        assert title(page) == HOSTILE
        assert page.locator("main img, main script").count() == 0
        links = page.locator("main a")
        assert [links.nth(at).get_attribute("rel") for at in range(links.count())] == [
            "noopener noreferrer",
            "noopener noreferrer",
        ]
        assert all(
            links.nth(at).get_attribute("href").startswith("https://example.com/")
            for at in range(links.count())
        )
        page.keyboard.press("n")
        page.keyboard.type(HOSTILE)
        page.keyboard.press("Escape")
        press(page, "1")
        page.keyboard.press("g")
        page.wait_for_selector("dialog h1")
        assert page.locator("dialog img, dialog script").count() == 0
        # An image of another host is a link to it.
        addresses = page.locator("dialog a").evaluate_all("links => links.map(each => each.href)")
        assert addresses == ["http://example.com/z.png"]
        page.keyboard.press("Escape")
        for view in ("List", "Side by side"):
            page.get_by_role("button", name=view, exact=True).click()
            page.wait_for_selector("main h1")
            page.wait_for_selector(".grades.small")
        assert page.title() == HOSTILE


def test_long_and_right_to_left_texts(opened: Open, tmp_path: Path) -> None:
    pool = small_pool(1, 3)
    long = " ".join(f"word{at}" + "\n\n" * (at % 100 == 0) for at in range(1_000))
    documents = {
        "d0-0": {"title": "Long", "text": long + " end." + "x" * 90_000},
        "d0-1": {"title": "مرحبا بالعالم", "text": "هذا نص عربي طويل."},
        "d0-2": {"title": "Name", "n" * 200: "value"},
    }
    with served(tmp_path, pool, documents=documents) as running:
        page = opened(running.link("ana"), viewport={"width": 390, "height": 800})
        page.wait_for_selector("text=Long")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        press(page, "1")
        heading = page.locator(".document-title")
        assert heading.inner_text() == documents["d0-1"]["title"]
        direction = "element => getComputedStyle(element).direction"
        assert heading.evaluate(direction) == "rtl"
        assert page.locator(".text p").first.evaluate(direction) == "rtl"
        assert page.locator("#query-text").evaluate(direction) == "ltr"
        press(page, "1")
        assert title(page) == "Name"
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_list_and_the_columns_regrade(opened: Open, tmp_path: Path) -> None:
    with served(tmp_path) as running:
        page = opened(running.link("ana"))
        press_when_ready(page, "3")
        page.get_by_role("button", name="List", exact=True).click()
        page.wait_for_selector(".listing li")
        assert page.locator(".listing li").count() == 4
        page.get_by_role("button", name="related: Title d0-0").click()
        page.get_by_role("button", name="perfect: Title d0-2").click()
        settle(running.session, 3)
        page.get_by_role("button", name="Side by side", exact=True).click()
        page.wait_for_selector(".columns article")
        page.get_by_role("button", name="Cannot judge: Title d0-1").click()
        settle(running.session, 4)
        assert running.session.final_grades() == {"q0": {"d0-0": 1, "d0-2": 3}}
        page.get_by_role("button", name="Judge", exact=True).click()
        page.wait_for_selector("text=Title d0-3")


def test_a_list_of_each_query_is_judged_by_keyboard(opened: Open, tmp_path: Path) -> None:
    from gainful.judging_page.documents import Mode

    with served(tmp_path, small_pool(3, 3), site={"mode": Mode.LIST}) as running:
        page = opened(running.link("ana"))
        page.wait_for_selector("h1 >> text=question q0")
        for key in ("3", "x", "k", "2", "j"):
            page.keyboard.press(key)
        page.keyboard.press("f")
        page.wait_for_selector("text=1 document of this query not judged")
        page.keyboard.press("l")
        page.keyboard.press("f")
        page.wait_for_selector("h1 >> text=question q1")
        page.keyboard.press("1")
        page.keyboard.press("u")
        page.wait_for_function("() => document.querySelector('#live').textContent === 'Undone'")
        for _ in range(3):
            page.keyboard.press("1")
        page.get_by_role("button", name="Next query").click()
        page.wait_for_selector("h1 >> text=question q2")
        page.reload()
        page.wait_for_selector("h1 >> text=question q2")
        settle(running.session, 9)
        assert running.session.final_grades() == {
            "q0": {"d0-0": 3, "d0-1": 2},
            "q1": {f"d1-{at}": 1 for at in range(3)},
        }
        assert all(
            event.seconds is not None for event in running.session.events() if event.kind != "undo"
        )


@pytest.mark.parametrize(("scheme", "width"), each_once(["light", "dark"], [1300, 390]))
def test_axe_finds_nothing(opened: Open, tmp_path: Path, scheme: str, width: int) -> None:
    with served(tmp_path, site={"guidelines": "# Grades\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"}) as (
        running
    ):
        page = opened(
            running.link("ana"),
            viewport={"width": width, "height": 844},
            color_scheme=scheme,
            bypass_csp=True,
        )

        def check(where: str) -> None:
            assert violations(page) == [], where

        press_when_ready(page, "2")
        check("judge")
        page.keyboard.press("?")
        check("keys")
        page.keyboard.press("Escape")
        page.keyboard.press("g")
        check("guidelines")
        page.keyboard.press("Escape")
        for view in ("List", "Side by side"):
            page.get_by_role("button", name=view, exact=True).click()
            page.wait_for_selector(".grades.small")
            check(view)


def test_practice_comes_first_with_feedback(opened: Open, tmp_path: Path) -> None:
    known = {"p": {f"k{at}": at for at in range(4)}}
    documents = texts_of([*small_pool(), *(("p", name) for name in known["p"])])["documents"]
    with served(tmp_path, practice=known, documents=documents) as running:
        page = opened(running.link("ana"))
        page.wait_for_selector("text=Practice 1 of 4")
        for number in range(4):
            grade = int(title(page)[-1])
            page.keyboard.press(str(grade if number else (grade + 1) % 4))
            page.wait_for_selector(".feedback.right" if number else ".feedback.wrong")
            page.keyboard.press("Enter")
        page.wait_for_selector("text=3 of 4 as known")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=Title d0-0")
        page.reload()
        page.wait_for_selector("text=Title d0-0")
        assert running.session.final_grades() == {}


def test_pairs_are_compared_by_keyboard(opened: Open, tmp_path: Path) -> None:
    from gainful.judging_page.documents import Mode

    with served(tmp_path, small_pool(2, 4), site={"mode": Mode.PAIRS}) as running:
        page = opened(running.link("ana"))
        count = 0
        page.wait_for_selector(".two")
        while page.locator(".two").count():
            left, right = page.locator(".document-title").all_inner_texts()
            count += 1
            # Documents with a lower number are better.
            page.keyboard.press("ArrowLeft" if left < right else "2")
            settle(running.session, count)
            page.wait_for_function(
                "shown => [...document.querySelectorAll('.document-title')]"
                ".map(each => each.innerText).join() !== shown",
                arg=f"{left},{right}",
            )
        page.wait_for_selector("text=Nothing left to compare")
        running.session.export(tmp_path / "found.prefs")
        lines = (tmp_path / "found.prefs").read_text().splitlines()
        assert lines[:4] == [f"q0 ana 1 d0-{at} {3 - at}" for at in (3, 2, 1, 0)]
        page.keyboard.press("u")
        page.wait_for_selector(".two")


def test_the_first_page_without_an_address_says_what_to_do(opened: Open, tmp_path: Path) -> None:
    with served(tmp_path) as running:
        for address in (running.address, f"{running.address}#wrong-token"):
            page = opened(address)
            page.wait_for_selector("text=Each address works once")
