"""The parameters of judgments by language models, and of the agreement of raters."""

from __future__ import annotations

from gainful.parameters import OPTIONAL_COUNT, Group, Parameter
from gainful.vocabulary import KAPPA_WEIGHTS, LONG_DOCUMENTS, SCALES

_COUNT = OPTIONAL_COUNT.replace(range=f"[1, {2**31 - 1}]")

VOTES = _COUNT.replace(
    name="votes",
    default=1,
    help="Number of answers per document.",
    doc="The number of answers per document, of which the lower median counts if more than half are"
    " grades.",
)

LONG = Parameter(
    "long",
    default=LONG_DOCUMENTS[0],
    choices=LONG_DOCUMENTS,
    annotation="str",
    help="What the model reads of long documents: the beginning, beginning and end, or all"
    " passages, of which the highest grade counts.",
    doc="What the model reads of long documents: their beginning; beginning and end; or all"
    " passages, of which the highest grade counts.",
)

DOCUMENT_TOKENS = _COUNT.replace(
    name="document_tokens",
    default=2_000,
    help="Documents with more tokens are long.",
    doc="The length from which documents are long, in estimated tokens of 4 bytes.",
)

INJECTIONS = Parameter(
    "injections",
    int,
    0,
    range=f"[0, {2**31 - 1}]",
    expected="a whole number of 0 or more",
    help="Also grade N documents with an injected instruction to give the highest grade.",
    doc="The number of documents that are graded again with an injected instruction to give the"
    " highest grade. `gainful.assess_judgments` reports how many were obeyed.",
)

TEMPERATURE = Parameter(
    "temperature",
    float,
    range=f"[0, {10**12})",
    expected="a number of 0 or more",
    metavar="T",
    group=Group.REQUESTS,
    help="The temperature. Default: 0, or 0.7 for several votes.",
    doc="The temperature. Default: 0, or 0.7 for several votes.",
)

MAX_TOKENS = _COUNT.replace(
    name="max_tokens",
    group=Group.REQUESTS,
    help="The maximum length of an answer. Default: 1,024.",
    doc="The maximum length of an answer. Default: 1,024. It doubles with each attempt.",
)

ATTEMPTS = _COUNT.replace(
    name="attempts",
    default=3,
    group=Group.REQUESTS,
    help="How often a document is sent until the answer is a grade.",
    doc="How often a document is sent until its answer is a grade.",
)

TOKENS_PER_MINUTE = Parameter(
    "tokens_per_minute",
    float,
    range=f"(0, {10**12})",
    expected="a number above 0",
    metavar="N",
    group=Group.REQUESTS,
    help="Maximum number of tokens per minute. Default: no limit.",
    doc="The maximum number of tokens per minute, of prompts and answers.",
)

#: What a call checks before it reads its files.
CHECKED = (
    VOTES,
    LONG,
    DOCUMENT_TOKENS,
    INJECTIONS,
    TEMPERATURE,
    MAX_TOKENS,
    ATTEMPTS,
    TOKENS_PER_MINUTE,
)

AGREEMENT_SCALE = Parameter(
    "scale",
    default=SCALES[0],
    choices=SCALES,
    annotation="str",
    group=Group.STATISTICS,
    help="The distance between grades for Krippendorff's alpha.",
    doc="The distance between grades for Krippendorff's alpha; see"
    " `gainful.inference.krippendorff_alpha`.",
)

KAPPA = Parameter(
    "kappa",
    default=KAPPA_WEIGHTS[0],
    choices=KAPPA_WEIGHTS,
    annotation="str",
    group=Group.STATISTICS,
    help="The weights of disagreements for Cohen's kappa.",
    doc="The weights of kappa; see `gainful.inference.weighted_kappa`.",
)

AGREEMENT_RESAMPLES = Parameter(
    "resamples",
    int,
    1_999,
    range="[1, inf)",
    expected="1 or more",
    group=Group.STATISTICS,
    help="Number of bootstrap resamples for the intervals of tau.",
    doc="Number of bootstrap resamples, of queries or clusters, for the intervals of tau.",
)
