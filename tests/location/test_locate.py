"""Quotes and chunks are found in the texts of documents."""

from __future__ import annotations

from pathlib import Path
from random import Random
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gainful
from combinations import ALL
from gainful.errors import FormatError, GainfulError, ParameterError
from gainful.location.searching import NormalizedText, normalized
from requirements import need

CORPUS = {"soup.md": "Fry the onions.\nAdd lentils.", "dal.md": "Add lentils. Add salt."}
#: Characters that change under NFC, join others, or need two UTF-16 units.
LETTERS = (
    "abc éi\n\r\t\u0301\u0323\u212b\u1100\u1161\u11a8\uac00\u0f73\u0f71\u0958\u2000😀𝅗𝅥\u09c7\u09be"
)


def spans(found: gainful.Location) -> list[tuple[object, ...]]:
    return [(span.document, span.start, span.end, span.match) for span in found.spans]


def golden(*quotes: object, **fields: object) -> list[dict[str, object]]:
    return [{"query_id": "q1", "quotes": list(quotes), **fields}]


# --- white space and Unicode --------------------------------------------------------------------


@settings(max_examples=300 if ALL else 100, deadline=None)
@given(st.text(st.sampled_from(LETTERS), max_size=30))
def test_normalized_text_is_that_of_the_standard_library(text: str) -> None:
    assert normalized(text) == normalize("NFC", " ".join(text.split()))
    assert NormalizedText(text).text.strip() == normalized(text)


@settings(max_examples=300 if ALL else 100, deadline=None)
@given(st.text(st.sampled_from(LETTERS), min_size=1, max_size=30), st.data())
def test_every_part_of_a_text_is_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    quote = text[start:end]
    if not quote.strip():
        return
    found = gainful.locate({"d": text}, golden(quote), ambiguous="all")
    places = [(span.start, span.end) for span in found.spans]
    assert (start, end) in places
    assert all(text[a:b] == quote for a, b in places)


@settings(max_examples=300 if ALL else 100, deadline=None)
@given(st.text(st.sampled_from(LETTERS), min_size=1, max_size=30), st.data())
def test_a_quote_is_what_its_place_is_after_normalization(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    form = data.draw(st.sampled_from(["NFC", "NFD"]))
    quote = data.draw(st.sampled_from([" ", "\r\n", "\t "])).join(text[start:end].split())
    quote = normalize(form, quote)
    if not quote:
        return
    found = gainful.locate({"d": text}, golden(quote), ambiguous="all")
    for span in found.spans:
        assert normalized(text[span.start : span.end]) == normalized(quote)
    # A quote that does not begin or end inside a composed character is found.
    whole = normalized(text)
    if normalized(quote) in whole and len(quote.split()) > 1 and quote.isascii() and text.isascii():
        assert found.spans


def test_offsets_count_code_points_of_the_original_text() -> None:
    text = "Grüße 😀 aus\r\n  Ko\u0308ln,\u00a0heute."
    found = gainful.locate({"d": text}, golden("😀 aus Köln, heute."))
    assert spans(found) == [("d", 6, len(text), "normalized")]


def test_an_exact_place_precedes_a_normalized_one() -> None:
    found = gainful.locate({"a": "red\nlentils", "b": "red lentils"}, golden("red lentils"))
    assert spans(found) == [("b", 0, 11, "exact")]


@pytest.mark.parametrize("quote", ["東京都の人口", "東京", "ภาษาไทย", "ame at th"])
def test_scripts_without_spaces_and_parts_of_words_are_found(quote: str) -> None:
    corpus = {
        f"d{number}": "x" * number + " name at the 東京都の人口は多い ภาษาไทย" for number in (1,)
    }
    found = gainful.locate(corpus, golden(quote))
    (span,) = found.spans
    assert corpus["d1"][span.start : span.end] == quote


def test_many_documents_agree_with_a_search_of_each() -> None:
    random = Random(7)
    words = ["onion", "red", "red,", "lentil", "salt", "pan", "東京都", "oil.", "\n", "café"]
    corpus = {f"d{n}": " ".join(random.choices(words, k=40)) for n in range(60)}
    quotes = []
    for _ in range(150):
        text = corpus[f"d{random.randrange(60)}"]
        start = random.randrange(len(text) - 8)
        quotes.append(text[start : start + random.randrange(3, 25)])
    quotes = [quote for quote in quotes if quote.strip()]
    found = gainful.locate(
        corpus,
        [{"query_id": f"q{n}", "quote": quote} for n, quote in enumerate(quotes)],
        ambiguous="all",
    )
    for number, quote in enumerate(quotes):
        expected = {
            (document, start, start + len(quote))
            for document, text in corpus.items()
            for start in range(len(text))
            if text.startswith(quote, start)
        }
        actual = {
            (span.document, span.start, span.end)
            for span in found.spans
            if span.query == f"q{number}"
        }
        assert actual == expected


# --- ambiguous and missing quotes ---------------------------------------------------------------


def test_an_ambiguous_quote_is_listed_and_left_out() -> None:
    found = gainful.locate(CORPUS, golden("Add lentils.", "Add salt.", "Add oil."))
    assert spans(found) == [("dal.md", 13, 22, "exact")]
    problems = [(problem.problem, problem.places, problem.quote) for problem in found.problems]
    assert problems == [("ambiguous", 2, "Add lentils."), ("missing", 0, "Add oil.")]
    assert not found.is_complete
    assert found.located == 1
    assert "1 of 3 quotes located in 2 documents; 1 missing; 1 ambiguous." in str(found)


def test_the_first_place_can_be_used() -> None:
    found = gainful.locate(CORPUS, golden("Add lentils."), ambiguous="first")
    assert spans(found) == [("soup.md", 16, 28, "first")]
    assert found.is_complete


def test_all_places_are_alternatives() -> None:
    found = gainful.locate(CORPUS, golden("Add lentils.", "Add salt."), ambiguous="all")
    assert found.records()["group"] == ["1", "1", "2"]
    assert [span.match for span in found.spans] == ["alternative", "alternative", "exact"]


def test_an_ambiguous_quote_can_be_an_error() -> None:
    with pytest.raises(FormatError, match="occurs 2 times, first in 'soup.md' at 16"):
        gainful.locate(CORPUS, golden("Add lentils."), ambiguous="error")


def test_a_named_document_decides() -> None:
    found = gainful.locate(CORPUS, golden("Add lentils.", document_id="dal.md"))
    assert spans(found) == [("dal.md", 0, 12, "exact")]
    found = gainful.locate(CORPUS, golden("Add lentils.", "Add", source=["soup.md", "soup.md"]))
    assert spans(found) == [("soup.md", 16, 28, "exact"), ("soup.md", 16, 19, "exact")]


@pytest.mark.parametrize("name", ["corpus/soup.md", "/home/me/corpus/soup.md", "soup"])
def test_a_path_or_a_stem_names_a_document(name: str) -> None:
    found = gainful.locate(CORPUS, golden("Add lentils.", source=name))
    assert spans(found) == [("soup.md", 16, 28, "exact")]


def test_quotes_of_unknown_documents_are_searched_everywhere() -> None:
    quotes = ["Add salt.", "Add lentils.", "Add oil.", {"start": 1, "end": 2}]
    found = gainful.locate(CORPUS, golden(*quotes, document_id="stew.md"))
    assert spans(found) == [("dal.md", 13, 22, "exact")]
    assert [(problem.problem, problem.document) for problem in found.problems] == [
        ("ambiguous", "soup.md"),
        ("unknown document", "stew.md"),
        ("unknown document", "stew.md"),
    ]
    assert "1 named documents are not in the corpus; all were searched." in str(found)


def test_equal_places_of_a_query_are_one_span() -> None:
    found = gainful.locate(CORPUS, golden("Add salt.", "Add  salt."))
    assert len(found.spans) == found.repeated == 1


# --- given offsets ------------------------------------------------------------------------------


def test_right_offsets_choose_the_place() -> None:
    reference = {"content": "Add", "start_index": 13, "end_index": 16}
    found = gainful.locate(CORPUS, golden(reference, corpus_id="dal.md"))
    assert spans(found) == [("dal.md", 13, 16, "given")]


def test_wrong_offsets_are_reported_with_the_right_place() -> None:
    reference = {"content": "salt", "start_index": 3, "end_index": 7}
    found = gainful.locate(CORPUS, golden(reference, corpus_id="dal.md"))
    assert spans(found) == [("dal.md", 17, 21, "corrected")]
    (problem,) = found.problems
    assert (problem.problem, problem.given_start, problem.start) == ("wrong offsets", 3, 17)
    assert not found.is_complete


@pytest.mark.parametrize("reference", [{"start": 17, "end": 99}, {"start": 99, "end": 101}])
def test_offsets_beyond_the_text_are_wrong(reference: dict[str, int]) -> None:
    found = gainful.locate(CORPUS, golden({**reference, "document_id": "dal.md"}))
    assert [problem.problem for problem in found.problems] == ["wrong offsets"]
    assert not found.spans


def test_offsets_without_a_text_are_checked() -> None:
    found = gainful.locate(CORPUS, golden({"start": 17, "end": 21, "document_id": "dal.md"}))
    assert spans(found) == [("dal.md", 17, 21, "given")]


@pytest.mark.parametrize(("unit", "start"), [("characters", 2), ("utf16", 3), ("bytes", 5)])
def test_offsets_have_a_unit(unit: str, start: int) -> None:
    reference = {"text": "salt", "start": start, "document": "d"}
    found = gainful.locate({"d": "😀 salt, salt"}, golden(reference), unit=unit)  # type: ignore[arg-type]
    assert spans(found) == [("d", 2, 6, "given")]


def test_an_offset_inside_a_character_is_wrong() -> None:
    reference = {"text": "salt", "start": 1, "document": "d"}
    found = gainful.locate({"d": "😀salt"}, golden(reference), unit="utf16")
    assert [span.match for span in found.spans] == ["corrected"]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ({"text": "salt", "start": 5, "end": 3}, "the end 3 is before the start 5"),
        ({"text": "salt", "start": 1.5}, "an offset, a whole number"),
        ({"text": "salt", "start": -1}, "an offset, a whole number"),
        ({"text": "salt", "end": 3}, "the end 3 without a start"),
        ({"text": ""}, "no quote"),
        ({"text": ["a"]}, "a quote, which is text"),
    ],
)
def test_wrong_offsets_in_a_record_are_errors(reference: dict[str, object], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        gainful.locate(CORPUS, golden(reference))


# --- chunks in order ----------------------------------------------------------------------------


def test_repeated_chunks_follow_each_other() -> None:
    chunks = [{"text": "chunk"}] * 3
    found = gainful.locate({"d": "chunk chunk"}, chunks)
    assert [(span.start, span.end) for span in found.spans] == [(0, 5), (6, 11), (6, 11)]
    assert found.records()["match"] == ["order"] * 3


def chunk(text: str, start: int) -> dict[str, object]:
    return {"page_content": text, "metadata": {"source": "d", "start_index": start}}


# The first is what langchain-text-splitters 1.1.3 returns for chunks of 5 with an overlap of 5.
@pytest.mark.parametrize("texts", [("chunk", "chun", "chunk"), ("chunk", "chunk", "chunk")])
def test_offsets_of_a_splitter_that_repeats_the_first_place_are_corrected(
    texts: tuple[str, ...],
) -> None:
    found = gainful.locate({"d": "chunk chunk"}, [chunk(text, 0) for text in texts])
    assert [span.start for span in found.spans] == [0, 6, 6]
    assert [problem.problem for problem in found.problems] == ["wrong offsets"] * 2


def test_the_first_place_of_a_repeated_chunk_is_not_that_after_others() -> None:
    text = "Call us. One. Two. Call us. Three."
    chunks = [chunk("Call us. One.", 0), chunk("Two.", 14), chunk("Call us.", 0)]
    found = gainful.locate({"d": text}, chunks)
    assert [(span.start, span.match) for span in found.spans] == [
        (0, "given"),
        (14, "given"),
        (19, "corrected"),
    ]


def test_offsets_of_chunks_in_a_hierarchy_stay() -> None:
    text = "Call us. One. Call us. Two."
    chunks = [chunk(text[:13], 0), chunk("Call us.", 0), chunk("One.", 9), chunk(text[14:], 14)]
    found = gainful.locate({"d": text}, chunks)
    assert [(span.start, span.match) for span in found.spans] == [
        (start, "given") for start in (0, 0, 9, 14)
    ]


def test_right_offsets_of_chunks_in_another_order_stay() -> None:
    for order in ([0, 6], [6, 0]):
        found = gainful.locate({"d": "chunk chunk"}, [chunk("chunk", start) for start in order])
        assert [(span.start, span.match) for span in found.spans] == [
            (start, "given") for start in order
        ]


def test_a_chunk_inside_the_one_before_is_not_the_next() -> None:
    text = "Call us. Then pay. Call us. Then go."
    chunks = [{"text": "Call us. Then pay."}, {"text": "Call us."}, {"text": "Then go."}]
    found = gainful.locate({"d": text}, chunks)
    assert [span.start for span in found.spans] == [0, 19, 28]


def test_chunks_in_another_order_stay_ambiguous() -> None:
    chunks = [{"text": "end."}, {"text": "same"}, {"text": "Begin"}]
    found = gainful.locate({"d": "Begin same same end."}, chunks)
    assert [problem.problem for problem in found.problems] == ["ambiguous"]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["aa", "ab", "b"]), min_size=1, max_size=12))
def test_chunks_that_are_the_whole_text_are_where_they_were_cut(parts: list[str]) -> None:
    text = "|".join(parts)
    places, start = [], 0
    for part in parts:
        places.append(start)
        start += len(part) + 1
    found = gainful.locate(
        {"d": text}, [{"text": f"{part}|"} for part in parts[:-1]] or [{"text": text}]
    )
    if len(parts) > 1:
        assert [span.start for span in found.spans] == places[:-1]


# --- layouts ------------------------------------------------------------------------------------


def test_nested_lists_are_groups() -> None:
    found = gainful.locate(CORPUS, golden(["onions", "salt"], "lentils.\u0020Add"))
    assert found.records()["group"] == ["1", "1", "2"]


def test_named_groups_and_weights_are_kept() -> None:
    rows = [
        {"query_id": "q1", "quote": "onions", "group": "g", "weight": 2},
        {"query_id": "q1", "quote": "salt", "group": "h"},
    ]
    records = gainful.locate(CORPUS, rows).records()
    assert (records["group"], records["weight"]) == (["g", "h"], [2.0, 1.0])


@pytest.mark.parametrize(
    "record",
    [
        {"user_input": "q", "reference_contexts": ["Add salt."]},
        {"question": "q", "references": [{"content": "Add salt."}]},
        {"query": "q", "contexts": "Add salt."},
        {"input": "q", "context": ["Add salt."], "retrieval_context": ["Fry"]},
        {"inputs": {"question": "q"}, "outputs": {"reference_contexts": ["Add salt."]}},
        {"id": "q", "question": "What?", "quotes": ["Add salt."]},
    ],
)
def test_golden_sets_of_tools_are_read(record: dict[str, object]) -> None:
    found = gainful.locate(CORPUS, [record])
    assert found.kind == "qrels"
    assert [(span.query, *row) for span, row in zip(found.spans, spans(found), strict=True)] == [
        ("q", "dal.md", 13, 22, "exact")
    ]


@pytest.mark.parametrize(
    "record",
    [
        {"user_input": "q", "retrieved_contexts": ["Add salt.", "Fry"]},
        {"query": "q", "results": [{"text": "Add salt.", "score": 2}, {"text": "Fry", "score": 1}]},
        {
            "query": "q",
            "source_nodes": [{"node": {"text": "Add salt."}}, {"node": {"text": "Fry"}}],
        },
    ],
)
def test_what_a_system_returned_is_a_run(record: dict[str, object]) -> None:
    found = gainful.locate(CORPUS, [record])
    assert found.kind == "run"
    assert [(span.rank, span.document) for span in found.spans] == [(1, "dal.md"), (2, "soup.md")]


@pytest.mark.parametrize(
    ("record", "columns"),
    [
        (
            {"asked": "q", "passage": "Add", "from": "dal.md", "quote": "Fry"},
            {"query": "asked", "quote": "passage", "doc": "from"},
        ),
        (
            {"asked": "q", "proofs": [{"words": "Add", "in": "dal.md", "text": "Fry"}]},
            {"query": "asked", "quote": "proofs[].words", "doc": "proofs[].in"},
        ),
    ],
)
def test_fields_can_be_named(record: dict[str, object], columns: dict[str, str]) -> None:
    found = gainful.locate(CORPUS, [record], columns=columns, ambiguous="first")
    assert (found.spans[0].query, *spans(found)[0]) == ("q", "dal.md", 0, 3, "first")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"passage": "quotes"}, "found 'passage', expected one of query, quote"),
        ({"quote": "passage"}, "no field 'passage' .query_id, quotes"),
    ],
)
def test_named_fields_exist(columns: dict[str, str], message: str) -> None:
    with pytest.raises(GainfulError, match=message):
        gainful.locate(CORPUS, golden("Add"), columns=columns)


def test_grades_are_kept() -> None:
    rows = [
        {"query_id": "q1", "quote": "Fry", "grade": "2"},
        {"query_id": "q1", "quote": "salt", "grade": 0},
        {"query_id": "q1", "quote": "onions", "score": 0.5, "label": "easy"},
    ]
    assert gainful.locate(CORPUS, rows).records()["grade"] == [2, 0, 1]


@pytest.mark.parametrize("quotes", [[], None, ""])
def test_a_query_without_quotes_is_counted(quotes: object) -> None:
    found = gainful.locate(CORPUS, [*golden("Fry"), {"query_id": "q2", "quotes": quotes}])
    assert (found.queries, found.empty, found.is_complete) == (2, 1, True)
    assert "1 of 2 queries have no quotes." in str(found)


def test_the_kind_can_be_chosen() -> None:
    record = {"user_input": "q", "reference_contexts": ["Fry"], "retrieved_contexts": ["Add salt."]}
    assert spans(gainful.locate(CORPUS, [record])) == [("soup.md", 0, 3, "exact")]
    assert spans(gainful.locate(CORPUS, [record], kind="run")) == [("dal.md", 13, 22, "exact")]


def test_nodes_of_llamaindex_are_chunks() -> None:
    node = {
        "id_": "n1",
        "text": "Add salt.",
        "start_char_idx": 13,
        "end_char_idx": 22,
        "relationships": {"1": {"node_id": "dal.md"}},
    }
    found = gainful.locate(CORPUS, [node])
    assert found.records() == {
        "chunk_id": ["n1"],
        "document_id": ["dal.md"],
        "start": [13],
        "end": [22],
        "match": ["given"],
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gold.jsonl", '{"query_id": "q1", "quote": "Add salt."}\n'),
        ("gold.json", '[{"query_id": "q1", "quote": "Add salt."}]'),
        ("goldens.json", '{"goldens": [{"query_id": "q1", "quote": "Add salt."}]}'),
        ("by-id.json", '{"q1": {"question": "What?", "quotes": ["Add salt."]}}'),
        ("gold.csv", "query_id,quote\nq1,Add salt.\n"),
        ("gold.tsv", "query_id\tquote\nq1\tAdd salt.\n"),
        (
            "chroma.csv",
            'question,references,corpus_id\nq1,"[{""content"": ""Add salt."",'
            ' ""start_index"": 13, ""end_index"": 22}]",dal.md\n',
        ),
        ("ragas.csv", "user_input,reference_contexts\nq1,\"['Add salt.']\"\n"),
        ("numpy.csv", "user_input,reference_contexts\nq1,\"['Add salt.' 'onions']\"\n"),
    ],
)
def test_files_are_read(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    found = gainful.locate(CORPUS, path)
    assert (found.spans[0].query, *spans(found)[0][:3]) == ("q1", "dal.md", 13, 22)
    assert found.is_complete


def test_tables_are_read(tmp_path: Path) -> None:
    need("pandas")
    need("pyarrow")
    import pandas as pd

    columns = {"question": ["q1"], "reference_contexts": [["Add salt.", "onions"]]}
    frame = pd.DataFrame(columns)
    frame.to_parquet(tmp_path / "gold.parquet")
    expected = [("dal.md", 13, 22, "exact"), ("soup.md", 8, 14, "exact")]
    for quotes in (columns, frame, tmp_path / "gold.parquet"):
        assert spans(gainful.locate(CORPUS, quotes)) == expected


def test_documents_of_langchain_are_chunks() -> None:
    need("langchain_core")
    from langchain_core.documents import Document

    metadata = {"source": "corpus/dal.md", "start_index": 13}
    chunks = [Document(page_content="Add salt.", metadata=metadata)]
    assert spans(gainful.locate(CORPUS, chunks)) == [("dal.md", 13, 22, "given")]


def test_located_files_are_judgments_and_runs(tmp_path: Path) -> None:
    gold = [{"query_id": "q1", "quote": "Add salt.", "group": "g", "weight": 2}]
    hits = [
        {"text": "Add salt.", "score": 2.5, "tokens": 3},
        {"text": "Fry", "score": 1, "tokens": 1},
    ]
    gainful.locate(CORPUS, gold).save(tmp_path / "gold.tsv")
    gainful.locate(CORPUS, [{"query_id": "q1", "results": hits}]).save(tmp_path / "run.tsv")
    qrels = gainful.read_qrels(tmp_path / "gold.tsv", subtopics=True)
    assert qrels.to_dict() == {"q1": {"g;weight=2": {"dal.md#char=13,22": 1}}}
    run = gainful.read_run(tmp_path / "run.tsv")
    assert run["q1"] == [("dal.md#char=13,22;tokens=3", 2.5), ("soup.md#char=0,3;tokens=1", 1.0)]


def test_a_chunk_with_a_context_is_no_evidence() -> None:
    found = gainful.locate(CORPUS, [{"id": "c1", "text": "Add salt.", "context": "Of a recipe"}])
    assert (found.kind, found.spans[0].chunk) == ("chunks", "c1")


@pytest.mark.parametrize(
    ("quotes", "message"),
    [
        ([], "no records"),
        ([{"query_id": "q1"}], "expected a field with quotes"),
        ([{"quote": "Add salt."}, {"query_id": "q1"}], "quotes, row 1: no quote"),
        ([5], "expected an object with fields"),
        (
            [{"query_id": "q1", "quotes": ["a", "b", "c"], "source": ["x", "y"]}],
            "2 documents for 3",
        ),
    ],
)
def test_what_cannot_be_read_is_refused(quotes: object, message: str) -> None:
    with pytest.raises(GainfulError, match=message):
        gainful.locate(CORPUS, quotes)


@pytest.mark.parametrize("option", [{"kind": "x"}, {"ambiguous": "x"}, {"unit": "x"}])
def test_unknown_options_are_refused(option: dict[str, str]) -> None:
    with pytest.raises(ParameterError, match="found 'x', expected one of"):
        gainful.locate(CORPUS, golden("a"), **option)  # type: ignore[arg-type]


def test_alternatives_are_only_for_evidence() -> None:
    with pytest.raises(ParameterError, match="expected skip, first or error"):
        gainful.locate(CORPUS, [{"text": "Add"}], ambiguous="all")


# --- folders ------------------------------------------------------------------------------------


def test_a_folder_of_text_files_is_a_corpus(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.md").write_bytes(b"\xef\xbb\xbfFry.\r\nAdd salt.")
    (tmp_path / "b.txt").write_text("Add oil.", "utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / ".hidden.md").write_text("Add salt.", "utf-8")
    found = gainful.locate(tmp_path, golden("Fry. Add salt.", "Add oil."))
    assert spans(found) == [("a/x.md", 0, 15, "normalized"), ("b.txt", 0, 8, "exact")]
    assert found.documents == 2


@pytest.mark.parametrize("record", ['{"_id": "soup.md", "story": "a"}', '{"_id": "soup.md"}'])
def test_documents_without_texts_are_refused(tmp_path: Path, record: str) -> None:
    """Otherwise every quote would be missing, which blames the quotes."""
    (tmp_path / "corpus.jsonl").write_text(f"{record}\n")
    with pytest.raises(FormatError, match="no document has a text. Hint: .* text, "):
        gainful.locate(tmp_path / "corpus.jsonl", golden("a"))


def test_a_folder_without_documents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GainfulError, match=r"a folder may have text files \(\.txt"):
        gainful.locate(tmp_path, golden("a"))


def test_real_spans_are_found_at_their_offsets(shared_data: Path) -> None:
    """A corpus with the public offsets has each gold span where the offsets say."""
    rows = (shared_data / "spans" / "qrels.spans.tsv").read_text("utf-8").splitlines()[1:]
    wanted = [row.split("\t") for row in rows]
    random = Random(3)
    length = {}
    for _, document, _, end, _ in wanted:
        length[document] = max(int(end), length.get(document, 0))
    corpus = {
        document: "".join(random.choices("abcdefgh \n", k=size))
        for document, size in length.items()
    }
    quotes = [
        {"query_id": query, "document": document, "quote": corpus[document][int(start) : int(end)]}
        for query, document, start, end, _ in wanted
    ]
    found = gainful.locate(corpus, quotes)
    records = found.records()
    places = zip(
        records["query_id"], records["document_id"], records["start"], records["end"], strict=True
    )
    assert {(*map(str, place),) for place in places} == {(*row[:4],) for row in wanted}
    assert found.is_complete
