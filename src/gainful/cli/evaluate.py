"""``gainful evaluate``: measures of runs."""

from __future__ import annotations

from gainful.cli.arguments import (
    COLLECTION,
    METHODS,
    PUBLISH,
    STRICT,
    THREADS,
    convention_options,
    format_option,
    measure_option,
    plot_option,
)
from gainful.cli.command import Command
from gainful.cli.option_values import SCALE, WEIGHTS
from gainful.cli.output import LAYOUT, check_layout, table_options, write_evaluation
from gainful.cli.reading import read_inputs, reading_options, unread_inputs
from gainful.errors import ArgumentError
from gainful.parameters import comparing
from gainful.parameters.inputs import (
    BOUNDS,
    CANDIDATES,
    GIVEN_VALUES,
    PER_QUERY,
    PREDICTIONS,
    SAMPLE,
    SELECTION,
    VALUES_OR_RUNS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.command import Values

EVALUATE_EACH = "gainful.evaluation.several:evaluate_each"
#: What several conventions do not have.
ONE_CONVENTION = (
    "further by clusters queries exclude same bounds candidates publish sample predicted sampled"
)
EVALUATE_SAMPLE = "gainful.sampled:evaluate_sample"


@Command(
    VALUES_OR_RUNS,
    measure_option(multiple=True, default="nDCG@10, AP, RR, P@10 and R@100", budgets=True),
    PER_QUERY,
    comparing.BY.replace(help=comparing.BY.help.replace("compare", "summarize", 1)),
    WEIGHTS,
    comparing.CLUSTERS,
    SELECTION,
    GIVEN_VALUES,
    BOUNDS,
    SCALE,
    SAMPLE,
    CANDIDATES,
    PREDICTIONS,
    convention_options(multiple=True),
    PUBLISH,
    COLLECTION,
    plot_option("the means of the first measure with confidence intervals"),
    format_option("jsonl", METHODS),
    table_options(
        "One row per system and one column per measure, in Markdown, LaTeX and HTML with the best"
        " mean in bold and significance marks; or one row for each mean. Default: --wide for these"
        " formats. With --per-query, one row per query, or for each value of each query."
    ),
    STRICT,
    THREADS,
    reading_options(),
    targets=("gainful.evaluation:evaluate", EVALUATE_EACH, EVALUATE_SAMPLE),
    excludes={
        "per_query": "by clusters digits sort percent",
        "sample": "further by clusters queries exclude same bounds candidates weights publish"
        f" sampled {LAYOUT}",
        "predicted": f"further candidates {LAYOUT}",
        "sampled": f"further candidates {LAYOUT}",
    },
    requires={"collection": "publish"},
    common="measures per_query by clusters queries bounds conventions plot output style",
    examples=(
        "gainful evaluate qrels.txt bm25.run",
        "gainful evaluate qrels.txt bm25.run dense.run -m nDCG@10 -m 'AP(rel=2)'",
        "gainful evaluate qrels.txt old=a/run.txt new=b/run.txt --format markdown",
        "gainful evaluate qrels.txt bm25.run --convention trec_eval --policy missing=empty",
        "gainful evaluate qrels.txt bm25.run --convention trec_eval --convention gainful",
        "gainful evaluate qrels.txt bm25.run -m nDCG@10 --per-query --format csv -o queries.csv",
        "gainful evaluate qrels.txt bm25.run -m nDCG@10 -m AP --per-query --long --format csv",
        "gainful evaluate qrels.txt bm25.run -m nDCG@10 --bounds",
        "gainful evaluate qrels.txt bm25.run --by queries.tsv:category",
        "gainful evaluate qrels.txt bm25.run --clusters questions.tsv:conversation",
        "gainful evaluate qrels.txt bm25.run --only q1,q7 --exclude duplicates.tsv",
        "gainful evaluate qrels.txt bm25.run --same copies.tsv",
        "gainful evaluate qrels.txt bm25.run dense.run -m nDCG@10 --plot means.pdf",
        "gainful evaluate qrels.txt bm25.run -m nDCG@10 --format methods",
        "gainful evaluate qrels.txt bm25.run -m nDCG@10 --publish scores.json --collection shop",
        "gainful evaluate scores.csv -m 'answer correctness' --range 0:1",
        "gainful evaluate qrels.txt bm25.run --values latency.csv --lower-is-better latency",
        "gainful evaluate qrels.txt bm25.run dense.run --sample pool.jsonl",
        "gainful evaluate qrels.txt bm25.run dense.run --sample pool.jsonl --predicted llm.qrels",
        "gainful evaluate golden.jsonl memory.run -m Success@10 -m R@10 --candidates 30",
        "gainful evaluate human.qrels bm25.run --predicted llm.qrels --sampled random",
        "gainful evaluate qrels.diversity.txt bm25.run -m alpha_nDCG@10 -m ERR_IA@20",
        "zstd -dc big.run.zst | gainful evaluate qrels.txt big=- --format json",
    ),
)
def command(values: Values) -> None:
    """Evaluate runs against relevance judgments.

    QRELS contains the judgments (ground truth) and each RUN a ranking: TREC text or any other
    supported format, compressed or not. A dash is the standard input. A run is named after its
    file; NAME=PATH sets another name.

    Without a RUN, the file has values that were computed elsewhere: a table with queries, systems
    and values, or with a column for each system.

    The table shows each mean with its 95% confidence interval, the convention that defines the
    numbers, and data checks: missing queries, unjudged documents, ties. With several conventions,
    it has a column of means for each.
    """
    from gainful.evaluation.arguments import DEFAULT_MEASURES
    from gainful.progress import Bar

    if not values.runs:
        from gainful.cli.given_values import read_values

        check_layout(values)
        write_evaluation(read_values(values), values)
        return
    is_estimate = values.is_given("predicted") or values.is_given("sampled")
    if is_estimate and values.sample is None:
        values.refuse("bounds per_query", "does not work with --predicted")
    if (is_estimate or values.sample is not None) and values.style == "jsonl":
        raise ArgumentError("--format jsonl does not work with --sample and --predicted")
    if len(values.conventions) > 1:
        values.refuse(f"{ONE_CONVENTION} {LAYOUT}", "works with a single --convention")
    check_layout(values)
    if values.sample is not None:
        result = values.call(EVALUATE_SAMPLE, **unread_inputs(values))
    elif is_estimate:
        with Bar() as progress:
            result = values.call(**unread_inputs(values), bounds=False, progress=progress)
    else:
        # The table has a note on judgment lists.
        print_note = values.style != "table" or values.per_query
        with read_inputs(values, DEFAULT_MEASURES, print_note=print_note) as inputs:
            if len(values.conventions) > 1:
                result = values.call(EVALUATE_EACH, **inputs)
            else:
                is_summary = values.style == "table" and not (
                    values.per_query or values.bounds or values.publish or values.layout.wide
                )
                if is_summary and any(name.family[:4] == "Span" for name in inputs["measures"]):
                    from gainful.measures.budgets import with_units

                    inputs["measures"] = with_units(inputs["measures"])
                result = values.call(**inputs, bounds=values.bounds or False)
                if any(map(values.is_given, ("further", "lower_is_better", "value_range"))):
                    from gainful.cli.given_values import join_values

                    result = join_values(values, result)
    write_evaluation(result, values)
