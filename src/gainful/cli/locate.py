"""``gainful locate``: the places of quotes in the texts of documents."""

from __future__ import annotations

from gainful.cli.arguments import format_option
from gainful.cli.command import Command
from gainful.cli.written_files import Content, Output
from gainful.errors import ParameterError
from gainful.exit_statuses import NEGATIVE, SUCCESS
from gainful.parameters import Argument, File, Parameter
from gainful.vocabulary import AMBIGUOUS, OFFSET_UNITS, QUOTE_KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.command import Values


@Command(
    Argument("corpus", File),
    Argument("quotes", File),
    Parameter(
        "kind",
        choices=QUOTE_KINDS,
        annotation="Literal['qrels', 'run', 'chunks'] | None",
        help="What QUOTES are: evidence for queries, what a system returned, or chunks without"
        " queries. Default: by the names of the fields.",
    ),
    Parameter(
        "columns",
        metavar="COLUMNS",
        help="Names of fields of QUOTES that are not known: quote=passage,doc=file,query=asked.",
    ),
    Parameter(
        "ambiguous",
        choices=AMBIGUOUS,
        annotation="Literal['skip', 'first', 'all', 'error']",
        default=AMBIGUOUS[0],
        help="What happens to a quote that occurs several times: it is listed and left out (skip),"
        " its first place is used, all places are alternatives, or it is an error.",
    ),
    Parameter(
        "unit",
        choices=OFFSET_UNITS,
        annotation="Literal['characters', 'utf16', 'bytes']",
        default=OFFSET_UNITS[0],
        help="The unit of the offsets in QUOTES: code points (Python), UTF-16 code units"
        " (JavaScript, Java), or bytes of UTF-8.",
    ),
    format_option(
        help="Format of the result. TSV, CSV and Parquet contain the spans, which other commands"
        " read.",
        writes=Output(Content.TABLE),
    ),
    targets=("gainful.location:locate",),
    examples=(
        "gainful locate corpus/ golden.jsonl -o gold.tsv",
        "gainful locate corpus/ retrieved.jsonl -o run.tsv",
        "gainful locate docs.jsonl chunks.jsonl --unit utf16 -o chunks.tsv",
        "gainful locate corpus/ ragas.jsonl --kind run -o run.tsv",
    ),
)
def command(values: Values) -> int:
    """Find the places of quotes in the texts of documents.

    CORPUS contains the documents: JSON lines, CSV, TSV, TREC markup, a BEIR folder, or a folder of
    text files, whose ids are their paths. QUOTES is a golden set with quotes, a run with the texts
    of chunks, or a list of chunks. A quote is searched as it is, then with white space collapsed
    and in Unicode's form NFC. Given offsets are verified.

    The exit status is 4 if a quote is missing, ambiguous, or not at its offsets.
    """
    from gainful.cli.output import say, write

    columns = values.columns and dict(_pair(part) for part in values.columns.split(","))
    location = values.call(columns=columns)
    write(location, values.style, values.output)
    if values.style in ("tsv", "csv", "parquet"):
        say(location.summary() if location.is_complete else location.to_text().rstrip())
    return SUCCESS if location.is_complete else NEGATIVE


def _pair(part: str) -> tuple[str, str]:
    word, mark, name = (piece.strip() for piece in part.partition("="))
    if not (mark and word and name):
        raise ParameterError(
            where="--columns", found=repr(part), expected="names of fields, as in quote=passage"
        )
    return word, name
