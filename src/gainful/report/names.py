"""Long names of systems, shortened so that they stay distinct."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from html import escape

from gainful.formats.table import cut

__all__ = ["MOST", "render_name", "shorten_names"]

#: The characters of a name that is not shortened.
MOST = 26

#: The characters that are kept of the start and of the end of a name.
LEAST = 4


@lru_cache(maxsize=8)
def shorten_names(names: tuple[str, ...]) -> dict[str, str]:
    """Return names without a part of their middle, by full name.

    Names that would become equal are cut elsewhere, and stay longer if that does not help.

    Examples
    --------
    >>> shorten_names(("bm25", "org/multilingual-embeddings-large-v1"))
    {'bm25': 'bm25', 'org/multilingual-embeddings-large-v1': 'org/multiling…ngs-large-v1'}
    >>> shorten_names(("org/gte-large-v1-tuned-msmarco", "org/gte-large-v2-tuned-msmarco")).values()
    dict_values(['org/gte-la…1-tuned-msmarco', 'org/gte-la…2-tuned-msmarco'])
    """
    short = {name: cut(name, MOST, middle=True) for name in names}
    most = MOST
    while alike := _alike(short):
        # The places nearest to the middle come first.
        for end in sorted(range(LEAST, most - LEAST), key=lambda end: abs(2 * end + 1 - most)):
            tried = short | {name: cut(name, most, end=end) for name in alike}
            if not _alike(tried):
                return tried
        most += 4
        if most >= max(map(len, alike)):
            return short | {name: name for name in alike}
    return short


def _alike(short: dict[str, str]) -> list[str]:
    """Return the names whose short form is that of another name."""
    counts = Counter(short.values())
    return [name for name, form in short.items() if counts[form] > 1]


def render_name(names: tuple[str, ...], name: str) -> str:
    """Return the short form of a name as HTML, with the whole name as its tooltip."""
    short = shorten_names(names).get(name, name)
    if short == name:
        return escape(name)
    return f'<span title="{escape(name)}">{escape(short)}</span>'
