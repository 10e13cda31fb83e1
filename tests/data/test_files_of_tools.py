"""Files as tools write them are read as what they are, or refused with what helps."""

from __future__ import annotations

import io
import json
import math
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest

import gainful
from evaluation_words import doubts
from gainful.errors import DuplicateError, FormatError, GainfulError
from repeated_tests import for_each
from requirements import need

MARK = "\ufeff"


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


LETOR = "2 qid:1 1:.1{}\n1 qid:1 1:.2{}\n0 qid:1 1:.3{}\n0 qid:2 1:.3{}\n1 qid:2 1:.4{}\n"
RANKLIB = "1\t0\t.9\n1\t1\t.5\n1\t2\t.1\n2\t0\t.2\n2\t1\t.3\n"


@pytest.mark.parametrize("ids", ["", "abcde", "01234"])
def test_scores_of_ranklib_count_the_rows_of_a_query_from_0(ids, tmp_path):
    comments = [f" # docid = {id}" for id in ids] or [""] * 5
    qrels = gainful.read_qrels(written(tmp_path, "test.svm", LETOR.format(*comments)))
    scores = written(tmp_path, "scores.txt", RANKLIB)
    runs = [scores, gainful.read_run(scores), gainful.read_run(scores, judgments=qrels)]
    for run in runs:
        assert gainful.evaluate(qrels, run, "nDCG@10").mean() == 1.0


def test_ids_of_a_run_that_match_are_no_positions(tmp_path):
    qrels = written(tmp_path, "a.svm", "0 qid:1 # 1\n1 qid:1 # 0\n")
    run = written(tmp_path, "a.txt", "1\t0\t.9\n1\t1\t.5\n")
    assert gainful.evaluate(qrels, run, "RR").mean() == 1.0
    # Of other judgments the documents are those that the run names.
    assert gainful.evaluate({"1": {"1": 1, "2": 0}}, run, "RR").mean() == 0.5


def test_impressions_of_mind(tmp_path):
    truth = written(tmp_path, "truth.txt", "1 [0,0,1]\n2 [1,0]\n3 []\n")
    prediction = written(tmp_path, "prediction.txt", "1 [3,2,1]\n2 [2, 1]\n3 [1,1]\n")
    assert gainful.read_qrels(truth).to_dict() == {
        "1": {"1": 0, "2": 0, "3": 1},
        "2": {"1": 1, "2": 0},
    }
    assert list(gainful.read_run(prediction)["1"]) == [("3", 1.0), ("2", 0.5), ("1", 1 / 3)]
    assert gainful.evaluate(truth, prediction, "RR").per_query() == {"1": 1.0, "2": 0.5}
    for text, cause in [("1 [2,1]\n2 [x]\n", "'x'"), ("1 [2,1]\n2 0\n", "an id and a list")]:
        with pytest.raises(FormatError, match=f"line 2: .*{cause}"):
            gainful.read_run(written(tmp_path, "bad.txt", text), format="mind")
    # Lists of one number are ids, as all cells are.
    ids = written(tmp_path, "ids.tsv", "q1\t[1]\nq2\t[2]\n")
    assert gainful.read_qrels(ids).to_dict() == {"q1": {"[1]": 1}, "q2": {"[2]": 1}}


def test_headers_of_recbole_have_types(tmp_path):
    header = "user_id:token\titem_id:token\trating:float\ttimestamp:float\n"
    path = written(tmp_path, "ml.inter", f"{header}1\ta\t4\t881250949\n1\tb\t3.5\t881250950\n")
    assert gainful.read_qrels(path).to_dict() == {"1": {"a": 4, "b": 3.5}}
    for name in ("rating", "rating:float"):
        assert gainful.read_qrels(path, columns=f"grade={name}").to_dict()["1"]["b"] == 3.5
    path = written(tmp_path, "clicks.inter", "user_id:token\titem_id:token\n1\ta\n2\tb\n")
    assert gainful.read_qrels(path).to_dict() == {"1": {"a": 1}, "2": {"b": 1}}


ROWS = "A.1 12 1 9.5 sys\nA.1 7 2 8.5 sys\nA.1 9 3 8.0 sys\nA.2 8 1 3.5 sys\n"
RANKED = {"A.1": [("12", 9.5), ("7", 8.5), ("9", 8.0)], "A.2": [("8", 3.5)]}


@for_each("between", ["\t", " ", ","])
@for_each("change", [("", ""), (" sys", ""), (" sys", " 1"), (" 1 9", " 0 9")])
def test_runs_without_the_second_column(between, change, tmp_path):
    rows = ROWS.replace(*change) if change[0] else ROWS
    if change[1] == " 0 9":
        rows = rows.replace(" 2 ", " 1 ").replace(" 3 ", " 2 ").replace("8 1 3.5", "8 0 3.5")
    path = written(tmp_path, "a.txt", rows.replace(" ", between))
    assert {query: list(run) for query, run in gainful.read_run(path).items()} == RANKED
    assert gainful.evaluate({"A.1": {"9": 1}, "A.2": {"8": 1}}, path, "RR").mean() == 2 / 3


@pytest.mark.parametrize("text", ["q1\t0\t1\t2\nq1\t0\t2\t0\n", "q1\t0\td1\t1\n", "q\td\tx\t1\n"])
def test_judgments_are_no_run_of_four_columns(text, tmp_path):
    with pytest.raises(FormatError, match="looks like judgments"):
        gainful.read_run(written(tmp_path, "a.tsv", text))


@for_each("between", ["\t", " ", ","])
@for_each("suffix", ["tsv", "txt", "run", "csv"])
def test_runs_of_three_columns_with_ranks(between, suffix, tmp_path):
    text = "q1 a 1\nq1 b 2\nq1 c 3\nq2 b 1\n".replace(" ", between)
    path = written(tmp_path, f"a.{suffix}", text)
    ranking = {"q1": ["a", "b", "c"], "q2": ["b"]}
    assert gainful.read_run(path).to_dict() == ranking
    assert gainful.read_run(path, columns="query,doc,rank").to_dict() == ranking
    assert gainful.evaluate({"q1": {"c": 1}, "q2": {"b": 1}}, path, "RR").mean() == 2 / 3


def test_scores_of_three_columns_are_no_ranks(tmp_path):
    text = "q1\ta\t3\nq1\tb\t2\nq1\tc\t1\n"
    assert gainful.read_run(written(tmp_path, "a.tsv", text)).to_dict() == {
        "q1": {"a": 3, "b": 2, "c": 1}
    }


def test_ranks_that_do_not_count_are_refused(tmp_path):
    # The first rows decide what the third column is.
    lines = [f"q{query}\td{rank}\t{rank}\n" for query in range(20_000) for rank in (1, 2, 3)]
    path = written(tmp_path, "a.tsv", "".join([*lines, "q\ta\t0.5\n"]))
    with pytest.raises(FormatError, match="seems to have ranks"):
        gainful.read_run(path)
    assert len(gainful.read_run(path, columns="query,doc,rank")) == 20_001


@pytest.mark.parametrize("suffix", ["txt", "tsv"])
@pytest.mark.parametrize(
    "text",
    ["q1 0 a 1\t\nq1 0 b 0 \t\n", "q1\t0\ta\t1\t\nq1\t0\tb\t0\t\n", "q1 0\ta 1\nq1\t0 b\t0\n"],
)
def test_judgments_between_spaces_and_tabs(suffix, text, tmp_path):
    path = written(tmp_path, f"q.{suffix}", text)
    assert gainful.read_qrels(path).to_dict() == {"q1": {"a": 1, "b": 0}}


def test_queries_with_spaces_stay_whole(tmp_path):
    path = written(tmp_path, "q.txt", "size 1\tdoc 3\nsize 2\tdoc 4\n")
    assert gainful.read_qrels(path).to_dict() == {"size 1": {"doc 3": 1}, "size 2": {"doc 4": 1}}


MARKED = {
    "a.txt": "{}q1 Q0 a 2 8 t\n{}q2 Q0 b 1 9 t\nq2 Q0 a 2 8 t\n",
    "a.tsv": "{}q1\ta\t8\n{}q2\tb\t9\nq2\ta\t8\n",
    "a.csv": "{}q1,a,8\n{}q2,b,9\nq2,a,8\n",
    "a.json": '{}{{"q1": {{"a": 8}}, "q2": {{"b": 9, "a": 8}}}}',
}


@pytest.mark.parametrize("name", MARKED)
def test_byte_order_marks_are_no_part_of_ids(name, tmp_path):
    path = written(tmp_path, name, MARKED[name].format(MARK, MARK))
    assert gainful.read_run(path).to_dict() == {"q1": {"a": 8}, "q2": {"b": 9, "a": 8}}
    evaluation = gainful.evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, path, "RR")
    assert evaluation.per_query() == {"q1": 1.0, "q2": 1.0}
    assert evaluation.counts()["extra"] == 0


def test_marks_in_a_large_file(tmp_path):
    part = "".join(
        f"q{query} Q0 d{rank} {rank} {-rank} t\n" for query in range(90) for rank in range(300)
    )
    path = written(tmp_path, "a.run", MARK + part + MARK + part.replace("q", "r"))
    assert len(gainful.read_run(path)) == 180
    qrels = {f"{letter}{query}": {"d0": 1} for letter in "qr" for query in range(90)}
    assert gainful.evaluate(qrels, path, "RR", threads=2).mean() == 1.0
    lines = "".join(f"{query} 0 d{number} 1\n" for query in qrels for number in range(300))
    judged = gainful.read_qrels(written(tmp_path, "a.qrels", MARK + lines))
    assert set(judged) == set(qrels)


def test_archives_are_named(tmp_path):
    path = tmp_path / "runs.tar"
    content = b"q1 Q0 a 1 2 t\n"
    for mode in ("w", "w:gz"):
        with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
            member = tarfile.TarInfo("a.run")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for read in (
            gainful.read_run,
            gainful.read_qrels,
            lambda run: gainful.evaluate({"q1": {"a": 1}}, run),
        ):
            with pytest.raises(FormatError, match=r"a tar archive.*tar -xf"):
                read(path)
    zipped = written(
        tmp_path, "a.xlsx", b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml" + bytes(99)
    )
    with pytest.raises(FormatError, match=r"an Excel workbook.*CSV"):
        gainful.read_qrels(zipped)


def test_scores_are_not_numbers_where_ranks_order(tmp_path):
    by_rank = gainful.conventions.get("gainful-1").replace(order="rank")
    columns = {"query": ["q"] * 2, "doc": ["b", "a"], "rank": [1, 2], "score": [math.nan] * 2}
    lines = "".join(f"q,{doc},{rank},nan\n" for doc, rank in (("b", 1), ("a", 2)))
    runs: list[Any] = [written(tmp_path, "a.csv", f"query,doc,rank,score\n{lines}")]
    runs.append(
        [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    )
    runs += [need("pandas").DataFrame(columns), need("polars").DataFrame(columns)]
    for run in runs:
        assert gainful.evaluate({"q": {"a": 1}}, run, "RR", convention=by_rank).mean() == 0.5
        if not isinstance(run, list):
            with pytest.raises(GainfulError, match=r"finite|null"):
                gainful.evaluate({"q": {"a": 1}}, run, "RR")


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("user_id,item_id,timestamp\nu1,a,881250949\nu2,b,881250950\n", "query,doc,-", "ab"),
        ("uid,sku,when\nu1,a,881250949\nu2,b,881250950\n", "query,doc,-", "ab"),
        ("uid sku stars\nu1 a 1\nu2 b 1\n", "query,doc,grade", "ab"),
        ("query_id,doc_id\nu1,a\nquery_id,doc_id\nu2,b\n", None, "ab"),
        ("query_id,doc_id,grade\nu1,a,1\nquery_id,doc_id,grade\nu2,b,1\n", None, "ab"),
        ("uid,sku,when\nu1,a,7\nuid,sku,when\nu2,b,8\n", "query,doc,-", "ab"),
        (
            "user_id,item_id,timestamp\nu1,a,881250949\nu2,b,881250950\n",
            "query=user_id,doc=item_id",
            "ab",
        ),
        ("query,doc\ntopic,item\nsoup,stew\n", "query=query,doc=doc", None),
    ],
)
def test_a_header_is_no_row(text, columns, expected, tmp_path):
    qrels = gainful.read_qrels(written(tmp_path, "a.csv", text), columns=columns).to_dict()
    if expected is None:
        assert qrels == {"topic": {"item": 1}, "soup": {"stew": 1}}
    else:
        assert qrels == {"u1": {"a": 1}, "u2": {"b": 1}}


def test_a_first_row_that_looks_like_a_header(tmp_path):
    path = written(tmp_path, "a.csv", "uid,sku\nu1,a\nu2,b\n")
    run = {"u1": ["a"], "u2": ["b"]}
    for qrels in (path, {"uid": {"sku": 1}, "u1": {"a": 1}, "u2": {"b": 1}}):
        said = doubts(qrels, run)
        assert "The first row of the judgments looks like a header: uid, sku" in said
    columns = re.search(r"name the columns: (\S+?)(\.|$)", said)[1]  # type: ignore[index]
    assert not doubts(gainful.read_qrels(path, columns=columns), run)
    assert "header" not in doubts({"soup": {"stew": 1}, "bread": {"roll": 1}}, {"soup": ["stew"]})
    # Above numbers, it is certainly one.
    path = written(tmp_path, "a.csv", "uid,sku\nu1,12\nu2,7\n")
    with pytest.raises(GainfulError, match=r"query=NAME,doc=NAME"):
        gainful.read_qrels(path)
    assert gainful.read_qrels(path, columns="query=uid,doc=sku").to_dict() == {
        "u1": {"12": 1},
        "u2": {"7": 1},
    }


@pytest.mark.parametrize("named", [{"columns": "grade=timestamp"}, {"columns": "query,doc,grade"}])
def test_timestamps_are_no_grades(named, tmp_path):
    text = "user_id,item_id,timestamp\nu1,a,881250949\nu2,b,881250950\n"
    with pytest.raises(FormatError, match=r"timestamps, such as 881250950.*query,doc,-.*-=NAME"):
        gainful.read_qrels(written(tmp_path, "a.csv", text), **named)
    records = [{"query": "q", "doc": "a", "timestamp": 881250949}]
    with pytest.raises(FormatError, match="timestamps"):
        gainful.Qrels(records, columns={"grade": "timestamp"})


def test_exchanged_ranks_and_scores_are_reported(tmp_path):
    qrels = {"q1": {"a": 1}}
    assert "exchanged" in doubts(qrels, written(tmp_path, "a.run", "q1 Q0 a 9.5 1 t\n"))
    whole = written(tmp_path, "b.run", "q1 Q0 a 95 1 t\nq1 Q0 b 90 2 t\nq1 Q0 c 85 3 t\n")
    assert "scores rise" in doubts(qrels, whole)


@pytest.mark.parametrize(
    ("judged", "retrieved"),
    [
        (["7", "8"], ["7.0", "8.0"]),
        (["doc07", "doc08"], ["DOC-7", "DOC-8"]),
        (["https://x.org/a", "https://x.org/b"], ["http://x.org/a/", "http://x.org/b/"]),
        (["a b", "c"], [" a b", "c "]),
        (["7", "12"], ["doc_7", "doc_12"]),
        (["7.txt", "12.txt"], ["7", "12"]),
    ],
)
def test_ids_of_documents_that_nearly_match(judged, retrieved, tmp_path):
    qrels = {"q": dict.fromkeys(judged, 1)}
    run = gainful.Run({"q": dict.fromkeys(retrieved, 1.0)})
    said = doubts(qrels, run)
    assert "Ids of documents nearly match: " in said
    assert any(
        f"{a!r} in the judgments, {b!r} in the run" in said
        for a, b in zip(judged, retrieved, strict=True)
    )
    assert f"such as {judged[0]!r}, the run such as" in said
    run.write(tmp_path / "a.json")
    assert doubts(qrels, tmp_path / "a.json") == said.replace("run:", "a:")


def test_ids_of_judged_runs_are_not_compared():
    run = {"q": ["A", "a"], "r": ["x", "y"]}
    assert "nearly" not in doubts({"q": {"a": 1}, "r": {"z": 1}}, run)


INDICES = [("a", "1", 2), ("b", "1", 0), ("b", "2", 1)]


def test_documents_of_several_indices(tmp_path):
    ratings = [{"_index": index, "_id": id, "rating": grade} for index, id, grade in INDICES]
    requests = {"requests": [{"id": "q1", "request": {}, "ratings": ratings}]}
    qrels = gainful.read_qrels(written(tmp_path, "requests.json", json.dumps(requests)))
    assert qrels.to_dict() == {"q1": {"a/1": 2, "b/1": 0, "b/2": 1}}
    hits = [
        {"_index": index, "_id": id, "_score": 3.0 - at}
        for at, (index, id, _) in enumerate(INDICES)
    ]
    answer = {
        "metric_score": 1,
        "details": {"q1": {"hits": [{"hit": hit, "rating": None} for hit in hits]}},
    }
    for run in (
        written(tmp_path, "answer.json", json.dumps(answer)),
        written(tmp_path, "hits.jsonl", json.dumps({"query": "q1", "hits": hits})),
        [{"query": "q1", "hits": hits}],
    ):
        assert gainful.Run(run).to_dict() == {"q1": {"a/1": 3.0, "b/1": 2.0, "b/2": 1.0}}
    one = [{"query": "q1", "hits": hits[1:]}]
    assert gainful.Run(one).to_dict() == {"q1": {"1": 2.0, "2": 1.0}}
    many = [{"query": str(at), "hits": hits[1:]} for at in range(100)] + [
        {"query": "q", "hits": hits}
    ]
    with pytest.raises(FormatError, match="hits of another index"):
        gainful.Run(many)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"q1": {"a": 1, "a": 2}}'),
        ("a.json", '{"q1": {"a": 1}, "q1": {"b": 2}}'),
        ("a.json", '[{"query": "q1", "doc": "a", "grade": 1, "grade": 2}]'),
        ("a.jsonl", '{"query": "q1", "doc": "a", "grade": 1, "grade": 2}\n'),
        ("a.jsonl", '{"query": "q1", "relevant": [{"id": "a", "id": "b"}]}\n'),
        (
            "a.json",
            '{"requests": [{"id": "q", "id": "r", "ratings": [{"_id": "a", "rating": 1}]}]}',
        ),
    ],
)
def test_duplicate_keys_of_judgments(name, text, tmp_path):
    with pytest.raises((FormatError, DuplicateError)):
        gainful.read_qrels(written(tmp_path, name, text))


@pytest.mark.parametrize(
    "text",
    [
        '{"_id": "1", "text": "x", "text": "y"}\n',
        '{"1": "x", "1": "y"}',
        '[{"id": "1", "id": "2", "text": "x"}]',
    ],
)
def test_duplicate_keys_of_texts(text, tmp_path):
    from gainful.data.corpus import read_documents, read_queries
    from gainful.data.query_attributes import read_query_attribute
    from gainful.systems.queries import Queries

    path = written(tmp_path, "a.json", text)
    for read in (Queries.of, read_queries, read_documents):
        with pytest.raises(FormatError, match="twice in one object"):
            read(path)
    path = written(tmp_path, "a.jsonl", '{"query_id": "1", "kind": "x", "kind": "y"}\n')
    with pytest.raises(FormatError, match=r"line 1: .*'kind' occurs twice"):
        read_query_attribute(path)


def test_esci_in_parquet(tmp_path):
    table = need("pyarrow").table(
        {
            "example_id": [1, 2, 3],
            "query": ["soup", "soup", "bread"],
            "query_id": [7, 7, 8],
            "product_id": ["B1", "B2", "B1"],
            "product_locale": ["us"] * 3,
            "esci_label": ["E", "I", "S"],
            "small_version": [1] * 3,
            "large_version": [1] * 3,
            "split": ["test"] * 3,
        }
    )
    path = tmp_path / "esci.parquet"
    from pyarrow.parquet import write_table

    write_table(table, path)
    assert gainful.read_qrels(path).to_dict() == {"7": {"B1": 3, "B2": 0}, "8": {"B1": 2}}
    amazon = gainful.read_qrels(path, format="esci:amazon")
    assert amazon.to_dict() == {"7": {"B1": 1.0, "B2": 0.0}, "8": {"B1": 0.1}}
    assert gainful.evaluate(path, {"7": ["B1"], "8": ["B1"]}, "nDCG@5").mean() == 1.0
