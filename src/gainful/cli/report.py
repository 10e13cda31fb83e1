"""``gainful report`` and ``trend``: pages of comparisons, and one measure over releases."""

from __future__ import annotations

from dataclasses import replace

from gainful.cli.arguments import (
    PUBLISH,
    PUBLISHED,
    QUIET,
    STRICT,
    THREADS,
    check_writable,
    convention_options,
    format_option,
    measure_option,
    plot_option,
)
from gainful.cli.command import Command
from gainful.cli.option_values import FAMILIES, query_groups
from gainful.cli.reading import read_inputs, reading_options
from gainful.cli.written_files import Output
from gainful.parameters import Argument, File, Group, Parameter
from gainful.parameters.comparing import ALPHA, BASELINE, CORRECTION, MARGINS, RESAMPLES, SEED
from gainful.parameters.inputs import (
    DOCUMENTS,
    LOWER_IS_BETTER,
    PREDICTIONS,
    TEXTS,
    VALUE_RANGE,
    VALUES_OR_RUNS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gainful.cli.command import Values


def _parse_judges(words: Sequence[str], values: Values) -> dict[str, str]:
    """Return the files of ``--judge`` by name."""
    from gainful.cli.reading import split_name

    return dict(split_name(word, "judgments") for word in words)


def _parse_history(words: Sequence[str], values: Values) -> dict[str, str] | None:

    return parse_releases(words, values) or None


@Command(
    VALUES_OR_RUNS,
    measure_option(multiple=True, default="nDCG@10, AP and RR", budgets=True),
    BASELINE,
    MARGINS,
    query_groups(),
    LOWER_IS_BETTER,
    VALUE_RANGE,
    TEXTS,
    DOCUMENTS,
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
        convert=_parse_judges,
        help="Audit these labels by a language model against QRELS. Repeatable.",
    ),
    FAMILIES,
    PREDICTIONS,
    Parameter(
        "history",
        File,
        repeatable=True,
        metavar="FILE",
        convert=_parse_history,
        help="Earlier releases, as for `gainful trend`: [NAME=]FILE or a folder. Repeatable, in"
        " order.",
    ),
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
    QUIET,
    THREADS,
    reading_options(),
    targets=("gainful.report:make_report",),
    common="measures baselines margin by docs queries title published convention output",
    examples=(
        "gainful report qrels.txt old.run new.run -o report.html",
        "gainful report qrels.txt *.run -m nDCG@10 -m AP --baseline bm25 -o report.html",
        "gainful report qrels.txt main.run new.run --history snapshots/",
        "gainful report qrels.txt old.run new.run --docs docs.jsonl --queries queries.jsonl",
    ),
)
def report(values: Values) -> None:
    """Write a self-contained HTML report that compares runs.

    QRELS contains the judgments and each RUN a ranking, as for `gainful evaluate`. The page needs
    no network. It contains a leaderboard with differences and verdicts, per-query comparisons,
    curves, and a searchable view of the rankings. With --docs and --queries it shows titles next to
    the ids.

    Without a RUN, the file has values that were computed elsewhere, as for `gainful compare`.

    Install the extra `report` first: pip install 'gainful[report]'.
    """
    from gainful.cli.given_values import read_values, refuse_descriptions
    from gainful.cli.output import deliver, input_fields
    from gainful.published import write_published
    from gainful.report import MEASURES
    from gainful.report.library import check_installed

    check_installed()
    if values.runs:
        refuse_descriptions(values)
        with read_inputs(values, MEASURES, in_memory=True) as inputs:
            result = values.call(**inputs, command=_command_line())
    else:
        options: dict[str, Any] = {"runs": None, "measures": None, "convention": None}
        result = values.call(
            qrels=read_values(values, allowed=["queries"]), command=_command_line(), **options
        )
    deliver([replace(result, **input_fields()).html()], values.output)
    if values.publish is not None:
        write_published(values.publish, result.scores(values.collection))


def _command_line() -> str:
    """Return the command line, quoted for a shell."""
    import sys
    from shlex import join

    from gainful.data.remote import without_credentials

    # Reports are shared, and addresses may contain passwords.
    return join(["gainful", *(without_credentials(word) for word in sys.argv[1:])])


def parse_releases(words: Sequence[str], values: Values) -> dict[str, str]:
    """Return the files of releases by name, with those of folders."""
    from os.path import isdir

    from gainful.cli.reading import split_name
    from gainful.errors import ParameterError
    from gainful.trends.call import name_releases

    named: dict[str, str] = {}
    for word in words:
        files = name_releases(word) if isdir(word) else dict([split_name(word, "release")])
        for called, path in files.items():
            name = called.removesuffix(".html")
            if name in named:
                hint = "name them: NAME=FILE"
                raise ParameterError(f"two releases are called {name}", hint=hint)
            named[name] = path
    return named


@Command(
    Argument(
        "releases",
        metavar="RELEASE...",
        repeatable=True,
        convert=parse_releases,
        help="Snapshots, HTML reports or tables of values in order: [NAME=]FILE, or a folder.",
    ),
    measure_option(multiple=False, default="the first of each release", has_convention=False),
    Parameter(
        "system",
        metavar="NAME",
        help="In releases with several systems, the one to follow.",
    ),
    ALPHA,
    RESAMPLES,
    SEED,
    plot_option("the means by release"),
    format_option(),
    STRICT,
    THREADS,
    targets=("gainful.trends:trend",),
    examples=(
        "gainful trend snapshots/",
        "gainful trend may.json june.json july.json -m nDCG@10 --plot trend.svg",
        "gainful trend v1=scores-1.csv v2=scores-2.csv --format markdown",
    ),
)
def trend(values: Values) -> None:
    """Test how one measure changed over releases.

    Each RELEASE is a snapshot, which `gainful gate --save` writes, an HTML report, or a table of
    values by query.
    Each release is compared with the previous one, and the last with the first: which release
    changed the measure, and what the changes add up to. The p-values are corrected together.

    A query counts in a release if it is judged there as in the last release. Queries that changed
    most are listed with the release that changed them.
    """
    from gainful.cli.output import write

    write(values.call(), values.style, values.output)
