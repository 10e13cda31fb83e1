"""What tells a Python system from another, or from what it was before somebody edited it."""

from __future__ import annotations

import inspect
from enum import Enum
from functools import partial

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

__all__ = ["code_identity"]

#: How deep settings are looked into, and how much of a collection.
_DEEPEST, _MOST = 4, 256
#: The same for objects, which may hold whole libraries.
_DEEPEST_OBJECT = 2
#: Where the values are from whose text says all of them.
_TOLD_BY_THEIR_TEXT = frozenset(("datetime", "decimal", "fractions", "pathlib", "uuid"))
#: Methods that write into what they are called on.
_WRITING = frozenset(
    ("add", "append", "clear", "extend", "pop", "popitem", "remove", "setdefault", "update")
)


def code_identity(
    system: Any,
    function: Callable[..., Any],
    *,
    version: str | None = None,
    fields: Mapping[str, str | None] | None = None,
) -> dict[str, Any]:
    """Return the identity of a Python system.

    Parameters
    ----------
    system
        What was handed in: a function, or an object.
    function : callable
        What of it is called.
    version : str, optional
        What the user says it is; it stands in the place of the digest of the source.
    fields : mapping, optional
        Where ids and scores stand in what is returned.

    Returns
    -------
    dict
        The name of the function; ``version``, or a digest of its source and that of its class, in
        which neither comments nor layout count; and its settings: what a partial function, a
        closure or a default holds, and those attributes of an object that its constructor takes
        (also where they are kept with an underscore before the name), and so on for objects among
        them. Numbers are told, of texts a digest alone, for a text may be a password.

    Examples
    --------
    >>> def make(boost):
    ...     return lambda text, k: [f"{text}-{boost}"]
    >>> two, three = (code_identity(f, f, version="1") for f in (make(2), make(3)))
    >>> two["settings"], three["settings"]
    ({'boost': 2}, {'boost': 3})
    """
    bare, settings = system, {}
    while isinstance(bare, partial):
        settings.update({str(at): each for at, each in enumerate(bare.args)})
        settings.update(bare.keywords)
        bare = bare.func
    owner = getattr(bare, "__self__", None)
    if inspect.ismethod(bare) and owner is not None:
        settings = {**_settings_of(owner), **settings}
        code: Any = type(owner)
    elif inspect.isroutine(bare):
        settings = {**_defaults(bare), **_closure(bare), **settings}
        code = bare
    else:
        settings = {**_settings_of(bare), **settings}
        code = type(bare)
    identity: dict[str, Any] = {"kind": "python", "callable": _name(system, function)}
    if version is not None:
        identity["version"] = str(version)
    else:
        digest = _digest_of_source(code)
        if digest is not None:
            identity["source"] = digest
    plain = {name: _plain(value) for name, value in settings.items()}
    if plain:
        identity["settings"] = plain
    if fields:
        identity["fields"] = dict(fields)
    return identity


def _name(system: Any, function: Any) -> str:
    while isinstance(system, partial):
        system = function = system.func
    of_object = not inspect.isroutine(system)
    named = function if hasattr(function, "__qualname__") else type(function)
    if of_object and named is not function:
        return f"{named.__module__}:{named.__qualname__}"
    if of_object and inspect.ismethod(function):
        kind = type(system)
        return f"{kind.__module__}:{kind.__qualname__}.{function.__name__}"
    return f"{getattr(named, '__module__', None)}:{named.__qualname__}"


# --- its source ---------------------------------------------------------------------------------


def _tree(code: Any) -> ast.Module | None:
    """Return the syntax tree of a function or class; None where there is no source."""
    import ast
    from textwrap import dedent

    try:
        return ast.parse(dedent(inspect.getsource(code)))
    except (OSError, TypeError, SyntaxError, ValueError):
        # Of a lambda in the midst of a call, the source is that of the line.
        return None


def _digest_of_source(code: Any) -> str | None:
    import ast

    # Several lambdas may stand in one line, and the line is all that is known of where.
    tree = None if getattr(code, "__name__", None) == "<lambda>" else _tree(code)
    if tree is not None:
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if isinstance(body, list) and _is_docstring(body):
                del body[0]
        return _digest(ast.dump(tree))
    compiled = getattr(code, "__code__", None)
    return None if compiled is None else _digest(repr(list(_instructions(compiled))))


def _is_docstring(body: list[Any]) -> bool:
    import ast

    first = body[0] if body else None
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)


def _instructions(code: Any) -> Iterator[object]:
    """Yield what a compiled function does, without where it stands."""
    yield code.co_code
    yield code.co_names
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            yield from _instructions(constant)
        elif isinstance(constant, frozenset):
            # The order of a set is another one in each process.
            yield sorted(map(repr, constant))
        else:
            yield constant


# --- its settings -------------------------------------------------------------------------------


def _closure(function: Any) -> dict[str, Any]:
    """Return what a function was made with, but not what it counts in."""
    import ast

    code = getattr(function, "__code__", None)
    cells = getattr(function, "__closure__", None) or ()
    if code is None or not cells:
        return {}
    tree = _tree(function)
    changed = {name for node in (ast.walk(tree) if tree else ()) for name in _written(node)}
    found = {}
    for name, cell in zip(code.co_freevars, cells, strict=True):
        try:
            value = cell.cell_contents
        except ValueError:  # not filled yet
            continue
        if name not in changed and not _changes(value):
            found[name] = value
    return found


def _written(node: ast.AST) -> Iterator[str]:
    """Yield the variables that a piece of source writes in: counts, caches."""
    import ast

    if isinstance(node, ast.Nonlocal):
        yield from node.names
        return
    place: ast.expr | None = None
    if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
        place = node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        place = node.func.value if node.func.attr in _WRITING else None
    if isinstance(place, ast.Name):
        yield place.id


def _defaults(function: Any) -> dict[str, Any]:
    """Return the defaults of parameters that the source does not tell: ``lambda ..., b=b``."""
    values = list(getattr(function, "__defaults__", None) or ())
    code = getattr(function, "__code__", None)
    if code is None:
        return {}
    names = code.co_varnames[: code.co_argcount][code.co_argcount - len(values) :]
    return dict(zip(names, values, strict=True)) | (function.__kwdefaults__ or {})


def _settings_of(owner: Any) -> dict[str, Any]:
    """Return the attributes of an object that its constructor takes."""
    try:
        taken = inspect.signature(type(owner)).parameters
    except (TypeError, ValueError):
        return {}
    found = {}
    for name in taken:
        for kept_as in (name, f"_{name}"):
            try:
                found[name] = getattr(owner, kept_as)
                break
            except Exception:
                continue  # A property may do anything.
    return found


def _changes(value: Any) -> bool:
    """Say whether a variable of a closure may be what the function keeps its notes in."""
    return isinstance(value, (list, set, bytearray))


def _plain(value: Any, depth: int = 0) -> Any:
    """Return a setting as a JSON value that tells no secret."""
    if isinstance(value, float) and value - value != 0.0:
        return str(value)  # not even equal to itself
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (str, bytes)):
        return _digest(value)
    if depth < _DEEPEST:
        if isinstance(value, dict) and len(value) <= _MOST:
            return {str(name): _plain(each, depth + 1) for name, each in value.items()}
        if isinstance(value, (list, tuple)) and len(value) <= _MOST:
            return [_plain(each, depth + 1) for each in value]
    if inspect.isroutine(value) or inspect.isclass(value):
        return f"{getattr(value, '__module__', None)}:{value.__qualname__}"
    kind = type(value)
    if kind.__module__.partition(".")[0] in _TOLD_BY_THEIR_TEXT or isinstance(value, Enum):
        return _digest(str(value))
    if kind.__module__ == "numpy" and getattr(value, "shape", None) == ():
        return _plain(value.item(), depth)
    if isinstance(value, (set, frozenset)) and len(value) <= _MOST:
        return sorted(str(_plain(each, depth + 1)) for each in value)
    name = f"{kind.__module__}:{kind.__qualname__}"
    inner = _settings_of(value) if depth < _DEEPEST_OBJECT else {}
    if not inner:
        return name
    return {"kind": name} | {each: _plain(one, depth + 1) for each, one in inner.items()}


def _digest(found: str | bytes) -> str:
    from hashlib import sha256

    # Names of files need not be valid text.
    text = found if isinstance(found, bytes) else found.encode("utf-8", "surrogatepass")
    return f"sha256:{sha256(text).hexdigest()[:16]}"
