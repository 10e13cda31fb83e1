"""Log evaluations to Weights & Biases."""

from __future__ import annotations

from tempfile import TemporaryDirectory

from gainful.errors import ParameterError
from gainful.integrations.lists import flatten_means, write_files
from gainful.packages import load_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
    run: Any = None,
) -> dict[str, float]:
    """Log means, confidence intervals and the HTML report to a run of Weights & Biases.

    The metrics are the means, with the ends of their 95% intervals as ``NAME_low`` and
    ``NAME_high``. The configuration of the run gets ``gainful.convention`` and
    ``gainful.judgments``, the digest of the judgments. An artifact of the type ``evaluation`` has
    the files ``evaluation.json``, with all numbers, and ``report.html``. All of it works offline.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation, of one system or several. With several, the names of the metrics begin with
        the system: ``bm25/ndcg_cut_10``.
    report : Report, optional
        The report to log, from `gainful.report.make_report`.
    names : {"trec", "gainful"}
        How measures are named; see `Evaluation.means`.
    prefix : str
        What the names of the metrics begin with, such as ``"test/"``.
    step : int, optional
        The step of training.
    run : wandb.Run, optional
        The run. Default: the active run.

    Returns
    -------
    dict of str to float
        The logged metrics.

    Raises
    ------
    MissingPackageError
        If wandb is not installed.
    ParameterError
        Without an active run, for an unknown value of `names`, or if two measures have the same
        name.

    Examples
    --------
    >>> import gainful, wandb
    >>> result = gainful.evaluate("qrels.txt", "bm25.run", ["nDCG@10", "AP"])
    >>> settings = wandb.Settings(silent=True, x_disable_stats=True)
    >>> with wandb.init(project="soups", mode="offline", settings=settings) as run:
    ...     logged = log_evaluation(result, run=run)
    >>> {name: round(value, 4) for name, value in logged.items()}
    {'ndcg_cut_10': 0.7193, 'ndcg_cut_10_low': 0.3082, ...}
    """
    wandb = load_package("wandb", where="log_evaluation")
    run_of_wandb = wandb.run if run is None else run
    if run_of_wandb is None:
        raise ParameterError("no active run", where="run", hint="call wandb.init first")
    metrics = flatten_means(evaluation, names=names, prefix=prefix)
    about = {
        "convention": evaluation.convention.label,
        "judgments": evaluation.judgments_digest,
    }
    run_of_wandb.config.update({"gainful": about}, allow_val_change=True)
    run_of_wandb.log(metrics, step=step)
    artifact = wandb.Artifact(f"evaluation-{run_of_wandb.id}", type="evaluation")
    with TemporaryDirectory() as folder:
        write_files(folder, evaluation, report)
        artifact.add_dir(folder)
        run_of_wandb.log_artifact(artifact)
    return metrics
