"""Evaluate labels and scores of lists, as learning-to-rank libraries pass them to a metric."""

from __future__ import annotations

from math import isfinite

import numpy

from gainful import _kernel
from gainful.conventions import get
from gainful.errors import ConventionError, GainfulError, ParameterError
from gainful.evaluation import Evaluation
from gainful.evaluation.arguments import add_convention_context
from gainful.evaluation.data import name_measures
from gainful.measures.choosing import choose_measures, prepare_measures
from gainful.measures.portable_names import portable
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from gainful.conventions import Convention
    from gainful.measures import Measure
    from gainful.report import Report

    Measures = Measure | str | Iterable[Measure | str] | None

__all__ = ["evaluate_lists", "flatten_means", "split_lists", "write_files"]


def flatten_means(
    evaluation: Evaluation, *, names: str = "trec", prefix: str = "", intervals: bool = True
) -> dict[str, float]:
    """Return means and confidence intervals by name.

    Examples
    --------
    >>> import gainful
    >>> result = gainful.evaluate("qrels.txt", "bm25.run", "nDCG@10")
    >>> {name: round(value, 4) for name, value in flatten_means(result).items()}
    {'ndcg_cut_10': 0.7193, 'ndcg_cut_10_low': 0.3082, 'ndcg_cut_10_high': 1.0}
    """
    means = {}
    several = len(evaluation.systems) > 1
    for system in evaluation.systems:
        group = (portable(system) if names == "trec" else system) + "/" if several else ""
        for measure, name in zip(
            evaluation.measures, name_measures(evaluation.measures, names), strict=True
        ):
            name_of_mean = f"{prefix}{group}{name}"
            summary = evaluation.summary(measure, system)
            means[name_of_mean] = summary.mean
            if intervals and summary.interval is not None:
                means |= zip(
                    (f"{name_of_mean}_low", f"{name_of_mean}_high"), summary.interval, strict=True
                )
    return {name: float(value) for name, value in means.items() if isfinite(value)}


def write_files(folder: str, evaluation: Evaluation, report: Report | None) -> None:
    """Write ``evaluation.json``, with all numbers, and ``report.html`` into a folder."""
    evaluation.save(f"{folder}/evaluation.json")
    if report is not None:
        report.write(f"{folder}/report.html")


#: The label of padding in libraries built on PyTorch.
PADDING = -100


def evaluate_lists(
    labels: Any,
    scores: Any,
    sizes: Any,
    measures: Measures = None,
    *,
    convention: Convention | str = "gainful-1",
    weights: Any = None,
    name: str = "model",
) -> Evaluation:
    """Evaluate consecutive lists of labels and scores.

    Examples
    --------
    >>> result = evaluate_lists([0, 2, 1, 1, 0], [0.1, 0.9, 0.3, 0.2, 0.7], [3, 2], "nDCG@2")
    >>> result.per_query()
    {0: 1.0, 1: 0.6309297535714575}
    """
    policies = get(convention)
    if policies.ties.startswith("doc-id"):
        if policies.label != "gainful-1":
            raise ConventionError(
                f"ties={policies.ties} needs ids, which items of lists do not have",
                found=f"ties={policies.ties}",
                where=f"under {policies.label}, lists",
                hint="use get(NAME).replace(ties='expected')",
            )
        policies = policies.replace(ties="expected")
    chosen = choose_measures(measures, policies)
    grades, values = _numbers(labels, "labels"), _numbers(scores, "scores")
    counts = numpy.asarray(sizes, dtype=numpy.int64)
    offsets = numpy.concatenate([[0], numpy.cumsum(counts)])
    if len(grades) != len(values) or len(grades) != offsets[-1]:
        raise ParameterError(
            where="scores",
            found=f"{len(values)} scores and {len(grades)} labels of {int(offsets[-1])} items",
            expected="as many of each",
        )
    if numpy.isnan(values).any():
        raise ParameterError("a score is NaN", where="scores")
    columns = numpy.arange(len(values)) - numpy.repeat(offsets[:-1], counts)
    try:
        rows = _kernel.rows_from_sparse(
            offsets, columns, grades, numpy.arange(len(counts)), None, None
        )
        evaluator = _kernel.BlockEvaluator(
            rows,
            policies.spec(),
            prepare_measures(chosen, policies).kernels(),
            None,
            threads=thread_count(None),
        )
        evaluator.add(0, offsets, columns, values)
        table = evaluator.finish()
    except GainfulError as error:
        raise add_convention_context(error, policies) from None
    shares = None
    if weights is not None:
        # The ids of the lists are their numbers, as text.
        shares = {str(index): float(weight) for index, weight in enumerate(weights)}
    return Evaluation({name: table}, chosen, policies, shares, integers=True)


def split_lists(labels: Any, scores: Any, queries: Any = None) -> tuple[Any, Any, Any]:
    """Return labels and scores list after list, and the sizes of the lists.

    Examples
    --------
    >>> split_lists([0, 2, 1], [0.5, 0.6, 0.7], ["b", "a", "b"])
    (array([0, 1, 2]), array([0.5, 0.7, 0.6]), array([2, 1]))
    >>> split_lists([[0, 2], [1, -100]], [[0.5, 0.6], [0.7, 0.0]])[2]
    array([2, 1])
    """
    grades, values = numpy.asarray(labels), numpy.asarray(scores)
    if grades.shape != values.shape or grades.ndim not in (1, 2):
        raise ParameterError(
            where="scores",
            found=f"labels of shape {grades.shape}, scores of shape {values.shape}",
            expected="one score per label",
        )
    if grades.ndim == 2:
        if queries is not None:
            raise ParameterError("each row is a list already", where="queries")
        there = (grades != PADDING) & (grades == grades)
        return grades[there], values[there], there.sum(axis=1)
    if queries is None:
        raise ParameterError(
            "one label per item, and no queries",
            where="queries",
            hint="name the query of each item, or pass one row per list",
        )
    named = numpy.asarray(queries)
    if named.shape != grades.shape:
        raise ParameterError(
            where="queries",
            found=f"{len(named)} queries of {len(grades)} items",
            expected="one query per item",
        )
    ids, first, which = numpy.unique(named, return_index=True, return_inverse=True)
    rank = numpy.empty(len(ids), dtype=numpy.int64)
    rank[numpy.argsort(first)] = numpy.arange(len(ids))
    places = rank[which]
    order = numpy.argsort(places, kind="stable")
    return grades[order], values[order], numpy.bincount(places, minlength=len(ids))


def _numbers(values: Any, name: str) -> Any:
    numbers = numpy.asarray(values)
    if numbers.dtype.kind not in "biuf" or numbers.ndim != 1:
        raise ParameterError(
            where=name,
            found=f"{numbers.dtype} of shape {numbers.shape}",
            expected="numbers in one dimension",
        )
    return numpy.ascontiguousarray(numbers, dtype=numpy.float64)
