"""``gainful pool``, ``assess-judgments`` and ``find-unjudged``: judgments to make and trust."""

from __future__ import annotations

from gainful.cli.arguments import (
    THREADS,
    check_records,
    convention_options,
    format_option,
    measure_of_file,
    measure_option,
    plot_option,
)
from gainful.cli.command import Command
from gainful.cli.option_values import (
    FAMILIES,
    SCALE,
    parse_prior,
    parse_share,
    query_groups,
    split_pairs,
)
from gainful.cli.reading import reading_options
from gainful.cli.written_files import Content, Output
from gainful.errors import ParameterError
from gainful.parameters import Argument, File, Group, Parameter, judging
from gainful.parameters.comparing import BASELINE, CLUSTERS, SEED
from gainful.parameters.inputs import QRELS_AND_RUNS, RUNS, TEXTS
from gainful.vocabulary import (
    COMBINING_RULES,
    LABEL_FORMATS,
    POOL_FORMATS,
    POOLING_STRATEGIES,
    RATER_DUPLICATES,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gainful.cli.command import Values
    from gainful.judging import Ratings


def _ranks_of(path: str, values: Mapping[str, Any]) -> list[tuple[str, Callable[[bytes], bool]]]:
    """Return the file of ranks, and whether an existing one is such a file."""
    from gainful.pooling.result import RANK_COLUMNS, ranks_file

    return [(ranks_file(path), lambda head: head.startswith("\t".join(RANK_COLUMNS).encode()))]


@Command(
    RUNS,
    Parameter(
        "strategy",
        default="depth",
        choices=POOLING_STRATEGIES,
        help="depth: the first documents of each run. rrf: first what several runs rank high. mtf,"
        " maxmean: first from runs that found relevant documents. mtc: first what could change the"
        " order of systems. sample: a random sample for unbiased estimates.",
    ),
    Parameter(
        "depth",
        int,
        metavar="K",
        help="Pool documents down to this rank. Default: 10, or 100 with --budget.",
    ),
    Parameter("budget", int, help="The maximum number of documents to judge. Required by sample."),
    Parameter(
        "queries",
        int,
        help="Draw a random sample of N queries, and record the draw in the pool: --sampled FILE of"
        " evaluate and compare reads it. Default: all queries.",
    ),
    Parameter(
        "judged",
        File,
        metavar="QRELS",
        convert=lambda path, values: values.reading.path_or_table(path, "qrels"),
        help="Judgments that exist: left out, or in a sample included with probability 1. mtf,"
        " maxmean and mtc learn from them.",
    ),
    Parameter(
        "overlap",
        default="0%",
        metavar="SHARE",
        convert=lambda text, values: parse_share(text),
        help="The share of documents that two people should judge, such as 20%.",
    ),
    Parameter(
        "pace",
        float,
        30.0,
        range="(0, inf)",
        metavar="SECONDS",
        help="Seconds per document, for the estimated hours.",
    ),
    measure_of_file(
        Parameter(
            "measure",
            flags=("-m", "--measure"),
            default="nDCG@10",
            metavar="MEASURE",
            help="The measure whose order of the systems mtf, maxmean and mtc should settle.",
        )
    ),
    SCALE.replace(
        help="The possible grades for mtc: 0,1,2,3. Default: 0, 1 and the grades of the judgments.",
    ),
    SEED.replace(
        doc="The random seed of the samples, of the order within each query, and of the overlap."
    ),
    convention_options(),
    Parameter(
        "output",
        flags=("-o", "--output"),
        metavar="FILE",
        group=Group.OUTPUT,
        writes=Output(companions=_ranks_of),
        help="Write the documents to FILE, and their systems and ranks to a second file whose name"
        " ends in .ranks.tsv. Default: only print the plan.",
    ),
    Parameter(
        "style",
        flags=("--format",),
        choices=POOL_FORMATS,
        group=Group.OUTPUT,
        help="JSON lines, a TREC pool, or prels with the probabilities of a sample. Default: by the"
        " suffix .pool or .prels, else JSON lines.",
    ),
    reading_options(),
    targets=("gainful.pooling:pool",),
    common="strategy depth budget queries judged overlap measure convention output style",
    examples=(
        "gainful pool bm25.run dense.run -o pool.jsonl",
        "gainful pool bm25.run dense.run --strategy sample --budget 2000 -o pool.jsonl",
        "gainful pool bm25.run dense.run --queries 40 --seed 1 -o pool.jsonl",
        "gainful pool bm25.run dense.run --strategy mtf --budget 200 --judged qrels.txt"
        " -o more.jsonl",
    ),
)
def pool(values: Values) -> None:
    """Choose the documents of several runs to judge.

    Prints the plan: how many documents per query, and how many hours they take. With -o, writes the
    documents in random order within each query.
    """
    from gainful.cli.output import write
    from gainful.cli.reading import parse_runs

    result = values.call(runs=values.reading.paths_or_runs(parse_runs(values.runs)))
    write(result, "table", None, tables=result.tables(values.pace))
    if values.output is not None:
        result.write(values.output, values.style)


ASSESS = "gainful.judging:assess_judgments"

READ_RATINGS = "gainful.judging:read_ratings"

COMBINE = "gainful.judging:Ratings.combine"


def _content(values: Mapping[str, Any]) -> Content:
    """Return what the file of ``-o`` contains: labels, or a result."""
    labels = values["labels"] or values["labels_as"] or values["combine"]
    return Content.JUDGMENTS if labels else Content.RESULT


@Command(
    Argument("files", metavar="FILE...", repeatable=True),
    Parameter(
        "runs",
        File,
        flags=("--run",),
        metavar="RUN",
        repeatable=True,
        help="Report how much of this ranking is judged and, with several raters, its score under"
        " each of them. NAME=PATH names it. Repeatable.",
    ),
    measure_option(multiple=False, default="nDCG@10"),
    BASELINE.replace(doc=""),
    Parameter(
        "margin",
        float,
        metavar="D",
        help="Equivalence margin of the systems: the largest difference that does not matter.",
    ),
    query_groups(verb="show agreement and systems"),
    Parameter(
        "docs",
        File,
        help="The texts of the documents, for the effect of their length on a model's grades.",
    ),
    FAMILIES,
    Parameter(
        "raters",
        metavar="COLUMN,...",
        convert=lambda text, values: [column.strip() for column in text.split(",")],
        group=Group.INPUT,
        help="Columns with the grades of one rater each. Default: detected by their names.",
    ),
    Parameter(
        "final",
        metavar="NAME",
        group=Group.INPUT,
        help="The column or rater with the final grades.",
    ),
    Parameter(
        "sources",
        flags=("--source",),
        metavar="RATER=KIND[:MODEL[@VERSION]]",
        convert=lambda words, values: split_pairs(
            words, "--source", "RATER=KIND[:MODEL[@VERSION]]"
        ),
        group=Group.INPUT,
        repeatable=True,
        help="The kind of a rater: human, model or clicks. Repeatable.",
    ),
    Parameter(
        "attributes",
        flags=("--column",),
        metavar="NAME=COLUMN",
        group=Group.INPUT,
        repeatable=True,
        help="Name a column, as in rater=who or grade=stars. Repeatable.",
    ),
    Parameter(
        "groups",
        bool,
        group=Group.INPUT,
        help="Read raters from the second column of TREC text, like trec_eval's qrels_jg.",
    ),
    Parameter(
        "duplicates",
        default="error",
        choices=RATER_DUPLICATES,
        group=Group.INPUT,
        help="Which of several labels by one rater for a document counts.",
    ),
    judging.AGREEMENT_SCALE,
    judging.KAPPA,
    judging.AGREEMENT_RESAMPLES,
    SEED.replace(doc=""),
    convention_options(),
    Parameter(
        "labels",
        bool,
        group=Group.OUTPUT,
        help="Write only the labels with their raters, as TSV or CSV.",
    ),
    Parameter(
        "labels_as",
        choices=LABEL_FORMATS,
        group=Group.OUTPUT,
        help="Write only the labels with their raters in this format: the CSV of a Quepid book,"
        " JSON for Label Studio, or the judgments of one rater.",
    ),
    Parameter(
        "combine",
        python="method",
        annotation="str",
        choices=COMBINING_RULES,
        group=Group.OUTPUT,
        help="Combine the labels into one grade per document, and write them to the file of -o: as"
        " TREC judgments, or as .csv or .jsonl with the labels of each rater. With --run, systems"
        " are scored under each rule.",
    ),
    Parameter(
        "owner",
        metavar="RATER",
        group=Group.OUTPUT,
        help="For --combine owner: the rater whose labels decide. Default: the final grades.",
    ),
    plot_option("the agreement of each two raters"),
    format_option(writes=Output(_content)),
    THREADS,
    reading_options(merges=False),
    targets=(ASSESS, READ_RATINGS, COMBINE),
    excludes={
        "labels": "labels_as combine",
        "labels_as": "combine",
        "combine": "clusters by",
    },
    requires={"owner": "combine"},
    common="runs measure baselines raters final sources combine convention plot output style",
    examples=(
        "gainful assess-judgments qrels.txt",
        "gainful assess-judgments annotations.csv",
        "gainful assess-judgments ana.txt ben.txt --run bm25.run --run dense.run",
        "gainful assess-judgments people=qrels.txt umbrela.txt"
        " --source umbrela=model:gpt-4o@2024-08-06",
        "gainful assess-judgments human.qrels llm=labels.jsonl --run bm25.run --run dense.run",
        "gainful assess-judgments ratings.csv --raters first,second --final agreed",
        "gainful assess-judgments annotations.csv --labels --format csv -o labels.csv",
        "gainful assess-judgments annotations.csv --combine majority -o qrels.txt",
    ),
)
def assess_judgments(values: Values) -> None:
    """Report judgment coverage and inter-annotator agreement.

    FILE is a table with a column of raters, such as rater or annotator, or with a column of grades
    per rater; or the judgments of one rater, who is named after the file or by NAME=FILE. Several
    files are combined.

    With --run, systems are scored under each rater, which shows the verdicts that depend on the
    rater. If some raters are models and others people, each model is audited against people.
    """
    from gainful.cli.output import delimited_writer, deliver, write
    from gainful.cli.reading import parse_runs
    from gainful.progress import Bar

    runs = parse_runs(values.runs)
    ratings = _read(values)
    if values.labels_as is not None:
        _export_labels(ratings, values.labels_as, values.output)
        return
    if values.labels:
        _write_labels(ratings, values.style, values.output)
        return
    rankings = values.reading.paths_or_runs(runs) or None
    if values.combine is not None:
        combined = ratings.combine(**values.arguments(COMBINE, runs=rankings))
        # The suffix of -o is that of the judgments.
        write(combined, values.style if values.output is None else "table", None)
        if values.output is not None:
            combined.write(values.output)
        return
    with Bar() as progress:
        quality = values.call(judgments=ratings, runs=rankings, progress=progress)
    if values.style in ("tsv", "csv"):
        # The rows include the verdicts, which are text.
        rows = delimited_writer(values.style)(quality.columns, quality.rows())
        deliver(rows, values.output)
    else:
        write(quality, values.style, values.output)


def _read(values: Values) -> Ratings:
    """Return the labels of the files."""
    from gainful.data import read_qrels

    files = parse_rater_files(values.files)
    options = values.reading.options["qrels"]
    judgments: Any = files
    if options:
        options = options.replace(subtopics=values.groups, duplicates=values.duplicates)
        judgments = {name: read_qrels(paths, **options) for name, paths in files.items()}
    more = f" and {len(values.files) - 1} more" if len(values.files) > 1 else ""
    ratings: Ratings = values.call(
        READ_RATINGS,
        path=judgments,
        columns=split_pairs(values.attributes, "--column", "NAME=COLUMN"),
        name=f"{values.files[0]}{more}",
    )
    return ratings


def parse_rater_files(words: Sequence[str]) -> dict[str, list[str]]:
    """Return the paths of judgments by rater, for files that do not name raters.

    Files with the same name, such as batches, belong to one rater.

    Examples
    --------
    >>> parse_rater_files(["ana=first.txt", "ana=second.txt", "batches/ben.csv"])
    {'ana': ['first.txt', 'second.txt'], 'ben': ['batches/ben.csv']}
    """
    from gainful.cli.reading import split_name

    files: dict[str, list[str]] = {}
    for word in words:
        name, path = split_name(word, "judgments")
        files.setdefault(name, []).append(path)
    return files


def _write_labels(ratings: Ratings, style: str, output: str | None) -> None:
    """Write one row per label."""
    from gainful.cli.output import delimited_writer, deliver

    check_records("--labels", "tsv" if style == "table" else style, ("tsv", "csv"))
    deliver(
        delimited_writer("csv" if style == "csv" else "tsv")(ratings.columns, ratings.rows()),
        output,
    )


def _export_labels(ratings: Ratings, style: str, output: str | None) -> None:
    """Write the labels in the format of another tool, and report what it has no place for."""
    from gainful.cli.output import deliver
    from gainful.judging.ratings import label_lines, left_out

    if output is not None and output != "-":
        missing = ratings.write(output, style)
    elif style == "qrels":
        raise ParameterError("--labels-as qrels needs a file", where="-o")
    else:
        deliver(label_lines(ratings, style), None)
        missing = left_out(ratings, style)
    if missing:
        from gainful.cli.output import say

        say(f"not in {style}: {', '.join(missing)}")


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
def find_unjudged(values: Values) -> None:
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
