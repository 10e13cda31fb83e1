"""Make sessions of the documentation's pages: their commands in other formats, too."""

from __future__ import annotations

import importlib
import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sessions import Record, compact

__all__ = ["collect_pages"]

ROOT = Path(__file__).resolve().parents[2]
GROUP = "documentation"
#: What a page's requirement is called here, if not by its name.
NEEDS = {"PyStemmer": "Stemmer"}
#: Besides JSON, so many formats of a command are recorded, in turn.
FORMATS = 2
#: The demo takes seconds, so pages that begin with it start from its files.
DEMO = re.compile(r"^gainful demo -o (\S+).*\n?", re.MULTILINE)


def collect_pages(record: Record, pages: Iterable[Path]) -> int:
    """Add a session for every page that has none; return how many."""
    sys.path[:0] = [str(ROOT / "tests" / "support")]
    reader: Any = importlib.import_module("markdown_blocks")
    names = {session.name for session in record.sessions}
    added = []
    for page in pages:
        name = f"{GROUP}/{page.resolve().relative_to(ROOT).as_posix()}"
        if name in names:
            continue
        steps = [step for block in reader.blocks_of(page) for step in _steps(reader, block)]
        if steps:
            needs = [NEEDS.get(need, need) for need in reader.needs_of(page)]
            files: dict[str, Any] = {".": {"copy": GROUP}}
            files |= {name: {"copy": "shop"} for name in _demos(reader, page)}
            added.append({"name": name, "needs": needs, "files": files, "steps": steps})
    with (record.folder / "inputs" / f"{GROUP}.jsonl").open("a", encoding="utf-8") as sink:
        sink.writelines(compact(session) + "\n" for session in added)
    return len(added)


def _demos(reader: Any, page: Path) -> list[str]:
    """Return the folders into which a page writes the demo."""
    blocks = [block.text.replace("$ ", "") for block in reader.blocks_of(page) if not block.not_run]
    return [name for text in blocks for name in DEMO.findall(text)]


def _steps(reader: Any, block: Any) -> Iterator[dict[str, Any]]:
    """Yield the steps of a block; none if it is not run."""
    if block.not_run is not None:
        return
    if block.language in reader.PYTHON:
        yield {"prompts" if ">>>" in block.text else "python": block.text}
    elif block.language in reader.SHELL:
        if text := DEMO.sub("", block.text):
            yield {"bash": "set -euo pipefail\n" + text}
    elif block.language == "console":
        for command, _ in reader.commands_of(block):
            if DEMO.fullmatch(command):
                continue
            words = _words(command)
            if words is None:
                yield {"bash": command}
                continue
            yield {"gainful": words}
            for format in _further_formats(words):
                yield {"gainful": [*words, "--format", format], "aside": True}


def _words(command: str) -> list[str] | None:
    """Return the arguments of a call of the program alone; None for what needs a shell."""
    text = command.replace("\\\n", " ")
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = list(lexer)
    if words[:1] != ["gainful"] or set("$`?~<>|&;(){}\n") & set(text):
        return None
    return words[1:]


_turn = 0


def _further_formats(words: list[str]) -> list[str]:
    """Return formats in which a command that prints a result is recorded, too."""
    global _turn
    if any(word.startswith(("-o", "--format", "--output", "--help")) for word in words):
        return []
    formats = [name for name in _formats(words) if name not in ("table", "parquet", "json")]
    chosen = ["json"] if "json" in _formats(words) else []
    for _ in range(min(FORMATS, len(formats))):
        chosen.append(formats[_turn % len(formats)])
        _turn += 1
    return list(dict.fromkeys(chosen))


def _formats(words: list[str]) -> list[str]:
    """Return the choices of ``--format`` of the command that is called."""
    from gainful.cli.program import program

    command: Any = program
    context = command.make_context("gainful", ["--version"], resilient_parsing=True)
    for word in words:
        found = command.get_command(context, word) if hasattr(command, "get_command") else None
        if found is None:
            break
        command = found
    for option in command.params:
        if "--format" in option.opts:
            return list(getattr(option.type, "choices", []))
    return []
