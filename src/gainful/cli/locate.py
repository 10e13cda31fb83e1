"""``gainful locate``: the places of quotes in the texts of documents."""

from __future__ import annotations

import click

from gainful.cli.arguments import examples, format_option
from gainful.cli.option_groups import Command, complete_files, option
from gainful.cli.written_files import Content, Output
from gainful.errors import ParameterError
from gainful.exit_statuses import NEGATIVE, SUCCESS
from gainful.vocabulary import AMBIGUOUS, OFFSET_UNITS, QUOTE_KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@click.command(
    cls=Command,
    epilog=examples(
        "gainful locate corpus/ golden.jsonl -o gold.tsv",
        "gainful locate corpus/ retrieved.jsonl -o run.tsv",
        "gainful locate docs.jsonl chunks.jsonl --unit utf16 -o chunks.tsv",
        "gainful locate corpus/ ragas.jsonl --kind run -o run.tsv",
    ),
)
@click.argument("corpus", metavar="CORPUS", shell_complete=complete_files)
@click.argument("quotes", metavar="QUOTES", shell_complete=complete_files)
@option(
    "--kind",
    type=click.Choice(QUOTE_KINDS),
    help="What QUOTES are: evidence for queries, what a system returned, or chunks without queries."
    " Default: by the names of the fields.",
)
@option(
    "--columns",
    metavar="COLUMNS",
    help="Names of fields of QUOTES that are not known: quote=passage,doc=file,query=asked.",
)
@option(
    "--ambiguous",
    type=click.Choice(AMBIGUOUS),
    default=AMBIGUOUS[0],
    help="What happens to a quote that occurs several times: it is listed and left out (skip), its"
    " first place is used, all places are alternatives, or it is an error.",
)
@option(
    "--unit",
    type=click.Choice(OFFSET_UNITS),
    default=OFFSET_UNITS[0],
    help="The unit of the offsets in QUOTES: code points (Python), UTF-16 code units (JavaScript,"
    " Java), or bytes of UTF-8.",
)
@format_option(
    help="Format of the result. TSV, CSV and Parquet contain the spans, which other commands read.",
    writes=Output(Content.TABLE),
)
def command(
    corpus: str,
    quotes: str,
    kind: str | None,
    columns: str | None,
    ambiguous: str,
    unit: str,
    style: str,
    output: str | None,
) -> None:
    """Find the places of quotes in the texts of documents.

    CORPUS contains the documents: JSON lines, CSV, TSV, TREC markup, a BEIR folder, or a folder of
    text files, whose ids are their paths. QUOTES is a golden set with quotes, a run with the texts
    of chunks, or a list of chunks. A quote is searched as it is, then with white space collapsed
    and in Unicode's form NFC. Given offsets are verified.

    The exit status is 4 if a quote is missing, ambiguous, or not at its offsets.
    """
    from gainful.cli.output import say, write
    from gainful.cli.runs import check_standard_input
    from gainful.location import locate

    check_standard_input(corpus, quotes)
    names = None if columns is None else dict(_pair(part) for part in columns.split(","))
    chosen: Any = {"kind": kind, "ambiguous": ambiguous, "unit": unit}
    location = locate(corpus, quotes, columns=names, **chosen)
    write(location, style, output)
    if style in ("tsv", "csv", "parquet"):
        say(location.summary() if location.is_complete else location.to_text().rstrip())
    raise click.exceptions.Exit(SUCCESS if location.is_complete else NEGATIVE)


def _pair(part: str) -> tuple[str, str]:
    word, mark, name = (piece.strip() for piece in part.partition("="))
    if not (mark and word and name):
        raise ParameterError(
            where="--columns", found=repr(part), expected="names of fields, as in quote=passage"
        )
    return word, name
