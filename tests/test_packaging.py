"""What is released: the files of packages, actions and citations agree with pyproject.toml."""

from __future__ import annotations

import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from requirements import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]["version"]


def spaced(requirement: str) -> str:
    return re.sub(r"^([\w.-]+)([<>=])", r"\1 \2", requirement)


def test_the_conda_recipe_has_the_same_requirements() -> None:
    recipe = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text("utf-8")
    assert f'version: "{VERSION}"' in recipe
    (run,) = re.findall(r"^  run:\n((?:    - .*\n)+)", recipe, re.MULTILINE)
    needed = {line.removeprefix("    - ") for line in run.splitlines()}
    stated = {f"python {PROJECT['requires-python']}", *map(spaced, PROJECT["dependencies"])}
    assert needed == stated
    for name, place in PROJECT["scripts"].items():
        assert f"- {name} = {place}\n" in recipe
    (constraints,) = re.findall(r"^  run_constraints:\n((?:    - .*\n)+)", recipe, re.MULTILINE)
    optional = {spaced(r) for group in PROJECT["optional-dependencies"].values() for r in group}
    assert {line.removeprefix("    - ") for line in constraints.splitlines()} <= optional


def test_actions_are_pinned_to_commits() -> None:
    example = ROOT / "examples" / "ci" / "search-quality.yml"
    used = [
        (path.name, line)
        for path in [*sorted((ROOT / ".github" / "workflows").glob("*.yml")), example]
        for line in re.findall(r"uses: (.+)", path.read_text("utf-8"))
    ]
    assert used
    pinned = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v[\d.]+")
    assert [(name, line) for name, line in used if not pinned.fullmatch(line)] == []
    installed = re.findall(r"pip install (.+)", example.read_text("utf-8"))
    assert installed == [f"'gainful[search]=={VERSION}'"]


def test_the_citation_names_the_project() -> None:
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"license: {PROJECT['license']}\n" in citation
    assert f"repository-code: {PROJECT['urls']['Homepage']}\n" in citation


def test_the_links_of_the_readme_work_in_a_clone() -> None:
    """They are relative, and name a file of the repository, with a heading or a label in it."""
    readme = (ROOT / "README.md").read_text("utf-8")
    links = re.findall(r"\]\(([^)]+)\)", readme)
    assert len(links) > 30
    for link in links:
        name, _, heading = link.partition("#")
        assert (ROOT / name).is_file(), link
        if heading:
            text = (ROOT / name).read_text("utf-8")
            headings = re.findall(r"^#+ (.*)", text, re.MULTILINE)
            slugs = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings}
            assert heading in slugs | set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE)), link


def test_the_readme_fits_its_length() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150


def test_the_wheel_has_a_bill_of_materials() -> None:
    """Maturin writes it; scanners find the Rust crates of the kernel in it."""
    files = importlib.metadata.files("gainful") or []
    found = [file for file in files if file.match("*.dist-info/sboms/*.cyclonedx.json")]
    assert len(found) == 1
    content = json.loads(found[0].read_text())
    names = {component["name"] for component in content["components"]}
    assert {"gainful-core", "parquet", "arrow-ipc", "flate2"} <= names


def test_released_wheels_optimize_every_dependency() -> None:
    """A profile inherits the lines of another for single packages, which precede those for all."""
    profiles = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["profile"]
    quick, released = (profiles[name]["package"] for name in ("release", "dist"))
    assert released["*"]["opt-level"] == 3
    assert quick.keys() <= released.keys()
    # The others only run in the build.
    shipped = [name for name in released if name.startswith(("arrow", "parquet", "num"))]
    assert {released[name]["opt-level"] for name in shipped} == {3, "s"}


def test_the_notices_name_every_crate_of_the_wheel() -> None:
    """After a change of the crates, tools/write_notices.py writes the file again."""
    assert PROJECT["license-files"] == ["LICENSE", "THIRD-PARTY-NOTICES.txt"]
    text = (ROOT / "THIRD-PARTY-NOTICES.txt").read_text("utf-8")
    noticed = dict(re.findall(r"^([\w-]+) (\d\S+): ", text, re.MULTILINE))
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text("utf-8"))["package"]
    locked = {(package["name"], package["version"]) for package in lock}
    assert noticed.items() <= locked
    for part in ("core", "python"):
        manifest = tomllib.loads((ROOT / "kernel" / part / "Cargo.toml").read_text("utf-8"))
        assert manifest["dependencies"].keys() - {"gainful-core"} <= noticed.keys()


def test_the_page_about_installation_lists_the_extras() -> None:
    page = (ROOT / "docs" / "install.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == [
        *(name for name in PROJECT["optional-dependencies"] if name not in ("all", "spark")),
        *("all", "spark"),
    ]


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """Return a copy of the files that a release is checked by, ready for it."""
    for name in ("Cargo.toml", "packaging/conda/recipe.yaml", "tools/release_notes.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    start = "<!-- towncrier release notes start -->"
    assert start in (ROOT / "CHANGELOG.md").read_text("utf-8")
    new, old = f"## {VERSION} (2030-01-31)\n\nNew.\n", "## 0.0.1 (2029-01-01)\n\nOld.\n"
    (tmp_path / "CHANGELOG.md").write_text(f"{start}\n\n{new}\n{old}", "utf-8")
    return tmp_path


def notes(release: Path, tag: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, release / "tools" / "release_notes.py", tag],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_notes_of_a_release_are_its_entry_in_the_changelog(release: Path) -> None:
    done = notes(release, f"v{VERSION}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "New.\n", "")


def test_a_tag_that_is_not_the_version_is_not_released(release: Path) -> None:
    done = notes(release, "v99.0.0")
    assert done.returncode == 1
    assert done.stderr == f"error: the tag is v99.0.0, and the version in Cargo.toml {VERSION}\n"


def test_a_release_needs_a_changelog_and_a_recipe(release: Path) -> None:
    changelog = release / "CHANGELOG.md"
    text = changelog.read_text("utf-8").replace("(2030-01-31)", "(not released yet)")
    changelog.write_text(text, "utf-8")
    (release / "changelog.d").mkdir()
    (release / "changelog.d" / "7.added.md").write_text("More.\n", "utf-8")
    recipe = release / "packaging" / "conda" / "recipe.yaml"
    recipe.write_text(recipe.read_text("utf-8").replace(VERSION, "0.0.1"), "utf-8")
    done = notes(release, f"v{VERSION}")
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    for line, words in zip(lines, ("recipe.yaml", "(not released yet)", "7.added.md"), strict=True):
        assert line.startswith("error: ")
        assert words in line


def test_nothing_is_built_before_the_tag_is_checked() -> None:
    workflow = (ROOT / ".github" / "workflows" / "wheels.yml").read_text("utf-8")
    needs = dict(
        re.findall(r"^  (\w+):\n(?:    if: .*\n)?    needs: (.*)$", workflow, re.MULTILINE)
    )
    assert needs == {
        "wheels": "version",
        "sdist": "version",
        "test": "[wheels, sdist]",
        "publish": "test",
    }
    _, _, version = workflow.partition("\n  version:\n")
    assert "tools/release_notes.py" in version.partition("\n\n")[0]
