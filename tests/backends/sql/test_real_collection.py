"""robust03 in DuckDB: every query has the kernel's values."""

from __future__ import annotations

import pytest

import gainful
from combinations import in_turn
from evaluation_words import sorted_rows
from gainful.backends import sql
from requirements import need

RUNS = ("pircRBa1", "NLPR03vb10")
CASES = in_turn(["gainful-1", "trec_eval-9.0.8", "burges-2005", "expected"], RUNS, len(RUNS))


@pytest.mark.parametrize(("convention", "name"), CASES)
def test_per_query_equality_on_robust03(convention: str, name: str) -> None:
    duckdb = need("duckdb")
    need("pyarrow")
    folder = need("shared-data") / "robust03"
    policies = (
        gainful.Convention(ties="expected")
        if convention == "expected"
        # Each measure, also those that a paper says nothing of.
        else gainful.conventions.get(convention).replace(name="own")
    )
    measures = ["nDCG@10", "AP", "RR", "R@100"]
    judgments = gainful.read_qrels(folder / "qrels.robust03.txt.gz")
    with duckdb.connect() as connection:
        connection.register("judged", connection.from_arrow(judgments))
        run = gainful.read_run(folder / f"input.{name}.gz")
        connection.register("returned_rows", connection.from_arrow(run))
        text = sql.query(measures, convention=policies, qrels="judged", run="returned_rows")
        relation = connection.execute(text)
        columns = [column[0] for column in relation.description]
        found = {row[0]: dict(zip(columns, row, strict=True)) for row in relation.fetchall()}
    whole = sorted_rows(gainful.evaluate(judgments, run, measures, convention=policies))
    assert list(found) == [row["query_id"] for row in whole]
    for row in whole:
        own = found[row["query_id"]]
        for column in own:
            if own[column] is None:
                assert convention == "expected"
                assert row[f"tie@{column.partition('@')[2]}"]
            elif column == "query_id":
                assert own[column] == row[column]
            else:
                assert own[column] == pytest.approx(row[column], rel=1e-12, abs=1e-12)
