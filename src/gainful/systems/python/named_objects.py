"""Python objects by the words of a command line: ``module:object`` and ``file.py:function``."""

from __future__ import annotations

import inspect
import os
import sys
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from traceback import extract_tb

from gainful.errors import ArgumentError, GainfulError, SourceError, SourceNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType
    from typing import Any

__all__ = ["guarded", "load_object", "names_object"]


def names_object(word: str) -> bool:
    """Say whether a word names a Python object, and not a file.

    Examples
    --------
    >>> names_object("shop.search:find"), names_object("search.py:find"), names_object("s.toml")
    (True, True, False)
    """
    place, colon, name = word.rpartition(":")
    return bool(colon) and bool(place) and name.replace(".", "").isidentifier()


def load_object(word: str, settings: Mapping[str, Any] | None = None) -> Any:
    """Return the object that a word names, made with settings where it has to be made.

    Parameters
    ----------
    word : str
        ``module:object``, where the module is found as Python finds it, or in the current folder;
        or ``path/file.py:object``. The object may stand in another: ``module:Class.method``.
    settings : mapping, optional
        With them, the object is called, and what it returns is the system. A class is called in
        any case.

    Raises
    ------
    ArgumentError
        If the word is of another form, or the object does not take the settings.
    SourceError
        If the module cannot be found, or fails while it is loaded.

    Examples
    --------
    >>> with open("titles.py", "w") as file:
    ...     _ = file.write("def find(text, k): return [text.upper()]")
    >>> load_object("titles.py:find")("tea", 3)
    ['TEA']
    """
    place, _, name = word.rpartition(":")
    if not names_object(word):
        raise ArgumentError(
            where="a system", found=repr(word), expected="module:object or file.py:object"
        )
    module = _of_file(place) if place.endswith(".py") else _of_module(place)
    found: Any = module
    for step in name.split("."):
        holder = found
        if not hasattr(holder, step):
            raise _unknown(word, holder, step)
        found = getattr(holder, step)
        if _is_method(holder, step):
            raise ArgumentError(
                where=word,
                found=f"a method of the class {holder.__qualname__}, which needs an object",
                expected="the class, of which one is made, or an object",
                hint=f"write {place}:{holder.__qualname__}",
            )
    if not settings and not inspect.isclass(found):
        return found
    if not callable(found):
        raise ArgumentError(
            where=word, found=type(found).__name__, expected="a function or class for the settings"
        )
    named = {each.replace(".", "_"): value for each, value in (settings or {}).items()}
    try:
        inspect.signature(found).bind(**named)
    except TypeError as error:
        raise ArgumentError(
            where=word,
            found=f"what does not take the settings {', '.join(named) or '()'} ({error})",
            expected="a function or class that makes a system of them",
        ) from None
    except ValueError:
        pass  # Nobody knows what it takes.
    return guarded(lambda: found(**named), word, getattr(module, "__file__", None))


def _of_module(name: str) -> ModuleType:
    _add_path(os.getcwd())
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        raise SourceNotFoundError(
            found=f"no module {name!r}",
            hint=f"for a file, write {name.replace('.', '/')}.py:NAME",
        )
    found: ModuleType = guarded(lambda: import_module(name), name, spec.origin)
    return found


def _of_file(path: str) -> ModuleType:
    if not os.path.isfile(path):
        raise SourceNotFoundError(file=path, found="no such file")
    # Modules in the same folder can be imported, as when Python runs the file.
    _add_path(os.path.dirname(os.path.abspath(path)))
    # No module that can be imported is called so, and none is taken the place of.
    name = os.path.basename(path)
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    loader = spec.loader
    guarded(lambda: loader.exec_module(module), path, path)
    return module


def _is_method(holder: Any, name: str) -> bool:
    return inspect.isclass(holder) and inspect.isfunction(inspect.getattr_static(holder, name))


def _add_path(folder: str) -> None:
    if folder not in sys.path:
        sys.path.insert(0, folder)


def guarded(load: Callable[[], Any], name: str, file: str | None = None) -> Any:
    """Call what runs somebody else's code, and say in one message where it failed.

    Parameters
    ----------
    load : callable
        What is called.
    name : str
        What messages call the code.
    file : str, optional
        Where it stands.

    Raises
    ------
    SourceError
        For whatever it raises that is no error of ours.
    """
    try:
        return load()
    except GainfulError:
        raise
    except (Exception, SystemExit) as error:
        line = None
        wanted = os.path.abspath(file or name)
        if isinstance(error, SyntaxError) and os.path.abspath(error.filename or "") == wanted:
            line = error.lineno
        else:
            frames = extract_tb(error.__traceback__)
            line = next(
                (
                    each.lineno
                    for each in reversed(frames)
                    if os.path.abspath(each.filename) == wanted
                ),
                None,
            )
        message = str(error.msg if isinstance(error, SyntaxError) else error)
        raise SourceError(
            file=file or name,
            line=line,
            found=f"{type(error).__name__}: {message}" if message else type(error).__name__,
            expected="Python that can be loaded",
        ) from error


def _unknown(word: str, holder: Any, step: str) -> ArgumentError:
    names = [name for name in dir(holder) if not name.startswith("_")]
    close = get_close_matches(step, names, n=1)
    return ArgumentError(
        where=word,
        found=f"no {step!r} there",
        expected="the name of a function, a class or an object",
        hint=f"did you mean {close[0]}?" if close else None,
    )
