"""The model of Dawid and Skene, checked with crowd-kit and by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from gainful.errors import ParameterError
from gainful.inference import dawid_skene

#: Labels of four raters by item; a dash is no label.
ITEMS = [
    "2-02",
    "-222",
    "0000",
    "222-",
    "12-1",
    "1112",
    "1111",
    "--00",
    "2220",
    "--10",
    "0-00",
    "1011",
    "1--0",
    "-210",
    "0000",
    "0020",
    "00-1",
    "0002",
    "0000",
    "22-0",
    "0001",
    "1110",
    "-222",
    "-001",
    "--1-",
    "1010",
    "00-0",
    "2222",
    "10-0",
    "2-22",
    "--22",
    "2220",
    "0102",
    "1-21",
    "1111",
    "1--1",
    "1111",
    "2212",
    "11-2",
    "0-01",
]
#: The results of crowd-kit 1.4.2, DawidSkene(n_iter=2000, tol=1e-12), which
#: tests/tools/test_combining.py runs.
PRIOR = [0.32429, 0.38428, 0.29142]
LAST_RATER = [[0.535, 0.3084, 0.1566], [0.3755, 0.4831, 0.1413], [0.3433, 0.0, 0.6567]]
CLASSES = "2202111021011100000201201102122201111210"


def table() -> np.ndarray:
    return np.array([[np.nan if each == "-" else float(each) for each in item] for item in ITEMS])


def test_one_start_without_smoothing_equals_crowd_kit() -> None:
    found = dawid_skene(table(), starts=1, smoothing=0.0)
    assert found.converged
    assert found.prior == pytest.approx(PRIOR, abs=1e-5)
    assert found.confusion[3] == pytest.approx(np.array(LAST_RATER), abs=1e-4)
    assert "".join(str(int(each)) for each in found.most_probable()) == CLASSES


def test_more_starts_never_lower_the_likelihood_of_the_model() -> None:
    one = dawid_skene(table(), starts=1, smoothing=0.0)
    many = dawid_skene(table(), starts=8, smoothing=0.0)
    assert many.log_likelihood >= one.log_likelihood - 1e-9
    assert 1 <= many.agreeing_starts <= 8
    again = dawid_skene(table(), starts=8, smoothing=0.0)
    assert np.array_equal(many.posterior, again.posterior)


def test_the_log_likelihood_is_that_of_the_labels() -> None:
    found = dawid_skene(table())
    total = 0.0
    for item in ITEMS:
        total += np.log(
            sum(
                found.prior[true]
                * np.prod(
                    [
                        found.confusion[rater, true, int(given)]
                        for rater, given in enumerate(item)
                        if given != "-"
                    ]
                )
                for true in range(3)
            )
        )
    assert found.log_likelihood == pytest.approx(total, abs=1e-4)


def test_it_recovers_classes_and_accuracy_better_than_a_majority() -> None:
    random = np.random.default_rng(8)
    true = random.integers(0, 3, 1_000)
    accuracy = [0.95, 0.5, 0.5, 0.45]
    given = np.stack(
        [np.where(random.random(1_000) < a, true, random.integers(0, 3, 1_000)) for a in accuracy],
        axis=1,
    )
    found = dawid_skene(given.astype(float), starts=2)
    votes = np.stack([(given == each).sum(axis=1) for each in range(3)], axis=1).argmax(axis=1)
    assert (found.most_probable() == true).mean() > (votes == true).mean() + 0.05
    expected = [a + (1 - a) / 3 for a in accuracy]
    assert found.accuracy == pytest.approx(np.array(expected), abs=0.06)


def test_items_without_labels_have_no_class() -> None:
    found = dawid_skene([[1, 1, 0], [np.nan] * 3, [0, 0, 0], [1, 1, 1]])
    assert np.isnan(found.most_probable()).tolist() == [False, True, False, False]
    assert found.prior.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("labels", "options", "text"),
    [
        ([[1, 0], [1, 1]], {}, "2 raters"),
        ([[1, 0, np.nan], [1, 1, np.nan]], {}, "2 raters"),
        ([1, 0, 1], {}, "1 dimensions"),
        ([[1, 0, 1]], {"starts": 0}, "starts"),
        ([[1, 0, 1]], {"smoothing": -1.0}, "smoothing"),
    ],
)
def test_wrong_arguments_are_errors(labels, options, text) -> None:
    with pytest.raises(ParameterError, match=text):
        dawid_skene(labels, **options)
