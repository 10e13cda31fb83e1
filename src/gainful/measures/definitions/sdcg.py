"""Scaled DCG: nDCG whose ideal is the highest grade at every rank."""

from __future__ import annotations

from gainful.measures.definitions.cwl import SHARED, bounds, model_to_kernel, relate
from gainful.measures.family import Family


def _translate(given: dict[str, object]) -> tuple[str, dict[str, object]]:
    # ir_measures writes its only discount.
    if given.get("dcg") == "log2":
        del given["dcg"]
    return "SDCG", given


FAMILIES = (
    Family(
        "SDCG",
        kernel="cwl",
        group="cumulated-gain",
        aliases=("scaleddcg",),
        summary="Scaled DCG: DCG divided by that of a ranking with the highest grade at every rank",
        formula="EU of C(r) = log2(r + 1) / log2(r + 2) for r < k, 0 after; that is sum over "
        "r <= k of gain(r) / log2(r + 1), divided by the sum of 1 / log2(r + 1)",
        source="K. Järvelin, J. Kekäläinen: Cumulated gain-based evaluation of IR techniques. "
        "ACM TOIS 20(4), 2002; scaled as in L. Azzopardi, P. Thomas, A. Moffat: cwl_eval. "
        "SIGIR 2019",
        example="SDCG(max_rel=3)@10",
        parameters=SHARED,
        translate=_translate,
        relate=relate,
        to_kernel=model_to_kernel("SDCG"),
        bounds=bounds,
    ),
)
