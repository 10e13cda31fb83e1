"""Read queries and write runs, journals and accounts for ``gainful search``."""

from __future__ import annotations

import os

from gainful.cli.output import check_open, deliver, say, say_losses
from gainful.cli.written_files import is_special
from gainful.data.columns import WRITTEN_RUNS
from gainful.data.paths import uncompressed
from gainful.errors import Code, FormatError, ParameterError
from gainful.formats.json import text
from gainful.systems.queries import Queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.reading import Reading
    from gainful.data import Run
    from gainful.systems.fetching.account import Account
    from gainful.systems.protocol import Query, System

#: Suffixes of formats that can contain ids with spaces.
_WIDE = (".tsv", ".csv", ".json", ".jsonl", ".ndjson")


def load_queries(path: str, judged: str | None, vectors: str | None, reading: Reading) -> Queries:
    """Read queries, limited to those of ``--judged``."""
    queries = Queries.of(path, vectors=vectors)
    if judged is None:
        return queries
    return queries.judged(reading.load_judgments(judged, "count", print_note=False))


def print_request(system: System | str, query: Query, k: int) -> None:
    """Print the request for a query without sending it; a text names a Python object."""
    show = getattr(system, "show", None)
    if callable(show):
        deliver([f"{show(query, k)}\n"], None)
        return
    # A function gets the query itself.
    fields = {name: value for name, value in query.fields.items() if name != "vector"}
    asked = {"query_id": query.id, "text": query.text, **({"fields": fields} if fields else {})}
    deliver([f"{system} would return {k:,} documents for:\n", text(asked, indent=2)], None)


def check_output(output: str, write_as: str | None, queries: Queries) -> None:
    """Check before the search that its run can be written.

    Raises
    ------
    FormatError
        For ids with spaces in TREC text.
    ParameterError
        For an unknown format.
    SourceError
        For a closed standard output.
    """
    if write_as is not None and write_as not in WRITTEN_RUNS:
        raise ParameterError(
            where="--to", found=repr(write_as), expected=f"one of {', '.join(WRITTEN_RUNS)}"
        )
    if output == "-":
        check_open()
    wide = uncompressed(output.lower()).endswith(_WIDE)
    if write_as not in (None, "trec") or (write_as is None and wide):
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


def default_journal(output: str, name: str) -> str:
    """Return the default path of the journal, next to the run."""
    if output != "-" and not is_special(output):
        return f"{output}.journal"
    return f"{'_'.join(name.replace(os.sep, ' ').split()) or 'search'}.journal"


def remove_journal(path: str) -> None:
    """Remove the journal of a run that was written."""
    for each in (path, f"{path}-wal", f"{path}-shm"):
        try:
            os.unlink(each)
        except OSError:
            pass  # The run is complete, so a leftover journal does no harm.


def write_run(run: Run, output: str, write_as: str | None, kept: str | None = None) -> None:
    """Write a run without the queries that failed.

    Raises
    ------
    FormatError
        If the format cannot contain it; the hint names the journal with the answers.
    """
    whole = run.as_complete()
    try:
        with say_losses():
            whole.write(output, format=write_as)
    except FormatError as error:
        if kept is None:
            raise
        raise _with_journal(error, output, kept) from None


def _with_journal(error: FormatError, output: str, kept: str) -> FormatError:
    """Return the error with a hint on how to write the run from its journal."""
    again = "-o - --to tsv" if output == "-" else f"-o {os.path.splitext(output)[0]}.tsv"
    hint = (
        f"repeat the command with {again} --journal {kept} --keep-answers, which sends no queries"
    )
    if error.document is not None and error.code == Code.WHITE_SPACE:
        hint += "; if it is a text, name the id with --field id=NAME"
    return error.replace(hint=hint)


def write_account(account: Account, path: str) -> None:
    """Write the report on a search as JSON."""
    deliver([text(account.to_dict(), indent=2)], path)


def print_account(account: Account, written: str) -> None:
    """Print the report on a search to the standard error."""
    from gainful.formats.rendering import rendered

    say(rendered(account.tables(written=written), "table"))
