"""Python systems: functions, objects that search, and the retrievers of other libraries."""

from __future__ import annotations

from gainful.systems.python.callables import PythonSystem, as_python_system

__all__ = ["PythonSystem", "as_python_system"]
