"""What ``gainful search`` reads and writes: queries, the run, its journal, the account."""

from __future__ import annotations

import os

from gainful.cli.output import check_open, deliver, say
from gainful.data.formats import WRITTEN_RUNS
from gainful.data.paths import uncompressed
from gainful.errors import Code, FormatError, ParameterError, SourceError
from gainful.formats.json import text
from gainful.systems.queries import Queries
from gainful.systems.search_tables import document, tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gainful.cli.reading import Reading
    from gainful.data import Run
    from gainful.systems.fetching.account import Account
    from gainful.systems.protocol import Query, System

#: Suffixes of formats that can carry ids with spaces.
_WIDE = (".tsv", ".csv", ".json", ".jsonl", ".ndjson")


def asked_queries(path: str, judged: str | None, vectors: str | None, reading: Reading) -> Queries:
    """Return the queries of a file, of which ``--judged`` may leave some."""
    queries = Queries.of(path, vectors=vectors)
    if judged is None:
        return queries
    return queries.judged(reading.judgments(judged, "count", tell=False))


def dry(system: System, query: Query, k: int) -> None:
    """Print what a system would be asked, and ask nothing."""
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
    ParameterError
        For a format that runs do not have.
    SourceError
        For a standard output that is closed.
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
            expected="ids that TREC text can carry",
            hint="write another format, such as -o run.tsv",
        )


def check_places(written: Mapping[str, str | None], read: Mapping[str, str | None]) -> None:
    """Refuse, before anything is asked, files that could not be written, or would lose another.

    Parameters
    ----------
    written : mapping of str to str or None
        The file that each option has written.
    read : mapping of str to str or None
        The file that each option or argument has read.

    Raises
    ------
    ParameterError
        For one file of two options.
    SourceError
        For a folder that does not exist or may not be written, and for one in the place of a file.
    """
    places: dict[str, str] = {}
    for option, path in (*read.items(), *written.items()):
        if path is None:
            continue
        if path == "-":
            # Queries may come from the standard input, but only one thing goes to the output.
            if option in written and places.setdefault(path, option) != option:
                raise ParameterError(
                    where=option,
                    found=f"-, where {places[path]} goes",
                    expected="a file of its own",
                )
            continue
        if option in written:
            if not path:
                raise ParameterError(where=option, found="''", expected="the name of a file")
            folder = os.path.dirname(os.path.abspath(path))
            if not os.path.isdir(folder):
                raise SourceError(file=path, found="the output folder does not exist")
            if os.path.isdir(path):
                raise SourceError(file=path, found="is a directory, not a file")
            if not _is_special(path) and not os.access(folder, os.W_OK):
                raise SourceError(file=path, found="no permission to write to the folder")
        place = os.path.realpath(path)
        other = places.setdefault(place, option)
        if option in written and other != option and not _is_special(path):
            raise ParameterError(
                where=option, found=f"{path}, the file of {other}", expected="a file of its own"
            )


def _is_special(path: str) -> bool:
    """Say whether a path is a device or pipe, which holds nothing that could be lost."""
    return os.path.exists(path) and not os.path.isfile(path)


def journal_of(output: str, name: str) -> str:
    """Return the name of the journal where none is named: beside the run."""
    if output != "-" and not _is_special(output):
        return f"{output}.journal"
    return f"{'_'.join(name.replace(os.sep, ' ').split()) or 'search'}.journal"


def remove_journal(path: str) -> None:
    """Remove a journal whose run is written."""
    for each in (path, f"{path}-wal", f"{path}-shm"):
        try:
            os.unlink(each)
        except OSError:
            pass  # The run is whole, and what is left harms nobody.


def write_run(run: Run, output: str, write_as: str | None, kept: str | None = None) -> None:
    """Write a run; queries that failed are missing from it.

    Raises
    ------
    FormatError
        If the format cannot carry it, with the journal that keeps the answers if there is one.
    """
    whole = run.as_complete()
    try:
        whole.write(output, format=write_as)
    except FormatError as error:
        if kept is None:
            raise
        raise _kept(error, output, kept) from None


def _kept(error: FormatError, output: str, kept: str) -> FormatError:
    """Return the error of a run that a format cannot carry: its answers are not lost."""
    again = "-o - --to tsv" if output == "-" else f"-o {os.path.splitext(output)[0]}.tsv"
    hint = f"the same command with {again} --journal {kept} takes the answers from there, and asks"
    hint += " nothing"
    if error.document is not None and error.code == Code.WHITE_SPACE:
        hint += "; if that is a text and not the id, --field id=NAME says where the id stands"
    return error.replace(hint=hint)


def write_account(account: Account, path: str) -> None:
    """Write what the search was like, as JSON."""
    deliver([text(document(account), indent=2)], path)


def tell(account: Account, written: str) -> None:
    """Say on the standard error what the search was like."""
    from gainful.formats.rendering import rendered

    say(rendered(tables(account, written=written), "table"))
