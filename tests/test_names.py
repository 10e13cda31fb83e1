"""The kernel has the only table of names of columns and fields."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import gainful
from gainful._kernel import names_of, names_with

SOURCE = Path(gainful.__file__).parent
PARTS = (
    *("query_id", "doc_id", "grade", "score", "rank", "subtopic", "system", "relevant", "results"),
    *("answer", "part", "rater", "source", "model", "version", "vector", "hit.id", "hit.part"),
    *("query.id", "query.text", "query.user", "query.alone"),
    *("document.id", "document.title", "document.text"),
)
#: Words for arguments and for kinds of raters are no names of columns. Judgments and runs in memory
#: have names of their own until the kernel resolves them.
EXCEPT = ("data/columns.py", "judging/source.py", "keywords.py")
LITERALS = (ast.Constant, ast.Dict, ast.List, ast.Set, ast.Tuple)


def literal_texts(node: ast.AST) -> list[str]:
    """Return the texts of a literal collection, or the words of a text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.split()
    elements = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
    return [
        element.value
        for element in elements
        if isinstance(element, ast.Constant) and isinstance(element.value, str)
    ]


@cache
def parts_of(word: str) -> list[str]:
    """Return the parts that a word names."""
    return [part for part in PARTS if names_with([word], part)]


def copied_names(text: str) -> list[tuple[int, list[str]]]:
    """Return the literals of which three or more texts, and all words, name one part."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, LITERALS):
            continue
        texts = [text for text in literal_texts(node) if text not in PARTS or "." not in text]
        words = isinstance(node, ast.Constant)
        if len(texts) < 3:
            continue
        # Most texts are sentences, whose first word is no name.
        for part in parts_of(texts[0]) if words else PARTS:
            names = names_with(texts, part)
            if len(names) > 2 and (len(names) == len(texts) or not words):
                found.append((node.lineno, names))
    return found


def test_names_are_in_the_kernel_alone() -> None:
    copies = {
        place: copied
        for path in SOURCE.rglob("*.py")
        if (place := path.relative_to(SOURCE).as_posix()) not in EXCEPT
        and (copied := copied_names(path.read_text("utf-8")))
    }
    assert copies == {}


def test_copies_are_found() -> None:
    for text in ("X = ('qid', 'query_id', 'queryId')", "{'rel': 1, 'grade': 2, 'label': 3}"):
        assert copied_names(text)
    assert copied_names("'rater annotator judge'.split()")
    assert not copied_names("('query_id', 'doc_id', 'grade')")


def test_each_part_has_names() -> None:
    assert [part for part in PARTS if not names_of(part)] == []
