"""Coverage and error rates are within their limits, as the page *Statistics: evidence* shows."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from combinations import ALL
from requirements import ROOT, need

sys.path.insert(0, str(ROOT / "docs"))


def evidence() -> ModuleType:
    """Return docs/evidence/__main__.py."""
    return importlib.import_module("evidence.__main__")


STUDIES = list(evidence().STUDIES)
#: The studies that the demo is too small for.
LARGE = {
    *("corpus-shards", "easy-queries", "effective-sizes", "model-judges", "model-verdicts"),
    "spread-judges",
}
#: What is enough of the modules of studies: rows in which a wrong method fails the limits, chosen
#: with the numbers of simulations.
PARTS: dict[str, dict[str, object]] = {
    "all_pairs": {"SIZES": (80,)},
    "confidence_sequences": {"LOOKS": (10, 50, 200)},
    "corpus_shards": {"PARTITIONS": {2: 1, 5: 1, 10: 1}, "SYSTEMS": 4},
    "differences": {"SIZES": (10, 25)},
    "equivalence": {"SIZES": (25, 100)},
    "few_differences": {"SHARES": (0.04, 0.1, 0.25), "SIZES": (20, 80)},
    "model_judges": {"MEASURED": ("willia-umbrela1", "Olz-halfbin"), "SIZES": (15, 25)},
    "new_collections": {"COUNTS": (3, 20)},
    "pools": {"BUDGETS": (10,)},
    "posterior": {"SIZES": (25, 200)},
    "predictions": {"SIZES": (15, 100)},
    "repeated_gates": {"GROWTH": range(20, 301, 20)},
    "reported_numbers": {"MEASURES": ("AP@100",), "RUNS": ("fts5-tuned",)},
    "reproductions": {"RATIOS": (0.9,)},
    "sample_rounds": {"MOST": 6, "REDRAWN": 2},
    "sampled_judgments": {"BUDGETS": (6, 20), "FEW_DOCUMENTS": (4, 6), "SYSTEMS": 2},
    "sampled_predictions": {"BUDGETS": (6,), "SHARES": (0.0, 0.2, 1.0)},
    "skewed_differences": {"SIZES": (20, 100)},
    "slice_differences": {"SIZES": ((5, 5), (5, 50), (10,) * 6)},
    "unequal_collections": {"INTERVAL_SIZES": ((5, 5), (5, 50), (5,) * 8)},
}
NUMBER = re.compile(r"(\d+\.\d+)%")


def leave_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let studies simulate only parts of their tables."""
    for name, module in list(sys.modules.items()):
        if name.startswith("evidence."):
            for part, value in PARTS.get(name.removeprefix("evidence."), {}).items():
                monkeypatch.setattr(module, part, value)
            # Levels are multiples of 1/200, so that tests of 199 resamples are exact.
            monkeypatch.setattr(module, "RESAMPLES", 199, raising=False)


def leave_only_the_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let studies draw from the demo's queries alone, as where the shared folder is not."""
    for name, module in list(sys.modules.items()):
        if name.startswith("evidence.") and hasattr(module, "ROBUST"):
            monkeypatch.setattr(module, "ROBUST", Path("none/robust03"))


@pytest.mark.parametrize("name", STUDIES)
def test_rates_of_few_simulations_are_within_their_limits(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("bm25s", "the demo's baselines")
    if name in LARGE:
        need("shared-data", "more queries and relevant documents than the demo has")
    elif not ALL:
        leave_only_the_demo(monkeypatch)
    if not ALL:
        leave_parts(monkeypatch)
    study, _, simulations = evidence().STUDIES[name]
    table = study(simulations)
    assert table.rows
    assert list(table.failures) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_the_tables_show_the_rates_of_all_simulations(name: str) -> None:
    need("shared-data", "the runs that the page's figures are about")
    need("bm25s", "the demo's baselines")
    module = evidence()
    study, simulations, _ = module.STUDIES[name]
    table = study(simulations)
    assert list(table.failures) == []
    shown = module.read_tables(module.TABLES.read_text(encoding="utf-8"))[name]
    documented = [float(text) for text in NUMBER.findall(shown.markdown())]
    found = [float(text) for text in NUMBER.findall(table.markdown())]
    # Another SciPy draws other resamples.
    assert documented == pytest.approx(found, abs=0.5)


def test_every_study_has_a_table_and_a_place_on_the_page() -> None:
    module = evidence()
    for path in (module.TABLES, module.PAGE):
        text = path.read_text(encoding="utf-8")
        assert [match[2] for match in module.PART.finditer(text)] == STUDIES


def test_the_page_shows_rows_of_the_tables() -> None:
    module = evidence()
    page, tables = (path.read_text(encoding="utf-8") for path in (module.PAGE, module.TABLES))
    assert module.replace_tables(page, module.read_tables(tables)) == page, "docs/evidence --page"
    assert module.replace_tables(tables, module.read_tables(tables)) == tables


def test_a_rate_outside_its_limits_is_a_failure() -> None:
    module = importlib.import_module("evidence.errors_of_tests")
    assert not module.Rate("t", "normal", 20, found=0.08, most=0.0587).passed
    assert not module.Rate("t", "normal", 20, found=0.03, most=0.0587, least=0.0413).passed
    assert module.Rate("t", "normal", 20, found=0.05, most=0.0587, least=0.0413).passed
