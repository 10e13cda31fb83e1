"""Every example in a docstring prints its documented output, and public functions have one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
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


def module_names() -> Iterator[str]:
    yield "gainful"
    for module in pkgutil.walk_packages(gainful.__path__, "gainful."):
        # Running __main__ is what importing it does; the engine's docstrings are Rust's.
        if module.name.rpartition(".")[2] in {"__main__", "_kernel"}:
            continue
        if find_spec(NEEDS.get(module.name, "gainful")):
            yield module.name


def examples() -> Iterator[doctest.DocTest]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    for name in module_names():
        module = importlib.import_module(name)
        yield from (test for test in finder.find(module, name, module=module) if test.examples)


@pytest.mark.parametrize("test", list(examples()), ids=lambda test: test.name)
def test_examples(test: doctest.DocTest, small_files: Path) -> None:
    """Examples may read the small collection: qrels.txt, bm25.run, dense.run."""
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    message: list[str] = []
    runner.run(test, out=message.append, clear_globs=False)
    assert runner.failures == 0, "".join(message)


@pytest.mark.parametrize("name", gainful.__all__)
def test_public_functions_and_classes_show_an_example(name: str) -> None:
    thing = getattr(gainful, name)
    if not (inspect.isfunction(thing) or inspect.isclass(thing)):
        return
    docstring = inspect.getdoc(thing) or ""
    assert docstring, f"gainful.{name} has no docstring"
    if not (inspect.isclass(thing) and issubclass(thing, BaseException)):
        assert ">>>" in docstring, f"the docstring of gainful.{name} shows no example"
