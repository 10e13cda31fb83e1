"""``gainful report``: a self-contained HTML report that compares runs."""

from __future__ import annotations

from dataclasses import replace

from gainful.cli.arguments import (
    STRICT,
    THREADS,
    check_writable,
    convention_options,
    measure_option,
)
from gainful.cli.command import Command
from gainful.cli.families import FAMILIES, split_pairs
from gainful.cli.published import PUBLISH, PUBLISHED
from gainful.cli.query_groups import query_group_options
from gainful.cli.reading import reading_options
from gainful.cli.written_files import Output
from gainful.parameters import File, Group, Parameter
from gainful.parameters.comparing import ALPHA, BASELINE, CORRECTION, MARGINS, SEED
from gainful.parameters.inputs import (
    LOWER_IS_BETTER,
    PREDICTIONS,
    TEXTS,
    VALUE_RANGE,
    VALUES_OR_RUNS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.command import Values
    from gainful.cli.query_groups import QueryGroupFiles
    from gainful.cli.reading import Reading
    from gainful.conventions import Convention
    from gainful.report import Report


@Command(
    VALUES_OR_RUNS,
    measure_option(multiple=True, default="nDCG@10, AP and RR"),
    BASELINE,
    MARGINS,
    query_group_options(),
    LOWER_IS_BETTER,
    VALUE_RANGE,
    TEXTS,
    PUBLISHED,
    PUBLISH,
    Parameter(
        "collection",
        metavar="NAME",
        help="The name of the collection in the files of --published and --publish. Default: the"
        " only one.",
    ),
    Parameter(
        "output",
        File,
        "report.html",
        flags=("-o", "--output"),
        group=Group.OUTPUT,
        validate=check_writable,
        writes=Output(),
        help="Write to this file, atomically.",
    ),
    Parameter(
        "judges",
        File,
        flags=("--judge",),
        metavar="NAME=FILE",
        repeatable=True,
        help="Audit these labels by a language model against QRELS. Repeatable.",
    ),
    FAMILIES,
    PREDICTIONS,
    Parameter(
        "title",
        default="Ranking report",
        metavar="TEXT",
        group=Group.OUTPUT,
        help="The title of the page.",
    ),
    Parameter(
        "depth",
        int,
        group=Group.OUTPUT,
        help="Number of ranks to show, at most 20. Default: the cutoff of the first measure.",
    ),
    ALPHA,
    CORRECTION,
    Parameter(
        "resamples",
        int,
        group=Group.STATISTICS,
        help="Number of random sign flips or permutations. Default: 100,000, or 10,000 for many"
        " systems and queries.",
    ),
    SEED,
    convention_options(),
    STRICT,
    THREADS,
    reading_options(),
    examples=(
        "gainful report qrels.txt old.run new.run -o report.html",
        "gainful report qrels.txt *.run -m nDCG@10 -m AP --baseline bm25 -o report.html",
        "gainful report qrels.txt old.run new.run --docs docs.jsonl --queries queries.jsonl",
    ),
)
def command(
    qrels: str,
    runs: tuple[str, ...],
    output: str,
    measures: tuple[str, ...],
    docs: str | None,
    queries: str | None,
    judges: tuple[str, ...],
    families: tuple[str, ...],
    predicted: str | None,
    sampled: str | None,
    published: tuple[str, ...],
    publish: str | None,
    collection: str | None,
    title: str,
    depth: int | None,
    baselines: tuple[str, ...],
    margin: float | None,
    detect: float | None,
    query_groups: QueryGroupFiles,
    alpha: float,
    correction: str | None,
    resamples: int | None,
    seed: int,
    convention: Convention,
    threads: int | None,
    reading: Reading,
    values: Values,
) -> None:
    """Write a self-contained HTML report that compares runs.

    QRELS contains the judgments and each RUN a ranking, as for `gainful evaluate`. The page needs
    no network. It contains a leaderboard with differences and verdicts, per-query comparisons,
    curves, and a searchable view of the rankings. With --docs and --queries it shows titles next to
    the ids.

    Without a RUN, the file has values that were computed elsewhere, as for `gainful compare`.

    Install the extra `report` first: pip install 'gainful[report]'.
    """
    from gainful.cli.given_values import read_values, refuse_descriptions
    from gainful.cli.runs import parse_runs, split_name
    from gainful.measures.choosing import choose_measures
    from gainful.progress import Bar
    from gainful.report import MEASURES, make_report
    from gainful.report.chart_specs import check_installed

    check_installed()
    if not runs:
        result = make_report(
            read_values(values, allowed=["queries"]),
            baseline=baselines or None,
            queries=queries,
            margin=margin,
            detect=detect,
            alpha=alpha,
            correction=correction,
            resamples=resamples,
            seed=seed,
            title=title,
            published=published,
            collection=collection,
            command=_command_line(),
            threads=threads,
        )
        _deliver(result, output, publish, collection)
        return
    refuse_descriptions(values)
    named = parse_runs(runs)
    chosen = choose_measures(measures or None, convention, usual=MEASURES)
    groups = query_groups.arguments()
    with Bar() as progress:
        read, ranked = reading.load_all(qrels, named, convention.duplicates, chosen)
        result = make_report(
            read,
            ranked,
            chosen,
            baseline=baselines or None,
            convention=convention,
            **groups,
            docs=docs,
            queries=queries,
            margin=margin,
            detect=detect,
            alpha=alpha,
            correction=correction,
            resamples=resamples,
            seed=seed,
            depth=depth,
            title=title,
            judges=dict(split_name(word, "judgments") for word in judges),
            families=split_pairs(families, "--family", "NAME=FAMILY"),
            predicted=reading.path_or_table(predicted, "qrels") if predicted else None,
            sampled=sampled,
            published=published,
            collection=collection,
            command=_command_line(),
            threads=threads,
            progress=progress,
        )
    _deliver(result, output, publish, collection)


def _deliver(result: Report, output: str, publish: str | None, collection: str | None) -> None:
    """Write the page, and the means to a file of published scores."""
    from gainful.cli.output import deliver, input_fields
    from gainful.published import write_published

    deliver([replace(result, **input_fields()).html()], output)
    if publish is not None:
        write_published(publish, result.scores(collection))


def _command_line() -> str:
    """Return the command line, quoted for a shell."""
    import sys
    from shlex import join

    from gainful.data.addresses import without_credentials

    # Reports are shared, and addresses may contain passwords.
    return join(["gainful", *(without_credentials(word) for word in sys.argv[1:])])
