"""``gainful convert`` and ``locate``: judgments from other files."""

from __future__ import annotations

from gainful.cli.arguments import QUIET, check_writable_table, format_option
from gainful.cli.command import Command
from gainful.cli.output import say, writing_rows
from gainful.cli.reading import reading_options
from gainful.cli.written_files import Content, Output, content_of_file
from gainful.data.columns import READ_QRELS
from gainful.data.layouts import LAYOUTS
from gainful.data.paths import unknown_suffix
from gainful.errors import NEGATIVE, SUCCESS, ParameterError
from gainful.parameters import Argument, File, Parameter
from gainful.vocabulary import AMBIGUOUS, OFFSET_UNITS, QUOTE_KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gainful.cli.command import Values


def _content(values: Mapping[str, Any]) -> Content:
    """Return what OUT will contain: the same as IN."""
    kind = {"run": Content.RUN, "qrels": Content.JUDGMENTS}.get(values["kind"])
    if kind is not None or values["source"] == "-":
        return kind or Content.TABLE
    return content_of_file(values["source"]) or Content.TABLE


@Command(
    Argument("source", metavar="IN"),
    Argument("target", metavar="OUT", validate=check_writable_table, writes=Output(_content)),
    Parameter(
        "kind",
        choices=("qrels", "run"),
        help="The contents of IN. Default: detected, where the format allows it.",
    ),
    Parameter(
        "read_as",
        flags=("--from",),
        metavar="FORMAT",
        help=f"The format of IN: {', '.join((*READ_QRELS, *(layout.name for layout in LAYOUTS)))}."
        " Judgment lists take settings, as in raters:mean. Default: detected from the content.",
    ),
    Parameter(
        "write_as",
        flags=("--to",),
        metavar="FORMAT",
        help="The format of OUT, also a judgment list: "
        f"{', '.join(layout.name for layout in LAYOUTS if layout.write)}. Some take settings, as in"
        " rank_eval:index=NAME,field=NAME. Default: by its suffix.",
    ),
    Parameter(
        "queries",
        File,
        help="The texts of the queries, which some judgment lists contain instead of ids.",
    ),
    Parameter(
        "ids",
        File,
        metavar="MAP",
        writes=Output(None),
        help="Replace ids by numbers, for ids that a format cannot contain, such as spaces in TREC."
        " An existing MAP is used; otherwise it is written.",
    ),
    Parameter("tag", metavar="NAME", help="The name of the system in a TREC run."),
    QUIET,
    reading_options((), merges=False),
    targets=("gainful.data.convert:convert",),
    examples=(
        "gainful convert qrels.txt qrels.json",
        "gainful convert results.json results.run.gz --kind run --to trec --tag bm25",
        "gainful convert queries.csv qrels.txt --kind qrels --to trec --ids map.tsv",
        "gainful convert quepid.csv body.json --to rank_eval:index=shop,field=title",
        "gainful convert ratings.csv qrels.tsv --from raters:median",
        "gainful convert u.data qrels.txt --columns query,doc,grade,-",
        "gainful convert qrels.txt quepid.csv --to quepid --queries queries.tsv",
        "zcat bm25.run.gz | gainful convert - - --kind run --to tsv",
    ),
)
def convert(values: Values) -> None:
    """Convert judgments and runs between file formats.

    IN contains judgments or a run, and OUT gets the same in another format. The suffix of OUT
    determines format and compression: .json, .tsv.gz. A dash is the standard input or output. OUT
    is written atomically.

    Judgment lists of Quepid, RRE, Elasticsearch, OpenSearch and others are supported. The standard
    error reports how many of their rows are judgments.
    """
    with writing_rows(values.target):
        table = values.call(**values.reading.of_either)
    note = getattr(table, "note", None)
    if note is not None:
        say(note)
    suffix = unknown_suffix(values.target)
    if values.write_as is None and suffix is not None:
        say(
            f"{values.target} is TREC text, since {suffix} is the suffix of no format."
            " Set the format with --to."
        )


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
def locate(values: Values) -> int:
    """Find the places of quotes in the texts of documents.

    CORPUS contains the documents: JSON lines, CSV, TSV, TREC markup, a BEIR folder, or a folder of
    text files, whose ids are their paths. QUOTES is a golden set with quotes, a run with the texts
    of chunks, or a list of chunks. A quote is searched as it is, then with white space collapsed
    and in Unicode's form NFC. Given offsets are verified.

    The exit status is 4 if a quote is missing, ambiguous, or not at its offsets.
    """
    from gainful.cli.output import write

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
