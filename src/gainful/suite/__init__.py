"""Systems on several collections: macro-averaged, compared, and never pooled."""

from __future__ import annotations

from gainful.suite.call import evaluate_suite
from gainful.suite.folder import Folder, read_folder
from gainful.suite.macro import Macro
from gainful.suite.result import Suite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.suite.comparison import SuiteComparison

__all__ = ["Folder", "Macro", "Suite", "SuiteComparison", "evaluate_suite", "read_folder"]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        # Only a comparison needs NumPy at once.
        if name == "SuiteComparison":
            from gainful.suite.comparison import SuiteComparison

            return SuiteComparison
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
