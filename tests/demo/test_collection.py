"""The demo collection: its files, its search systems, and what an evaluation of it must show."""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter, defaultdict
from importlib.resources import files
from itertools import combinations

import pytest

from gainful import demo
from gainful.demo import search
from gainful.errors import GainfulError, ParameterError

NEW_ARRIVALS = {f"P{number:04}" for number in range(419, 443)}


@pytest.fixture(scope="module")
def runs():
    return demo.runs()


@pytest.fixture(scope="module")
def index():
    with demo.Index() as opened:
        yield opened


@pytest.fixture(scope="module")
def grades():
    """The two annotators' grades by (query, document)."""
    found = defaultdict(dict)
    for row in demo.annotator_grades():
        assert row.annotator not in found[row.query_id, row.doc_id], row
        found[row.query_id, row.doc_id][row.annotator] = row.grade
    return found


def ranked(ranking):
    """Document ids by score, equal scores by descending id: the default convention's order."""
    return [doc for doc, _ in sorted(ranking, key=lambda row: (row[1], row[0]), reverse=True)]


def ndcg_at_10(ranking, judged):
    def dcg(values):
        return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(values[:10], 1))

    ideal = dcg(sorted(judged.values(), reverse=True))
    return dcg([judged.get(doc, 0) for doc in ranked(ranking)]) / ideal if ideal else 0.0


# The files


def test_there_are_at_least_400_products_with_consecutive_ids():
    ids = [product.doc_id for product in demo.products()]
    assert len(ids) >= 400
    assert ids == [f"P{number:04}" for number in range(1, len(ids) + 1)]


def test_every_line_has_an_id_and_four_nonempty_fields():
    with demo.products_path().open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            assert list(row) == ["doc_id", "title", "brand", "category", "description"]
            assert all(isinstance(value, str) and value == value.strip() for value in row.values())
            assert all(row.values()), row["doc_id"]


def test_titles_and_descriptions_are_unique():
    catalog = demo.products()
    for field in ("title", "description"):
        counts = Counter(getattr(product, field).casefold() for product in catalog)
        assert [text for text, count in counts.items() if count > 1] == []


def test_descriptions_are_not_made_from_a_template():
    for product in demo.products():
        assert 20 <= len(product.description.split()) <= 45, product
        assert product.description.endswith("."), product
    openings = Counter(" ".join(p.description.split()[:4]) for p in demo.products())
    assert openings.most_common(1)[0][1] <= 2


def test_categories_are_balanced():
    counts = Counter(product.category for product in demo.products())
    assert len(counts) == 14
    assert min(counts.values()) >= 25


def test_there_are_80_different_queries():
    queries = demo.queries()
    assert list(queries) == [f"Q{number:02}" for number in range(1, 81)]
    assert len(set(queries.values())) == 80
    assert all(text and text == text.strip() for text in queries.values())
    assert max(len(text.split()) for text in queries.values()) <= 7


def test_qrels_are_sorted_trec_lines_without_duplicates():
    with demo.qrels_path().open(encoding="utf-8") as lines:
        rows = [line.rstrip("\n") for line in lines]
    assert all(re.fullmatch(r"Q\d\d 0 P\d{4} [0-3]", row) for row in rows)
    keys = [(row.split()[0], row.split()[2]) for row in rows]
    assert keys == sorted(set(keys))


def test_every_judged_document_and_query_exists():
    ids = {product.doc_id for product in demo.products()}
    judgments = demo.qrels()
    assert list(judgments) == list(demo.queries())
    for query_id, judged in judgments.items():
        assert judged.keys() <= ids, query_id


def test_queries_have_between_10_and_30_judged_documents():
    sizes = [len(judged) for judged in demo.qrels().values()]
    assert min(sizes) >= 10
    assert max(sizes) <= 30
    assert 15 <= sum(sizes) / len(sizes) <= 25


def test_all_grades_occur_and_two_queries_have_no_relevant_documents():
    judgments = demo.qrels()
    counts = Counter(grade for judged in judgments.values() for grade in judged.values())
    assert set(counts) == {0, 1, 2, 3}
    assert min(counts.values()) >= 50
    assert [q for q, judged in judgments.items() if not any(judged.values())] == ["Q73", "Q74"]


def test_new_arrivals_are_unjudged_although_systems_find_them(runs):
    assert demo.products()[-1].doc_id == max(NEW_ARRIVALS)
    assert all(not judged.keys() & NEW_ARRIVALS for judged in demo.qrels().values())
    for system in runs.values():
        assert any(set(ranked(found)[:3]) & NEW_ARRIVALS for found in system.values())


# The two annotators


def test_two_annotators_judged_every_document_of_every_third_query(grades):
    expected = {
        (query_id, doc_id)
        for query_id in list(demo.queries())[1::3]
        for doc_id in demo.qrels()[query_id]
    }
    assert len({query_id for query_id, _ in expected}) == 27
    assert grades.keys() == expected
    assert all(pair.keys() == {"ana", "ben"} for pair in grades.values())


def test_the_final_grade_is_the_mean_rounded_down(grades):
    judgments = demo.qrels()
    for (query_id, doc_id), pair in grades.items():
        assert judgments[query_id][doc_id] == (pair["ana"] + pair["ben"]) // 2, (query_id, doc_id)


def test_disagreements_are_small_and_plausible(grades):
    pairs = [(pair["ana"], pair["ben"]) for pair in grades.values()]
    differences = [ben - ana for ana, ben in pairs]
    agreement = differences.count(0) / len(pairs)
    assert 0.7 <= agreement <= 0.9
    assert set(differences) <= {-2, -1, 0, 1, 2}
    assert sum(abs(difference) == 1 for difference in differences) >= 0.9 * sum(
        difference != 0 for difference in differences
    )
    assert sum(differences) < 0, "ben is the stricter of the two"
    assert any(difference > 0 for difference in differences), "but not always"

    def disputed(grade):
        judged = [ana != ben for ana, ben in pairs if ana == grade]
        return sum(judged) / len(judged)

    assert min(disputed(1), disputed(2)) > max(disputed(0), disputed(3))


# The search systems


def test_every_system_returns_ordered_scores_for_every_query(runs):
    assert list(runs) == ["fts5-plain", "fts5-tuned", "title-words"]
    ids = {product.doc_id for product in demo.products()}
    for name, system in runs.items():
        assert list(system) == list(demo.queries())
        for query_id, found in system.items():
            docs = [doc for doc, _ in found]
            scores = [score for _, score in found]
            assert len(docs) == len(set(docs)) <= 50, (name, query_id)
            assert set(docs) <= ids
            assert all(type(score) is float and math.isfinite(score) for score in scores)
            assert scores == sorted(scores, reverse=True)


def test_the_title_baseline_has_more_ties_than_bm25(runs):
    def tied(system):
        rows = [score for found in system.values() for _, score in found]
        distinct = sum(len({score for _, score in found}) for found in system.values())
        return 1 - distinct / len(rows)

    assert tied(runs["title-words"]) > 0.7
    assert tied(runs["fts5-tuned"]) < 0.4


def test_plain_requires_all_words_if_any_product_has_them(index):
    titles = {p.doc_id: p.title for p in demo.products()}
    assert [titles[doc] for doc, _ in index.plain("mosquito net")] == [
        "Travel Mosquito Net, Double Bed",
        "Mosquito Head Net",
    ]
    assert len(index.plain("violin net")) == len(index.plain("net")) > 0


def test_tuned_matches_stems_and_plain_does_not(index):
    assert index.plain("secateur") == []
    assert {doc for doc, _ in index.tuned("secateur")} == {
        doc for doc, _ in index.tuned("secateurs")
    }


def test_top_k_cuts_the_ranking_without_changing_it(index):
    for system in demo.SYSTEMS.values():
        assert system(index, "dog bed", top_k=5) == system(index, "dog bed")[:5]


@pytest.mark.parametrize("top_k", [0, -1])
def test_top_k_below_one_is_an_error(index, top_k):
    for system in demo.SYSTEMS.values():
        with pytest.raises(ParameterError, match="top_k"):
            system(index, "dog", top_k=top_k)


HOSTILE = [
    "",
    " ",
    '"',
    '""',
    "'",
    "*",
    "^",
    "-",
    "lamp*",
    '"lamp',
    'lamp" OR title:"x',
    "NEAR(",
    "NEAR(lamp bed, 2)",
    "AND",
    "lamp AND",
    "OR OR",
    "NOT lamp",
    "title:lamp",
    "{title brand}: lamp",
    "lamp + bed",
    "(((",
    "lamp; DROP TABLE plain; --",
    "💡",
    "lamp 💡 bed",
    "lamp\x00bed",
    "\ud800lamp",
    "_",
    "___ lamp",
    "İstanbul ẞ ﬁ",
    "電球",
    "\u0301",
    "²",
    "word " * 10_000,
    " ".join(f"w{number}" for number in range(10_000)),
    "x" * 100_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("system", list(demo.SYSTEMS))
def test_texts_are_not_parsed_as_query_syntax(index, system, text):
    assert isinstance(demo.SYSTEMS[system](index, text), list)


@pytest.mark.parametrize("system", list(demo.SYSTEMS))
@pytest.mark.parametrize(
    "text", ['"bed" *lamp', "BED lamp!", "bed\tlamp", "bed ... (lamp", "^bed:lamp"]
)
def test_punctuation_and_case_do_not_matter(index, system, text):
    assert demo.SYSTEMS[system](index, text) == demo.SYSTEMS[system](index, "bed lamp")


@pytest.mark.parametrize("system", list(demo.SYSTEMS))
@pytest.mark.parametrize("text", ["", '"', "*", "💡", "___"])
def test_a_text_without_words_finds_nothing(index, system, text):
    assert demo.SYSTEMS[system](index, text) == []


def test_operators_are_ordinary_words(index):
    # As an operator, NOT would exclude what follows it.
    assert set(ranked(index.tuned("kettle NOT gooseneck"))) >= set(ranked(index.tuned("gooseneck")))


def test_a_sqlite_without_fts5_is_explained(monkeypatch):
    class Without:
        def execute(self, *_):
            return [("fts3",), ("json_each",)]

        def close(self):
            pass

    monkeypatch.setattr(search.sqlite3, "connect", lambda *_, **__: Without())
    with pytest.raises(GainfulError, match=r"without full-text search .FTS5.*Hint: "):
        demo.Index()


def test_the_collection_and_its_systems_have_no_dependencies():
    source = [files("gainful.demo") / f"{name}.py" for name in ("__init__", "collection", "search")]
    imported = {
        name
        for entry in source
        for name in re.findall(r"^(?:from|import) ([\w.]+)", entry.read_text("utf-8"), re.MULTILINE)
    }
    ours = {name for name in imported if name.startswith("gainful")}
    assert ours <= {
        "gainful.demo.collection",
        "gainful.demo.search",
        "gainful.errors",
        "gainful.keywords",
    }
    assert {name.partition(".")[0] for name in imported - ours} <= sys.stdlib_module_names


# What an evaluation shows


@pytest.mark.parametrize("system", ["fts5-plain", "fts5-tuned"])
def test_some_of_the_first_ten_documents_are_unjudged(runs, system):
    judgments = demo.qrels()
    top = [(q, doc) for q, found in runs[system].items() for doc in ranked(found)[:10]]
    unjudged = sum(doc not in judgments[q] for q, doc in top) / len(top)
    assert 0.02 <= unjudged <= 0.15


def test_one_difference_is_significant_and_one_is_inconclusive(runs):
    stats = pytest.importorskip("scipy.stats", reason="p-values of the paired t-test need SciPy")
    judgments = demo.qrels()
    values = {
        name: [ndcg_at_10(system[q], judged) for q, judged in judgments.items()]
        for name, system in runs.items()
    }
    means = {name: sum(each) / len(each) for name, each in values.items()}
    p = {
        pair: stats.ttest_rel(*(values[name] for name in pair)).pvalue
        for pair in combinations(runs, 2)
    }
    assert p["fts5-plain", "fts5-tuned"] < 0.01
    assert p["fts5-tuned", "title-words"] < 0.01
    assert p["fts5-plain", "title-words"] > 0.2
    assert means["fts5-tuned"] > means["fts5-plain"] + 0.05
    assert means["fts5-tuned"] > means["title-words"] + 0.05
    assert abs(means["fts5-plain"] - means["title-words"]) < 0.05


def test_the_readme_states_the_counts():
    readme = files("gainful.demo").joinpath("README.md").read_text("utf-8")
    judgments = demo.qrels()
    judged = [grade for each in judgments.values() for grade in each.values()]
    assert f"{len(demo.products())} products" in readme
    assert f"{len(judged):,} judgments" in readme
    assert f"{len(demo.annotator_grades())} grades" in readme
    for grade, count in Counter(judged).items():
        assert re.search(rf"^\| {grade} \|.*\| {count} \|$", readme, re.MULTILINE), grade
