"""The numbers of an evaluation by one name each, as trackers store them."""

from __future__ import annotations

from math import isfinite

from gainful.evaluation.result import name_measures
from gainful.measures.portable_names import portable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.evaluation import Evaluation
    from gainful.report import Report

__all__ = ["flatten_means", "write_files"]


def flatten_means(
    evaluation: Evaluation, *, names: str = "trec", prefix: str = "", intervals: bool = True
) -> dict[str, float]:
    """Return means and confidence intervals by name.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation.
    names : {"trec", "gainful"}
        As for `Evaluation.means`. With "trec", the names of systems have the same characters.
    prefix : str
        What all names begin with.
    intervals : bool
        Whether to add the ends of the intervals, as ``NAME_low`` and ``NAME_high``.

    Returns
    -------
    dict of str to float
        ``ndcg_cut_10``, or ``SYSTEM/ndcg_cut_10`` for several systems. Values that are not finite
        are left out.

    Raises
    ------
    ParameterError
        For an unknown value of `names`, or if two measures have the same name.

    Examples
    --------
    >>> import gainful
    >>> result = gainful.evaluate("qrels.txt", "bm25.run", "nDCG@10")
    >>> {name: round(value, 4) for name, value in flatten_means(result).items()}
    {'ndcg_cut_10': 0.7193, 'ndcg_cut_10_low': 0.3082, 'ndcg_cut_10_high': 1.0}
    """
    found = {}
    several = len(evaluation.systems) > 1
    for system in evaluation.systems:
        group = (portable(system) if names == "trec" else system) + "/" if several else ""
        for measure, name in zip(
            evaluation.measures, name_measures(evaluation.measures, names), strict=True
        ):
            own = f"{prefix}{group}{name}"
            summary = evaluation.summary(measure, system)
            found[own] = summary.mean
            if intervals and summary.interval is not None:
                found |= zip((f"{own}_low", f"{own}_high"), summary.interval, strict=True)
    return {name: float(value) for name, value in found.items() if isfinite(value)}


def write_files(folder: str, evaluation: Evaluation, report: Report | None) -> None:
    """Write ``evaluation.json``, with all numbers, and ``report.html`` into a folder."""
    evaluation.save(f"{folder}/evaluation.json")
    if report is not None:
        report.write(f"{folder}/report.html")
