"""How often the interval for alpha holds alpha: the numbers in docs/judgments.md."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gainful.inference import alpha_interval, krippendorff_alpha
from requirements import ROOT

SIMULATIONS = 10_000
QUERIES, DOCUMENTS, RATERS = 50, 10, 3


def graded(rng: np.random.Generator, queries: int) -> tuple[np.ndarray, list[int]]:
    """Return grades of ten documents a query: queries differ in what they find, and in noise."""
    query = np.repeat(np.arange(queries), DOCUMENTS)
    relevance = rng.normal(-0.5, 1.2, len(query)) + rng.normal(0, 0.8, queries)[query]
    noise = np.exp(rng.normal(-0.6, 0.5, queries))[query]
    seen = relevance[:, None] + noise[:, None] * rng.normal(0, 1, (len(query), RATERS))
    return np.digitize(seen, [0, 0.9, 1.8]).astype(float), query.tolist()


@pytest.mark.slow
def test_the_interval_holds_alpha_if_queries_are_drawn() -> None:
    truth = krippendorff_alpha(graded(np.random.default_rng(0), 40_000)[0])
    assert truth is not None
    held = {"queries": 0, "documents": 0}
    for seed in range(SIMULATIONS):
        grades, queries = graded(np.random.default_rng(1000 + seed), QUERIES)
        for drawn, clusters in (("queries", queries), ("documents", None)):
            interval = alpha_interval(grades, clusters=clusters)
            assert interval is not None
            held[drawn] += interval[0] <= truth <= interval[1]
    found = {drawn: 100 * n / SIMULATIONS for drawn, n in held.items()}
    assert found["queries"] > 93
    page = (ROOT / "docs" / "judgments.md").read_text("utf-8")
    pattern = r"covered alpha in ([\d.]+)% of the sets\. .*? would cover it in ([\d.]+)%"
    documented = re.search(pattern, page.replace("\n", " "))
    assert documented is not None
    assert [f"{found['queries']:.1f}", f"{found['documents']:.1f}"] == list(documented.groups())
