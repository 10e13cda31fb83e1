"""The HTML report: `make_report` gathers what it shows, and the `Report` writes the page.

The page is one file. Its tables need no program; its data are packed into it, and the programs of
``assets/`` draw charts and list queries from them.
"""

from __future__ import annotations

from gainful.report.report import MEASURES, Report, Source, make_report

__all__ = ["MEASURES", "Report", "Source", "make_report"]
