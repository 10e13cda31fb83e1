"""The code of functions and classes: instructions, used names, origin."""

from __future__ import annotations

import sys
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = [
    "class_parts",
    "hidden_bytes",
    "instructions",
    "is_library",
    "is_nameless",
    "origin",
    "slots",
    "used_globals",
]

#: Flags of generators and coroutines; others depend on the compiler.
_FLAGS = 0x3FF
#: Flag of classes that are not part of the interpreter.
_HEAP = 1 << 9


def instructions(code: CodeType) -> Iterator[Any]:
    """Yield the instructions of code, without line numbers, comments and docstring."""
    import dis

    yield code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    yield code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], code.co_flags & _FLAGS
    # Constants by use: a docstring is never loaded.
    for each in dis.get_instructions(code):
        yield each.opname
        yield each.argval
    yield code.co_exceptiontable


def used_globals(function: FunctionType) -> list[tuple[str, Any]]:
    """Return the global variables that a function names, by name.

    Includes variables that it may access through modules of the user.
    """
    names, attributes = _named(function.__code__)
    found = []
    for name in sorted(names & function.__globals__.keys()):
        value = function.__globals__[name]
        if name.startswith("__"):
            continue
        found.append((name, value))
        if isinstance(value, ModuleType) and not is_library(value.__name__):
            inner = sorted(attributes & vars(value).keys())
            found += [(f"{name}.{each}", vars(value)[each]) for each in inner]
    return found


def _named(code: CodeType) -> tuple[set[str], set[str]]:
    """Return the global names that code and nested code use, and the attribute names."""
    import dis

    found = {
        each.argval
        for each in dis.get_instructions(code)
        if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    attributes = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            inner, inner_attributes = _named(constant)
            found |= inner
            attributes |= inner_attributes
    return found, attributes


def is_library(module: str | None) -> bool:
    """Return whether a module is installed, as opposed to the user's own code.

    Examples
    --------
    >>> is_library("json"), is_library("numpy"), is_library("__main__")
    (True, True, False)
    """
    top = (module or "builtins").partition(".")[0]
    if top == "__main__":
        return False
    if top in sys.stdlib_module_names:
        return True
    file = str(getattr(sys.modules.get(module or ""), "__file__", None) or "")
    return "site-packages" in file or "dist-packages" in file


def is_nameless(kind: type) -> bool:
    """Return whether a class has no module name, as with `exec`."""
    return kind.__module__ == "builtins" and bool(kind.__flags__ & _HEAP)


def origin(module: str | None) -> list[Any]:
    """Return the version of an installed module, or a substitute."""
    top = (module or "builtins").partition(".")[0]
    found: list[Any] = [module]
    if top not in sys.stdlib_module_names:
        found.append(str(getattr(sys.modules.get(top), "__version__", None)))
        file = getattr(sys.modules.get(module or ""), "__file__", None)
        if isinstance(file, str) and file.endswith(".py"):
            try:
                with open(file, "rb") as opened:
                    found.append(opened.read())
            except OSError:
                pass  # Imported from an archive.
    return found


def class_parts(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield the functions and data that a class itself defines, by name."""
    for name, value in sorted(vars(kind).items()):
        if isinstance(value, (MemberDescriptorType, GetSetDescriptorType)):
            continue
        special = name.startswith("__") and name.endswith("__")
        inner = getattr(value, "__func__", value)
        if (special and not isinstance(inner, FunctionType)) or name == "_abc_impl":
            continue
        yield name, value


def hidden_bytes(kind: type, base: type) -> bool:
    """Return whether objects of a class have memory that no attribute exposes."""
    own = kind.__basicsize__ - base.__basicsize__
    for each in kind.__mro__:
        if "__slots__" in vars(each):
            own -= 8 * sum(isinstance(one, MemberDescriptorType) for one in vars(each).values())
    own -= 8 * (kind.__weakrefoffset__ > 0 and base.__weakrefoffset__ == 0)
    own -= 8 * (kind.__dictoffset__ > 0 and base.__dictoffset__ == 0)
    return own > 0 or kind.__itemsize__ != base.__itemsize__


def slots(value: Any) -> dict[str, Any]:
    """Return the attributes of an object, from its dictionary and its slots."""
    found: dict[str, Any] = {}
    for kind in reversed(type(value).__mro__):
        for name, member in vars(kind).items():
            if isinstance(member, MemberDescriptorType) and "__slots__" in vars(kind):
                try:
                    found[name] = member.__get__(value)
                except AttributeError:
                    continue  # not set
    try:
        found.update(object.__getattribute__(value, "__dict__"))
    except AttributeError:
        pass
    return found
