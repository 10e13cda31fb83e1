"""Tables and results as fragments of HTML."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

import gainful
from gainful.formats.markup import Figure, html, page
from gainful.formats.table import Column, Note, Table
from report_pages import shop

RUNS = {
    "bm25": {"q1": ["b", "a"], "q2": ["d", "c"], "q3": ["e"]},
    "dense": {"q1": ["a", "b"], "q2": ["c"], "q3": ["x", "e"]},
}
QRELS = {"q1": {"a": 1}, "q2": {"c": 1}, "q3": {"e": 1}}


def rows_of(fragment: str) -> list[list[str]]:
    """Return the texts of the cells of all bodies."""
    rows = re.findall(r"<tr>((?:<td.*?</td>)+)</tr>", fragment)
    return [
        [re.sub("<[^>]*>", "", each) for each in re.findall("<td.*?</td>", row)] for row in rows
    ]


def positions(fragment: str) -> list[tuple[float, float, float]]:
    """Return where the bars begin, have their dots, and end."""
    shape = r'M([\d.]+) 7H([\d.]+)".*?cx="([\d.]+)"'
    return [(float(a), float(c), float(b)) for a, b, c in re.findall(shape, fragment)]


def test_text_is_escaped() -> None:
    shown = html(
        Table(
            [Column("<b>")],
            [["<script>alert(1)</script>"], ['"quoted" \U0001f600']],
            title="<i>",
            notes=[Note("n", "a & b")],
        )
    )
    assert "<script" not in shown
    assert "<i>" not in shown
    assert "a &amp; b" in shown
    assert "&quot;quoted&quot; \U0001f600" in shown


def test_a_fragment_is_well_formed_and_loads_nothing() -> None:
    result = gainful.compare(QRELS, RUNS, "RR", resamples=100)
    for shown in (result._repr_html_(), gainful.evaluate(QRELS, runs=RUNS)._repr_html_()):
        fromstring(shown)
        assert not re.search(r"<script|https?:|src=|url\(|@import", shown)


def test_the_best_numbers_are_bold() -> None:
    table = Table([Column("x", show=lambda x: f"{x:.1f}", best=True)], [[0.51], [0.49], [0.2]])
    assert re.findall("<b>(.*?)</b>", html(table)) == ["0.5", "0.5"]
    assert "<b>" not in html(table.replace(rows=[[0.5], [0.5]]))
    assert "<b>" not in html(table.replace(rows=[[None], [float("nan")]]))


def test_intervals_share_a_scale() -> None:
    columns = [Column("mean", show=str), Column("interval", show=str, around="mean")]
    table = Table(columns, [[0.5, (0.4, 0.6)], [0.2, (0.0, 0.4)], [0.3, None], [None, (0.4, 0.6)]])
    one, two = positions(html(table).split("<tr><td")[1] + html(table).split("<tr><td")[2])
    assert two[0] == 4.0
    assert one[2] == 116.0
    assert one[0] == two[2]
    assert two[1] == pytest.approx((two[0] + two[2]) / 2, abs=0.1)
    assert html(table).count("<svg") == 3


def test_differences_are_drawn_with_zero() -> None:
    columns = [Column("d", show=str), Column("i", show=str, around="d", zero=True)]
    rows = [[0.2, (0.1, 0.3)], [-0.2, (-0.3, -0.1)], [0.0, (-0.1, 0.1)]]
    shown = html(Table(columns, rows))
    assert [re.findall('stroke="(#.*?)"', row)[0] for row in shown.split("<tr><td")[1:]] == [
        "#2b7bd1",
        "#d2660f",
        "#7a8594",
    ]
    assert shown.count('d="M60.0 0V14"') == 3


def test_several_systems_and_measures_are_a_matrix_with_the_best_first() -> None:
    shown = gainful.evaluate(QRELS, runs=RUNS, measures=["RR", "P@1"])._repr_html_()
    assert rows_of(shown) == [["dense", ".8333", ".6667"], ["bm25", ".6667", ".3333"]]
    assert re.findall("<b>(.*?)</b>", shown) == [".8333", ".6667"]
    assert "RR of dense: .8333, 95% CI " in shown


def test_one_measure_has_its_interval_in_a_column() -> None:
    shown = gainful.evaluate(QRELS, runs=RUNS, measures="RR")._repr_html_()
    assert [row[0] for row in rows_of(shown)] == ["dense", "bm25"]
    assert len(positions(shown)) == 2


def test_bounds_and_sums_are_kept() -> None:
    bounded = gainful.evaluate(QRELS, runs=RUNS, measures=["RR", "P@1"], bounds=True)
    assert ">low</th>" in bounded._repr_html_()
    sums = gainful.evaluate(QRELS, runs=RUNS, measures=["RR", "NumRel"])._repr_html_()
    assert [row[2] for row in rows_of(sums)] == ["3", "3"]


def test_a_comparison_begins_with_its_result() -> None:
    shown = gainful.compare(QRELS, RUNS, "RR", resamples=100)._repr_html_()
    lead = re.findall('<p class="lead">(.*?)</p>', shown)
    assert lead == [
        "dense has the highest RR (.8333). Its lead over bm25 (+.1667) is not statistically"
        " significant."
    ]


def test_a_headline_has_the_interval_and_the_other_systems() -> None:
    judged = {f"q{at}": {"a": 1} for at in range(20)}
    runs = {
        "good": {query: ["a"] for query in judged},
        "fair": {query: ["b", "a"] if at % 2 else ["a"] for at, query in enumerate(judged)},
        "poor": {query: ["b"] for query in judged},
    }
    shown = gainful.compare(judged, runs, "RR", resamples=1000)._repr_html_()
    assert re.search(
        r"good has the highest RR \(1.0000\). Its lead over fair \(\+.2500, 95% CI \+.\d{4} to"
        r" \+.\d{4}\) is statistically significant. Its lead over the other system is"
        r" significant.</p>",
        shown,
    )


@pytest.mark.parametrize(
    ("runs", "baseline", "text"),
    [
        ({"a": RUNS["bm25"], "b": RUNS["bm25"]}, None, "a has the highest RR (.6667). b has"),
        (RUNS, "dense", "The baseline dense has the highest RR (.8333). Its lead over bm25"),
        (RUNS, "bm25", "dense has the highest RR (.8333). Its lead over the baseline bm25"),
        ({**RUNS, "c": {"q1": ["z"]}}, None, "Its lead over bm25 (+.1667"),
    ],
)
def test_headlines(runs: dict[str, dict[str, list[str]]], baseline: str | None, text: str) -> None:
    found = gainful.compare(QRELS, runs, "RR", baseline=baseline, resamples=100)
    assert text in found._repr_html_()


def test_a_headline_has_the_difference_of_the_table() -> None:
    judged = {f"q{at}": {"a": 1} for at in range(3)}
    runs = {
        "two": {"q0": ["a"], "q1": ["a"]},
        "one": {"q0": ["a"]},
    }
    shown = gainful.compare(judged, runs, "RR", baseline="one")._repr_html_()
    # Not .6667 - .3333.
    assert "Its lead over the baseline one (+.3333)" in shown
    assert ">+.3333<" in shown
    assert "+.3334" not in shown


def test_notes_of_columns_explain_headings() -> None:
    shown = gainful.evaluate(QRELS, runs=RUNS, measures="RR")._repr_html_()
    assert re.search(r'title="95% CI: confidence interval of the mean[^"]*">95% CI</th>', shown)
    assert "<details><summary>Convention and notes</summary><div>gainful-1" in shown


def test_long_names_are_cut_with_the_whole_name_as_the_title() -> None:
    name = "a/" + 60 * "x"
    shown = html(Table([Column("system")], [[name]]))
    assert f'title="{name}"><span class="cut">{name}</span>' in shown


def test_a_figure_is_its_text_elsewhere() -> None:
    table = Table([Column("x", show=str)], [[Figure(".5000", 0.5, 0.4, 0.6)]])
    assert table.cells().rows == [[".5000"]]
    assert "<svg" in page([table.replace(rows=[[Figure(".5", 0.5, 0.4, 0.6)]])])


def test_conventions_accounts_and_reports_have_html() -> None:
    convention = gainful.conventions["trec_eval"]._repr_html_()
    assert "<td" in convention
    assert "descending document id, compared as bytes" in convention
    run = gainful.search(lambda query, k: ["a"], {"q1": "tea"}, k=1)
    assert run.account is not None
    assert "answered" in run.account._repr_html_()


def test_a_report_is_a_frame_with_the_whole_page() -> None:
    from requirements import need

    need("altair")
    shown = shop()._repr_html_()

    class Frame(HTMLParser):
        page = ""

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.page = dict(attrs)["srcdoc"] or ""

    frame = Frame()
    frame.feed(shown)
    assert frame.page == shop().html()


def test_a_saved_page_follows_the_theme_of_the_system(tmp_path: Path) -> None:
    gainful.evaluate(QRELS, runs=RUNS).save(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert '<meta name="color-scheme" content="light dark">' in text
