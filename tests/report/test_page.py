"""The HTML report agrees with evaluate, compare and explain."""

from __future__ import annotations

import re
import subprocess
import sys
from html import escape, unescape
from pathlib import Path
from random import Random
from typing import Any

import pytest

import gainful
from gainful.cli import main
from gainful.comparison.headlines import headlines
from gainful.demo.collection import products_path, qrels, queries_path
from gainful.errors import GainfulError, ParameterError, SourceError
from gainful.formats.numbers import digits
from gainful.report import make_report
from gainful.report.leaderboard import signed
from report_pages import (
    MEASURES,
    columns,
    evaluation,
    facts,
    hostile,
    many,
    rankings,
    runs,
    scores,
    shop,
    shop_page,
    sliced,
    unpacked,
)
from requirements import need

need("altair")
need("vl_convert")

Judgments = dict[str, dict[str, int]]
Rankings = dict[str, dict[str, float]]


def text_of(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", " ", html))


def headline_of(page: str) -> str:
    """Return the headline of the first measure."""
    found = re.search(r'<p class="headline" data-measure="0">(.*?)</p>', page)
    assert found is not None
    return unescape(re.sub(r"<[^>]*>", "", found[1]))


def test_scores_equal_those_of_an_evaluation_bit_by_bit() -> None:
    page, result = shop_page(), evaluation()
    ids = unpacked(page, "queries")["ids"]
    for at, measure in enumerate(MEASURES):
        for system, values in zip(result.systems, scores(page, at, 3), strict=True):
            assert dict(zip(ids, values, strict=True)) == result.per_query(measure, system)


def test_rankings_equal_those_of_explain() -> None:
    page = shop_page()
    known, ids = facts(page), unpacked(page, "queries")["ids"]
    size = known["listing"]["block"]
    assert known["listing"]["depth"] == 10
    for query in ("Q01", "Q08", "Q77"):
        at = ids.index(query)
        found = rankings(page, at // size, 3)[at % size]
        for number, system in enumerate(known["systems"]):
            explanation = gainful.explain(qrels(), runs()[system], query, "nDCG@10")
            ranks = [rank for rank in explanation.ranks if rank.document is not None]
            assert [found["documents"][place] for place in found["ranks"][number]] == [
                rank.document for rank in ranks
            ]
            assert [found["grades"][place] for place in found["ranks"][number]] == [
                rank.grade for rank in ranks
            ]
            adds = dict(found["contributions"][number])
            expected = {rank.rank - 1: rank.contribution for rank in ranks if rank.contribution}
            assert adds == pytest.approx(expected, rel=1e-5)
        # Documents with equal grades are in the order of the first system.
        explanation = gainful.explain(qrels(), runs()[known["systems"][0]], query, "nDCG@10")
        best = [(found["documents"][place], adds) for place, adds in found["ideal"]]
        ideal = [
            (r.ideal_document, r.ideal_contribution) for r in explanation.ranks if r.ideal_document
        ]
        assert [document for document, _ in best] == [document for document, _ in ideal]
        assert [adds for _, adds in best] == pytest.approx([adds for _, adds in ideal], rel=1e-5)


@pytest.mark.parametrize(
    "ids", [["7", "12", "1000000"], ["D12", "D7", "D0"], ["D07", "D7", "x"], ["-1", "1_0", "é"]]
)
def test_rankings_of_all_kinds_of_ids(ids: list[str]) -> None:
    first, second, third = ids
    judgments = {"q1": {first: 2, second: 0.5}, "q2": {third: 1}, "q3": {first: 1}}
    own = {
        "a": {"q1": {third: 2.0, first: 2.0, second: 1.0}, "q2": {third: 1.0}},
        "b": {"q1": {second: 3.0, third: 2.0}, "q3": {third: 1.0, first: 0.5}},
    }
    page = make_report(judgments, own, "nDCG@3").html()
    found = rankings(page, 0, 2)
    assert len(found) == 3
    for query, pool in zip(judgments, found, strict=True):
        names, grades = pool["documents"], pool["grades"]
        assert dict(zip(names, grades, strict=True)) == {
            name: judgments[query].get(name) for name in names
        }
        for system, ranks in zip(own, pool["ranks"], strict=True):
            explained = gainful.explain(judgments, own[system], query, "nDCG@3").ranks
            shown = [rank for rank in explained if rank.document is not None]
            assert [names[place] for place in ranks] == [rank.document for rank in shown]
    assert found[0]["ties"][0][:2] == [1, 1]
    assert found[1]["ranks"] == [[0], []]


def test_pairs_have_posterior_probabilities() -> None:
    fields = unpacked(shop_page(), "pairs")["fields"]
    assert fields["skeptical_better"]["label"] == "P(better)"
    pair = shop().comparison.pair("fts5-tuned", "fts5-plain", measure="nDCG@10")
    assert pair.probability_better > 0.99
    assert pair.skeptical_better > 0.99


def test_pairs_equal_those_of_the_comparison() -> None:
    report, found = shop(), unpacked(shop_page(), "pairs")
    assert report.comparison is not None
    assert len(found["rows"]) == len(report.comparison.pairs) == 9
    for row, pair in zip(found["rows"], report.comparison.pairs, strict=True):
        assert MEASURES[row[0]] == pair.measure
        assert report.evaluation.systems[row[1]] == pair.system
        fields = dict(zip(found["fields"], row[6:], strict=True))
        for name in ("difference", "low", "high", "p_adjusted", "wins", "losses", "detectable"):
            assert fields[name] == pytest.approx(pair.to_dict()[name], rel=1e-5), name


def test_the_leaderboard_needs_no_javascript() -> None:
    text, report = text_of(shop_page().partition("<script")[0]), shop()
    assert report.comparison is not None
    for measure in MEASURES:
        for line in report.comparison.leaderboard(measure):
            assert f"{line.mean:.4f}".removeprefix("0") in text
            if line.vs_top is not None:
                assert line.vs_top.verdict_text in text
    assert (
        "fts5-tuned has the highest nDCG@10 (.7142). It is significantly better than every other"
        " system. Its lead over fts5-plain is +.120 (95% CI +.071 to +.176)."
    ) in headline_of(shop_page())


def test_the_page_makes_no_requests() -> None:
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", shop_page())
    assert not re.search(r"@import|url\(", shop_page())


def test_equal_reports_are_equal_pages() -> None:
    again = make_report(
        qrels(),
        runs(),
        MEASURES,
        docs=products_path(),
        queries=queries_path(),
        title="Three <systems> & a shop",
        command="gainful report qrels.txt *.run",
        threads=1,
    )
    assert again.html() == shop_page()


def test_names_and_texts_are_escaped() -> None:
    page = hostile().html()
    for markup in ("<script>alert", "<img src=x", "<b>first", "document.title='broken'</script>"):
        assert markup not in page
    assert "&lt;img src=x" in page


def test_the_page_shows_convention_formulas_digests_and_command() -> None:
    text = text_of(shop_page())
    report = shop()
    assert str(report.evaluation.convention) in text
    assert "sum over rank <= k of grade / log2(rank + 1)" in text
    assert "gainful report qrels.txt *.run" in text
    assert gainful.Qrels(qrels()).digest in text
    for ranking in runs().values():
        assert gainful.Run(ranking).digest in text
    assert gainful.__version__ in text


def test_with_a_baseline_systems_are_compared_with_it() -> None:
    report = make_report(qrels(), runs(), "nDCG@10", baseline="fts5-plain")
    page = report.html()
    assert headline_of(page) == (
        "fts5-tuned has the highest nDCG@10 (.7142). Its lead over the baseline fts5-plain (+.120,"
        " 95% CI +.074 to +.173) is statistically significant. title-words is not significantly"
        " different from the baseline."
    )
    assert facts(page)["baselines"] == ["fts5-plain"]
    assert 'class="letters"' not in page
    assert len(unpacked(page, "pairs")["rows"]) == 2


def test_a_single_system_has_scores_but_no_comparison() -> None:
    report = make_report(qrels(), {"only": runs()["fts5-tuned"]}, "nDCG@10")
    page = report.html()
    assert report.comparison is None
    assert 'id="pair"' not in page
    assert headline_of(page) == "The mean nDCG@10 of only is .7142 (95% CI .6515 to .7724)."


def random_runs(strengths: dict[str, float]) -> tuple[Judgments, dict[str, Rankings]]:
    """Return judgments, and runs whose scores are grades times a strength plus noise."""
    random = Random(1)
    judgments = {
        f"q{q}": {f"d{d}": random.choice([0, 0, 1, 2]) for d in range(20)} for q in range(40)
    }
    rankings = {
        name: {
            query: {d: strength * grade + random.gauss(0, 1) for d, grade in grades.items()}
            for query, grades in judgments.items()
        }
        for name, strength in strengths.items()
    }
    return judgments, rankings


@pytest.mark.parametrize(
    ("strengths", "options", "expected"),
    [
        pytest.param(
            {"a": 0.3, "b": 0.3},
            {},
            r"[ab] has the highest nDCG@10 \(\.\d{4}\)\. Its lead over [ab] \(\+\.\d{3}, 95% CI"
            r" −\.\d{3} to \+\.\d{3}\) is not statistically significant\.",
            id="two",
        ),
        pytest.param(
            {"a": 0.3, "b": 0.3, "c": 0.3},
            {},
            r".* Its lead over [abc] is \+\.\d{3} \(95% CI −\.\d{3} to \+\.\d{3}\)\. No"
            r" difference is statistically significant\.",
            id="no difference",
        ),
        pytest.param(
            {"a": 0.3, "b": 0.3, "c": 0.3},
            {"baseline": "b"},
            r".* Its lead over .* is \+\.\d{3} \(95% CI .*\)\. No difference from the baseline is"
            r" statistically significant\.",
            id="no difference from the baseline",
        ),
        pytest.param(
            {"a": 0.3, "b": 2, "c": 2, "d": 0.3},
            {},
            r"[bc] has .* It is significantly better than 2 of the 3 other systems\. Its lead over"
            r" [bc] \(.*\) is not statistically significant\.",
            id="counts",
        ),
        pytest.param(
            {"a": 0.3, "b": 2, "c": 2, "d": 0.3, "e": 0},
            {"baseline": "d"},
            r"[bc] has .* over the baseline d \(.*\) is statistically significant\. Compared with"
            r" the baseline, 1 of the 3 other systems is significantly better, 1 is significantly"
            r" worse and 1 is not significantly different\.",
            id="counts with a baseline",
        ),
        pytest.param(
            {"a": 2, "b": 2},
            {"margin": 0.3},
            r".* is not statistically significant, and smaller than the margin of \.3: the two are"
            r" equivalent\.",
            id="equivalent",
        ),
        pytest.param(
            {"a": 0.3, "b": 0.4, "c": 2},
            {"baseline": "c"},
            r"The baseline c has .* Compared with the baseline, .*|The baseline c has .* [ab] is"
            r" significantly worse than the baseline\.",
            id="the baseline leads",
        ),
    ],
)
def test_the_headline_states_effect_interval_and_significance(
    strengths: dict[str, float], options: dict[str, Any], expected: str
) -> None:
    judgments, rankings = random_runs(strengths)
    report = make_report(judgments, rankings, "nDCG@10", resamples=2000, **options)
    headline = headline_of(report.html())
    assert re.fullmatch(expected, headline), headline
    assert sum(bool(re.search(rf"\b{name}\b", headline)) for name in strengths) <= 3


def test_the_headline_of_identical_runs() -> None:
    judgments, rankings = random_runs({"a": 1})
    page = make_report(judgments, {"a": rankings["a"], "b": rankings["a"]}, "nDCG@10").html()
    assert "Their scores are the same on every query." in headline_of(page)


@pytest.mark.parametrize(
    ("measure", "depth", "sums"),
    [("AP", 10, False), ("nDCG@3", 3, True), ("nDCG@50", 20, True), ("P@5", 5, False)],
)
def test_rankings_end_at_the_cutoff(measure: str, depth: int, sums: bool) -> None:
    listing = make_report(qrels(), runs(), measure).listing
    assert listing is not None
    assert (listing.depth, listing.sums) == (depth, sums)
    columns, *_ = listing.columns(list(qrels()))
    assert max(memoryview(columns["ranks"]).cast("q")) == depth


def test_measures_that_do_not_depend_on_ranks_have_no_rankings() -> None:
    report = make_report(qrels(), runs(), "NumRet")
    assert report.listing is None
    assert "Rankings are not available for these measures." in report.html()


def test_subtopic_judgments() -> None:
    judgments = {"q1": {"1": {"a": 1}, "2": {"b": 1}}}
    rankings = {"one": {"q1": ["a", "b"]}, "two": {"q1": ["b", "c"]}}
    report = make_report(judgments, rankings, "alpha_nDCG@10")
    assert report.curves.precision_recall == {}
    assert "alpha_nDCG@10" in report.html()


def test_means_are_weighted() -> None:
    weights = {query: 1.0 + (query == "Q01") for query in qrels()}
    report = make_report(qrels(), runs(), "nDCG@10", weights=weights)
    mean = gainful.evaluate(qrels(), runs()["fts5-tuned"], "nDCG@10", weights=weights).mean()
    assert report.evaluation.mean("nDCG@10", "fts5-tuned") == mean
    assert f"{mean:.4f}".removeprefix("0") in text_of(report.html())


def test_many_systems_have_fewer_resamples_and_the_page_says_so() -> None:
    report = many(12, 400)
    assert report.comparison is not None
    assert report.comparison.choices.resamples == 10_000
    assert "10,000 sign flips" in text_of(report.html())
    assert shop().comparison.choices.resamples == 100_000  # type: ignore[union-attr]


@pytest.mark.parametrize("depth", [0, 21, 2.5])
def test_an_invalid_depth_is_an_error(depth: object) -> None:
    with pytest.raises(ParameterError, match="a whole number from 1 to 20"):
        make_report(qrels(), runs(), depth=depth)  # type: ignore[arg-type]


def test_without_altair_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(GainfulError, match=r"pip install 'gainful\[report\]'"):
        shop().html()


@pytest.mark.parametrize(
    ("module", "package"), [("altair", "altair"), ("vl_convert", "vl-convert-python")]
)
def test_the_command_without_a_package_ends_before_it_evaluates(
    module: str,
    package: str,
    small_files: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    # The missing package is reported before the missing files.
    assert main(["report", "nothing.txt", "none.run", "-o", "out.html"]) == 2
    message = f"gainful: HTML reports: the package {package} is not installed. Hint: pip install"
    assert capsys.readouterr().err == f"{message} 'gainful[report]'\n"
    assert not Path("out.html").exists()


def test_the_command_without_docstrings_is_an_error(small_files: Path) -> None:
    # As Altair does, but sooner: without docstrings, Python compiles all that it imports.
    Path("altair.py").write_text('"""A library."""\n__doc__.strip()\n')
    words = [sys.executable, "-OO", "-m", "gainful", "report", "qrels.txt", "bm25.run"]
    done = subprocess.run([*words, "-o", "out.html"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("gainful: HTML reports: the package altair: cannot be imported (")
    assert done.stderr.endswith("Hint: run Python without -OO and PYTHONOPTIMIZE=2\n")
    assert done.stderr.count("\n") == 1


def test_the_command_writes_the_page(
    small_files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(small_files)
    words = ["report", "qrels.txt", "bm25.run", "new=dense.run", "-m", "nDCG@5", "-o", "out.html"]
    assert main([*words, "--docs", "docs.jsonl", "--queries", "queries.jsonl"]) == 0
    assert capsys.readouterr().out == ""
    page = Path("out.html").read_text("utf-8")
    assert facts(page)["systems"] == ["bm25", "new"]
    assert "Lentil soup with cumin" in str(columns(page, "rankings-0")["texts"])
    assert "mushroom risotto" in unpacked(page, "queries")["texts"]


def test_a_missing_run_is_an_error(
    small_files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(small_files)
    assert main(["report", "qrels.txt", "no.run", "-o", "out.html"]) == 2
    assert "no such file: no.run" in capsys.readouterr().err
    assert not Path("out.html").exists()


def test_a_curve_that_the_convention_does_not_define_is_left_out() -> None:
    report = make_report(qrels(), runs(), "nDCG@10", convention="scikit-learn")
    assert report.curves.precision_recall == {}
    assert set(report.curves.cutoffs) == set(report.curves.coverage) == set(runs())
    assert set(facts(report.html())["charts"]) >= {"cutoffs", "coverage"}
    assert "precision_recall" not in facts(report.html())["charts"]


def test_skipped_queries_have_no_value() -> None:
    convention = gainful.Convention(no_relevant="skip")
    page = make_report(qrels(), runs(), "nDCG@10", convention=convention).html()
    (plain, *_) = scores(page, 0, 3)
    assert sum(value != value for value in plain) == 2
    assert "2 queries have no relevant documents for nDCG@10" in text_of(page)


def test_a_mean_of_nan_is_not_the_highest() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 0}}
    runs = {"one": {"q1": ["a"], "q2": ["b"]}, "two": {"q1": ["x", "a"], "q2": ["b"]}}
    without = gainful.conventions.get("gainful-1").replace(no_relevant="nan")
    page = make_report(qrels, runs, "RR", convention=without).html()
    assert headline_of(page) == "The mean RR of 2 systems is not defined (NaN)."


def test_resamples_of_0_are_an_error() -> None:
    with pytest.raises(ParameterError, match="resamples: found 0"):
        make_report({"q1": {"a": 1}}, {"one": {"q1": ["a"]}, "two": {"q1": ["b"]}}, resamples=0)


def test_a_page_in_a_missing_folder_is_an_error() -> None:
    report = make_report({"q1": {"a": 1}}, {"one": {"q1": ["a"]}})
    with pytest.raises(SourceError, match="output folder does not exist"):
        report.write("no-such-folder/report.html")


@pytest.mark.parametrize("baseline", [None, "title-words"])
def test_slices_show_the_means_and_verdicts_of_the_comparison(baseline: str | None) -> None:
    report = sliced(baseline)
    html = report.html()
    assert '<details id="slices"' in html
    assert 'href="#slices"' in html
    comparison = report.comparison
    assert comparison is not None
    top = baseline or comparison.leaderboard("nDCG@10")[0].system
    tables = re.findall(r'<table class="slices.*?</table>', html, re.DOTALL)
    assert len(tables) == 2
    for name, means in ((name, comparison.means("nDCG@10", name)) for name in comparison.segments):
        row = next(
            row for row in re.findall(r"<tr>.*?</tr>", tables[0]) if f">{escape(name)}<" in row
        )
        for system, mean in means.items():
            assert f"<b>{digits(mean)}</b>" in row
            if system != top:
                pair = comparison.pair(system, top, measure="nDCG@10", segment=name)
                assert f'data-value="{pair.difference!r}"' in row
                assert (
                    f"<small>{signed(pair.interval.low)} to {signed(pair.interval.high)}</small>"
                    in row
                )
                if pair.verdict != "inconclusive":
                    assert f">{pair.verdict_text}<" in row
    assert "The slices are a separate family" in html


def test_slices_need_two_runs_and_are_absent_otherwise() -> None:
    with pytest.raises(ParameterError, match="slices are compared between systems"):
        make_report(qrels(), {"one": runs()["fts5-plain"]}, by={"Q01": "a"})
    assert '<details id="slices"' not in shop().html()


def board_of(page: str) -> str:
    found = re.search(r'<table class="board.*?</table>', page, re.DOTALL)
    assert found is not None
    return found[0]


def test_one_query_proves_nothing() -> None:
    judgments = {"q1": {"a": 2, "b": 1}}
    runs = {"one": {"q1": ["a", "b"]}, "two": {"q1": ["b", "a"]}}
    report = make_report(judgments, runs, "nDCG@10")
    expected = "One query proves nothing: the systems differ in nDCG@10, but no test can be"
    assert headline_of(report.html()).startswith(expected)
    assert report.comparison is not None
    assert headlines(report.comparison)[0].startswith(expected)
    alone = make_report(judgments, {"one": runs["one"]}, "nDCG@10").html()
    assert headline_of(alone).endswith("is 1.0000. One query proves nothing: add queries.")


def test_systems_at_zero_have_no_winner() -> None:
    judgments = {f"q{at}": {"a": 1} for at in range(8)}
    runs = {name: {query: [name] for query in judgments} for name in ("b", "c")}
    page = make_report(judgments, runs, "nDCG@10").html()
    assert headline_of(page) == "There is no winner: nDCG@10 is 0 for every system and query."


def test_nothing_is_tied_for_first_alone() -> None:
    comparison = shop().comparison
    assert comparison is not None
    assert comparison.tied_for_first("nDCG@10") == ("fts5-tuned",)
    report = make_report(qrels(), runs(), "nDCG@10", resamples=1000)
    assert "Tied for first" not in report.html()
    assert "Tied for first" not in str(report.comparison)


def test_a_refused_verdict_is_in_its_cell_with_the_reason() -> None:
    gold = {"q1": {"t#char=0,100": 1}, "q2": {"u#char=0,100": 1}}
    short = {"q1": ["t#char=0,50"], "q2": ["u#char=0,100"]}
    whole = {"q1": ["t#char=0,100"], "q2": ["u#char=0,100"]}
    report = make_report(gold, {"short": short, "whole": whole}, "SpanR(budget=80)")
    assert report.comparison is not None
    [pair] = report.comparison.pairs
    assert pair.withheld is not None
    board = board_of(report.html())
    assert f">not comparable</span><small>{escape(pair.withheld)}</small>" in board
    assert "It is not comparable with short: 1 list of short ends before 80" in headline_of(
        report.html()
    )


def test_a_curve_of_budgets_comes_first() -> None:
    gold = {f"q{at}": {f"t{at}#char=0,100": 1} for at in range(12)}
    runs = {
        "early": {q: [f"t{q[1:]}#char=0,50", f"x{q[1:]}#char=0,5000"] for q in gold},
        "late": {q: [f"x{q[1:]}#char=0,500", f"t{q[1:]}#char=0,100"] for q in gold},
    }
    budgets = [f"SpanR(budget={budget})" for budget in (100, 200, 2000)]
    report = make_report(gold, runs, budgets, resamples=500)
    page = report.html()
    assert page.index('<section id="budgets"') < page.index('<section id="leaderboard"')
    headline = re.search(r'<p class="headline">(.*?)</p>', page)
    assert headline is not None
    assert " ".join(text_of(headline[1]).split()) == (
        "early covers most at 100 to 200 and late at 2,000 units. Statistically significant:"
        " early over late at 100 and 200; late over early at 2,000."
    )
    assert {row["at"] for row in facts(page)["budgets"]} == {100, 200, 2000}
    assert report.comparison is not None
    assert report.comparison.choices.family == "all"
    assert set(facts(page)["charts"]) == {"distribution", "waterfall", "difficulty", "budgets"}


def test_full_texts_are_in_the_page_and_cut_only_where_it_would_be_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "One.\nTwo. " * 500
    report = make_report(
        {"q1": {"a": 1}}, {"one": {"q1": ["a"]}}, "P@1", docs={"a": {"title": "T", "text": text}}
    )
    whole = columns(report.html(), "rankings-0")["texts"]["a"][1]
    assert whole.split() == text.split()
    assert whole.startswith("One.\nTwo.")
    monkeypatch.setattr("gainful.report.page.MOST_TEXT", 500)
    assert len(columns(report.html(), "rankings-0")["texts"]["a"][1]) <= 240
