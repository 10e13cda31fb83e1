"""Under each preset, as far as it means something without ids, arrays give the engine's rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gainful
from gainful.backends import arrays
from gainful.conventions import Convention, Preset, presets
from gainful.errors import ConventionError

MEASURES = (
    "nDCG@5",
    "nDCG",
    "DCG@3",
    "AP",
    "AP@5",
    "P@5",
    "R@5",
    "RR",
    "Success@3",
    "ERR@5",
    "RBP(rel=1)",
)
#: What a preset decides that lists of grades cannot follow, and what stands in for it.
INSTEAD = {
    "ties": ({"doc-id-desc", "doc-id-asc", "random", "error"}, "expected"),
    "order": ({"rank"}, "score"),
    "negative": ({"drop"}, "zero"),
    "unretrieved": ({"last"}, "absent"),
}
RETURNED, JUDGED, COUNT = 9, 12, 30


def without_ids(policies: Convention) -> Convention:
    """Return a convention with other policies in the place of those that lists cannot follow."""
    changes: dict[str, Any] = {"rounding": "none"}
    for name, (unfit, other) in INSTEAD.items():
        # What is drawn at random depends on ids.
        if str(getattr(policies, name)).partition("(")[0] in unfit:
            changes[name] = other
    if policies.order == "given":
        # Scores order nothing, and nothing is tied.
        changes.pop("ties", None)
    # A name of its own, since presets refuse measures that they are not verified for.
    return policies.replace(**changes, name="own")


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.name)
def test_presets(preset: Preset) -> None:
    convention = without_ids(preset.convention)
    random = np.random.default_rng(17)
    pool = random.integers(0, 4, (COUNT, JUDGED)) * (random.random((COUNT, JUDGED)) < 0.6)
    pool[:, 0] = 3
    if convention.largest_grade != "any":
        pool = np.minimum(pool, int(float(convention.largest_grade)))
    scores = random.integers(0, 6, (COUNT, RETURNED)) / 7
    qrels = {
        f"q{row:02}": {f"d{item:02}": int(grade) for item, grade in enumerate(own)}
        for row, own in enumerate(pool)
    }
    run = {
        f"q{row:02}": {f"d{item:02}": float(score) for item, score in enumerate(own)}
        for row, own in enumerate(scores)
    }
    compared = 0
    for measure in MEASURES:

        def found(measure: str = measure) -> Any:
            return arrays.measure_lists(
                measure, pool[:, :RETURNED], scores=scores, judged=pool, convention=convention
            )

        try:
            result = gainful.evaluate(qrels, run, measure, convention=convention)
        except ConventionError:
            with pytest.raises(ConventionError):
                found()
            continue
        (name,) = map(repr, result.measures)
        expected = [row[name] for row in result.rows()]
        values = np.array([np.nan if value is None else value for value in expected], dtype=float)
        np.testing.assert_allclose(found()[name], values, rtol=0, atol=1e-12, err_msg=measure)
        compared += 1
    assert compared >= 7
