"""The HTML report in Chromium: offline, by mouse, keyboard and touch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gainful
from accessibility import violations
from combinations import each_once
from gainful.demo.collection import qrels
from gainful.evaluation.curves import Curves
from gainful.report import make_report
from report_pages import MEASURES, evaluation, hostile, many, runs, shop, shop_page, sliced
from requirements import need

need("chromium")
need("altair")
need("vl_convert")

HERE = Path(__file__).parent
#: Return every visible text with its contrast to the background (WCAG 2.2, 1.4.3).
CONTRASTS = (HERE / "contrasts.js").read_text("utf-8")
#: Return controls without an accessible name.
NAMELESS = (HERE / "nameless.js").read_text("utf-8")
#: Open all sections, for tests of what they show.
UNFOLD = "() => document.querySelectorAll('details.card').forEach((part) => { part.open = true; })"


#: Let tables and the list of queries be as they were when the page was opened.
RESTORE = """async () => {
    for (const table of document.querySelectorAll("[data-table]")) table.open = false;
    const opened = document.querySelectorAll("#query-table [aria-expanded=true]");
    for (const opener of opened) opener.click();
    await new Promise((resolve) => setTimeout(resolve));
    for (const field of document.querySelectorAll("#queries .tools :is(input, select)")) {
        if (field.type === "checkbox") field.checked = false;
        else if (field.tagName === "SELECT") field.selectedIndex = 0;
        else field.value = "";
    }
    document.getElementById("query-count").textContent = "";
    document.getElementById("query-sort").dispatchEvent(new Event("change"));
}"""


class Reports:
    """Reports in a browser; what they print or request is in `messages`."""

    def __init__(self, browser: Any, folder: Path) -> None:
        self._browser, self._folder = browser, folder
        self.messages: list[str] = []

    def open(
        self,
        html: str,
        *,
        charts: bool = True,
        folded: bool = False,
        fragment: str = "",
        **options: Any,
    ) -> Any:
        """Open a page in a new context; its charts are drawn when the browser is idle."""
        path = self._folder / "report.html"
        path.write_text(html, encoding="utf-8")
        context = self._browser.new_context(offline=True, **options)
        if not charts:
            context.add_init_script("requestIdleCallback = () => 0")
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.on("console", lambda message: self.messages.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.messages.append(f"error: {error}"))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith(("file:", "data:", "blob:"))
                else self.messages.append(request.url)
            ),
        )
        page.goto(path.as_uri() + fragment)
        if not folded:
            page.evaluate(UNFOLD)
        if options.get("java_script_enabled", True):
            page.wait_for_selector("#query-table tbody tr", state="attached")
        if charts and not folded:
            page.wait_for_selector("#chart-difficulty svg :is(.mark-symbol, .mark-line)")
        return page


@pytest.fixture(scope="module")
def reports(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Reports:
    return Reports(browser, tmp_path_factory.mktemp("reports"))


@pytest.fixture
def opened(reports: Reports) -> Iterator[Callable[..., Any]]:
    """Return a function that opens a page; errors and requests fail the test."""
    pages = []

    def open_page(html: str, **options: Any) -> Any:
        pages.append(reports.open(html, **options))
        return pages[-1]

    yield open_page
    for page in pages:
        page.context.close()
    check_silence(reports)


def check_silence(reports: Reports) -> None:
    messages, reports.messages = reports.messages, []
    assert messages == []


@pytest.fixture(scope="module")
def shared_page(reports: Reports) -> Any:
    return reports.open(shop_page(), viewport={"width": 1280, "height": 900})


@pytest.fixture
def page(shared_page: Any, reports: Reports) -> Iterator[Any]:
    """Return the page of the shop's report, whose list of queries is restored after the test."""
    yield shared_page
    shared_page.evaluate(RESTORE)
    await_count(shared_page)
    check_silence(reports)


def names(page: Any) -> list[str]:
    return page.locator("#query-table .opener b").all_inner_texts()


def systems(page: Any) -> list[str]:
    return [
        text.strip()
        for text in page.locator("#leaderboard .board:visible tbody .system").all_inner_texts()
    ]


def forget_count(page: Any) -> None:
    """Clear the number of queries, which the page writes when it has listed them again."""
    page.evaluate("document.getElementById('query-count').textContent = ''")


def await_count(page: Any) -> None:
    page.wait_for_function("document.getElementById('query-count').textContent !== ''")


def search(page: Any, words: str) -> None:
    forget_count(page)
    page.fill("#query-search", words)
    await_count(page)


def test_the_page_has_every_chart_with_a_data_table(page: Any) -> None:
    for name in ("waterfall", "distribution", "difficulty", *Curves.PICTURES):
        chart = page.locator(f".chart:has(> #chart-{name})")
        chart.locator("svg path").nth(2).wait_for(state="attached")
        assert chart.get_attribute("role") == "img"
        assert len(chart.get_attribute("aria-label") or "") > 20
        details = page.locator(f"[data-table={name}]")
        assert details.locator("table").count() == 0
        details.locator("summary").click()
        details.locator("tbody tr").nth(3).wait_for()
    assert saved(page, "[data-table=cutoffs] .download button").count("\n") > 5


def test_shown_scores_equal_those_of_the_evaluation(page: Any) -> None:
    result = evaluation()
    page.select_option("#query-sort", "id")
    page.wait_for_function("document.querySelector('#query-table .opener').dataset.query === '0'")
    ids = sorted(result.per_query("nDCG@10", "fts5-tuned"))
    shown = page.locator("[data-system]").all_inner_texts()[:3]
    for at in (0, 7, 30):
        cells = page.locator("#query-table tbody tr").nth(at).locator("td.cell").all_inner_texts()
        for system, cell in zip(shown, cells, strict=False):
            value = result.per_query("nDCG@10", system)[ids[at]]
            assert cell == f"{value:.4f}".removeprefix("0")


def test_search_matches_words_ids_and_documents(page: Any) -> None:
    search(page, "coffee")
    assert all("coffee" in name for name in names(page))
    few = len(names(page))
    assert 0 < few < 10
    search(page, "q11")
    assert names(page) == ["expresso machine"]
    search(page, "coffee")
    page.check("#query-documents")
    page.wait_for_function(f"document.querySelectorAll('#query-table .opener').length > {few}")
    assert any("coffee" not in name for name in names(page))
    search(page, "matches no query")
    assert page.inner_text("#query-count") == "No matching queries."


def test_filters_and_sorting_use_the_pair(page: Any) -> None:
    assert page.input_value("#pair-system") != page.input_value("#pair-baseline")
    report = shop()
    assert report.comparison is not None
    pair = report.comparison.pair("fts5-tuned", "fts5-plain", measure="nDCG@10")
    for value, count in (("better", pair.wins), ("tied", pair.ties), ("worse", pair.losses)):
        page.select_option("#query-filter", value)
        page.wait_for_function(
            f"document.getElementById('query-count').textContent.startsWith('{count} of 80')"
        )
    forget_count(page)
    page.select_option("#query-sort", "losses")
    await_count(page)
    result = evaluation()
    worst = min(
        (result.per_query("nDCG@10", "fts5-tuned")[query] - value)
        for query, value in result.per_query("nDCG@10", "fts5-plain").items()
    )
    cell = page.locator("#query-table tbody tr").first.locator("td.cell").last.inner_text()
    assert cell == f"−{-worst:.4f}".replace("0.", ".")


def test_headings_sort_the_leaderboard(page: Any) -> None:
    best = systems(page)
    assert best == ["fts5-tuned", "fts5-plain", "title-words"]
    heading = page.locator("#leaderboard .board:visible thead th.system")
    heading.locator("button").click()
    assert (systems(page), heading.get_attribute("aria-sort")) == (sorted(best), "ascending")
    heading.locator("button").click()
    assert (systems(page), heading.get_attribute("aria-sort")) == (sorted(best)[::-1], "descending")
    page.locator("#leaderboard .board:visible thead th.mean button").click()
    assert systems(page) == best


def test_a_query_opens_its_rankings_side_by_side(page: Any) -> None:
    search(page, "expresso")
    page.locator("#query-table .opener").click()
    columns = page.locator(".rankings section")
    columns.first.wait_for()
    assert columns.locator("h3").all_inner_texts() == [*systems(page), "Ideal"]
    first = columns.first.locator("li")
    assert first.count() == 10
    assert first.first.locator(".grade").inner_text() in {"0", "1", "2", "3", "?"}
    document = first.first.get_attribute("data-document")
    first.first.hover()
    same = page.locator(".rankings li.same")
    assert {item.get_attribute("data-document") for item in same.all()} == {document}
    page.locator("#query-table .opener").click()
    assert page.locator(".rankings").count() == 0


def test_clicking_a_bar_opens_its_query(page: Any) -> None:
    page.locator("#chart-waterfall .mark-rect path").first.click()
    opener = page.locator(".opener[aria-expanded=true]")
    opener.wait_for()
    result = evaluation()
    differences = {
        query: value - result.per_query("nDCG@10", "fts5-plain")[query]
        for query, value in result.per_query("nDCG@10", "fts5-tuned").items()
    }
    best = max(differences, key=lambda query: differences[query])
    assert opener.locator("small").inner_text() == best


def test_the_measure_changes_every_section(page: Any) -> None:
    page.select_option("#measure", "1")
    assert page.locator(".headline:visible").inner_text().find(" AP (") > 0
    assert page.locator(".board:visible th.mean").inner_text().startswith("AP")
    page.wait_for_function("document.getElementById('pair-finding').textContent.includes('on AP')")
    report = shop()
    assert report.comparison is not None
    pair = report.comparison.pair("fts5-tuned", "fts5-plain", measure="AP")
    figures = page.inner_text("#pair-facts")
    assert f"+{pair.difference:.4f}".replace("0.", ".") in figures
    assert f"{pair.wins} / {pair.ties} / {pair.losses}" in figures
    page.select_option("#measure", "0")
    page.wait_for_function("document.getElementById('pair-finding').textContent.includes('nDCG')")


def test_swapping_the_two_systems(page: Any) -> None:
    assert "fts5-tuned is significantly better than" in page.inner_text("#pair-finding")
    page.click("#pair-swap")
    page.wait_for_function(
        "document.getElementById('pair-finding').textContent.startsWith('fts5-plain is sig')"
    )
    # Choosing the other system swaps the two.
    page.select_option("#pair-system", label="fts5-tuned")
    page.wait_for_function(
        "document.getElementById('pair-finding').textContent.startsWith('fts5-tuned is sig')"
    )
    assert page.input_value("#pair-system") != page.input_value("#pair-baseline")


def test_systems_are_shown_and_hidden_with_their_colors(page: Any) -> None:
    chip = page.locator("#queries [data-system]").first
    name = chip.inner_text()
    chip.click()
    assert page.locator("#queries [data-system]").first.get_attribute("aria-pressed") == "false"
    heads = page.locator("#query-table thead th").all_inner_texts()
    page.wait_for_function("document.querySelectorAll('#query-table thead th').length === 5")
    box = page.locator(f".board:visible tr:has-text('{name}') input")
    assert not box.is_checked()
    box.check()
    page.wait_for_function("document.querySelectorAll('#query-table thead th').length === 6")
    assert page.locator("#query-table thead th").all_inner_texts() == heads or len(heads) == 5


def test_keyboard_navigation(opened: Callable[..., Any]) -> None:
    page = opened(shop_page(), charts=False)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "query-search"
    page.keyboard.type("coffee")
    page.wait_for_function("document.querySelectorAll('#query-table .opener').length < 10")
    page.locator("#query-table .opener").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector(".rankings li")
    expanded = "document.activeElement.getAttribute('aria-expanded')"
    assert page.evaluate(expanded) == "true"
    second = page.locator("#query-table .opener").nth(1)
    assert second.get_attribute("aria-expanded") == "true"
    page.keyboard.press("ArrowUp")
    assert page.evaluate(expanded) == "false"
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_contrast(scheme: str, page: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    page.locator("#query-table .opener").first.click()
    page.wait_for_selector(".rankings li")
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        found = page.evaluate(CONTRASTS)
        assert len(found) > 300
        assert [each for each in found if each[1] < 4.5] == []
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    page.click("#theme")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (light == dark) == (scheme == "dark")
    page.click("#theme")
    page.emulate_media(color_scheme="light")


def test_controls_have_accessible_names(page: Any) -> None:
    page.locator("#query-table .opener").first.click()
    page.wait_for_selector(".rankings li")
    assert page.evaluate(NAMELESS) == []
    headings = page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, h4')].map((h) => h.tagName)"
    )
    assert headings[0] == "H1"
    assert headings.count("H1") == 1
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))


def test_nothing_overflows_on_a_phone(opened: Callable[..., Any]) -> None:
    page = opened(shop_page(), viewport={"width": 375, "height": 740}, has_touch=True)
    page.locator("#query-table .opener").first.tap()
    page.wait_for_selector(".rankings li")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    for name in ("leaderboard", "pair", "difficulty", "curves", "queries", "checks", "method"):
        box = page.locator(f"#{name}").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 375


def test_print_is_white_and_has_no_controls(page: Any) -> None:
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for control in (".bar", ".tools", "#query-more", ".board input"):
        assert not page.locator(control).first.is_visible()
    assert page.locator("#chart-waterfall svg").is_visible()
    assert [each for each in page.evaluate(CONTRASTS) if each[1] < 4.5] == []
    assert page.pdf(page_ranges="1").startswith(b"%PDF")
    page.emulate_media(media="screen", color_scheme="light")


def test_without_javascript_the_results_are_shown(opened: Callable[..., Any]) -> None:
    page = opened(shop_page(), charts=False, folded=True, java_script_enabled=False)
    assert systems(page) == ["fts5-tuned", "fts5-plain", "title-words"]
    assert page.locator("noscript p").is_visible()
    page.click("#method > summary")
    assert "DCG@k" in page.inner_text("#method")


def test_hostile_names_are_escaped(opened: Callable[..., Any]) -> None:
    page = opened(hostile().html())
    page.locator("#query-table .opener").first.click()
    page.wait_for_selector(".rankings li")
    assert page.title() == "<script>alert(1)</script>"
    assert page.locator("img").count() == 0
    page.select_option("#query-sort", "id")
    page.wait_for_function("document.querySelector('#query-table .opener').dataset.query === '0'")
    assert names(page)[0] == "<b>first</b>"


def test_the_browser_runs_no_other_script_and_loads_nothing(browser: Any, tmp_path: Path) -> None:
    """The security policy of the page, in case a text is not escaped."""
    injected = (
        "<script>window.injected = 1</script><img src='x' onerror='window.injected = 1'>"
        "<img src='https://example.com/x.png'><button id='bad' onclick='window.injected = 1'>"
    )
    path = tmp_path / "report.html"
    path.write_text(shop_page().replace("</main>", f"{injected}</main>"), encoding="utf-8")
    context = browser.new_context()
    page = context.new_page()
    refused: dict[str, str] = {}
    page.on("requestfailed", lambda request: refused.update({request.url: request.failure}))
    page.goto(path.as_uri())
    page.evaluate(UNFOLD)
    page.wait_for_selector("#query-table tbody tr")
    page.evaluate("document.getElementById('bad').click()")
    assert page.evaluate("window.injected") is None
    assert refused == {
        (tmp_path / "x").as_uri(): "csp",
        "https://example.com/x.png": "csp",
    }
    context.close()


def test_documents_can_be_named_like_object_properties(opened: Callable[..., Any]) -> None:
    report = make_report(
        {"q1": {"constructor": 1, "a": 0}, "q2": {"toString": 1, "__proto__": 2}},
        {
            "one": {"q1": ["a", "constructor"], "q2": ["toString", "__proto__"]},
            "two": {"q1": ["constructor", "a"], "q2": ["__proto__"]},
        },
        docs={"a": "Apple pie"},
    )
    page = opened(report.html(), charts=False)
    page.locator("#query-table .opener").first.click()
    page.wait_for_selector(".rankings li")
    page.check("#query-documents")
    search(page, "apple")
    page.wait_for_function("document.querySelectorAll('#query-table .opener').length === 1")
    assert names(page) == ["q1"]


def test_many_systems_and_queries_are_listed_in_pages(opened: Callable[..., Any]) -> None:
    page = opened(many(12, 450).html())
    assert page.locator("#chart-difficulty svg .mark-line").count()
    assert page.locator("#query-table .opener").count() == 50
    page.click("#query-more")
    page.wait_for_function("document.querySelectorAll('#query-table .opener').length === 100")
    assert page.locator("#queries .shown [data-system]").count() == 5
    page.locator("#queries .shown select").select_option(label="system-11")
    page.wait_for_function(
        "document.querySelectorAll('#queries .shown [data-system]').length === 6"
    )
    assert len(MEASURES) == 3


def test_documents_with_numbers_as_ids(opened: Callable[..., Any]) -> None:
    judgments = {"q1": {"7": 2, "12": 1}, "q2": {"8841823": 1}}
    runs = {"a": {"q1": ["12", "99", "7"], "q2": ["5"]}, "b": {"q1": ["99"], "q2": ["8841823"]}}
    html = make_report(judgments, runs, "nDCG@3").html()
    page = opened(html, charts=False, fragment="#query=q1")
    page.wait_for_selector(".rankings li")
    columns = page.locator(".rankings section").all()
    shown = [column.locator(".name").all_inner_texts() for column in columns]
    first = [[text.split("\n")[0].strip() for text in names] for names in shown]
    assert sorted(first[:2]) == [["12", "99", "7"], ["99"]]
    assert first[2] == ["7", "12"]


def test_long_names_do_not_overflow(opened: Callable[..., Any]) -> None:
    names = [f"multilingual-{'x' * 10}_rm3_k1-0.9_hybrid-fusion_{at:04}" for at in range(20)]
    run = {"q1": ["b", "a"], "q2": ["a"]}
    report = make_report({"q1": {"a": 1}, "q2": {"a": 1}}, dict.fromkeys(names, run), "nDCG@5")
    page = opened(report.html(), viewport={"width": 390, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.click("#system-all")
    page.locator("#query-table .opener").first.click()
    page.wait_for_selector(".rankings li")
    for width in (390, 1300):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        board = page.locator("#leaderboard .wide:visible")
        assert board.evaluate("(board) => board.scrollWidth - board.clientWidth") <= 0
        shown = page.locator("#leaderboard .board:visible .system [title]")
        assert sorted(shown.evaluate_all("(all) => all.map((each) => each.title)")) == names
        assert len(set(shown.all_inner_texts())) == len(names)
    assert max(heights(board.locator("tbody tr"))) < 60
    lines = page.locator(".headline:visible").evaluate(
        "(line) => line.offsetHeight / parseFloat(getComputedStyle(line).lineHeight)"
    )
    assert lines <= 2.1


def heights(elements: Any) -> list[float]:
    measured: list[float] = elements.evaluate_all("(all) => all.map((one) => one.offsetHeight)")
    return measured


def test_twenty_slices_scroll_inside_their_section_and_sort(opened: Callable[..., Any]) -> None:
    viewport = {"width": 390, "height": 900}
    page = opened(sliced(count=20).html(), charts=False, viewport=viewport)
    table = page.locator("#slices table:visible")
    for width in (390, 1300):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert len(heights(table.locator("tbody tr"))) == 20
        assert heights(page.locator("#slices")) < [900] < heights(table)
        heading = table.locator("thead button").nth(3)
        heading.scroll_into_view_if_needed()
        for rising in (False, True):
            heading.click()
            values = table.locator("tbody tr td:nth-child(4)").evaluate_all(
                "(cells) => cells.map((cell) => Number(cell.dataset.value))"
            )
            assert values == sorted(values, reverse=not rising)
            assert len(set(values)) > 10


def test_the_first_screen_has_the_result_and_everything_else_folds(
    opened: Callable[..., Any],
) -> None:
    page = opened(shop_page(), folded=True, viewport={"width": 1440, "height": 900})
    assert page.locator("details.card[open]").count() == 0
    board = page.locator("#leaderboard").bounding_box()
    assert board["y"] + board["height"] < 900
    assert page.locator("#leaderboard .notes:visible p").count() <= 2
    counts = page.locator(".counts li").all_inner_texts()
    assert counts[:3] == ["80 queries", "3 systems", "1,303 judgments"]
    assert "2 queries without relevant documents" in counts
    # Print shows all sections and queries, and charts that were folded.
    page.wait_for_selector("#chart-difficulty svg .mark-symbol", state="attached")
    assert page.locator("#query-table .opener").count() == 50
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details.card:not([open])").count() == 0
    assert page.locator("#query-table .opener").count() == 80
    page.wait_for_selector("#chart-difficulty svg .mark-symbol")
    wide = page.locator("#chart-difficulty svg").bounding_box()["width"]
    assert wide > 0.9 * page.locator("#difficulty").bounding_box()["width"]
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.wait_for_function("document.querySelectorAll('#query-table .opener').length === 50")
    assert page.locator("details.card[open]").count() == 0
    page.click("nav a[href='#method']")
    assert page.locator("#method .terms").first.is_visible()
    page.click("#queries > summary")
    page.wait_for_selector("#query-table .opener")


def test_the_address_changes_with_the_opened_query(opened: Callable[..., Any]) -> None:
    page = opened(shop_page(), charts=False, folded=True, fragment="#query=Q11")
    page.wait_for_selector(".rankings li")
    assert page.locator(".opener[aria-expanded=true] b").inner_text() == "expresso machine"
    assert page.locator("#queries").get_attribute("open") is not None
    search(page, "coffee")
    opener = page.locator("#query-table .opener").first
    opener.click()
    query = opener.locator("small").inner_text()
    page.wait_for_function(f"location.hash === '#query={query}'")
    opener.click()
    page.wait_for_function("location.hash === '#query=Q11'")


def test_notes_and_verdicts_are_kept_and_exported(opened: Callable[..., Any]) -> None:
    page = opened(shop_page(), charts=False)
    assert not page.locator("#query-notes").is_visible()
    search(page, "expresso")
    page.locator("#query-table .opener").click()
    page.wait_for_selector(".noted")
    page.select_option(".noted select", "labels are wrong")
    page.fill(".noted input", 'No "machine", really')
    assert page.inner_text("#query-notes") == "Export 1 note"
    page.reload()
    page.evaluate(UNFOLD)
    page.wait_for_selector(".noted")
    assert page.input_value(".noted select") == "labels are wrong"
    page.select_option("#query-filter", "noted")
    page.wait_for_function("document.querySelectorAll('#query-table .opener').length === 1")
    assert saved(page, "#query-notes").splitlines() == [
        "query_id,query,verdict,note",
        'Q11,expresso machine,labels are wrong,"No ""machine"", really"',
    ]


def saved(page: Any, button: str) -> str:
    """Click a button that downloads a file, and return the file without its first mark."""
    with page.expect_download() as download:
        page.locator(button).first.click()
    return Path(download.value.path()).read_text("utf-8").removeprefix("\ufeff")


def test_tables_are_downloaded_in_full_precision(page: Any) -> None:
    head, *rows = saved(page, "#leaderboard .download:visible button").splitlines()
    assert head.startswith("rank,95% CI,system,group,nDCG@10,95% CI,vs. fts5-tuned")
    assert len(rows) == 3
    assert rows[0].split(",")[4] == repr(evaluation().mean("nDCG@10", "fts5-tuned"))
    head, *rows = saved(page, "#queries .download button").splitlines()
    assert len(rows) == 80
    assert [name for name in head.split(",") if name in systems(page)] == systems(page)


def test_five_rankings_fit_and_a_text_unfolds(opened: Callable[..., Any]) -> None:
    title = "An unusually long title of a product, which does not fit into two lines, "
    docs = {"a": {"title": title * 3, "text": "First part.\nSecond part. " * 20}}
    runs = {name: {"q1": ["a", "b"], "q2": ["a"]} for name in "abcde"}
    report = make_report({"q1": {"a": 1}, "q2": {"a": 1}}, runs, "nDCG@5", docs=docs)
    viewport = {"width": 1440, "height": 900}
    page = opened(report.html(), charts=False, fragment="#query=q1", viewport=viewport)
    page.wait_for_selector(".rankings li")
    assert page.locator(".rankings section").count() == 6
    view = page.locator(".rankings")
    assert view.evaluate("(view) => view.scrollWidth - view.clientWidth") == 0
    name = page.locator(".rankings .name").first
    folded = name.bounding_box()["height"]
    name.locator("button").click()
    assert name.bounding_box()["height"] > 3 * folded
    assert name.locator(".snippet").inner_text().count("Second part.") == 20
    name.locator("button").click()
    assert name.bounding_box()["height"] == folded


def test_many_systems_are_searched_and_hidden(opened: Callable[..., Any]) -> None:
    page = opened(many(24, 6).html(), charts=False, folded=True)
    rows = page.locator(".board tbody tr:visible")
    assert rows.count() == 10
    page.click("#system-all")
    assert rows.count() == 24
    page.fill("#system-search", "system-2")
    assert {name for name in systems(page) if name} >= {"system-2", "system-20"}
    assert rows.count() == 5
    page.fill("#system-search", "")
    page.check("#system-ticked")
    assert rows.count() == 5
    rows.first.locator("input").uncheck()
    assert rows.count() == 4


def test_marks_of_direction_are_visible_and_a_long_title_keeps_its_beginning(
    opened: Callable[..., Any],
) -> None:
    name = "run\u202etxt.exe"
    report = make_report(
        {"q\u202e1": {"a": 1}, "q2": {"a": 1}},
        {name: {"q\u202e1": ["a"]}, "plain": {"q2": ["a"]}},
        "nDCG@5",
        title="Beginning" + "x" * 491,
    )
    viewport = {"width": 390, "height": 800}
    page = opened(report.html(), charts=False, folded=True, viewport=viewport)
    assert page.evaluate("document.body.textContent.includes('\\u202e')") is False
    assert sorted(systems(page)) == ["plain", "run\\u202etxt.exe"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    title = page.locator("h1")
    assert title.bounding_box()["height"] < 60
    assert title.get_attribute("title") == report.title
    page.evaluate(UNFOLD)
    assert "q\\u202e1" in names(page)


@pytest.mark.parametrize(("scheme", "width"), each_once(["light", "dark"], [1440, 390]))
def test_axe_finds_nothing(scheme: str, width: int, page: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    search(page, "coffee")
    page.locator("#query-table .opener").first.click()
    page.wait_for_selector(".rankings li")
    # To this, test_text_contrast is more strict.
    assert violations(page, without="color-contrast") == []
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")


def test_a_history_has_a_picture_and_opens_its_queries(opened: Callable[..., Any]) -> None:
    systems = runs()
    earlier = gainful.make_snapshot(qrels(), gainful.Run(systems["fts5-plain"]), "nDCG@10")
    report = make_report(
        qrels(), {"new": systems["fts5-tuned"]}, "nDCG@10", history={"v1": earlier}
    )
    page = opened(report.html())
    page.wait_for_selector("#chart-history svg .mark-symbol")
    link = page.locator("#history a[href^='#query=']").first
    link.click()
    page.wait_for_selector(".rankings li")
    assert page.locator(".opener[aria-expanded=true]").count() == 1
