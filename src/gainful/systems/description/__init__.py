"""Systems described in TOML: reading, checking, settings and templates.

The code that creates a system reads the keys one by one:

>>> from gainful.systems.description import read_description
>>> read = read_description({"engine": "bm25", "corpus": "docs.jsonl", "k1": 1.2})
>>> read.path("corpus"), read.number("k1"), read.number("b", 0.75)
('docs.jsonl', 1.2, 0.75)
>>> read.finish()
"""

from __future__ import annotations

from gainful.systems.description.loading import ENGINES, read_description

__all__ = ["ENGINES", "read_description"]
