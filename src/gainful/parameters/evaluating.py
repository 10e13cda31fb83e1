"""The parameters of evaluations."""

from __future__ import annotations

from gainful.parameters import File, Parameter
from gainful.vocabulary import BOUNDED_LABELS

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
