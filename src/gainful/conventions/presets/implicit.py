"""implicit: ndcg_at_k and ranking_metrics_at_k."""

from __future__ import annotations

from gainful.conventions.presets import Preset

DECLARED = (
    Preset(
        "implicit-0.7.3",
        field="recommenders",
        summary="every liked item counts 1, and without K it is nDCG@10",
        evidence="run",
        source="https://github.com/benfred/implicit/blob/v0.7.3/implicit/evaluation.pyx",
        measures=("nDCG",),
        names={"ndcg_at_k": "nDCG"},
        policies={
            "ties": "given",
            "duplicates": "count",
            "no_relevant": "skip",
            "defaults": {"nDCG": {"gain": "binary", "ideal": "ones", "cutoff": 10}},
        },
        remarks=(
            "The values of its test matrix are not looked at: an entry of 0 or below that is "
            "stored counts 1 there; gain='judged' does so",
            "It adds up all users in one sum, so that the last digits can differ",
        ),
    ),
)
