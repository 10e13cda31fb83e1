"""Conventions drawn at random, with every legal value of each policy."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

from gainful.conventions import POLICIES, Convention


def legal_values(name: str) -> st.SearchStrategy[object]:
    words: list[object] = [
        word for word in POLICIES[name].values if word.islower() and word not in ("0", "1", "nan")
    ]
    values: st.SearchStrategy[object] = st.sampled_from(words)
    if name == "ties":
        values |= st.integers(0, 2**64 - 1).map(lambda seed: f"random({seed})")
    elif name == "rounding":
        values |= st.tuples(st.sampled_from(["term", "query", "mean"]), st.integers(0, 15)).map(
            lambda both: f"{both[0]}:{both[1]}"
        )
    elif name == "no_relevant":
        values |= st.sampled_from([0, 1, 0.0, 1.0, "0", "1", "nan", math.nan])
    elif name == "unjudged":
        values |= st.floats(-(2**53), 2**53) | st.integers(-5, 5) | st.just("1.5")
    return values


CHANGES = st.fixed_dictionaries(
    {}, optional={policy.name: legal_values(policy.name) for policy in POLICIES}
)
DEFAULTS: st.SearchStrategy[dict[str, dict[str, Any]]] = st.fixed_dictionaries(
    {},
    optional={
        "nDCG": st.sampled_from(
            [{"gain": "exponential"}, {"gain": {0: 0, 2: 1.5}, "ideal": "list"}, {}]
        ),
        "AP": st.just({"norm": "capped"}),
        "RBP": st.just({"p": 0.95}),
    },
)
NAMES = st.sampled_from(["gainful-1", "trec_eval-9.0.8", "ours"])


@st.composite
def conventions(draw: st.DrawFn) -> Convention:
    fields: dict[str, Any] = dict(draw(CHANGES))
    return Convention(name=draw(NAMES), defaults=draw(DEFAULTS), **fields)
