"""A contrast as text, on a terminal, as JSON, as Arrow."""

from __future__ import annotations

import json
import re

import pytest

from contrast_data import QRELS, RUN, printed_sums
from gainful import Convention, contrast
from json_schema import errors, schema_of
from requirements import need


def test_many_systems_stay_within_the_width() -> None:
    runs = {f"a-system-with-a-rather-long-name-{number}": RUN for number in range(30)}
    told = contrast(QRELS, None, "gainful", Convention(ties="expected", name="x" * 150), runs=runs)
    text = str(told)
    assert max(map(len, text.splitlines())) <= 100
    printed_sums(told)
    assert text.count("\nstep ") > 1


def test_small_changes_are_seen() -> None:
    qrels = {f"q{number}": {"a": 1, "b": 1, "c": 0} for number in range(9000)}
    run = {query: {"a": 2.0, "x": 1.5, "b": 1.0} for query in qrels}
    run["q7"] = {"a": 2.0, "c": 1.0, "b": 1.0}
    told = contrast(qrels, run, "gainful", Convention(ties="doc-id-asc"))
    (mean,) = (row for row in told.tables()[0].cells().rows if row[0].startswith("ties"))
    assert mean[2] not in (".0000", "+.0000")
    assert len(mean[2]) == len("+.000014")
    printed_sums(told)


@pytest.mark.parametrize("per_query", [False, True])
def test_json_meets_its_schema(per_query: bool) -> None:
    schema = schema_of("contrast")
    b = Convention(
        no_relevant="nan", ties="expected", defaults={"nDCG": {"gain": {1: 2}, "ideal": [3, 2]}}
    )
    for told in (
        contrast(QRELS, RUN, "gainful", b),
        contrast(QRELS, RUN, b, "gainful"),
        contrast(QRELS, None, b, b, runs={"x": RUN, "y": RUN}),
    ):
        found = json.loads(json.dumps(told.to_dict(per_query=per_query), allow_nan=False))
        assert errors(found, schema) == []
        assert ("per_query" in found) == per_query
        for account in told.accounts:
            steps = found["systems"][account.system]["steps"]
            assert len(steps) == len(told.steps)
            assert [step["moved"] + step["left_out"] + step["counted_in"] for step in steps] == [
                sum(query.moves(at) for query in account.queries) for at in range(len(told.steps))
            ]
    del found["systems"]["x"]["rank_a"]
    assert errors(found, schema) == ["$.systems.x: no rank_a"]


def test_arrow() -> None:
    pyarrow = need("pyarrow")
    told = contrast(
        QRELS,
        None,
        "gainful",
        Convention(missing="skip", ties="expected"),
        runs={"x": RUN, "y": RUN},
    )
    table = pyarrow.table(told)
    assert tuple(table.column_names) == told.columns
    rows = list(told.rows())
    assert [tuple(row.values()) for row in table.to_pylist()] == rows
    assert len(rows) == 2 * 2 * 4
    assert pyarrow.table(contrast(QRELS, RUN, "gainful", "gainful")).num_rows == 0


def test_it_is_shown_everywhere() -> None:
    told = contrast(QRELS, RUN, "gainful", "trec_eval")
    page = told._repr_html_()
    assert page.count("<table>") == len(told.tables())
    assert "trec_eval-9.0.8" in page
    assert repr(told) == "<Contrast of run: nDCG@10, gainful-1 and trec_eval-9.0.8>"


def test_on_a_terminal() -> None:
    told = contrast(QRELS, None, "gainful", "trec_eval", runs={"x": RUN, "y": RUN})
    coloured = told._drawn()
    text = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert text != coloured
    for table in told.tables():
        assert all(cell in text for row in table.cells().rows for cell in row)
