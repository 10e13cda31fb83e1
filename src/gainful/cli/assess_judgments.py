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
from gainful.cli.families import FAMILIES, split_pairs
from gainful.cli.plots import plot_option
from gainful.cli.query_groups import query_group_options
from gainful.cli.reading import reading_options
from gainful.cli.written_files import Content, Output
from gainful.errors import ParameterError
from gainful.parameters import Argument, File, Group, Parameter
from gainful.parameters.comparing import BASELINE, SEED
from gainful.vocabulary import (
    COMBINING_RULES,
    KAPPA_WEIGHTS,
    LABEL_FORMATS,
    RATER_DUPLICATES,
    SCALES,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gainful.cli.query_groups import QueryGroupFiles
    from gainful.cli.reading import Reading
    from gainful.conventions import Convention
    from gainful.judging import Ratings


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
    BASELINE,
    Parameter(
        "margin",
        float,
        metavar="D",
        help="Equivalence margin of the systems: the largest difference that does not matter.",
    ),
    query_group_options(verb="show agreement and systems"),
    Parameter(
        "docs",
        File,
        help="The texts of the documents, for the effect of their length on a model's grades.",
    ),
    FAMILIES,
    Parameter(
        "raters",
        metavar="COLUMN,...",
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
    Parameter(
        "scale",
        default="ordinal",
        choices=SCALES,
        group=Group.STATISTICS,
        help="The distance between grades for Krippendorff's alpha.",
    ),
    Parameter(
        "kappa",
        default="quadratic",
        choices=KAPPA_WEIGHTS,
        group=Group.STATISTICS,
        help="The weights of disagreements for Cohen's kappa.",
    ),
    Parameter(
        "resamples",
        int,
        1_999,
        group=Group.STATISTICS,
        help="Number of bootstrap resamples for the intervals of tau.",
    ),
    SEED,
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
def command(
    files: tuple[str, ...],
    runs: tuple[str, ...],
    measure: str | None,
    baselines: tuple[str, ...],
    margin: float | None,
    query_groups: QueryGroupFiles,
    docs: str | None,
    families: tuple[str, ...],
    raters: str | None,
    final: str | None,
    sources: tuple[str, ...],
    attributes: tuple[str, ...],
    groups: bool,
    duplicates: str,
    scale: str,
    kappa: str,
    resamples: int,
    seed: int,
    convention: Convention,
    labels: bool,
    labels_as: str | None,
    combine: str | None,
    owner: str | None,
    style: str,
    output: str | None,
    threads: int | None,
    reading: Reading,
) -> None:
    """Report judgment coverage and inter-annotator agreement.

    FILE is a table with a column of raters, such as rater or annotator, or with a column of grades
    per rater; or the judgments of one rater, who is named after the file or by NAME=FILE. Several
    files are combined.

    With --run, systems are scored under each rater, which shows the verdicts that depend on the
    rater. If some raters are models and others people, each model is audited against people.
    """
    from gainful.cli.output import delimited_writer, deliver, write
    from gainful.cli.runs import parse_runs
    from gainful.data import read_qrels
    from gainful.judging import assess_judgments, read_ratings
    from gainful.progress import Bar

    named = parse_runs(runs)
    given = parse_rater_files(files)
    options = reading.options["qrels"]
    ratings = read_ratings(
        given
        if not options
        else {
            name: read_qrels(paths, **options.replace(subtopics=groups, duplicates=duplicates))
            for name, paths in given.items()
        },
        raters=[column.strip() for column in raters.split(",")] if raters else None,
        final=final,
        sources=split_pairs(sources, "--source", "RATER=KIND[:MODEL[@VERSION]]"),
        columns=split_pairs(attributes, "--column", "NAME=COLUMN"),
        groups=groups,
        duplicates=duplicates,
        name=files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1} more",
    )
    if owner is not None and combine is None:
        raise ParameterError("--owner needs --combine owner", where="--owner")
    if (labels, labels_as, combine).count(None) + (not labels) < 2:
        raise ParameterError("--labels, --labels-as and --combine exclude each other")
    if labels_as is not None:
        _export_labels(ratings, labels_as, output)
        return
    if labels:
        _write_labels(ratings, style, output)
        return
    rankings = reading.paths_or_runs(named) or None
    if combine is not None:
        if query_groups.clusters or query_groups.by:
            raise ParameterError("--clusters and --by do not apply to it", where="--combine")
        combined = ratings.combine(
            combine,
            owner=owner,
            runs=rankings,
            measure=measure,
            baseline=baselines or None,
            margin=margin,
            convention=convention,
            weights=query_groups.arguments()["weights"],
            seed=seed,
            threads=threads,
        )
        # The suffix of -o is that of the judgments.
        write(combined, style if output is None else "table", None)
        if output is not None:
            combined.write(output)
        return
    with Bar() as progress:
        quality = assess_judgments(
            ratings,
            rankings,
            measure,
            baseline=baselines or None,
            margin=margin,
            convention=convention,
            **query_groups.arguments(),
            docs=docs,
            families=split_pairs(families, "--family", "NAME=FAMILY"),
            scale=scale,
            kappa=kappa,
            resamples=resamples,
            seed=seed,
            threads=threads,
            progress=progress,
        )
    if style in ("tsv", "csv"):
        # The rows include the verdicts, which are text.
        deliver(delimited_writer(style)(quality.columns, quality.rows()), output)
    else:
        write(quality, style, output)


def parse_rater_files(words: Sequence[str]) -> dict[str, list[str]]:
    """Return the paths of judgments by rater, for files that do not name raters.

    Files with the same name, such as batches, belong to one rater.

    Examples
    --------
    >>> parse_rater_files(["ana=first.txt", "ana=second.txt", "batches/ben.csv"])
    {'ana': ['first.txt', 'second.txt'], 'ben': ['batches/ben.csv']}
    """
    from gainful.cli.runs import split_name

    given: dict[str, list[str]] = {}
    for word in words:
        name, path = split_name(word, "judgments")
        given.setdefault(name, []).append(path)
    return given


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
