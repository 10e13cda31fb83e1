"""Whether the difference of two systems is the same in all slices of the queries."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter

import numpy as np

from gainful.comparison.pair_statistics import find_couples
from gainful.formats.numbers import probability
from gainful.inference import equal_means_test, holm
from gainful.records import Record, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gainful.comparison.result import Comparison

__all__ = ["SliceDifference", "compare_slices", "describe_slice_differences"]

#: The most pairs that a sentence names.
_MOST = 5


class SliceDifference(Record):
    """The test of whether a pair has the same difference in all slices."""

    measure: str
    """The measure."""
    attribute: str
    """The attribute of the slices."""
    system: str
    """The system."""
    baseline: str
    """The system that it is compared with."""
    p: float = field(json={"minimum": 0, "maximum": 1})
    """The p-value of a permutation test (`gainful.inference.equal_means_test`)."""
    p_adjusted: float = field(json={"minimum": 0, "maximum": 1})
    """The p-value corrected by Holm for all pairs and attributes of the measure, or of all measures
    if they are one family."""


def compare_slices(comparison: Comparison) -> tuple[SliceDifference, ...]:
    """Return the tests of all pairs and attributes, measure by measure.

    Tests that are not defined are left out (`gainful.inference.equal_means_test`), and all if
    predictions of a model are combined.
    """
    if comparison.predictions is not None:
        return ()
    tests: list[SliceDifference] = []
    for family in comparison.choices.families(len(comparison.measures)):
        single = [test for measure in family for test in _test(comparison, measure)]
        adjusted = holm([test.p for test in single])
        tests += [test.replace(p_adjusted=p) for test, p in zip(single, adjusted, strict=True)]
    return tuple(tests)


def _test(comparison: Comparison, measure: int) -> Iterator[SliceDifference]:
    """Yield the tests of a measure without correction."""
    scores = comparison.scores
    index = scores.systems.index
    named = repr(comparison.measures[measure])
    names = [(index(p.system), index(p.baseline)) for p in comparison.pairs if p.measure == named]
    couples = list(find_couples(scores, measure, None, names))
    for attribute, slices in comparison.attributes.items():
        labels = np.array([scores.segments[name] for name in slices]).argmax(axis=0)
        for _, group in groupby(couples, lambda couple: id(couple.design)):
            same = list(group)
            columns = np.column_stack([couple.differences for couple in same])
            p_values = equal_means_test(
                columns, labels[same[0].rows], same[0].design, seed=comparison.choices.seed
            )
            if p_values is None:
                continue
            for couple, p in zip(same, p_values, strict=True):
                yield SliceDifference(
                    measure=named,
                    attribute=attribute,
                    system=scores.systems[couple.system],
                    baseline=scores.systems[couple.baseline],
                    p=p,
                    p_adjusted=p,
                )


def describe_slice_differences(every: Iterable[SliceDifference], alpha: float) -> Iterator[str]:
    """Say for each measure and attribute which differences vary between slices."""
    for (measure, attribute), group in groupby(every, attrgetter("measure", "attribute")):
        tests = sorted(group, key=attrgetter("p_adjusted"))
        named = [
            f"{test.system} vs. {test.baseline} ({_show_p(test)})"
            for test in tests
            if test.p_adjusted <= alpha
        ]
        subject = f"{measure}, slices of {attribute} (permutation test"
        if named:
            more = f" and {len(named) - _MOST:,} more" if len(named) > _MOST else ""
            pairs = ", ".join(named[:_MOST]) + more
            yield f"{subject}): the difference varies significantly between slices for {pairs}."
        else:
            smallest = "smallest " if len(tests) > 1 else ""
            yield (
                f"{subject}, {smallest}{_show_p(tests[0])}): no difference varies significantly"
                " between slices."
            )


def _show_p(test: SliceDifference) -> str:
    corrected = "p (Holm)" if test.p_adjusted != test.p else "p"
    return f"{corrected} {probability(test.p_adjusted)}"
