"""``gainful assess-judgments``: how good judgments are."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    check_records,
    chosen_convention,
    complete_files,
    convention_options,
    examples,
    format_option,
    measure_option,
    threads_option,
)
from gainful.cli.comparing import (
    baselines_option,
    seed_option,
)
from gainful.cli.reading import reading_options
from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.cli.reading import Reading
    from gainful.judging import Ratings


@click.command(
    epilog=examples(
        "gainful assess-judgments qrels.txt",
        "gainful assess-judgments annotations.csv",
        "gainful assess-judgments ana.txt ben.txt --run bm25.run --run dense.run",
        "gainful assess-judgments people=qrels.txt umbrela.txt"
        " --source umbrela=model:gpt-4o@2024-08-06",
        "gainful assess-judgments ratings.csv --raters first,second --final agreed",
        "gainful assess-judgments annotations.csv --labels --format csv -o labels.csv",
    )
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, shell_complete=complete_files)
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="RUN",
    shell_complete=complete_files,
    help="A system's ranking: how much of it is judged, and with several raters how it does under"
    " each of them. NAME=PATH gives it a name. May be given several times.",
)
@measure_option(multiple=False, default="nDCG@10")
@baselines_option
@click.option(
    "--margin", type=float, metavar="D", help="A difference between systems that does not matter."
)
@click.option(
    "--raters",
    metavar="COLUMN,...",
    help="The columns that hold the grades of a rater each, where their names do not tell.",
)
@click.option(
    "--final",
    metavar="NAME",
    help="The column, or the rater, whose grades are those that were settled on.",
)
@click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="RATER=KIND[:MODEL[@VERSION]]",
    help="Who or what a rater is: human, model or clicks. May be given several times.",
)
@click.option(
    "--column",
    "attributes",
    multiple=True,
    metavar="NAME=COLUMN",
    help="Which column is which, as in rater=who or grade=stars. May be given several times.",
)
@click.option(
    "--groups",
    is_flag=True,
    help="The second column of TREC text says who judged, as in trec_eval's qrels_jg.",
)
@click.option(
    "--duplicates",
    type=click.Choice(("error", "first", "last")),
    default="error",
    show_default=True,
    help="Which of two labels of a rater for one document counts.",
)
@click.option(
    "--scale",
    type=click.Choice(("ordinal", "interval", "nominal")),
    default="ordinal",
    show_default=True,
    help="How far apart grades are, for Krippendorff's alpha.",
)
@click.option(
    "--kappa",
    type=click.Choice(("quadratic", "linear", "none")),
    default="quadratic",
    show_default=True,
    help="How a disagreement of several grades is weighted, for Cohen's kappa.",
)
@click.option(
    "--resamples",
    type=int,
    default=9_999,
    show_default=True,
    metavar="N",
    help="Of the bootstrap behind the intervals of alpha and kappa.",
)
@seed_option
@convention_options()
@click.option(
    "--labels",
    is_flag=True,
    help="Write the labels alone, each with who or what gave it.",
)
@format_option(help="How to write the result; --labels are TSV or CSV.")
@threads_option
@reading_options(merges=False)
def command(
    files: tuple[str, ...],
    runs: tuple[str, ...],
    measure: str | None,
    baselines: tuple[str, ...],
    margin: float | None,
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
    convention: str,
    changes: tuple[str, ...],
    labels: bool,
    style: str,
    output: str | None,
    threads: int | None,
    reading: Reading,
) -> None:
    """Tell how much is judged, how far raters agree, and what hangs on it.

    FILE is a table that says who judged (a column such as rater or annotator, or a column of grades
    for each rater), or the judgments of one rater, who is called as the file; NAME=FILE gives
    another name. Several files are put together.

    With --run, systems are scored under each rater, and it is told which verdicts depend on who
    judged.
    """
    from gainful.cli.output import delimited, deliver, write
    from gainful.cli.progress import Progress
    from gainful.cli.runs import check_standard_input, named_runs
    from gainful.data import read_qrels
    from gainful.judging import assess_judgments, read_ratings

    named = named_runs(runs)
    given = raters_files(files)
    check_standard_input(*(path for paths in given.values() for path in paths), *named.values())
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
        sources=_split(sources, "--source", "RATER=KIND[:MODEL[@VERSION]]"),
        columns=_split(attributes, "--column", "NAME=COLUMN"),
        groups=groups,
        duplicates=duplicates,
        name=files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1} more",
    )
    if labels:
        deliver_labels(ratings, style, output)
        return
    with Progress() as progress:
        quality = assess_judgments(
            ratings,
            {name: reading.given(path, "run") for name, path in named.items()} or None,
            measure,
            baseline=baselines or None,
            margin=margin,
            convention=chosen_convention(convention, changes),
            scale=scale,
            kappa=kappa,
            resamples=resamples,
            seed=seed,
            threads=threads,
            progress=progress,
        )
    if style in ("tsv", "csv"):
        # With the verdicts, which are words among figures.
        deliver(delimited(style)(quality.columns, quality.rows()), output)
    else:
        write(quality, style, output)


def raters_files(words: Sequence[str]) -> dict[str, list[str]]:
    """Return the paths of judgments by the name of their rater, should they name none themselves.

    Files of one name are one rater's, as batches are.

    Examples
    --------
    >>> raters_files(["ana=first.txt", "ana=second.txt", "batches/ben.csv"])
    {'ana': ['first.txt', 'second.txt'], 'ben': ['batches/ben.csv']}
    """
    from gainful.cli.runs import split_name

    given: dict[str, list[str]] = {}
    for word in words:
        name, path = split_name(word, "judgments")
        given.setdefault(name, []).append(path)
    return given


def deliver_labels(ratings: Ratings, style: str, output: str | None) -> None:
    """Write a row a label."""
    from gainful.cli.output import delimited, deliver

    check_records("--labels", "tsv" if style == "table" else style, ("tsv", "csv"))
    deliver(delimited("csv" if style == "csv" else "tsv")(ratings.columns, ratings.rows()), output)


def _split(words: Sequence[str], option: str, form: str) -> dict[str, str]:
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise ParameterError(where=option, found=repr(word), expected=form)
        found[name.strip()] = value.strip()
    return found
