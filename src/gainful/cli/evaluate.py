"""``gainful evaluate``: how good are these runs."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    chosen_convention,
    convention_options,
    examples,
    format_option,
    measure_option,
    output_option,
    qrels_and_runs,
    threads_option,
    weights_option,
)
from gainful.cli.reading import reading_options
from gainful.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.reading import Reading
    from gainful.evaluation import Evaluation
    from gainful.formats.table import TextTable

FORMATS = ("table", "tsv", "csv", "json", "jsonl", "markdown", "latex")


@click.command(
    epilog=examples(
        "gainful evaluate qrels.txt bm25.run",
        "gainful evaluate qrels.txt bm25.run dense.run -m nDCG@10 -m 'AP(rel=2)'",
        "gainful evaluate qrels.txt old=a/run.txt new=b/run.txt --format markdown",
        "gainful evaluate qrels.txt bm25.run --convention trec_eval --policy missing=empty",
        "gainful evaluate qrels.txt bm25.run --convention trec_eval --convention gainful",
        "gainful evaluate qrels.txt bm25.run -m nDCG@10 --per-query --format csv -o queries.csv",
        "gainful evaluate qrels.txt bm25.run -m nDCG@10 --bounds",
        "gainful evaluate qrels.diversity.txt bm25.run -m alpha_nDCG@10 -m ERR_IA@20",
        "zstd -dc big.run.zst | gainful evaluate qrels.txt big=- --format json",
    )
)
@qrels_and_runs
@measure_option(multiple=True, default="nDCG@10, AP, RR, P@10 and R@100")
@convention_options(multiple=True)
@click.option("--per-query", is_flag=True, help="One row a query, instead of the means.")
@format_option(FORMATS)
@output_option
@weights_option
@click.option(
    "--bounds",
    type=click.Choice(("retrieved", "cutoff")),
    is_flag=False,
    flag_value="retrieved",
    help="How low and how high each mean can be over the labels of unjudged documents: of all that"
    " were retrieved, or with `--bounds cutoff` of those above the measure's cutoff.",
)
@click.option(
    "--scale",
    metavar="GRADES",
    help="With --bounds, the grades that an unjudged document may have, as 0,1,2,3; without it"
    " those that the judgments use, and 0.",
)
@threads_option
@reading_options()
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    conventions: tuple[str, ...],
    changes: tuple[str, ...],
    per_query: bool,
    style: str,
    output: str | None,
    weights: str | None,
    bounds: str | None,
    scale: str | None,
    threads: int | None,
    reading: Reading,
) -> None:
    """Evaluate runs against judgments.

    QRELS holds the judgments and each RUN a ranking: TREC text or any other format that Gainful
    reads, compressed or not; - is the standard input. A run is called like its file, or as
    NAME=PATH says.

    Each measure comes with a 95 % interval for its mean over queries like these, and below the
    table stand the convention that made the numbers and what was met on the way: judged queries
    that the run lacks, unjudged documents, ties at the cutoff.

    With several conventions there is a column of means for each. `gainful contrast` shows which
    policies cause the difference between two of them.
    """
    from gainful.cli.progress import Progress
    from gainful.cli.runs import check_standard_input, named_runs
    from gainful.cli.scale import read_scale
    from gainful.cli.weights import read_weights
    from gainful.evaluation import DEFAULT_MEASURES, evaluate
    from gainful.evaluation.held import agreed_duplicates
    from gainful.measures.choosing import choose_measures

    named = named_runs(runs)
    check_standard_input(qrels, *named.values(), weights or "")
    policies = [chosen_convention(name, changes) for name in conventions]
    shares = read_weights(weights)
    grades = read_scale(scale)
    if bounds and len(policies) > 1:
        raise ArgumentError(
            where="--bounds", found="several conventions", expected="one --convention beside it"
        )
    chosen = choose_measures(measures or None, *policies, usual=DEFAULT_MEASURES)
    with Progress() as progress:
        if len(policies) > 1:
            from gainful.cli.evaluate_several import several

            several(
                *reading.all(qrels, named, agreed_duplicates(policies), chosen),
                chosen,
                policies,
                style,
                output,
                per_query=per_query,
                weights=shares,
                threads=threads,
                progress=progress,
            )
            return
        read, ranked = reading.all_to_measure(
            qrels,
            named,
            policies[0].duplicates,
            chosen,
            # The table says it below itself.
            tell=style != "table" or per_query,
        )
        result = evaluate(
            read,
            runs=ranked,
            measures=chosen,
            convention=policies[0],
            weights=shares,
            bounds=bounds or False,
            scale=grades,
            threads=threads,
            progress=progress,
        )
    write(result, style, output, per_query=per_query)


def write(result: Evaluation, style: str, output: str | None, *, per_query: bool = False) -> None:
    """Hand an evaluation to the renderer of a format, and its text to where it goes."""
    from gainful.cli.output import deliver, show

    if style == "table":
        show(_table(result, per_query), output)
    elif style in ("tsv", "csv"):
        from gainful.cli.output import delimited
        from gainful.evaluation.records import query_rows, summary_rows

        rows = query_rows(result) if per_query else summary_rows(result)
        deliver(delimited(style)(*rows), output)
    elif style in ("json", "jsonl"):
        from gainful.evaluation import contract

        document = contract.document if style == "json" else contract.lines
        deliver(document(result, per_query=per_query), output)
    elif style == "markdown":
        from gainful.formats.markdown import markdown

        deliver([markdown(_table(result, per_query))], output)
    else:
        from gainful.formats.latex import latex

        deliver([latex(_table(result, per_query))], output)


def _table(result: Evaluation, per_query: bool) -> TextTable:
    if not per_query:
        return result.table()
    from gainful.evaluation.records import query_table

    return query_table(result)
