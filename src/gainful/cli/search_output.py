"""What ``gainful search`` reads and writes: queries, the run, its journal, the account."""

from __future__ import annotations

import os

import click

from gainful.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.data import Run
    from gainful.systems.fetching.account import Account
    from gainful.systems.protocol import Query, System
    from gainful.systems.queries import Queries

#: Suffixes of formats that can carry ids with spaces.
_WIDE = (".tsv", ".csv", ".json", ".jsonl", ".ndjson")


def asked_queries(path: str, judged: str | None, vectors: str | None) -> Queries:
    """Return the queries of a file, of which ``--judged`` may leave some."""
    from gainful.systems.queries import Queries

    queries = Queries.of(path, vectors=vectors)
    if judged is None:
        return queries
    from gainful.data import read_qrels

    return queries.judged(read_qrels(judged, duplicates="count"))


def dry(system: System, query: Query, k: int) -> None:
    """Print what a system would be asked, and ask nothing."""
    from gainful.cli.output import deliver
    from gainful.report.json import text

    show = getattr(system, "show", None)
    if callable(show):
        deliver([f"{show(query, k)}\n"], None)
        return
    # A function is called with what the query is.
    fields = {name: value for name, value in query.fields.items() if name != "vector"}
    asked = {"query_id": query.id, "text": query.text, **({"fields": fields} if fields else {})}
    deliver([f"{system!r} is asked for {k:,} documents:\n", text(asked, indent=2)], None)


def check_output(output: str, write_as: str | None, queries: Queries) -> None:
    """Refuse, before anything is asked, what could not be written after it.

    Raises
    ------
    FormatError
        For ids with spaces where the run is to be TREC text.
    SourceError
        For a folder that does not exist, or a standard output that is closed.
    """
    from gainful.cli.output import check_open
    from gainful.data.paths import COMPRESSED
    from gainful.errors import SourceError

    if output == "-":
        check_open()
    elif not os.path.isdir(os.path.dirname(os.path.abspath(output))):
        raise SourceError(file=output, found="no such folder", expected="a folder that exists")
    elif os.path.isdir(output):
        raise SourceError(file=output, found="a directory", expected="a file to write")
    bare = output.lower()
    for suffix in COMPRESSED:
        bare = bare.removesuffix(suffix)
    if write_as not in (None, "trec") or (write_as is None and bare.endswith(_WIDE)):
        return
    spaced = next((query.id for query in queries if len(query.id.split()) != 1), None)
    if spaced is not None:
        raise FormatError(
            file=output,
            query=spaced,
            found="a query id with spaces",
            expected="ids that TREC text can carry",
            hint="write another format, such as -o run.tsv",
        )


def journal_of(output: str, name: str) -> str:
    """Return the name of the journal where none is named: beside the run."""
    if output != "-":
        return f"{output}.journal"
    return f"{'_'.join(name.replace(os.sep, ' ').split()) or 'search'}.journal"


def remove_journal(path: str) -> None:
    """Remove a journal whose run is written."""
    for each in (path, f"{path}-wal", f"{path}-shm"):
        try:
            os.unlink(each)
        except OSError:
            pass  # The run is whole, and what is left harms nobody.


def write_run(run: Run, output: str, write_as: str | None) -> None:
    """Write a run; queries that failed are missing from it."""
    whole = run.as_complete()
    # TREC has no line for a query without a document; an evaluation counts it as empty.
    try:
        whole.write(output, format=write_as)
    except FormatError as error:
        if error.found and "with white space" in error.found:
            # The answers stay in the journal, so that with another -o nothing is asked again.
            raise FormatError(
                file=error.file,
                query=error.query,
                document=error.document,
                found=error.found,
                expected=error.expected,
                hint="if that is a text and not the id, --field id=NAME says where the id stands;"
                " -o FILE.tsv takes any id",
            ) from None
        if "without documents" not in str(error):
            raise
        found = [query for query in whole if whole[query]]
        whole.select(found).write(output, format=write_as)


def write_account(account: Account, path: str) -> None:
    """Write what the search was like, as JSON."""
    from gainful.cli.output import deliver
    from gainful.report.json import text
    from gainful.report.search import document

    deliver([text(document(account), indent=2)], path)


def tell(account: Account, written: str) -> None:
    """Say on the standard error what the search was like."""
    from gainful.report.search import tables
    from gainful.report.stacked import stacked

    click.echo(stacked(tables(account, written=written)), err=True)
