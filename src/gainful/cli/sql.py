"""``gainful sql``: a query that measures a run where its table is."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    chosen_convention,
    convention_options,
    examples,
    measure_option,
    output_option,
)


@click.command(
    epilog=examples(
        "gainful sql --dialect duckdb -m nDCG@10 -m AP > ndcg.sql",
        "gainful sql --dialect postgres --qrels search.judgments --run search.bm25",
        "gainful sql --dialect spark --policy ties=expected --query-id user --doc-id item",
        "gainful sql --dialect duckdb --convention lightgbm --position rank",
    ),
)
@click.option(
    "--dialect",
    type=click.Choice(("duckdb", "postgres", "spark")),
    required=True,
    help="In which SQL to write.",
)
@measure_option(multiple=True, default="nDCG@10, AP, RR, P@10 and R@100")
@convention_options()
@click.option(
    "--qrels",
    metavar="TABLE",
    default="qrels",
    show_default=True,
    help="The table of judgments. A dot parts a schema from a table.",
)
@click.option(
    "--run", metavar="TABLE", default="run", show_default=True, help="The table of the run."
)
@click.option(
    "--query-id",
    metavar="COLUMN",
    default="query_id",
    show_default=True,
    help="The column of query ids, in both tables.",
)
@click.option(
    "--doc-id",
    metavar="COLUMN",
    default="doc_id",
    show_default=True,
    help="The column of document ids, in both tables.",
)
@click.option(
    "--grade", metavar="COLUMN", default="grade", show_default=True, help="The judgments' grades."
)
@click.option(
    "--score", metavar="COLUMN", default="score", show_default=True, help="The run's scores."
)
@click.option(
    "--rank",
    metavar="COLUMN",
    default="rank",
    show_default=True,
    help="The run's ranks, where the convention orders by them.",
)
@click.option(
    "--position",
    metavar="COLUMN",
    help="The column that counts the rows of the run as they are listed, for conventions that ask"
    " which of them comes first. A table has no order without it.",
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
    """Write a query in SQL that gives the rows of gainful evaluate, one a query that is measured.

    Values are those of Gainful within 1e-9. A policy that SQL cannot follow is refused, and what
    Gainful refuses in the data ends the query with a message.
    """
    from gainful.backends import sql
    from gainful.cli.output import deliver
    from gainful.evaluation.arguments import DEFAULT_MEASURES
    from gainful.measures.choosing import choose_measures

    policies = chosen_convention(convention, changes)
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
