"""What importing and evaluating load: as little as possible."""

from __future__ import annotations

import subprocess
import sys

import pytest

from loaded_modules import HEAVY, loaded


def test_importing_gainful_imports_one_more_module() -> None:
    script = (
        "import sys; before = set(sys.modules)\nimport gainful\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["gainful", "gainful._lazy"]


@pytest.fixture
def collection(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 2.0 r\nq1 Q0 d2 2 1.0 r\nq2 Q0 d9 1 1 r\n")
    return tmp_path


def test_evaluating_two_files_imports_no_library(collection) -> None:
    code = (
        "import gainful\n"
        f"result = gainful.evaluate({str(collection / 'qrels')!r}, {str(collection / 'run')!r})\n"
        "result.summary('nDCG@10'); result.to_dict(); str(result)"
    )
    assert loaded(code, *HEAVY) == set()


def test_the_command_line_of_trec_eval_imports_no_library(collection) -> None:
    words = ["-n", "-m", "all_trec", str(collection / "qrels"), str(collection / "run")]
    code = f"from gainful.compat.trec_eval import main\nassert main({words!r}) == 0"
    assert loaded(code, *HEAVY, "re", "inspect") == set()


def test_evaluating_mappings_imports_no_library() -> None:
    code = "import gainful\ngainful.evaluate({'q': {'d': 1}}, {'q': {'d': 1.0}}, 'nDCG@10').mean()"
    assert loaded(code, *HEAVY) == set()


def test_formulas_on_lists_import_no_library() -> None:
    assert loaded("import gainful; gainful.ndcg([3, 2, 0])", *HEAVY) == set()


def test_naming_what_infers_imports_numpy_only_when_it_is_asked_for() -> None:
    assert loaded("import gainful.inference as i; i.mean_interval(0.5, 0.1, 9)", *HEAVY) == set()
    # SciPy costs more than the test that does without it.
    code = "from gainful.inference import *; randomisation_test([0.1] * 30); max_t([[0.1]] * 30)"
    assert loaded(code, "numpy", "scipy") == {"numpy"}
