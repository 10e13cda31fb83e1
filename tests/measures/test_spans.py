"""Measures of spans: values computed by hand, brute force by positions, and errors."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gainful
from gainful.errors import ConventionError, GainfulError, MatchError, MeasureError

#: Two spans of a, of which 30 characters are one, and one of b.
GOLD = {"q": {"a#char=100,120": 1, "a#char=110,130": 1, "b#char=0,10": 2}}
CHUNKS = ["a#char=0,110", "c#char=0,50", "a#char=90,200", "b#char=5,25", "a#char=0,110"]
SECOND, THIRD = math.log2(3), math.log2(4)


def value(measure, chunks=CHUNKS, gold=GOLD, **policies):
    convention = gainful.conventions["gainful-1"].replace(**policies)
    return gainful.evaluate(gold, {"q": chunks}, measure, convention=convention).mean()


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("SpanR@1", 10 / 40),
        ("SpanR@3", 30 / 40),
        ("SpanR", 35 / 40),
        ("SpanR(rel=2)", 5 / 10),
        ("SpanP@1", 10 / 110),
        # Of a, 0 to 200 is read; of c 50.
        ("SpanP@3", 30 / 250),
        ("SpanP", 35 / 270),
        ("SpanIoU@1", 10 / (110 + 30)),
        ("SpanIoU", 35 / (270 + 5)),
        ("SpanDCG@1", 10 / 40),
        ("SpanDCG@3", 10 / 40 + 20 / 40 / THIRD),
        ("SpanFull", 0),
        ("SpanUnits@1", 110),
        # The last chunk is read again.
        ("SpanUnits", 110 + 50 + 110 + 20 + 110),
        ("SpanUnits(budget=130)", 130),
        ("SpanUnits(budget=130, last='drop')", 110),
        ("SpanUnits(budget=1000)", 400),
        # 10 of the first chunk; of the third one the first 25, of which 20 are read before.
        ("SpanR(budget=185)", (10 + 5) / 40),
        ("SpanR(budget=185, last='drop')", 10 / 40),
        ("SpanP(budget=185)", (10 + 5) / (110 + 50 + 5)),
        ("SpanR(budget=185)@2", 10 / 40),
        ("SpanR(repeats='count')@3", 30 / 50),
        ("SpanP(repeats='count')", 35 / 400),
        ("SpanIoU(repeats='count')@1", 10 / (110 + 10 + 20 + 10)),
        ("Success@1", 1),
        ("FullRecall", 1),
        ("FullRecall(overlap=0.5)", 1),
        ("FullRecall(overlap=0.51)", 0),
        ("FullRecall@3", 0),
        ("NumQ", 1),
        ("NumRet", 5),
    ],
)
def test_values(measure: str, expected: float) -> None:
    assert value(measure) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("gold", "chunks", "measure", "counted", "once"),
    [
        ([(100, 200)], [(0, 200), (100, 300)], "SpanP", 0.25, 1 / 3),
        ([(100, 200)], [(0, 200), (100, 300)], "SpanIoU", 0.25, 1 / 3),
        ([(100, 200)], [(0, 200), (0, 200)], "SpanP", 0.25, 0.5),
        ([(100, 200)], [(0, 200), (0, 200)], "SpanIoU", 0.25, 0.5),
        ([(0, 100), (50, 150)], [(0, 150)], "SpanR", 0.75, 1),
    ],
)
def test_chunking_evaluation_counts_repeated_text(gold, chunks, measure, counted, once) -> None:
    judged = {"q": {f"d#char={start},{end}": 1 for start, end in gold}}
    read = [f"d#char={start},{end}" for start, end in chunks]
    assert value(f"{measure}(repeats='count')", read, judged) == counted
    assert value(measure, read, judged) == once


def test_usefulness_counts_what_is_read_before() -> None:
    offsets = [*range(100, 110), *(160 + 20 + at for at in range(20)), *range(270, 275)]
    for length in (50, 105.5, 200, 8000):
        expected = sum(max(0, 1 - offset / length) for offset in offsets) / 40
        assert value(f"SpanU(L={length})") == pytest.approx(expected, abs=1e-14)


def test_a_chunk_in_tokens_is_cut_at_the_same_share_of_its_text() -> None:
    gold = {"q": {"a#char=0,100": 1}}
    chunks = ["a#char=0,40;tokens=10", "a#char=40,100;tokens=20"]
    assert value("SpanR(budget=10, unit='tokens')", chunks, gold) == 0.4
    # 5 of 20 tokens are 15 of 60 characters.
    assert value("SpanR(budget=15, unit='tokens')", chunks, gold) == 0.55
    assert value("SpanR(budget=15, unit='tokens', last='drop')", chunks, gold) == 0.4
    assert value("SpanUnits(unit='tokens')", chunks, gold) == 30
    assert value("SpanUnits", chunks, gold) == 100
    offsets = [*(at / 4 for at in range(40)), *(10 + at / 3 for at in range(60))]
    expected = sum(max(0, 1 - offset / 25) for offset in offsets) / 100
    assert value("SpanU(L=25, unit='tokens')", chunks, gold) == pytest.approx(expected, abs=1e-14)


def test_spans_without_text_are_not_relevant_text() -> None:
    gold = {"q": {"a#char=5,5": 1, "a#char=10,20": 1, "b#char=0,9": 0}}
    assert value("SpanR", ["a#char=10,20"], gold) == 1
    assert value("FullRecall", ["a#char=10,20"], gold) == 1
    assert value("SpanP", ["b#char=0,0"], gold) == 0
    nothing = {"q": {"a#char=5,5": 1}}
    assert value("SpanR", ["a#char=0,20"], nothing) == 0
    for measure in ("SpanR", "SpanP@1", "SpanIoU", "SpanDCG", "SpanU", "SpanFull", "FullRecall"):
        assert value(measure, ["a#char=0,20"], nothing, no_relevant=1) == 1
    with pytest.raises(GainfulError, match="no relevant documents for SpanR"):
        value("SpanR", ["a#char=0,20"], nothing, no_relevant="error")


def test_a_query_without_chunks_scores_zero() -> None:
    qrels = {"q": {"a#char=0,10": 1}, "p": {"a#char=0,10": 1}}
    measures = ["SpanR", "SpanP", "SpanIoU", "SpanU", "SpanUnits", "FullRecall", "Success"]
    result = gainful.evaluate(qrels, {"q": ["a#char=0,10"]}, measures)
    assert [result.mean(measure) for measure in ("SpanR", "SpanP", "SpanUnits")] == [0.5, 0.5, 5]
    skipped = gainful.conventions["gainful-1"].replace(missing="skip")
    assert gainful.evaluate(qrels, {"q": ["a#char=0,10"]}, "SpanR", convention=skipped).mean() == 1


def test_repetition_costs_and_earns_nothing() -> None:
    gold = {"q": {"a#char=0,10": 1, "a#char=50,60": 1}}
    once, twice = ["a#char=0,10", "a#char=50,60"], ["a#char=0,10", "a#char=0,10", "a#char=50,60"]
    for measure in ("SpanR", "SpanP", "SpanIoU"):
        assert value(measure, once, gold) == value(measure, twice, gold) == 1
    assert value("SpanR(budget=20)", twice, gold) == 0.5
    assert value("SpanDCG", twice, gold) == pytest.approx(0.5 + 0.5 / THIRD)
    assert value("SpanU(L=100)", twice, gold) < value("SpanU(L=100)", once, gold)
    # A convention that removes duplicates does so before anything is read.
    assert value("SpanR(budget=20)", twice, gold, duplicates="first") == 1


@pytest.mark.parametrize("unit", ["char", "token", "line"])
def test_every_unit_is_its_own(unit: str) -> None:
    gold = {"q": {f"a#{unit}=0,10": 1}}
    words = {"char": "characters", "token": "tokens", "line": "lines"}
    for measure in ("SpanR(budget=5)", f"SpanR(budget=5, unit={words[unit]!r})"):
        assert value(measure, [f"a#{unit}=5,20"], gold) == 0.5


# --- by positions ---------------------------------------------------------------------------------

TEXTS = st.sampled_from(["a", "b", "c"])
PLACES = st.tuples(TEXTS, st.integers(0, 30), st.integers(0, 12)).map(
    lambda drawn: (drawn[0], drawn[1], drawn[1] + drawn[2])
)


def named(places):
    return [f"{text}#char={start},{end}" for text, start, end in places]


def positions(place):
    text, start, end = place
    return [(text, position) for position in range(start, end)]


def by_positions(gold, chunks, cutoff, budget, length):
    relevant = {position for place in gold for position in positions(place)}
    read, offsets, gained, sum_ = set(), {}, 0, 0.0
    order = [(rank, at) for rank, place in enumerate(chunks[:cutoff], 1) for at in positions(place)]
    for offset, (rank, position) in enumerate(order[:budget]):
        if position in relevant and position not in offsets:
            offsets[position] = offset
            sum_ += 1 / math.log2(rank + 1)
        read.add(position)
    gained = len(read & relevant)
    whole = len(relevant)
    return {
        "SpanR": gained / whole,
        "SpanP": gained / len(read) if read else 0,
        "SpanIoU": gained / len(read | relevant),
        "SpanFull": float(gained == whole),
        "SpanUnits": len(order[:budget]),
        "SpanDCG": sum_ / whole,
        "SpanU": sum(max(0, 1 - offset / length) for offset in offsets.values()) / whole,
    }


@settings(max_examples=100, deadline=None)
@given(
    gold=st.lists(PLACES, min_size=1, max_size=6, unique=True),
    chunks=st.lists(PLACES, min_size=1, max_size=8),
    cutoff=st.integers(1, 9),
    budget=st.integers(1, 90),
    length=st.integers(1, 60),
)
def test_brute_force(gold, chunks, cutoff, budget, length) -> None:
    if not any(end > start for _, start, end in gold):
        return
    if not {text for text, _, _ in gold} & {text for text, _, _ in chunks}:
        return
    qrels, run = {"q": dict.fromkeys(named(gold), 1)}, {"q": named(chunks)}
    limited = ("SpanR", "SpanP", "SpanIoU", "SpanFull", "SpanUnits")
    written = {
        **{f"{name}@{cutoff}": (name, cutoff, None) for name in (*limited, "SpanDCG")},
        **{f"{name}(budget={budget})": (name, None, budget) for name in limited},
        f"SpanU(L={length})": ("SpanU", None, None),
        f"SpanU(L={length})@{cutoff}": ("SpanU", cutoff, None),
    }
    result = gainful.evaluate(qrels, run, list(written))
    for measure, (name, depth, units) in written.items():
        expected = by_positions(gold, chunks, depth, units, length)[name]
        assert result.mean(measure) == pytest.approx(expected, abs=1e-12), measure


@settings(max_examples=100, deadline=None)
@given(
    gold=st.lists(PLACES, min_size=1, max_size=6, unique=True),
    chunks=st.lists(PLACES, min_size=1, max_size=8),
    cuts=st.lists(st.integers(1, 5), min_size=8, max_size=8),
    budget=st.integers(1, 90),
)
def test_joining_consecutive_chunks_changes_no_budget(gold, chunks, cuts, budget) -> None:
    if not {text for text, _, _ in gold} & {text for text, _, _ in chunks}:
        return
    pieces = []
    for (text, start, end), size in zip(chunks, cuts, strict=False):
        starts = [*range(start, end, size), end]
        pieces += [(text, *pair) for pair in itertools.pairwise(starts)] or [(text, start, end)]
    qrels = {"q": dict.fromkeys(named(gold), 1)}
    measures = [f"SpanR(budget={budget})", f"SpanP(budget={budget})", "SpanU(L=40)", "SpanUnits"]
    joined = gainful.evaluate(qrels, {"q": named(chunks)}, measures)
    apart = gainful.evaluate(qrels, {"q": named(pieces)}, measures)
    for measure in measures:
        assert joined.mean(measure) == pytest.approx(apart.mean(measure), abs=1e-12), measure


# --- what is refused ------------------------------------------------------------------------------

PLAIN = {"q": {"a": 1}}


@pytest.mark.parametrize(
    ("call", "words", "what"),
    [
        (gainful.reconcile, [[0.5, 0.5], "SpanR@3"], "a comparison of conventions"),
        (gainful.sample_labels, ["Success@1"], "the effect of labels of unjudged documents"),
        (gainful.find_unjudged, ["Success@1"], "a bound over labels of unjudged documents"),
    ],
)
def test_what_is_about_documents_refuses_spans(call, words, what):
    judged = {"q": GOLD["q"] | {"c#char=0,10": 0}}
    with pytest.raises(MatchError, match=f"'q'.*{what} is not defined for spans"):
        call(judged, {"a": {"q": CHUNKS[:2]}, "b": {"q": CHUNKS[2:4]}}, *words)


@pytest.mark.parametrize(
    ("qrels", "run", "measure", "error", "message"),
    [
        (GOLD, ["a", "b"], "SpanR", MatchError, "the judgments have offsets, and the run has none"),
        (PLAIN, CHUNKS, "SpanR", MatchError, "the run has offsets, and the judgments have none"),
        (PLAIN, CHUNKS, "nDCG@10", MatchError, "the run has offsets, and the judgments have none"),
        (GOLD, ["a"], "nDCG@10", MatchError, "the judgments have offsets, and the run has none"),
        (PLAIN, ["a"], "SpanR", MeasureError, "SpanR needs offsets in judgments and run"),
        (GOLD, CHUNKS, "nDCG@10", MeasureError, "nDCG@10 ignores offsets"),
        (GOLD, CHUNKS, "Judged@10", MeasureError, "Judged@10 ignores offsets"),
        (GOLD, CHUNKS, "Success(judged_only=True)@1", MeasureError, "is not defined for spans"),
        (GOLD, ["a#char=0,1", "b"], "SpanR", MatchError, "'b' has no offsets, and others have"),
        (
            {"q": {"a#char=0,1": 1, "b": 1}},
            CHUNKS,
            "SpanR",
            MatchError,
            "the judgments have offsets for 'a#char=0,1' and none for 'b'",
        ),
        (
            {"q": {"a#char=0,1": 1, "b#line=0,1": 1}},
            CHUNKS,
            "SpanR",
            MatchError,
            "the offsets of the judgments count characters and lines",
        ),
        (GOLD, ["a#line=0,5"], "SpanR", MatchError, "count characters, and those of the run lines"),
        (GOLD, ["x#char=0,5"], "SpanR", MatchError, "no document in common"),
        (GOLD, ["a#char=5,2"], "SpanR", GainfulError, "the end 2 is before the start 5"),
        (
            GOLD,
            CHUNKS,
            "SpanR(budget=5, unit='tokens')",
            MeasureError,
            "the number of tokens of each",
        ),
        (
            GOLD,
            CHUNKS,
            "SpanR(budget=5, unit='lines')",
            MeasureError,
            "the budget counts lines, and",
        ),
    ],
)
def test_refused(qrels, run, measure, error, message) -> None:
    with pytest.raises(error, match=message):
        gainful.evaluate(qrels, {"q": run}, measure)


@pytest.mark.parametrize(
    "policies", [{"unjudged": "condense"}, {"unjudged": 1}, {"unretrieved": "last"}]
)
def test_policies_on_unjudged_documents_are_refused(policies) -> None:
    with pytest.raises(ConventionError, match="measures of spans are not defined for"):
        value("SpanR", **policies)


@pytest.mark.parametrize("measure", ["SpanR", "Success@1", "StRecall@1"])
def test_unordered_ties_are_refused(measure: str) -> None:
    gold = (
        gainful.Qrels({"q": {"g": {"a#char=0,10": 1}}}, subtopics=measure == "StRecall@1")
        if (measure == "StRecall@1")
        else {"q": {"a#char=0,10": 1}}
    )
    convention = gainful.conventions["gainful-1"].replace(ties="expected")
    with pytest.raises(ConventionError, match="unordered ties"):
        gainful.evaluate(
            gold, {"q": {"a#char=0,5": 1.0, "a#char=5,6": 1.0}}, measure, convention=convention
        )


def test_documents_may_meet_in_another_query() -> None:
    qrels = {"q": {"a#char=0,10": 1}, "p": {"b#char=0,10": 1}}
    run = {"q": ["b#char=0,10"], "p": ["a#char=0,10"]}
    assert gainful.evaluate(qrels, run, "SpanR").mean() == 0


def test_queries_with_and_without_offsets_are_not_mixed() -> None:
    qrels = {"q": {"a#char=0,10": 1}, "p": {"b": 1}}
    with pytest.raises(MatchError, match="some queries have offsets"):
        gainful.evaluate(qrels, {"q": ["a#char=0,10"], "p": ["b"]}, "FullRecall")


@pytest.mark.parametrize("budget", [0, -1, 2.5, "many"])
def test_a_budget_is_a_whole_number(budget) -> None:
    with pytest.raises(MeasureError, match="whole number"):
        gainful.measures.SpanR(budget=budget)


def test_chunks_are_not_reported_as_unjudged() -> None:
    result = gainful.evaluate(GOLD, {"q": CHUNKS}, ["SpanR@5", "SpanU"])
    assert result.counts()["judged_at_cutoff"] == {"5": None}
    assert not result.unjudged_systems
