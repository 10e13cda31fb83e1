"""Small valid files for every reader in Python, each with a call that reads it."""

from __future__ import annotations

import io
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np

import gainful
import judgment_list_data as lists
from gainful.agreement.power import read_past
from gainful.baselines.vectors import Vectors
from gainful.cli.option_values import read_weights
from gainful.cli.pool import parse_rater_files
from gainful.compat import pytrec_eval
from gainful.data.convert import convert
from gainful.data.corpus import each_document, read_documents, read_queries
from gainful.data.judgment_lists import listed_queries, read_judgment_list
from gainful.data.query_attributes import read_query_attribute
from gainful.data.records import read_records
from gainful.gates import read_snapshot
from gainful.systems.http.requests import SCHEMA, RecordingTransport, ReplayTransport
from gainful.systems.loading import engine_entries, load_system, read_description
from gainful.systems.queries import Queries
from judging_seeds import READERS as OF_JUDGING
from score_seeds import READERS as OF_SCORES
from seeds import Reader, lines, text, zipped

__all__ = ["READERS", "Reader"]

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 0, "d3": 2}}
RUN = {"q1": ["d1", "d2"], "q2": ["d3", "d1"]}


def npy(array: Any) -> bytes:
    sink = io.BytesIO()
    np.save(sink, array)
    return sink.getvalue()


def parquet() -> bytes:
    try:
        import pyarrow
        from pyarrow import parquet as files
    except ImportError:
        return b"PAR1"
    sink = io.BytesIO()
    table = pyarrow.table({"query_id": ["q1", "q2"], "vector": [[1.0, 2.0], [0.5, 0.25]]})
    files.write_table(table, sink)
    return sink.getvalue()


DOCUMENTS = lines(
    {"_id": "d1", "title": "Lentil soup", "text": "red lentils é"},
    {"_id": "d2", "text": ["tomato", "soup"], "metadata": {"a": [1, 2.5, None, True]}},
)
TREC_DOCUMENTS = (
    "<DOC>\n<DOCNO> d1 </DOCNO>\n<TITLE>Lentil &amp; soup</TITLE>\n<TEXT>red</TEXT>\n</DOC>\n"
    "<DOC>\n<DOCNO>d2</DOCNO>\n<TEXT>\ntomato\n</TEXT>\n</DOC>\n"
)
TOPICS = (
    "<top>\n<num> Number: 301\n<title> lentil soup\n<desc> Description:\nred\n</top>\n"
    "<top>\n<num> Number: 302\n<title> bread\n</top>\n"
)
XML_TOPICS = '<topics><topic number="1"><query>soup</query><desc>red</desc></topic></topics>\n'
CORPORA = (
    *text(
        DOCUMENTS,
        'doc_id,title,text\nd1,Lentil soup,"red, lentils\nand cumin"\nd2,,tomato\n',
        "docid\ttext\nd1\tred lentils\nd2\ttomato\n",
        "d1\tred lentils\nd2\ttomato\n",
        {"d1": "red lentils", "d2": {"title": "Tomato", "text": "soup"}},
        [{"id": 1, "contents": "red"}, {"id": 2, "body": "tomato"}],
        TREC_DOCUMENTS,
    ),
    zipped("corpus.jsonl", DOCUMENTS),
)
QUERIES = (
    *text(
        "q1\tlentil soup\nq2\tbread\n",
        "qid\tquery\tlocale\nq1\tlentil soup\tde\nq2\tbread\t\n",
        'query_id,text\nq1,"lentil, soup"\nq2,bread\n',
        "query_id;text\nq1;soup\n",
        "lentil soup\nbread\n",
        "1:raspberry pi\n2:bread\n",
        "text",
        lines({"_id": "q1", "text": "soup"}, {"_id": "q2", "text": "bread", "k": [1, {}]}),
        {"q1": "soup", "q2": {"text": "bread", "locale": "de"}},
        {"queries": [{"id": 1, "query": "soup"}, "bread"]},
        [["q1", "soup"]],
        TOPICS,
        XML_TOPICS,
        "query,docid,rating\nsoup,d1,3\nbread,d2,\n",
        "query\tdocument\trating\nq1\td1\t1\n",
        lists.RANK_EVAL,
        lists.RRE_BY_DOCUMENT,
        lists.QUEPID_CASE,
        "2 qid:1 # d1 soup\n0 qid:1 # d2 soup\n",
        "# qid:1: soup\n3 qid:1 # d1 x\n",
    ),
    zipped("queries.jsonl", lines({"_id": "q1", "text": "soup"})),
)
LABELS = text(
    "query_id,doc_id,rater,grade\nq1,d1,ann,2\nq1,d1,ben,1\nq2,d3,ann,\n",
    "query\tdocid\trater_1\trater_2\tfinal_rating\nq1\td1\t3\t2\t3\nq1\td2\t\t0\t0\n",
    "query;doc;grade_ana;grade_ben\nq1;d1;1;2\n",
    lines(
        {"query_id": "q1", "doc_id": "d1", "rater": "ann", "grade": 2},
        {"query_id": "q1", "doc_id": "d1", "model": "gpt", "version": "4", "grade": 1.5},
    ),
    "q1 0 d1 2\nq1 0 d2 0\n",
)
JUDGMENTS = {
    "quepid": text(lists.QUEPID_CSV, lists.QUEPID_RATINGS, lists.QUEPID_CASE),
    "rre": text(lists.RRE_BY_DOCUMENT, lists.RRE_BY_GAIN),
    "rank_eval": text(lists.RANK_EVAL),
    "es-ltr": text("# qid:1: soup\n3 qid:1 # d1 x\n0 qid:1 1:0.5 # d2\n"),
    "opensearch": text(
        {"judgmentRatings": [{"query": "soup", "ratings": [{"docId": "d1", "rating": "3.0"}]}]},
        {"hits": {"hits": [{"_source": {"judgmentRatings": []}}]}},
        {"querySetQueries": [{"queryText": "soup"}]},
    ),
    "esci:amazon": text("query,query_id,product_id,esci_label\nsoup,1,B1,E\nsoup,1,B2,I\n"),
    "raters:mean": LABELS,
    "raters:majority": LABELS,
}
PLAIN = text(
    "q1 0 d1 1\nq2 0 d3 2\n",
    "q1\td1\t1\nq2\td3\t2\n",
    "query_id,doc_id,grade\nq1,d1,1\nq2,d3,2\n",
    {"q1": {"d1": 1}, "q2": {"d3": 2}},
    lines({"query_id": "q1", "doc_id": "d1", "grade": 1}),
    "1 qid:q1 1:0.5 # docid = d1\n",
    "q1 g s d1 1\nq1 g s d2 2\n",
)
RUNS = text(
    "q1 Q0 d1 1 2.5 t\nq2 Q0 d3 1 1.5 t\n",
    "query_id\tdoc_id\trank\tscore\nq1\td1\t1\t2\nq2\t\t\t\n",
    {"q1": {"d1": 1}, "q2": []},
)
TABLES = text(
    'query_id,kind,user\nq1,soup,ann\nq2,"bread, or\nso",\n',
    "query_id\tkind\nq1\tsoup\nq2\tbread\n",
    lines({"qid": "q1", "kind": "soup"}, {"qid": "q2", "kind": 2.5}),
    "q1 soup\nq2 bread\n",
)
EXPERIMENTS = text(
    "experiment,measure,offline,online,standard_error\nnew,nDCG@10,0.02,0.01,0.004\n"
    "old,nDCG@10,-0.01,0.002,0.003\nmid,nDCG@10,0.01,0.005,0.003\n",
    "experiment\tnDCG@10\tonline\nnew\t0.02\t0.01\nold\t-0.01\t0.002\nmid\t0.1\t0.2\n",
    lines({"experiment": "new", "offline": 0.02, "online": 0.01, "online_low": 0.001}),
)
PAST = text(
    "system,query_id,nDCG@10,AP\na,q1,0.5,0.4\na,q2,0.25,0.1\nb,q1,0.75,0.3\nb,q2,0.5,0.2\n",
    lines({"system": "a", "query_id": "q1", "nDCG@10": 0.5}),
)
DESCRIPTIONS = text(
    *(entry.starter for entry in engine_entries()),
    'engine = "bm25"\ncorpus = "docs.jsonl"\nk1 = 1.2\n',
    'engine = "python"\nobject = "json:loads"\n[settings]\nk1 = [0.9, {a = 1979-05-27}]\n',
)


def snapshot() -> bytes:
    from gainful.gates.snapshot import lines as written

    made = gainful.make_snapshot(QRELS, RUN, ["nDCG@10", "AP"], budget=3)
    return "".join(written(made)).encode()


def recording() -> bytes:
    request = {"method": "POST", "target": "/shop/_search", "json": {"query": "soup"}}
    answer = {"status": 200, "json": {"hits": {"hits": [{"_id": "d1", "_score": 1.0}]}}}
    other = {"status": 200, "base64": "AAECAw=="}
    return lines(
        {"schema": SCHEMA},
        {"request": request, "response": answer},
        {"request": {"method": "GET", "target": "/"}, "response": other},
    ).encode()


def find(query: str, top_k: int) -> list[tuple[str, float]]:
    return [(f"d{len(query)}", 1.0), ("d2", 0.5)][:top_k]


def journal() -> bytes:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder) / "journal"
        gainful.search(find, {"q1": "soup", "q2": "bread"}, k=2, journal=path)
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        return path.read_bytes()


def read_suite(path: Path) -> object:
    folder = path.parent / "suite"
    (folder / "one").mkdir(parents=True, exist_ok=True)
    (folder / "one" / "qrels.txt").write_bytes(path.read_bytes())
    (folder / "one" / "a.run").write_text("q1 Q0 d1 1 2.5 t\nq2 Q0 d3 1 1.5 t\n")
    return gainful.evaluate_suite(folder, "AP")


def opened(path: Path) -> list[str]:
    return path.read_text(errors="surrogateescape").splitlines(keepends=True)


def read_map(path: Path) -> object:
    qrels = path.with_name("qrels.txt")
    qrels.write_text("q1 0 d1 1\n")
    return convert(qrels, path.with_name("numbered.txt"), kind="qrels", ids=path)


def read_system(path: Path) -> object:
    path.with_name("docs.jsonl").write_text(DOCUMENTS)
    return load_system(path)


def read_recording(path: Path) -> object:
    return RecordingTransport(ReplayTransport(path), path)  # type: ignore[arg-type]


READERS: dict[str, Reader] = {
    **OF_JUDGING,
    **OF_SCORES,
    "corpus": Reader("corpus", CORPORA, lambda path: list(each_document(path))),
    "documents by id": Reader(
        "corpus.csv", CORPORA, lambda path: read_documents(path, ["d1", "301"]).found
    ),
    "bm25": Reader("corpus", CORPORA, lambda path: gainful.baselines.bm25(path, {"q1": "soup"})),
    "texts of queries": Reader("queries.tsv", QUERIES, lambda path: read_queries(path).found),
    "queries": Reader("queries", QUERIES, lambda path: list(Queries.of(path))),
    "queries as CSV": Reader("queries.csv", QUERIES, lambda path: list(Queries.of(path))),
    "search": Reader("queries", QUERIES, lambda path: gainful.search(find, path, k=2).to_dict()),
    "queries of judgment lists": Reader("list", sum(JUDGMENTS.values(), ()), listed_queries),
    "query attributes": Reader("kinds", TABLES, lambda path: read_query_attribute(path)),
    "a named attribute": Reader(
        "kinds.csv", TABLES, lambda path: read_query_attribute(f"{path}:kind")
    ),
    "tables": Reader("table", TABLES + EXPERIMENTS, read_records),
    "weights": Reader("weights", text("q1 1\nq2 0.5\n"), lambda path: read_weights(str(path))),
    "raters": Reader("labels", LABELS, lambda path: list(gainful.read_ratings(path))),
    "raters of TREC's groups": Reader(
        "labels", LABELS, lambda path: list(gainful.read_ratings(path, groups=True))
    ),
    "names of raters": Reader(
        "labels",
        LABELS,
        lambda path: list(gainful.read_ratings(parse_rater_files([f"ann={path}"]))),  # type: ignore[arg-type]
    ),
    **{
        f"judgment list, {format}": Reader(
            "list",
            seeds,
            lambda path, format=format: gainful.Qrels(
                read_judgment_list(path, format=format)
            ).to_dict(),  # type: ignore[misc]
        )
        for format, seeds in JUDGMENTS.items()
    },
    "judgments": Reader(
        "qrels",
        PLAIN + sum(JUDGMENTS.values(), ()),
        lambda path: gainful.read_qrels(path).to_dict(),
    ),
    **{
        f"judgments, {format}": Reader(
            "qrels",
            PLAIN,
            lambda path, format=format: gainful.read_qrels(path, format=format).to_dict(),  # type: ignore[misc]
        )
        for format in ("trec", "csv", "json", "jsonl", "svmlight", "prefs", "strata")
    },
    "runs": Reader("run", RUNS, lambda path: gainful.read_run(path).to_dict()),
    "convert": Reader(
        "list.json",
        JUDGMENTS["rank_eval"] + JUDGMENTS["quepid"],
        lambda path: convert(path, path.parent / "out.csv", kind="qrels", write_as="quepid"),
    ),
    "map of ids": Reader(
        "map.tsv",
        text("kind\tnumber\tid\nquery\t1\tq1\ndocument\t1\td1\n"),
        read_map,
        only_content=True,
    ),
    "suite": Reader("qrels.txt", PLAIN, read_suite, only_content=True),
    "snapshot": Reader("snapshot.json", (snapshot(),), read_snapshot),
    "gate": Reader(
        "snapshot.json",
        (snapshot(),),
        lambda path: str(gainful.gate(QRELS, RUN, path, count=True, rescore=True)),
    ),
    "journal": Reader(
        "journal",
        (journal(),),
        lambda path: gainful.search(
            find, {"q1": "soup", "q2": "bread"}, k=2, journal=path, quiet=True
        ).to_dict(),
    ),
    "experiments": Reader("online", EXPERIMENTS, lambda path: str(gainful.compare_online(path))),
    "past evaluations": Reader("past.csv", PAST, lambda path: read_past(path)),
    "power": Reader("past.csv", PAST, lambda path: str(gainful.analyze_power(read_past(path)))),
    "values of queries": Reader(
        "values",
        text("q1 0.5\nq2 0.25\n", "map\tq1\t0.5\nmap\tq2\t0.25\nmap\tall\t0.375\n"),
        lambda path: str(gainful.reconcile(QRELS, RUN, "0.375", "AP", per_query=path)),
    ),
    "description": Reader("system.toml", DESCRIPTIONS, lambda path: read_description(path).keys()),
    "system": Reader("system.toml", DESCRIPTIONS, read_system, only_content=True),
    "recording": Reader("recording.jsonl", (recording(),), read_recording),
    "vectors": Reader(
        "vectors.npy",
        (npy(np.eye(2)), npy(np.eye(2, dtype="f4")), npy(np.arange(4, dtype=">i2").reshape(2, 2))),
        lambda path: Vectors(path, ["d1", "d2"]).whole(),
    ),
    "vectors in Parquet": Reader(
        "vectors.parquet", (parquet(),), lambda path: Vectors(path, None, "query").whole()
    ),
    "ids of vectors": Reader("ids.jsonl", CORPORA, lambda path: Vectors(np.eye(2), path).ids),
    "vectors of queries": Reader(
        "vectors.npy",
        (npy(np.eye(2)),),
        lambda path: list(Queries.of({"q1": "a", "q2": "b"}, vectors=path)),
    ),
    "vectors of queries in Parquet": Reader(
        "vectors.parquet",
        (parquet(),),
        lambda path: list(Queries.of({"q1": "a", "q2": "b"}, vectors=path)),
    ),
    "pytrec_eval's judgments": Reader(
        "qrels",
        PLAIN[:1],
        lambda path: pytrec_eval.parse_qrel(opened(path)),
        only_content=True,
    ),
    "pytrec_eval's runs": Reader(
        "run", RUNS[:1], lambda path: pytrec_eval.parse_run(opened(path)), only_content=True
    ),
}
