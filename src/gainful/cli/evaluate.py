"""``gainful evaluate``: how good are these runs."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    chosen_convention,
    convention_options,
    examples,
    format_option,
    measure_option,
    qrels_and_runs,
    threads_option,
    weights_option,
)
from gainful.cli.reading import reading_options
from gainful.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.cli.reading import Reading
    from gainful.evaluation import Evaluation
    from gainful.evaluation.several import Evaluations


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
@format_option("jsonl")
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

    Each measure comes with a 95% CI for its mean over queries like these, and below the
    table stand the convention that made the numbers and what was met on the way: judged queries
    that the run lacks, unjudged documents, ties at the cutoff.

    With several conventions there is a column of means for each. `gainful contrast` shows which
    policies cause the difference between two of them.
    """
    from gainful.cli.progress import Progress
    from gainful.cli.runs import check_standard_input, named_runs
    from gainful.cli.scale import read_scale
    from gainful.cli.weights import read_weights
    from gainful.evaluation import DEFAULT_MEASURES, evaluate, records
    from gainful.evaluation.loaded import agreed_duplicates
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
            from gainful.evaluation import several_rendering
            from gainful.evaluation.several import evaluate_each

            judged, rankings = reading.all(qrels, named, agreed_duplicates(policies), chosen)
            both = evaluate_each(
                judged,
                runs=rankings,
                measures=chosen,
                conventions=policies,
                weights=shares,
                threads=threads,
                progress=progress,
            )
            _write(both, several_rendering, style, output, per_query)
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
    _write(result, records, style, output, per_query)


def _write(
    result: Evaluation | Evaluations, of: Any, style: str, output: str | None, per_query: bool
) -> None:
    from gainful.cli.output import deliver, write

    if style == "jsonl":
        deliver(of.json_lines(result, per_query=per_query), output)
        return
    write(
        result,
        style,
        output,
        records="queries" if per_query else "summary",
        tables=[of.query_table(result)] if per_query else None,
        document=of.document(result) if per_query and style == "json" else None,
    )
