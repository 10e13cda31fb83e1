"""An explanation as text in 100 columns, Markdown, LaTeX, HTML, JSON and Arrow."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from gainful import Convention
from gainful.explanation import Explanation, explain
from gainful.explanation import rendering as report
from gainful.explanation.rendering import layout
from gainful.formats.delimited import text
from gainful.formats.table import width
from json_schema import errors, schema_of
from requirements import need

AWKWARD = ("a|b", "50%&more_#1", "\\cmd{x}", "naïve🚀", "<b>bold</b>", "a\tb\nc", "\x1b[31mred")
QRELS = {"q|1": {name: rank % 4 for rank, name in enumerate(AWKWARD, start=1)}}
RUN = {"q|1": list(reversed(AWKWARD))}

SMALL = """\
nDCG@2 = .5213 = 1.8928 / 3.6309 (DCG / IDCG)

rank  document  grade  discount  discounted     DCG  │  ideal  grade  discounted    IDCG  │     cost
────────────────────────────────────────────────────────────────────────────────────────────────────
   1  d1            0    1.0000           0       0  │  d2         3      3.0000  3.0000  │   3.0000
   2  d2            3     .6309      1.8928  1.8928  │  d3         1       .6309  3.6309  │  -1.2619

Misplaced documents
document    grade  actual rank          ideal rank    cost
d2              3  2                    1           1.1072
d3              1  3, below the cutoff  2            .6309
──────────────────────────────────────────────────────────
IDCG - DCG                                          1.7381

Largest loss: d2 (grade 3) is at rank 2. At rank 1 it would contribute 3.0000 instead of 1.8928.
gainful-1: gain linear, discount log2, ideal judged, ties doc-id-desc, unjudged zero, negative zero,
duplicates error, no_relevant 0, missing empty"""


@pytest.fixture
def awkward() -> Explanation:
    return explain(QRELS, RUN, "q|1", "nDCG")


@pytest.fixture
def lentils(small_files: Path) -> Explanation:
    texts = {"docs": "docs.jsonl", "queries": "queries.jsonl"}
    return explain("qrels.txt", "bm25.run", "q1", **texts)


class TestPlain:
    def test_a_small_explanation(self) -> None:
        assert str(Explanation.of_grades([0, 3, 1], "nDCG@2")) == SMALL

    @pytest.mark.parametrize("columns", [60, 80, 100, 140])
    def test_width(self, columns: int, lentils: Explanation) -> None:
        lines = report.plain(lentils, columns).splitlines()
        # Numbers are never shortened, so the table has a minimum width.
        assert max(map(width, lines)) <= max(columns, 80)

    def test_numbers_stay_aligned(self, awkward: Explanation, lentils: Explanation) -> None:
        for explained in (awkward, lentils):
            lines = [line for line in str(explained).splitlines() if "│" in line]
            bars = {
                tuple(width(line[:at]) for at, char in enumerate(line) if char == "│")
                for line in lines
            }
            assert len(bars) == 1, "\n".join(lines)

    def test_long_ids_are_cut_in_the_middle(self) -> None:
        names = [f"clueweb12-0000wb-{number:02}-12114-of-many" for number in range(4)]
        explained = explain({"q": dict.fromkeys(names, 2)}, {"q": names}, "q")
        text = str(explained)
        assert "…" in text
        assert all(width(line) <= 100 for line in text.splitlines())

    def test_titles_are_below_the_numbers(self, lentils: Explanation) -> None:
        text = str(lentils)
        assert text.startswith("query q1: lentil soup\n")
        assert "      Lentil soup with cumin – Red lentils" in text
        assert "Largest loss: r05 “Red lentil dal” (grade 2) is at rank 5." in text

    def test_ties_and_unjudged_are_marked(self) -> None:
        explained = explain({"q": {"a": 1}}, {"q": {"x": 1.0, "a": 1.0, "y": 0.5}}, "q")
        text = str(explained)
        assert "\n   1=  x             –" in text
        assert "= equal scores, ranks 1–2 (ties=doc-id-desc)." in text
        assert "– no grade: 2 unjudged (unjudged=zero)." in text

    def test_ranks_without_contribution_share_a_line(self) -> None:
        run = {"q": [f"x{number}" for number in range(50)] + ["a"]}
        lines = str(explain({"q": {"a": 1}}, run, "q", "nDCG")).splitlines()
        assert "   ⋮ ranks 2 to 50 contribute 0" in lines
        lines = str(explain({"q": {"a": 1}}, run, "q", "AP")).splitlines()
        assert "   ⋮ ranks 21 to 50: no relevant documents" in lines
        assert len(lines) < 35

    def test_ranks_below_the_cutoff(self) -> None:
        explained = explain({"q": {"c": 1}}, {"q": ["a", "b", "c"]}, "q", "nDCG@1", depth=3)
        lines = str(explained).splitlines()
        assert [line[:10] for line in lines].count("┄┄┄ cutoff") == 1

    @pytest.mark.parametrize(
        ("qrels", "run", "measure", "policies", "sentence"),
        [
            ({"a": 1}, ["a"], "nDCG", {}, "No document is misplaced"),
            ({"a": 0}, ["a"], "nDCG", {}, "no ranking can score higher"),
            (
                {"a": 0},
                ["a"],
                "nDCG",
                {"no_relevant": 1},
                "policy no_relevant=1",
            ),
            ({"a": 0}, ["a"], "nDCG", {"no_relevant": "skip"}, "excludes this query from the mean"),
            (
                {"a": 2},
                ["b"],
                "nDCG@1",
                {},
                "a (grade 2) was not retrieved. At rank 1 it would contribute",
            ),
            ({"a": 2}, [], "nDCG", {}, "no documents were retrieved"),
            ({"a": 2}, ["b", "a"], "DCG", {}, "DCG = 1.2619 (ideal: 2.0000)"),
            ({"a": 2}, ["b", "a"], "IDCG", {}, "(DCG of the ranking: 1.2619)"),
            (
                {"a": 2},
                ["b", "a"],
                "nDCG(ideal='max-grade', max_grade=3)",
                {},
                "rank 1 contributes 0 instead of",
            ),
            ({"a": 2}, ["b", "a"], "AP", {"unjudged": "condense"}, "ranking: 1 unjudged"),
            ({"a": 2, "c": 1}, ["b", "a"], "P@2", {}, "1 of 2 relevant documents is above"),
            ({"a": 2, "c": 1}, ["b", "a"], "P@2", {}, "Relevant, but below the cutoff or not"),
            ({"a": 2, "c": 1}, ["b", "a"], "Judged", {}, "2 documents were retrieved."),
            ({"a": 2, "c": 1}, ["b", "a"], "nDCG", {}, "The listed ranks contribute 0 of DCG 1.26"),
        ],
    )
    def test_sentences(
        self,
        qrels: dict[str, int],
        run: list[str],
        measure: str,
        policies: dict[str, object],
        sentence: str,
    ) -> None:
        explained = explain(
            {"q": qrels, "r": {"a": 1}},
            {"q": run, "r": ["a"]},
            "q",
            measure,
            convention=Convention(**policies),  # type: ignore[arg-type]
            depth=1 if "listed" in sentence else None,
        )
        assert sentence in " ".join(str(explained).split())


class TestEscaping:
    def test_terminals_get_no_control_characters(self, awkward: Explanation) -> None:
        text = str(awkward)
        assert "\x1b" not in text
        assert "\t" not in text
        assert "�[31mred" in text

    def test_markdown(self, awkward: Explanation) -> None:
        text = awkward.to_markdown()
        assert "a\\|b" in text
        assert "\\<b\\>bold\\</b\\>" in text
        assert "naïve🚀" in text
        rows = [line for line in text.splitlines() if line.startswith("| ")]
        bars = {row.replace("\\|", "").count("|") for row in rows[:8]}
        assert len(bars) == 1, "every row has the same number of cells"

    def test_latex(self, awkward: Explanation) -> None:
        text = awkward.to_latex()
        assert r"50\%\&more\_\#1" in text
        assert r"\textbackslash{}cmd\{x\}" in text
        assert r"\toprule" in text
        assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 2

    def test_html(self, awkward: Explanation) -> None:
        text = awkward._repr_html_()
        assert "&lt;b&gt;bold&lt;/b&gt;" in text
        assert "<b>bold" not in text

    def test_rich(self, awkward: Explanation) -> None:
        text = report.drawn(awkward, 100)
        assert "\x1b[1m" in text
        assert "�[31mred" in text


class TestForPrograms:
    def test_json_keeps_every_digit(self, awkward: Explanation) -> None:
        document = json.loads(text(awkward.to_dict()))
        assert document["schema"] == "gainful.explanation/1"
        assert document["value"] == awkward.value
        assert [each["running"] for each in document["ranks"]] == [
            each.running for each in awkward.ranks
        ]

    @pytest.mark.parametrize(
        ("measure", "policies"),
        [
            *(("nDCG@5", {}), ("AP", {}), ("Judged@2", {}), ("bpref", {"ties": "expected"})),
            *(
                ("P@5", {"candidates": "sampled(5 of 90)"}),
                ("nDCG", {"unjudged": "condense"}),
                ("nDCG(ideal='max-grade', max_grade=3)@3", {}),
            ),
        ],
    )
    def test_json_matches_its_schema(
        self, measure: str, policies: dict[str, str], small_files: Path
    ) -> None:
        schema = schema_of("explanation")
        for query in ("q1", "q5", "q6"):
            explained = explain(
                "qrels.txt",
                "bm25.run",
                query,
                measure,
                convention=Convention(**policies),  # type: ignore[arg-type]
                docs="docs.jsonl",
            )
            document = json.loads(text(explained.to_dict()))
            assert errors(document, schema) == []
            assert document.keys() == schema["properties"].keys()

    def test_nan_is_null(self) -> None:
        convention = Convention(no_relevant="nan")
        explained = explain({"q": {"a": 0}}, {"q": ["a"]}, "q", convention=convention)
        assert json.loads(text(explained.to_dict()))["value"] is None

    def test_arrow(self, awkward: Explanation) -> None:
        pyarrow = need("pyarrow")
        table = pyarrow.table(awkward)
        assert table.num_rows == len(awkward.ranks)
        assert table["contribution"].to_pylist() == [each.contribution for each in awkward.ranks]
        assert table["document"].to_pylist() == [each.document for each in awkward.ranks]

    def test_frozen_comparable_and_portable(self, awkward: Explanation) -> None:
        with pytest.raises(AttributeError):
            awkward.value = 1.0  # type: ignore[misc]
        again = pickle.loads(pickle.dumps(awkward))
        assert again == awkward
        assert repr(awkward) == f"<Explanation of query 'q|1': nDCG = {awkward.value:.4f}, 7 ranks>"


class TestTexts:
    def test_missing_texts_are_reported(self, small_files: Path) -> None:
        explained = explain(
            "qrels.txt",
            "bm25.run",
            "q1",
            docs={"r01": "Lentil soup"},
            queries={"q2": "bread"},
        )
        assert explained.query_text is None
        assert explained.notes == (
            "The query file has no text for this query.",
            "4 of the 5 documents have no text in the collection.",
        )
        assert explained.texts["r01"].text == "Lentil soup"

    def test_duplicate_ids_are_reported(self, tmp_path: Path) -> None:
        path = tmp_path / "docs.tsv"
        path.write_text("id\ttitle\na\tFirst\na\tSecond\n")
        explained = explain({"q": {"a": 1}}, {"q": ["a"]}, "q", docs=path)
        assert explained.texts["a"].title == "First"
        assert explained.notes == ("1 text has a duplicate id; the first text of an id is shown.",)

    def test_real_texts(self, shared_data: Path) -> None:
        folder = shared_data / "scifact"
        explained = explain(
            folder / "qrels" / "test.tsv",
            folder / "bm25_results.json",
            "1",
            docs=folder / "scifact-hf.zip",
            queries=folder / "queries.jsonl",
        )
        assert explained.query_text == "0-dimensional biomaterials show inductive properties."
        shown = {each.document for each in explained.ranks} & explained.texts.keys()
        assert len(shown) == 10


@pytest.mark.parametrize("convention", ["gainful-1", "burges", "trec_eval"])
@pytest.mark.parametrize("docs", [None, "docs.jsonl"])
def test_the_table_fits_80_columns(convention: str, docs: str | None, small_files: Path) -> None:
    for query in ("q1", "q2", "q5"):
        explanation = explain("qrels.txt", "bm25.run", query, convention=convention, docs=docs)
        lines = ["".join(text for text, _ in line) for line in layout(explanation, 80)]
        assert max(map(len, lines)) <= 80
