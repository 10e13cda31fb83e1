"""Measures of one's own: functions in Python that are evaluated like built-in measures."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import gainful
from combinations import share
from gainful.cli import main
from gainful.comparison.headlines import headlines
from gainful.errors import (
    ArgumentError,
    ConventionError,
    GainfulError,
    MeasureError,
    ParameterError,
    SourceNotFoundError,
)
from gainful.measures import AP, Ranking, Rankings, declare, define, nDCG, parse_measures
from random_rankings import draw


def plain_ndcg(ranking: Ranking) -> float:
    """Return nDCG with the formula of the kernel."""

    def dcg(grades: Any) -> float:
        return sum(max(grade, 0) / math.log2(at + 2) for at, grade in enumerate(grades))

    return dcg(ranking.grades) / dcg(ranking.pool[: ranking.cutoff])


def vectorized_ndcg(rankings: Rankings) -> Any:
    gains = numpy.maximum(rankings.grades, 0) / numpy.log2(rankings.ranks + 1)
    ideal = numpy.maximum(rankings.pool, 0) / numpy.log2(rankings.pool_ranks + 1)
    if rankings.cutoff is not None:
        ideal[rankings.pool_ranks > rankings.cutoff] = 0
    return rankings.sum(gains) / rankings.pool_sum(ideal)


PLAIN = define("plain_ndcg", plain_ndcg, range=(0, None))
VECTORIZED = define("vectorized_ndcg", vectorized_ndcg, range=(0, None), vectorized=True)


def mean_rank(ranking: Ranking, missing: float = 100.0) -> float:
    """Return the rank of the first relevant document."""
    ranks = (rank for rank, grade in enumerate(ranking.grades, 1) if grade >= 1)
    return next(ranks, missing)


LOWER = define("first_rank", mean_rank, range=(1, 100), higher_is_better=False, relevant=None)

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1}, "q3": {"z": 0}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "x": 1.0}, "q2": {"x": 2.0, "a": 1.0}, "q3": {"z": 1.0}}


POLICIES: list[dict[str, Any]] = [
    {},
    {"unjudged": "condense"},
    {"unjudged": 1.0},
    {"ties": "given"},
    {"ties": "pessimistic"},
    {"ties": "random(7)"},
    {"precision": "float32"},
    {"unretrieved": "last"},
    {"unretrieved": "last", "ties": "doc-id-asc", "order": "given"},
    {"negative": "unjudged"},
    {"negative": "drop"},
    {"missing": "skip"},
    {"no_relevant": "skip"},
    {"no_relevant": 1.0},
    {"no_relevant": "agree"},
    {"no_relevant": "nan"},
    {"extra": "no-relevant"},
    {"rounding": "query:3"},
    {"order": "given"},
    *({"duplicates": value} for value in ("first", "last", "best", "count", "copies", "blank")),
]


def random_rows(seed: int) -> tuple[dict[str, dict[str, float]], list[tuple[str, str, float]]]:
    """Return judgments and a run with missing and extra queries, copies and negative grades."""
    drawn = draw(seed, queries=40, grades=(-1, 0, 0, 1, 2, 3))
    queries = list(drawn.run)
    qrels = {query: drawn.qrels[query] for query in queries if query != queries[1]}
    rows = [
        (query, document, score)
        for query in queries
        if query != queries[2]
        for document, score in drawn.run[query].items()
    ]
    return qrels, rows


@pytest.mark.parametrize("policies", POLICIES, ids=str)
@pytest.mark.parametrize("seed", share([1, 2], 0, 2))
def test_a_defined_ndcg_is_the_kernels(policies: dict[str, Any], seed: int) -> None:
    qrels, rows = random_rows(seed)
    if "duplicates" in policies:
        rows += [(query, document, score - 1) for query, document, score in rows[::7]]
    run = gainful.Run(rows, duplicates="count")
    convention = gainful.conventions.get("gainful-1").replace(name="own", **policies)
    for cutoff in (None, 1, 10):
        of = [nDCG, PLAIN, VECTORIZED]
        if cutoff is not None:
            of = [measure @ cutoff for measure in of]
        for threads in (1, 3):
            result = gainful.evaluate(qrels, run, of, convention=convention, threads=threads)
            expected, plain, vectorized = (list(result.per_query(each).items()) for each in of)
            assert repr(plain) == repr(expected)
            assert [query for query, _ in vectorized] == [query for query, _ in expected]
            assert [value for _, value in vectorized] == pytest.approx(
                [value for _, value in expected], rel=1e-12, nan_ok=True
            )
            assert (
                result.counts()["no_relevant"][repr(of[1])]
                == (result.counts()["no_relevant"][repr(of[0])])
            )


@pytest.mark.parametrize("kind", ["text", "shuffled", "gzip", "mapping", "columns", "parquet"])
def test_all_kinds_of_runs_give_the_same_values(
    kind: str, tmp_path: Path, need: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = draw(3, queries=60)
    lines = [
        f"{query} Q0 {document} 0 {score!r} t\n"
        for query, ranking in drawn.run.items()
        for document, score in ranking.items()
    ]
    path = tmp_path / "a.run"
    run: Any = path
    if kind == "shuffled":
        lines = lines[::3] + lines[1::3] + lines[2::3]
    if kind in ("columns", "parquet"):
        table = need("pyarrow").table(
            {
                "query_id": [query for query, ranking in drawn.run.items() for _ in ranking],
                "doc_id": [document for ranking in drawn.run.values() for document in ranking],
                "score": [score for ranking in drawn.run.values() for score in ranking.values()],
            }
        )
        run = table
        if kind == "parquet":
            import pyarrow.parquet

            run = tmp_path / "a.parquet"
            pyarrow.parquet.write_table(table, run)
    elif kind == "gzip":
        import gzip

        run = tmp_path / "a.run.gz"
        run.write_bytes(gzip.compress("".join(lines).encode()))
    elif kind == "mapping":
        run = drawn.run
    else:
        path.write_text("".join(lines))
    result = gainful.evaluate(drawn.qrels, run, [nDCG @ 5, PLAIN @ 5, AP], threads=2)
    assert result.per_query(PLAIN @ 5) == result.per_query(nDCG @ 5)
    assert len(result.per_query(AP)) == 60


def test_the_function_sees_the_ranking() -> None:
    seen: dict[str, tuple[Any, ...]] = {}

    def see(ranking: Ranking, p: float = 0.5) -> float:
        seen[ranking.query] = (
            ranking.grades,
            ranking.judged,
            ranking.documents,
            ranking.scores,
            ranking.pool,
            ranking.cutoff,
            ranking.retrieved,
            p,
        )
        return 0.0

    gainful.evaluate(QRELS, RUN, define("see", see)(p=0.25) @ 2)
    assert seen == {
        "q1": ([0.0, 2.0], [True, True], ["b", "a"], [3.0, 2.0], [2.0, 1.0, 0.0], 2, 3, 0.25),
        "q2": ([0.0, 1.0], [False, True], ["x", "a"], [2.0, 1.0], [1.0], 2, 2, 0.25),
    }
    gainful.evaluate(QRELS, RUN, define("see", see, relevant=None))
    assert seen["q3"][0] == [0.0]
    assert seen["q1"][5:] == (None, 3, 0.5)


def test_a_vectorized_function_sees_all_columns() -> None:
    seen: list[Any] = []

    def see(rankings: Rankings) -> Any:
        assert rankings.documents == ["b", "a", "x", "a"]
        assert rankings.scores.tolist() == [3, 2, 2, 1]
        seen.append(rankings)
        return numpy.zeros(len(rankings))

    gainful.evaluate(QRELS, RUN, define("see_all", see, vectorized=True) @ 2)
    (rankings,) = seen
    assert rankings.queries == ["q1", "q2"]
    assert rankings.offsets.tolist() == [0, 2, 4]
    assert rankings.grades.tolist() == [0, 2, 0, 1]
    assert rankings.judged.tolist() == [True, True, False, True]
    assert rankings.ranks.tolist() == [1, 2, 1, 2]
    assert rankings.pool.tolist() == [2, 1, 0, 1]
    assert rankings.pool_offsets.tolist() == [0, 3, 4]
    assert rankings.pool_ranks.tolist() == [1, 2, 3, 1]
    assert rankings.retrieved.tolist() == [3, 2]


def test_sums_of_empty_rankings_are_0() -> None:
    declared = define("total", lambda rankings: rankings.sum(rankings.grades), range=(0, None),
                      vectorized=True)  # fmt: skip
    qrels = {"q0": {"a": 1}, "q1": {"a": 1}, "q2": {"a": 3}, "q3": {"a": 1}}
    result = gainful.evaluate(qrels, {"q1": ["a"], "q2": ["a", "b"]}, declared)
    assert list(result.per_query().values()) == [0, 1, 3, 0]


def test_a_missing_query_has_an_empty_ranking() -> None:
    result = gainful.evaluate(QRELS, {"q1": ["a"]}, LOWER)
    assert result.per_query() == {"q1": 1.0, "q2": 100.0, "q3": 100.0}


@pytest.mark.parametrize(
    "function",
    [
        lambda ranking: None,
        lambda ranking: "0.5",
        lambda ranking: math.nan,
        lambda ranking: math.inf,
        lambda ranking: 1.5,
        lambda ranking: -0.1,
        lambda ranking: [1.0],
        lambda ranking: 1j,
        lambda ranking: 1 / 0,
        lambda ranking: ranking.unknown,
        lambda ranking: (_ for _ in ()).throw(gainful.errors.GradeError("wrong")),
    ],
)
def test_errors_name_the_query_and_the_measure(function: Any) -> None:
    bad = define("bad", function)
    with pytest.raises(MeasureError, match=r"bad@10.*q1|q1.*bad@10") as caught:
        gainful.evaluate(QRELS, RUN, [nDCG, bad @ 10])
    assert caught.value.query == "q1"


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (0.5, "2 numbers"),
        ([0.5], "2 numbers"),
        ([[0.5], [0.5]], "2 numbers"),
        ([0.5, math.nan], "q2"),
        ([0.5, None], "q2"),
        ([0.5, "x"], "q1"),
        ([0.5, 2], "q2"),
        (None, "2 numbers"),
        ([1, [2]], "2 numbers"),
    ],
)
def test_errors_of_vectorized_functions(returned: Any, message: str) -> None:
    bad = define("bad_array", lambda rankings: returned, vectorized=True)
    with pytest.raises(MeasureError, match=message) as caught:
        gainful.evaluate(QRELS, RUN, bad)
    assert "bad_array" in str(caught.value)


def test_a_failing_vectorized_function_names_the_measure() -> None:
    bad = define("bad_array", lambda rankings: rankings.nothing, vectorized=True)
    with pytest.raises(MeasureError, match="bad_array: .*AttributeError"):
        gainful.evaluate(QRELS, RUN, bad)


def test_numbers_of_other_libraries_and_truth_values_are_numbers() -> None:
    for value in (numpy.float32(0.5), numpy.int64(1), True, numpy.bool_(False), numpy.array(0.5)):
        measure = define("typed", lambda ranking, value=value: value, parameters={})
        assert gainful.evaluate(QRELS, RUN, measure).per_query()["q1"] == float(value)


def test_rounding_errors_are_in_the_range() -> None:
    measure = define("rounded", lambda ranking: 1.0000000000000002)
    assert gainful.evaluate(QRELS, RUN, measure).per_query()["q1"] == 1.0000000000000002


def test_notation() -> None:
    measure = define("noted", lambda ranking, p=0.5, mode="fast", flag=True, at=(1, 2): p)
    assert parse_measures("noted noted@5,10 noted(p=.8)@20") == [
        measure,
        measure @ 5,
        measure @ 10,
        measure(p=0.8) @ 20,
    ]
    (parsed,) = parse_measures("noted(mode='slow', flag=False, at=(3, 4))")
    assert parsed.params == {"mode": "slow", "flag": False, "at": (3, 4)}
    assert parse_measures(repr(parsed)) == [parsed]
    for text in ("noted(q=1)", "noted(p=word)", "noted(flag=1)", "noted@0"):
        with pytest.raises(MeasureError):
            parse_measures(text)


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("nDCG", {}, MeasureError),
        ("map", {}, MeasureError),
        ("MRR", {}, MeasureError),
        ("mine@10", {}, MeasureError),
        ("two words", {}, MeasureError),
        ("a:b", {}, MeasureError),
        ("", {}, MeasureError),
        ("mine", {"range": (1, 0)}, ParameterError),
        ("mine", {"range": 1}, ParameterError),
        ("mine", {"range": (0, math.inf)}, ParameterError),
        ("mine", {"relevant": "rel"}, ParameterError),
        ("mine", {"relevant": math.nan}, ParameterError),
        ("mine", {"aggregate": "median"}, ParameterError),
        ("mine", {"parameters": {"cutoff": 1}}, MeasureError),
        ("mine", {"parameters": {"a b": 1}}, MeasureError),
        ("mine", {"parameters": {"p": None}}, MeasureError),
        ("mine", {"function": 3}, ArgumentError),
        ("mine", {"function": lambda: 1.0}, MeasureError),
        ("mine", {"function": lambda ranking, p: 1.0}, MeasureError),
    ],
)
def test_invalid_definitions_are_refused(name: str, arguments: Any, error: Any) -> None:
    arguments = {"function": lambda ranking: 1.0, **arguments}
    with pytest.raises(error):
        define(name, **arguments)


def test_functions_and_subclasses_are_refused_with_a_hint() -> None:
    with pytest.raises(ArgumentError, match="define"):
        gainful.evaluate(QRELS, RUN, [lambda ranking: 1.0])
    with pytest.raises(ArgumentError, match="define"):
        type("Mine", (gainful.Measure,), {})


def test_the_level_of_relevance_may_be_a_parameter() -> None:
    measure = define("levelled", lambda ranking, rel=1: 1.0, relevant="rel")
    values = gainful.evaluate(QRELS, RUN, [measure, measure(rel=2)])
    assert list(values.per_query(measure).values()) == [1, 1, 0]
    assert list(values.per_query(measure(rel=2)).values()) == [1, 0, 0]


def test_unordered_ties_and_bounds_are_refused() -> None:
    with pytest.raises(ConventionError, match="plain_ndcg"):
        gainful.evaluate(
            QRELS, RUN, PLAIN, convention=gainful.conventions.get("gainful-1").replace(
                ties="expected")
        )  # fmt: skip
    with pytest.raises(GainfulError, match="plain_ndcg"):
        gainful.evaluate(QRELS, RUN, PLAIN, bounds=True)


def test_presets_allow_it() -> None:
    result = gainful.evaluate(QRELS, RUN, PLAIN, convention="trec_eval")
    assert result.per_query()["q1"] == pytest.approx(0.4796, abs=1e-4)


def test_where_functions_are_not_available_it_is_an_error() -> None:
    with pytest.raises(GainfulError, match="plain_ndcg"):
        gainful.reconcile(QRELS, RUN, 0.5, "plain_ndcg")


# --- lower is better ----------------------------------------------------------------------------


def test_verdicts_follow_the_direction() -> None:
    qrels = {f"q{at}": {"a": 1} for at in range(30)}
    good = {query: ["a", "b", "c", "d"] for query in qrels}
    bad = {query: ["b", "c", "d", "a"] for query in qrels}
    bad["q0"] = ["a", "b", "c", "d"]
    both = gainful.compare(qrels, {"good": good, "bad": bad}, [LOWER, "RR"], baseline="bad")
    for measure in (LOWER, "RR"):
        pair = both.pair("good", "bad", measure=measure)
        assert (pair.verdict, pair.wins, pair.ties, pair.losses) == ("better", 29, 1, 0)
        assert pair.dominance > 0
    assert both.pair("good", "bad", measure=LOWER).difference < 0
    assert both.pair("good", "bad", measure=LOWER).interval.high < 0
    every = gainful.compare(qrels, {"good": good, "bad": bad, "same": bad}, LOWER)
    assert every.leaderboard()[0].system == "good"
    assert every.ranks()["good"].rank == 1
    assert every.ranks()["bad"].low > 1
    assert headlines(every)[0].startswith("good has the lowest first_rank (1.0000).")
    assert gainful.compare(qrels, {"b": bad, "g": good}, LOWER).pair("b", "g").verdict == "worse"


def test_the_lowest_mean_is_best() -> None:
    runs = {"good": {"q2": ["a"]}, "bad": {"q2": ["x", "a"]}}
    result = gainful.evaluate({"q2": {"a": 1}}, runs=runs, measures=[LOWER, "RR"])
    assert result.to_markdown(sort="first_rank").splitlines()[2].startswith("| a   | good   |")
    assert "**1.0000** | **1.0000**" in result.to_markdown().replace("  ", " ")


def test_gates_follow_the_direction() -> None:
    qrels = {f"q{at}": {"a": 1} for at in range(30)}
    good = {query: ["a", "b", "c", "d"] for query in qrels}
    bad = {**{query: ["b", "c", "d", "a"] for query in qrels}, "q0": ["a"]}
    snapshot = gainful.make_snapshot(qrels, good, LOWER)
    result = gainful.gate(qrels, bad, snapshot, margin=0.5)
    assert result.verdict == "fail"
    assert result.measures[0].low > 0
    assert (result.measures[0].wins, result.measures[0].losses) == (0, 29)
    assert result.worst(k=1)[0][1] == 3.0
    back = gainful.gate(qrels, good, gainful.make_snapshot(qrels, bad, LOWER), margin=0.5)
    assert back.verdict == "pass"
    assert "better" in back.measures[0].text


def test_sweeps_choose_the_lowest_mean() -> None:
    qrels = {f"q{at}": {"a": 1} for at in range(8)}

    def system(skip: int = 0) -> Any:
        return lambda query: ["a", "b"] if skip else ["b", "a"]

    swept = gainful.sweep(system, dict.fromkeys(qrels, "text"), qrels, {"skip": [0, 1]}, LOWER)
    assert swept.best.settings == {"skip": 1}


def test_suites_follow_the_direction(small_files: Path) -> None:
    suite = gainful.evaluate_suite("collections", measures=LOWER)
    (pair,) = suite.compare().pairs
    ranks = suite.compare().ranks()
    means = {pair.system: pair.mean, pair.baseline: pair.baseline_mean}
    assert next(iter(ranks)) == min(means, key=lambda system: means[system])
    for collection in suite.collections:
        values = suite.oracle_values(collection=collection)
        for system in suite.systems:
            values_by_query = suite.per_query(system=system, collection=collection)
            assert all(values[query] <= value for query, value in values_by_query.items())


def test_agreement_of_measures_refuses_lower_is_better(small_files: Path) -> None:
    runs = {"bm25": "bm25.run", "dense": "dense.run"}
    with pytest.raises(MeasureError, match="lower values are better"):
        gainful.compare_measures("qrels.txt", runs, [LOWER, "RR"])


def test_the_worst_query_has_the_highest_value() -> None:
    from gainful.explanation.call import worst_query

    assert worst_query(
        {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": ["b", "a"], "q2": ["a"]}, LOWER
    ) == ("q1")


def test_reports_name_the_lowest_mean(module: Path, program: Program) -> None:
    (module.parent / "lower.py").write_text(
        "import gainful\n"
        "def last(ranking):\n"
        "    ranks = [rank for rank, grade in enumerate(ranking.grades, 1) if grade >= 1]\n"
        "    return max(ranks, default=100)\n"
        "gainful.measures.define('last', last, range=(1, 100), higher_is_better=False)\n"
    )
    done = program("report", *TWO, "-m", "lower.py:last@5", "-o", "report.html")
    assert done.returncode == 0, done.stderr
    assert "has the lowest <b>last@5</b>" in (module.parent / "report.html").read_text()


# --- storing ------------------------------------------------------------------------------------


def test_pickles_load_without_the_definition(tmp_path: Path) -> None:
    gone = define("gone", lambda ranking, p=0.5: p, range=(0, 5), higher_is_better=False)
    result = gainful.evaluate(QRELS, RUN, [gone(p=0.25) @ 3, nDCG])
    (tmp_path / "result.pickle").write_bytes(pickle.dumps(result))
    code = f"""
import pickle, gainful
result = pickle.load(open({str(tmp_path / "result.pickle")!r}, "rb"))
measure = result.measures[0]
print(repr(measure), result.per_query(measure), measure.range(), measure.higher_is_better)
print(result.mean("gone(p=0.25)@3"), result == pickle.loads(pickle.dumps(result)))
try:
    gainful.evaluate({{"q": {{"a": 1}}}}, {{"q": ["a"]}}, measure)
except gainful.errors.MeasureError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    first, second, third = done.stdout.splitlines()[:3]
    assert first == "gone(p=0.25)@3 {'q1': 0.25, 'q2': 0.25, 'q3': 0.0} (0.0, 5.0) False"
    assert second == f"{result.mean('gone(p=0.25)@3')} True"
    assert "its function is not defined" in third


def test_rows_restore_it() -> None:
    result = gainful.evaluate(QRELS, RUN, [PLAIN, nDCG])
    again = gainful.Evaluation.from_rows(result.to_rows(), [PLAIN, nDCG])
    assert again.per_query(PLAIN) == result.per_query(nDCG)


def test_parts_are_those_of_the_whole() -> None:
    parts = [gainful.evaluate({q: QRELS[q]}, {q: RUN[q]}, PLAIN) for q in QRELS]
    whole = gainful.Evaluation.concat(parts)
    assert whole.per_query() == gainful.evaluate(QRELS, RUN, PLAIN).per_query()


def test_declared_measures_have_any_name() -> None:
    latency = declare("latency (ms), p95", range=(0, None), higher_is_better=False)
    assert parse_measures("latency (ms), p95") == [latency]
    assert pickle.loads(pickle.dumps(latency)) == latency
    with pytest.raises(MeasureError, match="its function is not defined"):
        gainful.evaluate(QRELS, RUN, latency)
    with pytest.raises(MeasureError, match="nDCG"):
        declare("nDCG")


# --- the command line ---------------------------------------------------------------------------

MODULE = '''
"""Measures for tests."""

import gainful


def top(ranking, rel=1):
    """Whether the first document is relevant."""
    return ranking.grades[:1] >= [rel]


def ranks(rankings):
    import numpy

    return numpy.ones(len(rankings))


gainful.measures.define("top", top)
other = gainful.measures.define("ones", ranks, vectorized=True)
gainful.measures.define("fails", lambda ranking: 1 / 0)
'''


@pytest.fixture
def module(small_files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # The folder of the file is added to it.
    monkeypatch.setattr(sys, "path", [*sys.path])
    path = small_files / "my_metrics.py"
    path.write_text(MODULE)
    return path


Program = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def program(capsys: pytest.CaptureFixture[str]) -> Program:
    """Return a function that calls a command."""

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(words, main(words), *capsys.readouterr())

    return call


TWO = ("qrels.txt", "bm25.run", "dense.run")
OWN = ("-m", "my_metrics.py:top(rel=2)@10")


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", *TWO, *OWN, "-m", "nDCG@10"),
        ("evaluate", *TWO, "-m", "my_metrics.py:top(rel=2)@10,20 my_metrics.py:other nDCG@10"),
        ("evaluate", *TWO, *OWN, "--convention", "trec_eval"),
        ("compare", *TWO, *OWN),
        ("explain", "qrels.txt", "bm25.run", "-q", "q1", *OWN),
        ("explain", "qrels.txt", "bm25.run", *OWN),
        ("report", *TWO, *OWN, "-o", "report.html"),
        ("contrast", "qrels.txt", "bm25.run", *OWN, "-a", "gainful", "-b", "trec_eval"),
    ],
)
def test_commands_take_measures_of_files(
    module: Path, program: Program, words: tuple[str, ...]
) -> None:
    done = program(*words)
    assert done.returncode == 0, done.stderr
    if words[0] != "report":
        assert "top(rel=2)@10" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("pool", *TWO[1:], "--strategy", "mtc", "--judged", TWO[0]), "bounds of top(rel=2)@10"),
        (("reconcile", *TWO[:2], "--reported", "0.5"), "a measure of your own"),
        (("find-unjudged", *TWO), "bounds of top(rel=2)@10 are not defined"),
    ],
)
def test_commands_refuse_measures_of_files(
    module: Path, program: Program, words: tuple[str, ...], message: str
) -> None:
    done = program(*words, *OWN)
    assert done.returncode == 2
    assert message in done.stderr


def test_published_scores_of_measures_of_files(module: Path, program: Program) -> None:
    published = ("--publish", "scores.json", "--collection", "small")
    assert program("evaluate", *TWO, *OWN, *published).returncode == 0
    done = program("rank-results", "scores.json", *OWN)
    assert done.stdout.startswith("top(rel=2)@10, 1 task, 2 systems")


def test_gates_take_measures_of_files(module: Path, program: Program) -> None:
    assert program("gate", *TWO[:2], *OWN, "--save", "s.json").returncode == 0
    done = program("gate", *TWO[:2], "--snapshot", "s.json", *OWN)
    assert done.returncode == 0, done.stderr
    assert "top(rel=2)@10" in done.stdout


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("my_metrics.py:absent", "my_metrics.py: "),
        ("my_metrics.py:", "my_metrics.py: "),
        ("absent.py:top", "absent.py"),
        ("broken.py:top", "broken.py, line 3: "),
        ("syntax.py:top", "syntax.py, line 2: "),
        ("exits.py:top", "exits.py, line 2: "),
        ("my_metrics.py:fails", "fails"),
        ("my_metrics.py:top@0", "top"),
    ],
)
def test_bad_files_are_one_message(
    module: Path, program: Program, measure: str, message: str
) -> None:
    (module.parent / "broken.py").write_text("def f():\n    pass\nx = 1 / 0\n")
    (module.parent / "syntax.py").write_text("x = 1\ndef (:\n")
    (module.parent / "exits.py").write_text("import sys\nsys.exit(3)\n")
    done = program("evaluate", *TWO[:2], "-m", measure)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout


def test_files_with_spaces_import_their_neighbors(module: Path, program: Program) -> None:
    folder = module.parent / "two words"
    folder.mkdir()
    (folder / "neighbor.py").write_text("VALUE = 0.25\n")
    (folder / "mine.py").write_text(
        "import gainful, neighbor\n"
        "gainful.measures.define('quarter', lambda ranking: neighbor.VALUE)\n"
    )
    done = program("evaluate", *TWO[:2], "-m", "two words/mine.py:quarter@3", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert "quarter@3" in done.stdout


def test_python_says_how_to_use_a_file() -> None:
    with pytest.raises(MeasureError, match="import the file"):
        parse_measures("my_metrics.py:mine@10")


def test_explain_shows_the_ranking_and_the_value(small_files: Path) -> None:
    explained = gainful.explain("qrels.txt", "bm25.run", "q1", PLAIN @ 5)
    evaluated = gainful.evaluate("qrels.txt", "bm25.run", PLAIN @ 5)
    assert explained.value == evaluated.per_query()["q1"]
    assert [rank.rank for rank in explained.ranks] == [1, 2, 3, 4, 5]
    assert all(rank.document for rank in explained.ranks)
    assert f"{explained.value:.4f}".lstrip("0") in str(explained)
    missing = gainful.explain(QRELS, {"q1": ["a"]}, "q2", LOWER)
    assert (missing.value, missing.ranks) == (100.0, ())


def test_missing_files_are_source_errors() -> None:
    from gainful.cli.given_values import without_files

    with pytest.raises(SourceNotFoundError):
        without_files("absent.py:mine")


def test_a_function_without_a_name_is_refused_with_its_table() -> None:
    for name in ("gain", "discount"):
        with pytest.raises(MeasureError, match=f"table: {name}="):
            nDCG(**{name: lambda value: value})
    table = {grade: grade**0.5 for grade in range(4)}
    assert nDCG(gain=table).params["gain"][2] == (2, 2**0.5)


@pytest.mark.parametrize("rows", [1, 7, 100, 1 << 15])
def test_blocks_of_queries_have_the_values_of_single_queries(
    rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gainful.evaluation.own_values._ROWS", rows)
    qrels, run = draw(seed=3)
    for cutoff in ("", "@5"):
        names = [f"plain_ndcg{cutoff}", f"vectorized_ndcg{cutoff}", f"nDCG{cutoff}"]
        result = gainful.evaluate(qrels, run, names)
        plain, vectorized, built_in = (result.per_query(name) for name in names)
        assert plain.keys() == vectorized.keys() == built_in.keys()
        assert [*plain.values()] == pytest.approx([*built_in.values()], abs=1e-12)
        assert [*vectorized.values()] == pytest.approx([*built_in.values()], abs=1e-12)


@pytest.mark.parametrize("form", ["mapping", "run", "file", "table"])
def test_documents_and_scores_are_there_for_functions_that_ask(form: str, tmp_path: Path) -> None:
    def first_document(ranking: Ranking) -> float:
        calls.append(ranking.query)
        return float(ranking.documents[0] == "b") if ranking.query == "q1" else 0.0

    def best_scores(rankings: Rankings) -> Any:
        return rankings.scores[rankings.offsets[:-1]]

    calls: list[str] = []
    measures = [
        define("first_document", first_document, relevant=None),
        define("best_score", best_scores, range=(None, None), relevant=None, vectorized=True),
    ]
    path = tmp_path / "run.txt"
    gainful.Run(RUN).write(path)
    runs: dict[str, Any] = {"mapping": RUN, "run": gainful.Run(RUN), "file": path}
    run = runs[form] if form in runs else gainful.Run(RUN).to_arrow()
    for _ in range(2):
        result = gainful.evaluate(QRELS, run, measures)
        assert result.per_query(measures[0]) == {"q1": 1.0, "q2": 0.0, "q3": 0.0}
        assert result.per_query(measures[1]) == {"q1": 3.0, "q2": 2.0, "q3": 1.0}
    # The evaluation that found out that the function asks stopped at the first query that did.
    assert calls in (["q1", "q2", "q3"] * 2, ["q1", *["q1", "q2", "q3"] * 2])


def test_a_function_cannot_hide_that_it_asks_for_documents() -> None:
    def hiding(ranking: Ranking) -> float:
        try:
            return float(len(ranking.documents))
        except BaseException:
            return 0.0

    measure = define("hiding", hiding, range=(0, None), relevant=None)
    assert gainful.evaluate(QRELS, RUN, measure).per_query(measure) == {"q1": 3, "q2": 2, "q3": 1}
