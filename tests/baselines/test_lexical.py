"""BM25 and TF-IDF: scores, ties and identities."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import gainful
from combinations import ALL, share
from gainful.errors import FormatError, GainfulError, ParameterError
from gainful.formats.numbers import digits
from gainful.systems import load_system
from gainful.systems.lexical import BM25, STOPWORDS, TFIDF, Analyzer, TermWeights
from gainful.systems.protocol import Query
from gainful.vocabulary import BM25_METHODS
from requirements import ROOT, SHARED, need

need("bm25s")
need("PyStemmer")

LAMPS = {
    "d1": "brass lamp with a brass shade",
    "d2": "lamp",
    "d3": "oak table, oak chairs",
    "d4": {"title": "Table lamp", "text": "for the desk"},
}


def ask(system: TermWeights, text: str, k: int = 10) -> list[tuple[str, float]]:
    (answer,) = system.ask([Query("q", text)], k)
    assert answer.scores is not None
    return list(zip(answer.documents, answer.scores, strict=True))


def by_hand(query: str, k1: float, b: float) -> dict[str, float]:
    """Compute Lucene's variant, as in the docstring of BM25."""
    words = {
        "d1": ["brass", "lamp", "with", "brass", "shade"],
        "d2": ["lamp"],
        "d3": ["oak", "table", "oak", "chairs"],
        "d4": ["table", "lamp", "for", "the", "desk"],
    }
    words = {name: [w for w in each if w not in STOPWORDS] for name, each in words.items()}
    mean = sum(map(len, words.values())) / 4
    scores: dict[str, float] = {}
    for term in query.split():
        n = sum(term in each for each in words.values())
        for name, each in words.items():
            tf = each.count(term)
            if tf:
                idf = math.log(1 + (4 - n + 0.5) / (n + 0.5))
                held = k1 * (1 - b + b * len(each) / mean)
                scores[name] = scores.get(name, 0.0) + idf * tf / (tf + held)
    return scores


@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.9, 0.4), (0.0, 0.0), (2.0, 1.0)])
@pytest.mark.parametrize("query", ["lamp", "brass lamp", "table lamp", "oak oak", "brass shade"])
def test_bm25_equals_its_formula(query: str, k1: float, b: float) -> None:
    system = BM25(LAMPS, k1=k1, b=b, stemmer=None)
    assert dict(ask(system, query)) == pytest.approx(by_hand(query, k1, b), rel=1e-12)


@pytest.mark.parametrize("method", BM25_METHODS)
def test_only_documents_with_a_term_are_found(method: str) -> None:
    found = ask(BM25(LAMPS, method=method), "oak unicorn")
    assert [document for document, _ in found] == ["d3"]


@pytest.mark.parametrize("sublinear", [False, True])
def test_tfidf_equals_scikit_learn(sublinear: bool) -> None:
    need("scikit-learn")
    from sklearn.feature_extraction.text import TfidfVectorizer

    corpus = {f"d{n}": f"{n % 3}a b{n % 7}x b{n % 7}x {'cc ' * (n % 5)} word{n}" for n in range(60)}
    queries = ["b3x cc", "word5 word5 cc 1a", "2a b0x b1x", "cc nothing"]
    theirs = TfidfVectorizer(
        analyzer=Analyzer(None).terms, sublinear_tf=sublinear, smooth_idf=True, norm="l2"
    )
    weights = theirs.fit_transform(list(corpus.values()))
    system = TFIDF(corpus, sublinear=sublinear, stemmer=None)
    for query in queries:
        scores = (weights @ theirs.transform([query]).T).toarray().ravel()
        expected = {name: score for name, score in zip(corpus, scores, strict=True) if score > 0}
        assert dict(ask(system, query, k=100)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("make", [BM25, TFIDF])
def test_equal_scores_are_ordered_by_id(
    make: Callable[..., TermWeights],
) -> None:
    corpus = {f"d{n}": "the same words" for n in range(12)}
    backwards = dict(reversed(corpus.items()))
    first = ask(make(corpus), "same", k=3)
    assert [document for document, _ in first] == ["d9", "d8", "d7"]
    assert ask(make(backwards), "same", k=3) == first
    whole = gainful.Run({"q": dict(ask(make(corpus), "same", k=100))})
    assert [document for document, _ in whole["q"][:3]] == ["d9", "d8", "d7"]


@pytest.mark.parametrize("make", [BM25, TFIDF])
def test_the_identity_depends_on_settings_and_corpus(make: Callable[..., TermWeights]) -> None:
    system = make(LAMPS)
    assert json.loads(json.dumps(system.identity)) == system.identity
    assert make(dict(reversed(LAMPS.items()))).identity == system.identity
    others = [
        make({**LAMPS, "d2": "lamps"}),
        make({"d1": "a", "d2": "b"}),
        make(LAMPS, stemmer=None),
        make(LAMPS, stopwords=None),
        make(LAMPS, stopwords=["lamp"]),
        make(LAMPS, **({"k1": 1.3} if make is BM25 else {"sublinear": True})),
    ]
    assert all(other.identity != system.identity for other in others)


def test_words_are_stemmed_and_stop_words_removed() -> None:
    assert Analyzer().terms("The Lamps and a running x") == ["lamp", "run"]
    assert Analyzer("german", None).terms("die Häuser") == ["die", "haus"]
    assert Analyzer(None, ["lamp"]).terms("the lamp") == ["the"]
    assert Analyzer(None, ["the"]).terms("naïve Größe 東京 a1") == ["naïve", "größe", "東京", "a1"]


@pytest.mark.parametrize("make", [BM25, TFIDF])
@pytest.mark.parametrize("query", ["", "the of", "unicorn", "🦄"])
def test_queries_without_a_known_term_find_nothing(
    make: Callable[..., TermWeights], query: str
) -> None:
    assert ask(make(LAMPS), query) == []


@pytest.mark.parametrize("make", [BM25, TFIDF])
def test_documents_without_terms_are_counted(make: Callable[..., TermWeights]) -> None:
    system = make({"d1": "", "d2": "a", "d3": "lamp"})
    assert system.collection.empty == 2
    assert [document for document, _ in ask(system, "lamp")] == ["d3"]
    assert ask(make({"d1": "the"}), "lamp") == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k1": -1}, "k1: found -1, expected a number of 0 or more"),
        ({"b": 1.5}, "b: found 1.5, expected a number from 0 to 1"),
        ({"b": True}, "b: found True"),
        ({"k1": math.nan}, "k1: found nan"),
        ({"method": "lucen"}, "expected one of lucene, robertson, atire, bm25l, bm25+"),
        ({"stemmer": "klingon"}, "stemmer: found 'klingon', expected None, or one of arabic"),
        ({"stopwords": "german"}, "stopwords: found 'german'"),
    ],
)
def test_parameters_out_of_range_are_errors(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        BM25(LAMPS, **arguments)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_a_corpus_without_documents_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no documents"):
        BM25({})
    empty = tmp_path / "corpus.jsonl"
    empty.touch()
    with pytest.raises(FormatError, match="the file is empty"):
        TFIDF(empty)


def test_repeated_documents_are_counted_and_the_first_kept(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"_id": "d1", "text": "lamp"}\n{"_id": "d1", "text": "table"}\n')
    system = BM25(path)
    assert system.collection.duplicates == 1
    assert ask(system, "table") == []


def test_without_the_extra_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(GainfulError, match=r"pip install 'gainful\[baselines\]'"):
        BM25(LAMPS)
    monkeypatch.setitem(sys.modules, "Stemmer", None)
    with pytest.raises(GainfulError, match="PyStemmer"):
        TFIDF(LAMPS)
    assert ask(TFIDF(LAMPS, stemmer=None), "oak")[0][0] == "d3"


def described(tmp_path: Path, *lines: str) -> TermWeights:
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "text": "the oak lamps"}\n')
    path = tmp_path / "shop.toml"
    path.write_text("\n".join(lines))
    system = load_system(path)
    assert isinstance(system, TermWeights)
    return system


def test_a_description_makes_the_same_system(tmp_path: Path) -> None:
    lines = ['engine = "bm25"', 'corpus = "corpus.jsonl"', "k1 = 0.9", 'stopwords = "none"']
    system = described(tmp_path, *lines)
    same = BM25(tmp_path / "corpus.jsonl", k1=0.9, stopwords=None)
    assert (system.identity, system.name) == (same.identity, "shop")
    assert ask(system, "lamp") == ask(same, "lamp")
    tfidf = described(tmp_path, 'engine = "tfidf"', *lines[1:2], 'stopwords = ["oak"]')
    assert tfidf.identity == TFIDF(tmp_path / "corpus.jsonl", stopwords=["oak"]).identity


def test_settings_of_a_description_are_parameters(tmp_path: Path) -> None:
    lines = ['engine = "bm25"', 'corpus = "corpus.jsonl"', 'k1 = "{{k1}}"', "[settings]", "k1 = 2"]
    assert described(tmp_path, *lines).identity["k1"] == 2.0
    changed = load_system(tmp_path / "shop.toml", settings={"k1": 0.5})
    assert changed.identity["k1"] == 0.5


def test_a_corpus_that_changed_is_read_again(tmp_path: Path) -> None:
    lines = ['engine = "bm25"', 'corpus = ["corpus.jsonl"]']
    first = described(tmp_path, *lines)
    assert described(tmp_path, *lines).identity == first.identity
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "text": "another, longer text"}\n')
    assert load_system(tmp_path / "shop.toml").identity != first.identity


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['engine = "bm25"'], "'corpus' is missing"),
        (['engine = "bm25"', "corpus = 3"], "found corpus = 3, expected a text"),
        (['engine = "bm25"', 'corpus = "corpus.jsonl"', "k = 1"], "unknown key 'k'"),
        (['engine = "bm25"', 'corpus = "corpus.jsonl"', 'k1 = "2"'], "expected a number"),
        (['engine = "bm25"', 'corpus = "corpus.jsonl"', "b = 2"], "b: found 2.0"),
        (['engine = "bm25"', 'corpus = "corpus.jsonl"', 'method = "l"'], "found method = 'l'"),
        (['engine = "tfidf"', 'corpus = "corpus.jsonl"', "k1 = 1"], "unknown key 'k1'"),
        (['engine = "tfidf"', 'corpus = "none.jsonl"'], "no such file: "),
    ],
)
def test_descriptions_are_checked(tmp_path: Path, lines: list[str], message: str) -> None:
    with pytest.raises(GainfulError) as caught:
        described(tmp_path, *lines)
    assert message in str(caught.value)


def test_k_is_an_integer() -> None:
    for k in (0, -1, 1.5, True):
        with pytest.raises(ParameterError, match="k: found"):
            gainful.baselines.bm25(LAMPS, {"q": "lamp"}, k)  # type: ignore[arg-type]


DATA = SHARED / "data"
#: The corpus, the queries and the judgments of collections.
FILES = {
    "SciFact": ("scifact/scifact-hf.zip", "scifact/queries.jsonl", "scifact/qrels/test.tsv"),
    "Vaswani": ("vaswani/doc-text.trec", "vaswani/query-text.trec", "vaswani/qrels"),
}


@cache
def baseline(kind: str, name: str) -> gainful.Run:
    """Return the run of a baseline on a collection."""
    corpus, queries, _ = FILES[name]
    run: gainful.Run = getattr(gainful.baselines, kind)(DATA / corpus, DATA / queries, k=100)
    return run


@pytest.mark.parametrize(
    ("kind", "expected"), [("bm25", 0.6790938), ("tfidf", 0.5915771)][: 2 if ALL else 1]
)
def test_scifact(kind: str, expected: float) -> None:
    need("shared-data")
    value = gainful.evaluate(DATA / FILES["SciFact"][2], baseline(kind, "SciFact")).mean("nDCG@10")
    assert value == pytest.approx(expected, abs=1e-6)


def test_vaswani() -> None:
    need("shared-data")
    run = baseline("bm25", "Vaswani")
    summary = gainful.evaluate(DATA / FILES["Vaswani"][2], run).summary("nDCG@10")
    assert (len(run), summary.n) == (93, 93)
    assert summary.value == pytest.approx(0.4361830, abs=1e-6)


def test_the_numbers_of_the_documentation() -> None:
    need("shared-data")
    page = (ROOT / "docs" / "baselines.md").read_text("utf-8")
    for name, (corpus, _, qrels) in share(list(FILES.items()), 1, 2):
        runs = {kind: baseline(kind, name) for kind in ("tfidf", "bm25")}
        headroom = gainful.headroom(DATA / qrels, runs, corpus=DATA / corpus)
        assert headroom.floor is not None
        row = [f"{headroom.floor.documents:,}", str(headroom.place(system="bm25").n)]
        row += [digits(headroom.floors["nDCG@10"])]
        row += [digits(headroom.place(system=kind).mean) for kind in ("tfidf", "bm25")]
        row += [digits(headroom.ceilings["nDCG@10"])]
        (line,) = [line for line in page.splitlines() if line.startswith(f"| {name}")]
        assert [cell.strip() for cell in line.split("|")[2:-1]] == row
