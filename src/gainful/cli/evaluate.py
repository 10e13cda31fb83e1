"""``gainful evaluate``: measures of runs."""

from __future__ import annotations

from gainful.cli.arguments import (
    STRICT,
    THREADS,
    convention_options,
    format_option,
    measure_option,
)
from gainful.cli.command import Command
from gainful.cli.plots import plot_option
from gainful.cli.published import PUBLISH
from gainful.cli.query_groups import query_group_options
from gainful.cli.reading import reading_options
from gainful.cli.tables import STYLES, table_options
from gainful.errors import ArgumentError
from gainful.parameters import File, Parameter
from gainful.parameters.inputs import PREDICTIONS, QRELS_AND_RUNS, SELECTION
from gainful.vocabulary import BOUNDED_LABELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.cli.query_groups import QueryGroupFiles
    from gainful.cli.reading import Reading
    from gainful.cli.tables import Layout
    from gainful.conventions import Convention
    from gainful.evaluation import Evaluation
    from gainful.evaluation.predicted_result import PredictedEvaluation
    from gainful.evaluation.several import Evaluations
    from gainful.formats.table import Table

#: Sign flips for the significance marks of a table of all systems and measures.
MARK_RESAMPLES = 10_000


@Command(
    QRELS_AND_RUNS,
    measure_option(multiple=True, default="nDCG@10, AP, RR, P@10 and R@100"),
    Parameter("per_query", bool, help="Print one row per query instead of the means."),
    query_group_options(verb="summarize"),
    SELECTION,
    Parameter(
        "bounds",
        choices=BOUNDED_LABELS,
        flag_value="retrieved",
        help="Show the lowest and highest possible mean over the missing labels of retrieved"
        " documents; `--bounds cutoff` considers only those above the cutoff.",
    ),
    Parameter(
        "scale",
        metavar="GRADES",
        help="With --bounds or --sample, the possible grades of unjudged documents: 0,1,2,3."
        " Default: 0 and the grades of the judgments.",
    ),
    Parameter(
        "sample",
        File,
        help="Estimate the measures from a random sample of judgments, with the file that `gainful"
        " pool --strategy sample` wrote. Default measures: DCG@10, P@10, nDCG@10, and AP and R at"
        " the depth of the pool. With --predicted, DCG, CG and P combine it with labels of a"
        " model.",
    ),
    Parameter(
        "candidates",
        File,
        metavar="FILE|N",
        help="Show chance, the expected mean of a random order, for queries that search this many"
        " documents: a number, or a file of query ids and numbers, FILE or FILE:COLUMN.",
    ),
    PREDICTIONS,
    convention_options(multiple=True),
    PUBLISH,
    Parameter(
        "collection", metavar="NAME", help="The name of the collection in the file of --publish."
    ),
    plot_option("the means of the first measure with confidence intervals"),
    format_option("jsonl"),
    table_options(
        "One row per system and one column per measure, in Markdown, LaTeX and HTML with the best"
        " mean in bold and significance marks; or one row for each mean. Default: --wide for these"
        " formats."
    ),
    STRICT,
    THREADS,
    reading_options(),
    examples=(
        "gainful evaluate qrels.txt bm25.run",
        "gainful evaluate qrels.txt bm25.run dense.run -m nDCG@10 -m 'AP(rel=2)'",
        "gainful evaluate qrels.txt old=a/run.txt new=b/run.txt --format markdown",
        "gainful evaluate qrels.txt bm25.run --convention trec_eval --policy missing=empty",
        "gainful evaluate qrels.txt bm25.run --convention trec_eval --convention gainful",
        "gainful evaluate qrels.txt bm25.run -m nDCG@10 --per-query --format csv -o queries.csv",
        "gainful evaluate qrels.txt bm25.run -m nDCG@10 --bounds",
        "gainful evaluate qrels.txt bm25.run --by queries.tsv:category",
        "gainful evaluate qrels.txt bm25.run --clusters questions.tsv:conversation",
        "gainful evaluate qrels.txt bm25.run --only q1,q7 --exclude duplicates.tsv",
        "gainful evaluate qrels.txt bm25.run dense.run -m nDCG@10 --plot means.pdf",
        "gainful evaluate qrels.txt bm25.run -m nDCG@10 --publish scores.json --collection shop",
        "gainful evaluate qrels.txt bm25.run dense.run --sample pool.jsonl",
        "gainful evaluate qrels.txt bm25.run dense.run --sample pool.jsonl --predicted llm.qrels",
        "gainful evaluate golden.jsonl memory.run -m Success@10 -m R@10 --candidates 30",
        "gainful evaluate human.qrels bm25.run --predicted llm.qrels --sampled random",
        "gainful evaluate qrels.diversity.txt bm25.run -m alpha_nDCG@10 -m ERR_IA@20",
        "zstd -dc big.run.zst | gainful evaluate qrels.txt big=- --format json",
    ),
)
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    conventions: list[Convention],
    per_query: bool,
    style: str,
    output: str | None,
    query_groups: QueryGroupFiles,
    queries: str | None,
    exclude: str | None,
    bounds: str | None,
    scale: str | None,
    sample: str | None,
    candidates: str | None,
    predicted: str | None,
    sampled: str | None,
    publish: str | None,
    collection: str | None,
    layout: Layout,
    threads: int | None,
    reading: Reading,
) -> None:
    """Evaluate runs against relevance judgments.

    QRELS contains the judgments (ground truth) and each RUN a ranking: TREC text or any other
    supported format, compressed or not. A dash is the standard input. A run is named after its
    file; NAME=PATH sets another name.

    The table shows each mean with its 95% confidence interval, the convention that defines the
    numbers, and data checks: missing queries, unjudged documents, ties. With several conventions,
    it has a column of means for each.
    """
    from gainful.cli.runs import check_standard_input, parse_runs
    from gainful.cli.scale import parse_scale
    from gainful.evaluation import DEFAULT_MEASURES, evaluate, records
    from gainful.evaluation.loaded import agreed_duplicates
    from gainful.measures.choosing import choose_measures
    from gainful.progress import Bar

    layout.check(style)
    for option_name, is_given in (
        ("--per-query", per_query),
        ("--sample", sample is not None),
        ("--predicted", predicted is not None or sampled is not None),
        ("several conventions", len(conventions) > 1),
    ):
        if is_given and layout.given is not None:
            raise ArgumentError(f"{layout.given} does not work with {option_name}")
    named = parse_runs(runs)
    check_standard_input(
        *(qrels, *named.values()),
        *(*query_groups.paths, predicted or "", queries or "", exclude or ""),
    )
    if publish is None and collection is not None:
        raise ArgumentError("--collection names the collection in the file of --publish")
    if publish is not None and (sample is not None or len(conventions) > 1):
        raise ArgumentError("--publish works without --sample, and with a single --convention")
    groups = query_groups.arguments()
    selection: dict[str, Any] = {"queries": queries, "exclude": exclude}
    for option_name, value in (
        ("--by", query_groups.by),
        ("--clusters", query_groups.clusters),
        ("--only", queries),
        ("--exclude", exclude),
    ):
        if value and (sample is not None or len(conventions) > 1):
            raise ArgumentError(
                f"{option_name} works without --sample, and with a single --convention"
            )
    if per_query and (query_groups.by or query_groups.clusters):
        raise ArgumentError("--by and --clusters summarize queries, and --per-query lists them")
    grades = parse_scale(scale)
    if candidates is not None and (sample or predicted or sampled or len(conventions) > 1):
        raise ArgumentError(
            "--candidates works without --sample and --predicted, and with a single --convention"
        )
    if sample is not None:
        if sampled is not None:
            raise ArgumentError(
                "--sampled describes a sample of queries, and --sample has its own file"
            )
        if bounds or query_groups.weights or len(conventions) > 1 or style == "jsonl":
            raise ArgumentError(
                "--sample works without --bounds, --weights and --format jsonl, and with a single"
                " --convention"
            )
        from gainful.cli.output import write
        from gainful.sampled import evaluate_sample

        write(
            evaluate_sample(
                reading.path_or_table(qrels, "qrels"),
                reading.paths_or_runs(named),
                sample,
                measures or None,
                convention=conventions[0],
                scale=grades,
                predicted=reading.path_or_table(predicted, "qrels") if predicted else None,
            ),
            style,
            output,
            records="queries" if per_query else "summary",
        )
        return
    if predicted is not None or sampled is not None:
        if bounds or len(conventions) > 1 or per_query or style == "jsonl":
            raise ArgumentError(
                "--predicted works without --bounds, --per-query and --format jsonl, and with a"
                " single --convention"
            )
        from gainful.cli.output import write

        options: dict[str, Any] = {
            "runs": reading.paths_or_runs(named),
            "measures": measures or None,
            "convention": conventions[0],
            **groups,
            **selection,
            "predicted": reading.path_or_table(predicted, "qrels") if predicted else None,
            "sampled": sampled,
            "threads": threads,
        }
        with Bar() as progress:
            combined = evaluate(reading.path_or_table(qrels, "qrels"), progress=progress, **options)
        write(combined, style, output)
        _publish(combined, publish, collection)
        return
    if bounds and len(conventions) > 1:
        raise ArgumentError("--bounds works with a single --convention")
    chosen = choose_measures(measures or None, *conventions, usual=DEFAULT_MEASURES)
    with Bar() as progress:
        if len(conventions) > 1:
            from gainful.evaluation import several_rendering
            from gainful.evaluation.several import evaluate_each

            judged, rankings = reading.load_all(
                qrels, named, agreed_duplicates(conventions), chosen
            )
            both = evaluate_each(
                judged,
                runs=rankings,
                measures=chosen,
                conventions=conventions,
                weights=groups["weights"],
                threads=threads,
                progress=progress,
            )
            _write(both, several_rendering, style, output, per_query)
            return
        read, ranked = reading.load_all_to_measure(
            qrels,
            named,
            conventions[0].duplicates,
            chosen,
            # The table has a note on it.
            print_note=style != "table" or per_query,
            in_memory=any(selection.values()),
        )
        result = evaluate(
            read,
            runs=ranked,
            measures=chosen,
            convention=conventions[0],
            **groups,
            **selection,
            bounds=bounds or False,
            scale=grades,
            candidates=candidates,
            threads=threads,
            progress=progress,
        )
    if per_query or style not in STYLES:
        _write(result, records, style, output, per_query)
    else:
        _write_means(result, layout, style, output)
    _publish(result, publish, collection)


def _publish(
    result: Evaluation | PredictedEvaluation, publish: str | None, collection: str | None
) -> None:
    """Write the means to a file of published scores."""
    if publish is not None:
        from gainful.published import summarize_published, write_published

        write_published(publish, summarize_published(result, collection=collection))


def _write_means(result: Evaluation, layout: Layout, style: str, output: str | None) -> None:
    """Write the means; a table of systems × measures has significance marks."""
    from gainful.cli.output import write

    several = len(result.systems) > 1
    wide = style != "table" and several and result.bounds_of is None
    if layout.wide is not None:
        wide = layout.wide
    tables = result.tables(wide=wide, **layout.look)
    if wide and several and style != "table":
        tables = [_mark(result, layout, tables[0]), *tables[1:]]
    write(result, style, output, tables=tables)


def _mark(result: Evaluation, layout: Layout, plain: Table) -> Table:
    """Return a table of means with significance marks if the systems can be compared."""
    from gainful.comparison import compare
    from gainful.comparison.matrix import matrix_tables
    from gainful.errors import MatchError, ParameterError
    from gainful.formats.look import Look

    try:
        comparison = compare(result, bootstrap=0, resamples=MARK_RESAMPLES)
    except (MatchError, ParameterError):
        # Too few queries: the means are shown without marks.
        return plain
    look = layout.look
    marked, *_ = matrix_tables(comparison, Look(look["digits"], look["sort"], look["percent"]))
    notes = [note for note in marked.notes if note.key in ("marks", "verdict")]
    return marked.replace(notes=[*notes, *plain.notes])


def _write(
    result: Evaluation | Evaluations, of: Any, style: str, output: str | None, per_query: bool
) -> None:
    from gainful.cli.output import draw, input_fields, send, write

    if style == "jsonl" or (style == "json" and per_query):
        draw(result)
        further = input_fields() if style == "json" else None
        send(of.json_chunks(result, style, per_query=per_query, further=further), output)
        return
    write(
        result,
        style,
        output,
        records="queries" if per_query else "summary",
        tables=[of.query_table(result)] if per_query and style in (*STYLES, "html") else None,
    )
