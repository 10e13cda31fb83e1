"""``gainful search``: a run from a live system."""

from __future__ import annotations

from gainful.cli.arguments import check_writable_table
from gainful.cli.command import Command
from gainful.cli.fetching import (
    DEPTH,
    FETCHING,
    RECORDING,
    VECTORS,
    VERSION,
    journal_of,
    journal_option,
    parse_settings,
)
from gainful.cli.reading import reading_options
from gainful.cli.written_files import Content, Output
from gainful.errors import ParameterError, SearchError
from gainful.parameters import Argument, File, Group, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.reading import Reading
    from gainful.data import Run
    from gainful.systems.fetching.account import Account


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
    Parameter(
        "output",
        File,
        flags=("-o", "--output"),
        validate=check_writable_table,
        writes=Output(Content.RUN, companions=journal_of),
        help="Write the run to this file, atomically. The suffix determines the format; - is the"
        " standard output.",
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
    Parameter(
        "fields",
        flags=("--field",),
        metavar="WHAT=PATH",
        repeatable=True,
        help="Where the result of a Python object has documents, id or score, such as"
        " id=metadata.source or score=-distance. Repeatable.",
    ),
    journal_option("OUTPUT.journal, removed after the complete run is written"),
    FETCHING,
    RECORDING,
    VERSION,
    reading_options(["qrels"], merges=False),
    Parameter(
        "write_as",
        flags=("--to",),
        metavar="FORMAT",
        group=Group.OUTPUT,
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
    examples=(
        "gainful search queries.tsv --system shop.toml -o shop.run",
        "gainful search queries.tsv --system search.py:find -k 10 -o find.run",
        "gainful search judged.csv --system shop.toml --set boost.title=4 -o boosted.tsv",
        "gainful search queries.jsonl --judged qrels.txt --system shop.toml --rate 20 -o shop.run",
        "gainful search queries.tsv --system shop.toml --dry-run",
    ),
)
def command(
    queries: str,
    place: str,
    depth: int,
    output: str | None,
    write_as: str | None,
    name: str | None,
    sets: tuple[str, ...],
    judged: str | None,
    reading: Reading,
    vectors: str | None,
    fields: tuple[str, ...],
    version: str | None,
    journal: str | None,
    restart: bool,
    keep_answers: bool,
    workers: int,
    batch: int | None,
    rate: float | None,
    retries: int,
    timeout: float,
    incomplete: bool,
    account_file: str | None,
    record: str | None,
    replay: str | None,
    dry_run: bool,
) -> None:
    """Run every query in QUERIES against a live system and save the run.

    Each answer is stored in a journal as it arrives. If the search is interrupted, the same command
    resumes it and retries failed queries. The run is written only if every query has an answer,
    unless you add --incomplete.
    """
    from gainful.cli.search_output import (
        check_output,
        default_journal,
        load_queries,
        print_request,
    )
    from gainful.cli.systems import call_with_bar, isolated, make_system, unloaded_object
    from gainful.systems.call import search

    asked = load_queries(queries, judged, vectors, reading)
    settings = parse_settings(sets)
    code = unloaded_object(place, settings) if dry_run else None
    if code is not None:
        print_request(code, next(iter(asked)), depth)
        return
    with isolated():
        system = make_system(
            place,
            settings,
            name=name,
            fields=fields,
            version=version,
            batch=batch,
            record=record,
            replay=replay,
        )
    if dry_run:
        print_request(system, next(iter(asked)), depth)
        return
    if output is None:
        raise ParameterError(
            "search needs -o FILE for the run",
            hint="-o shop.run writes a file, -o - the standard output",
        )
    check_output(output, write_as, asked)
    kept = journal or default_journal(output, system.name)
    run = call_with_bar(
        search,
        system,
        asked,
        depth,
        name=name,
        workers=workers,
        batch=batch,
        rate=rate,
        retries=retries,
        timeout=timeout,
        journal=kept,
        restart=restart,
        keep_answers=keep_answers,
        version=version,
        quiet=True,
    )
    _finish(
        run,
        output,
        write_as,
        kept=kept,
        named=journal is not None,
        incomplete=incomplete,
        account_file=account_file,
    )


def _finish(
    run: Run,
    output: str,
    write_as: str | None,
    *,
    kept: str,
    named: bool,
    incomplete: bool,
    account_file: str | None,
) -> None:
    from gainful.cli.search_output import print_account, remove_journal, write_account, write_run

    account = run.account
    assert account is not None  # every run of a search has one
    if account_file is not None:
        write_account(account, account_file)
    if run.incomplete and not incomplete:
        print_account(account, "")
        raise _failed(account, kept)
    write_run(run, output, write_as, kept)
    words = "" if output == "-" else f"{output}: the run of {len(run):,} queries."
    if run.incomplete:
        words += f" Failed queries are missing from it; {kept} contains the other answers."
    elif not named:
        remove_journal(kept)
    print_account(account, words.strip())


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
