"""Read the description of a system."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from os import PathLike, fspath
from os.path import basename, dirname, splitext
from typing import Any

from gainful.data.paths import check_path
from gainful.data.text_files import unchanged
from gainful.errors import (
    ArgumentError,
    FormatError,
    ParameterError,
    SourceError,
    SourceNotFoundError,
)
from gainful.keywords import suggest_keywords
from gainful.packages import SYSTEMS, names
from gainful.systems.description.description import BUILT_IN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.systems.description.description import Description

__all__ = [
    "ENGINES",
    "HTTP_ENGINES",
    "flat_settings",
    "read_description",
    "read_toml",
    "setting_value",
]


# Descriptions are written by hand; a larger file is a mistake.
_LARGEST = 1 << 20
_DEEPEST = 100
# The TOML parser needs minutes for names with this many dots.
_LONG_NAME = re.compile(rb"""(?<![\w"'-])(?:[\w"'-]+[ \t]*\.[ \t]*){%d}""" % _DEEPEST)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")


def read_toml(path: str | PathLike[str]) -> dict[str, Any]:
    """Read a TOML file."""
    name = fspath(path)
    check_path(name)
    try:
        with open(name, "rb") as file, unchanged(file, name):
            raw = file.read(_LARGEST + 1)
    except FileNotFoundError:
        raise SourceNotFoundError(file=name, found="no such file") from None
    except SourceError:
        raise
    except OSError as error:
        raise SourceError(f"cannot read the file ({error.strerror})", file=name) from error
    if len(raw) > _LARGEST:
        raise FormatError("too large for a description (more than 1 MiB)", file=name)
    too_deep = FormatError("tables or lists are nested too deeply", file=name)
    if _LONG_NAME.search(raw):
        raise too_deep
    try:
        table = tomllib.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise FormatError("not UTF-8", file=name, line=line) from None
    except RecursionError:
        raise too_deep from None
    except tomllib.TOMLDecodeError as error:
        # "Expected '=' after a key in a key/value pair (at line 3, column 7)"
        message, _, place = str(error).partition(" (at ")
        line_match = re.match(r"line (\d+)", place)
        raise FormatError(
            f"invalid TOML: {message[:1].lower()}{message[1:]}",
            file=name,
            line=int(line_match.group(1)) if line_match else None,
        ) from None
    except ValueError:
        raise FormatError("a number has thousands of digits", file=name) from None
    if _is_deep(table):
        raise too_deep
    return table


def _is_deep(table: dict[str, Any]) -> bool:
    """Return whether tables and lists are nested too deeply."""
    level: list[Any] = [table]
    for _ in range(_DEEPEST):
        level = [
            inner
            for one in level
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return False
    return True


def flat_settings(table: object, file: str | None = None) -> dict[str, Any]:
    """Return the settings of a description by dotted names.

    Examples
    --------
    >>> flat_settings({"boost": {"title": 2}, "operator": "or"})
    {'boost.title': 2, 'operator': 'or'}
    """
    if not isinstance(table, Mapping):
        raise FormatError(
            file=file, found=f"settings = {table!r}", expected="a table: [settings] and lines below"
        )
    flat: dict[str, Any] = {}
    for name, value in _leaves(table, ""):
        _check_name(name, file)
        if name in flat:
            raise FormatError(f"duplicate setting {name!r}", file=file)
        _check_value(name, value, file)
        flat[name] = value
    return flat


def _leaves(table: Mapping[str, Any], before: str) -> list[tuple[str, Any]]:
    paths: list[tuple[str, Any]] = []
    for key, value in table.items():
        name = f"{before}{key}"
        paths += _leaves(value, f"{name}.") if isinstance(value, Mapping) else [(name, value)]
    return paths


def _check_name(name: str, file: str | None) -> None:
    if name in BUILT_IN or name == "field" or name.startswith("field."):
        raise FormatError(
            f"a setting cannot be named {name!r}",
            file=file,
            hint=f"{{{{{name}}}}} is part of the query",
        )
    if not _NAME.fullmatch(name):
        raise FormatError(
            f"a setting cannot be named {name!r}",
            file=file,
            hint="use letters, digits, - and _, with dots between them",
        )


def _check_value(name: str, value: object, file: str | None) -> None:
    values = value if isinstance(value, list) else [value]
    for one in values:
        if isinstance(one, list):
            _check_value(name, one, file)
        elif not isinstance(one, (str, int, float)):
            raise FormatError(
                file=file,
                found=f"the setting {name!r} = {one!r}",
                expected="a text, a number, true, false, or a list of them",
            )
        elif isinstance(one, float) and one - one != 0:
            raise FormatError(file=file, found=f"the setting {name!r} = {one}", expected="a number")
        elif isinstance(one, str) and "{{" in one:
            raise FormatError(
                f"the setting {name!r} has a placeholder: {one!r}",
                file=file,
                hint="use placeholders where settings are used",
            )


def with_settings(
    declared: Mapping[str, Any], given: Mapping[str, Any], file: str | None = None
) -> dict[str, Any]:
    """Return the settings of a description with some values replaced.

    Examples
    --------
    >>> with_settings({"boost.title": 2, "operator": "or"}, {"boost.title": 4})
    {'boost.title': 4, 'operator': 'or'}
    """
    changed = dict(declared)
    for name, value in flat_settings(given, file).items():
        if name not in declared:
            close = get_close_matches(name, list(declared), n=1)
            hint = f"did you mean {close[0]!r}?" if close else None
            if not declared:
                hint = f"declare it with [settings] {name} = …, and use it as {{{{{name}}}}}"
            raise ParameterError(
                f"unknown setting {name!r}, expected one of {', '.join(declared)}"
                if declared
                else f"unknown setting {name!r}: the description has no settings",
                file=file,
                hint=hint,
            )
        changed[name] = value
    return changed


def setting_value(text: str) -> Any:
    """Parse the value of a setting on the command line.

    Examples
    --------
    >>> setting_value("2"), setting_value("0.5"), setting_value("true"), setting_value("or")
    (2, 0.5, True, 'or')
    >>> setting_value('["title^2", "body"]'), setting_value('"2"')
    (['title^2', 'body'], '2')
    """
    try:
        value = tomllib.loads(f"value = {text}") if "\n" not in text else {}
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
    # A date is not a valid setting, and a table would be several.
    setting = value.get("value", text) if len(value) == 1 else text
    return setting if isinstance(setting, (str, int, float, list)) else text


#: Engines over HTTP; each has a preset in ``systems/http/engines``.
HTTP_ENGINES = ("elasticsearch", "http", "opensearch", "qdrant", "solr")

#: The engines of Gainful; installed packages add others.
ENGINES = (*HTTP_ENGINES, "duckdb", "postgres", "sqlite", "bm25", "tfidf", "python")


@suggest_keywords
def read_description(
    description: str | PathLike[str] | Mapping[str, Any],
    *,
    settings: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> Description:
    """Read a description without creating a system.

    Parameters
    ----------
    description, settings, name
        As for `load_system`.

    Examples
    --------
    >>> read = read_description({"engine": "bm25", "k1": "{{k1}}", "settings": {"k1": 0.9}})
    >>> read.engine, read.settings, read.number("k1")
    ('bm25', {'k1': 0.9}, 0.9)
    """
    from gainful.systems.description.description import Description

    file = None
    folder = ""
    called = "system"
    if isinstance(description, (str, PathLike)):
        file = fspath(description)
        folder = dirname(file)
        called = splitext(basename(file))[0]
        table: Mapping[str, Any] = read_toml(file)
    elif isinstance(description, Mapping):
        table = description
    else:
        raise ArgumentError(
            found=type(description).__name__,
            expected="the path of a TOML file, or a mapping",
        )
    declared = flat_settings(table.get("settings", {}), file)
    chosen = with_settings(declared, settings or {}, file)
    read = Description(table, called, chosen, file=file, folder=folder)
    read.name = name or read.text("name", called)
    _check_engine(read, table)
    return read


def _check_engine(read: Description, table: Mapping[str, Any]) -> None:
    if read.engine in ENGINES:
        return
    engines = [*sorted(ENGINES), *names(SYSTEMS)]
    known = ", ".join(engines)
    if "engine" not in table:
        raise read.missing(
            "engine", f"one of {known}", hint='for other engines use engine = "http"'
        )
    if not isinstance(table["engine"], str) or read.engine not in engines:
        close = get_close_matches(read.engine.lower(), engines, n=1)
        hint = f"did you mean {close[0]!r}?" if close else 'for other engines use engine = "http"'
        raise read.wrong("engine", table["engine"], f"one of {known}", hint=hint)
