"""Titles and query texts are read from all formats of collections."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import threading
import time
import zipfile
from pathlib import Path

import pytest

from gainful.data.corpus import Text, Texts, read_documents, read_queries
from gainful.errors import (
    ArgumentError,
    ColumnError,
    FormatError,
    SourceError,
    SourceNotFoundError,
)

FILES = Path(__file__).parent / "corpus"
RED = Text("Red boots", "Leather.")


class TestDocuments:
    def test_json_lines_under_many_names(self) -> None:
        texts = read_documents(FILES / "docs.jsonl")
        assert texts.found == {
            "d1": Text("Red boots", "Leather, waterproof."),
            "d2": Text("", "Green wellingtons\nfor gardens"),
            "d3": Text("", "One sentence. Another."),
            "4": Text("Boot polish", "Black."),
        }
        assert texts.duplicates == 1, "the first d1 is kept, the second counted"

    def test_csv_with_quotes_and_a_byte_order_mark(self) -> None:
        texts = read_documents(FILES / "docs.csv")
        assert texts.found["d1"] == Text("Red boots", 'Leather, and "waterproof".')
        assert texts.found["d2"].snippet == "Two lines – Second."

    @pytest.mark.parametrize(
        "content",
        [
            'd1;"Red boots, tall"\nd2;x, y\n',
            'doc id;text;\nd1;"Red boots, tall";\n',
            "id;TEXT;note;note\nd1;Red boots, tall;x;y\n",
            "_id;doc_id;text\n7;d1;Red boots, tall\n",
        ],
    )
    def test_semicolons(self, content: str, tmp_path: Path) -> None:
        path = tmp_path / "docs.csv"
        path.write_text(content)
        assert read_documents(path).found["d1"] == Text("", "Red boots, tall")

    def test_tsv_has_no_quoting(self) -> None:
        texts = read_documents(FILES / "docs.tsv")
        assert texts.found["d1"] == Text('Red "boots', "Leather.")
        assert texts.found["d2"] == Text("", "Green wellingtons.")

    def test_trec_markup(self) -> None:
        texts = read_documents(FILES / "docs.trec")
        assert texts.found == {
            "FT911-3": Text("FT 14 MAY 91 / Boots & shoes", "Leather boots are dear."),
            "d2": Text("", "Green wellingtons."),
        }

    def test_one_json_document(self) -> None:
        texts = read_documents(FILES / "docs.json")
        assert texts.found == {"d1": RED, "d2": Text("", "Green wellingtons.")}

    def test_a_json_list(self, tmp_path: Path) -> None:
        path = tmp_path / "docs.json"
        path.write_text('[{"id": "d1", "title": "Red boots", "text": "Leather."}]')
        assert read_documents(path).found == {"d1": RED}

    @pytest.mark.parametrize("name", ["docs.jsonl", "docs.csv", "docs.tsv", "docs.trec"])
    def test_only_requested_documents_are_read(self, name: str) -> None:
        assert list(read_documents(FILES / name, {"d2", "d99"}).found) == ["d2"]

    def test_duplicates_of_other_documents_are_ignored(self) -> None:
        assert read_documents(FILES / "docs.jsonl", ["d2"]).duplicates == 0

    def test_mappings(self) -> None:
        texts = read_documents({"d1": {"title": "Red boots", "text": "Leather."}, "d2": "Green"})
        assert texts.found == {"d1": RED, "d2": Text("", "Green")}
        assert read_documents(texts) is texts

    def test_several_files_are_one_collection(self, tmp_path: Path) -> None:
        more = tmp_path / "more.jsonl"
        more.write_text('{"_id": "d9", "text": "Nine."}\n')
        found = read_documents([FILES / "docs.tsv", str(more)]).found
        assert list(found) == ["d1", "d2", "d9"]

    @pytest.mark.parametrize(("opener", "end"), [(gzip, "gz"), (bz2, "bz2"), (lzma, "xz")])
    def test_compressed(self, opener: object, end: str, tmp_path: Path) -> None:
        path = tmp_path / f"docs.jsonl.{end}"
        path.write_bytes(opener.compress((FILES / "docs.jsonl").read_bytes()))  # type: ignore[attr-defined]
        assert read_documents(path).found == read_documents(FILES / "docs.jsonl").found

    def test_a_zip_with_other_files(self, tmp_path: Path) -> None:
        path = tmp_path / "all.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.write(FILES / "docs.csv", "set/corpus_train.csv")
            archive.write(FILES / "queries.csv", "set/queries.csv")
        assert set(read_documents(path).found) == {"d1", "d2"}
        assert read_queries(path).found["q1"].text == "boots, red"

    def test_a_beir_folder(self, tmp_path: Path) -> None:
        (tmp_path / "corpus.jsonl.gz").write_bytes(
            gzip.compress((FILES / "docs.jsonl").read_bytes())
        )
        (tmp_path / "queries.jsonl").write_bytes((FILES / "queries.jsonl").read_bytes())
        assert read_documents(tmp_path, ["d1"]).found["d1"].title == "Red boots"
        assert read_queries(tmp_path, ["q1"]).found["q1"].text == "winter boots"

    def test_invalid_utf8(self, tmp_path: Path) -> None:
        path = tmp_path / "docs.tsv"
        path.write_bytes(b"docid\ttext\nd\xff\tcaf\xe9\n")
        assert read_documents(path).found == {"d\udcff": Text("", "caf\ufffd")}

    def test_long_lines(self, tmp_path: Path) -> None:
        path = tmp_path / "docs.csv"
        path.write_text(f'id,text\nd1,"{"long " * 100_000}"\n')
        assert len(read_documents(path).found["d1"].text) == 500_000


class TestQueries:
    def test_tab_without_a_header(self) -> None:
        assert read_queries(FILES / "queries.tsv").found["1"].text == "winter boots"

    def test_csv(self) -> None:
        assert read_queries(FILES / "queries.csv").found["q1"].text == "boots, red"

    def test_json_lines(self) -> None:
        found = read_queries(FILES / "queries.jsonl").found
        assert {name: text.text for name, text in found.items()} == {
            "q1": "winter boots",
            "2": "garden shoes",
        }

    def test_topics(self) -> None:
        found = read_queries(FILES / "topics.trec").found
        assert found["051"].text == "Winter boots"
        assert found["52"].text == "GARDEN SHOES"

    def test_a_topic_number_with_zeros_before_it(self) -> None:
        assert read_queries(FILES / "topics.trec", ["51"]).found["51"].text == "Winter boots"

    def test_topics_with_attributes(self) -> None:
        assert read_queries(FILES / "topics.xml").found["201"].text == "raspberry pi"


class TestWhatCannotBeRead:
    @pytest.mark.parametrize(
        ("content", "error", "says"),
        [
            (b"", FormatError, "the file is empty"),
            (b"name,text\nx,y\n", ColumnError, "the columns name, text"),
            (b"kind,text\nx,y\n", ColumnError, "expected a column for document ids (docno, doc_id"),
            (b"id;text;text\nx;y;z\n", ColumnError, "several columns called 'text'"),
            (
                b"doc_id,DocID,text\nx,y,z\n",
                ColumnError,
                "several columns called 'doc_id', 'DocID'",
            ),
            (b"id,text\nx,y,z\n", FormatError, "line 2: found 3 fields, expected 2"),
            (b'{"_id": "d1"}\n{"text": "no id"}\n', FormatError, "line 2"),
            (b'{"_id": "d1"}\n\n{"_id": \n', FormatError, "line 3: not a JSON object"),
            (b'["d1", "d2"]', FormatError, "found str"),
            (b"[1", FormatError, "not JSON lines"),
            (b"id,text\n,nothing\n", FormatError, "line 2"),
            (b"<DOC>\n<TEXT>x</TEXT>\n</DOC>\n", FormatError, "<DOCNO>"),
            (b"<html>\n</html>\n", FormatError, "no <DOC>"),
            (b"\x28\xb5\x2f\xfd....", SourceError, "the compressed file is damaged"),
            (gzip.compress(b'{"_id": "d1"}\n' * 999, mtime=0)[:-20], SourceError, "is truncated"),
            (lzma.compress(b'{"_id": "d1"}\n' * 999)[:-20], SourceError, "is truncated"),
            (b"PK\x03\x04 and no more", SourceError, "cannot read the file"),
        ],
    )
    def test_the_error_names_file_and_line(
        self, content: bytes, error: type[Exception], says: str, tmp_path: Path
    ) -> None:
        path = tmp_path / "docs.any"
        path.write_bytes(content)
        with pytest.raises(error) as caught:
            read_documents(path)
        assert says in str(caught.value)
        assert "docs.any" in str(caught.value)

    def test_a_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(SourceNotFoundError, match="nowhere"):
            read_documents(tmp_path / "nowhere.jsonl")

    def test_a_folder_of_something_else(self, tmp_path: Path) -> None:
        with pytest.raises(SourceNotFoundError, match="corpus.jsonl"):
            read_documents(tmp_path)

    def test_a_zip_of_unnamed_files(self, tmp_path: Path) -> None:
        path = tmp_path / "all.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.csv", "id,text\n")
            archive.writestr("b.csv", "id,text\n")
        with pytest.raises(FormatError, match=r"2 files \(a\.csv, b\.csv\)"):
            read_documents(path)

    @pytest.mark.parametrize("source", [3, {"d1": 3}])
    def test_objects_without_texts_are_errors(self, source: object) -> None:
        with pytest.raises(ArgumentError):
            read_documents(source)  # type: ignore[arg-type]


def test_real_collections(shared_data: Path) -> None:
    zipped = shared_data / "scifact" / "scifact-hf.zip"
    found = read_documents(zipped, ["4983", "4983000"]).found
    assert list(found) == ["4983"]
    assert found["4983"].title.startswith("Microstructural development of human newborn")
    assert read_queries(zipped, ["7"]).found["7"].text.startswith("10-20% of people")
    abstracts = read_documents(shared_data / "vaswani" / "doc-text.trec", ["1", "11429"]).found
    assert len(abstracts) == 2
    topics = read_queries(shared_data / "vaswani" / "query-text.trec").found
    assert len(topics) == 93


def test_other_fields_are_those_that_are_no_id_title_or_text(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text('{"_id": "d", "title": "t", "text": "x", "body": "y", "year": 9, "tag": ""}\n')
    others = (("body", "y"), ("year", "9"))
    assert read_documents(path, all_fields=True).found == {"d": Text("t", "x", others)}


def test_repr() -> None:
    assert repr(Texts({"d1": RED})) == "<Texts of 1 ids>"


@pytest.mark.parametrize(
    "content",
    ['{"_id": "\\ud83d2", "text": "soup"}\n', '{"\\ud83d": "soup"}\n', '[{"_id": "\\ud83d"}]'],
)
def test_an_id_with_half_a_character_is_an_error(content: str, tmp_path: Path) -> None:
    path = tmp_path / "corpus.json"
    path.write_text(content)
    with pytest.raises(FormatError, match="the document's id .* has a lone surrogate"):
        read_documents(path)


@pytest.mark.skipif(os.name != "posix", reason="no named pipes")
def test_the_format_is_found_if_a_pipe_delivers_single_bytes(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    content = gzip.compress(b'{"_id": "1", "title": "Red boots", "text": "Leather."}\n')

    def write() -> None:
        with open(fifo, "wb", buffering=0) as pipe:
            for at in range(len(content)):
                pipe.write(content[at : at + 1])
                time.sleep(0.002 if at < 8 else 0)

    writer = threading.Thread(target=write)
    writer.start()
    assert read_documents(fifo).found == {"1": RED}
    writer.join()
