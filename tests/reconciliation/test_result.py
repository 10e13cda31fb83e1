"""Reconciliation: frozen, with a schema, and independent of the number of threads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gainful
import gainful.report
from json_schema import errors, schema_of
from reconcile_data import collection

TYPE_CHECKING = False


def test_the_result_is_frozen_and_matches_its_schema(small_files: Path) -> None:
    schema = schema_of("reconciliation")
    for reported in ("0.6118", "0.0123"):
        found = gainful.reconcile("qrels.txt", "bm25.run", reported, "AP")
        document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert errors(document, schema) == []
        assert document["schema"] == "gainful.reconciliation/1"
        with pytest.raises(AttributeError):
            found.searched = 0  # type: ignore[misc]
        assert max(map(len, str(found).splitlines())) <= 100
        assert "<table>" in found._repr_html_()
        assert "policies different from a preset" not in str(found)
        limited = found.replace(farthest=3).combined_with(found.replace(farthest=4))
        assert "with at most 3 policies different from a preset." in str(limited)
    document["nearest"][0]["value"] = "0.5"
    assert [error.partition(":")[0] for error in errors(document, schema)] == ["$.nearest[0].value"]


def test_it_exports_its_matches(small_files: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    found = gainful.reconcile("qrels.txt", "bm25.run", "0.6118", "AP")
    table = pyarrow.table(found)
    assert table.num_rows == len(found.matches)
    assert table.column("value")[0].as_py() == found.matches[0].value


def test_threads_change_nothing() -> None:
    qrels, run = collection("threads", 12)
    measure = "nDCG(gain='linear', discount='log2')@5"
    one = gainful.reconcile(qrels, run, "0.51", measure, threads=1)
    three = gainful.reconcile(qrels, run, "0.51", measure, threads=3)
    assert three.to_dict() == one.to_dict()


def test_notes_are_wrapped_sentences() -> None:
    qrels, run = collection("pages")
    found = gainful.reconcile(qrels, run, "0.5", "P@5")
    (table,) = found.tables()
    assert 0 < len(table.rows) <= len(found.matches)
    assert all(note.endswith(".") for note in table.notes)
    assert " ".join(str(found).split()).endswith(" ".join(table.notes[-1].split()))
