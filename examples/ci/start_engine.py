"""Index the small shop that comes with Gainful, with its queries and judgments, in this folder.

Replace it with the commands that start your search engine and load your documents.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from gainful.demo import products
from gainful.demo.collection import qrels_path, queries_path

HERE = Path(__file__).parent


def main() -> None:
    """Write shop.db, queries.tsv and qrels.txt."""
    shutil.copy(queries_path(), HERE / "queries.tsv")
    shutil.copy(qrels_path(), HERE / "qrels.txt")
    (HERE / "shop.db").unlink(missing_ok=True)
    with closing(sqlite3.connect(HERE / "shop.db")) as database:
        database.execute(
            "create virtual table products using fts5("
            "doc_id unindexed, title, brand, category, description, tokenize = 'porter')"
        )
        database.executemany("insert into products values (?, ?, ?, ?, ?)", products())
        database.commit()


if __name__ == "__main__":
    main()
