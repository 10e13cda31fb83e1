"""Write every kind of file while calls fail."""

from __future__ import annotations

import errno
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from faulty_io import ALWAYS, Call, Faults, with_errors
from file_writers import OLD, STORES, WRITERS, Store, prepare
from gainful.errors import GainfulError

#: The errors of each kind of call: the disk is full, or broken, or the user has no quota left. One
#: of them per call that fails, with ``ALL=1`` all.
ERRORS = {
    Call.OPEN: (errno.EIO, errno.ENOSPC, errno.EMFILE, errno.EACCES),
    Call.WRITE: (errno.EIO, errno.ENOSPC, errno.EDQUOT),
    Call.SYNC: (errno.EIO, errno.ENOSPC),
    Call.RENAME: (errno.EIO, errno.ENOSPC, errno.EACCES),
    Call.TRUNCATE: (errno.EIO, errno.ENOSPC),
}


def places(calls: int, most: int) -> Iterator[int]:
    """Return the numbers of the calls that fail: the first and the last ones."""
    if calls <= most:
        yield from range(1, calls + 1)
    else:
        yield from range(1, most // 2 + 1)
        yield from range(calls - most // 2 + 1, calls + 1)


def blocks(
    faults: Faults, run: Callable[[Any], object], most: int
) -> Iterator[tuple[str, Any, bool]]:
    """Yield the name of each fault, the block in which it happens, and whether it is harmless."""
    for call in (Call.WRITE, Call.OPEN, Call.SYNC):
        yield f"EINTR of {call.name}", faults.failing(call, 1, errno.EINTR, times=2), True
    yield "1 byte per write", faults.failing(Call.WRITE, 1, times=50, most=1), True
    yield "700 bytes per write", faults.failing(Call.WRITE, 1, times=ALWAYS, most=700), True
    for call, errors in ERRORS.items():
        run(faults.counted(call))
        for number, error in with_errors(places(faults.calls, most), errors):
            name = f"{errno.errorcode[error]} of {call.name} {number}"
            yield name, faults.failing(call, number, error), False
            if call in (Call.WRITE, Call.SYNC):
                lasting = faults.failing(call, number, error, times=ALWAYS)
                yield f"{name} and after", lasting, False


def emptied(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    prepare(folder)


def replace(name: str, folder: Path, block: Any) -> tuple[str, bytes, list[str]]:
    """Replace a file; return how it ended, its content, and the names of all files."""
    emptied(folder)
    path = folder / name
    path.write_bytes(OLD)
    try:
        with block:
            WRITERS[name](path)
        end = "written"
    except GainfulError as error:
        end = f"refused: {error}"
    return end, path.read_bytes(), sorted(os.listdir(folder))


def check_replaced(
    name: str, folder: Path, faults: Faults, most: int, count: Counter[str]
) -> Iterator[str]:
    """Yield what is wrong with a file that is replaced while calls fail."""

    def run(block: Any) -> tuple[str, bytes, list[str]]:
        return replace(name, folder, block)

    _, new, names = run(faults.counted(Call.WRITE))
    for fault, block, harmless in blocks(faults, run, most):
        try:
            end, found, left = run(block)
        except Exception as error:
            yield f"{name}, {fault}: {error!r}"
            continue
        count["written" if end == "written" else "refused"] += 1
        if left != names:
            yield f"{name}, {fault}: {end}, left {set(left) ^ set(names)}"
        elif found != (new if end == "written" else OLD):
            yield f"{name}, {fault}: {end}, {len(found)} bytes"
        elif harmless and end != "written":
            yield f"{name}, {fault}: {end}"


def check_extended(
    name: str, store: Store, folder: Path, faults: Faults, most: int, count: Counter[str]
) -> Iterator[str]:
    """Yield what is wrong with a file that is extended while calls fail."""
    path = folder / store.name

    def run(block: Any) -> tuple[str, set[str]]:
        emptied(folder)
        acknowledged: set[str] = set()
        try:
            with block:
                store.store(path, acknowledged.add)
        except GainfulError as error:
            return f"refused: {error}", acknowledged
        return "written", acknowledged

    emptied(folder)
    whole = store.complete(path)
    for fault, block, harmless in blocks(faults, run, most):
        try:
            end, acknowledged = run(block)
            lost = acknowledged - store.stored(path)
            again = store.complete(path)
        except Exception as error:
            yield f"{name}, {fault}: {error!r}"
            continue
        count["written" if end == "written" else "refused"] += 1
        if lost:
            yield f"{name}, {fault}: {end}, lost {lost}"
        elif again != whole:
            yield f"{name}, {fault}: {end}, then another result"
        elif harmless and end != "written" and fault != "EINTR of SYNC":
            # SQLite does not repeat an interrupted fsync.
            yield f"{name}, {fault}: {end}"


def check_writers(folder: Path, most: int) -> dict[str, Any]:
    """Return how often files were written, and what went wrong; so many calls of a kind fail."""
    faults = Faults(folder)
    count: Counter[str] = Counter()
    wrong: list[str] = []
    for name in WRITERS:
        wrong += check_replaced(name, folder, faults, most, count)
    for name, store in STORES.items():
        if name != "language model":
            # It shares the journal of the search.
            wrong += check_extended(name, store, folder, faults, most, count)
    return {"count": count, "wrong": wrong}
