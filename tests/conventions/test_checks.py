"""The checks of presets: every claim about a tool's measure is compared with the tool's output."""

from __future__ import annotations

import json
from functools import cache

import pytest

import gainful
from gainful.conventions import Preset, get, presets
from gainful.conventions.checks import COMMON, RECORDS
from gainful.conventions.description import EVIDENCE
from gainful.conventions.presets import record_of
from gainful.errors import ConventionError, MeasureError
from gainful.measures import parse_measure
from requirements import ROOT

#: The tolerance of tools that compute with 32-bit floats.
SINGLE = 2e-6
TOLERANCES = {
    preset.name: SINGLE
    for preset in presets()
    if preset.name.startswith(("torchmetrics", "rax", "tensorflow", "catboost", "xgboost"))
}
CLAIMS = [
    pytest.param(preset, family, id=f"{preset.name} {family}")
    for preset in presets()
    for family, check in preset.checks.items()
    if record_of(preset, check) is not None
]


@cache
def stored(path: str) -> dict:
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


@cache
def family_of(measure: str) -> str:
    return parse_measure(measure).family


def outputs(preset: Preset, family: str) -> list[tuple[str, str, float]]:
    """Return the tool's output: collection, measure, mean."""
    return [
        (name, measure, value)
        for name, values in stored(f"{RECORDS}/{preset.name}.json").items()
        for measure, value in values.items()
        if family_of(measure) == family
    ]


def ours(name: str, measure: str, convention: gainful.Convention) -> float:
    """Return Gainful's mean of a measure on a stored collection."""
    data = stored(f"{RECORDS}/collections.json")[name]
    return gainful.evaluate(data["qrels"], data["run"], measure, convention=convention).mean()


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.name)
def test_a_preset_accounts_for_the_common_measures(preset: Preset) -> None:
    assert set(preset.checks) >= set(COMMON)
    for check in preset.checks.values():
        assert check.status in ("equal", "different", "absent")
        assert (check.status == "different") <= bool(check.text)
        assert (check.evidence or preset.evidence) in EVIDENCE
        # A path in the repository is a test.
        if check.where is not None and not check.where.startswith("https://"):
            assert (ROOT / check.where).is_file()


@pytest.mark.parametrize(("preset", "family"), CLAIMS)
def test_the_output_of_the_tool(preset: Preset, family: str) -> None:
    """Equal measures have the tool's values; for different ones a value differs."""
    check = preset.checks[family]
    found = outputs(preset, family)
    assert found, f"{preset.name} was not run for {family}"
    tolerance = TOLERANCES.get(preset.name, 1e-9)
    if check.status == "equal":
        for name, measure, value in found:
            mean = ours(name, measure, get(preset.name))
            assert mean == pytest.approx(value, rel=tolerance, abs=tolerance), (name, measure)
        return
    renamed = get(preset.name).replace(name="renamed")
    try:
        assert any(
            ours(name, measure, renamed) != pytest.approx(value, rel=1e-7)
            for name, measure, value in found
        )
    except ConventionError as error:
        assert "is not defined for ties" in str(error)
    with pytest.raises(MeasureError, match=f"is not equal to {check.names[0]} of {preset.name}"):
        ours(found[0][0], found[0][1], get(preset.name))


def test_every_record_belongs_to_a_preset() -> None:
    names = {preset.name for preset in presets()}
    files = {path.stem for path in (ROOT / RECORDS).glob("*.json")} - {"collections"}
    assert files <= names
