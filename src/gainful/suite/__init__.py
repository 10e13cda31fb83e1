"""Systems on several collections: macro-averaged, compared, and never pooled."""

from __future__ import annotations

from gainful.suite.call import evaluate_suite
from gainful.suite.folder import Folder, read_folder
from gainful.suite.macro import Macro
from gainful.suite.result import Suite

__all__ = ["Folder", "Macro", "Suite", "evaluate_suite", "read_folder"]
