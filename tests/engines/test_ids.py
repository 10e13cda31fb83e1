"""Ids of any kind come back as they were indexed."""

from __future__ import annotations

from pathlib import Path

import gainful
from engine_descriptions import string_of, written
from engine_server import Document, Server

IDS = [
    *('a"b', "a'b", "back\\slash", "a/b?c=d&e#f", "{{query}}", "${HOME}", "<b>&amp;</b>", "%20"),
    *("\U0001f97e", "日本語", "caf\u00e9", "cafe\u0301", "007", "7", "null", "_x", "-1", "1e3"),
    *("with space", " leading", "trailing ", "tab\there", "new\nline", "x" * 400),
]


def test_ids(server: Server, tmp_path: Path) -> None:
    server.create("ids")
    # The longer the text, the lower its score: the order is known.
    server.add("ids", [Document(id, {"text": "boots" + " lamp" * at}) for at, id in enumerate(IDS)])
    system = written(string_of(server, "ids", "text"), tmp_path)
    run = gainful.search(system, {"q1": "boots"}, journal=tmp_path / "journal")
    assert [document for document, _ in run["q1"]] == IDS
    assert [score for _, score in run["q1"]] == sorted((s for _, s in run["q1"]), reverse=True)
    # From the journal, where they went through SQLite.
    again = gainful.search(system, {"q1": "boots"}, journal=tmp_path / "journal")
    assert again.account is not None
    assert again.account.reused == 1
    assert again["q1"] == run["q1"]
    run.write(tmp_path / "run.jsonl")
    assert gainful.read_run(tmp_path / "run.jsonl")["q1"] == run["q1"]
