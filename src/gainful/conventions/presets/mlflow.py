"""MLflow's ndcg_at_k."""

from __future__ import annotations

from gainful.conventions.checks import ABSENT, equal
from gainful.conventions.presets import ABOVE_ZERO, Preset

DECLARED = (
    Preset(
        "mlflow-3.17.2",
        field="search engines and RAG",
        summary="the ideal is cut at the number of returned documents: one of three is perfect",
        evidence="run",
        source="https://github.com/mlflow/mlflow/blob/v3.17.2/mlflow/metrics/metric_definitions.py",
        checks={
            "nDCG": equal("ndcg_at_k"),
            "DCG": ABSENT,
            "AP": ABSENT,
            "RR": ABSENT,
            "P": equal(
                "precision_at_k",
                text="if every query has relevant documents or results",
            ),
            "R": equal("recall_at_k", text="if no document is returned twice"),
            "Success": ABSENT,
        },
        policies={
            "ties": "given",
            "duplicates": "copies",
            "no_relevant": "agree",
            "defaults": {
                "nDCG": {"gain": "binary", "ideal": "judged-to-depth"},
                "P": {**ABOVE_ZERO, "to_depth": True},
                "R": ABOVE_ZERO,
            },
        },
        remarks=(
            "It takes the relevant documents without grades; here those with a grade above 0",
            "A document returned again counts as another relevant document, also in the ideal",
            "It also prints the variance and the 90th percentile",
        ),
    ),
)
