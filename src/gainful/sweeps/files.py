"""Write the runs of a sweep to files."""

from __future__ import annotations

import os

from gainful.errors import SourceError
from gainful.sweeps.points import CURRENT
from gainful.writing import write_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.sweeps.result import Sweep

__all__ = ["file_names", "names_point", "was_written", "write_runs"]

#: Maximum length of a file name without its suffix.
_LONGEST = 120


def write_runs(sweep: Sweep, folder: str | os.PathLike[str]) -> dict[str, str]:
    """Write the runs of a sweep to a folder, and return the path of each."""
    path = os.fspath(folder)
    try:
        os.makedirs(path, exist_ok=True)
    except FileExistsError:
        raise SourceError(file=path, found="a file", expected="a folder") from None
    except OSError as error:
        raise write_error(path, error) from error
    spaced = any(len(query.split()) != 1 for run in sweep.runs.values() for query in run)
    suffix, format = (".tsv", "tsv") if spaced else (".run", "trec")
    paths = {}
    for name, file in file_names([point.name for point in sweep.points], suffix).items():
        paths[name] = os.path.join(path, file)
        sweep.runs[name].as_complete().write(paths[name], format, tag="_".join(name.split()))
    return paths


def file_names(names: list[str], suffix: str = ".run") -> dict[str, str]:
    """Return a file name for each point, without characters that are not portable.

    Examples
    --------
    >>> file_names(["k1=0.9,b=0.4", 'fields=["title","a/b"]', 'fields=["title","a:b"]'])
    {'k1=0.9,b=0.4': 'k1=0.9,b=0.4.run', 'fields=["title","a/b"]': 'fields=title,a_b.run', \
'fields=["title","a:b"]': 'fields=title,a_b.2.run'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain = "".join(
            char if char.isalnum() or char in "_-+.,=^~%" else "_"
            for char in name
            if char not in '"[]{}'
        )[:_LONGEST]
        file, number = f"{plain}{suffix}", 1
        # Some file systems ignore case.
        while file.lower() in taken:
            number += 1
            file = f"{plain}.{number}{suffix}"
        taken.add(file.lower())
        found[name] = file
    return found


def names_point(file: str) -> bool:
    """Return whether a run of a sweep may have this name.

    Examples
    --------
    >>> names_point("k1=0.9.run"), names_point("current.run"), names_point("bm25.run")
    (True, True, False)
    """
    plain, suffix = os.path.splitext(file)
    return suffix in (".run", ".tsv") and ("=" in plain or plain == CURRENT)


def was_written(file: str, head: bytes) -> bool:
    r"""Return whether a sweep wrote a file, from its beginning.

    Examples
    --------
    >>> was_written("k1=0.9.run", b"q1 Q0 d1 1 2.5 k1=0.9\n")
    True
    >>> was_written("k1=0.9.run", b"q1 Q0 d1 1 2.5 mine\n")
    False
    """
    line = head.split(b"\n", 1)[0].decode("utf-8", "replace")
    if file.endswith(".tsv"):
        return line.startswith("query_id\tdoc_id\tscore")
    tag = line.split(" ")[-1]
    return not head or file.startswith(file_names([tag], "")[tag])
