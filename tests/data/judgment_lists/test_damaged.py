"""Damaged judgment lists cause one error that says where and what."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import gainful
import judgment_list_data as data
from gainful import errors
from repeated_tests import for_each

WRONG: dict[str, tuple[str, Any, str]] = {
    "not JSON": ("opensearch", '{"judgmentRatings": [', "line 1: invalid JSON"),
    "a list": ("opensearch", [], "a list instead of an object with 'judgmentRatings'"),
    "no ratings": ("opensearch", {"name": "x"}, "no 'judgmentRatings' .name."),
    "ratings of nothing": (
        "opensearch",
        {"judgmentRatings": [{"ratings": []}]},
        r"judgmentRatings\[0\], .*no 'query' .ratings.",
    ),
    "an empty query": (
        "opensearch",
        {"judgmentRatings": [{"query": "", "ratings": []}]},
        r"judgmentRatings\[0\].query, .*: found '', expected a text",
    ),
    "no document": (
        "opensearch",
        {"judgmentRatings": [{"query": "q", "ratings": [{"docId": "", "rating": "1"}]}]},
        "a document without an id",
    ),
    "a float as a document": (
        "opensearch",
        {"judgmentRatings": [{"query": "q", "ratings": [{"docId": 1.5, "rating": "1"}]}]},
        "document id 1.5 is neither text nor a whole number",
    ),
    "a word as a grade": (
        "opensearch",
        {"judgmentRatings": [{"query": "q", "ratings": [{"docId": "d", "rating": "good"}]}]},
        r"ratings\[0\].*document 'd': found 'good', expected a grade",
    ),
    "no number": (
        "opensearch",
        '{"judgmentRatings": [{"query": "q", "ratings": [{"docId": "d", "rating": NaN}]}]}',
        "found 'NaN', expected a grade",
    ),
    "truth as a grade": (
        "opensearch",
        {"judgmentRatings": [{"query": "q", "ratings": [{"docId": "d", "rating": True}]}]},
        "found True, expected a grade",
    ),
    "a key twice": (
        "quepid",
        '{"queries": [{"query": "q", "ratings": {"d": 1, "d": 2}}]}',
        "the key 'd' occurs twice in one object",
    ),
    "no placeholder": (
        "rre",
        {"queries": [{"placeholders": {"$q": "x"}, "relevant_documents": {"1": ["a"]}}]},
        "queries\\[0\\].placeholders, .*no '\\$query' .\\$q.",
    ),
    "no gain": (
        "rre",
        {"queries": [{"placeholders": {"$query": "x"}, "relevant_documents": {"1": {}}}]},
        "relevant_documents.1, .*no 'rating' .no keys.",
    ),
    "no request": (
        "rank_eval",
        {"requests": [{"id": "x"}]},
        "requests.*no 'ratings' .id.",
    ),
    "one id, two texts": (
        "rank_eval",
        {
            "requests": [
                {"id": "x", "request": {"query": {"match": {"t": "a"}}}, "ratings": []},
                {"id": "x", "request": {"query": {"match": {"t": "b"}}}, "ratings": []},
            ]
        },
        "query 'x': two texts for one id: 'b' and, before, 'a'",
    ),
    "a line of something else": ("es-ltr", "4 # d1\n", "line 1: found '4 # d1', expected grade"),
    "a row too long": ("quepid", "query,docid,rating\nq,d,1,2\n", "line 2: found 4 fields"),
    "no query": ("quepid", "query,docid,rating\n,d,1\n", "line 2: no query"),
    "a table in the place of JSON": ("rre", "query,docid,rating\nq,d,1\n", "not JSON"),
    "JSON in the place of a table": ("esci", {"queries": []}, "JSON, but the format esci is not"),
    "nothing": ("quepid", "", "the file is empty|not a table"),
    "no such columns": ("quepid", "a,b\n1,2\n", "query_id"),
    "no raters": ("raters:mean", "query,docid,grade\nq,d,1\n", "no column of raters"),
}


@for_each("case", WRONG)
def test_invalid_lists_are_errors(case: str, tmp_path: Path) -> None:
    format, content, words = WRONG[case]
    path = tmp_path / "list"
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    with pytest.raises(errors.GainfulError, match=words) as caught:
        gainful.read_qrels(path, format=format)
    assert str(path) in str(caught.value) or caught.value.where


def test_options_that_do_not_apply_to_lists_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(data.QUEPID_CSV)
    for option in (
        {"header": True},
        {"columns": ["query_id"]},
        {"split": "x"},
        {"subtopics": True},
    ):
        with pytest.raises(errors.ArgumentError, match="for a judgment list"):
            gainful.read_qrels(path, format="quepid", **option)  # type: ignore[arg-type]


def test_an_unknown_format_is_an_error_with_the_known_ones(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(data.QUEPID_CSV)
    known = (
        "one of trec, .*strata, parquet, arrow,"
        " es_ltr, esci, raters, quepid, rre, rank_eval, opensearch"
    )
    with pytest.raises(errors.ParameterError, match=known):
        gainful.read_qrels(path, format="quepit")
    with pytest.raises(errors.ParameterError, match=known):
        gainful.Qrels(data.JUDGMENTS).write(tmp_path / "x", format="quepit")


@pytest.mark.parametrize("kind", data.PLAIN)
def test_random_damage_causes_no_other_exceptions(kind: str, tmp_path: Path) -> None:
    suffix, format, content = data.PLAIN[kind]
    path = tmp_path / f"list{suffix}"
    generator = random.Random(7)
    for _ in range(60):
        text = content.encode()
        at = generator.randrange(len(text))
        other = bytes([generator.choice(b'{}[]",:x0-\xff\n')])
        path.write_bytes(generator.choice((text[:at], text[:at] + other + text[at + 1 :])))
        for named in (format, None):
            try:
                gainful.read_qrels(path, format=named)
            except errors.GainfulError:
                pass
