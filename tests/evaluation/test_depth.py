"""A call of `evaluate` enters few functions, so that a reader can follow it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

#: Prints the functions that a call enters after the first one of its kind. Those without a name
#: are parts of others: comprehensions are functions in some versions of Python.
SCRIPT = """
import json, os, sys
import gainful

qrels, run = {"q1": {"d1": 3, "d2": 0}}, {"q1": {"d1": 1.0, "d2": 0.5}}
source = os.path.dirname(gainful.__file__)
functions = set()

def note(frame, event, argument):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(source) and code.co_qualname[-1] != ">":
        functions.add(f"{os.path.relpath(code.co_filename, source)} {code.co_qualname}")

for _ in range(2):
    sys.setprofile(note)
    functions.clear()
    CALL
    sys.setprofile(None)
print(json.dumps(sorted(functions)))
"""


@pytest.mark.parametrize(
    "arguments",
    [
        "qrels, run, 'nDCG@10'",
        "qrels, run, ['nDCG@10', 'P@5', 'RR']",
        "qrels, run",
        "'qrels.txt', 'bm25.run', 'nDCG@10'",
    ],
)
def test_an_evaluation_enters_few_functions(small_files: Path, arguments: str) -> None:
    script = SCRIPT.replace("CALL", f"gainful.evaluate({arguments})")
    words = [sys.executable, "-c", script]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    functions = [name.replace("\\", "/") for name in json.loads(done.stdout)]
    assert "evaluation/call.py evaluate" in functions
    assert len(functions) <= 60, functions
