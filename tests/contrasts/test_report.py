"""A contrast as text, on a terminal, as JSON and as an Arrow stream."""

from __future__ import annotations

import json
import re

import pytest

from contrast_data import QRELS, RUN, assert_printed_sums
from gainful import Convention, contrast
from json_schema import errors, schema_of
from requirements import need


def test_tables_of_many_systems_fit_the_width() -> None:
    runs = {f"a-system-with-a-rather-long-name-{number}": RUN for number in range(30)}
    result = contrast(
        QRELS, None, "gainful", Convention(ties="expected", name="x" * 150), runs=runs
    )
    text = str(result)
    assert max(map(len, text.splitlines())) <= 100
    assert_printed_sums(result)
    assert text.count("\nstep ") > 1


def test_small_changes_have_enough_digits() -> None:
    qrels = {f"q{number}": {"a": 1, "b": 1, "c": 0} for number in range(9000)}
    run = {query: {"a": 2.0, "x": 1.5, "b": 1.0} for query in qrels}
    run["q7"] = {"a": 2.0, "c": 1.0, "b": 1.0}
    result = contrast(qrels, run, "gainful", Convention(ties="doc-id-asc"))
    (mean,) = (row for row in result.tables()[0].cells().rows if row[0].startswith("ties"))
    assert mean[2] not in (".0000", "+.0000")
    assert len(mean[2]) == len("+.000014")
    assert_printed_sums(result)


@pytest.mark.parametrize("per_query", [False, True])
def test_json_meets_its_schema(per_query: bool) -> None:
    schema = schema_of("contrast")
    b = Convention(
        no_relevant="nan", ties="expected", defaults={"nDCG": {"gain": {1: 2}, "ideal": [3, 2]}}
    )
    for result in (
        contrast(QRELS, RUN, "gainful", b),
        contrast(QRELS, RUN, b, "gainful"),
        contrast(QRELS, None, b, b, runs={"x": RUN, "y": RUN}),
    ):
        found = json.loads(json.dumps(result.to_dict(per_query=per_query), allow_nan=False))
        assert errors(found, schema) == []
        assert ("per_query" in found) == per_query
        for account in result.accounts.values():
            steps = found["systems"][account.system]["steps"]
            assert len(steps) == len(result.steps)
            assert [step["changed"] + step["left_out"] + step["added"] for step in steps] == [
                sum(query.changes_at(at) for query in account.queries)
                for at in range(len(result.steps))
            ]
    del found["systems"]["x"]["rank_a"]
    assert errors(found, schema) == ["$.systems.x: no rank_a"]


def test_arrow() -> None:
    pyarrow = need("pyarrow")
    result = contrast(
        QRELS,
        None,
        "gainful",
        Convention(missing="skip", ties="expected"),
        runs={"x": RUN, "y": RUN},
    )
    table = pyarrow.table(result)
    rows = [step.to_dict() for step in result.query_steps()]
    assert table.to_pylist() == rows
    assert len(rows) == 2 * 2 * 4
    assert pyarrow.table(contrast(QRELS, RUN, "gainful", "gainful")).num_rows == 0


def test_html_and_repr() -> None:
    result = contrast(QRELS, RUN, "gainful", "trec_eval")
    page = result._repr_html_()
    assert page.count("<table>") == len(result.tables())
    assert "trec_eval-9.0.8" in page
    assert repr(result) == "<Contrast of run: nDCG@10, gainful-1 and trec_eval-9.0.8>"


def test_the_terminal_shows_all_cells() -> None:
    result = contrast(QRELS, None, "gainful", "trec_eval", runs={"x": RUN, "y": RUN})
    colored = result._drawn()
    text = re.sub(r"\x1b\[[0-9;]*m", "", colored)
    assert text != colored
    for table in result.tables():
        assert all(cell in text for row in table.cells().rows for cell in row)
