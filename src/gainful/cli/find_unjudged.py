"""``gainful find-unjudged``: unjudged documents that could reverse a verdict."""

from __future__ import annotations

from gainful.cli.arguments import (
    THREADS,
    convention_options,
    format_option,
    measure_option,
)
from gainful.cli.command import Command
from gainful.cli.option_values import SCALE, parse_prior, query_groups
from gainful.cli.plots import plot_option
from gainful.cli.reading import reading_options
from gainful.errors import ParameterError
from gainful.parameters import Group, Parameter
from gainful.parameters.comparing import CLUSTERS, SEED
from gainful.parameters.inputs import QRELS_AND_RUNS, TEXTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.command import Values


def _refuse_clusters(path: str) -> None:
    raise ParameterError(
        "bounds over labels do not depend on how the queries were sampled",
        where="--clusters",
        hint="gainful compare resamples clusters",
    )


@Command(
    QRELS_AND_RUNS,
    measure_option(multiple=False, default="nDCG@10"),
    Parameter(
        "baseline",
        metavar="NAME",
        help="Compare every other run with this one. Default: each run with the next by mean.",
    ),
    query_groups(verb="show systems and pairs")[:2],
    CLUSTERS.replace(hidden=True, validate=_refuse_clusters),
    Parameter(
        "depth",
        int,
        help="Consider documents down to this rank. Default: the cutoff of the measure, or 100.",
    ),
    SCALE.replace(
        help="The possible grades of a document: 0,1,2,3. Default: 0 and the grades of the"
        " judgments.",
    ),
    Parameter(
        "top",
        int,
        20,
        range="[0, inf)",
        help="Number of documents in tables; other formats contain all.",
    ),
    TEXTS,
    Parameter(
        "prior",
        metavar="PRIOR",
        convert=lambda text, values: parse_prior(text),
        group=Group.STATISTICS,
        help="Also draw labels at random, with the probabilities of the `run`, of the `pool`, or"
        " as in 0=0.9,1=0.1.",
    ),
    Parameter(
        "samples",
        int,
        1_000,
        group=Group.STATISTICS,
        help="Number of random labelings for --prior.",
    ),
    SEED,
    convention_options(),
    plot_option("the means with their bounds over all labels"),
    format_option(
        "jsonl",
        help="Format of the result. TSV, CSV and JSON lines contain one row per document to judge.",
    ),
    THREADS,
    reading_options(),
    targets=("gainful.unjudged:find_unjudged",),
    common="measure baseline by depth top docs queries convention plot output style",
    examples=(
        "gainful find-unjudged qrels.txt bm25.run dense.run",
        "gainful find-unjudged qrels.txt bm25.run dense.run --baseline bm25 -m nDCG@10 --prior run",
        "gainful find-unjudged qrels.txt bm25.run dense.run --docs docs.jsonl"
        " --queries queries.jsonl",
        "gainful find-unjudged qrels.txt bm25.run dense.run --format tsv -o to-judge.tsv",
    ),
)
def command(values: Values) -> None:
    """Find unjudged documents that could reverse a verdict.

    For each system, shows the lowest and highest mean over the missing labels. For each pair of
    systems, shows whether labels could reverse their order, and how few are enough. Then lists the
    documents, first those whose label changes an undecided difference most. The ideal ranking is
    recomputed for each label.
    """
    from gainful.cli.output import deliver, write
    from gainful.cli.reading import parse_runs
    from gainful.formats.delimited import text
    from gainful.measures.choosing import choose_measure
    from gainful.progress import Bar

    convention = values.convention
    named = parse_runs(values.runs)
    chosen = choose_measure(values.measure, convention)
    with Bar() as progress:
        judged, ranked = values.reading.load_all(
            values.qrels, named, convention.duplicates, [chosen]
        )
        result = values.call(qrels=judged, runs=ranked, measure=chosen, progress=progress)
    if values.style == "jsonl":
        deliver(map(text, result.rows()), values.output)
    else:
        write(result, values.style, values.output, tables=result.tables(values.top))
