"""`gainful.compat.install`: it replaces the module pytrec_eval, and can be undone."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

import gainful
import gainful.compat
import gainful.compat.pytrec_eval as ours


@pytest.fixture
def original(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("pytrec_eval")
    monkeypatch.setitem(sys.modules, "pytrec_eval", module)
    return module


def test_it_replaces_and_restores_the_module(original: ModuleType) -> None:
    with gainful.compat.install() as installation:
        assert installation.module is ours
        assert sys.modules["pytrec_eval"] is ours
        import pytrec_eval

        assert pytrec_eval is ours
    assert sys.modules["pytrec_eval"] is original


def test_it_restores_the_module_after_an_error(original: ModuleType) -> None:
    with pytest.raises(RuntimeError), gainful.compat.install():
        raise RuntimeError
    assert sys.modules["pytrec_eval"] is original


def test_without_an_original_the_module_is_removed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pytrec_eval", None)
    monkeypatch.delitem(sys.modules, "pytrec_eval")
    installation = gainful.compat.install()
    assert repr(installation) == "<gainful.compat.pytrec_eval as pytrec_eval>"
    installation.undo()
    assert "pytrec_eval" not in sys.modules
    installation.undo()


def test_nested_installs(original: ModuleType) -> None:
    outer = gainful.compat.install()
    with gainful.compat.install():
        pass
    assert sys.modules["pytrec_eval"] is ours
    outer.undo()
    assert sys.modules["pytrec_eval"] is original


def test_later_replacements_are_kept(original: ModuleType) -> None:
    installation = gainful.compat.install()
    later = ModuleType("pytrec_eval")
    sys.modules["pytrec_eval"] = later
    installation.undo()
    assert sys.modules["pytrec_eval"] is later


def test_one_changed_line_in_a_program_is_enough() -> None:
    script = (
        "import gainful\ngainful.compat.install()\n"
        "from pytrec_eval import RelevanceEvaluator, parse_qrel\nimport pytrec_eval\n"
        "print(pytrec_eval.__version__, RelevanceEvaluator({'q': {'a': 1}}, {'map'})"
        ".evaluate({'q': {'a': 1.0}}))\n"
        "import sys; print('numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [f"{ours.__version__} {{'q': {{'map': 1.0}}}}", "False"]
