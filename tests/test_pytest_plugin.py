"""The pytest plugin, in a pytest that the tests call."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import gainful
from gainful import pytest_plugin
from gainful.gates import read_snapshot
from gainful.pytest_plugin import assert_no_worse

TESTS = """
from gainful.pytest_plugin import assert_no_worse


def test_own():
    assert_no_worse("qrels.txt", "bm25.run", "snapshot.json")


def test_other():
    assert_no_worse("qrels.txt", "dense.run", "snapshot.json", margin=0.05)


def test_open():
    result = assert_no_worse("qrels.txt", "dense.run", "snapshot.json", inconclusive="pass")
    assert result.verdict == "inconclusive"
"""


ENVIRONMENT = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}


def run_pytest(*words, plugin=True):
    """Run pytest with no plugin but ours, whether or not it is installed."""
    named = ["-p", "gainful.pytest_plugin"] if plugin else []
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *named, *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **ENVIRONMENT},
    )


@pytest.fixture
def called(folder, monkeypatch, capsys):
    """Return a function that calls pytest in this process, and returns its status and streams."""
    for name, text in ENVIRONMENT.items():
        monkeypatch.setenv(name, text)
    for name in ("_saving", "_new_anchor"):
        monkeypatch.setattr(pytest_plugin, name, False)

    def call(*words):
        left_out = ("-p", "no:cacheprovider", "-p", "no:faulthandler")
        own = ("-p", "gainful.pytest_plugin", "--import-mode=importlib")
        status = pytest.main(["-q", *left_out, *own, *words])
        return status, capsys.readouterr()

    return call


@pytest.fixture
def folder(small_files):
    (small_files / "test_search.py").write_text(TESTS)
    (small_files / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    return small_files


def test_it_prints_the_output_of_the_gate(folder):
    gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10").write("snapshot.json")
    output = str(gainful.gate("qrels.txt", "dense.run", "snapshot.json", margin=0.05, count=True))
    done = run_pytest()
    assert done.returncode == 1, done.stdout
    assert "1 failed, 2 passed" in done.stdout
    shown = [line.removeprefix("E").strip() for line in done.stdout.splitlines() if line[:1] == "E"]
    expected = [line.strip() for line in f"AssertionError: {output}".splitlines()]
    assert shown == expected
    # The traceback shows the test, not the code of the plugin.
    assert "pytest_plugin.py" not in done.stdout
    assert [look.system for look in read_snapshot("snapshot.json").looks] == ["dense"]


def test_without_a_snapshot_the_hint_is_how_to_save_one(called):
    status, streams = called("-k", "own")
    assert status == 1
    assert "no such file: snapshot.json" in streams.out
    assert "pytest --gainful-save saves the run of the test as the snapshot" in streams.out
    assert called("-k", "own", "--gainful-save")[0] == 0
    assert read_snapshot("snapshot.json").system == "bm25"
    assert called("-k", "own")[0] == 0


def test_saving_keeps_the_options_of_the_replaced_snapshot(called):
    made = gainful.make_snapshot(
        "qrels.txt", "bm25.run", ["P@3", "AP"], convention="trec_eval", budget=7
    )
    made.write("snapshot.json")
    assert called("-k", "test_other", "--gainful-save")[0] == 0
    kept = read_snapshot("snapshot.json")
    assert (kept.system, kept.measures, kept.convention, kept.budget) == (
        "dense",
        made.measures,
        made.convention,
        7,
    )


def test_saving_keeps_the_anchor_unless_a_new_one_is_requested(called):
    made = gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10")
    made.write("snapshot.json")
    assert called("-k", "test_other", "--gainful-save")[0] == 0
    assert read_snapshot("snapshot.json").anchor.run == made.run
    both = ("--gainful-save", "--gainful-new-anchor")
    assert called("-k", "test_other", *both)[0] == 0
    assert read_snapshot("snapshot.json").anchor is None
    status, streams = called("--gainful-new-anchor")
    assert status == 4
    assert "--gainful-new-anchor works with --gainful-save only" in streams.err


def test_pytest_loads_nothing_of_gainful_for_other_tests(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Otherwise pytest would use the settings of a parent folder.
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
    gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10").write("snapshot.json")
    done = run_pytest("-k", "own", plugin=False)
    assert done.returncode == 0, done.stdout


def test_a_look_need_not_be_counted(small_files):
    gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10").write("snapshot.json")
    with pytest.raises(AssertionError, match="Gate inconclusive"):
        assert_no_worse("qrels.txt", "dense.run", "snapshot.json", count=False)
    assert read_snapshot("snapshot.json").looks == ()


def test_pytest_finds_it_where_gainful_is_installed(need):
    need("checkout")
    from importlib.metadata import distribution

    (found,) = [each for each in distribution("gainful").entry_points if each.group == "pytest11"]
    assert (found.name, found.value) == ("gainful", "gainful.pytest_plugin")
