"""Judgment lists of other tools are read completely."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import gainful
import judgment_list_data as data
from gainful import errors
from gainful.data.judgment_lists import listed_queries, read_judgment_list
from repeated_tests import for_each

TEXTS = list(data.JUDGMENTS)


def write(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


@for_each("kind", data.PLAIN)
@for_each("is_named", [True, False])
def test_judgments(kind: str, is_named: bool, tmp_path: Path) -> None:
    suffix, format, content = data.PLAIN[kind]
    path = write(tmp_path, f"list{suffix}", content)
    qrels = gainful.read_qrels(path, format=format if is_named else None)
    assert qrels.to_dict() == data.JUDGMENTS
    assert str(path) == qrels.source


@for_each("kind", data.PLAIN)
def test_queries(kind: str, tmp_path: Path) -> None:
    suffix, _, content = data.PLAIN[kind]
    queries = listed_queries(write(tmp_path, f"list{suffix}", content))
    assert queries is not None
    assert [(query.id, query.text) for query in queries] == [(text, text) for text in TEXTS]


@pytest.mark.parametrize("kind", data.PLAIN)
def test_evaluate_and_the_command_line_accept_a_list(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from gainful.cli import main

    suffix, format, content = data.PLAIN[kind]
    path = write(tmp_path, f"list{suffix}", content)
    run = {"lentil soup": ["r01"], "ramen, cheap": ["r07", "ä 9"]}
    expected = gainful.evaluate(data.JUDGMENTS, run, "nDCG@10").mean()
    assert gainful.evaluate(path, run, "nDCG@10").mean() == expected
    gainful.Run(run).write(tmp_path / "run.json")
    command = ["evaluate", str(path), str(tmp_path / "run.json"), "-m", "nDCG@10"]
    assert main([*command, "--qrels-format", format, "--format", "json"]) == 0
    held = json.loads(capsys.readouterr().out)["systems"]["run"]["nDCG@10"]
    assert held["mean"] == expected


def test_complete_tables_are_not_read_as_lists(tmp_path: Path) -> None:
    # The kernel reads complete tables and RankLib's text, whatever the names of their columns.
    path = write(tmp_path, "list.csv", data.QUEPID_CSV)
    assert gainful.read_qrels(path).note is None
    path = write(tmp_path, "list.txt", data.ES_LTR)
    assert gainful.read_qrels(path).to_dict() == {"1": {"r01": 4, "r02": 0}, "2": {"r07": 1}}
    assert gainful.read_qrels(path).note is None
    assert gainful.read_qrels(path) == gainful.read_qrels(path, format="es-ltr")


def test_errors_of_other_judgments_are_unchanged(tmp_path: Path) -> None:
    for name, content in {
        "empty cell": "query_id,doc_id,grade\nq1,d1,\n",
        "a word": "query_id,doc_id,grade\nq1,d1,good\n",
        "a cell too few": "qid,docno,label\nq1,d1\n",
    }.items():
        with pytest.raises(errors.FormatError, match="line 2"):
            gainful.read_qrels(write(tmp_path, f"{name}.csv", content))
    with pytest.raises(errors.ColumnError, match="fields 'name', 'queries'"):
        gainful.read_qrels(write(tmp_path, "other.json", {"name": "x", "queries": []}))


def test_compressed_lists_and_byte_order_marks(tmp_path: Path) -> None:
    packed = tmp_path / "list.json.gz"
    packed.write_bytes(gzip.compress(json.dumps(data.OPENSEARCH).encode()))
    assert gainful.read_qrels(packed).to_dict() == data.JUDGMENTS
    marked = tmp_path / "list.csv"
    marked.write_bytes(b"\xef\xbb\xbf" + f"{data.QUEPID_CSV}stew,r09,\r\n".encode())
    assert gainful.read_qrels(marked).to_dict() == data.JUDGMENTS


def test_several_lists_are_merged(tmp_path: Path) -> None:
    one = write(tmp_path, "one.csv", "query,docid,rating\nsoup,r01,3\nsoup,r02,\n")
    other = write(tmp_path, "other.csv", "query,docid,rating\nstew,r05,1\nsoup,r03,\n")
    qrels = gainful.read_qrels([one, other])
    assert qrels.to_dict() == {"soup": {"r01": 3}, "stew": {"r05": 1}}
    assert "2 of 4 rows are judgments" in (qrels.note or "")
    with pytest.raises(
        errors.FormatError, match="of the format opensearch, but .*one.csv is quepid"
    ):
        read_judgment_list([one, write(tmp_path, "x.json", data.OPENSEARCH)])


def test_every_function_accepts_a_list_as_judgments(tmp_path: Path) -> None:
    path = write(tmp_path, "list.csv", "query,docid,rating\nsoup,r01,3\nsoup,r02,0\n")
    held = read_judgment_list(path)
    assert gainful.Qrels(held) == gainful.read_qrels(path)
    assert gainful.Qrels(held).note == held.note
    run = {"soup": ["r02", "r01"]}
    assert gainful.evaluate(held, run, "RR").mean("RR") == 0.5
    with pytest.raises(errors.ArgumentError, match="subtopics: found True for a judgment list"):
        gainful.Qrels(held, subtopics=True)


# --- unjudged rows -----------------------------------------------------------------------------


UNRATED = "query,docid,rating\nsoup,r01,3\nsoup,r02,\nsoup,r03,0\nstew\nbroth,r04,\n"


def test_rows_without_a_rating_are_unjudged_and_counted(tmp_path: Path) -> None:
    path = write(tmp_path, "list.csv", UNRATED)
    held = read_judgment_list(path)
    assert gainful.Qrels(held).to_dict() == {"soup": {"r01": 3, "r03": 0}}
    assert (held.entries, held.unrated, held.repeated) == (4, 2, 0)
    assert [query.id for query in held.queries] == ["soup", "stew", "broth"]
    assert held.note == (
        f"{path}, read as quepid: 2 of 4 rows are judgments; 2 without a rating (unjudged);"
        " 2 of 3 queries without judgments."
    )
    assert gainful.read_qrels(path).note == held.note
    # Some conventions distinguish unjudged documents from irrelevant ones.
    run = {"soup": ["r02", "r01"]}
    condensed = gainful.conventions.get("gainful-1").replace(unjudged="condense")
    assert gainful.evaluate(path, run, "nDCG@10", convention=condensed).mean() == 1.0
    zero = "query,docid,rating\nsoup,r01,3\nsoup,r02,0\nsoup,r03,0\n"
    other = write(tmp_path, "zero.csv", zero)
    assert gainful.evaluate(other, run, "nDCG@10", convention=condensed).mean() < 1.0


def test_the_note_is_below_the_table(tmp_path: Path) -> None:
    path = write(tmp_path, "list.csv", UNRATED)
    # A long name of a folder wraps the note.
    shown = " ".join(str(gainful.evaluate(path, {"soup": ["r01"]}, "nDCG@10")).split())
    assert "2 of 4 rows are judgments; 2 without a rating (unjudged)" in shown
    shown = str(gainful.evaluate(data.JUDGMENTS, {"lentil soup": ["r01"]}, "nDCG@10"))
    assert "read as" not in shown


@pytest.mark.parametrize("grade", ["null", '""'])
def test_missing_ratings_in_json(grade: str, tmp_path: Path) -> None:
    text = '{"judgmentRatings": [{"query": "soup", "ratings": [{"docId": "a", "rating": %s},'
    text += ' {"docId": "b", "rating": "1"}, {"docId": "c"}]}]}'
    held = read_judgment_list(write(tmp_path, "list.json", text % grade))
    assert gainful.Qrels(held).to_dict() == {"soup": {"b": 1}}
    assert (held.entries, held.unrated) == (3, 2)


def test_a_list_without_ratings_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path, "list.csv", "query,docid,rating\nsoup,r01,\nstew\n")
    with pytest.raises(errors.FormatError, match="no ratings .2 queries."):
        gainful.read_qrels(path)
    found = listed_queries(path)
    assert found is not None
    assert [query.text for query in found] == ["soup", "stew"]


def test_equal_duplicates_are_counted_and_others_are_errors(tmp_path: Path) -> None:
    twice = {"query": "soup", "ratings": [{"docId": "a", "rating": "1"}]}
    path = write(tmp_path, "list.json", {"judgmentRatings": [twice, twice]})
    held = read_judgment_list(path)
    assert gainful.Qrels(held).to_dict() == {"soup": {"a": 1}}
    assert (held.entries, held.repeated) == (2, 1)
    assert "1 duplicate" in held.note
    other = {"query": "soup", "ratings": [{"docId": "a", "rating": "2.5"}]}
    path = write(tmp_path, "list.json", {"judgmentRatings": [twice, other]})
    words = (
        r"judgmentRatings\[1\].ratings\[0\], .*query 'soup', document 'a': .*two grades.* 1 and 2.5"
    )
    with pytest.raises(errors.DuplicateError, match=words):
        gainful.read_qrels(path)
    for policy, grade in {"first": 1, "last": 2.5, "best": 2.5}.items():
        assert gainful.read_qrels(path, duplicates=policy)["soup"]["a"] == grade


def test_a_stated_scale(tmp_path: Path) -> None:
    path = write(tmp_path, "list.json", data.OPENSEARCH)
    assert gainful.read_qrels(path, format="opensearch:scale=0-3").to_dict() == data.JUDGMENTS
    words = r"judgmentRatings\[0\].*'r01': grade 3 is outside the scale from 0 to 2"
    with pytest.raises(errors.GradeError, match=words):
        gainful.read_qrels(path, format="opensearch:scale=0-2")
    for message in ("2-1", "x", "", "0"):
        with pytest.raises(errors.ParameterError, match="the lowest and the highest grade"):
            gainful.read_qrels(path, format=f"opensearch:scale={message}")


# --- formats ------------------------------------------------------------------------------------


def test_fields_of_queries(tmp_path: Path) -> None:
    def fields(content: object) -> dict[str, object]:
        found = listed_queries(write(tmp_path, "list.json", content))
        assert found is not None
        return {query.id: dict(query.fields) for query in found}

    english = {text: {"options": {"locale": "en"}} for text in TEXTS}
    assert fields(data.QUEPID_CASE) == english
    assert fields(data.RRE_BY_DOCUMENT) == {text: {"lang": "en"} for text in TEXTS}
    assert fields(data.RANK_EVAL)["ramen, cheap"] == {"field": "title"}
    answers = {"lentil soup": {"referenceAnswer": "with cumin"}, "ramen, cheap": {}}
    assert fields(data.QUERY_SET) == answers


def test_words_of_queries_in_ranklib_text(tmp_path: Path) -> None:
    plain = {"1": ("lentil soup", {}), "2": ("ramen, cheap", {})}
    weighted = {"1": ("lentil soup", {"weight": 1.0}), "2": ("ramen, cheap", {"weight": 3.0})}
    behind = {"12": ("lentil soup", {}), "14": ("ramen, cheap", {})}
    for content, expected in (
        (data.ES_LTR, plain),
        (data.ES_LTR_WEIGHTS, weighted),
    ):
        found = listed_queries(write(tmp_path, "list.txt", content))
        assert found is not None
        assert {query.id: (query.text, query.fields) for query in found} == expected
    path = write(tmp_path, "list.txt", data.ES_LTR_QUEPID)
    found = listed_queries(path, format="es-ltr")
    assert found is not None
    assert {query.id: (query.text, query.fields) for query in found} == behind
    qrels = gainful.read_qrels(path, format="es-ltr:ids=texts")
    assert qrels.to_dict() == {"lentil soup": {"r01": 3, "r02": 0}, "ramen, cheap": {"r07": 1}}


def test_quepids_older_ranklib_text(tmp_path: Path) -> None:
    text = '3    qid:12 #    r01; "lentil soup"\n1    qid:12 #    r02; "lentil soup"\n'
    held = read_judgment_list(write(tmp_path, "list.txt", text), format="es_ltr")
    assert gainful.Qrels(held).to_dict() == {"12": {"r01": 3, "r02": 1}}
    assert held.queries[0].text == "lentil soup"


def test_titles_after_documents_are_not_queries(tmp_path: Path) -> None:
    text = "3 qid:1 # r01 Lentil soup\n1 qid:1 # r02 Tomato soup\n"
    path = write(tmp_path, "list.txt", text)
    assert read_judgment_list(path, format="es-ltr").queries[0].text is None
    with pytest.raises(
        errors.FormatError, match="query '1': the list has no text.*a file of queries"
    ):
        listed_queries(path, format="es-ltr")


def test_labels_of_esci_have_documented_grades(tmp_path: Path) -> None:
    path = write(tmp_path, "list.csv", data.ESCI)
    qrels = gainful.read_qrels(path)
    assert qrels.to_dict() == {"7": {"r01": 3, "r02": 2, "r03": 1}, "9": {"r07": 0}}
    assert "the labels have the grades E 3, S 2, C 1, I 0." in (qrels.note or "")
    assert "4 of 5 rows are judgments; 1 without a rating" in (qrels.note or "")
    amazon = gainful.read_qrels(path, format="esci:amazon").to_dict()
    assert amazon["7"] == {"r01": 1.0, "r02": 0.1, "r03": 0.01}
    own = gainful.read_qrels(path, format="esci:E=4,S=2.5,C=1,I=-1,ids=texts").to_dict()
    assert own["lentil soup"] == {"r01": 4, "r02": 2.5, "r03": 1}
    assert own["ramen, cheap"] == {"r07": -1}
    found = listed_queries(path)
    assert found is not None
    assert found[0] == ("7", "lentil soup", {"product_locale": "us"})


def test_invalid_labels_and_grades_of_esci_are_errors(tmp_path: Path) -> None:
    path = write(tmp_path, "list.csv", "query,product_id,esci_label\nsoup,r01,E\nsoup,r02,X\n")
    with pytest.raises(errors.FormatError, match="line 3, query 'soup': unknown label 'X'"):
        gainful.read_qrels(path)
    for format, words in {
        "esci:Amazon,E=x": "found 'x', expected a grade",
        "esci:mean": "expected amazon, or grades",
        "esci:E=inf": "expected a grade",
        "esci:Q=2": "found 'Q=2', expected any of ids=, scale=, E=",
        "esci:E=2,E=3": "each once",
    }.items():
        with pytest.raises(errors.ParameterError, match=words):
            gainful.read_qrels(path, format=format)


@pytest.mark.parametrize(
    ("how", "grades"),
    [
        ("mean", {"r01": 2, "r02": 5 / 3, "r03": 1.5}),
        ("median", {"r01": 3, "r02": 2, "r03": 1.5}),
        ("majority", {"r01": 3, "r02": 2, "r03": 1}),
        ("final", {"r01": 3, "r02": 1, "r03": 2}),
        ("agent_2", {"r01": 3, "r02": 2}),
    ],
)
def test_columns_of_raters(how: str, grades: dict[str, float], tmp_path: Path) -> None:
    path = write(tmp_path, "list.csv", data.RATERS)
    held = read_judgment_list(path, format=f"raters:{how}")
    assert gainful.Qrels(held).to_dict() == {"lentil soup": grades}
    assert (held.entries, held.unrated) == (4, 4 - len(grades))
    assert len(held.queries) == 2
    notes = {
        "mean": "the grade is the mean over 3 raters",
        "median": "the grade is the median over 3 raters",
        "majority": "most frequent of 3 raters; 2 documents have several most frequent grades",
        "final": "the grades are the final ones",
        "agent_2": "the grades are agent_2's",
    }
    assert notes[how] in held.note


def test_several_raters_require_an_aggregation(tmp_path: Path) -> None:
    path = write(tmp_path, "list.csv", data.RATERS)
    known = "expected one of mean, median, majority, final, agent_1, agent_2, agent_3"
    for format in (None, "raters", "raters:nobody"):
        with pytest.raises(errors.ParameterError, match=known):
            gainful.read_qrels(path, format=format)
    # Without the column of raters, their rows are duplicates.
    path = write(tmp_path, "rows.csv", data.RATER_ROWS)
    with pytest.raises(errors.ParameterError, match="one of mean, median, majority, ana, ben"):
        gainful.read_qrels(path)
    mean = gainful.read_qrels(path, format="raters:mean")
    assert mean.to_dict() == {"lentil soup": {"r01": 2, "r02": 0}}


def test_spreadsheets_with_semicolons_and_tabs(tmp_path: Path) -> None:
    plain = "query;docid;rater_1;rater_2\nlentil soup, hot;r01;3;2\nstew;r02;;1\n"
    expected = {"lentil soup, hot": {"r01": 2.5}, "stew": {"r02": 1}}
    for name, content in {"a.csv": plain, "b.tsv": plain.replace(";", "\t")}.items():
        path = write(tmp_path, name, content)
        assert gainful.read_qrels(path, format="raters:mean").to_dict() == expected


def test_books_of_quepid(tmp_path: Path) -> None:
    held = read_judgment_list(write(tmp_path, "book.json", data.BOOK), format="raters:mean")
    assert gainful.Qrels(held).to_dict() == {"lentil soup": {"r01": 2}}
    assert (held.entries, held.unrated) == (2, 1)
    assert gainful.read_qrels(
        tmp_path / "book.json", format="raters:ben@example.com"
    ).to_dict() == {"lentil soup": {"r01": 1}}


def test_columns_are_named_where_one_lacks(tmp_path: Path) -> None:
    path = write(tmp_path, "book.csv", "query,place\nsoup,d1\n")
    with pytest.raises(errors.ColumnError, match="found the columns query, place, expected a col"):
        gainful.read_qrels(path, format="quepid")


def test_query_sets_have_no_judgments(tmp_path: Path) -> None:
    path = write(tmp_path, "set.json", data.QUERY_SET)
    found = listed_queries(path)
    assert found is not None
    assert [query.text for query in found] == TEXTS
    with pytest.raises(errors.FormatError, match="no ratings .2 queries."):
        gainful.read_qrels(path)


def test_other_files_are_not_lists(tmp_path: Path) -> None:
    gainful.Qrels(data.JUDGMENTS).write(tmp_path / "qrels.json")
    gainful.Qrels({"q1": {"d1": 1}}).write(tmp_path / "qrels.txt")
    gainful.Qrels({"q1": {"d1": 1}}).write(tmp_path / "qrels.csv")
    write(tmp_path, "queries.jsonl", '{"_id": "q1", "text": "soup"}\n')
    for name in ("qrels.json", "qrels.txt", "qrels.csv", "queries.jsonl"):
        assert listed_queries(tmp_path / name) is None, name
    assert listed_queries(tmp_path) is None


def test_other_commands_report_skipped_rows_on_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from gainful.cli import main

    path = write(tmp_path, "list.csv", UNRATED)
    for name, ranking in {"a": ["r01", "r03"], "b": ["r03", "r01"]}.items():
        gainful.Run({"soup": ranking}).write(tmp_path / f"{name}.json")
    runs = [str(tmp_path / "a.json"), str(tmp_path / "b.json")]
    note = "2 without a rating (unjudged)"
    assert main(["explain", str(path), runs[0], "--query", "soup"]) == 0
    assert note in capsys.readouterr().err
    # The table of an evaluation contains this note.
    assert main(["evaluate", str(path), *runs]) == 0
    shown = capsys.readouterr()
    assert (note in shown.out, note in shown.err) == (True, False)
    assert main(["evaluate", str(path), *runs, "--format", "tsv"]) == 0
    shown = capsys.readouterr()
    assert (note in shown.out, note in shown.err) == (False, True)


def test_a_list_from_the_standard_input() -> None:
    from gainful_program import gainful as program

    content = json.dumps(data.OPENSEARCH).encode()
    done = program("convert", "-", "-", "--from", "opensearch", "--to", "quepid", input=content)
    assert (done.returncode, done.stdout.decode()) == (0, data.QUEPID_CSV)
    assert done.stderr == b"standard input, read as opensearch: 4 judgments.\n"


def test_very_large_files_are_not_read_as_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gainful.data.judgment_lists import reading

    path = write(tmp_path, "list.csv", UNRATED)
    monkeypatch.setattr(reading, "_LARGEST", 10)
    with pytest.raises(errors.FormatError, match="line 3"):
        gainful.read_qrels(path)
    assert len(gainful.read_qrels(path, format="quepid")) == 1
