"""Measures that files of Python define: ``-m my_metrics.py:mine@10``."""

from __future__ import annotations

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from os.path import abspath, basename, dirname, isfile
from traceback import extract_tb

from gainful.errors import MeasureError, SourceNotFoundError
from gainful.measures import Measure
from gainful.measures.catalogue import family, is_registered, registered
from gainful.measures.notation import ENDS_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from gainful.measures.family import Family

__all__ = ["families_in", "without_files"]

#: A file, and the name of its measure.
_NAMED = re.compile(rf"([^\s,;]+\.py):([^\s{re.escape(''.join(sorted(ENDS_NAME)))}]*)")

_loaded: dict[str, ModuleType] = {}
#: The names of the measures that files define.
_names: dict[str, list[str]] = {}


def without_files(text: str) -> str:
    """Return measures in notation, after importing the files that define them.

    Raises
    ------
    SourceNotFoundError
        If a file does not exist.
    MeasureError
        If a file cannot be imported, or does not define the measure.
    """
    path, colon, name = text.strip().partition(".py:")
    if colon and isfile(f"{path}.py") and not _NAMED.fullmatch(f"{path}.py:"):
        # The path contains spaces or commas, so it is all before the name.
        word = re.match(r"\w*", name)
        assert word is not None
        return _defined(f"{path}.py", word[0]) + name[word.end() :]
    return _NAMED.sub(lambda match: _defined(match[1], match[2]), text)


def families_in(path: str) -> list[Family]:
    """Return the measures that a file defines.

    Raises
    ------
    SourceNotFoundError
        If the file does not exist.
    MeasureError
        If it cannot be imported, or defines no measure.
    """
    _import(path)
    names = _names[abspath(path)]
    if not names:
        raise MeasureError(
            where=path,
            found="no measure",
            expected="measures of gainful.measures.define",
            hint="the file calls gainful.measures.define('mine', function)",
        )
    return [family(name) for name in names]


def _defined(path: str, name: str) -> str:
    """Return the name in notation of a measure of a file."""
    module = _import(path)
    value = getattr(module, name, None)
    if isinstance(value, Measure) and value == Measure(value.family):
        return value.family
    if name and is_registered(name):
        return name
    raise MeasureError(
        where=path,
        found=f"no measure {name!r}" if name else "no measure after the file",
        expected="the name of a measure that the file defines",
        hint=f"the file calls gainful.measures.define({name or 'mine'!r}, function)",
    )


def _import(path: str) -> ModuleType:
    place = abspath(path)
    if place in _loaded:
        return _loaded[place]
    if not isfile(place):
        raise SourceNotFoundError(where=path, found="no such file")
    if dirname(place) not in sys.path:
        # As for a script, so that the file can import its neighbors.
        sys.path.append(dirname(place))
    before = registered()
    spec = spec_from_file_location(f"_measures_of_{basename(place).removesuffix('.py')}", place)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        lines = [frame.lineno for frame in extract_tb(error.__traceback__)
                 if frame.filename == place]  # fmt: skip
        line = error.lineno if isinstance(error, SyntaxError) else next(reversed(lines), None)
        raise MeasureError(
            file=path,
            line=line,
            found=f"the file cannot be imported ({type(error).__name__}: {error})",
        ) from error
    _loaded[place] = module
    _names[place] = [
        name for name, family in registered().items() if before.get(name) is not family
    ]
    return module
