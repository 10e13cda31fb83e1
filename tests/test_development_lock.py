"""The lock file for development, and the versions of tools in the workflows."""

from __future__ import annotations

import importlib.util
import re
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from requirements import ROOT

LOCK = (ROOT / "requirements-dev.txt").read_text("utf-8")
SYSTEMS = {
    "linux": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    "macos": {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
    "windows": {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def load_installer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("install", ROOT / "tools" / "install.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def environment(system: str, python: str) -> dict[str, str]:
    return {
        **SYSTEMS[system],
        "python_version": python,
        "python_full_version": f"{python}.9",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "extra": "",
    }


def locked_versions(system: str, python: str) -> dict[str, list[str]]:
    """Return the versions of each package that the lock names for a system and a Python."""
    versions: dict[str, list[str]] = {}
    for line in re.findall(r"^(\w.*==.*?) *\\?$", LOCK, re.MULTILINE):
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or marker.evaluate(environment(system, python)):
            (specifier,) = requirement.specifier
            versions.setdefault(canonicalize_name(requirement.name), []).append(specifier.version)
    return versions


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_each_requirement_is_locked_to_a_version_that_it_allows(system: str, python: str) -> None:
    versions = locked_versions(system, python)
    installer = load_installer()
    stated = [Requirement(text) for text in installer.requirements(installer.DEVELOPMENT)]
    assert len(stated) > 50
    for requirement in stated:
        marker = requirement.marker
        if marker is not None and not marker.evaluate(environment(system, python)):
            continue
        locked = versions.get(canonicalize_name(requirement.name), [])
        assert len(set(locked)) == 1, f"{requirement}: run python tools/install.py --lock"
        assert requirement.specifier.contains(locked[0]), f"{requirement} is locked to {locked[0]}"


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_no_package_is_locked_to_two_versions(system: str, python: str) -> None:
    versions = locked_versions(system, python)
    assert len(versions) > 150
    assert {name: found for name, found in versions.items() if len(set(found)) > 1} == {}


def test_each_locked_version_has_hashes() -> None:
    entries = re.split(r"^(?=\w)", LOCK, flags=re.MULTILINE)[1:]
    assert len(entries) > 150
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_lock_names_no_address() -> None:
    assert (
        re.findall(r"^.*(?:://|--(?:extra-)?index-url|--find-links).*$", LOCK, re.MULTILINE) == []
    )


def test_what_make_installs_into_its_environment_is_locked() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    stamps = re.findall(r"^\$\(STAMPS\)/\w+: GROUPS := (.+)", makefile, re.MULTILINE)
    groups = {name for line in stamps for name in line.split()}
    assert {"runtime", "development"} <= groups
    assert groups - {"development"} <= set(load_installer().DEVELOPMENT)


def test_workflows_install_tools_by_version() -> None:
    texts = [path.read_text("utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml")]
    cargo, pip = (
        [
            (command, word)
            for text in texts
            for command in re.findall(rf"{installer} install (.*?)(?: &&|$)", text, re.MULTILINE)
            for word in command.split()
            if re.fullmatch(r"[\w-]+(?:[@=].*)?", word) and not word.startswith("-")
        ]
        for installer in ("cargo", "pip")
    )
    assert len(cargo) >= 3
    assert [word for _, word in cargo if not re.search(r"@[\d.]+$", word)] == []
    assert len(pip) >= 5
    # The wheel that the workflow made, and what the lock file names the versions of.
    unpinned = {
        word
        for command, word in pip
        if not re.search(r"==[\d.]+$", word) and "--constraint requirements-dev.txt" not in command
    }
    assert unpinned <= {"dist", "gainful"}


def test_maturin_has_the_locked_version() -> None:
    (version,) = re.findall(r"^maturin==(\S+)", LOCK, re.MULTILINE)
    workflow = (ROOT / ".github" / "workflows" / "wheels.yml").read_text("utf-8")
    assert set(re.findall(r"maturin-version: v(.*)", workflow)) == {version}
    assert workflow.count("maturin-version:") == workflow.count("PyO3/maturin-action")
