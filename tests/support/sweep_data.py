"""Systems with settings, for tests of sweeps."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gainful.demo import products
from gainful.demo.collection import qrels_path, queries_path

QUERIES, QRELS = str(queries_path()), str(qrels_path())

DESCRIPTION = """\
engine = "sqlite"
database = "shop.db"
sql = '''
select doc_id, -bm25(products, 0, {{title}}, {{brand}}, 2, 1) as score
from products where products match {{query|fts5_any}}
order by score desc, doc_id limit {{k}}
'''

[settings]
title = 8
brand = 4
"""


def made_shop(folder: Path) -> Path:
    """Write a database and its description to a folder; return the description's path."""
    database = sqlite3.connect(folder / "shop.db")
    database.execute(
        "create virtual table products using fts5(doc_id unindexed, title, brand, category,"
        " description, tokenize = 'porter unicode61')"
    )
    database.executemany("insert into products values (?, ?, ?, ?, ?)", products())
    database.commit()
    database.close()
    path = folder / "shop.toml"
    path.write_text(DESCRIPTION, encoding="utf-8")
    return path


THINGS = {f"q{number}": f"thing {number}" for number in range(12)}
GOOD = {f"q{number}": {f"good{number}": 1} for number in range(12)}


class Shelf:
    """A system with a weight that records its searches."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.fails: set[tuple[str, str]] = set()
        self.prefix = "good"

    def __call__(self, weight: Any = 1, odd: str = "") -> Callable[[str, int], Any]:
        def search(text: str, k: int) -> list[tuple[str, float]]:
            self.asked.append((str(weight), text))
            if (str(weight), text) in self.fails:
                raise ValueError(f"no {text} today")
            number = int(text.split()[-1])
            # The weight decides the rank of the relevant document.
            place = (number * weight) % 4
            ranked = [f"n{number}-{at}" for at in range(4)]
            ranked.insert(place, f"{self.prefix}{number}")
            return [(doc, float(-at)) for at, doc in enumerate(ranked)][:k]

        return search
