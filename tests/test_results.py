"""Every result prints, exports, saves, pickles and compares in the same way."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

import gainful
from gainful.backends.recommendations import evaluate_recommendations
from gainful.errors import ParameterError
from gainful.evaluation.curves import curves
from gainful.evaluation.several import evaluate_each
from gainful.judging import Session
from gainful.pooling import compare_pooled
from gainful.results import Result
from http_faults import serving
from json_schema import errors, schema_of
from requirements import ROOT, need
from stub_llm import POOL, grading, judge
from sweep_data import QRELS, QUERIES, made_shop

RUNS = {"bm25": "bm25.run", "dense": "dense.run"}
RATINGS = [
    ("q1", "d1", "ana", 1),
    ("q1", "d1", "ben", 0),
    ("q1", "d2", "ana", 2),
    ("q1", "d2", "ben", 2),
]
EXPERIMENTS = [
    {"offline_difference": a / 100, "offline_se": 0.01, "online_difference": b, "online_se": 1.0}
    for a, b in [(1, 5), (1, 0.5), (1, -3), (-1, -4), (-1, 0.1), (2, 9), (2, 1), (3, 4), (-2, -6)]
]


def followed() -> Result:
    runs = {"old": "bm25.run", "new": "dense.run"}
    return gainful.trend(
        {name: gainful.make_snapshot("qrels.txt", run) for name, run in runs.items()}
    )


def gated() -> Result:
    return gainful.gate("qrels.txt", "dense.run", gainful.make_snapshot("qrels.txt", "bm25.run"))


def swept() -> Result:
    path = made_shop(Path(mkdtemp(dir=".")))
    return gainful.sweep(path, QUERIES, QRELS, {"title": [1, 8]}, k=20, resamples=1000)


@cache
def judged() -> Result:
    # Labels have times, and the address of the server.
    need("aiohttp")
    with serving(grading()) as server:
        return judge(server, POOL[:3], injections=1)


def predicted() -> Result:
    model = {f"q{n}": {"a": n % 4, "b": 1} for n in range(60)}
    people = {f"q{n}": {"a": (n + n // 7) % 4, "b": n % 2} for n in range(30)}
    runs = {"one": {query: ["a", "b"] for query in model}, "two": {query: ["b"] for query in model}}
    return gainful.evaluate(
        people, runs=runs, measures="nDCG@10", predicted=model, sampled="random"
    )


def recommended() -> Result:
    return evaluate_recommendations(
        {"ann": ["tea"], "bob": ["jam"]},
        systems={
            "bm25": {"ann": ["tea", "jam"], "bob": ["tea", "oil"]},
            "dense": {"ann": ["jam", "tea"], "bob": ["jam", "oil"]},
        },
        measures=["R@1", "Coverage@2", "AUC"],
        by={"ann": "new", "bob": "old"},
    )


def session_progress() -> Result:
    with Session("judged.session", [("q1", "d1")]) as session:
        session.label("ana", "q1", "d1", 1)
        return session.progress()


#: What makes a result, by the name of its contract.
RESULTS: dict[str, Callable[[], Any]] = {
    "evaluation": lambda: gainful.evaluate("qrels.txt", runs=RUNS, measures=["nDCG@10", "AP"]),
    "evaluations": lambda: evaluate_each(
        "qrels.txt", runs=RUNS, measures="nDCG@10", conventions=["gainful-1", "trec_eval"]
    ),
    "comparison": lambda: gainful.compare("qrels.txt", RUNS, "nDCG@10", resamples=1000),
    "curves": lambda: curves("qrels.txt", RUNS, "nDCG@10", cutoffs=(1, 10)),
    "explanation": lambda: gainful.explain("qrels.txt", "bm25.run", "q1"),
    "contrast": lambda: gainful.contrast("qrels.txt", runs=RUNS, a="gainful-1", b="burges-2005"),
    "reconciliation": lambda: gainful.reconcile("qrels.txt", "bm25.run", "0.7193", "nDCG@10"),
    "reproduction": lambda: gainful.reproduce(
        "qrels.txt",
        "dense.run",
        "bm25.run",
        original_baseline="bm25.run",
        rerun_baseline="bm25.run",
    ),
    "suite": lambda: gainful.evaluate_suite("collections"),
    "leaderboard": lambda: gainful.rank_results("leaderboard", resamples=1000),
    "suite comparison": lambda: gainful.evaluate_suite("collections").compare(resamples=1000),
    "gate": gated,
    "trend": followed,
    "judgments": lambda: gainful.assess_judgments(RATINGS),
    "combined judgments": lambda: gainful.Ratings(RATINGS).combine("median"),
    "unjudged": lambda: gainful.find_unjudged("qrels.txt", runs=RUNS, measure="nDCG@10"),
    "labels": lambda: gainful.sample_labels("qrels.txt", "bm25.run", "nDCG@10", samples=20),
    "headroom": lambda: gainful.headroom("qrels.txt", ["bm25.run", "dense.run"]),
    "location": lambda: gainful.locate(
        {"d1": "red lentils, lentils"}, [{"query": "q1", "quotes": ["red", "lentils", "oil"]}]
    ),
    "sweep": swept,
    "shards": lambda: gainful.analyze_shards("qrels.txt", RUNS, "nDCG@10", shards=2),
    "power": lambda: gainful.analyze_power(deviation=0.2, difference=0.05),
    "agreement": lambda: gainful.compare_measures(
        "qrels.txt", RUNS, ["nDCG@10", "AP"], resamples=1000
    ),
    "online": lambda: gainful.compare_online(EXPERIMENTS, minimum=5),
    "pool": lambda: gainful.pool(RUNS, "sample", budget=12, judged="qrels.txt"),
    "model labels": judged,
    "predicted evaluation": predicted,
    "pooled comparison": lambda: compare_pooled(
        "qrels.txt", RUNS, gainful.pool(RUNS), "nDCG@10", resamples=1000
    ),
    "judging": session_progress,
    "recommender evaluation": recommended,
    "sample": lambda: gainful.evaluate_sample(
        "qrels.txt", RUNS, gainful.pool(RUNS, "sample", budget=40)
    ),
}


@pytest.fixture(scope="module", params=RESULTS)
def result(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Yield a result that all tests of its kind read, in a folder of small files."""
    folder = shutil.copytree(
        ROOT / "tests/documentation", tmp_path_factory.mktemp("result") / "files"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        found = RESULTS[request.param]()
        assert isinstance(found, Result)
        yield found


def test_it_prints(result: Any) -> None:
    assert str(result).strip()
    assert "\n" not in repr(result)
    assert result._repr_html_() == result.to_html()
    assert "<table" in result.to_html()
    assert "|" in result.to_markdown()
    assert r"\toprule" in result.to_latex()
    assert all(table.headers for table in result.tables())


def test_its_records_are_columns_of_one_length(result: Any) -> None:
    assert result.RECORDS
    assert result.records() == result.records(next(iter(result.RECORDS)))
    for name in result.RECORDS:
        assert len({len(column) for column in result.records(name).values()}) == 1
    with pytest.raises(ParameterError, match=f"expected one of {next(iter(result.RECORDS))}"):
        result.records("nothing")


def test_data_frames_hold_the_records(result: Any) -> None:
    pyarrow, pandas, polars = need("pyarrow"), need("pandas"), need("polars")
    for name in result.RECORDS:
        columns = result.records(name)
        table = result.to_arrow(name)
        assert table.column_names == list(columns)
        assert len(table) == len(next(iter(columns.values())))
        frames = result.to_pandas(name), result.to_polars(name)
        assert [type(frame) for frame in frames] == [pandas.DataFrame, polars.DataFrame]
        assert all(list(frame.columns) == list(columns) for frame in frames)
    assert pyarrow.table(result) == result.to_arrow()


def test_its_dictionary_meets_its_schema(result: Any) -> None:
    document = json.loads(json.dumps(result.to_dict(), allow_nan=True))
    schema = document.get("schema")
    if schema is not None:
        name = schema.removeprefix("gainful.").partition("/")[0]
        assert errors(document, schema_of(name)) == []


def test_it_is_saved_by_suffix(result: Any, tmp_path: Path) -> None:
    need("pyarrow")

    def saved(suffix: str) -> bytes:
        path = tmp_path / f"result.{suffix}"
        result.save(path)
        return path.read_bytes()

    assert json.loads(saved("json")).keys() == result.to_dict().keys()
    for suffix, separator in (("csv", ","), ("tsv", "\t")):
        header = saved(suffix).decode().splitlines()[0]
        assert header.split(separator) == list(result.records())
    content = saved("parquet")
    assert content[:4] == content[-4:] == b"PAR1"
    assert result.to_markdown() in saved("md").decode()
    assert result.to_latex() in saved("tex").decode()
    assert result.to_html() in saved("html").decode()
    assert str(result) in saved("txt").decode()


def test_another_suffix_is_refused(result: Any, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"found '.*result.docx', expected a name that ends"):
        result.save(tmp_path / "result.docx")


def test_a_second_one_is_equal_and_has_no_hash(result: Any, request: pytest.FixtureRequest) -> None:
    again = RESULTS[request.node.callspec.params["result"]]()
    assert result == again
    assert result != 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(result)


def test_its_pictures_are_drawn_and_saved(result: Any, tmp_path: Path) -> None:
    need("altair")
    if not result.PICTURES:
        with pytest.raises(ParameterError, match="expected a result with a picture"):
            result.plot()
        return
    from gainful import plots

    for name in result.PICTURES:
        assert name in plots.__all__
        pair = {"system": "dense", "baseline": "bm25"}
        options = pair if name in ("distribution", "scatter", "waterfall") else {}
        path = tmp_path / f"{name}.json"
        if name == "precision_recall" and isinstance(result, gainful.Evaluation):
            with pytest.raises(ParameterError, match="no measures IPrec"):
                result.plot(name)
            continue
        result.plot(name, **options).save(path)
        assert json.loads(path.read_text("utf-8"))["$schema"].startswith("https://vega")
    with pytest.raises(ParameterError, match="found the picture 'nothing', expected one of"):
        result.plot("nothing")


def test_it_is_pickled(result: Any) -> None:
    assert pickle.loads(pickle.dumps(result)) == result
