"""Check the kernel: no circles of modules, no two types of a crate with one name, no idle tests.

A module depends on the files that define what it names, wherever they are re-exported; it does not
depend on what is below it by re-exporting that. Tests and associated types are left out. A private
type may have the name of another private one, but not that of a visible one. A test is idle where
`Cargo.toml` says that the crate has none.

    python tools/check_modules.py
"""

import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "kernel"

Names = tuple[str, ...]

PROSE = re.compile(r'//[^\n]*|/\*.*?\*/|r#".*?"#|"(?:\\.|[^"\\])*"', re.DOTALL)
TEST = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*")
USE = re.compile(r"(pub(?:\([^)]*\))?\s+)?\buse\s+([^;]+);")
#: Tests by the settings of `Cargo.toml` without which they are run.
IDLE = {"test": re.compile(r"#\[test\]"), "doctest": re.compile(r"^\s*//[/!] ```", re.MULTILINE)}
ITEM = re.compile(r"^(pub\S* )?(?:struct|enum|union|trait|type) (\w+)", re.MULTILINE)


def code(text: str) -> str:
    """Return the source without comments, strings and tests."""
    text = PROSE.sub('""', text)
    while test := TEST.search(text):
        depth, end = 0, test.end()
        for end in range(test.end(), len(text)):
            depth += (text[end] in "{(") - (text[end] in "})")
            if depth == 0 and text[end] in "};":
                break
        text = text[: test.start()] + text[end + 1 :]
    return text


def names(tree: str, prefix: Names = ()) -> Iterator[Names]:
    """Return the paths of a `use`."""
    head, brace, rest = tree.strip().partition("{")
    prefix += tuple(part.strip() for part in head.split("::") if part.strip())
    if not brace:
        yield (*prefix[:-1], prefix[-1].split(" as ")[0])
        return
    depth, start, rest = 0, 0, rest.rstrip()[:-1] + ","
    for place, character in enumerate(rest):
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            if rest[start:place].strip():
                yield from names(rest[start:place], prefix)
            start = place + 1


class Crate:
    """The modules of a crate, by path, with what they name."""

    def __init__(self, source: Path) -> None:
        self.code: dict[Names, str] = {}
        for file in sorted(source.rglob("*.rs")):
            module = file.relative_to(source).with_suffix("").parts
            if module[-1] in ("mod", "lib"):
                module = module[:-1]
            if module[-1:] != ("tests",):
                self.code[module] = code(file.read_text())
        self.exports: dict[Names, dict[str, Names]] = defaultdict(dict)
        self.named = {module: list(self.names_of(module)) for module in self.code}

    def names_of(self, module: Names) -> Iterator[Names]:
        """Return the paths that a module names, and note what it re-exports."""
        for visible, tree in USE.findall(self.code[module]):
            for path in names(tree):
                target = self.absolute(module, path)
                if target and visible:
                    self.exports[module][target[-1]] = target
                if target and not (visible and target[: len(module)] == module):
                    yield target
        for path in re.findall(r"\b[a-z_]\w*(?:::\w+)+", USE.sub("", self.code[module])):
            if target := self.absolute(module, tuple(path.split("::"))):
                yield target

    def absolute(self, module: Names, path: Names) -> Names | None:
        """Return a path from the root of the crate; `None` for one of another crate."""
        if path[0] == "crate":
            return path[1:]
        if path[0] == "self":
            return module + path[1:]
        if path[0] == "super":
            path = path[1:]
            return self.absolute(module[:-1], path if path[0] == "super" else ("self", *path))
        return module + path if (*module, path[0]) in self.code else None

    def home(self, path: Names) -> Names:
        """Return the module that defines what a path names."""
        module = next(path[:end] for end in range(len(path), -1, -1) if path[:end] in self.code)
        rest = path[len(module) :]
        if not rest:
            return module
        if (target := self.exports[module].get(rest[0])) and target != path:
            return self.home(target + rest[1:])
        return module

    def dependencies(self) -> dict[Names, set[Names]]:
        """Return the modules that each module depends on."""
        named = self.named.items()
        return {module: {self.home(path) for path in paths} - {module} for module, paths in named}

    def repeated(self) -> Iterator[str]:
        """Return the names of types that are defined several times, one of them visible."""
        places: dict[str, list[tuple[bool, str]]] = defaultdict(list)
        for module, text in self.code.items():
            for visible, name in ITEM.findall(text):
                places[name].append((bool(visible), "::".join(module)))
        for name, defined in sorted(places.items()):
            if len(defined) > 1 and any(visible for visible, _ in defined):
                yield f"{name} is defined in {', '.join(module for _, module in defined)}"


def idle_tests(source: Path) -> Iterator[str]:
    """Return the files with tests that are not run."""
    library = tomllib.loads((source.parent / "Cargo.toml").read_text()).get("lib", {})
    for kind, pattern in IDLE.items():
        if library.get(kind) is False:
            for file in sorted(source.rglob("*.rs")):
                if pattern.search(file.read_text()):
                    name = file.relative_to(source)
                    yield f"{name} has a {kind}, and Cargo.toml says {kind} = false"


def main() -> int:
    """Print what is wrong; return the exit status."""
    wrong = []
    for source in sorted(ROOT.glob("*/src")):
        crate = Crate(source)
        wrong += [f"{source.parent.name}: {line}" for line in idle_tests(source)]
        try:
            TopologicalSorter(crate.dependencies()).prepare()
        except CycleError as error:
            circle = " → ".join("::".join(module) or "lib" for module in reversed(error.args[1]))
            wrong.append(f"{source.parent.name}: modules depend on each other: {circle}")
        wrong += [f"{source.parent.name}: {line}" for line in crate.repeated()]
    print(*wrong, sep="\n", end="\n" * bool(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
