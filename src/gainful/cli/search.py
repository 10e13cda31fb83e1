"""``gainful search``: a run, from a live system."""

from __future__ import annotations

import click

from gainful.cli.arguments import complete_files, examples, writable_output
from gainful.cli.fetching import (
    depth_option,
    fetching_options,
    journal_option,
    recording_options,
    settings_of,
    vectors_option,
    version_option,
)
from gainful.cli.reading import reading_options
from gainful.errors import ParameterError, SearchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.reading import Reading
    from gainful.data import Run
    from gainful.systems.fetching.account import Account


@click.command(
    epilog=examples(
        "gainful search queries.tsv --system shop.toml -o shop.run",
        "gainful search queries.tsv --system search.py:find -k 10 -o find.run",
        "gainful search judged.csv --system shop.toml --set boost.title=4 -o boosted.tsv",
        "gainful search queries.jsonl --judged qrels.txt --system shop.toml --rate 20 -o shop.run",
        "gainful search queries.tsv --system shop.toml --dry-run",
    ),
)
@click.argument("queries", metavar="QUERIES", shell_complete=complete_files)
@click.option(
    "--system",
    "place",
    required=True,
    metavar="SYSTEM",
    shell_complete=complete_files,
    help="What is asked: a description in TOML, or a Python object as module:object or"
    " file.py:function.",
)
@depth_option
@click.option(
    "-o",
    "--output",
    callback=writable_output,
    metavar="FILE",
    shell_complete=complete_files,
    help="Write the run to this file, whole or not at all; the suffix says the format, and - is"
    " the standard output.",
)
@click.option(
    "--to",
    "write_as",
    metavar="FORMAT",
    help="The format of the run, if the suffix does not say it: trec, tsv, csv, json, jsonl.",
)
@click.option("--name", metavar="NAME", help="What the run is called; else what the system is.")
@click.option(
    "--set",
    "sets",
    multiple=True,
    metavar="NAME=VALUE",
    help="Another value for a setting of the description, or for what a Python object is made"
    " with. May be given several times.",
)
@click.option(
    "--judged",
    metavar="QRELS",
    shell_complete=complete_files,
    help="Ask only the queries that these judgments have.",
)
@reading_options(["qrels"], merges=False)
@vectors_option
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="WHAT=PATH",
    help="Of a Python object: where documents, id or score stand in what it returns, such as"
    " id=metadata.source or score=-distance.",
)
@version_option
@journal_option("OUTPUT.journal, which is removed when the run is whole and written")
@fetching_options
@click.option(
    "--incomplete",
    is_flag=True,
    help="Write the run even if queries failed; they are missing from it.",
)
@click.option(
    "--account",
    "account_file",
    metavar="FILE",
    shell_complete=complete_files,
    help="Write what the search was like, as JSON: failures, latencies, what was asked again.",
)
@recording_options
@click.option(
    "--dry-run", is_flag=True, help="Show what the first query would be asked with; ask nothing."
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
    mended: bool,
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
    """Ask a live system every query in QUERIES, and write what it finds as a run.

    Every answer is kept in a journal as it arrives. Whatever ends the search, the same command
    goes on from there and asks again what failed. Without an answer to every query nothing is
    written, unless --incomplete says so.
    """
    from gainful.cli.runs import check_standard_input
    from gainful.cli.search_output import asked_queries, check_output, check_places, dry, journal_of
    from gainful.cli.systems import file_of, system_of, undisturbed, with_bar
    from gainful.systems.call import search

    check_standard_input(queries, judged or "")
    asked = asked_queries(queries, judged, vectors, reading)
    with undisturbed():
        system = system_of(
            place,
            settings_of(sets),
            name=name,
            fields=fields,
            version=version,
            batch=batch,
            record=record,
            replay=replay,
        )
    if dry_run:
        dry(system, next(iter(asked)), depth)
        return
    if output is None:
        raise ParameterError(
            where="search",
            found="no -o",
            expected="a file for the run, such as -o shop.run, or - for the standard output",
        )
    check_output(output, write_as, asked)
    kept = journal or journal_of(output, system.name)
    check_places(
        {"-o": output, "--account": account_file, "--journal": kept, "--record": record},
        {
            "QUERIES": queries,
            "--system": file_of(place),
            "--judged": judged,
            "--vectors": vectors,
            "--replay": replay,
        },
    )
    run = with_bar(
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
        mended=mended,
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
    from gainful.cli.search_output import remove_journal, tell, write_account, write_run

    account = run.account
    assert account is not None  # every run of a search has one
    if account_file is not None:
        write_account(account, account_file)
    if run.incomplete and not incomplete:
        tell(account, "")
        raise _failed(account, kept)
    write_run(run, output, write_as, kept)
    words = "" if output == "-" else f"{output}: the run of {len(run):,} queries."
    if run.incomplete:
        words += f" The queries that failed are missing from it; {kept} keeps the others."
    elif not named:
        remove_journal(kept)
    tell(account, words.strip())


def _failed(account: Account, kept: str) -> SearchError:
    failed = len(account.failed)
    again = f"the same command asks {'them' if failed > 1 else 'it'} again"
    if failed < account.queries:
        again += f" and takes the others from {kept}; --incomplete writes the run without"
    return SearchError(
        found=f"no answer to {failed:,} of {account.queries:,} queries, and nothing is written",
        expected="one to each",
        hint=again,
    )
