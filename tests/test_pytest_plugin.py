"""The plugin for pytest, in a pytest of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import gainful
from gainful.gates import read_snapshot
from gainful.pytest_plugin import assert_no_worse

TESTS = """
from gainful.pytest_plugin import assert_no_worse


def test_own():
    assert_no_worse("qrels.txt", "bm25.run", "kept.json")


def test_other():
    assert_no_worse("qrels.txt", "dense.run", "kept.json", margin=0.05)


def test_open():
    result = assert_no_worse("qrels.txt", "dense.run", "kept.json", inconclusive="pass")
    assert result.verdict == "inconclusive"
"""


def run_pytest(*words, plugin=True):
    """Run pytest with no plugin but ours, whether or not it is installed."""
    named = ["-p", "gainful.pytest_plugin"] if plugin else []
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *named, *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
    )


@pytest.fixture
def folder(small_files):
    (small_files / "test_search.py").write_text(TESTS)
    (small_files / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    return small_files


def test_it_says_what_the_gate_says(folder):
    gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10").write("kept.json")
    said = str(gainful.gate("qrels.txt", "dense.run", "kept.json", margin=0.05))
    done = run_pytest()
    assert done.returncode == 1, done.stdout
    assert "1 failed, 2 passed" in done.stdout
    shown = [line.removeprefix("E").strip() for line in done.stdout.splitlines() if line[:1] == "E"]
    expected = [line.strip() for line in f"AssertionError: {said}".splitlines()]
    assert shown == expected
    # Where the test calls it, and not the plugin's own code.
    assert "pytest_plugin.py" not in done.stdout
    assert [look.system for look in read_snapshot("kept.json").looks] == ["dense"]


def test_without_a_snapshot_it_says_how_to_save_one(folder):
    done = run_pytest("-k", "own")
    assert done.returncode == 1
    assert "no such file: kept.json" in done.stdout
    assert "pytest --gainful-save saves the run of the test as the snapshot" in done.stdout
    assert run_pytest("-k", "own", "--gainful-save").returncode == 0
    assert read_snapshot("kept.json").system == "bm25"
    assert run_pytest("-k", "own").returncode == 0


def test_saving_keeps_what_the_call_does_not_say(folder):
    made = gainful.make_snapshot(
        "qrels.txt", "bm25.run", ["P@3", "AP"], convention="trec_eval", budget=7
    )
    made.write("kept.json")
    assert run_pytest("-k", "test_other", "--gainful-save").returncode == 0
    kept = read_snapshot("kept.json")
    assert (kept.system, kept.measures, kept.convention, kept.budget) == (
        "dense",
        made.measures,
        made.convention,
        7,
    )


def test_pytest_loads_nothing_of_gainful_for_tests_that_do_not_ask(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Without it, pytest would take the settings of the folders around it.
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_other.py").write_text(
        "import sys\n\n\n"
        "def test_nothing():\n"
        "    own = [name for name in sys.modules if name.split('.')[0] == 'gainful']\n"
        "    assert sorted(own) == ['gainful', 'gainful._lazy', 'gainful.pytest_plugin']\n"
        "    assert not {'numpy', 'scipy', 'click'} & sys.modules.keys()\n"
    )
    done = run_pytest()
    assert done.returncode == 0, done.stdout


def test_the_assertion_works_without_the_plugin(folder):
    gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10").write("kept.json")
    done = run_pytest("-k", "own", plugin=False)
    assert done.returncode == 0, done.stdout


def test_a_look_need_not_be_counted(small_files):
    gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10").write("kept.json")
    with pytest.raises(AssertionError, match="Gate inconclusive"):
        assert_no_worse("qrels.txt", "dense.run", "kept.json", count=False)
    assert read_snapshot("kept.json").looks == ()


def test_pytest_finds_it_where_gainful_is_installed(need):
    need("checkout")
    from importlib.metadata import distribution

    (found,) = [each for each in distribution("gainful").entry_points if each.group == "pytest11"]
    assert (found.name, found.value) == ("gainful", "gainful.pytest_plugin")
