"""Summaries of judgments and raters, compared with independent computations."""

from __future__ import annotations

from functools import cache
from math import nan
from pathlib import Path
from statistics import fmean, stdev

import pytest

import gainful
from gainful.demo import annotations_path, annotator_grades, qrels_path
from gainful.errors import ArgumentError, ParameterError
from gainful.inference import Design, alpha_interval, crossed_mean, kappa_interval
from gainful.inference.interval import quantile
from gainful.judging import AlphaSummary
from gainful.records import Interval
from requirements import need

runs = cache(gainful.demo.runs)


@pytest.fixture(scope="module")
def demo() -> gainful.JudgmentQuality:
    return gainful.assess_judgments(annotations_path(), runs())


# --- raters -------------------------------------------------------------------------------------


def test_the_annotators_of_the_demo(demo: gainful.JudgmentQuality) -> None:
    """The README of the demo says: 932 grades, 466 judgments, 80% agreement, kappa .59."""
    assert (demo.coverage.labels, demo.coverage.documents, demo.coverage.queries) == (932, 466, 27)
    (pair,) = demo.pairs
    assert round(pair.same, 2) == 0.80
    plain = gainful.assess_judgments(annotations_path(), kappa="none")
    assert plain.pairs[0].kappa is not None
    assert round(plain.pairs[0].kappa, 2) == 0.59
    bias = demo.rater("ben").bias
    assert bias is not None
    assert bias < 0
    assert all(abs(one - two) <= 1 for one, two in pair.confusion)


def test_kappa_equals_scikit_learn(demo: gainful.JudgmentQuality) -> None:
    need("scikit-learn")
    from sklearn.metrics import cohen_kappa_score, confusion_matrix

    grades: dict[str, dict[tuple[str, str], int]] = {"ana": {}, "ben": {}}
    for row in annotator_grades():
        grades[row.annotator][row.query_id, row.doc_id] = row.grade
    ana = [grades["ana"][key] for key in grades["ana"]]
    ben = [grades["ben"][key] for key in grades["ana"]]
    (pair,) = demo.pairs
    assert pair.kappa == pytest.approx(cohen_kappa_score(ana, ben, weights="quadratic"), abs=1e-12)
    assert pair.interval is not None
    assert pair.kappa is not None
    assert pair.interval.low < pair.kappa < pair.interval.high
    matrix = confusion_matrix(ana, ben)
    for one in range(4):
        for two in range(4):
            assert demo.confusion("ana").get((one, two), 0) == matrix[one, two]
            assert demo.confusion("ben").get((two, one), 0) == matrix[one, two]
    assert demo.rater("ana").mean == pytest.approx(fmean(ana))
    assert demo.rater("ana").distribution == {float(g): ana.count(g) for g in range(4)}


def test_alpha_equals_the_package_krippendorff(shared_data: Path) -> None:
    krippendorff = need("krippendorff")
    path = shared_data / "judgments" / "chorus" / "Broad_Query_Set_individual_ratings.csv"
    quality = gainful.assess_judgments(path, resamples=500)
    raters = [rater.name for rater in quality.ratings.raters]
    table = quality.ratings.array(raters).T
    alpha = quality.alpha
    assert alpha is not None
    assert alpha.documents == 3188
    expected = krippendorff.alpha(reliability_data=table, level_of_measurement="ordinal")
    assert alpha.value == pytest.approx(expected, abs=1e-12)
    assert round(expected, 4) == 0.7695
    assert sum(each.bias or 0.0 for each in quality.raters) == pytest.approx(0, abs=1e-12)
    assert quality.final is not None
    assert quality.final.distribution == {0: 1471, 1: 198, 2: 93, 3: 1426}
    assert round(quality.rater("agent_1").same_as_final or nan, 3) == 0.863


def test_bias_is_paired_and_its_interval_is_clustered_by_query() -> None:
    # Two documents per query; ana gives 1 more than the mean of the others, except in q3.
    rows = []
    for query, more in (("q1", 1), ("q2", 1), ("q3", 0), ("q4", 2)):
        for document, grade in (("a", 1), ("b", 0)):
            rows.append((query, document, "ana", grade + more))
            rows.append((query, document, "ben", grade))
            rows.append((query, document, "cat", grade))
    rows.append(("q5", "a", "ana", 3))
    account = gainful.assess_judgments(rows).rater("ana")
    assert account.compared == 8
    assert account.bias == 1.0
    # The two documents of a query are identical, so only the number of queries counts.
    scipy_t = 3.182446305284263  # scipy.stats.t.ppf(.975, 3)
    half = scipy_t * stdev([1, 1, 0, 2]) / 2
    assert account.interval == pytest.approx((1 - half, 1 + half), rel=1e-9)


def test_raters_without_a_common_document() -> None:
    quality = gainful.assess_judgments([("q", "a", "ana", 1), ("q", "b", "ben", 0)])
    assert quality.pairs == ()
    assert quality.rater("ana").bias is None
    assert quality.alpha is not None
    assert quality.alpha.value is None
    assert "not defined" in str(quality)


def test_one_rater_has_no_agreement(small_files: Path) -> None:
    quality = gainful.assess_judgments("qrels.txt")
    assert (quality.alpha, quality.pairs) == (None, ())
    assert quality.coverage.no_relevant == ("q6",)
    assert quality.coverage.per_query.to_dict() == {"min": 2, "median": 4.5, "max": 6}


def test_alpha_within_each_kind_of_rater() -> None:
    rows = [
        (f"q{n}", "d", rater, (n * step) % 3)
        for rater, step in (("ana", 1), ("ben", 1), ("gpt", 2), ("umbrela", 2))
        for n in range(9)
    ]
    sources = {"ana": "human", "ben": "human", "gpt": "model:g", "umbrela": "model:u@1"}
    quality = gainful.assess_judgments(gainful.Ratings(rows, sources=sources))
    assert [each.kind for each in quality.alphas] == [None, "human", "model"]
    whole, human, model = (each.value for each in quality.alphas)
    assert (human, model) == (1.0, 1.0)
    assert whole is not None
    assert whole < 1
    assert "of the human raters: 1.0000" in str(quality)
    assert "model u, 1" in str(quality)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.81, 0.9, "reliable"),
        (0.7, 0.79, "enough for tentative conclusions"),
        (0.7, 0.8, "enough for tentative conclusions, possibly reliable"),
        (0.5, 0.7, "possibly enough for tentative conclusions"),
        (0.5, 0.9, "too uncertain to interpret"),
        (0.1, 0.6, "not enough for conclusions"),
    ],
)
def test_interpretation_of_alpha(low: float, high: float, words: str) -> None:
    value = (low + high) / 2
    summary = AlphaSummary(
        kind=None, raters=("a", "b"), documents=9, value=value, interval=Interval(low, high)
    )
    assert summary.interpretation == words


# --- systems ------------------------------------------------------------------------------------


def test_systems_by_annotator_of_the_demo(demo: gainful.JudgmentQuality) -> None:
    systems = demo.systems
    assert systems is not None
    assert (systems.raters, systems.documents, systems.queries) == (("ana", "ben"), 466, 27)
    for rater in systems.raters:
        judged = demo.ratings.of(rater)
        compared = gainful.compare(judged, runs(), "nDCG@10", bootstrap=0)
        assert {name: means[rater] for name, means in systems.means.items()} == compared.means()
        for each in systems.verdicts:
            assert (
                each.verdict_texts[rater] == compared.pair(each.system, each.baseline).verdict_text
            )
    assert [(order.first, order.second, order.tau) for order in systems.taus] == [
        ("ana", "ben", 1.0)
    ]


def test_options_are_applied(demo: gainful.JudgmentQuality) -> None:
    drawn = {"level": 0.8}
    quality = gainful.assess_judgments(
        annotations_path(),
        runs(),
        kappa="linear",
        scale="nominal",
        margin=0.25,
        resamples=199,
        seed=3,
        **drawn,
    )
    table = quality.ratings.array(["ana", "ben"])
    clusters = [query for query, _ in quality.ratings.pairs]
    (pair,), alpha = quality.pairs, quality.alpha
    assert alpha is not None
    assert pair.difference == pytest.approx((table[:, 0] - table[:, 1]).mean())
    assert pair.interval == kappa_interval(
        table[:, 0], table[:, 1], weights="linear", clusters=clusters, **drawn
    )
    assert alpha.interval == alpha_interval(table, scale="nominal", clusters=clusters, **drawn)
    narrow, wide = quality.rater("ben"), demo.rater("ben")
    # The queries have different numbers of documents.
    design = Design(len(clusters), clusters=clusters)
    df = design.degrees_of_freedom(range(len(clusters)))
    assert 20 < df < 26
    assert narrow.interval.high - narrow.bias == pytest.approx(
        (wide.interval.high - wide.bias) * quantile(0.9, df) / quantile(0.975, df), rel=1e-9
    )
    assert quality.systems is not None
    for each in quality.systems.verdicts:
        for rater in ("ana", "ben"):
            judged = quality.ratings.of(rater)
            alone = gainful.compare(judged, runs(), "nDCG@10", margin=0.25, bootstrap=0, seed=3)
            assert each.verdict_texts[rater] == alone.pair(each.system, each.baseline).verdict_text
    verdicts = {text for each in quality.systems.verdicts for text in each.verdict_texts.values()}
    assert verdicts == {
        "equivalent",
        "better, by less than the margin",
        "worse, by less than the margin",
    }


def test_systems_are_also_scored_with_the_final_grades() -> None:
    ratings = gainful.Ratings(
        {"ana": _of("ana"), "ben": _of("ben"), "agreed": qrels_path()}, final="agreed"
    )
    quality = gainful.assess_judgments(ratings, runs(), baseline="fts5-plain")
    assert quality.final is not None
    assert quality.final.documents == 1303
    assert quality.coverage.rated_by == {0: 837, 2: 466}
    systems = quality.systems
    assert systems is not None
    assert systems.raters == ("ana", "ben", "agreed")
    assert (systems.documents, systems.baselines) == (466, ("fts5-plain",))
    assert [each.system for each in systems.verdicts] == ["fts5-tuned", "title-words"]
    # The demo's rule: the lower of two grades.
    assert quality.rater("ben").same_as_final == pytest.approx(1 - 16 / 466)


def _of(annotator: str) -> list[tuple[str, str, int]]:
    rows = annotator_grades()
    return [(row.query_id, row.doc_id, row.grade) for row in rows if row.annotator == annotator]


def opposed() -> tuple[list[tuple[str, str, str, int]], dict[str, dict[str, list[str]]]]:
    """Return two raters with opposite opinions, an undecided third, and two systems."""
    labels = []
    for n in range(12):
        for rater, one, two in (("ana", 2, 0), ("ben", 0, 2), ("cat", 1, 1)):
            labels += [(f"q{n}", "one", rater, one), (f"q{n}", "two", rater, two)]
    queries = [f"q{n}" for n in range(12)]
    first = {query: ["one", "two"] for query in queries}
    return labels, {"first": first, "second": {query: ["two", "one"] for query in queries}}


def test_verdicts_that_depend_on_the_rater() -> None:
    labels, systems = opposed()
    quality = gainful.assess_judgments(labels, systems)
    assert quality.systems is not None
    (each,) = quality.systems.verdicts
    assert each.verdicts == {"ana": "worse", "ben": "better", "cat": "identical"}
    assert each.changes
    assert each.contradicts
    assert quality.systems.changed == (each,)
    orders = {(order.first, order.second): order.tau for order in quality.systems.taus}
    assert orders == {("ana", "ben"): -1.0, ("ana", "cat"): None, ("ben", "cat"): None}
    assert "better for one and worse for another" in str(quality)


def test_the_interval_over_other_raters_is_that_of_queries_and_raters() -> None:
    labels, systems = opposed()
    judged = [row for row in labels if row[0] != "q0" or row[2] != "ben"]
    judged += [("q0", "one", "ben", 3), ("q0", "two", "ben", 0)]
    quality = gainful.assess_judgments(judged, systems)
    assert quality.systems is not None
    (pair,) = quality.systems.verdicts
    values = []
    for rater in ("ana", "ben", "cat"):
        found = gainful.evaluate(quality.ratings.of(rater), runs=systems, measures="nDCG@10")
        one, two = (found.per_query(system=name) for name in (pair.system, pair.baseline))
        values.append([one[query] - two[query] for query in sorted(one)])
    expected = crossed_mean(list(zip(*values, strict=True)))
    assert expected is not None
    assert pair.other_raters_interval is not None
    assert tuple(pair.other_raters_interval) == pytest.approx((expected.low, expected.high))
    assert "over queries and raters like these" in str(quality)
    clusters = {f"q{n}": n // 2 for n in range(12)}
    clustered = gainful.assess_judgments(judged, systems, clusters=clusters)
    assert clustered.systems is not None
    assert clustered.systems.verdicts[0].other_raters_interval is None


def test_two_raters_say_little_about_others(demo: gainful.JudgmentQuality) -> None:
    assert demo.systems is not None
    for pair in demo.systems.verdicts:
        assert pair.other_raters_interval is not None
        low, high = pair.other_raters_interval
        assert -1.0 <= low < 0.0 < high <= 1.0
    assert "raters like these" in str(demo)


def test_only_documents_that_all_graded_are_used() -> None:
    labels, systems = opposed()
    more = [*labels, ("q0", "three", "ana", 3), ("q99", "one", "ben", 1)]
    quality = gainful.assess_judgments(more, systems)
    alone = gainful.assess_judgments(labels, systems)
    assert quality.systems is not None
    assert alone.systems is not None
    assert quality.systems.documents == alone.systems.documents == 24
    assert quality.systems.means == alone.systems.means
    assert quality.alpha is not None
    assert quality.alpha.documents == 24
    assert quality.coverage.documents == 26


def test_no_common_document_is_reported() -> None:
    _, systems = opposed()
    quality = gainful.assess_judgments([("q0", "one", "ana", 1), ("q0", "two", "ben", 0)], systems)
    assert quality.systems is None
    assert quality.not_scored == "no document was graded by all 2 of ana, ben"
    assert "were not scored by rater: no document" in str(quality)


def test_coverage_of_runs(demo: gainful.JudgmentQuality) -> None:
    coverage = demo.coverage
    assert coverage.cutoff == 10
    assert coverage.unjudged == dict.fromkeys(runs(), 53)
    grades = demo.ratings.of("ana")
    for system, rankings in runs().items():
        shown = [
            document in grades[query]
            for query, ranking in rankings.items()
            if query in grades
            for document, _ in sorted(ranking, key=lambda row: (row[1], row[0]), reverse=True)[:10]
        ]
        assert coverage.judged[system] == pytest.approx(fmean(shown))


def test_one_system_has_means_and_no_verdicts() -> None:
    labels, systems = opposed()
    quality = gainful.assess_judgments(labels, {"first": systems["first"]})
    assert quality.systems is not None
    assert quality.systems.verdicts == ()
    assert quality.systems.means["first"]["ana"] == 1.0


def test_the_number_of_threads_does_not_matter() -> None:
    labels, systems = opposed()
    first, second = [gainful.assess_judgments(labels, systems, threads=n).to_dict() for n in (1, 3)]
    assert first == second


def test_bad_calls() -> None:
    labels, systems = opposed()
    with pytest.raises(ParameterError, match="scale: found 'ratio'"):
        gainful.assess_judgments(labels, scale="ratio")
    with pytest.raises(ParameterError, match="kappa: found 'cubic'"):
        gainful.assess_judgments(labels, kappa="cubic")
    with pytest.raises(ParameterError, match="level"):
        gainful.assess_judgments(labels, level=95)
    with pytest.raises(ParameterError, match="resamples"):
        gainful.assess_judgments(labels, resamples=0)
    with pytest.raises(ParameterError, match="seed: found -1"):
        gainful.assess_judgments(labels, seed=-1)
    with pytest.raises(ParameterError, match="runs: found no run"):
        gainful.assess_judgments(labels, {})
    with pytest.raises(ParameterError, match="baseline"):
        gainful.assess_judgments(labels, systems, baseline="third")
    with pytest.raises(ArgumentError, match="margin: found no runs to compare"):
        gainful.assess_judgments(labels, margin=0.01)
    with pytest.raises(ParameterError, match="rater: found 'eve'"):
        gainful.assess_judgments(labels).rater("eve")


def test_grades_with_many_digits_keep_the_table_narrow() -> None:
    labels = [
        (f"q{n % 5}", f"d{n}", rater, n / 61 + len(rater)) for n in range(60) for rater in "ab"
    ]
    text = str(gainful.assess_judgments(gainful.Ratings(labels), resamples=99))
    assert max(map(len, text.splitlines())) <= 100
