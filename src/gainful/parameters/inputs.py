"""The parameters of files and of evaluations."""

from __future__ import annotations

from gainful.parameters import Argument, File, Group, Parameter
from gainful.vocabulary import BOUNDED_LABELS, SUBTOPIC_GRADES

QRELS = Argument("qrels")

RUN = Argument("run")

RUNS = Argument("runs", metavar="RUN...", repeatable=True)

QRELS_AND_RUNS = (QRELS, RUNS)

#: Judgments and runs, or a single file of values.
VALUES_OR_RUNS = (QRELS, RUNS.replace(required=False, metavar="[RUN...]"))

VALUES = Parameter(
    "further",
    File,
    flags=("--values",),
    repeatable=True,
    help="Add the measures of a file of values that were computed elsewhere, such as answer"
    " correctness, of the same systems. Repeatable.",
)

LOWER_IS_BETTER = Parameter(
    "lower_is_better",
    metavar="MEASURE",
    repeatable=True,
    help="In files of values, a measure of which lower values are better, such as latency."
    " Repeatable.",
)

VALUE_RANGE = Parameter(
    "value_range",
    flags=("--range",),
    metavar="LOW:HIGH",
    help="The lowest and highest possible value of the measures in files of values, such as 0:1;"
    " `0:` without a limit. Default: no limits.",
)

#: What describes files of values.
GIVEN_VALUES = (VALUES, LOWER_IS_BETTER, VALUE_RANGE)

DOCS = Parameter(
    "docs",
    File,
    help="Show titles of documents from this file: JSON lines, CSV, TREC markup or a BEIR folder.",
)

QUERIES = Parameter(
    "queries",
    File,
    help="Show the texts of queries from this file, in one of the same formats.",
)

#: The files with the texts that a result shows.
TEXTS = (DOCS, QUERIES)

#: Not the texts of queries, which `--queries` names elsewhere.
ONLY = Parameter(
    "queries",
    File,
    flags=("--only", "--queries"),
    metavar="FILE|IDS",
    help="Evaluate only these judged queries: a file with their ids, one per line or in a column"
    " such as query_id, or ids separated by commas.",
    annotation="QueryIds | None",
    type="iterable of ids, or path",
)

EXCLUDE = Parameter(
    "exclude",
    File,
    help="Remove these documents from the rankings before they have ranks, and from the judgments:"
    " a file of pairs of query and document, such as TSV, CSV, JSON lines or judgments.",
    annotation="Pairs | None",
    type="mapping, pairs, data frame or path",
)

SAME = Parameter(
    "same",
    File,
    metavar="FILE|:PATTERN",
    help="Count documents of a class once, such as copies of a text: a file with columns document"
    " and class (FILE:COLUMN for one of several), or a pattern whose group is the class, such as"
    " `:^(.+)#` for the document of a chunk.",
    annotation="ClassesLike | None",
    type="mapping, pairs, data frame, path, pattern or function",
)

#: The documents to evaluate.
DOCUMENTS = (EXCLUDE, SAME)

#: The queries and documents to evaluate.
SELECTION = (ONLY, *DOCUMENTS)

PREDICTED = Parameter(
    "predicted",
    File,
    group=Group.STATISTICS,
    help="Judgments of a model for all queries, if people judged a random sample of them. The"
    " estimates combine both, and stay right however bad the model is.",
    convert=lambda path, values: values.reading.path_or_table(path, "qrels"),
    annotation="QrelsLike | None",
    type="judgments",
)

SAMPLED = Parameter(
    "sampled",
    group=Group.STATISTICS,
    metavar="POOL",
    help="The pool of `gainful pool --queries`, whose random sample of queries people judged; the"
    " draw is checked. `random` declares that you drew one otherwise.",
    annotation="Sampled | None",
    type='{"random"}, path or Pool',
)

#: Judgments of a model, and the sample of queries that people judged.
PREDICTIONS = (PREDICTED, SAMPLED)


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


PER_QUERY = Parameter("per_query", bool, help="Print one row per query instead of the means.")

BOUNDS = Parameter(
    "bounds",
    choices=BOUNDED_LABELS,
    flag_value=BOUNDED_LABELS[0],
    help="Show the lowest and highest possible mean over the missing labels of retrieved documents;"
    " `--bounds cutoff` considers only those above the cutoff.",
    annotation="bool | str",
)

CANDIDATES = Parameter(
    "candidates",
    File,
    metavar="FILE|N",
    help="Show chance, the expected mean of a random order, for queries that search this many"
    " documents: a number, or a file of query ids and numbers, FILE or FILE:COLUMN.",
    annotation="Candidates | None",
    type="int, mapping of query id to int, or path",
    doc="The number of documents that each query searches, to show chance: the expected mean of a"
    " random order of them, exactly. A path is a file of query ids and numbers, ``FILE`` or"
    " ``FILE:COLUMN``.",
)

SAMPLE = Parameter(
    "sample",
    File,
    help="Estimate the measures from a random sample of judgments, with the file that `gainful pool"
    " --strategy sample` wrote. Default measures: DCG@10, P@10, nDCG@10, and AP and R at the depth"
    " of the pool. With --predicted, DCG, CG and P combine it with labels of a model.",
    annotation="str | PathLike[str] | Pool",
)
