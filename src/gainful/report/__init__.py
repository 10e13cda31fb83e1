"""The HTML report: `make_report` gathers what it shows, and the `Report` writes the page.

The page is one file: a document whose tables are there without any program, data packed beside
them, and programs (``assets/``) that draw charts and list queries.
"""

from __future__ import annotations

from gainful.report.report import MEASURES, Report, Source, make_report

__all__ = ["MEASURES", "Report", "Source", "make_report"]
