"""Judgments are written as lists of other tools, and read back unchanged."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gainful
import judgment_list_data as data
from gainful import errors
from gainful.cli import main
from gainful.data.convert import convert
from gainful.data.judgment_lists import listed_queries, read_judgment_list, write_query_set
from repeated_tests import for_each

QRELS = gainful.Qrels(data.JUDGMENTS)
WRITTEN = {
    "quepid": "list.csv",
    "quepid as JSON": "list.json",
    "rre:index=recipes": "rre.json",
    "rank_eval:index=recipes,field=title": "body.json",
    "rank_eval:index=recipes": "body.json",
    "opensearch": "judgments.json",
    "esci": "esci.csv",
}


@for_each("how", WRITTEN)
@for_each("packed", ["", ".gz", ".xz"])
def test_written_lists_are_read_back(how: str, packed: str, tmp_path: Path) -> None:
    path, format = tmp_path / (WRITTEN[how] + packed), how.removesuffix(" as JSON")
    QRELS.write(path, format=format)
    # Labels represent grades, and the text of a query without an id is its id.
    assert gainful.read_qrels(path) == QRELS
    held = read_judgment_list(path, format=format)
    assert (held.entries, held.unrated, held.repeated) == (4, 0, 0)
    found = listed_queries(path)
    assert found is not None
    assert [query.text for query in found] == list(data.JUDGMENTS)


TEXT = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\n\t\0", exclude_categories=("Cs",)),
    min_size=1,
    max_size=8,
).filter(str.strip)
GRADED = st.dictionaries(TEXT, st.integers(-3, 4), min_size=1, max_size=3)


@given(judgments=st.dictionaries(TEXT, GRADED, min_size=1, max_size=3))
def test_any_ids_and_texts(
    judgments: dict[str, dict[str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("lists", numbered=True)
    qrels = gainful.Qrels(judgments)
    for how, name in WRITTEN.items():
        format = how.removesuffix(" as JSON")
        if format == "esci":
            continue
        qrels.write(folder / name, format=format)
        assert gainful.read_qrels(folder / name, format=format).to_dict() == judgments


@pytest.mark.parametrize("ids", [("1", "2", "10", "x"), ("a b", "007"), ("٣", "3")])
def test_ranklib_text_refuses_ids_some_of_which_are_numbers(
    ids: tuple[str, ...], tmp_path: Path
) -> None:
    qrels = gainful.Qrels({id: {"d": 1} for id in ids})
    with pytest.raises(errors.FormatError, match="either all ids of queries are numbers, or none"):
        qrels.write(tmp_path / "list.txt", format="es_ltr")
    assert not list(tmp_path.iterdir())
    numbers = [id for id in ids if id.isascii() and id.isdigit()]
    qrels.select(numbers).write(tmp_path / "list.txt", format="es_ltr")
    assert list(gainful.read_qrels(tmp_path / "list.txt")) == numbers


def test_ranklib_text_numbers_the_queries(tmp_path: Path) -> None:
    qrels = gainful.Qrels({"lentil soup": {"r01": 3, "r02": 0}, "ramen, cheap": {"r07": 1.5}})
    qrels.write(tmp_path / "list.txt", format="es-ltr")
    assert (tmp_path / "list.txt").read_text() == (
        "# qid:1: lentil soup\n# qid:2: ramen, cheap\n\n3\tqid:1\t# r01\tlentil soup\n"
        "0\tqid:1\t# r02\tlentil soup\n1.5\tqid:2\t# r07\tramen, cheap\n"
    )
    back = gainful.read_qrels(tmp_path / "list.txt")
    assert back.to_dict() == {"1": {"r01": 3, "r02": 0}, "2": {"r07": 1.5}}
    again = gainful.read_qrels(tmp_path / "list.txt", format="es-ltr:ids=texts")
    assert again == qrels
    # Words that end like a weight.
    gainful.Qrels({"4*4": {"r01": 1}}).write(tmp_path / "w.txt", "es-ltr")
    assert gainful.read_qrels(tmp_path / "w.txt", format="es-ltr:ids=texts")["4*4"] == {"r01": 1}
    # Numeric ids are kept.
    gainful.Qrels({"12": {"r01": 1}}).write(tmp_path / "n.txt", "es-ltr", queries={"12": "soup"})
    assert (tmp_path / "n.txt").read_text() == "# qid:12: soup\n\n1\tqid:12\t# r01\tsoup\n"


def test_requirements_of_the_tools(tmp_path: Path) -> None:
    QRELS.write(tmp_path / "body.json", format="rank_eval:index=recipes,field=title")
    body = json.loads((tmp_path / "body.json").read_text())
    assert body["metric"] == {"dcg": {"k": 10, "normalize": True}}
    assert body["requests"][0] == {
        "id": "lentil soup",
        "request": {"query": {"match": {"title": "lentil soup"}}},
        "ratings": [
            {"_index": "recipes", "_id": "r01", "rating": 3},
            {"_index": "recipes", "_id": "r02", "rating": 0},
        ],
    }
    QRELS.write(tmp_path / "o.json", format="opensearch:name=Kitchen,description=Of people")
    value = json.loads((tmp_path / "o.json").read_text())
    assert (value["name"], value["description"]) == ("Kitchen", "Of people")
    assert value["type"] == "IMPORT_JUDGMENT"
    # The workbench accepts only ratings as text.
    assert value["judgmentRatings"][0]["ratings"][0] == {"docId": "r01", "rating": "3.0"}
    QRELS.write(tmp_path / "rre.json", format="rre:index=recipes,id_field=sku")
    value = json.loads((tmp_path / "rre.json").read_text())
    assert (value["index"], value["id_field"]) == ("recipes", "sku")
    group = value["topics"][0]["query_groups"][1]
    assert group["queries"][0]["placeholders"] == {"$query": "ramen, cheap"}
    assert group["relevant_documents"] == {"2": ["ä 9"], "1": ["r07"]}
    QRELS.write(tmp_path / "e.csv", format="esci", queries={"lentil soup": "soup of lentils"})
    with open(tmp_path / "e.csv", newline="", encoding="utf-8") as file:
        assert next(csv.DictReader(file)) == {
            "query_id": "lentil soup",
            "query": "soup of lentils",
            "product_id": "r01",
            "esci_label": "E",
        }
    write_query_set({"q1": "soup", "q2": "soup", "q3": "stew"}, tmp_path / "set.json", name="Mine")
    value = json.loads((tmp_path / "set.json").read_text())
    assert value["name"] == "Mine"
    assert value["querySetQueries"] == [{"queryText": "soup"}, {"queryText": "stew"}]


@for_each(
    ("format", "judgments", "words"),
    [
        (
            "rre:index=i",
            {"q": {"d": 1.5}},
            "query 'q', document 'd': rre cannot contain fractions such as 1.5",
        ),
        ("rank_eval:index=i", {"q": {"d": 0.5}}, "rank_eval cannot contain fractions such as 0.5"),
        ("rank_eval", {"q": {"d": 1}}, "index is missing. Hint: .* rank_eval:index=NAME"),
        ("rre", {"q": {"d": 1}}, "index is missing"),
        ("esci", {"q": {"d": 4}}, "no label has the grade 4 .E 3, S 2, C 1, I 0."),
        ("es-ltr", {"q": {"a b": 1}}, "cannot contain 'a b': .* ids without white space"),
        ("es-ltr", {"a\nb": {"d": 1}}, "texts need to be one line"),
        ("raters", {"q": {"d": 1}}, "can be read, but not written"),
        ("opensearch:title=x", {"q": {"d": 1}}, "found 'title=x', expected any of"),
    ],
)
def test_unrepresentable_judgments_are_errors(
    format: str, judgments: dict[str, dict[str, float]], words: str, tmp_path: Path
) -> None:
    target = tmp_path / "out"
    target.write_text("before")
    with pytest.raises(errors.GainfulError, match=words):
        gainful.Qrels(judgments).write(target, format=format)
    assert target.read_text() == "before"


def test_two_queries_with_one_text(tmp_path: Path) -> None:
    qrels = gainful.Qrels({"q1": {"d": 1}, "q2": {"d": 0}})
    words = "queries 'q1' and 'q2' have the same text, 'soup'"
    with pytest.raises(errors.DuplicateError, match=words):
        qrels.write(tmp_path / "o.csv", "quepid", queries={"q1": "soup", "q2": "soup"})


def test_subtopics_in_a_list_are_errors(tmp_path: Path) -> None:
    qrels = gainful.Qrels([("q1", "1", "d1", 1), ("q1", "2", "d1", 0)], subtopics=True)
    with pytest.raises(errors.ParameterError, match="cannot contain judgments of subtopics"):
        qrels.write(tmp_path / "o.csv", "quepid")


# --- convert ------------------------------------------------------------------------------------


def test_convert_writes_query_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "list.txt", tmp_path / "list.csv"
    source.write_text(data.ES_LTR)
    assert main(["convert", str(source), str(target), "--to", "quepid"]) == 0
    assert target.read_text() == (
        'query,docid,rating\nlentil soup,r01,4\nlentil soup,r02,0\n"ramen, cheap",r07,1\n'
    )
    assert capsys.readouterr().err == ""


def test_a_reader_that_exits_causes_no_message(tmp_path: Path) -> None:
    import subprocess

    from gainful_program import COMMAND

    many = {f"q{i}": {f"d{j}": 1 for j in range(200)} for i in range(300)}
    gainful.Qrels(many).write(tmp_path / "q.txt")
    words = [*COMMAND, "convert", str(tmp_path / "q.txt"), "-", "--to", "quepid"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        assert program.stdout.readline() == b"query,docid,rating\n"
        program.stdout.close()
        assert program.stderr.read() == b""
    assert program.returncode == 141


def test_convert_reports_omitted_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "list.csv", tmp_path / "body.json"
    source.write_text("query,docid,rating\nsoup,r01,3\nsoup,r02,\n")
    assert main(["convert", str(source), str(target), "--to", "rank_eval:index=x"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        f"{source}, read as quepid: 1 of 2 rows is a judgment; 1 without a rating (unjudged).\n"
    )
    assert gainful.read_qrels(target).to_dict() == {"soup": {"r01": 3}}


def test_convert_with_texts_from_another_file(tmp_path: Path) -> None:
    gainful.Qrels({"q1": {"r01": 3}, "q2": {"r07": 1}}).write(tmp_path / "qrels.txt")
    queries = tmp_path / "queries.tsv"
    queries.write_text("q1\tlentil soup\nq2\tramen\n")
    source, target = str(tmp_path / "qrels.txt"), tmp_path / "list.json"
    command = ["convert", source, str(target), "--to", "opensearch", "--queries", str(queries)]
    assert main(command) == 0
    assert gainful.read_qrels(target).to_dict() == {"lentil soup": {"r01": 3}, "ramen": {"r07": 1}}


def test_convert_between_raters_and_trec(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(data.RATERS.replace("lentil soup", "q1"))
    convert(tmp_path / "r.csv", tmp_path / "q.txt", read_as="raters:median", write_as="trec")
    assert (tmp_path / "q.txt").read_text() == "q1 0 r01 3\nq1 0 r02 2\nq1 0 r03 1.5\n"


def test_convert_rejects_contradictory_options(tmp_path: Path) -> None:
    gainful.Qrels({"q1": {"r01": 3}}).write(tmp_path / "q.txt")
    with pytest.raises(errors.ParameterError, match="query texts need the format"):
        convert(tmp_path / "q.txt", tmp_path / "o.json", queries=tmp_path / "queries.tsv")
    with pytest.raises(errors.ParameterError, match="judgment lists keep their ids"):
        convert(tmp_path / "q.txt", tmp_path / "o", write_as="quepid", ids=tmp_path / "ids.tsv")
    gainful.Run({"q1": {"r01": 3}}).write(tmp_path / "a.run")
    with pytest.raises(errors.ParameterError, match="the format 'quepid'"):
        convert(tmp_path / "a.run", tmp_path / "o", kind="run", write_as="quepid")


def test_the_standard_output(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    QRELS.write(tmp_path / "q.json")
    source = str(tmp_path / "q.json")
    assert main(["convert", source, "-", "--kind", "qrels", "--to", "quepid"]) == 0
    assert capfdbinary.readouterr().out.decode() == data.QUEPID_CSV
