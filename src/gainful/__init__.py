"""Gainful evaluates rankings.

nDCG and other measures, exact and fast, with named conventions.

>>> import gainful
>>> gainful.dcg([3, 0, 2])
4.0
>>> round(gainful.ndcg([3, 0, 2]), 4)
0.9386

`evaluate` measures runs against judgments, `compare` tests whether systems differ significantly,
`explain` shows how the value of a query is composed, `contrast` shows how two conventions differ,
`reconcile` finds the convention of a reported number. `gainful.measures` has the measures,
`gainful.conventions` the conventions, and `gainful.compat` drop-in replacements for other tools.
"""

from gainful._lazy import load_on_use

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful import baselines as baselines
    from gainful import compat as compat
    from gainful import errors as errors
    from gainful import measures as measures
    from gainful import plots as plots
    from gainful import report as report
    from gainful.abstention import measure_abstention as measure_abstention
    from gainful.agreement import analyze_power as analyze_power
    from gainful.agreement import compare_measures as compare_measures
    from gainful.agreement import compare_online as compare_online
    from gainful.bounds import headroom as headroom
    from gainful.comparison import Comparison as Comparison
    from gainful.comparison import compare as compare
    from gainful.contrasts import Contrast as Contrast
    from gainful.contrasts import contrast as contrast
    from gainful.conventions import Convention as Convention
    from gainful.conventions import Conventions
    from gainful.data import Qrels as Qrels
    from gainful.data import ReadOptions as ReadOptions
    from gainful.data import Run as Run
    from gainful.data import read_qrels as read_qrels
    from gainful.data import read_run as read_run
    from gainful.errors import GainfulError as GainfulError
    from gainful.evaluation import Evaluation as Evaluation
    from gainful.evaluation import evaluate as evaluate
    from gainful.evaluation.data_checks import strict as strict
    from gainful.explanation.call import explain as explain
    from gainful.explanation.result import Explanation as Explanation
    from gainful.formulas import cg as cg
    from gainful.formulas import dcg as dcg
    from gainful.formulas import idcg as idcg
    from gainful.formulas import ndcg as ndcg
    from gainful.gates import GateResult as GateResult
    from gainful.gates import gate as gate
    from gainful.gates import make_snapshot as make_snapshot
    from gainful.judging import JudgmentQuality as JudgmentQuality
    from gainful.judging import Ratings as Ratings
    from gainful.judging import assess_judgments as assess_judgments
    from gainful.judging import judge_llm as judge_llm
    from gainful.judging import read_ratings as read_ratings
    from gainful.location import Location as Location
    from gainful.location import locate as locate
    from gainful.measures import Measure as Measure
    from gainful.pooling import pool as pool
    from gainful.reconciliation import Reconciliation as Reconciliation
    from gainful.reconciliation import reconcile as reconcile
    from gainful.reproduction import Reproduction as Reproduction
    from gainful.reproduction import Verification as Verification
    from gainful.reproduction import reproduce as reproduce
    from gainful.reproduction import verify as verify
    from gainful.sampled import evaluate_sample as evaluate_sample
    from gainful.shards import analyze_shards as analyze_shards
    from gainful.suite import Suite as Suite
    from gainful.suite import evaluate_suite as evaluate_suite
    from gainful.suite import rank_results as rank_results
    from gainful.sweeps import Sweep as Sweep
    from gainful.sweeps import sweep as sweep
    from gainful.systems import search as search
    from gainful.trends import Trend as Trend
    from gainful.trends import trend as trend
    from gainful.unjudged import find_unjudged as find_unjudged
    from gainful.unjudged import sample_labels as sample_labels

    conventions: Conventions

load_on_use(
    globals(),
    {
        "abstention": ["measure_abstention"],
        "agreement": ["compare_measures", "compare_online", "analyze_power"],
        "bounds": ["headroom"],
        "comparison": ["Comparison", "compare"],
        "contrasts": ["Contrast", "contrast"],
        "conventions": ["Convention"],
        "data": ["Qrels", "ReadOptions", "Run", "read_qrels", "read_run"],
        "errors": ["GainfulError"],
        "evaluation": ["Evaluation", "evaluate"],
        "evaluation.data_checks": ["strict"],
        "explanation.result": ["Explanation"],
        "explanation.call": ["explain"],
        "formulas": ["cg", "dcg", "idcg", "ndcg"],
        "gates": ["GateResult", "gate", "make_snapshot"],
        "judging": ["JudgmentQuality", "Ratings", "assess_judgments", "judge_llm", "read_ratings"],
        "location": ["Location", "locate"],
        "measures": ["Measure"],
        "pooling": ["pool"],
        "reconciliation": ["Reconciliation", "reconcile"],
        "reproduction": ["Reproduction", "Verification", "reproduce", "verify"],
        "sampled": ["evaluate_sample"],
        "shards": ["analyze_shards"],
        "suite": ["Suite", "evaluate_suite", "rank_results"],
        "sweeps": ["Sweep", "sweep"],
        "systems": ["search"],
        "trends": ["Trend", "trend"],
        "unjudged": ["sample_labels", "find_unjudged"],
    },
    modules=("baselines", "compat", "conventions", "errors", "measures", "plots", "report"),
)
