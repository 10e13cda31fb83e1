"""The local web page on which people judge the documents of a session."""

from __future__ import annotations

from gainful.judging_page.application import make_app
from gainful.judging_page.server import Access, Role

__all__ = ["Access", "Role", "make_app"]
