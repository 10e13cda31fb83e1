"""A folder of collections: which files in it are judgments, and which are runs."""

from __future__ import annotations

import os
from dataclasses import dataclass

from gainful.data.paths import RUNS, stem, uncompressed
from gainful.errors import ParameterError, SourceError, SourceNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

__all__ = ["Folder", "read_folder"]

_LAYOUT = (
    "each collection has a folder of its own, with its judgments in a file whose name begins with"
    " qrels, and its runs in a folder called runs, or beside the judgments as files ending in .run"
)


@dataclass(frozen=True)
class Folder:
    """What a folder of collections holds.

    Attributes
    ----------
    collections : dict of str to (str, dict of str to str)
        By the name of the sub-folder, in alphabetical order, the path of the judgments and the
        paths of the runs by their names: what `evaluate_suite` takes.
    left_out : tuple of str
        Sub-folders in which there are neither judgments nor runs.
    """

    collections: dict[str, tuple[str, dict[str, str]]]
    left_out: tuple[str, ...]


def read_folder(path: str | os.PathLike[str]) -> Folder:
    """Find the judgments and the runs of several collections.

    Each sub-folder is a collection and gives it its name. In it, the judgments are the file whose
    name begins with ``qrels``, or in a folder ``qrels`` its only file or the one that is called
    ``test`` (as in BEIR's collections). Runs are all files of a folder ``runs``; without one, the
    files beside the judgments whose names end in ``.run``, ``.runs``, ``.res`` or ``.results``,
    compressed or not. A run is called like its file. Names that begin with a dot are passed over.

    Parameters
    ----------
    path : str or path
        The folder.

    Returns
    -------
    Folder

    Raises
    ------
    SourceError
        If the folder cannot be listed, or is none.
    ParameterError
        If it holds no collection; if one has runs and no judgments, or the other way round; for
        several files that could be the judgments, and for two runs of one name.

    Examples
    --------
    >>> found = read_folder("collections")
    >>> for name, (qrels, runs) in found.collections.items():
    ...     print(name, os.path.basename(qrels), *runs)
    help qrels.txt fts5-plain fts5-tuned title-words
    recipes qrels.txt fts5-plain fts5-tuned
    """
    top = os.fspath(path)
    collections: dict[str, tuple[str, dict[str, str]]] = {}
    left_out = []
    for name in _listed(top):
        inside = os.path.join(top, name)
        if not os.path.isdir(inside):
            continue
        judgments, runs = _judgments(inside), _runs(inside)
        if judgments is None and not runs:
            left_out.append(name)
        elif judgments is None:
            raise ParameterError(
                where=inside,
                found=f"{_some(runs)} and no judgments",
                expected="both",
                hint=_LAYOUT,
            )
        elif not runs:
            raise ParameterError(
                where=inside,
                found=f"judgments ({os.path.relpath(judgments, inside)}) and no run",
                expected="both",
                hint=_LAYOUT,
            )
        else:
            collections[name] = (judgments, runs)
    if not collections:
        raise ParameterError(
            where=top, found="no collection", expected="at least one", hint=_LAYOUT
        )
    return Folder(collections, tuple(left_out))


def _judgments(folder: str) -> str | None:
    """Return the path of a collection's judgments, if it has any."""
    named = [name for name in _listed(folder) if name.lower().startswith("qrels")]
    if len(named) == 1 and os.path.isdir(inside := os.path.join(folder, named[0])):
        folder = inside
        named = [name for name in _listed(inside) if os.path.isfile(os.path.join(inside, name))]
        tests = [name for name in named if stem(name) == "test"]
        named = tests if len(tests) == 1 else named
    if len(named) > 1:
        raise ParameterError(
            where=folder,
            found=f"{len(named)} files that could be the judgments: {', '.join(named)}",
            expected="one",
        )
    return os.path.join(folder, named[0]) if named else None


def _runs(folder: str) -> dict[str, str]:
    """Return the paths of a collection's runs by their names."""
    inside = os.path.join(folder, "runs")
    if os.path.isdir(inside):
        paths = [os.path.join(inside, name) for name in _listed(inside)]
    else:
        paths = [os.path.join(folder, name) for name in _listed(folder) if _is_run(name)]
    runs: dict[str, str] = {}
    for path in paths:
        if not os.path.isfile(path):
            continue
        name = stem(path)
        if name in runs:
            raise ParameterError(
                where=folder,
                found=f"two runs of the name {name!r}, {os.path.basename(runs[name])} and"
                f" {os.path.basename(path)}",
                expected="a name for each",
            )
        runs[name] = path
    return runs


def _is_run(name: str) -> bool:
    bare = uncompressed(name.lower())
    return bare.endswith(RUNS) and not bare.startswith("qrels")


def _some(runs: dict[str, str]) -> str:
    return "one run" if len(runs) == 1 else f"{len(runs)} runs"


def _listed(folder: str) -> list[str]:
    """Return the names in a folder in order, but not those that begin with a dot."""
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except FileNotFoundError:
        raise SourceNotFoundError(file=folder, found="no such folder") from None
    except NotADirectoryError:
        raise SourceError(file=folder, found="a file", expected="a folder of collections") from None
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise SourceError(
            file=folder, found=f"a folder that cannot be listed ({why})", expected="one that can"
        ) from error
