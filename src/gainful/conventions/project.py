"""The conventions of a project's file: a preset, or another of them, with other policies."""

from __future__ import annotations

from gainful.conventions.convention import Convention, preset_convention
from gainful.conventions.presets import find
from gainful.errors import ConventionError, GainfulError
from gainful.keywords import path_argument, suggest_keywords
from gainful.policies import POLICIES
from gainful.project_file import find_project_file, read_project_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import Any

__all__ = ["EXTENDS", "read"]

#: The key with the convention to start from.
EXTENDS = "extends"


@suggest_keywords
def read(path: str | PathLike[str] | None = None) -> dict[str, Convention]:
    """Read the conventions of a project's file by name.

    Each is a table: ``[conventions.ours]`` in ``gainful.toml``, ``[tool.gainful.conventions.ours]``
    in ``pyproject.toml``. Its keys are policies, ``defaults`` of measures, and ``extends``: the
    convention that they change, gainful-1 by default. The command line reads the file by itself,
    Python only here.

    Parameters
    ----------
    path : str or path-like, optional
        The file. Default: ``gainful.toml``, or ``pyproject.toml`` with a table ``[tool.gainful]``,
        in the current folder or the nearest one above it.

    Raises
    ------
    SourceError
        If the file cannot be read, or is not TOML.
    ConventionError
        For an unknown key, an invalid value, or the name of a preset.

    Examples
    --------
    >>> import gainful
    >>> text = '''
    ... [conventions.ours]
    ... extends = "trec_eval"
    ... no_relevant = "skip"
    ... '''
    >>> with open("gainful.toml", "w") as file:
    ...     _ = file.write(text)
    >>> ours = gainful.conventions.read()["ours"]
    >>> ours.name, ours.no_relevant, ours.missing
    ('ours', 'skip', 'skip')
    """
    if path is None:
        file = find_project_file()
    else:
        place = path_argument(path, "conventions.read")
        file = place, read_project_file(place) or {}
    if file is None:
        return {}
    name, table = file
    tables = _tables(name, table)
    return {called: _made(name, tables, called, ()) for called in tables}


def _tables(path: str, table: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the tables of conventions; other values are options of ``gainful conventions``."""
    tables = table.get("conventions", {})
    if not isinstance(tables, dict):
        raise ConventionError(
            file=path, found=f"conventions = {tables!r}", expected="a table for each convention"
        )
    for key in (EXTENDS, *(policy.name for policy in POLICIES)):
        if key in tables and not isinstance(tables[key], dict):
            raise ConventionError(
                f"{key!r} is a policy of no convention",
                where=f"{path}, conventions",
                hint=f"[conventions.NAME] is the table of a convention, with {key}",
            )
    return {name: value for name, value in tables.items() if isinstance(value, dict)}


def _made(
    path: str, tables: dict[str, dict[str, Any]], name: str, extending: tuple[str, ...]
) -> Convention:
    place = f"{path}, conventions.{name}"
    policies = dict(tables[name])
    base = policies.pop(EXTENDS, "gainful-1")
    if name in extending:
        raise ConventionError(f"extends itself: {' → '.join((*extending, name))}", where=place)
    if _is_preset(name):
        raise ConventionError("a convention of Gainful has this name", where=place)
    known = [*(policy.name for policy in POLICIES), "defaults", EXTENDS]
    for key in policies:
        if key not in known:
            raise ConventionError(
                f"unknown policy {key!r}",
                where=place,
                hint=_hint(key, known),
            )
    if base in tables:
        start = _made(path, tables, base, (*extending, name))
    try:
        if base not in tables:
            start = preset_convention(find(base))
        if isinstance(policies.get("defaults"), dict):
            policies["defaults"] = _merged(start.to_dict()["defaults"], policies["defaults"])
        return start.replace(**policies, name=name)
    except GainfulError as error:
        raise error.inside(place) from None


def _hint(key: str, known: list[str]) -> str:
    from difflib import get_close_matches

    from gainful.measures.catalogue import family

    if any(parameter.name == key for parameter in family("nDCG").parameters):
        return f"{key} is a parameter of nDCG: defaults.nDCG.{key} sets it"
    close = get_close_matches(key, known, n=1)
    return f"did you mean {close[0]}?" if close else f"policies are {', '.join(known)}"


def _merged(defaults: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return the default parameters of measures with some of them changed."""
    merged = dict(defaults)
    for family, parameters in changes.items():
        start = merged.get(family, {})
        is_table = isinstance(parameters, dict)
        merged[family] = {**start, **parameters} if is_table else parameters
    return merged


def _is_preset(name: str) -> bool:
    try:
        find(name)
    except ConventionError:
        return False
    return True
