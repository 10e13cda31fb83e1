"""Read labels and their raters from any supported input."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path

import pytest

import gainful
from gainful.demo import annotations_path, annotator_grades
from gainful.errors import (
    ArgumentError,
    ColumnError,
    DuplicateError,
    FormatError,
    ParameterError,
    SourceNotFoundError,
)
from gainful.judging import Source
from requirements import need

ROWS = [
    ("q1", "d1", "ana", 3),
    ("q1", "d2", "ana", 0),
    ("q1", "d1", "ben", 2),
    ("q2", "d1", "ben", 1),
]
NAMES = ("query_id", "doc_id", "rater", "grade")
ANA = {"q1": {"d1": 3, "d2": 0}}
BEN = {"q1": {"d1": 2}, "q2": {"d1": 1}}

LONG = "query_id,doc_id,annotator,grade\nq1,d1,ana,3\nq1,d2,ana,0\nq1,d1,ben,2\nq2,d1,ben,1\n"
WIDE = "query,docid,ana_rating,ben_rating\nq1,d1,3,2\nq1,d2,0,\nq2,d1,,1\n"
LINES = (
    '{"qid": "q1", "docno": "d1", "judge": "ana", "label": 3}\n'
    '{"qid": "q1", "docno": "d2", "judge": "ana", "label": 0}\n'
    '{"qid": "q1", "docno": "d1", "judge": "ben", "label": 2}\n'
    '{"qid": "q2", "docno": "d1", "judge": "ben", "label": 1.0}\n'
)


def labels_of(ratings: gainful.Ratings) -> dict[str, object]:
    return {rater.name: ratings.of(rater.name).to_dict() for rater in ratings.raters}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("long.csv", LONG),
        ("long.tsv", LONG.replace(",", "\t")),
        ("windows.csv", "\ufeff" + LONG.replace("\n", "\r\n") + "\r\n"),
        ("semicolons.csv", LONG.replace(",", ";")),
        ("names.csv", LONG.replace("annotator", "RatedBy").replace("doc_id", "Document ID")),
        ("wide.csv", WIDE),
        ("wide.tsv", WIDE.replace(",", "\t")),
        ("behind.csv", WIDE.replace("ana_rating,ben_rating", "Grade ana,grade-ben")),
        ("lines.jsonl", LINES),
        ("quoted.csv", LONG.replace("d1,", '"d1",')),
    ],
)
def test_a_table_with_raters(name: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode())
    ratings = gainful.read_ratings(path)
    assert labels_of(ratings) == {"ana": ANA, "ben": BEN}
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(content.encode()))
    assert labels_of(gainful.read_ratings(packed)) == labels_of(ratings)


@pytest.mark.parametrize(
    "header", ["rater,rater", "Rater ID,rater_id", "rating_ana,ana_rating", "rater_1,rater_1"]
)
def test_two_columns_of_one_name_are_refused(header: str, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(f"query,docid,{header},grade\nq1,d1,1,2,3\n")
    with pytest.raises(ColumnError, match=r"labels\.csv: several columns called '"):
        gainful.read_ratings(path)


def test_numbered_raters_are_columns(tmp_path: Path) -> None:
    path = tmp_path / "crowd.csv"
    path.write_text("query,product_id,rater_1,rater_2,rater_3,gold\nq,d,1,2,3,2\n")
    ratings = gainful.read_ratings(path)
    assert [rater.name for rater in ratings.raters] == ["rater_1", "rater_2", "rater_3"]
    assert ratings.final == "gold"
    assert dict(ratings.grades("gold")) == {("q", "d"): 2.0}


def test_a_plain_grade_next_to_several_raters_is_final(tmp_path: Path) -> None:
    path = tmp_path / "both.csv"
    path.write_text("query_id,doc_id,rating_ana,rating_ben,grade\nq,d,1,2,2\n")
    ratings = gainful.read_ratings(path)
    assert [rater.name for rater in ratings.raters] == ["ana", "ben"]
    assert ratings.final == "grade"


def test_an_empty_column_of_final_grades(tmp_path: Path) -> None:
    path = tmp_path / "labels.tsv"
    path.write_text("query\tdocid\trater_1\trater_2\tfinal_rating\nq1\td1\t3\t2\t\n")
    ratings = gainful.read_ratings(path)
    assert ratings.final is None
    assert "rater_2" in str(gainful.assess_judgments(ratings))
    with pytest.raises(
        FormatError, match="found no grade in 'final_rating', expected final grades"
    ):
        gainful.read_ratings(path, final="final_rating")


def test_files_of_one_rater_each(tmp_path: Path) -> None:
    (tmp_path / "ana.txt").write_text("q1 0 d1 3\nq1 0 d2 0\n")
    (tmp_path / "ben.json").write_text('{"q1": {"d1": 2}, "q2": {"d1": 1}}')
    (tmp_path / "ben.csv").write_text("query_id,doc_id,grade\nq1,d1,2\nq2,d1,1\n")
    for second in ("ben.json", "ben.csv"):
        ratings = gainful.read_ratings([tmp_path / "ana.txt", tmp_path / second])
        assert labels_of(ratings) == {"ana": ANA, "ben": BEN}
    named = gainful.Ratings({"first": tmp_path / "ana.txt", "second": BEN})
    assert labels_of(named) == {"first": ANA, "second": BEN}


def test_batches_of_one_rater_are_combined(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query_id,doc_id,rater,grade\nq1,d1,ana,3\n")
    (tmp_path / "b.csv").write_text("query_id,doc_id,rater,grade\nq1,d2,ana,0\n")
    ratings = gainful.read_ratings([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert labels_of(ratings) == {"ana": ANA}


def test_rows_in_memory() -> None:
    assert labels_of(gainful.Ratings(ROWS)) == {"ana": ANA, "ben": BEN}
    named = [dict(zip(("query", "doc", "rater", "rel"), row, strict=True)) for row in ROWS]
    assert labels_of(gainful.Ratings(named)) == {"ana": ANA, "ben": BEN}


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_data_frames(library: str) -> None:
    frames = need(library)
    columns = dict(
        zip(
            ("query_id", "doc_id", "rater", "grade"),
            map(list, zip(*ROWS, strict=True)),
            strict=True,
        )
    )
    frame = frames.table(columns) if library == "pyarrow" else frames.DataFrame(columns)
    assert labels_of(gainful.Ratings(frame)) == {"ana": ANA, "ben": BEN}
    wide = {"query_id": ["q1", "q1"], "doc_id": [7, 8], "grade_ana": [3, 1], "grade_ben": [None, 2]}
    frame = frames.table(wide) if library == "pyarrow" else frames.DataFrame(wide)
    found = gainful.Ratings(frame)
    assert labels_of(found) == {"ana": {"q1": {"7": 3, "8": 1}}, "ben": {"q1": {"8": 2}}}
    assert found.blank == 1


def test_the_second_column_of_trec_may_be_the_rater(tmp_path: Path) -> None:
    path = tmp_path / "qrels_jg.txt"
    path.write_text("q1 ana d1 3\nq1 ana d2 0\nq1 ben d1 2\nq2 ben d1 1\n")
    assert labels_of(gainful.read_ratings(path, groups=True)) == {"ana": ANA, "ben": BEN}


# --- raters and sources ---------------------------------------------------------------------------


def test_columns_of_sources(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(
        "query_id,doc_id,rater,source,model,version,grade\n"
        "q1,d1,ana,Person,,,3\n"
        "q1,d1,,llm,gpt-4o,2024-08-06,2\n"
        "q1,d2,,llm,gpt-4o,2024-11-20,1\n"
        "q1,d3,,clicks,log,,1\n"
    )
    ratings = gainful.read_ratings(path)
    assert {rater.name: rater.source for rater in ratings.raters} == {
        "ana": Source("human"),
        "gpt-4o@2024-08-06": Source("model", "gpt-4o", "2024-08-06"),
        "gpt-4o@2024-11-20": Source("model", "gpt-4o", "2024-11-20"),
        "log": Source("clicks", "log"),
    }


def test_one_name_with_two_versions_is_two_raters(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(
        '{"qid": "q", "doc": "d", "rater": "judge", "model": "m", "version": "1", "grade": 1}\n'
        '{"qid": "q", "doc": "d", "rater": "judge", "model": "m", "version": "2", "grade": 2}\n'
    )
    names = [rater.name for rater in gainful.read_ratings(path).raters]
    assert names == ["judge (model m, 1)", "judge (model m, 2)"]


def test_a_key_of_later_lines_only_is_read(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(
        '{"query_id": "q", "doc_id": "d", "rater": "ana", "grade": 1}\n'
        '{"query_id": "q", "doc_id": "d", "model": "m", "grade": 2}\n'
    )
    names = [rater.name for rater in gainful.read_ratings(path).raters]
    assert names == ["ana", "m"]


def test_a_source_in_one_word(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("query_id,doc_id,source,grade\nq,d,model:m@3,1\nq,d,human,2\n")
    sources = [rater.source for rater in gainful.read_ratings(path).raters]
    assert sources == [Source("model", "m", "3"), Source("human")]


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("human", Source("human")),
        ("Crowd", Source("human")),
        ("click-log", Source("clicks")),
        ("model:umbrela", Source("model", "umbrela")),
        ("model:vendor/name:tag@v1", Source("model", "vendor/name:tag", "v1")),
        ("model:@vendor/name", Source("model", "@vendor/name")),
        ("oracle", Source("oracle")),
    ],
)
def test_sources_as_text(text: str, source: Source) -> None:
    assert Source.parse(text) == source


@pytest.mark.parametrize("text", ["", ":m", "model:", " "])
def test_half_a_source_is_rejected(text: str) -> None:
    with pytest.raises(ParameterError, match="KIND"):
        Source.parse(text)


def test_the_caller_gives_sources() -> None:
    ratings = gainful.Ratings(ROWS, sources={"ben": "model:m@1", "ana": Source("human")})
    assert [str(rater.source) for rater in ratings.raters] == ["human", "model m, 1"]
    with pytest.raises(ParameterError, match="sources: found 'eve', expected one of ana, ben"):
        gainful.Ratings(ROWS, sources={"eve": "human"})


def test_a_rater_may_be_final() -> None:
    ratings = gainful.Ratings(ROWS, final="ben")
    assert [rater.name for rater in ratings.raters] == ["ana"]
    assert ratings.final == "ben"
    assert ratings.of("ben").to_dict() == BEN
    with pytest.raises(ParameterError, match="final: found 'eve'"):
        gainful.Ratings(ROWS, final="eve")


# --- methods --------------------------------------------------------------------------------------


def test_rows_have_sources_and_read_back(tmp_path: Path) -> None:
    polars = need("polars")
    ratings = gainful.Ratings(ROWS, sources={"ben": "model:m@1"})
    assert next(iter(ratings.rows())) == ("q1", "d1", "ana", 3, None, None, None)
    frame = polars.DataFrame(ratings)
    assert frame.columns == list(ratings.columns)
    again = gainful.Ratings(frame)
    assert labels_of(again) == labels_of(ratings)
    assert again.raters == ratings.raters


def test_an_array_has_nan_where_there_is_no_grade() -> None:
    ratings = gainful.Ratings(ROWS)
    table = ratings.array(["ana", "ben"])
    assert ratings.pairs == (("q1", "d1"), ("q1", "d2"), ("q2", "d1"))
    assert str(table.tolist()) == "[[3.0, 2.0], [0.0, nan], [nan, 1.0]]"


def test_it_cannot_be_changed_and_pickles() -> None:
    ratings = gainful.Ratings(ROWS, name="mine")
    with pytest.raises(AttributeError, match="cannot be changed"):
        ratings.blank = 3
    again = pickle.loads(pickle.dumps(ratings))
    assert (labels_of(again), repr(again)) == (labels_of(ratings), repr(ratings))


def test_the_demo_equals_its_own_reader() -> None:
    ratings = gainful.read_ratings(annotations_path())
    expected = [(row.query_id, row.doc_id, row.annotator, row.grade) for row in annotator_grades()]
    found = [(label.query_id, label.doc_id, label.rater.name, label.grade) for label in ratings]
    assert sorted(found) == sorted(expected)


def test_the_three_raters_of_chorus(shared_data: Path) -> None:
    chorus = shared_data / "judgments" / "chorus"
    ratings = gainful.read_ratings(chorus / "Broad_Query_Set_individual_ratings.csv")
    assert [rater.name for rater in ratings.raters] == ["agent_1", "agent_2", "agent_3"]
    assert (len(ratings), len(ratings.pairs), ratings.final) == (9564, 3188, "final_rating")
    # A file without a column for the rater.
    plain = gainful.read_ratings(chorus / "Chorus_Electronics_basic.csv")
    assert [rater.name for rater in plain.raters] == ["Chorus_Electronics_basic"]


# --- rejected input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (
            LONG.replace("ben,2", "ben,two"),
            FormatError,
            "line 4, query 'q1', document 'd1': found 'two'",
        ),
        (LONG.replace("ben,2", "ben,inf"), FormatError, "line 4"),
        ("\n\n" + LONG.replace("ben,2", "ben,two"), FormatError, "line 6, query 'q1'"),
        (LONG.replace("ben,2", "ben,1e17"), FormatError, "within ±2^53"),
        (LONG.replace("q1,d1,ben", "q1,d1,ana"), DuplicateError, "a second grade by ana"),
        (LONG.replace("q1,d1,ben", "q1,,ben"), FormatError, "line 4: found an empty cell in col"),
        (LONG.replace("q1,d1,ben,2", "q1,d1,ben,2,9"), FormatError, "5 fields, expected 4"),
        ("query_id,annotator,grade\nq1,ana,3\n", ColumnError, "doc_id"),
        ("query_id,doc_id,annotator,grade\n", FormatError, "no label"),
        (
            "query_id,doc_id,annotator,grade\nq,d,ana,\n",
            FormatError,
            "only empty cells for grades",
        ),
        ("", FormatError, "the file is empty"),
        ("\n\n", FormatError, "the file is empty"),
        (LINES + "[1]\n", FormatError, "line 5: not a JSON object"),
        ("nothing\nof the sort\n", FormatError, "line 1"),
    ],
)
def test_bad_files(content: str, error: type[Exception], message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(content)
    with pytest.raises(error) as caught:
        gainful.read_ratings(path)
    assert message in str(caught.value)
    assert "bad.csv" in str(caught.value) or error is ColumnError


def test_bad_calls(tmp_path: Path) -> None:
    with pytest.raises(SourceNotFoundError):
        gainful.read_ratings(tmp_path / "nowhere.csv")
    with pytest.raises(ArgumentError, match="query, document, rater and grade"):
        gainful.Ratings([("q", "d", 1)])
    with pytest.raises(ArgumentError, match="found int"):
        gainful.Ratings(3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="a column for the rater"):
        gainful.Ratings([{"query_id": "q", "doc_id": "d", "grade": 1}])
    with pytest.raises(ParameterError, match="duplicates"):
        gainful.Ratings(ROWS, duplicates="best")
    path = tmp_path / "long.csv"
    path.write_text(LONG)
    with pytest.raises(ColumnError, match="'who', for rater"):
        gainful.read_ratings(path, columns={"rater": "who"})
    with pytest.raises(ArgumentError, match="columns"):
        gainful.read_ratings(path, columns={"score": "grade"})
    with pytest.raises(ColumnError, match="'eve', for a rater's grades"):
        gainful.read_ratings(path, raters=["eve"])
    with pytest.raises(ParameterError, match="rater: found 'eve'"):
        gainful.read_ratings(path).of("eve")
    with pytest.raises(ParameterError, match="sources: found 'eve', expected one of ana, ben$"):
        gainful.read_ratings(path, sources={"eve": "human"})
    path.write_text("query_id,doc_id,rater,grade\n")
    with pytest.raises(FormatError, match="long.csv: found no label"):
        gainful.Ratings({"ana": path}, name=str(path))


def test_one_of_two_labels_is_kept() -> None:
    twice = [*ROWS, ("q1", "d1", "ana", 1)]
    with pytest.raises(DuplicateError, match="a second grade by ana"):
        gainful.Ratings(twice)
    assert gainful.Ratings(twice, duplicates="first").of("ana").to_dict() == ANA
    last = gainful.Ratings(twice, duplicates="last").of("ana").to_dict()
    assert last == {"q1": {"d1": 1, "d2": 0}}


def test_unknown_column_names(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("q,d,who,stars\nq1,d1,ana,3\n")
    columns = {"query_id": "q", "doc_id": "d", "rater": "who", "grade": "stars"}
    assert labels_of(gainful.read_ratings(path, columns=columns)) == {"ana": {"q1": {"d1": 3}}}
    path.write_text("query,doc,a,b,c\nq1,d1,1,2,3\n")
    ratings = gainful.read_ratings(path, raters=["a", "b"], final="c")
    assert labels_of(ratings) == {"a": {"q1": {"d1": 1}}, "b": {"q1": {"d1": 2}}}
    assert ratings.of("c").to_dict() == {"q1": {"d1": 3}}
