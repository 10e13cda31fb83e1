"""All readers of a judgment list agree: judgments, queries, and written lists.

A table that the kernel rejects must not be accepted by a less strict reader.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gainful
from gainful.data.convert import convert
from gainful.data.judgment_lists import read_judgment_list, write_query_set
from gainful.errors import (
    ArgumentError,
    FormatError,
    GainfulError,
    GradeError,
    MatchError,
    ParameterError,
)
from gainful.systems import Queries
from repeated_tests import for_each

pytestmark = pytest.mark.usefixtures("here")

COMPLETE = "query,docid,rating\n soup ,r1,3\nsoup,r2,1\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the test's folder the current one."""
    monkeypatch.chdir(tmp_path)


def write(name: str, content: str | bytes) -> str:
    raw = content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
    Path(name).write_bytes(raw)
    return name


@pytest.mark.parametrize(
    ("name", "content"),
    {
        "spaces around the text": ("list.csv", COMPLETE),
        "and a row without a rating": ("list.csv", COMPLETE + "soup,r3,\n"),
        "bytes that are no UTF-8": ("list.csv", b"query,docid,rating\nk\xe4se,r1,3\n"),
        "semicolons": ("list.csv", "query;docid;rating\nlentil, red;r1;3\n"),
        "semicolons and quotes": ("list", '"query";"docid";"rating"\n"a; b";"r1";"3"\n'),
        "tabs in a file called CSV": (
            "list.csv",
            "query\tdocid\trating\nsoup\tr1\t3\nsoup\tr2\t\n",
        ),
        "JSON lines": (
            "list.jsonl",
            '{"query": "soup", "docid": "r1", "rating": 3}\n'
            '{"query": "soup", "docid": "r2", "rating": 1}\n',
        ),
        "JSON lines without a rating": (
            "list.jsonl",
            '{"query": 7, "docid": 1, "rating": 3}\n{"query": 7, "docid": 2, "rating": null}\n',
        ),
        "a list in JSON": (
            "list.json",
            '[{"query": "soup", "docid": "r1", "rating": 3},'
            ' {"query": "soup", "docid": "r2", "rating": 1}]',
        ),
    }.items(),
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_queries_of_a_list_have_the_ids_of_its_judgments(
    name: str, content: tuple[str, str]
) -> None:
    path = write(*content)
    assert {query.id for query in Queries.of(path)} == set(gainful.read_qrels(path)), name


def test_query_texts_are_unchanged() -> None:
    queries = Queries.of(write("list.csv", COMPLETE))
    assert [(query.id, query.text) for query in queries] == [(" soup ", "soup"), ("soup", "soup")]


@for_each(
    ("content", "found"),
    [
        # Otherwise the quote turns the next rows into the text of a query without judgments.
        (
            'query,docid,rating\nsoup,r1,3\n"stew,r2,1\nramen,r3,2\n',
            "line 3: the quote that begins here",
        ),
        ("query,docid,rating,rating\nsoup,r1,3,1\n", "several columns are named 'rating'"),
        ("query,docid,rating,Rating\nsoup,r1,3,1\nsoup,r2,,\n", "expected one grade"),
        ("query,query,docid,rating\na,b,r1,3\na,b,r2,\n", "several columns are named 'query'"),
        ("query,docid,rating\nsoup,r1,３\n", "found '３', expected a grade"),
        ('{"query":"a","docid":1,"rating":NaN}\n{"query":"a","docid":2,"rating":1}\n', "NaN"),
        (
            '{"query":"a","docid":1,"rating":""}\n{"query":"a","docid":2,"docid":3,"rating":1}\n',
            "line 2: the key 'docid' occurs twice",
        ),
        (
            '{"query":"a","docid":1,"rating":""}\n{"query":["a"],"docid":2,"rating":1}\n',
            r"line 2: query \['a'\] is neither text",
        ),
    ],
)
@for_each("format", [None, "quepid"])
def test_rows_that_the_kernel_rejects_are_errors_in_lists(
    content: str, found: str, format: str | None
) -> None:
    path = write("list.jsonl" if content[0] == "{" else "list.csv", content)
    with pytest.raises(GainfulError, match=found if format else None):
        gainful.read_qrels(path, format=format)


def test_other_columns_can_be_duplicates() -> None:
    path = write("list.csv", "query,docid,rating,note,note\nsoup,r1,3,a,b\nsoup,r2,,,\n")
    assert gainful.read_qrels(path).to_dict() == {"soup": {"r1": 3}}


def test_two_raters_of_one_name_are_an_error() -> None:
    path = write("list.csv", "query,docid,rater_1,rater_2,rater_2\nsoup,r1,3,2,0\n")
    with pytest.raises(GainfulError, match="several columns called 'rater_2'"):
        gainful.read_qrels(path, format="raters:mean")


@pytest.mark.parametrize("content", ["query,docid,rating\nsoup,r1,3\n", "q1\tsoup\n", "soup\n"])
def test_utf_16_is_an_error_that_names_it(content: str) -> None:
    path = write("list.csv", content.encode("utf-16"))
    for read in (Queries.of, read_judgment_list, gainful.data.corpus.read_documents):
        with pytest.raises(FormatError, match=r"list.csv, line 1: UTF-16 is not supported"):
            read(path)


@pytest.mark.parametrize("query", [0, "0"])
def test_zero_is_an_id(query: object) -> None:
    line = '{"query_id": %s, "query": "soup", "product_id": 0, "esci_label": "E"}\n'
    path = write("list.jsonl", (line % (query if query == 0 else '"0"')) * 2)
    assert gainful.read_qrels(path).to_dict() == {"0": {"0": 3}}


@pytest.mark.parametrize(
    "content", ["text,docid,rating\nsoup,r1,3\n", "_id,docid,rating\na,r1,3\n"]
)
def test_judgments_without_texts_are_errors(content: str) -> None:
    with pytest.raises(
        FormatError,
        match=r"list.csv: no texts of queries, but judgments with the columns \w+, docid",
    ):
        Queries.of(write("list.csv", content))


@for_each("format", ["quepid", "esci", "opensearch", "rre:index=shop"])
@for_each("odd", ["a\rb", "a\nb", 'a"b', "a,b", " a ", "a;b", "a\x85b", "=a", "k\udce4"])
def test_written_lists_are_read_back(format: str, odd: str) -> None:
    qrels = gainful.Qrels({odd: {odd: 3, "b": 0}, "other": {"c": 1}})
    path = "list.csv" if format in ("quepid", "esci") else "list.json"
    qrels.write(path, format=format)
    assert gainful.read_qrels(path) == qrels
    if "\udce4" not in odd:
        assert {query.id for query in Queries.of(path)} == set(qrels)


@pytest.mark.parametrize("document", [" a ", "a ", "a\rb", "a\x0c"])
def test_ranklib_rejects_white_space_in_documents(document: str) -> None:
    with pytest.raises(FormatError, match="ids without white space"):
        gainful.Qrels({"q": {document: 1}}).write("list.txt", format="es-ltr")


def test_semicolons_are_separators_only_after_every_document() -> None:
    qrels = gainful.Qrels({"1": {"a;": 3, "b": 0}})
    qrels.write("list.txt", format="es-ltr", queries={"1": '"red" soup'})
    assert gainful.read_qrels("list.txt", format="es-ltr") == qrels


def test_queries_are_looked_up_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look-up scans all grades, so single look-ups in a million rows would take minutes."""
    qrels = gainful.Qrels({"a": {"r1": 3, "r2": 0.5}, "b": {"r1": 1}})
    expected = [(query, dict(qrels[query])) for query in qrels]

    def looked_up(self: gainful.Qrels, query: object) -> None:
        raise AssertionError(query)

    monkeypatch.setattr(gainful.Qrels, "__getitem__", looked_up)
    assert [(query, dict(grades)) for query, grades in qrels.items()] == expected
    qrels.write("list.json", format="opensearch")
    gainful.headroom(qrels, {"x": {"a": {"r1": 1.0}}})


def test_a_query_set_is_not_one_text() -> None:
    with pytest.raises(ArgumentError, match="a single text"):
        write_query_set("soup", "set.json")


@pytest.mark.parametrize("word", ["mean", "Mean", "rater_1"])
def test_a_scale_applies_to_each_rater(word: str) -> None:
    path = write("list.csv", "query,docid,rater_1,rater_2,rater_3\nsoup,r1,0,0,9\n")
    with pytest.raises(GradeError, match=r"line 2, .*: grade 9 is outside the scale from 0 to 3"):
        gainful.read_qrels(path, format=f"raters:{word},scale=0-3")


def test_skipped_rows_are_reported_with_mapped_ids() -> None:
    path = write("list.csv", "query,docid,rating\nred soup,r1,3\nred soup,r2,\n")
    table = convert(path, "out.qrels", write_as="trec", ids="map.tsv")
    assert isinstance(table, gainful.Qrels)
    assert table.note is not None
    assert "1 of 2 rows is a judgment" in table.note


def test_texts_of_other_queries_are_errors() -> None:
    write("qrels.txt", "1 0 r1 3\n")
    write("queries.tsv", "query_id\ttext\nq1\tsoup\n")
    with pytest.raises(MatchError, match="no text for any of the 1 judged queries"):
        convert("qrels.txt", "out.csv", write_as="quepid", queries="queries.tsv")
    assert not Path("out.csv").exists()


def test_an_unknown_format_is_named() -> None:
    path = write("list.csv", "query,docid,rating\nsoup,r1,3\n")
    with pytest.raises(ParameterError, match="unknown format 'quepidd', expected one of .*quepid"):
        convert(path, "out.tsv", read_as="quepidd")


@pytest.mark.parametrize(
    ("content", "grades"),
    [
        (
            {
                "requests": [
                    {
                        "id": "a",
                        "template_id": "t",
                        "params": {"q": "soup"},
                        "ratings": [{"_index": "i", "_id": "r1", "rating": 3}],
                    }
                ],
                "templates": [{"id": "t", "template": {}}],
            },
            {"a": {"r1": 3}},
        ),
        (
            {"queries": [{"id": 4, "query": "soup", "ratings": {"r1": 3}}]},
            {"soup": {"r1": 3}},
        ),
        (
            {
                "judgmentRatings": [
                    {"id": 4, "query": "soup", "ratings": [{"docId": "r1", "rating": "3"}]}
                ]
            },
            {"soup": {"r1": 3}},
        ),
        (
            {
                "hits": {
                    "hits": [
                        {
                            "_id": 4,
                            "_source": {
                                "judgmentRatings": [
                                    {"query": "soup", "ratings": [{"docId": "r1", "rating": "3"}]}
                                ]
                            },
                        }
                    ]
                }
            },
            {"soup": {"r1": 3}},
        ),
        # Files that are not lists are read as before.
        ({"queries": {"r1": 3}, "hits": ["r2"]}, {"queries": {"r1": 3}, "hits": {"r2": 1}}),
        ({"requests": [{"id": "r1"}]}, {"requests": {"r1": 1}}),
    ],
)
def test_a_list_is_not_a_run(content: dict[str, object], grades: dict[str, object]) -> None:
    assert gainful.read_qrels(write("list.json", json.dumps(content))).to_dict() == grades


def test_one_rater_needs_no_combination_but_two_do() -> None:
    labels = [{"rating": 2, "user_email": "a"}, {"rating": 1, "user_email": "b"}]
    pair = {"query_text": "soup", "doc_id": "r1", "judgements": labels}
    path = write("book.json", json.dumps({"query_doc_pairs": [pair]}))
    assert gainful.read_qrels(path, format="raters:mean").to_dict() == {"soup": {"r1": 1.5}}
    with pytest.raises(ParameterError, match="the grades of several raters"):
        gainful.read_qrels(path)
    labels.pop()
    qrels = gainful.read_qrels(write("book.json", json.dumps({"query_doc_pairs": [pair]})))
    assert qrels.to_dict() == {"soup": {"r1": 2}}
    assert "the grades are a's" in str(qrels.note)
