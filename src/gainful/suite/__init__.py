"""Evaluate and compare systems on several collections, by macro-averages."""

from __future__ import annotations

from gainful._lazy import load_on_use
from gainful.suite.call import Folder, evaluate_suite, read_folder
from gainful.suite.macro import Macro
from gainful.suite.result import Suite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.suite.comparison import SuiteComparison
    from gainful.suite.leaderboard import Leaderboard, rank_results
    from gainful.suite.result_files import ResultFiles, read_results

__all__ = [
    "Folder",
    "Leaderboard",
    "Macro",
    "ResultFiles",
    "Suite",
    "SuiteComparison",
    "evaluate_suite",
    "rank_results",
    "read_folder",
    "read_results",
]

# Only comparisons need NumPy, so load them on first use.
load_on_use(
    globals(),
    {
        "comparison": ["SuiteComparison"],
        "leaderboard": ["Leaderboard", "rank_results"],
        "result_files": ["ResultFiles", "read_results"],
    },
)
