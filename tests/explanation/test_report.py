"""An explanation is shown in a hundred columns, as Markdown, LaTeX, HTML and JSON, and in Arrow."""

from __future__ import annotations

import json
import pickle
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from gainful import Convention
from gainful.explanation import Explanation, explain
from gainful.explanation import rendering as report
from gainful.formats.json import text
from gainful.formats.table import width
from json_schema import errors, schema_of
from requirements import need

AWKWARD = ("a|b", "50%&more_#1", "\\cmd{x}", "naïve🚀", "<b>bold</b>", "a\tb\nc", "\x1b[31mred")
QRELS = {"q|1": {name: rank % 4 for rank, name in enumerate(AWKWARD, start=1)}}
RUN = {"q|1": list(reversed(AWKWARD))}

SMALL = """\
nDCG@2 = .5213 = 1.8928 / 3.6309 (DCG / IDCG)

rank  document  grade  weight    adds     DCG  │  ideal  grade    adds    IDCG  │     cost
──────────────────────────────────────────────────────────────────────────────────────────
   1  d1            0  1.0000       0       0  │  d2         3  3.0000  3.0000  │   3.0000
   2  d2            3   .6309  1.8928  1.8928  │  d3         1   .6309  3.6309  │  -1.2619

Out of place
document    grade  stands at                 belongs at    cost
d2              3  rank 2                    rank 1      1.1072
d3              1  rank 3, below the cutoff  rank 2       .6309
───────────────────────────────────────────────────────────────
IDCG - DCG                                               1.7381

Largest loss: d2 (grade 3) stands at rank 2; at rank 1 it would add 3.0000 instead of 1.8928.
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
    def test_the_whole_of_a_small_one(self) -> None:
        assert str(Explanation.of_grades([0, 3, 1], "nDCG@2")) == SMALL

    @pytest.mark.parametrize("columns", [60, 80, 100, 140])
    def test_width(self, columns: int, lentils: Explanation) -> None:
        lines = report.plain(lentils, columns).splitlines()
        # Numbers are never cut, so there is a width that a table cannot go below.
        assert max(map(width, lines)) <= max(columns, 78)

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

    def test_titles_stand_below_the_numbers(self, lentils: Explanation) -> None:
        text = str(lentils)
        assert text.startswith("query q1: lentil soup\n")
        assert "      Lentil soup with cumin – Red lentils" in text
        assert "Largest loss: r05 “Red lentil dal” (grade 2) stands at rank 5" in text

    def test_ties_and_unjudged_are_marked(self) -> None:
        explained = explain({"q": {"a": 1}}, {"q": {"x": 1.0, "a": 1.0, "y": 0.5}}, "q")
        text = str(explained)
        assert "\n   1=  x             –" in text
        assert "= equal scores, ranks 1–2: the convention has ties=doc-id-desc." in text
        assert "– no grade: 2 not judged; the convention has unjudged=zero." in text

    def test_ranks_that_add_nothing_are_told_together(self) -> None:
        run = {"q": [f"x{number}" for number in range(50)] + ["a"]}
        lines = str(explain({"q": {"a": 1}}, run, "q", "nDCG")).splitlines()
        assert "   ⋮ ranks 2 to 50 add nothing" in lines
        lines = str(explain({"q": {"a": 1}}, run, "q", "AP")).splitlines()
        assert "   ⋮ ranks 21 to 50 hold nothing relevant" in lines
        assert len(lines) < 35

    def test_what_lies_below_the_cutoff(self) -> None:
        explained = explain({"q": {"c": 1}}, {"q": ["a", "b", "c"]}, "q", "nDCG@1", depth=3)
        lines = str(explained).splitlines()
        assert [line[:10] for line in lines].count("┄┄┄ cutoff") == 1

    @pytest.mark.parametrize(
        ("qrels", "run", "measure", "policies", "sentence"),
        [
            ({"a": 1}, ["a"], "nDCG", {}, "Nothing is out of place"),
            ({"a": 0}, ["a"], "nDCG", {}, "no ranking could do better"),
            ({"a": 0}, ["a"], "nDCG", {"no_relevant": 1}, "the convention has no_relevant=1"),
            ({"a": 0}, ["a"], "nDCG", {"no_relevant": "skip"}, "out of the mean"),
            (
                {"a": 2},
                ["b"],
                "nDCG@1",
                {},
                "a (grade 2) was not retrieved; at rank 1 it would add",
            ),
            ({"a": 2}, [], "nDCG", {}, "Nothing was retrieved"),
            ({"a": 2}, ["b", "a"], "DCG", {}, "DCG = 1.2619 of an ideal 2.0000"),
            ({"a": 2}, ["b", "a"], "IDCG", {}, "of which the ranking reaches 1.2619"),
            (
                {"a": 2},
                ["b", "a"],
                "nDCG(ideal='max-grade', max_grade=3)",
                {},
                "at rank 1 the ideal",
            ),
            ({"a": 2}, ["b", "a"], "AP", {"unjudged": "condense"}, "ranking: 1 unjudged"),
            ({"a": 2, "c": 1}, ["b", "a"], "P@2", {}, "1 of 2 relevant documents is above"),
            ({"a": 2, "c": 1}, ["b", "a"], "P@2", {}, "Relevant, but below the cutoff or not"),
            ({"a": 2, "c": 1}, ["b", "a"], "Judged", {}, "2 documents were retrieved."),
            ({"a": 2, "c": 1}, ["b", "a"], "nDCG", {}, "The ranks listed add 0 of the DCG of 1.26"),
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
        assert len(bars) == 1, "every row of the account has the same number of cells"

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
        told = json.loads(text(awkward.to_dict()))
        assert told["schema"] == "gainful.explanation/1"
        assert told["value"] == awkward.value
        assert [each["running"] for each in told["ranks"]] == [
            each.running for each in awkward.ranks
        ]

    @pytest.mark.parametrize(
        ("measure", "policies"),
        [
            *(("nDCG@5", {}), ("AP", {}), ("Judged@2", {}), ("bpref", {"ties": "expected"})),
            *(("nDCG", {"unjudged": "condense"}), ("nDCG(ideal='max-grade', max_grade=3)@3", {})),
        ],
    )
    def test_json_meets_its_schema(
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
            told = json.loads(text(explained.to_dict()))
            assert errors(told, schema) == []
            assert told.keys() == schema["properties"].keys()

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
        with pytest.raises(FrozenInstanceError):
            awkward.value = 1.0  # type: ignore[misc]
        again = pickle.loads(pickle.dumps(awkward))
        assert again == awkward
        assert repr(awkward) == f"<Explanation of query 'q|1': nDCG = {awkward.value:.4f}, 7 ranks>"


class TestTexts:
    def test_what_is_missing_is_said(self, small_files: Path) -> None:
        explained = explain(
            "qrels.txt",
            "bm25.run",
            "q1",
            docs={"r01": "Lentil soup"},
            queries={"q2": "bread"},
        )
        assert explained.query_text is None
        assert explained.notes == (
            "The query's text is not in the file of queries.",
            "4 of the 5 documents have no text in the collection.",
        )
        assert explained.texts["r01"].text == "Lentil soup"

    def test_repeated_ids_are_said(self, tmp_path: Path) -> None:
        path = tmp_path / "docs.tsv"
        path.write_text("id\ttitle\na\tFirst\na\tSecond\n")
        explained = explain({"q": {"a": 1}}, {"q": ["a"]}, "q", docs=path)
        assert explained.texts["a"].title == "First"
        assert explained.notes == ("1 of the texts repeats an id; the first is shown.",)

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
