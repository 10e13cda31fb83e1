"""Start a search engine with the demo shop in it, until Ctrl-C.

    python tools/engines/serve.py opensearch [PORT]

It listens on the loopback interface alone, and what it wrote is gone when it ends.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import signal
import sys
import tempfile
from pathlib import Path

from engine_folders import SEARCH_ENGINES, installed
from engine_server import Document, Server

PRODUCTS = Path(__file__).resolve().parents[2] / "src" / "gainful" / "demo" / "products.jsonl"


def shop() -> list[Document]:
    """Return the products of the demo shop."""
    documents = []
    for line in PRODUCTS.read_text("utf-8").splitlines():
        fields = json.loads(line)
        documents.append(Document(fields.pop("doc_id"), fields))
    return documents


def main() -> int:
    """Serve the shop."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("engine", choices=SEARCH_ENGINES)
    parser.add_argument("port", type=int, nargs="?", default=0, help="a free one if left out")
    given = parser.parse_args()
    if installed(given.engine) is None:
        print(f"Install it first: {sys.executable} tools/engines/install_engines.py {given.engine}")
        return 1
    with (
        tempfile.TemporaryDirectory() as home,
        Server(given.engine, Path(home), given.port) as server,
    ):
        server.create("shop")
        count = server.add("shop", shop())
        print(f"{server.url} has {count} products in the index shop. Ctrl-C ends it.", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            signal.pause()
    return 0


if __name__ == "__main__":
    sys.exit(main())
