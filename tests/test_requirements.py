"""What a test needs is found, or the test is skipped, or it fails where it was relied on."""

from __future__ import annotations

import re

import pytest

import requirements
from requirements import KINDS, RUST_PARTS, Kind, need, required


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(KINDS, "moon", Kind(lambda: None, "wait for the night"))
    return "moon"


def test_what_is_there_is_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "sun", Kind(lambda: "bright", "wait for the day"))
    assert need("sun") == "bright"


@pytest.mark.parametrize("value", [None, "", "golden", "golden, shared-data"])
def test_what_is_absent_is_skipped(
    value: str | None, absent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GAINFUL_REQUIRE", raising=False)
    if value is not None:
        monkeypatch.setenv("GAINFUL_REQUIRE", value)
    with pytest.raises(pytest.skip.Exception, match=r"needs moon \(for tides\), .* wait for the"):
        need(absent, "for tides")


@pytest.mark.parametrize("value", ["moon", "golden, moon", "all"])
def test_what_is_relied_on_fails(value: str, absent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAINFUL_REQUIRE", value)
    with pytest.raises(pytest.fail.Exception, match="needs moon, which is not here"):
        need(absent)


def test_a_misspelt_name_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAINFUL_REQUIRE", "polars,polers")
    with pytest.raises(pytest.UsageError, match="names polers, and tests ask for: bash"):
        required()


def test_ci_names_what_exists() -> None:
    script = (requirements.ROOT / ".ci" / "run").read_text("utf-8")
    (value,) = re.findall(r"GAINFUL_REQUIRE=(\S+)", script)
    assert set(value.split(",")) <= KINDS.keys() | RUST_PARTS
