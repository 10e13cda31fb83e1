"""Find and run the code blocks of a Markdown page.

How a block is run depends on its language:

``python``, ``py``, ``pycon``
    Executed; the blocks of a page share their names, as in one session. Where a block has ``>>>``
    prompts, what is printed is compared with what stands there, as doctest does it (``...``
    stands for anything).
``console``
    Every line that begins with ``$`` is run in bash, lines that begin with ``>`` continue it, and
    what it prints (both streams) is compared with the lines that follow, ``...`` again standing
    for anything. The exit status must be 0, unless ``<!-- exits: 2 -->`` precedes the block,
    which is then that of its last command.
``bash``, ``sh``, ``shell``
    Run as one script that ends at its first failure.
``json``, ``jsonl``, ``toml``
    Parsed.
``text``, ``bibtex``, ``csv``, ``mermaid``, ``math`` and directives such as ``{toctree}``
    Not code.

``<!-- needs: name -->`` anywhere on a page skips its blocks where ``requirements.KINDS`` does not
find the requirement.

``<!-- not run: reason -->`` just before a block exempts it, whatever its language. A block of any
other language must say so: a page cannot be left unchecked by a misspelled word.
"""

from __future__ import annotations

import atexit
import doctest
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from markdown_it import MarkdownIt

import forking_program

PYTHON = {"python", "py", "pycon"}
SHELL = {"bash", "sh", "shell"}
DATA = {"json", "jsonl", "toml"}
NOT_CODE = {"bibtex", "csv", "math", "mermaid", "text"}

_COMMENT = re.compile(r"<!--\s*(not run|exits):\s*(.*?)\s*-->\s*\Z", re.DOTALL)
_DEMO = re.compile(r"^gainful demo -o (\S+)(?= >|$)", re.MULTILINE)
#: A call of the program that needs no shell.
_PLAIN = re.compile(r"gainful(?: +(?:[\w./:=@,+%-]+|'[^']*'))+")
_NEEDS = re.compile(r"^<!-- needs: (\S+) -->$", re.MULTILINE)
_DIRECTIVE = re.compile(r"\{code(?:-block|-cell)?\}\s*(\w+)")


class Block(NamedTuple):
    """A code block, with the number of its first line and the comment before it."""

    page: Path
    line: int
    language: str
    text: str
    not_run: str | None
    exits: int

    @property
    def place(self) -> str:
        """Return file and line, as editors read them."""
        return f"{self.page.name}:{self.line}"


@cache
def blocks_of(page: Path) -> list[Block]:
    """Return the code blocks of a page in their order, those inside lists and quotes too."""
    found = []
    before = ""
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if token.type in {"fence", "code_block"}:
            language, text = _language(token.info, token.content)
            if language not in NOT_CODE:
                comment = _COMMENT.search(before)
                word, value = comment.groups() if comment else ("", "")
                found.append(
                    Block(
                        page=page,
                        line=token.map[0] + (2 if token.type == "fence" else 1),
                        language=language,
                        text=text,
                        not_run=value if word == "not run" else None,
                        exits=int(value) if word == "exits" else 0,
                    )
                )
        before = token.content if token.type == "html_block" else ""
    return found


def needs_of(page: Path) -> list[str]:
    """Return the names of what a machine has to have for the blocks of a page."""
    return _NEEDS.findall(page.read_text(encoding="utf-8"))


def _language(info: str, text: str) -> tuple[str, str]:
    """Return a fence's language and its code, which MyST's directives can dress up."""
    directive = _DIRECTIVE.match(info)
    if directive:
        return directive[1], re.sub(r"\A(:.*\n)+\n?", "", text)
    if info.startswith("{"):
        return "text", text
    return info.split()[0] if info.strip() else "(none)", text


class Reader:
    """Somebody who reads one page from top to bottom and tries everything in it.

    Parameters
    ----------
    folder
        Where the files are that the page talks of; made the current folder by the caller.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def read(self, block: Block) -> None:
        """Run a block; raise AssertionError, or what the block raises, if it is not true."""
        if block.not_run is not None:
            return
        if block.language in PYTHON and ">>>" in block.text:
            self._session(block)
        elif block.language in PYTHON:
            # The padding makes the lines of a traceback those of the page.
            code = "\n" * (block.line - 1) + block.text
            exec(compile(code, str(block.page), "exec", dont_inherit=True), self.names)
        elif block.language == "console":
            self._console(block)
        elif block.language in SHELL:
            status, printed = self._run("set -euo pipefail\n" + block.text)
            assert status == block.exits, f"{block.place} exits {status}:\n{printed}"
        elif block.language in DATA:
            _parse(block)
        else:
            raise AssertionError(
                f"{block.place}: a block of language {block.language!r} is not run. Name one that "
                "is, or say why not in the line before it: <!-- not run: reason -->"
            )

    def _session(self, block: Block) -> None:
        test = doctest.DocTestParser().get_doctest(
            block.text, self.names, block.place, str(block.page), block.line - 1
        )
        runner = doctest.DocTestRunner(
            optionflags=doctest.ELLIPSIS | doctest.REPORT_ONLY_FIRST_FAILURE, verbose=False
        )
        message: list[str] = []
        runner.run(test, out=message.append, clear_globs=False)
        self.names = test.globs
        assert runner.failures == 0, "".join(message)

    def _console(self, block: Block) -> None:
        commands = commands_of(block)
        for number, (command, expected) in enumerate(commands, start=1):
            status, printed = self._run(command)
            right = block.exits if number == len(commands) else 0
            assert status == right, f"{block.place}: `{command}` exits {status}:\n{printed}"
            if not doctest.OutputChecker().check_output(expected, printed, doctest.ELLIPSIS):
                raise AssertionError(
                    f"{block.place}: `{command}` should print\n{expected}\nand prints\n{printed}"
                )

    def _run(self, command: str) -> tuple[int, str]:
        demo = _DEMO.search(command)
        if demo:
            source = _demonstration(demo[1])
            shutil.copytree(source / demo[1], self.folder / demo[1], dirs_exist_ok=True)
            command = command.replace(demo[0], f"cat {shlex.quote(str(source / 'printed.txt'))}", 1)
        return _bash(command, self.folder)


@cache
def _demonstration(name: str) -> Path:
    """Run the demo into a folder of a new one; return that, with what it printed in a file.

    Many pages begin with the demo, which takes two seconds.
    """
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    status, printed = _bash(f"gainful demo -o {name}", folder)
    assert status == 0, printed
    (folder / "printed.txt").write_text(printed, encoding="utf-8")
    return folder


def _bash(command: str, folder: Path) -> tuple[int, str]:
    """Run a command, in bash if need be; return its status and what it printed, without blanks."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name == "GAINFUL_CACHE" or not name.startswith(("GAINFUL_", "MAKE", "MFLAGS", "PYTEST_"))
    } | {
        "PATH": os.pathsep.join([*forking_program.folders(), os.environ["PATH"]]),
        "COLUMNS": "100",
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        # Otherwise it compiles all of its plugins, and of the package, once more.
        "PYTEST_ADDOPTS": "--assert=plain",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TERM": "dumb",
    }
    if hasattr(os, "fork") and _PLAIN.fullmatch(command):
        status, printed = forking_program.call(shlex.split(command), folder, environment)
        return status, _trimmed(printed.decode("utf-8", "replace"))
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=forking_program.SECONDS,
        check=False,
    )
    return done.returncode, _trimmed(done.stdout.decode("utf-8", "replace"))


def commands_of(block: Block) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with what it should print."""
    commands: list[tuple[list[str], list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            commands.append(([line[2:]], []))
        elif not commands:
            raise AssertionError(f"{block.place}: a console block begins with a line of `$ `")
        elif line.startswith("> ") and not commands[-1][1]:
            commands[-1][0].append(line[2:])
        else:
            commands[-1][1].append(line)
    return [("\n".join(typed), _trimmed("\n".join(shown))) for typed, shown in commands]


def _trimmed(text: str) -> str:
    """Return the text without blanks at the ends of lines and without blank lines at its end."""
    lines = [line.rstrip() for line in text.splitlines()]
    return "\n".join(lines).rstrip("\n") + "\n" if any(lines) else ""


def _parse(block: Block) -> None:
    if block.language == "toml":
        tomllib.loads(block.text)
    elif block.language == "jsonl":
        for line in block.text.splitlines():
            json.loads(line)
    else:
        json.loads(block.text)
