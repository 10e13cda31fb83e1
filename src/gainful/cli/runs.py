"""The files that a command is given: names of runs, the standard input, formats."""

from __future__ import annotations

import os

from gainful.data.coercion import run_name
from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def named_runs(words: Sequence[str]) -> dict[str, str]:
    """Return the paths of runs by their names.

    ``NAME=PATH`` names a run; a word that is the path of a file as it stands is a path. Without a
    name, a run is called as its file without the suffixes that tell a format.

    Raises
    ------
    ParameterError
        For two runs of one name, or a name or path that is empty.
    """
    runs: dict[str, str] = {}
    for word in words:
        name, path = split_name(word, "run")
        if name in runs:
            raise ParameterError(
                where="the runs",
                found=f"two of the name {name!r}, {runs[name]} and {path}",
                expected="a name for each",
                hint=f"write NAME=PATH, such as {name}-1={runs[name]} {name}-2={path}",
            )
        runs[name] = path
    return runs


def split_name(word: str, default: str) -> tuple[str, str]:
    """Return the name and the path of a word of the form ``NAME=PATH``, or of a path.

    Names and paths may have equals signs and slashes, as in ``org/model=runs/k1=0.9.run``. The path
    begins after the first equals sign that leaves a path of something that exists.

    Raises
    ------
    ParameterError
        For a name or path that is empty.

    Examples
    --------
    >>> split_name("org/model=bm25.run", "run"), split_name("k1=0.9=bm25.run", "run")
    (('org/model', 'bm25.run'), ('k1=0.9', 'bm25.run'))
    >>> split_name("runs/k1=0.9.run", "run"), split_name("new=missing.run", "run")
    (('k1=0.9', 'runs/k1=0.9.run'), ('new', 'missing.run'))
    """
    if "=" not in word or _is_there(word):
        return run_name(word) or default, word
    signs = [at for at, char in enumerate(word) if char == "="]
    for at in signs:
        if word[:at].strip() and _is_there(word[at + 1 :]):
            return word[:at].strip(), word[at + 1 :]
    name, _, path = word.partition("=")
    # Nothing exists. A folder in front of the equals sign is more often part of a path.
    if "/" in name or os.sep in name:
        return run_name(word) or default, word
    if not name.strip() or not path:
        missing = "name" if path else "path"
        raise ParameterError(
            where=f"a {default}" if default == "run" else default,
            found=f"{word!r} without a {missing}",
            expected="NAME=PATH",
        )
    return name.strip(), path


def _is_there(path: str) -> bool:
    """Return whether a path exists, matches files, is an address or is the standard input."""
    from gainful.data.addresses import is_address

    if path == "-" or is_address(path) or os.path.exists(path):
        return True
    if not any(mark in path for mark in "*?["):
        return False
    from glob import iglob

    return next(iglob(path, recursive=True), None) is not None


def check_standard_input(*paths: str) -> None:
    """Refuse to read the standard input for several things; ``-:COLUMN`` is a column of it.

    Raises
    ------
    ParameterError
        If more than one of the paths is ``-``.
    """
    times = sum(path == "-" or path.startswith("-:") for path in paths)
    if times > 1:
        raise ParameterError(
            where="-",
            found=f"the standard input named {times} times",
            expected="it once, for it can be read only once",
        )
