"""Log evaluations to MLflow."""

from __future__ import annotations

from tempfile import TemporaryDirectory

from gainful.integrations.lists import flatten_means, write_files
from gainful.packages import load_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.evaluation import Evaluation
    from gainful.report import Report

__all__ = ["log_evaluation"]


def log_evaluation(
    evaluation: Evaluation,
    *,
    report: Report | None = None,
    names: str = "trec",
    prefix: str = "",
    step: int | None = None,
    run_id: str | None = None,
) -> dict[str, float]:
    """Log means, confidence intervals and the HTML report to a run of MLflow.

    The metrics are the means, with the ends of their 95% intervals as ``NAME_low`` and
    ``NAME_high``. The tags ``gainful.convention`` and ``gainful.judgments`` have the convention
    and the digest of the judgments. The artifacts in the folder ``gainful`` are
    ``evaluation.json``, with all numbers, and ``report.html``.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation, of one system or several. With several, the names of the metrics begin with
        the system: ``bm25/ndcg_cut_10``.
    report : Report, optional
        The report to log, from `gainful.report.make_report`.
    names : {"trec", "gainful"}
        How measures are named; see `Evaluation.means`. MLflow refuses ``@``.
    prefix : str
        What the names of the metrics begin with, such as ``"test/"``.
    step : int, optional
        The step of training. Artifacts are then in the folder ``gainful/STEP``.
    run_id : str, optional
        The run. Default: the active run, or a new one.

    Returns
    -------
    dict of str to float
        The logged metrics.

    Raises
    ------
    MissingPackageError
        If MLflow is not installed.
    ParameterError
        For an unknown value of `names`, or if two measures have the same name.

    Examples
    --------
    >>> import gainful, mlflow
    >>> result = gainful.evaluate("qrels.txt", "bm25.run", ["nDCG@10", "AP"])
    >>> with mlflow.start_run():
    ...     logged = log_evaluation(result)
    >>> {name: round(value, 4) for name, value in logged.items()}
    {'ndcg_cut_10': 0.7193, 'ndcg_cut_10_low': 0.3082, ...}
    """
    mlflow = load_package("mlflow", where="log_evaluation")
    metrics = flatten_means(evaluation, names=names, prefix=prefix)
    if run_id is None:
        run_id = (mlflow.active_run() or mlflow.start_run()).info.run_id
    mlflow.log_metrics(metrics, step=step, run_id=run_id)
    client = mlflow.MlflowClient()
    client.set_tag(run_id, "gainful.convention", evaluation.convention.label)
    if evaluation.judgments_digest is not None:
        client.set_tag(run_id, "gainful.judgments", evaluation.judgments_digest)
    with TemporaryDirectory() as folder:
        write_files(folder, evaluation, report)
        client.log_artifacts(run_id, folder, "gainful" if step is None else f"gainful/{step}")
    return metrics
