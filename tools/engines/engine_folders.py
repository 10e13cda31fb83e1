"""Where the search engines and the database that the tests start are kept, and which are there."""

from __future__ import annotations

import shutil
from pathlib import Path

SOURCES = Path(__file__).resolve().parent
INSTALLED = SOURCES.parent.parent / "target" / "engines"
SEARCH_ENGINES = ("elasticsearch", "elasticsearch8", "opensearch", "solr")
NAMES = (*SEARCH_ENGINES, "trino")


def sources(name: str) -> list[Path]:
    """Return the files that an installed engine is made of."""
    return [SOURCES / name / "pom.xml", SOURCES / name / "Server.java", SOURCES / "Ready.java"]


def stamp(name: str) -> Path:
    """Return the file that is written when an engine is installed: what its sources held."""
    return INSTALLED / name / "installed"


def wanted(name: str) -> str:
    """Return the content of the stamp of an up-to-date engine."""
    return "".join(path.read_text("utf-8") for path in sources(name))


def installed(name: str) -> Path | None:
    """Return the folder of an engine that can be started; None where there is none."""
    try:
        current = stamp(name).read_text("utf-8") == wanted(name)
    except FileNotFoundError:
        current = False
    return INSTALLED / name if current and shutil.which("java") else None
