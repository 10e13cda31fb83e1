"""The options of reading judgments and runs, which `gainful.data.ReadOptions` has."""

from __future__ import annotations

from gainful.parameters import Group, Parameter
from gainful.vocabulary import SUBTOPIC_GRADES

#: The options. Where the help contains ``{table}``, judgments and runs have separate options on
#: the command line; those without help are not on it.
READ_OPTIONS = (
    Parameter(
        "format",
        group=Group.INPUT,
        metavar="FORMAT",
        help="The format of the {table}; `gainful convert --help` lists all. Default: detected from"
        " the content.",
    ),
    Parameter("header", bool, None),
    Parameter(
        "columns",
        dict,
        group=Group.INPUT,
        metavar="COLUMNS",
        repeatable=True,
        help="Name the columns of judgments: query,doc,grade,- without a header (- is skipped),"
        " query=userId,doc=movieId,grade=rating with one. With score or rank instead of grade, it"
        " applies to runs; names can have both. grade=label:good=2,fair=1,bad=0 gives labels their"
        " grades, doc=chunk:^(.+)# takes ids from chunks. Repeatable.",
    ),
    Parameter(
        "comments",
        bool,
        group=Group.INPUT,
        help="Skip lines that begin with # in TREC, TSV and CSV files. Default: read them, since"
        " ids may begin with #.",
    ),
    Parameter("split"),
    Parameter("subtopics", bool),
    Parameter(
        "duplicates",
        default="error",
        group=Group.INPUT,
        metavar="DUPLICATES",
        help="How {table} with several rows for a query and a document are read: error, first,"
        " last, max, mean (of grades) or count. Default: as the convention says.",
    ),
    Parameter(
        "ignore_offsets",
        bool,
        group=Group.INPUT,
        help="Read places in documents as their documents: ignore columns with the start and end of"
        " a text. A document that is then listed several times is a duplicate.",
    ),
)

SUBTOPICS = Parameter(
    "subtopics",
    group=Group.INPUT,
    choices=SUBTOPIC_GRADES,
    help="Merge judgments of subtopics into one grade per document: the maximum or the sum."
    " Diversity measures, such as alpha_nDCG@10, read subtopics without this option.",
)
