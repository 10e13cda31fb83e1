"""Objects of Python that are named: in a file, a module, a description or an installed package."""

from __future__ import annotations

import inspect
import os
import sys
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from os.path import join
from traceback import extract_tb

from gainful.errors import ArgumentError, GainfulError, SourceError, SourceNotFoundError
from gainful.packages import SYSTEMS, error_in, installed
from gainful.systems.python.callables import PythonSystem, as_python_system
from gainful.threads import collect_at_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType
    from typing import Any

    from gainful.systems.description.description import Description
    from gainful.systems.protocol import System

__all__ = [
    "build",
    "build_installed",
    "check",
    "guarded",
    "load_object",
    "names_object",
    "object_name",
]


def names_object(word: str) -> bool:
    """Return whether a word names a Python object, not a file.

    Examples
    --------
    >>> names_object("shop.search:find"), names_object("search.py:find"), names_object("s.toml")
    (True, True, False)
    """
    place, colon, name = word.rpartition(":")
    return bool(colon) and bool(place) and name.replace(".", "").isidentifier()


def load_object(word: str, settings: Mapping[str, Any] | None = None) -> Any:
    """Load an object by name, and call it if it is a class or has settings.

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
    collect_at_end()
    module = _of_file(place) if place.endswith(".py") else _of_module(place)
    loaded: Any = module
    for step in name.split("."):
        holder = loaded
        if not hasattr(holder, step):
            raise _unknown(word, holder, step)
        loaded = getattr(holder, step)
        if _is_method(holder, step):
            raise ArgumentError(
                f"a method of the class {holder.__qualname__} needs an object",
                where=word,
                hint=f"write {place}:{holder.__qualname__}",
            )
    if not settings and not inspect.isclass(loaded):
        return loaded
    if not callable(loaded):
        raise ArgumentError(
            f"settings need a function or class, not {type(loaded).__name__}", where=word
        )
    named = {name.replace(".", "_"): value for name, value in (settings or {}).items()}
    try:
        inspect.signature(loaded).bind(**named)
    except TypeError as error:
        raise ArgumentError(
            f"does not take the settings {', '.join(named) or '()'}: {error}", where=word
        ) from None
    except ValueError:
        pass  # The signature is unknown.
    return guarded(lambda: loaded(**named), word, getattr(module, "__file__", None))


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
    module: ModuleType = guarded(lambda: import_module(name), name, spec.origin)
    return module


def _of_file(path: str) -> ModuleType:
    if not os.path.isfile(path):
        raise SourceNotFoundError(file=path, found="no such file")
    # Modules in the same folder can be imported, as for a script.
    _add_path(os.path.dirname(os.path.abspath(path)))
    # The name cannot conflict with that of another module.
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
    """Run third-party code, and report its errors with file and line."""
    try:
        return load()
    except GainfulError:
        raise
    except (Exception, SystemExit) as error:
        line = None
        target = os.path.abspath(file or name)
        if isinstance(error, SyntaxError) and os.path.abspath(error.filename or "") == target:
            line = error.lineno
        else:
            frames = extract_tb(error.__traceback__)
            line = next(
                (
                    frame.lineno
                    for frame in reversed(frames)
                    if os.path.abspath(frame.filename) == target
                ),
                None,
            )
        message = str(error.msg if isinstance(error, SyntaxError) else error)
        raise SourceError(
            f"{type(error).__name__}: {message}" if message else type(error).__name__,
            file=file or name,
            line=line,
        ) from error


def _unknown(word: str, holder: Any, step: str) -> ArgumentError:
    names = [name for name in dir(holder) if not name.startswith("_")]
    close = get_close_matches(step, names, n=1)
    return ArgumentError(
        f"no {step!r}", where=word, hint=f"did you mean {close[0]}?" if close else None
    )


def build(description: Description) -> System:
    """Create the system of a description with a Python object.

    Parameters
    ----------
    description : Description
        ``object``: ``file.py:name``, relative to the description, or ``module:name``. If there are
        ``[settings]``, it is called with them and returns the system; dots in their names become
        underscores. ``[results]``: the locations of ``documents``, ``id`` and ``score`` in its
        result. ``batch`` and ``version`` as in `as_system`.

    Examples
    --------
    >>> from gainful.systems import Query, load_system
    >>> with open("titles.py", "w") as file:
    ...     _ = file.write("def make(prefix): return lambda text, k: [prefix + text]")
    >>> system = load_system(
    ...     {"engine": "python", "object": "titles.py:make", "settings": {"prefix": "d-"}}
    ... )
    >>> system.ask([Query("q1", "tea")], 10)
    [Answer(documents=['d-tea'], scores=None)]
    """
    place = object_name(description)
    settings = description.use_settings()
    options = _options(description)
    system = as_python_system(load_object(place, settings), name=description.name, **options)
    if settings and isinstance(system, PythonSystem):
        # Settings are part of the identity, wherever the object stores them.
        system.settings = settings
    return system


def build_installed(description: Description) -> System:
    """Create the system of an engine of an installed package.

    The entry point of the group ``gainful.systems`` loads a function, which reads the keys of the
    `Description` and returns a system as `as_system` takes it.
    """
    for entry, build in installed(SYSTEMS, description.engine):
        if not callable(build):
            raise error_in(entry, "is not a function that takes a description")
        system = as_python_system(build(description), name=description.name)
        if isinstance(system, PythonSystem):
            # What the object does with its keys is unknown, so all are part of the identity.
            system.settings = description.written()
        return system
    raise AssertionError(description.engine)


def check(description: Description) -> str:
    """Check a description and return the name of its object, without loading it."""
    place = object_name(description)
    description.use_settings()
    _options(description)
    description.finish()
    return place


def object_name(description: Description) -> str:
    """Return the name of the object; a file is relative to the description."""
    place: str = description.text("object")
    is_file = place.rpartition(":")[0].endswith(".py")
    return join(description.folder, place) if is_file else place


def _options(description: Description) -> dict[str, Any]:
    results = description.table("results")
    fields = None
    if results is not None:
        names = [name for name in ("documents", "id", "score") if name in results]
        fields = {name: results.text(name) for name in names}
    return {
        "fields": fields,
        "batch": description.integer("batch", None, least=1),
        "version": description.text("version", None),
    }
