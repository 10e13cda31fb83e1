"""Pickled evaluations keep all their values."""

from __future__ import annotations

import concurrent.futures
import copy
import multiprocessing
import pickle

import pytest

import gainful
from gainful.errors import ParameterError
from random_rankings import draw
from requirements import need

MEASURES = ["nDCG@10", "AP(rel=2)", "GMAP", "NumRelRet", "RR"]


def contents(evaluation: gainful.Evaluation) -> list[str]:
    rows = [repr(row) for row in evaluation.rows()]
    about = [evaluation.judgments_digest, evaluation.judgments_note, evaluation.scale]
    return [repr(evaluation.to_dict()), str(evaluation), repr(about), *rows]


def evaluated(first: int, **options: object) -> gainful.Evaluation:
    drawn = draw(first, queries=30)
    return gainful.evaluate(
        {f"{first}-{query}": grades for query, grades in drawn.qrels.items()},
        runs={"a": {f"{first}-{query}": scores for query, scores in drawn.run.items()}},
        measures=options.pop("measures", MEASURES),
        **options,
    )


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"convention": "trec_eval"},
        {"convention": gainful.conventions.get("ranx").replace(name="own", no_relevant="nan")},
        {"measures": "nDCG@3", "bounds": True},
        {"measures": "nDCG@3", "bounds": "cutoff", "scale": [0, 2]},
        {"weights": {f"3-q{at:03}": at for at in range(30)}},
    ],
)
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickling_keeps_all_values(options: dict[str, object], protocol: int) -> None:
    whole = evaluated(3, **options)
    again = pickle.loads(pickle.dumps(whole, protocol))
    assert contents(again) == contents(whole)
    assert again.convention == whole.convention
    assert again.resolved == whole.resolved
    assert contents(pickle.loads(pickle.dumps(again, protocol))) == contents(whole)


def test_copies() -> None:
    whole = evaluated(4)
    assert contents(copy.deepcopy(whole)) == contents(whole)
    assert contents(copy.copy(whole)) == contents(whole)


def test_judgments_are_not_pickled() -> None:
    small = pickle.dumps(gainful.evaluate({"q": {"d": 1}}, {"q": ["d"]}, "RR"))
    many = {f"document number {at}": 1 for at in range(50_000)}
    large = pickle.dumps(gainful.evaluate({"q": many}, {"q": ["d"]}, "RR"))
    assert len(large) == len(small)


def test_processes_return_their_parts() -> None:
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        parts = list(pool.map(evaluated, (2, 1)))
    here = [evaluated(1), evaluated(2)]
    found = gainful.Evaluation.concat(parts)
    assert contents(found) == contents(gainful.Evaluation.concat(here))
    assert found.counts()["queries"] == 60


def test_a_truncated_state_is_an_error() -> None:
    whole = evaluated(5, measures="RR")
    restore, (kind, states, *others) = whole.__reduce__()
    ids, values, *rest = states["a"]
    with pytest.raises(ParameterError, match="values a"):
        restore(kind, {"a": (ids, values[:-8], *rest)}, *others)


def test_scattered_runs() -> None:
    pyarrow = need("pyarrow")
    mixed = {"query_id": list("qpqp"), "doc_id": list("abcd"), "score": [4.0, 3.0, 2.0, 1.0]}
    runs = {"mixed": pyarrow.table(mixed), "sorted": {"q": ["a", "c"], "p": ["b", "d"]}}
    whole = gainful.evaluate({"q": {"c": 1}, "p": {"b": 1}}, runs=runs, measures="RR")
    assert whole.scattered == ("mixed",)
    travelled = pickle.loads(pickle.dumps(whole))
    assert travelled.scattered == ("mixed",)
    runs = {"mixed": {"r": ["a"]}, "sorted": {"r": ["a"]}}
    other = gainful.evaluate({"r": {"a": 1}}, runs=runs, measures="RR")
    assert gainful.Evaluation.concat([other, travelled]).scattered == ("mixed",)
    assert other.scattered == ()
