"""The HTML report: what it holds is what evaluate, compare and explain say."""

from __future__ import annotations

import re
import sys
from html import unescape
from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from gainful.demo.collection import products_path, qrels, queries_path
from gainful.demo.search import runs
from gainful.errors import GainfulError, ParameterError, SourceError
from gainful.report import make_report
from report_pages import (
    MEASURES,
    evaluation,
    facts,
    hostile,
    many,
    scores,
    shop,
    shop_page,
    unpacked,
)
from requirements import need

need("altair")
need("vl_convert")


def text_of(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", " ", html))


def test_the_values_are_those_of_an_evaluation_to_the_last_bit() -> None:
    page, result = shop_page(), evaluation()
    ids = unpacked(page, "queries")["ids"]
    for at, measure in enumerate(MEASURES):
        for system, values in zip(result.systems, scores(page, at, 3), strict=True):
            assert dict(zip(ids, values, strict=True)) == result.per_query(measure, system)


def test_the_rankings_are_those_that_explain_follows() -> None:
    page = shop_page()
    known, ids = facts(page), unpacked(page, "queries")["ids"]
    size = known["listing"]["block"]
    assert known["listing"]["depth"] == 10
    held = runs()
    for query in ("Q01", "Q08", "Q77"):
        at = ids.index(query)
        found = unpacked(page, f"rankings-{at // size}")["queries"][at % size]
        for number, system in enumerate(known["systems"]):
            told = gainful.explain(qrels(), held[system], query, "nDCG@10")
            ranks = [rank for rank in told.ranks if rank.document is not None]
            assert [found["d"][place] for place in found["r"][number]] == [
                rank.document for rank in ranks
            ]
            assert [found["g"][place] for place in found["r"][number]] == [
                rank.grade for rank in ranks
            ]
            adds = dict(zip(found["a"][number][::2], found["a"][number][1::2], strict=True))
            expected = {rank.rank - 1: rank.contribution for rank in ranks if rank.contribution}
            assert adds == pytest.approx(expected, rel=1e-5)
        # Documents of one grade stand as the first system has them.
        told = gainful.explain(qrels(), held[known["systems"][0]], query, "nDCG@10")
        places = zip(found["i"][::2], found["i"][1::2], strict=True)
        best = [(found["d"][place], adds) for place, adds in places]
        ideal = [(r.ideal_document, r.ideal_contribution) for r in told.ranks if r.ideal_document]
        assert [document for document, _ in best] == [document for document, _ in ideal]
        assert [adds for _, adds in best] == pytest.approx([adds for _, adds in ideal], rel=1e-5)


def test_the_pairs_are_those_of_the_comparison() -> None:
    report, found = shop(), unpacked(shop_page(), "pairs")
    assert report.comparison is not None
    assert len(found["rows"]) == len(report.comparison.pairs) == 9
    for row, pair in zip(found["rows"], report.comparison.pairs, strict=True):
        assert MEASURES[row[0]] == pair.measure
        assert report.evaluation.systems[row[1]] == pair.system
        told = dict(zip(found["fields"], row[5:], strict=True))
        for name in ("difference", "low", "high", "p_adjusted", "wins", "losses", "detectable"):
            assert told[name] == pytest.approx(getattr(pair, name), rel=1e-5), name


def test_the_leaderboard_needs_no_program() -> None:
    text, report = text_of(shop_page().partition("<script")[0]), shop()
    assert report.comparison is not None
    for measure in MEASURES:
        for line in report.comparison.leaderboard(measure):
            assert f"{line.mean:.4f}".removeprefix("0") in text
            if line.vs_top is not None:
                assert line.vs_top.words in text
    assert "fts5-tuned has the highest nDCG@10 , .7142" in re.sub(r"\s+", " ", text)


def test_nothing_is_loaded_from_elsewhere() -> None:
    own = re.sub(r"<script>\(\(\) => \{.*?</script>", "", shop_page(), flags=re.S)
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", own)
    assert not re.search(r"@import|url\(", own)


def test_the_same_report_is_the_same_page() -> None:
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


def test_names_and_texts_are_never_markup() -> None:
    page = hostile().html()
    for markup in ("<script>alert", "<img src=x", "<b>first", "document.title='broken'</script>"):
        assert markup not in page
    assert "&lt;img src=x" in page


def test_convention_formula_digests_and_command_are_told() -> None:
    text = text_of(shop_page())
    report = shop()
    assert str(report.evaluation.convention) in text
    assert "sum over rank <= k of grade / log2(rank + 1)" in text
    assert "gainful report qrels.txt *.run" in text
    assert gainful.Qrels(qrels()).digest in text
    for ranking in runs().values():
        assert gainful.Run(ranking).digest in text
    assert gainful.__version__ in text


def test_beside_a_baseline() -> None:
    report = make_report(qrels(), runs(), "nDCG@10", baseline="fts5-plain")
    page = report.html()
    text = re.sub(r"\s+", " ", text_of(page.partition("<script")[0]))
    assert "Beside fts5-plain , in nDCG@10 : fts5-tuned is better" in text
    assert facts(page)["baselines"] == ["fts5-plain"]
    assert 'class="letters"' not in page
    assert len(unpacked(page, "pairs")["rows"]) == 2


def test_one_system_has_scores_and_no_comparison() -> None:
    report = make_report(qrels(), {"only": runs()["fts5-tuned"]}, "nDCG@10")
    page = report.html()
    assert report.comparison is None
    assert 'id="pair"' not in page
    assert "only comes to nDCG@10 .7142" in re.sub(r"\s+", " ", text_of(page))


@pytest.mark.parametrize(
    ("measure", "depth", "sums"),
    [("AP", 10, False), ("nDCG@3", 3, True), ("nDCG@50", 20, True), ("P@5", 5, False)],
)
def test_rankings_go_down_to_the_cutoff(measure: str, depth: int, sums: bool) -> None:
    listing = make_report(qrels(), runs(), measure).listing
    assert listing is not None
    assert (listing.depth, listing.sums) == (depth, sums)
    longest = max(len(own) for pool in listing.pools.values() for own in pool.ranks)
    assert longest == depth


def test_measures_that_no_rank_adds_to_have_no_rankings() -> None:
    report = make_report(qrels(), runs(), "NumRet")
    assert report.listing is None
    assert "there are no rankings to show" in report.html()


def test_judgments_of_subtopics() -> None:
    judgments = {"q1": {"1": {"a": 1}, "2": {"b": 1}}}
    held = {"one": {"q1": ["a", "b"]}, "two": {"q1": ["b", "c"]}}
    report = make_report(judgments, held, "alpha_nDCG@10")
    assert report.curves.precision_recall == {}
    assert "alpha_nDCG@10" in report.html()


def test_weights_count() -> None:
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
def test_a_depth_that_no_report_has(depth: object) -> None:
    with pytest.raises(ParameterError, match="a whole number from 1 to 20"):
        make_report(qrels(), runs(), depth=depth)  # type: ignore[arg-type]


def test_without_altair_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(GainfulError, match=r"pip install 'gainful\[report\]'"):
        shop().html()


def test_the_command_writes_the_page(
    small_files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(small_files)
    words = ["report", "qrels.txt", "bm25.run", "new=dense.run", "-m", "nDCG@5", "-o", "out.html"]
    assert main([*words, "--docs", "docs.jsonl", "--queries", "queries.jsonl"]) == 0
    assert capsys.readouterr().out == ""
    page = Path("out.html").read_text("utf-8")
    assert facts(page)["systems"] == ["bm25", "new"]
    assert "Lentil soup with cumin" in str(unpacked(page, "rankings-0"))
    assert "mushroom risotto" in unpacked(page, "queries")["texts"]


def test_a_run_that_is_not_there_is_one_message(
    small_files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(small_files)
    assert main(["report", "qrels.txt", "no.run", "-o", "out.html"]) == 2
    assert "no such file: no.run" in capsys.readouterr().err
    assert not Path("out.html").exists()


def test_a_curve_that_a_convention_has_no_meaning_for_is_left_out() -> None:
    report = make_report(qrels(), runs(), "nDCG@10", convention="scikit-learn")
    assert report.curves.precision_recall == {}
    assert set(report.curves.cutoffs) == set(report.curves.coverage) == set(runs())
    assert set(facts(report.html())["charts"]) >= {"cutoffs", "coverage"}
    assert "precision_recall" not in facts(report.html())["charts"]


def test_queries_left_out_have_no_value() -> None:
    convention = gainful.Convention(no_relevant="skip")
    page = make_report(qrels(), runs(), "nDCG@10", convention=convention).html()
    (plain, *_) = scores(page, 0, 3)
    assert sum(value != value for value in plain) == 2
    assert "2 queries have nothing relevant for nDCG@10" in text_of(page)


def test_a_mean_of_nan_is_not_the_highest() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 0}}
    runs = {"one": {"q1": ["a"], "q2": ["b"]}, "two": {"q1": ["x", "a"], "q2": ["b"]}}
    without = gainful.conventions.get("gainful-1").replace(no_relevant="nan")
    page = make_report(qrels, runs, "RR", convention=without).html()
    assert "has the highest" not in page
    assert "Beside <b>one</b>, in <b>RR</b>" in page


def test_resamples_of_0_are_refused() -> None:
    with pytest.raises(ParameterError, match="resamples: found 0"):
        make_report({"q1": {"a": 1}}, {"one": {"q1": ["a"]}, "two": {"q1": ["b"]}}, resamples=0)


def test_a_page_is_written_whole_or_not_at_all() -> None:
    report = make_report({"q1": {"a": 1}}, {"one": {"q1": ["a"]}})
    with pytest.raises(SourceError, match="output folder does not exist"):
        report.write("no-such-folder/report.html")
