"""Write the docstring entries of declared parameters into the functions that commands call.

``python docs/parameters.py`` rewrites them in the source; ``--check`` names those that differ from
the declarations. A test does the same. An entry for several parameters at once stays as it is.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterator
from inspect import getsourcefile, unwrap
from pathlib import Path

from gainful.cli.command import Command, load
from gainful.cli.commands import TARGETS
from gainful.parameters import Parameter

#: Columns of a line of code.
WIDTH = 100


def commands() -> Iterator[tuple[str, Command]]:
    """Yield every command and subcommand with its name."""
    for name, target in TARGETS.items():
        command = load(target)
        yield name, command
        for word, target in command.commands.items():
            yield f"{name} {word}", load(target)


def documented() -> Iterator[tuple[str, Parameter]]:
    """Yield the functions that commands call, with each documented parameter."""
    for _, command in commands():
        for target in command.targets:
            for parameter in command.parameters.values():
                if parameter.doc:
                    yield target, parameter


def entry(parameter: Parameter, indent: str) -> str:
    """Return the entry of a parameter in a docstring."""
    head, text = parameter.entry()
    deep = f"{indent}    "
    lines = textwrap.wrap(text, WIDTH - len(deep), break_long_words=False, break_on_hyphens=False)
    return "".join(f"{line}\n" for line in (f"{indent}{head}", *(deep + line for line in lines)))


def rewritten(source: str, function: str, parameter: Parameter) -> str:
    """Return the source of a module with the entry of a parameter of a function."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            text = node.body[0]
            lines = source.splitlines(keepends=True)
            assert text.end_lineno is not None
            before = "".join(lines[: text.lineno - 1])
            docstring = "".join(lines[text.lineno - 1 : text.end_lineno])
            after = "".join(lines[text.end_lineno :])
            indent = " " * text.col_offset
            place = re.compile(
                rf"^{indent}{parameter.python} :[^\n]*\n(?:(?:{indent}    [^\n]*)?\n(?!\n))*"
                rf"(?:{indent}    [^\n]*\n)*",
                re.MULTILINE,
            )
            # Backslashes of the text are no references to groups.
            new = entry(parameter, indent).replace("\\", r"\\")
            return before + place.sub(new, docstring, count=1) + after
    return source


def main(*, check: bool) -> int:
    """Write the entries, or name the files that would change; return the exit status."""
    sources: dict[Path, tuple[str, str]] = {}
    for target, parameter in documented():
        function = unwrap(load(target))
        name = target.partition(":")[2].rpartition(".")[2]
        path = Path(str(getsourcefile(function)))
        old, new = sources.get(path, (path.read_text(), path.read_text()))
        sources[path] = (old, rewritten(new, name, parameter))
    changed = [path for path, (old, new) in sources.items() if old != new]
    for path in changed:
        if check:
            sys.stdout.write(f"{path}: run python docs/parameters.py\n")
        else:
            path.write_text(sources[path][1])
    return int(check and bool(changed))


if __name__ == "__main__":
    sys.exit(main(check="--check" in sys.argv[1:]))
