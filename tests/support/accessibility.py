"""What axe finds wrong with a page in Chromium."""

from __future__ import annotations

from typing import Any

from requirements import need

__all__ = ["violations"]


def violations(page: Any, *, without: str = "") -> list[dict[str, Any]]:
    """Return the violations that axe finds, without those of a rule."""
    need("axe")
    from axe_playwright_python.base import AXE_SCRIPT

    if page.evaluate("window.axe === undefined"):
        page.evaluate(AXE_SCRIPT)
    # Otherwise axe describes each element that passes, too.
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if without:
        options["rules"] = {without: {"enabled": False}}
    found = page.evaluate("(options) => axe.run(options)", options)
    return list(found["violations"])
