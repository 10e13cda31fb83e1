"""More documents than anybody reads."""

from __future__ import annotations

from pathlib import Path

import gainful
from engine_descriptions import string_of, written
from engine_server import Document, Server

MANY = 10_500


def test_deep_answers(server: Server, tmp_path: Path) -> None:
    server.create("deep")
    for start in range(0, MANY, 5000):
        at = range(start, min(start + 5000, MANY))
        server.add("deep", [Document(f"d{i}", {"text": "boots" + " x" * (i % 7)}) for i in at])
    system = written(string_of(server, "deep", "text"), tmp_path)
    run = gainful.search(system, {"q1": "boots"}, k=10_000)
    assert len({document for document, _ in run["q1"]}) == 10_000

    deeper = gainful.search(system, {"q1": "boots"}, k=10_400, quiet=True)
    if server.name == "solr":
        assert len(deeper["q1"]) == 10_400
    else:
        # Their window ends at 10,000, and they say so.
        assert "Result window is too large" in deeper.failed["q1"]
        assert deeper.account is not None
        assert deeper.account.retried == 0
