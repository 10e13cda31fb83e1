"""HTML reports: `make_report` evaluates and compares runs, and a `Report` writes the page.

The page is one file. Its tables are static HTML; the scripts in ``assets/`` draw charts and list
queries from data packed into the page.
"""

from __future__ import annotations

from gainful.report.report import MEASURES, Report, ReportSource, make_report

__all__ = ["MEASURES", "Report", "ReportSource", "make_report"]
