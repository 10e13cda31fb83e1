"""Find the judgments and runs in a folder of collections."""

from __future__ import annotations

import os
from dataclasses import dataclass

from gainful.data.paths import RUNS, stem, uncompressed
from gainful.errors import ParameterError, SourceError, SourceNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Folder", "find_in_collections", "read_folder"]

_LAYOUT = (
    "each collection needs a subfolder with judgments (a file named qrels*) and runs (files ending"
    " in .run, or a folder named runs)"
)


@dataclass(frozen=True)
class Folder:
    """The files in a folder of collections.

    Attributes
    ----------
    collections : dict of str to (str, dict of str to str)
        By subfolder, in alphabetical order: the path of the judgments, and the paths of the runs by
        name. `evaluate_suite` accepts this mapping.
    left_out : tuple of str
        Subfolders without judgments and runs.
    """

    collections: dict[str, tuple[str, dict[str, str]]]
    left_out: tuple[str, ...]


def read_folder(path: str | os.PathLike[str]) -> Folder:
    """Find the judgments and the runs of several collections.

    Each subfolder is a collection and gives its name. The judgments are the file whose name begins
    with ``qrels``. In a folder whose name begins with ``qrels``, they are the only file or the file
    named ``test`` (as in BEIR). The runs are all files in a folder ``runs`` or, without such a
    folder, the files ending in ``.run``, ``.runs``, ``.res`` or ``.results``, compressed or not. A
    run has the name of its file. Names that begin with a dot are ignored.

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
        If the path is not a folder or cannot be listed.
    ParameterError
        If the folder has no collection, a collection lacks judgments or runs, several files could
        be its judgments, or two of its runs have the same name.

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
    for name in _list_names(top):
        inside = os.path.join(top, name)
        if not os.path.isdir(inside):
            continue
        judgments, runs = _find_judgments(inside), _find_runs(inside)
        if judgments is None and not runs:
            left_out.append(name)
        elif judgments is None:
            count = f"{len(runs)} run{'s' * (len(runs) != 1)}"
            raise ParameterError(f"{count} but no judgments", where=inside, hint=_LAYOUT)
        elif not runs:
            named = os.path.relpath(judgments, inside)
            raise ParameterError(f"judgments ({named}) but no run", where=inside, hint=_LAYOUT)
        else:
            collections[name] = (judgments, runs)
    if not collections:
        raise ParameterError("the folder contains no collection", where=top, hint=_LAYOUT)
    return Folder(collections, tuple(left_out))


def find_in_collections(
    path: str | os.PathLike[str], collections: Iterable[str], name: str
) -> dict[str, str]:
    """Return the paths of a file that collections have in their subfolders.

    Parameters
    ----------
    path : str or path
        The folder of the collections.
    collections : iterable of str
        Their names.
    name : str
        The name of the file, or ``NAME:COLUMN``, as ``queries.tsv:category``.

    Returns
    -------
    dict of str to str
        By collection, the path, with the column; collections without the file are left out.

    Raises
    ------
    SourceNotFoundError
        If no collection has the file.
    """
    found = {}
    for collection in collections:
        inside = os.path.join(os.fspath(path), collection, name)
        file, colon, _ = inside.rpartition(":")
        if os.path.isfile(inside) or (colon and os.path.isfile(file)):
            found[collection] = inside
    if not found:
        raise SourceNotFoundError(file=name, found="no such file in any collection's folder")
    return found


def _find_judgments(folder: str) -> str | None:
    """Return the path of a collection's judgments, or None."""
    named = [name for name in _list_names(folder) if name.lower().startswith("qrels")]
    if len(named) == 1 and os.path.isdir(inside := os.path.join(folder, named[0])):
        folder = inside
        named = [name for name in _list_names(inside) if os.path.isfile(os.path.join(inside, name))]
        tests = [name for name in named if stem(name) == "test"]
        named = tests if len(tests) == 1 else named
    if len(named) > 1:
        raise ParameterError(
            f"{len(named)} files could be the judgments: {', '.join(named)}", where=folder
        )
    return os.path.join(folder, named[0]) if named else None


def _find_runs(folder: str) -> dict[str, str]:
    """Return the paths of a collection's runs by name."""
    inside = os.path.join(folder, "runs")
    if os.path.isdir(inside):
        paths = [os.path.join(inside, name) for name in _list_names(inside)]
    else:
        paths = [os.path.join(folder, name) for name in _list_names(folder) if _is_run(name)]
    runs: dict[str, str] = {}
    for path in paths:
        if not os.path.isfile(path):
            continue
        name = stem(path)
        if name in runs:
            raise ParameterError(
                f"two runs have the name {name!r}: {os.path.basename(runs[name])} and"
                f" {os.path.basename(path)}",
                where=folder,
            )
        runs[name] = path
    return runs


def _is_run(name: str) -> bool:
    bare = uncompressed(name.lower())
    return bare.endswith(RUNS) and not bare.startswith("qrels")


def _list_names(folder: str) -> list[str]:
    """Return the sorted names in a folder, without those that begin with a dot."""
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except FileNotFoundError:
        raise SourceNotFoundError(file=folder, found="no such folder") from None
    except NotADirectoryError:
        raise SourceError(file=folder, found="a file", expected="a folder of collections") from None
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise SourceError(f"the folder cannot be listed ({why})", file=folder) from error
