"""Plan numbers of queries, compare measures, and validate offline measures online.

`analyze_power` computes the number of queries required to detect a difference, `compare_measures`
the discriminative power and agreement of measures, and `compare_online` the agreement of offline
with online differences.
"""

from __future__ import annotations

from gainful._lazy import load_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.agreement.measures import Discrimination as Discrimination
    from gainful.agreement.measures import MeasureAgreement as MeasureAgreement
    from gainful.agreement.measures import MeasurePair as MeasurePair
    from gainful.agreement.measures import SystemPair as SystemPair
    from gainful.agreement.measures import agreement_of as agreement_of
    from gainful.agreement.measures import compare_measures as compare_measures
    from gainful.agreement.online import Experiment as Experiment
    from gainful.agreement.online import OnlineAgreement as OnlineAgreement
    from gainful.agreement.online import OnlinePrediction as OnlinePrediction
    from gainful.agreement.online import OnlineSeries as OnlineSeries
    from gainful.agreement.online import compare_online as compare_online
    from gainful.agreement.power import PastEvaluation as PastEvaluation
    from gainful.agreement.power import analyze_power as analyze_power
    from gainful.agreement.power import past_evaluation as past_evaluation
    from gainful.agreement.power import read_past as read_past
    from gainful.agreement.power_result import MeasurePower as MeasurePower
    from gainful.agreement.power_result import PastSpread as PastSpread
    from gainful.agreement.power_result import PowerAnalysis as PowerAnalysis

load_on_use(
    globals(),
    {
        "online": [
            "Experiment",
            "compare_online",
            "OnlineAgreement",
            "OnlinePrediction",
            "OnlineSeries",
        ],
        "measures": [
            "agreement_of",
            "compare_measures",
            "Discrimination",
            "MeasureAgreement",
            "MeasurePair",
            "SystemPair",
        ],
        "power": ["PastEvaluation", "past_evaluation", "read_past", "analyze_power"],
        "power_result": ["MeasurePower", "PastSpread", "PowerAnalysis"],
    },
)
