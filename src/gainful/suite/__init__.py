"""Evaluate and compare systems on several collections, by macro-averages."""

from __future__ import annotations

from gainful._lazy import load_on_use
from gainful.suite.call import evaluate_suite
from gainful.suite.folder import Folder, read_folder
from gainful.suite.macro import Macro
from gainful.suite.result import Suite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.suite.comparison import SuiteComparison

__all__ = ["Folder", "Macro", "Suite", "SuiteComparison", "evaluate_suite", "read_folder"]

# Only comparisons need NumPy, so load them on first use.
load_on_use(globals(), {"comparison": ["SuiteComparison"]})
