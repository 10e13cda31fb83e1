"""Tables of held-out and seen items and of recommendations, and ratings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import gainful
from gainful.backends.recommendations import arguments, evaluate_recommendations
from gainful.errors import (
    ArgumentError,
    DuplicateError,
    GainfulError,
    MatchError,
    ParameterError,
)
from requirements import need

HELD = [("ann", "tea"), ("ann", "oil"), ("bob", "jam"), ("eve", "rye")]
SHOWN = [
    *(("bob", "oil", 0.8), ("ann", "rye", 0.4), ("ann", "tea", 0.9), ("bob", "jam", 0.7)),
    # Nothing is held out for this user.
    ("zoe", "tea", 0.5),
]
SEEN = [("ann", "rye"), ("bob", "tea"), ("bob", "tea"), ("kim", "jam")]


def frames(library: str) -> dict[str, Any]:
    """Return the tables as data frames."""
    module = need(library)
    names = ["user_id", "item_id", "score"]

    def frame(rows: list[Any]) -> Any:
        columns = zip(*rows, strict=True)
        return module.DataFrame(
            {name: list(column) for name, column in zip(names, columns, strict=False)}
        )

    return {"held_out": frame(HELD), "scores": frame(SHOWN), "seen": frame(SEEN)}


def mappings(_: str) -> dict[str, Any]:
    """Return the tables as mappings."""
    arguments: dict[str, Any] = {}
    for name, rows in (("held_out", HELD), ("seen", SEEN)):
        table = arguments[name] = {}
        for user, item in dict.fromkeys(rows):
            table.setdefault(user, []).append(item)
    scores = arguments["scores"] = {}
    for user, item, score in SHOWN:
        scores.setdefault(user, {})[item] = score
    return arguments


def files(_: str) -> dict[str, Any]:
    """Return the tables as files."""
    for name, rows in (("held_out", HELD), ("seen", SEEN), ("scores", SHOWN)):
        header = "user_id,item_id" + ",score" * (name == "scores")
        text = "\n".join([header, *(",".join(map(str, row)) for row in rows)])
        Path(f"{name}.csv").write_text(text + "\n", "utf-8")
    return {name: f"{name}.csv" for name in ("held_out", "seen", "scores")}


@pytest.mark.parametrize(
    ("make", "library"),
    [(frames, "pandas"), (frames, "polars"), (mappings, ""), (files, "")],
    ids=["pandas", "polars", "mappings", "files"],
)
def test_tables(make: Any, library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = make(library)
    result = evaluate_recommendations(
        measures=["R@2", "RR", "Coverage@2", "Popularity@2"], **arguments, items=8
    )
    # Rye has been seen by ann, so tea is her only item; eve has no recommendations.
    assert result["R@2"] == {"ann": 0.5, "bob": 1.0, "eve": 0.0}
    assert result["RR"] == {"ann": 1.0, "bob": 0.5, "eve": 0.0}
    assert result.value("Coverage@2") == 3 / 8
    assert result.per_user("Popularity@2") == {"ann": 1.0, "bob": 0.5}


def test_tables_are_what_evaluate_measures() -> None:
    arguments = mappings("")
    result = evaluate_recommendations(arguments["held_out"], arguments["scores"], "nDCG@2")
    assert (
        result["nDCG@2"]
        == gainful.evaluate(arguments["held_out"], arguments["scores"], "nDCG@2")["nDCG@2"]
    )


def test_several_lists() -> None:
    arguments = mappings("")
    other = {user: list(reversed(own)) for user, own in arguments["held_out"].items()}
    systems = {"shown": arguments["scores"], "perfect": other}
    result = evaluate_recommendations(arguments["held_out"], systems=systems, measures="R@2")
    assert result.mean("R@2", "perfect") == 1.0
    assert result.mean("R@2", "shown") == pytest.approx(0.5)


def test_lists_without_scores_are_in_their_order() -> None:
    result = evaluate_recommendations({"ann": ["b"]}, {"ann": ["a", "c", "b"]}, "RR")
    assert result["RR"] == {"ann": 1 / 3}


def test_numbers_of_models_have_ids() -> None:
    scores = np.array([[0.1, 0.9, 0.5], [0.7, 0.2, 0.3]])
    ids = {"user_ids": [7, 3], "item_ids": [10, 20, 30]}
    frame = need("pandas").DataFrame({"user_id": [3, 7, 7], "item_id": [10, 30, 20]})
    result = evaluate_recommendations(frame, scores, "R@1", **ids)
    assert result["R@1"] == {7: 0.5, 3: 1.0}
    with pytest.raises(ArgumentError, match="held_out: found ids, expected numbers of rows"):
        evaluate_recommendations(frame, scores, "R@1")
    held_out = scipy.sparse.csr_array(np.array([[1.0, 0.0], [0.0, 1.0]]))
    with pytest.raises(ArgumentError, match="the scores of recommender: found ids"):
        evaluate_recommendations(held_out, {"ann": ["a"]}, "R@1")
    with pytest.raises(MatchError, match="held_out: found the item '40', expected one of item_ids"):
        evaluate_recommendations(frame.replace(10, 40), scores, "R@1", **ids)
    with pytest.raises(MatchError, match="seen: found the user '4', expected one of user_ids"):
        evaluate_recommendations(frame, scores, "R@1", seen={"4": ["10"]}, **ids)


@pytest.mark.parametrize("value", [5, 0.5, -1])
def test_ratings_are_no_gains_unless_declared(value: float) -> None:
    held_out = {"ann": {"tea": value, "oil": 1}}
    shown = {"ann": ["oil", "tea"]}
    with pytest.raises(ParameterError, match=r"held_out: found values from .* ratings=4 makes"):
        evaluate_recommendations(held_out, shown, "nDCG@2")
    matrix = scipy.sparse.csr_array(np.array([[value, 1.0]]))
    with pytest.raises(ParameterError, match="held_out: found values from"):
        evaluate_recommendations(matrix, np.array([[1.0, 2.0]]), "nDCG@2")


def test_what_ratings_mean() -> None:
    held_out = {"ann": {"tea": 5, "oil": 2, "jam": 4}}
    shown = {"ann": ["oil", "tea"]}

    def relevant(**options: Any) -> Any:
        return evaluate_recommendations(held_out, shown, ["NumRel", "NumRelRet"], **options)

    for ratings, expected in {4: (2, 1), "ignore": (3, 2), "grades": (3, 2), 4.5: (1, 1)}.items():
        result = relevant(ratings=ratings)
        assert (result["NumRel"]["ann"], result["NumRelRet"]["ann"]) == expected, ratings
    assert evaluate_recommendations(held_out, shown, "DCG", ratings="grades").mean() == (
        gainful.evaluate(held_out, shown, "DCG").mean()
    )
    for ratings in ("high", True, np.nan):
        with pytest.raises(ParameterError, match="expected a number, 'grades' or 'ignore'"):
            relevant(ratings=ratings)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"held_out": "no.csv"}, GainfulError, "held_out, no.csv|no.csv"),
        ({"held_out": {"ann": [3.5]}}, GainfulError, "held_out"),
        ({"scores": {"ann": {"tea": "high"}}}, GainfulError, "the scores of recommender"),
        ({"items": 2}, ParameterError, "items: 2, but the tables have 4 items"),
        ({"seen": (np.array([0, 1]), np.array([0]))}, ArgumentError, "held_out: found ids"),
    ],
)
def test_errors(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        evaluate_recommendations(measures="R@2", **{**mappings(""), **changes})


def test_a_held_out_item_twice_is_an_error() -> None:
    pandas = need("pandas")
    twice = pandas.DataFrame({"user_id": ["ann", "ann"], "item_id": ["tea", "tea"]})
    with pytest.raises(DuplicateError, match="held_out"):
        evaluate_recommendations(twice, {"ann": ["tea"]}, "R@1")


def test_sampled_candidates() -> None:
    arguments = mappings("")
    result = evaluate_recommendations(
        arguments["held_out"], arguments["scores"], ["R@2", "AUC"], candidates="sampled(100)"
    )
    assert result.convention.candidates == "sampled(100)"
    with pytest.raises(ParameterError, match="Coverage@2 of lists from sampled candidates"):
        evaluate_recommendations(
            arguments["held_out"], arguments["scores"], "Coverage@2", candidates="sampled(100)"
        )
    with pytest.raises(gainful.GainfulError, match="such as sampled"):
        evaluate_recommendations(arguments["held_out"], arguments["scores"], candidates="sampled")


@pytest.mark.parametrize(
    "table",
    [
        gainful.Qrels({"b": {"y": 2, "x": 0}, "a": {}, "c": {"x": 1}}),
        gainful.Run({"b": {"y": 2.5, "x": 1}, "a": {"z": 0.5}}),
        gainful.Run({"b": ["y", "x"], "a": ["z"]}),
        gainful.Run({b"\xff": {b"\xfe": 1.0}}),
    ],
)
def test_rows_are_the_same_without_pyarrow(table: gainful.Qrels | gainful.Run) -> None:
    need("pyarrow")
    with_arrow, without = arguments._arrow_columns(table), arguments._dict_columns(table)
    assert (with_arrow.users, with_arrow.items) == (without.users, without.items)
    for own, other in zip(with_arrow[2:], without[2:], strict=True):
        assert own.tolist() == other.tolist()
