"""Each set of words is declared once: schemas, the command line and Python's options agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pytest

from gainful import vocabulary
from gainful.baselines.fusion import NORMS
from gainful.gates.result import STATUSES
from gainful.judging.llm.items import Long
from gainful.plots.systems import _VERDICTS
from gainful.pooling.result import ORDERS
from gainful.reproduction.result import STATUSES as FILE_STATUSES
from gainful.reproduction.result import Verdict
from json_schema import schema_of

CORRECTIONS = (*vocabulary.CORRECTIONS, "none")
#: The sets of words in JSON schemas, by schema and the last names on the path of the property.
ENUMS = {
    ("agreement", "test"): vocabulary.MEASURE_TESTS,
    ("combined-judgments", "method"): vocabulary.COMBINING_RULES,
    ("combined-judgments", "decided_by"): ("unanimous", "tie", *vocabulary.COMBINING_RULES),
    ("combined-judgments", "verdicts"): vocabulary.PAIR_VERDICTS,
    ("comparison", "pairs.verdict"): vocabulary.PAIR_VERDICTS,
    ("comparison", "pairs.correction"): CORRECTIONS,
    ("comparison", "family"): vocabulary.PAIR_FAMILIES,
    ("comparison", "tests"): vocabulary.EXTRA_TESTS,
    ("evaluation", "labels_of"): vocabulary.BOUNDED_LABELS,
    ("gate", "fail_on"): vocabulary.FAILURES,
    ("gate", "verdict"): vocabulary.GATE_VERDICTS,
    ("gate", "measures.verdict"): vocabulary.GATE_VERDICTS,
    ("headroom", "of"): tuple(word for word in vocabulary.FLOORS if word != "none"),
    ("judgments", "kappa"): vocabulary.KAPPA_WEIGHTS,
    ("judgments", "scale"): vocabulary.SCALES,
    ("judgments", "verdicts"): vocabulary.PAIR_VERDICTS,
    ("leaderboard", "aggregate"): vocabulary.AGGREGATES,
    ("location", "kind"): vocabulary.QUOTE_KINDS,
    ("location", "ambiguous"): vocabulary.AMBIGUOUS,
    ("location", "unit"): vocabulary.OFFSET_UNITS,
    ("location", "spans.match"): vocabulary.WAYS,
    ("location", "problems.problem"): vocabulary.PROBLEMS,
    ("online", "verdict"): tuple(vocabulary.ONLINE_VERDICTS),
    ("pool", "strategy"): vocabulary.POOLING_STRATEGIES,
    ("reproduction", "measures.verdict"): get_args(Verdict),
    ("snapshot", "verdict"): vocabulary.GATE_VERDICTS,
    ("suite", "aggregate"): vocabulary.AGGREGATES,
    ("suite", "pairs.correction"): CORRECTIONS,
    ("suite", "pairs.verdict"): vocabulary.PAIR_VERDICTS,
    ("suite", "comparison.family"): vocabulary.PAIR_FAMILIES,
    ("suite", "new_collections.verdict"): (*vocabulary.SIGNIFICANT, "inconclusive"),
    ("unjudged", "contests.verdict"): vocabulary.CONTEST_VERDICTS,
    ("verification", "files"): tuple(FILE_STATUSES),
}
#: Steps of a path in a schema that are no names of properties.
STEPS = {"properties", "items", "additionalProperties", "anyOf", "$defs"}


def enums(schema: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, list[Any]]]:
    """Yield each set of words in a schema, with the names of properties that lead to it."""
    if isinstance(schema, dict):
        if "enum" in schema:
            yield ".".join(path), schema["enum"]
        for name, inner in schema.items():
            yield from enums(inner, path if name in STEPS else (*path, name))
    elif isinstance(schema, list):
        for inner in schema:
            yield from enums(inner, path)


@pytest.mark.parametrize(("schema", "path"), ENUMS, ids=".".join)
def test_schemas_have_the_declared_words(schema: str, path: str) -> None:
    listed = dict(enums(schema_of(schema)))
    words = [words for name, words in listed.items() if f".{name}".endswith(f".{path}")]
    assert words
    for each in words:
        assert {word for word in each if word is not None} == set(ENUMS[schema, path])


def test_what_is_keyed_by_words_has_all_of_them() -> None:
    assert tuple(NORMS) == vocabulary.SCORE_NORMS
    assert (*ORDERS, "mtc") == vocabulary.JUDGING_STRATEGIES
    assert set(STATUSES) == set(vocabulary.GATE_VERDICTS)
    assert set(_VERDICTS) == {*vocabulary.PAIR_VERDICTS, *vocabulary.GATE_VERDICTS}
    assert tuple(Long) == vocabulary.LONG_DOCUMENTS
