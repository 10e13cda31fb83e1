"""The local web page on which people judge the documents of a session."""

from __future__ import annotations

from gainful.judging_page.access import Access, Role
from gainful.judging_page.application import make_app

__all__ = ["Access", "Role", "make_app"]
