"""The few-shot examples that a file of labels by a language model names."""

from __future__ import annotations

import json

from gainful.data.decompressed import opened
from gainful.data.paths import uncompressed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Pair = tuple[str, str]

__all__ = ["example_pairs", "read_examples"]

#: The key of a line with examples, as `gainful.judge_llm` writes it.
_KEY = b'"examples"'


def read_examples(path: str | None) -> set[Pair]:
    """Return the queries and documents whose grades a model saw, from a file of its labels.

    Parameters
    ----------
    path : str or None
        The file. Only JSON lines, as `gainful.judge_llm` writes them, name examples.

    Raises
    ------
    SourceError
        If the file cannot be read.

    Examples
    --------
    >>> read_examples("qrels.txt")
    set()
    """
    if path is None or not uncompressed(path.lower()).endswith(".jsonl"):
        return set()
    found: set[Pair] = set()
    last = b""
    with opened(path) as (_, stream):
        for line in stream:
            at = line.rfind(_KEY)
            # The labels of a prompt all name the same examples.
            if at < 0 or line[at:] == last:
                continue
            last = line[at:]
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(row, dict):
                found.update(example_pairs(row.get("examples")))
    return found


def example_pairs(value: object) -> Iterator[Pair]:
    """Yield the queries and documents of a list of pairs; anything else has none.

    Examples
    --------
    >>> list(example_pairs([["q1", "d1"], "q2"]))
    [('q1', 'd1')]
    """
    for each in value if isinstance(value, list) else ():
        if isinstance(each, list) and len(each) == 2:
            yield str(each[0]), str(each[1])
