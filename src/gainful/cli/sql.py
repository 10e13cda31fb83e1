"""``gainful sql``: a SQL query that computes measures."""

from __future__ import annotations

from gainful.backends.sql.dialects import DIALECTS
from gainful.cli.arguments import OUTPUT, QUIET, convention_options, measure_option
from gainful.cli.command import Command
from gainful.parameters import Group, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.command import Values


@Command(
    Parameter(
        "dialect",
        choices=tuple(DIALECTS),
        metavar="NAME",
        required=True,
        help="The SQL dialect: " + ", ".join(DIALECTS) + ".",
    ),
    measure_option(multiple=True, default="nDCG@10, AP, RR, P@10 and R@100"),
    convention_options(),
    Parameter(
        "qrels",
        default="qrels",
        metavar="TABLE",
        help="The table of judgments. A dot separates schema and table.",
    ),
    Parameter("run", default="run", metavar="TABLE", help="The table of the run."),
    Parameter(
        "query_id",
        default="query_id",
        metavar="COLUMN",
        group=Group.INPUT,
        help="The column of query ids, in both tables.",
    ),
    Parameter(
        "doc_id",
        default="doc_id",
        metavar="COLUMN",
        group=Group.INPUT,
        help="The column of document ids, in both tables.",
    ),
    Parameter(
        "grade",
        default="grade",
        metavar="COLUMN",
        group=Group.INPUT,
        help="The column of grades, in the judgments.",
    ),
    Parameter(
        "score",
        default="score",
        metavar="COLUMN",
        group=Group.INPUT,
        help="The column of scores, in the run.",
    ),
    Parameter(
        "rank",
        default="rank",
        metavar="COLUMN",
        group=Group.INPUT,
        help="The column of ranks, in the run, for conventions that order by rank.",
    ),
    Parameter(
        "position",
        metavar="COLUMN",
        group=Group.INPUT,
        help="The column of row numbers, in the run, for conventions that depend on the order of"
        " rows. Default: rows have no order.",
    ),
    OUTPUT,
    QUIET,
    targets=("gainful.backends.sql:query",),
    examples=(
        "gainful sql --dialect duckdb -m nDCG@10 -m AP > ndcg.sql",
        "gainful sql --dialect postgres --qrels search.judgments --run search.bm25",
        "gainful sql --dialect spark --policy ties=expected --query-id user --doc-id item",
        "gainful sql --dialect duckdb --convention lightgbm --position rank",
    ),
)
def command(values: Values) -> None:
    """Print a SQL query that computes measures.

    The query returns one row per query with the values of `gainful evaluate --per-query`, within
    1e-9. Conventions that SQL cannot express are refused. Invalid data end the query with an error.
    """
    from gainful.cli.output import deliver
    from gainful.evaluation.arguments import DEFAULT_MEASURES
    from gainful.measures.choosing import choose_measures

    chosen = choose_measures(values.measures or None, values.convention, usual=DEFAULT_MEASURES)
    deliver([values.call(measures=chosen)], values.output)
