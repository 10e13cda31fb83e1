"""``gainful compare``: paired significance tests of runs."""

from __future__ import annotations

from gainful.cli.arguments import (
    METHODS,
    STRICT,
    THREADS,
    convention_options,
    format_option,
    measure_option,
    plot_option,
)
from gainful.cli.command import Command
from gainful.cli.option_values import WEIGHTS
from gainful.cli.output import comparison_layout, table_options
from gainful.cli.reading import read_inputs, reading_options
from gainful.parameters import comparing
from gainful.parameters.inputs import GIVEN_VALUES, PREDICTIONS, SELECTION, VALUES_OR_RUNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.cli.command import Values


EVALUATE = "gainful.evaluation:evaluate"


@Command(
    VALUES_OR_RUNS,
    measure_option(multiple=True, default="nDCG@10", budgets=True),
    comparing.BASELINE,
    comparing.MARGINS,
    comparing.BY,
    WEIGHTS,
    comparing.CLUSTERS,
    SELECTION,
    GIVEN_VALUES,
    comparing.POOL,
    comparing.DETAILS,
    comparing.WORST,
    comparing.ALPHA,
    comparing.CORRECTION,
    comparing.FAMILY,
    comparing.TESTS,
    comparing.BAYES,
    comparing.RISK,
    comparing.TIE_MARGIN,
    comparing.RESAMPLES,
    comparing.SEED,
    PREDICTIONS,
    convention_options(),
    plot_option(
        "the differences with confidence intervals",
        "A file named queries draws the difference on each query, ranks the ranks.",
    ),
    format_option(METHODS),
    table_options(
        "For Markdown and LaTeX, one table of systems × measures with the best mean in bold and"
        " significance marks, or a table per measure. Default: --wide for LaTeX."
    ),
    STRICT,
    THREADS,
    reading_options(),
    targets=("gainful.comparison:compare", EVALUATE),
    excludes={"pool": "further queries exclude same", "predicted": "further", "sampled": "further"},
    common="measures baselines margin by details alpha correction convention plot output style",
    examples=(
        "gainful compare qrels.txt old.run new.run",
        "gainful compare qrels.txt a.run b.run c.run -m nDCG@10 -m AP",
        "gainful compare qrels.txt *.run --baseline bm25 --margin 0.01",
        "gainful compare qrels.txt old.run new.run --by queries.tsv:category",
        "gainful compare qrels.txt old.run new.run --clusters queries.tsv:user",
        "gainful compare gold.tsv small.tsv large.tsv --budgets 500:8000 --plot budgets.svg",
        "gainful compare qrels.txt old.run new.run --plot queries.pdf",
        "gainful compare qrels.txt old.run new.run --only q1,q7 --exclude duplicates.tsv",
        "gainful compare qrels.txt old.run new.run --details --test wilcoxon --worst 5",
        "gainful compare scores.csv --baseline old --range 0:1",
        "gainful compare qrels.txt old.run new.run --values latency.csv --lower-is-better latency",
        "gainful compare human.qrels *.run --predicted llm.qrels --sampled random",
        "gainful compare qrels.txt *.run -m nDCG@10 -m AP --format latex -o table.tex",
        "gainful compare qrels.txt *.run -m nDCG@10 -m AP --format methods -o methods.tex",
    ),
)
def command(values: Values) -> None:
    """Compare runs with paired significance tests.

    QRELS contains the judgments and each RUN a ranking, as for `gainful evaluate`. For each pair of
    runs, the table shows the mean difference with its confidence interval, the p-value of a
    randomization test, corrected for multiple comparisons, and a verdict: better, worse, equivalent
    (within --margin), identical or inconclusive.

    Without a RUN, the file has values that were computed elsewhere: a table with queries, systems
    and values, or with a column for each system.

    When all pairs are compared, systems that share a letter do not differ significantly.
    """
    from gainful.cli.given_values import join_values, read_values, refuse_descriptions
    from gainful.cli.output import write

    layout = comparison_layout(values, is_wide=values.pool is None)
    # Only the details show further tests and the bootstrap, which takes the most time.
    details = values.details or bool(values.tests)
    has_details = details or values.style in ("tsv", "csv", "json", "parquet")
    bootstrap = comparing.BOOTSTRAP.default if has_details else 0
    if values.budgets is not None and not values.is_given("family"):
        # The budgets of a curve are one family.
        values.raw["family"] = "all"
    of_evaluation: dict[str, Any] = {
        "runs": None,
        "measures": None,
        "convention": None,
        "bootstrap": bootstrap,
    }
    of_evaluation |= dict.fromkeys(("weights", "queries", "exclude", "same"))
    if not values.runs:
        result = values.call(qrels=read_values(values), **of_evaluation)
    else:
        with read_inputs(values) as inputs:
            if values.further:
                evaluation = values.call(EVALUATE, **inputs, bounds=False)
                joined = join_values(values, evaluation)
                result = values.call(qrels=joined, **of_evaluation)
            else:
                refuse_descriptions(values)
                result = values.call(bootstrap=bootstrap, **inputs)
    tables = result.tables(details=details, risk=values.risk, worst=values.worst, **layout)
    if values.runs and values.further:
        from gainful.evaluation.answers import answer_tables

        tables = [*tables, *answer_tables(joined)]
    if values.pool is not None:
        from gainful.pooling import bound_comparison

        result = bound_comparison(result, inputs["qrels"], inputs["runs"], values.pool)
        tables = result.tables(comparison=tables)
    write(result, values.style, values.output, tables=tables)
