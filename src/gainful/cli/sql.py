"""``gainful sql``: a SQL query that computes measures."""

from __future__ import annotations

import click

from gainful.backends.sql.registry import DIALECTS
from gainful.cli.arguments import (
    convention_options,
    examples,
    measure_option,
    output_option,
    parse_convention,
)
from gainful.cli.option_groups import Command, Group, option


@click.command(
    cls=Command,
    epilog=examples(
        "gainful sql --dialect duckdb -m nDCG@10 -m AP > ndcg.sql",
        "gainful sql --dialect postgres --qrels search.judgments --run search.bm25",
        "gainful sql --dialect spark --policy ties=expected --query-id user --doc-id item",
        "gainful sql --dialect duckdb --convention lightgbm --position rank",
    ),
)
@option(
    "--dialect",
    type=click.Choice(tuple(DIALECTS)),
    required=True,
    metavar="NAME",
    help="The SQL dialect: " + ", ".join(DIALECTS) + ".",
)
@measure_option(multiple=True, default="nDCG@10, AP, RR, P@10 and R@100")
@convention_options()
@option(
    "--qrels",
    metavar="TABLE",
    default="qrels",
    help="The table of judgments. A dot separates schema and table.",
)
@option("--run", metavar="TABLE", default="run", help="The table of the run.")
@option(
    "--query-id",
    group=Group.INPUT,
    metavar="COLUMN",
    default="query_id",
    help="The column of query ids, in both tables.",
)
@option(
    "--doc-id",
    group=Group.INPUT,
    metavar="COLUMN",
    default="doc_id",
    help="The column of document ids, in both tables.",
)
@option(
    "--grade",
    group=Group.INPUT,
    metavar="COLUMN",
    default="grade",
    help="The column of grades, in the judgments.",
)
@option(
    "--score",
    group=Group.INPUT,
    metavar="COLUMN",
    default="score",
    help="The column of scores, in the run.",
)
@option(
    "--rank",
    group=Group.INPUT,
    metavar="COLUMN",
    default="rank",
    help="The column of ranks, in the run, for conventions that order by rank.",
)
@option(
    "--position",
    group=Group.INPUT,
    metavar="COLUMN",
    help="The column of row numbers, in the run, for conventions that depend on the order of rows."
    " Default: rows have no order.",
)
@output_option
def command(
    dialect: str,
    measures: tuple[str, ...],
    convention: str,
    changes: tuple[str, ...],
    qrels: str,
    run: str,
    query_id: str,
    doc_id: str,
    grade: str,
    score: str,
    rank: str,
    position: str | None,
    output: str | None,
) -> None:
    """Print a SQL query that computes measures.

    The query returns one row per query with the values of `gainful evaluate --per-query`, within
    1e-9. Conventions that SQL cannot express are refused. Invalid data end the query with an error.
    """
    from gainful.backends import sql
    from gainful.cli.output import deliver
    from gainful.evaluation.arguments import DEFAULT_MEASURES
    from gainful.measures.choosing import choose_measures

    policies = parse_convention(convention, changes)
    text = sql.query(
        choose_measures(measures or None, policies, usual=DEFAULT_MEASURES),
        convention=policies,
        dialect=dialect,
        qrels=qrels,
        run=run,
        query_id=query_id,
        doc_id=doc_id,
        grade=grade,
        score=score,
        rank=rank,
        position=position,
    )
    deliver([text], output)
