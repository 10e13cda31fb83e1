"""NERR8 to NERR11: measures of the C/W/L framework that approximate ERR."""

from __future__ import annotations

from gainful.measures.definitions.cwl import SHARED, TARGET, bounds, model_to_kernel, relate
from gainful.measures.family import Family
from gainful.measures.parameters import Parameter, number_between

_SOURCE = (
    "L. Azzopardi, J. Mackenzie, A. Moffat: ERR is not C/W/L: exploring the relationship between "
    "expected reciprocal rank and other metrics. ICTIR 2021, equation {}"
)

PERSISTENCE = Parameter(
    "p",
    number_between(0, 1, low_open=True, high_open=True),
    legal="a number between 0 and 1, both excluded",
    meaning="the probability to continue after a document without gain",
    default=0.9,
)

FAMILIES = (
    Family(
        "NERR8",
        kernel="cwl",
        group="user-models",
        summary="Nearly ERR: the user stops with probability gain(r), and after k",
        formula="EU of C(r) = 1 - gain(r) for r < k, 0 after",
        source=_SOURCE.format(8),
        example="NERR8(max_rel=3)@10",
        parameters=SHARED,
        relate=relate,
        to_kernel=model_to_kernel("NERR8"),
        bounds=bounds,
    ),
    Family(
        "NERR9",
        kernel="cwl",
        group="user-models",
        summary="Nearly ERR: the user stops by gain and discount, and after k",
        formula="EU of C(r) = r / (r + 1) * (1 - gain(r)) for r < k, 0 after",
        source=_SOURCE.format(9),
        example="NERR9(max_rel=3)@10",
        parameters=SHARED,
        relate=relate,
        to_kernel=model_to_kernel("NERR9"),
        bounds=bounds,
    ),
    Family(
        "NERR10",
        kernel="cwl",
        group="user-models",
        summary="Nearly ERR: the user stops by gain, otherwise continues as in RBP",
        formula="EU of C(r) = p * (1 - gain(r))",
        source=_SOURCE.format(10),
        example="NERR10(p=0.8, max_rel=3)",
        parameters=(PERSISTENCE, *SHARED),
        takes_cutoff=False,
        relate=relate,
        to_kernel=model_to_kernel("NERR10"),
        bounds=bounds,
    ),
    Family(
        "NERR11",
        kernel="cwl",
        group="user-models",
        summary="Nearly ERR: the user stops by gain, otherwise continues as in INSQ",
        formula="EU of C(r) = ((r + 2T - 1) / (r + 2T))^2 * (1 - gain(r))",
        source=_SOURCE.format(11),
        example="NERR11(T=2, max_rel=3)",
        parameters=(TARGET, *SHARED),
        takes_cutoff=False,
        relate=relate,
        to_kernel=model_to_kernel("NERR11"),
        bounds=bounds,
    ),
)
