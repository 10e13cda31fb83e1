"""Long names of systems, shortened so that they stay distinct."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from html import escape

from gainful.formats.table import cut

__all__ = ["MOST", "render_name", "shorten_names"]

#: The characters of a name that is not shortened.
MOST = 26


@lru_cache(maxsize=8)
def shorten_names(names: tuple[str, ...]) -> dict[str, str]:
    """Return names without their middle part, by full name; names that become equal stay longer.

    Examples
    --------
    >>> shorten_names(("bm25", "org/multilingual-embeddings-large-v1"))
    {'bm25': 'bm25', 'org/multilingual-embeddings-large-v1': 'org/multiling…ngs-large-v1'}
    """
    short = {name: cut(name, MOST, middle=True) for name in names}
    most = MOST
    while most < max(map(len, names), default=0):
        counts = Counter(short.values())
        alike = [name for name in names if counts[short[name]] > 1]
        if not alike:
            break
        most += 4
        short.update({name: cut(name, most, middle=True) for name in alike})
    return short


def render_name(names: tuple[str, ...], name: str) -> str:
    """Return the short form of a name as HTML, with the whole name as its tooltip."""
    short = shorten_names(names).get(name, name)
    if short == name:
        return escape(name)
    return f'<span title="{escape(name)}">{escape(short)}</span>'
