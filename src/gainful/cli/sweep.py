"""``gainful sweep``: a grid search over the settings of a live system."""

from __future__ import annotations

from functools import partial
from os import listdir
from os.path import isdir, join

from gainful.cli.arguments import (
    STRICT,
    THREADS,
    convention_options,
    format_option,
    measure_option,
)
from gainful.cli.command import Command
from gainful.cli.option_values import WEIGHTS, parse_pairs
from gainful.cli.output import say, write
from gainful.cli.plots import plot_option
from gainful.cli.reading import reading_options
from gainful.cli.systems import RECORDING, call_with_bar, journal_option
from gainful.cli.written_files import Output
from gainful.parameters import Argument, File, Folder, Group, Parameter
from gainful.parameters.comparing import ALPHA, CLUSTERS, CORRECTION, MARGINS, RESAMPLES, SEED
from gainful.parameters.inputs import QRELS
from gainful.parameters.searching import DEPTH, FETCHING, VECTORS, VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from gainful.cli.command import Values


def _runs_in(folder: str, values: Mapping[str, Any]) -> Iterator[tuple[str, Callable[..., bool]]]:
    """Yield the files of a folder with the names of points, and whether a sweep wrote them."""
    from gainful.sweeps.result import names_point, was_written

    if isdir(folder):
        for file in filter(names_point, listdir(folder)):
            yield join(folder, file), partial(was_written, file)


@Command(
    QRELS,
    Argument("queries"),
    Parameter(
        "place",
        File,
        flags=("--system",),
        metavar="SYSTEM",
        required=True,
        help="The system: a description in TOML, or a Python class or function that makes a system"
        " from the settings, as module:object or file.py:object.",
    ),
    Parameter(
        "sets",
        flags=("--set",),
        metavar="NAME=VALUES",
        repeatable=True,
        required=True,
        help="A setting and its values: boost.title=1,2,4. With --sample also a range:"
        " boost.title=1..8 or 0.1..10:log. Repeatable, for all combinations.",
    ),
    Parameter("sample", int, help="Draw N points at random. Default: all points."),
    measure_option(multiple=True, default="nDCG@10"),
    Parameter(
        "baseline",
        metavar="POINT",
        help="Compare every other point with this one, such as boost.title=2; `current` is the"
        " description with its own settings. Default: compare all pairs.",
    ),
    MARGINS,
    DEPTH.replace(doc=""),
    VECTORS,
    Parameter(
        "folds",
        int,
        10,
        group=Group.STATISTICS,
        help="Number of folds of the cross-validation that estimates the best point's value.",
    ),
    WEIGHTS,
    ALPHA,
    CORRECTION.replace(
        default="max-t",
        annotation="str | None",
        help="Correction for multiple comparisons. tukey is randomized Tukey HSD, for all pairs.",
        doc="",
    ),
    CLUSTERS,
    RESAMPLES,
    SEED.replace(help="Random seed, also of --sample.", doc=""),
    journal_option("SYSTEM.sweep.journal"),
    FETCHING,
    RECORDING,
    VERSION,
    Parameter(
        "incomplete",
        bool,
        python="as_complete",
        group=Group.REQUESTS,
        help="Treat failed queries as missing from the run.",
    ),
    convention_options(),
    plot_option("the differences with confidence intervals"),
    format_option(),
    Parameter(
        "folder",
        Folder,
        flags=("--runs",),
        group=Group.OUTPUT,
        writes=Output(companions=_runs_in, is_folder=True),
        help="Also write the run of each point to this folder.",
    ),
    STRICT,
    THREADS,
    reading_options(["qrels"]),
    targets=("gainful.sweeps:sweep",),
    common="place sets sample measures baseline margin depth convention folder output style",
    examples=(
        "gainful sweep qrels.txt queries.tsv --system shop.toml --set boost.title=1,2,4",
        "gainful sweep qrels.txt queries.tsv --system shop.toml --set k1=0.6,0.9,1.2 --set b=0.4,1",
        "gainful sweep qrels.txt queries.tsv --system shop.toml --set boost.title=0.5..16:log"
        " --sample 20",
        "gainful sweep qrels.txt queries.tsv --system shop.toml --set operator=and,or"
        " --baseline current",
    ),
)
def command(values: Values) -> None:
    """Grid-search the settings of a live system, with a cross-validated estimate of the gain.

    Each combination of settings is a point. For each point, all QUERIES with judgments in QRELS are
    run against the system. Points are compared like runs in `gainful compare`, corrected for all
    points.

    The best of many points is partly luck, so cross-validation estimates its value on other
    queries.
    """
    from gainful.measures.choosing import choose_measures
    from gainful.systems.queries import Queries

    convention = values.convention
    chosen = choose_measures(values.measures or None, convention)
    judged = values.reading.load_judgments(values.qrels, convention.duplicates, chosen)
    journal = values.journal or _default_journal(values.place)
    result = call_with_bar(
        values,
        system=_make_system(values.place),
        queries=Queries.of(values.queries, vectors=values.vectors),
        qrels=judged,
        grid=_grid(values.sets),
        measures=chosen,
        journal=journal,
    )
    if values.folder is not None:
        result.write_runs(values.folder)
    write(result, values.style, values.output)
    say(result.account_line(journal))


def _make_system(place: str) -> Any:
    """Return the path of a description, or a function that makes a system."""
    from os.path import exists

    from gainful.systems.python.named_objects import load_object, names_object

    if exists(place) or not names_object(place):
        return place
    return lambda **settings: load_object(place, settings)


def _default_journal(place: str) -> str:
    """Return the default name of the journal."""
    from os.path import basename, splitext

    name = basename(place).replace(":", ".")
    return f"{splitext(name)[0] if name.endswith('.toml') else name}.sweep.journal"


def _grid(sets: tuple[str, ...]) -> dict[str, Any]:
    """Return the grid of ``--set``."""
    from gainful.sweeps.points import parse_values

    pairs = parse_pairs(
        sets,
        "--set",
        "NAME=VALUES, as in boost.title=1,2,4",
        once=lambda name: f"one option with all values, as in --set {name}=1,2,4",
    )
    return {name: parse_values(name, text) for name, text in pairs}
