"""``gainful baseline``: baseline runs to compare a system with."""

from __future__ import annotations

from gainful.cli.arguments import QUIET, measure_option
from gainful.cli.command import Command
from gainful.cli.output import say, write, writing_rows
from gainful.cli.reading import reading_options
from gainful.cli.systems import RUN_FORMAT, RUN_OUTPUT
from gainful.errors import ParameterError
from gainful.parameters import Argument, File, Group, Parameter, searching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gainful.bounds import Headroom
    from gainful.cli.command import Values
    from gainful.data import Run
    from gainful.parameters import Parameters

#: The baselines, in the order of the help.
KINDS = {
    name: f"gainful.cli.baseline:{name}"
    for name in ("bm25", "tfidf", "dense", "fuse", "random", "oracle")
}

DEPTH = searching.DEPTH.replace(help="Maximum number of documents per query.", doc="")


def _or_none(word: str, values: Values) -> str | None:
    return None if word == "none" else word


def _read_qrels(path: str, values: Values) -> Any:
    return values.reading.path_or_table(path, "qrels")


def _read_run(path: str, values: Values) -> Any:
    return values.reading.path_or_table(path, "run")


def _read_runs(paths: Sequence[str], values: Values) -> list[Any]:
    return [_read_run(path, values) for path in paths]


RANKED = Parameter(
    "ranked",
    File,
    python="run",
    convert=_read_run,
    flags=("--run",),
    metavar="RUN",
    help="Rank the documents of this run instead of a corpus.",
)

DOWN_TO = Parameter(
    "down_to",
    int,
    python="depth",
    flags=("--depth",),
    help="Number of documents to use from each run. Default: all.",
)

CORPUS_AND_QUERIES = (Argument("corpus"), Argument("queries"))

ANALYSIS = (
    Parameter(
        "stemmer",
        default="english",
        convert=_or_none,
        metavar="LANGUAGE",
        help="The Snowball stemmer, or none.",
    ),
    Parameter(
        "stopwords",
        default="english",
        convert=_or_none,
        choices=("english", "none"),
        annotation="str | Iterable[str] | None",
        help="The stop words to remove: Lucene's English list, or none.",
    ),
)


def run_options(name: str | None) -> tuple[Parameters, ...]:
    """Declare ``-o``, ``--format``, ``--name``, ``--qrels``, ``-m`` and the options of reading."""
    return (
        RUN_OUTPUT,
        QUIET,
        RUN_FORMAT,
        Parameter(
            "name",
            default=name,
            group=Group.OUTPUT,
            metavar="NAME",
            help="The name of the run." if name else "The name of the run. Default: METHOD.",
        ),
        Parameter(
            "qrels",
            File,
            help="Judgments: print the score of the run, and its share of the achievable gain.",
        ),
        reading_options(merges=False),
        measure_option(multiple=True, default="nDCG@10", has_convention=False),
    )


@Command(
    commands=KINDS,
    kind="baseline",
    examples=(
        "gainful baseline bm25 corpus.jsonl queries.tsv -k 100 -o bm25.run",
        "gainful baseline bm25 corpus.jsonl queries.tsv --qrels qrels.txt",
        "gainful baseline dense docs.npy queries.npy --doc-ids docs.txt --query-ids q.txt -o d.run",
        "gainful baseline fuse bm25.run dense.run -o rrf.run",
        "gainful baseline oracle qrels.txt -o ideal.run",
    ),
)
def command() -> None:
    """Build a baseline run: BM25, TF-IDF, dense or fused.

    A random order and the ideal order are the lower and upper bound. With --qrels, the score is
    printed with its share of the achievable gain.
    """


@Command(
    CORPUS_AND_QUERIES,
    DEPTH,
    searching.K1,
    searching.B,
    searching.BM25_METHOD,
    searching.DELTA,
    ANALYSIS,
    run_options("bm25"),
    targets=("gainful.systems.lexical:BM25",),
    examples=(
        "gainful baseline bm25 corpus.jsonl queries.tsv -k 100 -o bm25.run",
        "gainful baseline bm25 corpus/ queries.jsonl --k1 0.9 --b 0.4 --qrels qrels.txt",
    ),
    summary="Rank a corpus by BM25.",
)
def bm25(values: Values) -> None:
    """Rank the documents of CORPUS for each query in QUERIES by BM25.

    CORPUS is JSON lines, CSV, TSV, TREC markup, a zip of these, a BEIR folder or a folder of text
    files; title and text are concatenated. QUERIES are TSV, CSV, JSON lines or TREC topics.
    """
    _rank(values)


@Command(
    CORPUS_AND_QUERIES,
    DEPTH,
    Parameter("sublinear", bool, help="Use 1 + ln(tf) instead of tf as the term frequency."),
    ANALYSIS,
    run_options("tfidf"),
    targets=("gainful.systems.lexical:TFIDF",),
    examples=(
        "gainful baseline tfidf corpus.jsonl queries.tsv -k 100 -o tfidf.run",
        "gainful baseline tfidf docs.trec topics.txt --sublinear --qrels qrels.txt",
    ),
    summary="Rank a corpus by TF-IDF and cosine similarity.",
)
def tfidf(values: Values) -> None:
    """Rank the documents of CORPUS for each query in QUERIES by TF-IDF and cosine similarity.

    The weights are those of scikit-learn's TfidfVectorizer.
    """
    _rank(values)


@Command(
    Argument("documents"),
    Argument("queries"),
    DEPTH,
    Parameter(
        "document_ids",
        File,
        flags=("--doc-ids",),
        help="The ids for a .npy file of documents: one per line, or the corpus in the same order.",
    ),
    Parameter(
        "query_ids",
        File,
        help="The ids for a .npy file of queries: one per line, or the queries in the same order.",
    ),
    searching.SIMILARITY,
    run_options("dense"),
    targets=("gainful.baselines:dense",),
    examples=(
        "gainful baseline dense docs.parquet queries.parquet -o dense.run",
        "gainful baseline dense docs.npy queries.npy --doc-ids corpus.jsonl --query-ids"
        " queries.jsonl --similarity cosine",
    ),
    summary="Rank documents by vectors of your own.",
)
def dense(values: Values) -> None:
    """Rank DOCUMENTS by the inner product of their vectors with those of QUERIES.

    Both are two-dimensional .npy files with separate files of ids, or Parquet files with a column
    of ids and a column of lists, such as vector or embedding. The search is exact: it computes the
    similarity of every document.
    """
    from gainful.baselines.vectors import Vectors

    vectors = Vectors(values.documents, values.document_ids)
    run = values.call(documents=vectors, document_ids=None)
    product = "cosine" if values.similarity == "cosine" else "inner product"
    words = f"exact {product} of vectors with {vectors.dimensions:,} components."
    _finish(run, values, f"{words} {len(vectors):,} documents", documents=len(vectors))


@Command(
    Argument("runs", metavar="RUN RUN...", repeatable=True, convert=_read_runs),
    DEPTH,
    searching.FUSION,
    searching.CONSTANT,
    searching.NORM,
    Parameter(
        "weights",
        float,
        flags=("--weight",),
        metavar="W",
        repeatable=True,
        annotation="Sequence[float] | Mapping[str, float] | None",
        help="The weight of a run. Repeatable, in the order of the runs. Default: 1.",
    ),
    DOWN_TO,
    run_options(None),
    targets=("gainful.baselines:fuse",),
    examples=(
        "gainful baseline fuse bm25.run dense.run -o rrf.run",
        "gainful baseline fuse bm25.run dense.run --method combsum --weight 1 --weight 2"
        " --qrels qrels.txt",
    ),
    summary="Fuse several runs by ranks or scores.",
)
def fuse(values: Values) -> None:
    """Fuse several RUNs into one, by ranks or scores. Their formats may differ."""
    run = values.call()
    how = f"{values.method}, {values.norm}"
    if values.method == "rrf":
        how = f"reciprocal ranks, constant {values.constant:g}"
    runs = values.runs
    if values.weights:
        runs = [f"{path} × {weight:g}" for path, weight in zip(runs, values.weights, strict=True)]
    _finish(run, values, f"{how}, of {', '.join(runs)}")


@Command(
    Argument("corpus", metavar="[CORPUS]", required=False),
    Argument("queries", metavar="[QUERIES]", required=False),
    DEPTH,
    Parameter(
        "judged",
        File,
        metavar="QRELS",
        convert=_read_qrels,
        help="Rank the judged documents of each query instead of a corpus.",
    ),
    RANKED,
    Parameter("seed", int, 0, help="Random seed."),
    run_options("random"),
    targets=("gainful.baselines:random_order",),
    examples=(
        "gainful baseline random corpus.jsonl queries.tsv -o random.run",
        "gainful baseline random --judged qrels.txt --seed 7 -o random.run",
        "gainful baseline random --run bm25.run -o shuffled.run",
    ),
    summary="Rank documents in random order, the lower bound.",
)
def random(values: Values) -> None:
    """Rank documents in random order for each query.

    This is one sample of all orders. `gainful headroom` reports the exact mean over them.
    """
    words = f"the documents of {values.corpus or values.judged or values.ranked} in random order"
    _finish(values.call(), values, f"{words} (seed {values.seed})")


@Command(
    Argument("judgments", metavar="QRELS"),
    DEPTH,
    RANKED.replace(
        help="Reorder the documents of this run: the upper bound of all re-rankers.",
    ),
    DOWN_TO.replace(help="Number of documents of the run to reorder. Default: all."),
    run_options("oracle"),
    targets=("gainful.baselines:oracle",),
    examples=(
        "gainful baseline oracle qrels.txt -o ideal.run",
        "gainful baseline oracle qrels.txt --run bm25.run --depth 100 -o reranked.run",
    ),
    summary="Rank documents in ideal order, the upper bound.",
)
def oracle(values: Values) -> None:
    """Rank the judged documents of QRELS, or those of a run, in ideal order."""
    words = f"the judged documents of {values.judgments}"
    if values.ranked is not None:
        words = f"the documents of {values.ranked}"
    run = values.call(qrels=_read_qrels(values.judgments, values))
    _finish(run, values, f"{words} in ideal order")


def _rank(values: Values) -> None:
    """Rank a corpus for queries by the system of a command."""
    from gainful.baselines.fusion import run_queries

    system = values.call()
    run = run_queries(system, values.queries, values.depth)
    collection = system.collection
    parts = [f"{len(collection.documents):,} documents"]
    if collection.empty:
        parts.append(f"{collection.empty:,} of them without terms")
    if collection.duplicates:
        parts.append(f"{collection.duplicates:,} duplicates skipped")
    words = f"{system.summary}. {', '.join(parts)}"
    _finish(run, values, words, documents=len(collection.documents))


def _finish(run: Run, values: Values, words: str, *, documents: int | None = None) -> None:
    """Write a run, describe it on the standard error, and print its score."""
    output, style, qrels = values.output, values.style, values.qrels
    if style is not None and output is None and qrels is not None:
        raise ParameterError(
            "--format needs -o FILE, since --qrels prints the score instead of the run",
            hint="`gainful headroom` prints scores in other formats",
        )
    outcome: Headroom | None = None
    if qrels is not None:
        from gainful.bounds import headroom

        judged = values.reading.path_or_table(qrels, "qrels")
        outcome = headroom(judged, run, values.measures or None, documents=documents)
    if output is not None or outcome is None:
        with writing_rows(output or "-"):
            run.as_complete().write(output or "-", format=style)
    empty = sum(not ranked for ranked in run.values())
    nothing = f", {empty:,} of them without documents" if empty else ""
    queries = f"{len(run):,} quer{'y' if len(run) == 1 else 'ies'}{nothing}"
    say(f"{run.name or 'the run'}: {words}. {queries}; {run.rows:,} rows.")
    if outcome is None:
        return
    # The standard output is for the run.
    if output == "-":
        say(str(outcome))
    else:
        write(outcome, "table", None)
