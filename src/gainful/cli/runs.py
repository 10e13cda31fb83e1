"""Names and paths of runs, and the standard input."""

from __future__ import annotations

import os

from gainful.data.coercion import run_name
from gainful.data.named_runs import DefaultName, like_a_path
from gainful.errors import ParameterError, SourceNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def parse_runs(words: Sequence[str]) -> dict[str, str]:
    """Return the paths of runs by name.

    ``NAME=PATH`` names a run; the path of an existing file is always a path. Without a name, a run
    is named after its file, without the suffixes of formats.

    Raises
    ------
    ParameterError
        For two runs with the same name, or an empty name or path.
    SourceNotFoundError
        For a word that is neither a file nor looks like a path.
    """
    runs: dict[str, str] = {}
    for word in words:
        name, path = split_name(word, "run")
        if path == word:
            name = DefaultName(name)
        if name in runs:
            raise ParameterError(
                f"two runs have the name {name!r}: {runs[name]} and {path}",
                hint=f"name them with NAME=PATH, such as {name}-1={runs[name]} {name}-2={path}",
            )
        if not like_a_path(path):
            raise SourceNotFoundError(file=path, found="no such file")
        runs[name] = path
    return runs


def split_name(word: str, default: str) -> tuple[str, str]:
    """Split a word of the form ``NAME=PATH``, or a path, into name and path.

    Names and paths can contain equals signs and slashes, as in ``org/model=runs/k1=0.9.run``. The
    path begins after the first equals sign that leaves an existing path.

    Raises
    ------
    ParameterError
        For an empty name or path.

    Examples
    --------
    >>> split_name("org/model=bm25.run", "run"), split_name("k1=0.9=bm25.run", "run")
    (('org/model', 'bm25.run'), ('k1=0.9', 'bm25.run'))
    >>> split_name("runs/k1=0.9.run", "run"), split_name("new=missing.run", "run")
    (('k1=0.9', 'runs/k1=0.9.run'), ('new', 'missing.run'))
    """
    if "=" not in word or _exists(word):
        return run_name(word) or default, word
    signs = [at for at, char in enumerate(word) if char == "="]
    for at in signs:
        if word[:at].strip() and _exists(word[at + 1 :]):
            return word[:at].strip(), word[at + 1 :]
    name, _, path = word.partition("=")
    # No such file exists. A slash before the equals sign more often belongs to a path.
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


def _exists(path: str) -> bool:
    """Return whether a path exists, matches files, is an address or is the standard input."""
    from gainful.data.addresses import is_address

    if path == "-" or is_address(path) or os.path.exists(path):
        return True
    if not any(mark in path for mark in "*?["):
        return False
    from glob import iglob

    return next(iglob(path, recursive=True), None) is not None
