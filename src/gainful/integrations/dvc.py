"""Write metrics for DVC."""

from __future__ import annotations

import json
from os import fspath

from gainful.evaluation.data import name_measures
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import Any

    from gainful.evaluation import Evaluation

__all__ = ["write_metrics"]


def write_metrics(
    evaluation: Evaluation, path: str | PathLike[str], *, names: str = "trec"
) -> None:
    """Write means and confidence intervals to a file that DVC tracks as metrics.

    The file is JSON: by system and measure ``mean``, ``low``, ``high`` and ``queries``, in full
    precision. DVC itself is not needed.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation, of one system or several.
    path : path
        The file, which ``dvc.yaml`` lists under ``metrics:``. It is replaced atomically.
    names : {"trec", "gainful"}
        How measures are named; see `Evaluation.means`. DVC separates the parts of a name by
        points, as in ``bm25.ndcg_cut_10.mean``.

    Raises
    ------
    ParameterError
        For an unknown value of `names`, or if two measures have the same name.
    SourceError
        If the file cannot be written.

    Examples
    --------
    >>> import gainful
    >>> result = gainful.evaluate("qrels.txt", "bm25.run", "nDCG@10")
    >>> write_metrics(result, "metrics.json")
    >>> with open("metrics.json") as stream:
    ...     sorted(json.load(stream)["bm25"]["ndcg_cut_10"])
    ['high', 'low', 'mean', 'queries']
    """
    named = name_measures(evaluation.measures, names)
    document = {
        system: {name: _numbers(evaluation, system, index) for index, name in enumerate(named)}
        for system in evaluation.systems
    }
    write_whole(fspath(path), [json.dumps(document, indent=2).encode() + b"\n"])


def _numbers(evaluation: Evaluation, system: str, measure: int) -> dict[str, Any]:
    summary = evaluation.summary(evaluation.measures[measure], system)
    low, high = summary.ends
    values = {"mean": summary.mean, "low": low, "high": high}
    # JSON has no NaN, and DVC shows numbers only.
    return {
        "queries": summary.n,
        **{name: value for name, value in values.items() if value is not None and value == value},
    }
