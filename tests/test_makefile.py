"""The targets of `make`, and its messages if the machine lacks a requirement."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from requirements import ROOT, need

MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the repository, free of the settings of the make that runs the tests."""
    inherited = {name: text for name, text in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        [str(word) for word in command],
        cwd=ROOT,
        env=inherited | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_help_names_every_target() -> None:
    """Each target that makes no file has a comment, and is one of the phony ones."""
    need("checkout")
    targets = set(re.findall(r"^([a-z][a-z-]*):", MAKEFILE, re.MULTILINE))
    described = set(re.findall(r"^make ([a-z-]+) ", run("make", "help").stdout, re.MULTILINE))
    assert described == targets - {"help"}
    assert len(described) > 20
    assert len(MAKEFILE.encode()) <= 6 * 1024, "logic belongs into tools"


def test_demo_builds_nothing_twice_and_says_what_to_type_next() -> None:
    need("checkout")
    # The stamp is called old so that a change made while tests run builds nothing under them.
    command = ("make", "demo", "--assume-old=.venv/.stamps/installed")
    done = run(*command)
    assert done.returncode == 0, done.stderr
    assert "maturin" not in done.stdout
    assert "gainful " in "".join(done.stdout.splitlines(keepends=True)[-8:])


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Return a folder to be the whole PATH of a machine that has a linker and bash."""
    need("bash")
    for program in ("bash", "env"):
        (tmp_path / program).symlink_to(str(shutil.which(program)))
    install(tmp_path, "cc", "")
    return tmp_path


def install(machine: Path, program: str, answer: str) -> None:
    path = machine / program
    path.write_text(f"#!/usr/bin/env bash\necho '{answer}'\n")
    path.chmod(0o755)


def check_toolchain(machine: Path) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, "tools/check_toolchain.py", PATH=str(machine))


def test_a_complete_toolchain_prints_nothing(machine: Path) -> None:
    install(machine, "cargo", "cargo 999.0.0-nightly (abc 2035-01-01)")
    install(machine, "rustc", "rustc 999.0.0-nightly (abc 2035-01-01)")
    done = check_toolchain(machine)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_without_rust_the_message_says_how_to_install_it(machine: Path) -> None:
    done = check_toolchain(machine)
    assert done.returncode == 1
    assert re.match(r"cargo 1\.\d+ or newer is needed, and there is none\.", done.stderr)
    assert "https://sh.rustup.rs" in done.stderr


@pytest.mark.parametrize(
    ("rustup", "remedy"), [(True, "rustup update stable"), (False, "https://sh.rustup.rs")]
)
def test_an_old_rust_is_named_with_its_version(rustup: bool, remedy: str, machine: Path) -> None:
    install(machine, "cargo", "cargo 1.9.0")
    install(machine, "rustc", "rustc 1.9.0")
    if rustup:
        install(machine, "rustup", "")
    done = check_toolchain(machine)
    assert done.returncode == 1
    assert "; this is 1.9.0." in done.stderr
    assert remedy in done.stderr


def test_without_a_linker_every_problem_is_reported_at_once(machine: Path) -> None:
    (machine / "cc").unlink()
    done = check_toolchain(machine)
    assert done.returncode == 1
    assert "A C linker is needed" in done.stderr
    assert "cargo" in done.stderr


def test_the_tests_of_the_kernel_build_no_dependency_again() -> None:
    """Its dependencies have the features with which they were built for the wheel."""
    need("checkout")

    def features(*packages: str) -> dict[str, str]:
        form = ("--edges", "features,all", "--prefix", "none", "--format", "{p}|{f}")
        done = run("cargo", "tree", "--locked", *form, *packages)
        assert done.returncode == 0, done.stderr
        lines = [line.removesuffix(" (*)") for line in done.stdout.splitlines() if "|" in line]
        return dict(line.split("|") for line in lines)

    wheel = features("--package", "gainful-python")
    tests = features("--package", "gainful-core")
    shared = {name: listed for name, listed in tests.items() if name in wheel}
    assert len(shared) > 50
    assert {name: wheel[name] for name in shared} == shared


def test_changelog_fragments_are_well_formed() -> None:
    need("towncrier")
    done = run(
        sys.executable, "-m", "towncrier", "build", "--draft", "--version", "0", "--date", "today"
    )
    assert done.returncode == 0, done.stdout + done.stderr
