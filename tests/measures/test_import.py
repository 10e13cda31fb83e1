"""Parsing a measure loads only its family."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "dataclasses", "typing", "inspect", "enum", "functools", "re", "difflib", "importlib.metadata",
    "numpy", "scipy", "ast", "json", "collections",
}  # fmt: skip


def loaded_by(code: str) -> set[str]:
    """Return the modules that running the code adds, in an interpreter without site packages."""
    source = sys.modules["gainful"].__path__[0]
    program = (
        f"import sys; sys.path.insert(0, {source!r} + '/..'); before = set(sys.modules); {code}; "
        "print(*(set(sys.modules) - before))"
    )
    command = [sys.executable, "-I", "-S", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "code",
    [
        "import gainful.measures, gainful.conventions",
        "from gainful.measures import parse_measure as p; p('nDCG(gain=exponential)@10').spec()",
        "from gainful.measures import parse_measures; parse_measures('ndcg_cut.5,10 map MRR@10')",
        "import gainful.conventions as c; str(c['trec_eval']), c.get().spec()",
    ],
)
def test_nothing_heavy_is_loaded(code: str) -> None:
    found = loaded_by(code)
    assert "gainful.errors" in found
    assert not found & HEAVY


def test_only_the_named_family_is_loaded() -> None:
    found = loaded_by("from gainful.measures import parse_measure; parse_measure('NDCG@10')")
    definitions = {name for name in found if name.startswith("gainful.measures.definitions.")}
    assert definitions == {"gainful.measures.definitions.cumulated_gain"}


def test_no_family_is_loaded_before_it_is_named() -> None:
    found = loaded_by("import gainful.measures, gainful.conventions")
    assert not {name for name in found if "definitions" in name or "notation" in name}
