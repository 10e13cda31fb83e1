"""MLflow's ndcg_at_k."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "mlflow-3.17.2",
        field="search engines and RAG",
        summary="the ideal is cut at the number of returned documents: one of three is perfect",
        evidence="run",
        source="https://github.com/mlflow/mlflow/blob/v3.17.2/mlflow/metrics/metric_definitions.py",
        measures=("nDCG",),
        names={"ndcg_at_k": "nDCG"},
        policies={
            "ties": "given",
            "duplicates": "copies",
            "no_relevant": "agree",
            "defaults": {"nDCG": {"gain": "binary", "ideal": "judged-to-depth"}},
        },
        remarks=(
            "It takes the relevant documents without grades; here those with a grade above 0",
            "A document returned again counts as another relevant document, also in the ideal",
            "It also prints the variance and the 90th percentile",
        ),
    ),
)
