"""``gainful trend``: one measure over releases."""

from __future__ import annotations

from gainful.cli.arguments import STRICT, THREADS, format_option, measure_option
from gainful.cli.command import Command
from gainful.cli.plots import plot_option
from gainful.parameters import Argument, Parameter
from gainful.parameters.comparing import ALPHA, RESAMPLES, SEED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.cli.command import Values


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
def command(values: Values) -> None:
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
