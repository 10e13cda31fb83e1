"""Every example in a docstring prints its documented output, and public functions have one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import gainful

# Modules that need at once what only those have who use them.
NEEDS = {
    "gainful.compat.ir_measures.adapter": "ir_measures",
    # Its example does; tests/clusters runs it.
    "gainful.backends.spark.call": "pyspark",
    # tests/tools runs these examples.
    "gainful.integrations.lightgbm": "lightgbm",
    "gainful.integrations.lightning": "pytorch_lightning",
    "gainful.integrations.mlflow": "mlflow",
    "gainful.integrations.sentence_transformers": "sentence_transformers",
    "gainful.integrations.wandb": "wandb",
    "gainful.integrations.xgboost": "xgboost",
}


SOURCE = Path(gainful.__file__).parent


def modules_with_examples() -> Iterator[str]:
    """Yield their names, from their texts: to import all would take each process a second."""
    for path in sorted(SOURCE.rglob("*.py")):
        name = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
        name = name.removesuffix(".__init__")
        if find_spec(NEEDS.get(name, "gainful")) and ">>>" in path.read_text("utf-8"):
            yield name


@pytest.mark.parametrize("name", list(modules_with_examples()))
def test_examples(name: str, small_files: Path) -> None:
    """Examples may read the small collection: qrels.txt, bm25.run, dense.run."""
    module = importlib.import_module(name)
    tests = [test for test in doctest.DocTestFinder().find(module, module=module) if test.examples]
    assert tests
    files = set(small_files.iterdir())
    message: list[str] = []
    for test in tests:
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
        runner.run(test, out=message.append, clear_globs=False)
        # No example reads what another one wrote.
        for path in set(small_files.iterdir()) - files:
            path.unlink() if path.is_file() else shutil.rmtree(path)
    assert not message, "".join(message)


@pytest.mark.parametrize("name", gainful.__all__)
def test_public_functions_and_classes_show_an_example(name: str) -> None:
    thing = getattr(gainful, name)
    if not (inspect.isfunction(thing) or inspect.isclass(thing)):
        return
    docstring = inspect.getdoc(thing) or ""
    assert docstring, f"gainful.{name} has no docstring"
    if not (inspect.isclass(thing) and issubclass(thing, BaseException)):
        assert ">>>" in docstring, f"the docstring of gainful.{name} shows no example"


def test_docstrings_link_to_objects_alone() -> None:
    """Other links are resolved when a page is written, as the tests do with few of objects."""
    link = re.compile(r":(any|doc|download|eq|numref|option|ref|term):`|\[[A-Za-z][\w-]*\]_\b")
    texts = {path: path.read_text("utf-8") for path in SOURCE.rglob("*.py")}
    assert [str(path) for path, text in texts.items() if link.search(text)] == []
