"""Run the tools again on the collections of the checks of presets: the records are their output.

`make test-tools` installs them and runs this.
"""

from __future__ import annotations

import json

import pytest

from requirements import need
from tool_runs import RECORDS, RUNS, collections, load_runs

pytestmark = [
    pytest.mark.peer,
    pytest.mark.filterwarnings("ignore"),
]
load_runs()


@pytest.mark.parametrize("preset", [name for name, run in RUNS.items() if run.needs])
def test_the_record_is_the_output_of_the_tool(preset: str) -> None:
    run = RUNS[preset]
    need(run.needs)
    stored = json.loads((RECORDS / f"{preset}.json").read_text(encoding="utf-8"))
    assert set(stored) == set(run.collections)
    given = collections()
    for name in run.collections:
        assert run.call(given[name]) == pytest.approx(stored[name], rel=1e-6, abs=1e-9)


def test_every_record_has_a_run() -> None:
    assert {path.stem for path in RECORDS.glob("*.json")} - {"collections"} == set(RUNS)
