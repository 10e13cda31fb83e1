"""Arrays give the kernel's values under each preset that does not need ids."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gainful
from combinations import share
from evaluation_words import sorted_rows
from gainful.backends import arrays
from gainful.conventions import Convention, Preset, get, presets
from gainful.errors import ConventionError, MeasureError
from gainful.measures import parse_measure
from requirements import need

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


@pytest.mark.parametrize(
    ("number", "preset"), list(enumerate(presets())), ids=lambda each: getattr(each, "name", "")
)
def test_presets(number: int, preset: Preset) -> None:
    measures = share(MEASURES, number, 2)
    convention = without_ids(get(preset.name))
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
    for measure in measures:

        def found(measure: str = measure) -> Any:
            return arrays.measure_lists(
                measure, pool[:, :RETURNED], scores=scores, judged=pool, convention=convention
            )

        norm = parse_measure(measure).resolve(convention).params.get("norm")
        if norm == "list-cut" and convention.ties == "expected":
            # The kernel has the mean of this quotient over all orders of ties, arrays refuse it.
            with pytest.raises(ConventionError):
                found()
            continue
        try:
            result = gainful.evaluate(qrels, run, measure, convention=convention)
        except ConventionError:
            with pytest.raises(ConventionError):
                found()
            continue
        (name,) = map(repr, result.measures)
        expected = [row[name] for row in sorted_rows(result)]
        values = np.array([np.nan if value is None else value for value in expected], dtype=float)
        np.testing.assert_allclose(found()[name], values, rtol=0, atol=1e-12, err_msg=measure)
        compared += 1
    assert compared >= len(measures) - 4


@pytest.mark.parametrize("k", [None, 1, 3, 10])
@pytest.mark.parametrize("shape", [(15, 10), (15, 2), (8, 40)])
def test_scikit_learn_of_a_matrix(shape: tuple[int, int], k: int | None) -> None:
    """Nothing is unretrieved in a matrix: its ndcg_score and dcg_score row by row."""
    need("scikit-learn")
    from sklearn.metrics import dcg_score, ndcg_score

    random = np.random.default_rng(5)
    grades = random.integers(0, 4, shape) * (random.random(shape) < 0.5)
    tied, distinct = (
        random.integers(0, 5, shape) / 8,
        random.permuted(np.tile(np.arange(shape[1], dtype=float), (shape[0], 1)), axis=1),
    )
    names = [f"ndcg_score@{k}", f"dcg_score@{k}"] if k else ["ndcg_score", "dcg_score"]
    for convention, scores, ignore_ties in (
        ("scikit-learn", tied, False),
        ("scikit-learn-returned", tied, False),
        ("scikit-learn-ignore_ties", distinct, True),
    ):
        found = arrays.measure_lists(names, grades, scores=scores, convention=convention)
        assert [name.partition("@")[0] for name in found] == ["nDCG", "DCG"]
        for function, values in zip((ndcg_score, dcg_score), found.values(), strict=True):
            rows = [
                function(grades[[row]], scores[[row]], k=k, ignore_ties=ignore_ties)
                for row in range(shape[0])
            ]
            np.testing.assert_allclose(values, rows, rtol=0, atol=1e-12)


def test_what_scikit_learn_is_not_verified_for_on_arrays() -> None:
    with pytest.raises(MeasureError, match="AP is not equal to label_ranking_average"):
        arrays.measure_lists("AP", np.array([[1, 0]]), convention="scikit-learn")


def test_judged_items_that_a_list_lacks_have_no_place_in_it() -> None:
    """With unretrieved=last they would be at its end, which arrays do not compute."""
    with pytest.raises(ConventionError, match="unretrieved=last is not available with judged="):
        arrays.measure_lists(
            "nDCG", np.array([[1, 0]]), judged=np.array([[1, 0, 2]]), convention="scikit-learn"
        )


def test_tensorflow_ranking_removes_negative_grades() -> None:
    grades = np.array([[1.0, 0, 2, -1], [0, 1, -1, -1]])
    scores = np.array([[3.0, 2, 1, 9], [2, 1, 5, 6]])
    measures = ["nDCG@2", "DCG", "AP", "RR", "P@3", "R@2", "Success@1"]
    values = arrays.measure_lists(measures, grades, scores=scores, convention="tensorflow-ranking")
    qrels = {"q0": {"a": 1, "b": 0, "c": 2}, "q1": {"a": 0, "b": 1}}
    run = {"q0": {"a": 3, "b": 2, "c": 1}, "q1": {"a": 2, "b": 1}}
    result = gainful.evaluate(qrels, run, measures, convention="tensorflow-ranking")
    for measure in result.measures:
        assert values[repr(measure)].tolist() == pytest.approx(
            list(result.per_query(measure).values()), rel=1e-6
        )
