"""The parameters that name files to read: judgments, runs, texts, weights."""

from __future__ import annotations

from gainful.parameters import Argument, File, Group, Parameter

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
