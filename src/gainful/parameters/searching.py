"""The parameters of searches and of baselines."""

from __future__ import annotations

from gainful.parameters import OPTIONAL_COUNT, File, Group, Parameter
from gainful.vocabulary import BM25_METHODS, FUSIONS, SCORE_NORMS, SIMILARITIES

_COUNT = OPTIONAL_COUNT.replace(
    range=f"[1, {2**63 - 1}]", expected="a whole number of 1 or more, below 2^63"
)

_AMOUNT = Parameter("amount", float, range="(0, inf)", expected="a number above 0")

DEPTH = _COUNT.replace(
    name="depth",
    default=100,
    flags=("-k",),
    python="k",
    help="Number of documents per query.",
    doc="The number of documents to request, at least 1. Additional documents are dropped.",
)

VECTORS = Parameter(
    "vectors",
    File,
    help="The vectors of the queries: .npy with one row per query, in the same order, or Parquet"
    " with ids.",
)

VERSION = Parameter(
    "version",
    flags=("--system-version",),
    group=Group.REQUESTS,
    metavar="TEXT",
    help="A version of the system that distinguishes its states, such as the date of the index.",
)

WORKERS = _COUNT.replace(
    name="workers",
    default=8,
    group=Group.REQUESTS,
    help="Number of concurrent calls.",
)

RATE = _AMOUNT.replace(
    name="rate",
    group=Group.REQUESTS,
    metavar="N",
    help="Maximum number of queries per second. Default: no limit.",
    doc="The maximum number of queries per second, including retries.",
)

RETRIES = Parameter(
    "retries",
    int,
    4,
    range=f"[0, {2**63 - 1}]",
    expected="a whole number of 0 or more, below 2^63",
    group=Group.REQUESTS,
    help="Maximum number of retries of a query after a temporary failure.",
)

TIMEOUT = _AMOUNT.replace(
    name="timeout",
    default=30.0,
    group=Group.REQUESTS,
    metavar="SECONDS",
    help="Timeout of a call.",
)

RESTART = Parameter(
    "restart", bool, group=Group.REQUESTS, help="Discard the journal and run all queries."
)

#: The options on requests, from ``--workers`` to ``--restart``.
REQUESTS = (WORKERS, RATE, RETRIES, TIMEOUT, RESTART)

BATCH = _COUNT.replace(
    name="batch",
    group=Group.REQUESTS,
    help="Queries per call, for systems that take several.",
)

KEEP_ANSWERS = Parameter(
    "keep_answers",
    bool,
    group=Group.REQUESTS,
    help="Keep the answers in the journal although the system has changed, and repeat none to"
    " compare them.",
    doc="Whether to keep the journal's answers although the system has changed, and request none of"
    " them again. Changes of `k` or of the text of a query are still refused.",
)

#: The options on requests to a system.
FETCHING = (*REQUESTS, BATCH, KEEP_ANSWERS)


_LEXICAL_AMOUNT = Parameter(
    "amount",
    float,
    # Larger values would lose precision.
    range=f"[0, {10**9}]",
    expected="a number of 0 or more",
    metavar="X",
)

K1 = _LEXICAL_AMOUNT.replace(name="k1", default=1.2, help="Term frequency saturation.")

B = Parameter("b", float, 0.75, range="[0, 1]", metavar="X", help="Length normalization.")

BM25_METHOD = Parameter(
    "method",
    default=BM25_METHODS[0],
    choices=BM25_METHODS,
    annotation="str",
    help="The variant; bm25l and bm25+ have a delta.",
)

DELTA = _LEXICAL_AMOUNT.replace(name="delta", default=0.5, help="The delta of bm25l and bm25+.")

FUSION = Parameter(
    "method",
    default=FUSIONS[0],
    choices=FUSIONS,
    annotation="str",
    help="Reciprocal rank fusion; the sum of scores; or that sum times the number of runs with the"
    " document.",
)

CONSTANT = Parameter(
    "constant",
    float,
    60.0,
    range=f"[0, {10**100}]",
    expected="a number from 0 to 1e+100",
    metavar="X",
    help="The constant of rrf.",
)

NORM = Parameter(
    "norm",
    default=SCORE_NORMS[0],
    choices=SCORE_NORMS,
    annotation="str",
    help="How scores are normalized per query and run.",
)

SIMILARITY = Parameter(
    "similarity",
    default=SIMILARITIES[0],
    choices=SIMILARITIES,
    annotation="str",
    help="The inner product, or the cosine.",
)
