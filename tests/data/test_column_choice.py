"""The option ``columns``, which names the columns of a file, in Python and every command."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from gainful.cli.reading import select_columns
from gainful.data.convert import convert
from gainful.data.read_options import ReadOptions, parsed_columns
from gainful.errors import ArgumentError, ColumnError, FormatError, GainfulError, ParameterError
from repeated_tests import for_each

#: User, item, rating and timestamp, as MovieLens has them.
USERS = 12


def ratings() -> list[tuple[int, int, int, int]]:
    draw = random.Random(5)
    return [
        (user, item, draw.randint(1, 5), 978300760 + draw.randrange(10**7))
        for user in range(1, USERS + 1)
        for item in sorted(draw.sample(range(1, 90), 20))
    ]


def rankings(seed: int) -> list[tuple[int, int, float]]:
    draw = random.Random(seed)
    return [
        (user, item, 20 - rank + 0.5)
        for user in range(1, USERS + 1)
        for rank, item in enumerate(draw.sample(range(1, 90), 20))
    ]


def lines(rows, form: str) -> str:
    return "".join(form.format(*row) + "\n" for row in rows)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return two folders with equal data, with known and with unknown column names."""
    for name in ("known", "other"):
        (tmp_path / name).mkdir()
    known, other = tmp_path / "known", tmp_path / "other"
    (known / "qrels.tsv").write_text("query_id\tdoc_id\tgrade\n" + lines(ratings(), "{}\t{}\t{}"))
    (other / "qrels.tsv").write_text(lines(ratings(), "{}\t{}\t{}\t{}"))
    for name, seed in (("one", 1), ("two", 2)):
        rows = rankings(seed)
        (known / f"{name}.csv").write_text("qid,docno,score\n" + lines(rows, "{},{},{}"))
        (other / f"{name}.csv").write_text("who,what,how\n" + lines(rows, "{},{},{}"))
    for each in (known, other):
        (each / "queries.tsv").write_text(lines(((user,) for user in range(1, 13)), "{0}\tword{0}"))
        (each / "corpus.jsonl").write_text(
            "".join(f'{{"_id": "{item}", "text": "word{item % 12 + 1}"}}\n' for item in range(90))
        )
        (each / "suite" / "shop" / "runs").mkdir(parents=True)
        for file, place in (("qrels.tsv", "qrels.tsv"), ("one.csv", "runs/one.csv")):
            (each / "suite" / "shop" / place).write_bytes((each / file).read_bytes())
        (each / "find.py").write_text(
            "def find(query):\n    return ['1', '2', '3']\n"
            "def made(n=3):\n    return lambda query: ['1', '2', '3'][:n]\n"
        )
    (tmp_path / "ratings.csv").write_text(lines(ratings(), "{},{},{},{}"))
    (tmp_path / "u.data").write_text(lines(ratings(), "{}\t{}\t{}\t{}"))
    (tmp_path / "words.txt").write_text(lines(ratings(), "{} {}  {} {}"))
    (tmp_path / "films.csv").write_text("who,film,stars,when\n" + lines(ratings(), "{},{},{},{}"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def right(folder: Path) -> gainful.Qrels:
    return gainful.Qrels([(str(user), str(item), grade) for user, item, grade, _ in ratings()])


@pytest.mark.parametrize("name", ["ratings.csv", "u.data", "words.txt"])
def test_ratings_without_a_header(
    name: str, right: gainful.Qrels, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(FormatError) as caught:
        gainful.read_qrels(name)
    message = str(caught.value)
    assert "timestamps (9783" in message
    assert "the third 5 values (1 to 5), not documents" in message
    assert "columns='query,doc,grade,-'" in message
    assert "--columns" not in message
    assert main(["evaluate", name, name]) == 2
    shown = capsys.readouterr().err
    assert "--columns query,doc,grade,-" in shown
    assert "columns=" not in shown
    # The policy on duplicates does not matter.
    with pytest.raises(FormatError, match="timestamps"):
        gainful.read_qrels(name, duplicates="best", subtopics=True)
    for columns in ("query,doc,grade,-", ["user", "item", "rating", "timestamp"]):
        assert gainful.read_qrels(name, columns=columns) == right
        assert gainful.Qrels(Path(name), columns=columns) == right


@pytest.mark.parametrize(
    "columns",
    [
        "query=who,doc=film,grade=stars",
        " query_id = who , document=film, rating = stars ",
        {"query": "who", "doc_id": "film", "grade": "stars"},
    ],
)
def test_names_of_a_header(columns, right: gainful.Qrels) -> None:
    assert gainful.read_qrels("films.csv", columns=columns) == right
    assert convert("films.csv", "films.qrels", columns=columns) == right
    assert gainful.read_qrels("films.qrels") == right


def test_named_columns_give_the_correct_value(right: gainful.Qrels) -> None:
    expected = gainful.evaluate(right, "known/one.csv", "nDCG@10").mean()
    read = gainful.read_qrels("u.data", columns="query,doc,grade,-")
    assert gainful.evaluate(read, "known/one.csv", "nDCG@10").mean() == expected
    run = gainful.read_run("other/one.csv", columns="query=who,doc=what,score=how")
    assert gainful.evaluate(right, run, "nDCG@10").mean() == expected


def test_columns_of_a_run_between_spaces_are_not_ignored(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("q1 Q0 d1 1 2.0 R\nq1 Q0 d2 2 1.0 R\n")
    swapped = gainful.read_run(path, columns="doc,-,query,-,score,-")
    assert swapped.to_dict() == {"d1": {"q1": 2.0}, "d2": {"q1": 1.0}}
    ranks = gainful.read_run(path, columns="query,-,doc,rank,-,-")
    assert ranks.to_dict() == {"q1": ["d1", "d2"]}
    with pytest.raises(FormatError, match="expected 5 fields, as in columns="):
        gainful.read_run(path, columns="query,-,doc,-,score")


@for_each(
    ("columns", "error", "says"),
    [
        ("query,doc,grad,-", ParameterError, "'grad'"),
        ("query", ParameterError, "query,doc,grade,-"),
        ("query,doc=film", ParameterError, "query,doc,grade,-"),
        ("query=who,user=film", ParameterError, "query_id twice"),
        ("query=", ParameterError, "ROLE=NAME"),
        ({"film": "doc"}, ParameterError, "'film'"),
        ("query=who,doc=movie,grade=stars", ColumnError, "'who', 'film', 'stars', 'when'"),
        ("query,doc,grade", FormatError, "expected 3 fields, as in columns="),
        (7, ArgumentError, "columns"),
    ],
)
def test_invalid_columns_are_errors(columns, error, says: str, folder: Path) -> None:
    with pytest.raises(error) as caught:
        gainful.read_qrels("films.csv", columns=columns)
    assert says in str(caught.value)


def test_columns_are_errors_for_formats_without_columns(folder: Path) -> None:
    Path("q.json").write_text('{"q1": {"d1": 1}}')
    with pytest.raises(GainfulError, match="the format json has no columns to name"):
        gainful.read_qrels("q.json", columns="query,doc,grade")
    with pytest.raises(ArgumentError, match="header=False"):
        gainful.read_qrels("films.csv", columns="doc=film", header=False)


def test_data_frames_accept_the_same_text() -> None:
    from requirements import need

    frame = need("polars").DataFrame({"who": ["u1"], "film": ["alien"], "stars": [5]})
    qrels = gainful.Qrels(frame, columns="query=who,doc=film,grade=stars")
    assert qrels.to_dict() == {"u1": {"alien": 5}}


def test_forms_of_the_text() -> None:
    assert parsed_columns("topic, item, -") == ["query_id", "doc_id", "-"]
    assert ReadOptions(columns=None).columns is None
    assert select_columns("qrels", ["query,doc,score", "query,-,doc"]) == [
        "query_id",
        "-",
        "doc_id",
    ]
    assert select_columns("run", ["query=a,rank=b"]) == {"query_id": "a", "rank": "b"}
    assert select_columns("run", ["query=a,grade=b"]) is None
    both = ["query=a,doc=d,grade=b,score=c"]
    assert select_columns("qrels", both) == {"query_id": "a", "doc_id": "d", "grade": "b"}
    assert select_columns("run", both) == {"query_id": "a", "doc_id": "d", "score": "c"}
    with pytest.raises(ParameterError, match="two values of --columns apply to runs"):
        select_columns("run", ["query,doc,score", "query,doc,rank"])


def test_the_hint_of_a_run_works_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("stars.csv").write_text("Search Term,SKU,Stars\nred shoe,s1,3\n")
    Path("run.csv").write_text("Search Term,SKU,BM25\nred shoe,s1,2.5\n")
    judgments = "grade=Stars,query=Search Term,doc=SKU"
    words = ["evaluate", "stars.csv", "run.csv", "-m", "RR", "--format", "json"]
    assert main([*words, "--columns", judgments]) == 2
    assert "--columns doc=NAME,score=NAME" in capsys.readouterr().err
    Path("ranks.csv").write_text("Search Term,SKU,Position\nred shoe,s1,1\n")
    assert main(["evaluate", "stars.csv", "ranks.csv", "--columns", judgments]) == 2
    assert "--columns doc=NAME,rank=NAME" in capsys.readouterr().err
    runs = ["--columns", "doc=SKU,score=BM25"]
    assert main([*words, "--columns", judgments, *runs]) == 0
    found = capsys.readouterr().out
    assert main([*words, "--columns", f"{judgments},score=BM25"]) == 0
    assert capsys.readouterr().out == found
    assert '"mean": 1.0' in found


@pytest.mark.parametrize("columns", ["Stars=grade", {"Stars": "grade"}])
def test_a_mapping_in_the_wrong_direction_is_explained(columns: object) -> None:
    with pytest.raises(ParameterError, match="found 'Stars'.*the role comes first: grade=Stars"):
        ReadOptions(columns=columns)


JUDGMENTS = ["--columns", "query,doc,grade,-"]
RUNS = ["--columns", "query=who,doc=what,score=how"]


@pytest.mark.parametrize(
    ("words", "columns"),
    [
        ("evaluate qrels.tsv one.csv two.csv", JUDGMENTS + RUNS),
        (
            "evaluate qrels.tsv one.csv --convention trec_eval --convention gainful",
            JUDGMENTS + RUNS,
        ),
        ("compare qrels.tsv one.csv two.csv --resamples 100", JUDGMENTS + RUNS),
        ("explain qrels.tsv one.csv", JUDGMENTS + RUNS),
        ("headroom qrels.tsv one.csv", JUDGMENTS + RUNS),
        ("find-unjudged qrels.tsv one.csv two.csv", JUDGMENTS + RUNS),
        ("analyze-power qrels.tsv one.csv two.csv -m nDCG@10", JUDGMENTS + RUNS),
        ("compare-measures qrels.tsv one.csv two.csv -m nDCG@10 -m AP", JUDGMENTS + RUNS),
        ("gate qrels.tsv one.csv --save snapshot.json", JUDGMENTS + RUNS),
        ("contrast qrels.tsv one.csv -a trec_eval -b gainful", JUDGMENTS + RUNS),
        ("report qrels.tsv one.csv two.csv -o page.html", JUDGMENTS + RUNS),
        ("reconcile qrels.tsv one.csv --reported .0696 -m AP", JUDGMENTS + RUNS),
        ("evaluate-suite suite -m nDCG@10", JUDGMENTS + RUNS),
        ("assess-judgments ann=qrels.tsv", JUDGMENTS),
        ("convert qrels.tsv - --kind qrels --to trec", JUDGMENTS),
        ("convert one.csv - --to trec --kind run", RUNS),
        ("baseline oracle qrels.tsv --run one.csv", JUDGMENTS + RUNS),
        ("baseline random --judged qrels.tsv", JUDGMENTS),
        ("baseline fuse one.csv two.csv --qrels qrels.tsv", JUDGMENTS + RUNS),
        ("baseline bm25 corpus.jsonl queries.tsv --qrels qrels.tsv", JUDGMENTS),
        (
            "sweep qrels.tsv queries.tsv --system find.py:made --set n=1,2 --folds 2",
            JUDGMENTS,
        ),
        ("search queries.tsv --judged qrels.tsv --system find.py:find -o -", JUDGMENTS),
    ],
)
def test_every_command_accepts_columns(
    words: str,
    columns: list[str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder / "known")
    assert main(words.split()) == 0
    known = capsys.readouterr().out
    monkeypatch.chdir(folder / "other")
    assert main([*words.split(), *columns]) == 0
    assert capsys.readouterr().out == known


def test_decimal_commas_in_a_table_of_raters(tmp_path: Path) -> None:
    path = tmp_path / "raters.csv"
    path.write_text('query,document,rater,grade\nq1,d1,ann,"2,5"\nq1,d1,bob,2\n')
    with pytest.raises(FormatError, match="'2,5' has a decimal comma"):
        gainful.read_qrels(path, format="raters:mean")
