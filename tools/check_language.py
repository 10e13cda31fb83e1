"""Check that the project's texts are plain technical English.

`make lint` runs it over the texts that git tracks, or over the files that are named:
documentation, docstrings, comments, messages and names. Forbidden words fail. Words that are often
wrong, and long sentences of the documentation, are counted; `--review` lists them. A line that
quotes such a word on purpose carries ``language: allow, REASON``.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

#: Ends of the files that people read.
READ = (".md", ".py", ".pyi", ".rs", ".js", ".css", ".html", ".toml", ".yml", "Makefile", ".ci/run")

#: Words and what to write instead. A space also matches a line end and a comment's sign.
FORBIDDEN = {
    r"told": "reported, shown, said",  # language: allow, the list itself
    r"beside": "vs., next to",  # language: allow, the list itself
    r"whoever": "if you",  # language: allow, the list itself
    r"anew": "again, recomputed",  # language: allow, the list itself
    r"stands (?:at|twice)": "is at, duplicate",  # language: allow, the list itself
    r"held against": "compared with",  # language: allow, the list itself
    r"not (?:be )?told apart": "not significantly different",  # language: allow, the list itself
    r"what was met": "data checks",  # language: allow, the list itself
}

REVIEW = (r"holds?", r"tells?", r"stands?", r"there is no", r"asked for", r"of the way")

#: Words of a sentence in the documentation.
LONGEST = 30

ALLOWED = re.compile(r"language: allow, \w")
BETWEEN = r"(?:\s|[#*>]|//[/!]?)+"
#: What is no sentence of a page: code, directives, tables and comments; then code within a line.
BLOCKS = re.compile(
    r"^ *```.*?^ *```|^:::[^\n]*$|^\|[^\n]*$|^<!--.*?-->|^\([\w-]+\)=$", re.DOTALL | re.MULTILINE
)
INLINE = re.compile(r"`[^`\n]*`")

#: Figures of a page that are hard to read, and what to write instead.
FIGURES = {
    r"\d %": "95%, without a space",
    r"\.\d+–\.\d+": "from .02 to .11, with a noun",
    r"\b(?:(?:random|normal|optim)is(?:e|ation)|(?:col|behavi|fav|neighb)our)": "American spelling",
}


def pattern(words: str) -> re.Pattern[str]:
    """Return a pattern of words that are not part of a longer word; underscores separate words."""
    body = words.replace(" ", BETWEEN)
    return re.compile(rf"(?<![A-Za-z])(?:{body})(?![a-z])", re.IGNORECASE)


def texts(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the paths that git tracks, or without git all that are not built, with contents."""
    if (root / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True, text=True
        )
        names = listed.stdout.split("\0")
    else:
        names = sorted(path.relative_to(root).as_posix() for path in root.rglob("*"))
    for name in names:
        built = name.startswith(("target/", ".venv/"))
        if name.endswith(READ) and not built and (root / name).is_file():
            yield name, (root / name).read_text(encoding="utf-8")


def found(text: str, words: str) -> Iterator[tuple[int, str]]:
    """Yield the number and text of each line that has the words and does not allow them."""
    lines = text.split("\n")
    for match in pattern(words).finditer(text):
        at = text.count("\n", 0, match.start())
        if not ALLOWED.search(lines[at]):
            yield at + 1, lines[at].strip()


def long_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a Markdown page that have too many words."""
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*#:]|\d+\.) )", BLOCKS.sub("\n\n", text)):
        for sentence in re.split(r"(?<=[.!?:;])\s+", INLINE.sub("x", paragraph).strip()):
            if len(sentence.split()) > LONGEST:
                yield " ".join(sentence.split())


def main() -> int:
    """Check all files; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", help="paths from the root; all without any")
    parser.add_argument("--review", action="store_true", help="list what only warns")
    arguments = parser.parse_args()
    root = Path(__file__).resolve().parent.parent
    failed = 0
    warned: list[str] = []
    for name, text in texts(root):
        if arguments.files and name not in arguments.files:
            continue
        for words, better in FORBIDDEN.items():
            for line, shown in found(text, words):
                failed += 1
                print(f"{name}:{line}: {shown}\n    write: {better}")
        for words in REVIEW:
            warned += [f"{name}:{line}: {shown}" for line, shown in found(text, words)]
        if name.endswith(".md"):
            for figure, better in FIGURES.items():
                prose = INLINE.sub("x", text)
                for match in re.finditer(figure, prose):
                    failed += 1
                    line = prose.count("\n", 0, match.start()) + 1
                    print(f"{name}:{line}: {match[0]}\n    write: {better}")
            warned += [f"{name}: {sentence}" for sentence in long_sentences(text)]
    if arguments.review:
        print("\n".join(warned))
    elif warned:
        print(f"{len(warned)} lines to review: python tools/check_language.py --review")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
