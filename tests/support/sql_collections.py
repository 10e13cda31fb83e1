"""Random judgments and runs for SQL queries, and the conventions to compare them under.

Values are compared within 1e-12, counts exactly. The ids have another order by bytes than in a
database's collation. Spark, Trino, MariaDB and ClickHouse each have a third of the conventions, and
all with ``ALL=1``.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

import gainful
from combinations import share
from evaluation_words import sorted_rows
from gainful.backends import sql
from gainful.conventions import Convention, get, presets
from gainful.errors import GainfulError

TOLERANCE = 1e-12
LETTERS = ["a", "B", "b", "é", "Z", "10", "9", "日", "a b", "_", "A", "ß", "'", '"', "%"]

MEASURES = [
    "nDCG@3",
    "nDCG",
    "nDCG@10",
    "DCG@2",
    "CG@4",
    "IDCG@3",
    "P@3",
    "P",
    "R@3",
    "R(capped=True)@3",
    "RelativeP@3",
    "Rprec",
    "F(beta=2)@4",
    "AP",
    "AP(norm='capped')@3",
    "AP(rel=2)@4",
    "RR",
    "RR@2",
    "RR(rel=2)",
    "Success@2",
    "Success(rel=2)",
    "SetAP",
    "RBP(p=0.7)@5",
    "RBP(max_grade=4)",
    "Judged@3",
    "Unjudged@4",
    "NumRet",
    "NumRel",
    "NumRelRet",
    "NumNonrelRet",
    "NumQ",
]
SETTLED = [*MEASURES, "ERR@4", "ERR(max_grade=5)", "ERR(stop='linear')"]

CONVENTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "ascending": {"ties": "doc-id-asc", "no_relevant": "skip", "missing": "skip"},
    "expected": {"ties": "expected", "no_relevant": 1.0},
    "average-rank": {"ties": "average-rank", "negative": "signed"},
    "average-rank-down": {"ties": "average-rank-down", "precision": "float32"},
    "float32": {"precision": "float32", "negative": "unjudged", "fractions": "truncate"},
    "condense": {"unjudged": "condense", "no_relevant": "nan"},
    "condense-expected": {"unjudged": "condense", "ties": "expected", "no_relevant": "agree"},
    "graded": {"unjudged": 1, "negative": "drop", "same_id": "drop"},
    "last": {"unretrieved": "last", "negative": "unjudged"},
    "last-expected": {"unretrieved": "last", "ties": "expected", "same_id": "drop"},
    "signed": {"negative": "signed", "defaults": {"nDCG": {"gain": "exponential"}}},
    "best": {"duplicates": "best", "twice": True},
    "count": {"duplicates": "count", "twice": True, "no_relevant": "skip"},
    "first": {"duplicates": "first", "twice": True, "ties": "given", "listed": True},
    "latest": {"duplicates": "last", "twice": True, "ties": "reverse", "listed": True},
    "blank": {"duplicates": "blank", "twice": True, "listed": True},
    "blank-expected": {"duplicates": "blank", "twice": True, "ties": "expected", "listed": True},
    "given": {"order": "given", "listed": True},
    "extra": {"extra": "no-relevant", "no_relevant": "nan"},
    "optimistic": {"ties": "optimistic", "listed": True},
    "pessimistic": {"ties": "pessimistic", "listed": True, "negative": "signed"},
    "uncut": {"defaults": {"nDCG": {"ideal": "judged-uncut", "discount": "ln"}}},
    "to-depth": {
        "defaults": {"nDCG": {"ideal": "judged-to-depth", "gain": "exponential+1"}},
        "no_relevant": "skip",
    },
    "list": {"defaults": {"nDCG": {"ideal": "list", "gain": "judged"}}, "ties": "expected"},
    "list-signed": {"defaults": {"nDCG": {"ideal": "list"}}, "negative": "signed"},
    "list-cut": {"defaults": {"nDCG": {"ideal": "list-cut", "discount": "reciprocal"}}},
    "ones": {"defaults": {"nDCG": {"ideal": "ones", "gain": "binary", "discount": "none"}}},
    "max-grade": {"defaults": {"nDCG": {"ideal": "max-grade", "max_grade": 4}}},
    "max-grade-base": {
        "defaults": {
            "nDCG": {"ideal": "max-grade", "max_grade": 4, "discount": "jarvelin-kekalainen"}
        },
        "ties": "expected",
    },
    "max-grade-table": {
        "defaults": {"nDCG": {"ideal": "max-grade", "max_grade": 4, "discount": (1, 0.5)}}
    },
    "grades": {"defaults": {"nDCG": {"ideal": (1, 3, 2)}}},
    "tables": {
        "defaults": {"nDCG": {"gain": {0: -1, 1: 0.5, 2: 10, -1: 0.25}, "discount": (1, 0.5, 0.25)}}
    },
    "base": {"defaults": {"nDCG": {"discount": "jarvelin-kekalainen", "base": 3}}},
}


def asked(name: str, dialect: str = "duckdb") -> tuple[Convention, list[str], bool, bool]:
    """Return one of ``CONVENTIONS``, what is measured, and two keys of its own.

    If the dialect has no NaN, queries with no relevant documents are skipped instead.

    The keys say whether runs have duplicate documents, and whether rows have a position.
    """
    policies = dict(CONVENTIONS[name])
    twice, listed = policies.pop("twice", False), policies.pop("listed", False)
    if policies.get("no_relevant") == "nan" and dialect in ("mysql", "tsql"):
        policies["no_relevant"] = "skip"
    convention = Convention(**policies)
    measures = MEASURES if leaves_groups(convention) else SETTLED
    if convention.ties.startswith("average-rank"):
        # They have no value that way.
        measures = [measure for measure in measures if not measure.startswith("AP")]
    return convention, measures, twice, listed


def compare_under(database: Any, name: str, parts: int = 1) -> None:
    """Compare what a database answers under one of ``CONVENTIONS`` with the kernel's rows.

    It is asked for one of several equal parts of the measures.
    """
    convention, measures, twice, listed = asked(name, database.dialect)
    measures = share(measures, list(CONVENTIONS).index(name), parts)
    qrels, run = [], []
    for seed in (1, 2, 3):
        judged, found = drawn(seed, twice=twice)
        qrels += judged
        run += found
    database.fill(qrels, run)
    position = "at" if listed else None
    text = sql.query(measures, convention=convention, dialect=database.dialect, position=position)
    compare_rows(database.ask(text), qrels, run, measures, convention)


def leaves_groups(convention: Convention) -> bool:
    """Return whether tied documents have no order among themselves."""
    return convention.ties in ("expected", "average-rank", "average-rank-down")


def drawn(
    seed: int, *, twice: bool = False
) -> tuple[list[tuple[str, str, float]], list[tuple[str, str, float, int]]]:
    """Draw judgments and a run with ties, close scores, and queries that only one has."""
    source = random.Random(seed)
    names = [first + second for first in LETTERS for second in LETTERS]
    qrels = []
    run = []
    for number in range(12):
        query = source.choice(LETTERS) + str(100 * seed + number)
        pool = [*source.sample(names, 14), query]
        own = (0, -1) if number == 3 else (0, 0, 1, 2, 3, 4, -1, 0.5, -0.5)
        if number != 5:
            judged = source.sample(pool, source.randint(1, 12))
            qrels += [(query, name, float(source.choice(own))) for name in judged]
        if number == 7:
            continue
        found = source.sample(pool, source.randint(1, 15))
        if twice and number % 2:
            found += source.sample(found, min(3, len(found)))
        levels = [source.choice((0.0, -0.0, 1.5, -2.25, 3.0)) for _ in range(4)]
        rows = [(name, source.choice(levels) + source.choice((0, 0, 1e-9))) for name in found]
        run += [(query, name, score, at) for at, (name, score) in enumerate(rows)]
    return qrels, run


def alike(ours: Any, theirs: Any) -> bool:
    # JSON has no difference between 2 and 2.0.
    if isinstance(theirs, float) and isinstance(ours, (int, float)):
        same = theirs != theirs and ours != ours
        return same or ours == pytest.approx(theirs, rel=TOLERANCE, abs=TOLERANCE)
    return bool(ours == theirs) and (ours is None) == (theirs is None)


def compare_rows(
    found: list[dict[str, Any]], qrels: Any, run: Any, measures: Any, convention: Convention
) -> None:
    """Compare the rows of a database with those of `gainful.evaluate`."""
    rows = [row[:3] for row in run]
    expected = sorted_rows(gainful.evaluate(qrels, rows, measures, convention=convention))
    grouped = leaves_groups(convention)
    assert list(found[0]) == [column for column in expected[0] if column != "system"]
    assert [row["query_id"] for row in found] == [row["query_id"] for row in expected]
    wrong = [
        (mine["query_id"], column, mine[column], its[column])
        for mine, its in zip(found, expected, strict=True)
        for column in mine
        if not alike(mine[column], its[column])
        # The kernel takes the tied documents above the cutoff from the order of rows.
        and not (grouped and mine[column] is None and its[f"tie@{column.partition('@')[2]}"])
    ]
    assert not wrong


@cache
def written_presets() -> dict[str, Convention]:
    """Return the presets that SQL supports for rows with a position but no rank."""
    found = {}
    for preset in presets():
        if get(preset.name).order == "rank":
            continue
        try:
            sql.query("nDCG@3", convention=get(preset.name), position="at")
        except GainfulError:
            continue
        found[preset.name] = get(preset.name)
    return found


def drawn_for_presets(
    name: str,
) -> tuple[list[tuple[str, str, float]], list[tuple[str, str, float, int]]]:
    """Draw data that every preset accepts: grades 0 and 1, no duplicates, two or more documents."""
    source = random.Random(name)
    ids = [first + second for first in LETTERS for second in LETTERS]
    qrels, run = [], []
    for query in LETTERS:
        pool = source.sample(ids, 12)
        judged = source.sample(pool, source.randint(1, 9))
        # The first is relevant, since some presets reject queries without relevant documents.
        qrels += [
            (query, doc, float(at == 0 or source.random() < 0.4)) for at, doc in enumerate(judged)
        ]
        listed = source.sample(pool, source.randint(2, 12))
        run += [(query, doc, source.choice((1.0, 2.0, 3.5)), at) for at, doc in enumerate(listed)]
    source.shuffle(qrels)
    return qrels, run
