"""Importing and evaluating load as few modules as possible."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from gainful.cli import main
from loaded_modules import HEAVY, loaded
from requirements import need

#: Modules that `import gainful`, evaluating files, mappings and Arrow tables, printing the result,
#: `gainful evaluate` and `gainful trec_eval` load, by package. They import neither `typing`,
#: `dataclasses` and `re` nor NumPy. A family of measures and a preset are loaded when they are
#: used, so that those are here that the default measures and ``-m all_trec`` need.
FAST_PATH = {
    "gainful": """
        _kernel _lazy errors input_files keywords numerals packages policies
        progress project_file quoting records references results threads vocabulary
        writing
    """,
    "gainful.cli": """
        arguments command commands defaults evaluate option_values output program reading
        written_files
    """,
    "gainful.parameters": "comparing inputs",
    "gainful.compat": "",
    "gainful.compat.trec_eval": "command evaluating plan reading settings",
    "gainful.conventions": "checks convention",
    "gainful.conventions.presets": "papers trec_eval",
    "gainful.data": """
        coercion columns inputs memory named_runs paths qrels read_options run table
    """,
    "gainful.evaluation": "arguments call data notes result summary summary_tables values",
    "gainful.formats": "numbers saving table text",
    "gainful.inference": "interval",
    "gainful.measures": """
        algebra catalogue choosing family index notation parameters
    """,
    "gainful.measures.definitions": """
        averaged_precision counts cumulated_gain diversity first_hit incomplete_judgments
        precision_recall preferences rbp
    """,
}
#: What no module of the fast path imports, not even where the command line has loaded it.
SLOW = {"dataclasses", "numpy", "re", "typing"}

DOCUMENTS = Path(__file__).parent / "documentation"
QRELS, RUN = str(DOCUMENTS / "qrels.txt"), str(DOCUMENTS / "bm25.run")
ARROW = (
    "import pyarrow\n"
    "qrels = pyarrow.table({'query_id': ['q'], 'doc_id': ['d'], 'grade': [1]})\n"
    "run = pyarrow.table({'query_id': ['q'], 'doc_id': ['d'], 'score': [1.0]})\n"
)
#: From a name to what is there before, and the code.
PYTHON = {
    "import": ("", "import gainful"),
    "files": (
        "",
        f"import gainful; found = gainful.evaluate({QRELS!r}, {RUN!r})\n"
        "found.summary('nDCG@10'); found.to_dict(); str(found)",
    ),
    "runs by name": (
        "",
        f"import gainful; str(gainful.evaluate({QRELS!r}, runs={{'a': {RUN!r}, 'b': {RUN!r}}}))",
    ),
    "mappings": (
        "",
        "import gainful; str(gainful.evaluate({'q': {'d': 1}}, {'q': {'d': 1.0}}, 'nDCG@10'))",
    ),
    "Arrow": (ARROW, "import gainful; str(gainful.evaluate(qrels, run, 'nDCG@10'))"),
    "trec_eval": (
        "",
        "from gainful.cli import main\n"
        f"assert main(['trec_eval', '-n', '-m', 'all_trec', {QRELS!r}, {RUN!r}]) == 0",
    ),
}
COMMANDS = {
    "evaluate": (
        "",
        f"from gainful.cli import main; assert main(['evaluate', {QRELS!r}, {RUN!r}]) == 0",
    ),
}


def gained(before: str, code: str) -> set[str]:
    """Return the modules that some code adds in a new interpreter."""
    script = (
        f"import sys\n{before}\nknown = set(sys.modules)\n{code}\n"
        "print(*(set(sys.modules) - known), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stderr.split())


def listed() -> set[str]:
    return {
        f"{package}.{name}".removesuffix(".")
        for package, names in FAST_PATH.items()
        for name in ["", *names.split()]
    }


def test_importing_gainful_imports_one_more_module() -> None:
    assert gained("", "import gainful") == {"gainful", "gainful._lazy"}


def test_the_modules_of_the_fast_path_are_listed() -> None:
    need("pyarrow")
    found: set[str] = set()
    for name, (before, code) in {**PYTHON, **COMMANDS}.items():
        modules = gained(before, code)
        found |= {module for module in modules if module.partition(".")[0] == "gainful"}
        # The command line has Click, which imports some of them.
        if name in PYTHON:
            assert not modules & {*HEAVY, "re", "inspect"}, name
    assert sorted(found) == sorted(listed())


def test_modules_of_the_fast_path_import_nothing_slow() -> None:
    wrong = [
        (module, ast.unparse(node))
        for module in sorted(listed() - {"gainful._kernel"})
        for node in ast.parse(inspect.getsource(import_module(module))).body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        and ast.unparse(node).split()[1].partition(".")[0] in SLOW
    ]
    assert wrong == []


def test_formulas_on_lists_import_no_library() -> None:
    assert loaded("import gainful; gainful.ndcg([3, 2, 0])", *HEAVY) == set()


def test_inference_names_import_numpy_on_first_use() -> None:
    assert loaded("import gainful.inference as i; i.mean_interval(0.5, 0.1, 9)", *HEAVY) == set()
    code = "from gainful.inference import *; randomization_test([0.1] * 30); max_t([[0.1]] * 30)"
    assert loaded(code, "numpy", "numpy.ma", "scipy") == {"numpy"}


def test_evaluation_needs_no_package(small_files: Path) -> None:
    """The wheel alone evaluates and explains, and replaces trec_eval and pytrec_eval."""
    code = """
import sys

for name in ("numpy", "scipy", "rich", "click", "wcwidth", "pytrec_eval"):
    sys.modules[name] = None
import gainful
import gainful.compat
from gainful.compat.trec_eval import main

assert gainful.evaluate("qrels.txt", "bm25.run", ["nDCG@10", "AP"]).to_text()
judged, ranked = {"q1": {"a": 1, "b": 0}}, {"q1": {"a": 1.0, "b": 2.0}}
assert gainful.evaluate(judged, ranked, "RR")["RR"]["q1"] == 0.5
assert gainful.explain("qrels.txt", "bm25.run", "q1").to_text()
assert main(["-m", "map", "qrels.txt", "bm25.run"]) == 0
del sys.modules["pytrec_eval"]
gainful.compat.install()
import pytrec_eval

evaluator = pytrec_eval.RelevanceEvaluator(judged, {"map"})
assert evaluator.evaluate(ranked) == {"q1": {"map": 0.5}}
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("map ")


@pytest.mark.parametrize(
    ("package", "command"),
    [("click", "evaluate qrels.txt bm25.run"), ("numpy", "compare qrels.txt bm25.run dense.run")],
)
def test_the_program_names_the_package_that_it_lacks(
    small_files: Path, package: str, command: str
) -> None:
    lacking = f"import sys; sys.modules[{package!r}] = None"
    code = f"{lacking}; from gainful.cli import main; sys.exit(main())"
    words = [sys.executable, "-c", code, *command.split()]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert (
        done.stderr
        == f"gainful: the package {package} is not installed. Hint: pip install {package}\n"
    )


@pytest.mark.parametrize(
    ("library", "command"),
    [
        ("numpy", "gate qrels.txt bm25.run --snapshot snapshot.json"),
        ("gainful._kernel", "reproduce qrels.txt bm25.run dense.run"),
        ("gainful._kernel", "reconcile qrels.txt bm25.run --reported .5"),
        ("gainful._kernel", "measures"),
    ],
)
def test_a_library_that_cannot_be_loaded_is_an_error(
    small_files: Path, library: str, command: str
) -> None:
    assert main(["gate", "qrels.txt", "bm25.run", "--save", "snapshot.json"]) == 0
    code = f"""
import sys
from gainful.cli import main

class Finder:
    def find_spec(self, name, path, target=None):
        if name == {library!r}:
            try:
                raise ImportError("libblas.so: failed to map segment")
            except ImportError as error:
                raise ImportError("Much advice") from error

sys.meta_path.insert(0, Finder())
sys.exit(main())
"""
    words = [sys.executable, "-c", code, *command.split()]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        "gainful: cannot load a library (libblas.so: failed to map segment). Hint: is there enough"
        " memory?\n",
    )


def test_an_interrupt_that_python_replaces_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(words: object) -> int:
        raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()

    monkeypatch.setattr("gainful.cli.program.run", interrupted)
    assert main(["measures"]) == 130


def test_a_name_that_a_module_lacks_is_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(words: object) -> int:
        raise ImportError("cannot import name 'a'", name="gainful._kernel")

    monkeypatch.setattr("gainful.cli.program.run", run)
    with pytest.raises(ImportError, match="cannot import name"):
        main(["measures"])


def test_the_program_is_a_module(small_files: Path) -> None:
    words = [sys.executable, "-m", "gainful", "evaluate", "qrels.txt", "bm25.run"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "nDCG@10" in done.stdout
