"""``gainful search``, ``sweep`` and ``engines``: runs from live systems."""

from __future__ import annotations

import os
from functools import partial
from os import listdir
from os.path import isdir, join

from gainful.cli.arguments import (
    QUIET,
    STRICT,
    THREADS,
    convention_options,
    format_option,
    measure_option,
    plot_option,
)
from gainful.cli.command import Command
from gainful.cli.option_values import WEIGHTS, parse_pairs
from gainful.cli.output import check_open, deliver, say, write, write_list, writing_rows
from gainful.cli.reading import reading_options
from gainful.cli.systems import (
    FIELDS,
    RECORDING,
    RUN_FORMAT,
    RUN_OUTPUT,
    call_with_bar,
    journal_of,
    journal_option,
    make_system,
    parse_settings,
    unloaded_object,
)
from gainful.cli.written_files import Content, Output, is_special
from gainful.data.paths import uncompressed
from gainful.errors import Code, FormatError, ParameterError, SearchError
from gainful.parameters import Argument, File, Folder, Group, Parameter
from gainful.parameters.comparing import ALPHA, CLUSTERS, CORRECTION, MARGINS, RESAMPLES, SEED
from gainful.parameters.inputs import QRELS
from gainful.parameters.searching import DEPTH, FETCHING, VECTORS, VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from gainful.cli.command import Values
    from gainful.data import Run
    from gainful.systems.fetching.account import Account
    from gainful.systems.protocol import Query, System
    from gainful.systems.queries import Queries

#: Suffixes of formats that can contain ids with spaces.
_WIDE = (".tsv", ".csv", ".json", ".jsonl", ".ndjson")


@Command(
    Argument("queries"),
    Parameter(
        "place",
        File,
        flags=("--system",),
        metavar="SYSTEM",
        required=True,
        help="The system: a description in TOML, or a Python object as module:object or"
        " file.py:function.",
    ),
    RUN_OUTPUT.replace(
        writes=Output(Content.RUN, companions=journal_of),
        help="Write the run to this file, atomically. The suffix determines the format; - is the"
        " standard output.",
        group=Group.COMMON,
    ),
    DEPTH,
    Parameter(
        "sets",
        flags=("--set",),
        metavar="NAME=VALUE",
        repeatable=True,
        help="Override a setting of the description, or an argument of the Python object."
        " Repeatable.",
    ),
    Parameter(
        "judged",
        File,
        metavar="QRELS",
        help="Run only the queries that have judgments in this file.",
    ),
    Parameter(
        "dry_run",
        bool,
        help="Show the request for the first query, send nothing and run no code of the system.",
    ),
    VECTORS,
    FIELDS,
    journal_option("OUTPUT.journal, removed after the complete run is written"),
    FETCHING,
    RECORDING,
    VERSION,
    QUIET,
    reading_options(["qrels"], merges=False),
    RUN_FORMAT.replace(
        name="write_as",
        flags=("--to",),
        metavar="FORMAT",
        help="The format of the run: trec, tsv, csv, json or jsonl. Default: by the suffix.",
    ),
    Parameter(
        "name",
        metavar="NAME",
        group=Group.OUTPUT,
        help="The name of the run. Default: the name of the system.",
    ),
    Parameter(
        "incomplete", bool, group=Group.OUTPUT, help="Write the run without the failed queries."
    ),
    Parameter(
        "account_file",
        File,
        flags=("--account",),
        group=Group.OUTPUT,
        writes=Output(),
        help="Write a JSON report on failures, latencies and retries.",
    ),
    targets=(
        "gainful.systems.call:search",
        "gainful.systems.loading:as_system",
        "gainful.systems.loading:load_system",
    ),
    common="place output depth sets judged dry_run workers rate name incomplete",
    examples=(
        "gainful search queries.tsv --system shop.toml -o shop.run",
        "gainful search queries.tsv --system search.py:find -k 10 -o find.run",
        "gainful search judged.csv --system shop.toml --set boost.title=4 -o boosted.tsv",
        "gainful search queries.jsonl --judged qrels.txt --system shop.toml --rate 20 -o shop.run",
        "gainful search queries.tsv --system shop.toml --dry-run",
    ),
)
def search(values: Values) -> None:
    """Run every query in QUERIES against a live system and save the run.

    Each answer is stored in a journal as it arrives. If the search is interrupted, the same command
    resumes it and retries failed queries. The run is written only if every query has an answer,
    unless you add --incomplete.
    """
    from gainful.systems.queries import Queries

    queries = Queries.of(values.queries, vectors=values.vectors)
    if values.judged is not None:
        judged = values.reading.load_judgments(values.judged, "count", print_note=False)
        queries = queries.judged(judged)
    settings = parse_settings(values.sets)
    code = unloaded_object(values.place, settings) if values.dry_run else None
    system: Any = code or make_system(values, settings)
    if values.dry_run:
        deliver(_request(system, next(iter(queries)), values.depth), None)
        return
    _check_output(values, queries)
    journal = values.journal or _default_journal(values.output, system.name)
    run = call_with_bar(
        values, system=system, queries=queries, journal=journal, fields=None, quiet=True
    )
    _write(run, values, journal)


def _request(system: System | str, query: Query, k: int) -> Iterator[str]:
    """Yield the request for a query, which is not sent; a text names a Python object."""
    from gainful.formats.delimited import text

    show = getattr(system, "show", None)
    if callable(show):
        yield f"{show(query, k)}\n"
        return
    # A function gets the query itself.
    fields = {name: value for name, value in query.fields.items() if name != "vector"}
    sent = {"query_id": query.id, "text": query.text, **({"fields": fields} if fields else {})}
    yield f"{system} would return {k:,} documents for:\n"
    yield text(sent, indent=2)


def _check_output(values: Values, queries: Queries) -> None:
    """Check before the search that its run can be written."""
    output, style = values.output, values.write_as
    if output is None:
        raise ParameterError(
            "search needs -o FILE for the run",
            hint="-o shop.run writes a file, -o - the standard output",
        )
    if output == "-":
        check_open()
    wide = uncompressed(output.lower()).endswith(_WIDE)
    if style not in (None, "trec") or (style is None and wide):
        return
    spaced = next((query.id for query in queries if len(query.id.split()) != 1), None)
    if spaced is not None:
        raise FormatError(
            file=output,
            query=spaced,
            found="a query id with spaces",
            expected="ids without spaces in TREC text",
            hint="write another format, such as -o run.tsv",
        )


def _default_journal(output: str, name: str) -> str:
    """Return the default path of the journal, next to the run."""
    if output != "-" and not is_special(output):
        return f"{output}.journal"
    return f"{'_'.join(name.replace(os.sep, ' ').split()) or 'search'}.journal"


def _write(run: Run, values: Values, journal: str) -> None:
    """Write the run and the report on the search, and remove a journal that nobody named."""
    from gainful.formats.delimited import text
    from gainful.formats.saving import rendered

    account, output = run.account, values.output
    assert account is not None  # every run of a search has one
    words = "" if output == "-" else f"{output}: the run of {len(run):,} queries."
    is_written = values.incomplete or not run.incomplete
    if values.account_file is not None:
        deliver([text(account.to_dict(), indent=2)], values.account_file)
    if is_written:
        _write_rows(run, output, values.write_as, journal)
        if run.incomplete:
            words += f" Failed queries are missing from it; {journal} contains the other answers."
        elif values.journal is None:
            _remove(journal)
    say(rendered(account.tables(written=words.strip() if is_written else ""), "table"))
    if not is_written:
        raise _failed(account, journal)


def _write_rows(run: Run, output: str, style: str | None, journal: str) -> None:
    """Write a run; the hint of an error says how to write it from its journal."""
    try:
        with writing_rows(output):
            run.as_complete().write(output, format=style)
    except FormatError as error:
        again = "-o - --to tsv" if output == "-" else f"-o {os.path.splitext(output)[0]}.tsv"
        hint = (
            f"repeat the command with {again} --journal {journal} --keep-answers, which sends no"
            " queries"
        )
        if error.document is not None and error.code == Code.WHITE_SPACE:
            hint += "; if it is a text, name the id with --field id=NAME"
        raise error.replace(hint=hint) from None


def _remove(journal: str) -> None:
    for path in (journal, f"{journal}-wal", f"{journal}-shm"):
        try:
            os.unlink(path)
        except OSError:
            pass  # The run is complete, so a leftover journal does no harm.


def _failed(account: Account, kept: str) -> SearchError:
    failed = len(account.failed)
    them = "them" if failed > 1 else "it"
    again = f"the same command retries {them}"
    if failed < account.queries:
        again += f" and reads the other answers from {kept}; --incomplete writes the run without"
        again += f" {them}"
    return SearchError(
        f"{failed:,} of {account.queries:,} queries failed, and no run is written",
        transient=account.temporary,
        hint=again,
    )


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
def sweep(values: Values) -> None:
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
    journal = values.journal or _default_sweep_journal(values.place)
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


def _default_sweep_journal(place: str) -> str:
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


def _starter(path: str, values: Mapping[str, Any]) -> list[tuple[str, Callable[[bytes], bool]]]:
    """Return the description, and whether an existing one is still as it was written."""
    from gainful.systems.loading import engine_entry

    if values["name"] is None:
        return []
    starter = engine_entry(values["name"]).starter
    return [(path, lambda head: head.decode("utf-8", "replace") == starter)]


@Command(
    Argument("name", str, complete="engines", required=False),
    format_option(
        only=("table", "json", "markdown"),
        help="Format of the list.",
        writes=Output(companions=_starter),
    ),
    commands={"inspect": "gainful.cli.search:inspect"},
    examples=(
        "gainful engines",
        "gainful engines elasticsearch -o shop.toml",
        "gainful engines inspect shop.toml",
        "gainful search queries.tsv --system shop.toml --dry-run",
    ),
)
def engines(values: Values) -> None:
    """List search engines, or print a starter description of NAME.

    A description is a TOML file for the option --system of `gainful search` and `gainful sweep`.
    `gainful engines inspect FILE` shows what a description accesses.
    """
    from gainful.systems.loading import engine_entries, engine_entry, engine_table

    name = values.name
    chosen = engine_entries() if name is None else [engine_entry(name)]
    starter = None if name is None else [chosen[0].starter]
    entries = [entry.to_dict() for entry in chosen]
    write_list(values, entries, [engine_table(chosen)], starter)


@Command(
    Argument("description", metavar="FILE"),
    format_option(only=("table", "json", "markdown")),
    examples=(
        "gainful engines inspect shop.toml",
        "gainful engines inspect shop.toml --format json",
    ),
)
def inspect(values: Values) -> None:
    """Show the hosts, environment variables, files and code that a description accesses.

    Nothing is run or connected to. Review a description from someone else before you use it.
    """
    from gainful.systems.loading import inspect_description, inspection_table

    inspection = inspect_description(values.description)
    write_list(values, inspection._asdict(), [inspection_table(inspection)])
