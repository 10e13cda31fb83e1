"""A test without its requirement is skipped, or fails if the requirement is mandatory."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gainful.conventions.presets import load
from requirements import (
    KINDS,
    ROOT,
    SUITES,
    TEST,
    TORCH,
    Kind,
    asked_by,
    expected_by,
    files_of,
    need,
    required,
)


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


@pytest.mark.parametrize("suite", SUITES)
def test_tests_ask_for_what_was_installed_for_them(suite: str) -> None:
    """A suite uses its own requirements and those of `make test`, and each of its own."""
    own, asked = SUITES[suite][0], asked_by(suite)
    assert asked <= TEST.keys() | own.keys() | (TORCH.keys() if suite == "tools" else set())
    assert len(files_of(suite)) > 9
    texts = "".join(file.read_text("utf-8") for file in files_of(suite))
    unused = [name for name in own if not re.search(rf"[\"']{re.escape(name)}[\"']", texts)]
    assert unused == []


def test_a_suite_expects_what_its_tests_ask_for() -> None:
    assert {"pandas", "clippy", "chromium", "sphinx"} <= expected_by("test")
    assert not expected_by("test") & {"other-pythons", "ranx", "torch"}
    assert {"ranx", "scikit-learn", "sqlglot"} <= expected_by("tools")
    assert "torch" in expected_by("tools", torch=True) - expected_by("tools")
    assert {"trino", "solr"} <= expected_by("engines")


def test_ci_requires_what_the_list_says(tmp_path: Path) -> None:
    for name in ("ci", "workflow", "debian"):
        done = subprocess.run(
            [sys.executable, "-I", str(ROOT / "tests/support/requirements.py"), name],
            capture_output=True,
            text=True,
            check=True,
            env={"PATH": str(tmp_path)},
        )
        words = done.stdout.strip().replace(",", " ").split()
        assert "strace" in words or name == "workflow"
        assert "pandas" in words or name == "debian"
        assert words == sorted(set(words))


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
