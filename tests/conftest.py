"""Fixtures of all tests: requirements, the shared folders, a folder of small files."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
import time
import tomllib
from collections.abc import Callable, Generator, Iterator
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
# The folders that modules of tests are imported from are those that ruff knows.
with (ROOT / "pyproject.toml").open("rb") as settings:
    FOLDERS = tomllib.load(settings)["tool"]["ruff"]["src"]
sys.path[:0] = [str(ROOT / name) for name in FOLDERS if name not in {"src", "benchmarks"}]


class Finder:
    """Finds modules before pytest, which rewrites those of tests.

    It would rewrite all of ``PACKAGES``, too, which have plugins. Rewritten tests are kept in
    target, because rewriting takes half of the time to collect them; other bytecode is not written.
    """

    PACKAGES = ("gainful", "hypothesis")
    KEPT = str(ROOT / "target/bytecode")

    @classmethod
    def find_spec(cls, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Say where the bytecode of a module goes; return where one of these packages is."""
        is_test = any(Path(folder).is_relative_to(ROOT / "tests") for folder in path or ())
        sys.pycache_prefix, sys.dont_write_bytecode = cls.KEPT if is_test else None, not is_test
        is_theirs = name.partition(".")[0] in cls.PACKAGES
        return PathFinder.find_spec(name, path, target) if is_theirs else None


sys.meta_path.insert(0, Finder)

import combinations  # noqa: E402
import requirements  # noqa: E402
from postgres_server import PostgresServer  # noqa: E402

# Before Hypothesis is imported, and for those who start pytest past the Makefile.
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(ROOT / "target" / "hypothesis"))
# Reports store the script that draws charts.
os.environ.setdefault("GAINFUL_CACHE", str(ROOT / "target" / "cache"))
import hypothesis  # noqa: E402

# No deadline: a busy machine is no bug. The same examples each time where a failure must mean a
# change in the code; new ones each time where somebody is looking.
COUNT = 100 if combinations.ALL else 50
hypothesis.settings.register_profile("explore", deadline=None, print_blob=True, max_examples=COUNT)
hypothesis.settings.register_profile(
    "fixed", deadline=None, derandomize=True, database=None, max_examples=COUNT
)
hypothesis.settings.load_profile("fixed" if os.environ.get("GAINFUL_REQUIRE") else "explore")

SMALL_FILES = ROOT / "tests" / "documentation"


#: When `make quick` starts no further tests: it sets GAINFUL_SECONDS.
END = time.monotonic() + float(os.environ.get("GAINFUL_SECONDS", "inf"))


def pytest_configure() -> None:
    """Refuse a misspelt ``GAINFUL_REQUIRE`` before the first test, and let programs be interrupted.

    What a shell starts in the background ignores interrupts, and so does what that starts.
    """
    requirements.required()
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_runtest_setup() -> None:
    """Skip what `make quick` leaves to `make test`."""
    if time.monotonic() > END:
        pytest.skip("left to `make test`")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without searching for garbage: modules and tests are none, then or later.

    Each process of tests collects all of them, and half of that time was the garbage collector's.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest tests."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture
def need() -> Callable[..., Any]:
    """Return ``requirements.need``, for a test that asks for a name computed as it runs."""
    return requirements.need


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real files; see the README in it."""
    path: Path = requirements.need("shared-data")
    return path


@pytest.fixture(scope="session")
def golden() -> Path:
    """Return the folder of numbers worked out with other tools; see the README in it."""
    path: Path = requirements.need("golden")
    return path


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Return a running server of PostgreSQL."""
    server = PostgresServer(requirements.need("postgres"))
    yield server
    server.remove()


@pytest.fixture(scope="session")
def pgvector() -> Iterator[PostgresServer]:
    """Return a running server of PostgreSQL that has the extension pgvector."""
    server = PostgresServer(requirements.need("pgvector"))
    yield server
    server.remove()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return Chromium; in one process of tests, only one module at a time has it."""
    chromium = requirements.need("chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # In a container Chromium's own sandbox lacks permissions.
        program = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"], timeout=120_000
        )
        yield program
        program.close()


@pytest.fixture
def small_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder holding a copy of tests/documentation, and make it the current one."""
    folder = tmp_path / "files"
    shutil.copytree(SMALL_FILES, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def output_of(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return a function that calls a command, which succeeds, and returns what it printed."""
    from gainful.cli import main

    def say(*words: str) -> str:
        status = main(words)
        captured = capsys.readouterr()
        assert status == 0, captured.err
        assert captured.err == ""
        return captured.out

    return say
