"""Lead searches of the documentation to the page that answers them.

``PAGES`` has what people type, by the page and the heading that answer it. Each is an entry of the
index, which Sphinx's search lists first. ``scorer.js`` ranks pages before functions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

#: From a page, with the label of a heading in it, to what people type. A comma ends an entry.
PAGES = {
    "baselines": "BM25, baseline, reciprocal rank fusion",
    "browser": "browser, web page, WebAssembly, playground",
    "comparing": "p-value, statistical significance, significance test, compare systems",
    "conventions": "ties, tie breaking, convention",
    "copies": "duplicates, near-duplicates, copies",
    "databases": "pgvector, PostgreSQL, SQLite, DuckDB",
    "databases#evaluate-in-sql": "SQL, BigQuery, Snowflake",
    "discriminative-power": "discriminative power, compare measures",
    "discriminative-power#ab-tests": "A/B test, A/B tests, online evaluation",
    "distributed": "Spark, Ray, Dask",
    "drop-in#ir_measures": "ir_measures, PyTerrier",
    "drop-in#other-libraries": "LangChain, LlamaIndex, Haystack",
    "drop-in#pytrec_eval": "pytrec_eval, BEIR, MTEB",
    "drop-in#trec_eval": "trec_eval",
    "engines": "Elasticsearch, OpenSearch, Solr, Vespa",
    "explain": "explain, explain a score, why is the score low",
    "formats": "file format, file formats, TREC format, qrels format",
    "gate": "regression test, regression testing, CI, continuous integration, gate",
    "install": "install, installation, Docker, conda",
    "judging": "judging, annotate, annotation tool, rate documents",
    "judgment-lists": "golden set, judgment list, Quepid",
    "judgments": "inter-annotator agreement, kappa, annotators, raters",
    "large-files": "large files, memory, Parquet",
    "llm-judges": "LLM judge, LLM as a judge, language model as judge",
    "measures/AP": "MAP, mean average precision, average precision",
    "measures/DCG": "DCG, discounted cumulative gain",
    "measures/ERR": "ERR, expected reciprocal rank",
    "measures/F": "F1, F-measure, F1 score",
    "measures/FullRecall": "full recall, recall_all, all relevant",
    "measures/P": "precision, precision at k, precision@k",
    "measures/R": "recall, recall at k, recall@k",
    "measures/RR": "MRR, mean reciprocal rank, reciprocal rank",
    "measures/Success": "hit rate, hit rate@k, success at k, recall_any, hit@k",
    "measures/alpha_nDCG": "diversity, novelty",
    "measures/nDCG": "nDCG, nDCG@10, normalized discounted cumulative gain, 2^rel",
    "own-measures": "own measure, custom measure, custom metric, user-defined measure",
    "own-measures#plugins": "plugin, plugins, entry points, extend",
    "own-measures#values-computed-elsewhere": "latency, own values",
    "pooling": "pool, pooling, pool depth",
    "power": "how many queries, sample size, power, number of queries, power analysis",
    "rag": "RAG, retrieval-augmented generation",
    "rag#numbers-of-rag-tools": "context recall, context precision, Ragas, DeepEval, TruLens",
    "recommenders": "recommender, recommendation, recommender system, coverage",
    "reliability": "exactness, bit for bit, reliability, crash",
    "reliability#speed": "speed, benchmark, how fast",
    "report": "report, HTML report",
    "report#curves": "precision-recall curve, precision recall curve, PR curve",
    "report#plots": "plot, plots, chart",
    "searching": "live system, search a system, query a system",
    "spans#chunk-size": "chunk size, chunk sizes, chunking, chunk overlap",
    "statistics": "confidence interval, confidence intervals, t-test, statistics",
    "suite": "leaderboard, several collections, macro average",
    "sweeps": "grid search, tune, hyperparameters, sweep",
    "training#arrays": "GPU, tensor, tensors, PyTorch, JAX, NumPy",
    "training#experiment-trackers": "MLflow, Weights & Biases, DVC, experiment tracker",
    "training#metrics-during-training": "LightGBM, XGBoost, scikit-learn, early stopping",
    "troubleshooting#exclude-queries": "exclude queries, only some queries, subset of queries",
    "troubleshooting": "error, error message, troubleshooting",
    "unjudged": "unjudged, unjudged documents, missing judgments, holes",
    "vector-stores": "FAISS, vector store, Chroma, Milvus, Qdrant, Pinecone",
    "which-measure": "which measure, choose a measure, which metric",
    "which-measure#what-gainful-does-not-measure": "faithfulness, answer quality, hallucination",
    "which-ndcg": "different numbers, different nDCG, wrong number, two tools disagree",
    "which-ndcg#reproduce": "reproduce, reproducibility, replicate",
    "your-data": "csv, Excel, spreadsheet, Kaggle, input",
    "your-data#data-frames": "pandas, polars, data frame, dictionary",
}


def insert_entries(app: Sphinx, page: str, source: list[str]) -> None:
    """Insert the entries of a page below its title, or before the label of a heading."""
    for place, searches in PAGES.items():
        name, _, label = place.partition("#")
        if name == page:
            entries = ", ".join(f"!{search}" for search in searches.split(", "))
            line = re.search(rf"(?m)^\({label}\)=$" if label else r"(?m)^# .*$", source[0])
            if line is None:
                raise ValueError(f"docs/searches.py: {place} is not in the documentation")
            at = line.start() if label else line.end()
            directive = f"\n\n```{{index}} {entries}\n```\n\n"
            source[0] = source[0][:at] + directive + source[0][at:]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the handler, after that which compares the pages with the code."""
    app.connect("source-read", insert_entries, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
