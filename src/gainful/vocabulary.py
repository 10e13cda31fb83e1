"""Words of options and results: each set is declared once, for the code and for the command line.

The first word of an option is its default, where it has one. `gainful.policies` has the words of
conventions, and `gainful.measures.definitions` those of measures. A test compares the JSON schemas
with all of them.
"""

from __future__ import annotations

# --- verdicts

#: Verdicts on a pair whose difference is statistically significant.
SIGNIFICANT = ("better", "worse")
#: Verdicts on a pair of systems.
PAIR_VERDICTS = (*SIGNIFICANT, "equivalent", "identical", "inconclusive", "not comparable")
#: What represents a query without relevant documents in a part of a corpus.
EMPTY_SHARDS = {
    "mean": "the mean of the query's other shards",
    "zero": "0",
    "skip": "the query is left out",
}
#: Verdicts of a gate, the worst first.
GATE_VERDICTS = ("fail", "inconclusive", "pass")
#: Verdicts on a pair of systems with missing judgments: could labels reverse their order?
CONTEST_VERDICTS = ("open", "settled", "unknown")
#: Verdicts on a series of online and offline differences, as shown.
ONLINE_VERDICTS = {
    "follows": "online follows offline",
    "opposes": "online goes the other way",
    "inconclusive": "inconclusive",
    "too few": "too few to conclude",
}

# --- tests and corrections

#: Which pairs are corrected together: the pairs of one measure, or all pairs.
PAIR_FAMILIES = ("measure", "all")
#: How p-values are corrected, as named in headings.
CORRECTIONS = {"max-t": "max-T", "tukey": "Tukey", "holm": "Holm"}
#: Tests of a comparison that run only on request.
EXTRA_TESTS = ("wilcoxon", "sign")
#: Tests of a comparison of measures.
MEASURE_TESTS = ("max-t", "tukey", "t", "randomization")

# --- judgments

#: What is done with several grades of a rater for one document.
RATER_DUPLICATES = ("error", "first", "last")
#: The scales of grades in coefficients of agreement.
SCALES = ("ordinal", "interval", "nominal")
#: The weights of kappa.
KAPPA_WEIGHTS = ("quadratic", "linear", "none")
#: How the grades of several raters become one.
COMBINING_RULES = ("majority", "median", "mean", "dawid-skene", "owner")
#: How an audit writes the labels that it combines.
LABEL_FORMATS = ("csv", "jsonl", "qrels", "quepid-book", "label-studio")
#: The parts of a long document that a model reads.
LONG_DOCUMENTS = ("head", "head-tail", "passages")
#: Which unjudged documents have labels when bounds are computed.
BOUNDED_LABELS = ("retrieved", "cutoff")
#: How the grades of subtopics become one.
SUBTOPIC_GRADES = ("max", "sum")
#: The orders in which a session can judge, then random samples, which need a budget.
JUDGING_STRATEGIES = ("depth", "rrf", "mtf", "maxmean", "mtc")
POOLING_STRATEGIES = (*JUDGING_STRATEGIES, "sample")

# --- studies

#: What is averaged over queries and collections.
AGGREGATES = ("mean", "standardized", "empirical")
#: Whose random order is the floor of headroom.
FLOORS = ("corpus", "pool", "judged", "none")
#: What quotes are: evidence for queries, what a system returned, or chunks of documents.
QUOTE_KINDS = ("qrels", "run", "chunks")
#: What happens to quotes that occur more than once; units of budgets, and of given offsets.
AMBIGUOUS = ("skip", "first", "all", "error")
SPAN_UNITS = ("characters", "tokens", "lines")
OFFSET_UNITS = ("characters", "utf16", "bytes")
#: How the place of a quote was found, and why there is none, or another than the given one.
WAYS = ("exact", "normalized", "given", "order", "first", "alternative", "corrected")
PROBLEMS = ("missing", "ambiguous", "wrong offsets", "unknown document")
#: What fails a gate: a decrease by more than the margin, or any significant decrease.
FAILURES = ("margin", "decrease")
#: The formats of a pool.
POOL_FORMATS = ("jsonl", "trec", "prels")
#: The variants of BM25, named as in bm25s.
BM25_METHODS = ("lucene", "robertson", "atire", "bm25l", "bm25+")
#: How runs are fused, and how their scores are normalized before.
FUSIONS = ("rrf", "combsum", "combmnz")
SCORE_NORMS = ("min-max", "z-score", "none")
#: Similarities of vectors.
SIMILARITIES = ("dot", "cosine")
