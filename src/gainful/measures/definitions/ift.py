"""The information foraging measure."""

from __future__ import annotations

from gainful.measures.definitions.cwl import SHARED, bounds, model_to_kernel, relate
from gainful.measures.family import Family
from gainful.measures.parameters import Parameter, number, number_between, one_of

STOPS = Parameter(
    "stops",
    one_of("goal-rate", "goal", "rate"),
    legal="'goal-rate', 'goal' or 'rate'",
    meaning="when the user stops",
    values=(
        "'goal' at a total gain of T, 'rate' at a gain per document below A, 'goal-rate' at either"
    ),
    default="goal-rate",
)


def _number(name: str, meaning: str, default: float) -> Parameter:
    return Parameter(name, number, legal="a number", meaning=meaning, default=default)


def _weight(name: str, of: str) -> Parameter:
    return Parameter(
        name,
        number_between(0, low_open=True),
        legal="a number above 0",
        meaning=f"the odds to {of} exactly at the target",
        default=0.9,
    )


FAMILIES = (
    Family(
        "IFT",
        kernel="cwl",
        group="user-models",
        summary=(
            "Information foraging: gain per document of a user who stops at a goal or at a low "
            "rate of gain"
        ),
        formula="EU of C(r) = (1 - 1 / (1 + b1 * e^((T - G(r)) * R1))) / "
        "(1 + b2 * e^((A - G(r) / r) * R2)), with G(r) the gains of the first r documents",
        source="L. Azzopardi, P. Thomas, N. Craswell: Measuring the utility of search engine "
        "result pages: an information foraging based measure. SIGIR 2018",
        example="IFT(stops='goal', T=3, max_rel=3)",
        parameters=(
            STOPS,
            _number("T", "the user's target for the total gain", 2),
            _weight("b1", "go on"),
            _number("R1", "the sensitivity to T", 10),
            _number("A", "the gain per document that the user expects", 0.2),
            _weight("b2", "stop"),
            _number("R2", "the sensitivity to A", 10),
            *SHARED,
        ),
        takes_cutoff=False,
        relate=relate,
        to_kernel=model_to_kernel("IFT"),
        bounds=bounds,
    ),
)
