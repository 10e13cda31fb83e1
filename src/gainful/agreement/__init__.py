"""What past evaluations are good for: planning the next, choosing a measure, trusting one.

`power_analysis` tells how many queries find a difference, `compare_measures` what each measure
decides about the same systems, and `compare_online` how offline differences went online.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.agreement.experiments import Experiment
    from gainful.agreement.measures import agreement_of, compare_measures
    from gainful.agreement.measures_result import (
        Discrimination,
        MeasureAgreement,
        MeasurePair,
        SystemPair,
    )
    from gainful.agreement.online import compare_online
    from gainful.agreement.online_result import OnlineAgreement, OnlineSeries
    from gainful.agreement.past import PastEvaluation, past_evaluation, read_past
    from gainful.agreement.power import power_analysis
    from gainful.agreement.power_result import MeasurePower, PastSpread, PowerAnalysis

# Each name with the module that it is loaded from when first used.
_PLACES = {
    "Discrimination": "measures_result",
    "Experiment": "experiments",
    "MeasureAgreement": "measures_result",
    "MeasurePair": "measures_result",
    "MeasurePower": "power_result",
    "OnlineAgreement": "online_result",
    "OnlineSeries": "online_result",
    "PastEvaluation": "past",
    "PastSpread": "power_result",
    "PowerAnalysis": "power_result",
    "SystemPair": "measures_result",
    "agreement_of": "measures",
    "compare_measures": "measures",
    "compare_online": "online",
    "past_evaluation": "past",
    "power_analysis": "power",
    "read_past": "past",
}

__all__ = [
    "Discrimination",
    "Experiment",
    "MeasureAgreement",
    "MeasurePair",
    "MeasurePower",
    "OnlineAgreement",
    "OnlineSeries",
    "PastEvaluation",
    "PastSpread",
    "PowerAnalysis",
    "SystemPair",
    "agreement_of",
    "compare_measures",
    "compare_online",
    "past_evaluation",
    "power_analysis",
    "read_past",
]


# Hidden from type checkers, which would else believe in every name.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        place = _PLACES.get(name)
        if place is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"gainful.agreement.{place}"), name)
