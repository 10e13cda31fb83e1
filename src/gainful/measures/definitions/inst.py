"""INST and INSQ: users who want a total gain of T."""

from __future__ import annotations

from gainful.measures.definitions.cwl import SHARED, TARGET, bounds, model_to_kernel, relate
from gainful.measures.family import Family

FAMILIES = (
    Family(
        "INST",
        kernel="cwl",
        group="user-models",
        summary=(
            "INST: gain per document of a user whose persistence depends on the missing part of T"
        ),
        formula="EU of C(r) = ((r + 2T - G(r) - 1) / (r + 2T - G(r)))^2, with G(r) the gains of "
        "the first r documents",
        source="A. Moffat, P. Bailey, F. Scholer, P. Thomas: INST: an adaptive metric for "
        "information retrieval evaluation. ADCS 2015",
        example="INST(T=2, max_rel=3)",
        parameters=(TARGET, *SHARED),
        takes_cutoff=False,
        relate=relate,
        to_kernel=model_to_kernel("INST"),
        bounds=bounds,
    ),
    Family(
        "INSQ",
        kernel="cwl",
        group="user-models",
        summary="INSQ: gain per document of a user whose persistence depends on T",
        formula="EU of C(r) = ((r + 2T - 1) / (r + 2T))^2",
        source="A. Moffat, F. Scholer, P. Thomas: Models and metrics: IR evaluation as a user "
        "process. ADCS 2012",
        example="INSQ(T=2, max_rel=3)",
        parameters=(TARGET, *SHARED),
        takes_cutoff=False,
        relate=relate,
        to_kernel=model_to_kernel("INSQ"),
        bounds=bounds,
    ),
)
