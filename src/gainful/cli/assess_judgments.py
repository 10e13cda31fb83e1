"""``gainful assess-judgments``: coverage and inter-annotator agreement."""

from __future__ import annotations

from gainful.cli.arguments import (
    THREADS,
    check_records,
    convention_options,
    format_option,
    measure_option,
)
from gainful.cli.command import Command
from gainful.cli.option_values import FAMILIES, query_groups, split_pairs
from gainful.cli.plots import plot_option
from gainful.cli.reading import reading_options
from gainful.cli.written_files import Content, Output
from gainful.errors import ParameterError
from gainful.parameters import Argument, File, Group, Parameter, judging
from gainful.parameters.comparing import BASELINE, SEED
from gainful.vocabulary import COMBINING_RULES, LABEL_FORMATS, RATER_DUPLICATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gainful.cli.command import Values
    from gainful.judging import Ratings


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
def command(values: Values) -> None:
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
    from gainful.judging.reading import label_lines, left_out

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
