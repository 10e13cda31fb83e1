"""Read every seed of every reader while calls fail."""

from __future__ import annotations

import errno
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from faulty_io import ALWAYS, Call, Faults, with_errors
from gainful.errors import GainfulError
from reader_seeds import READERS, Reader

#: At most this many calls of one reading fail in turn.
PLACES = 8
#: What opening a file fails with: one of them per place, with ``ALL=1`` all.
ERRORS = (errno.EIO, errno.EMFILE, errno.EACCES)


def described(value: Any) -> str:
    """Return a text that is equal for equal values."""
    if isinstance(value, np.ndarray):
        return repr((value.dtype, value.shape, value.tobytes()))
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def outcome(reader: Reader, seed: bytes, folder: Path, faults: Any = None) -> tuple[str, str]:
    """Read a fresh copy of a seed; return ``"read"`` or ``"refused"``, and the value or error."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    path = folder / reader.name
    path.write_bytes(seed)
    try:
        with faults:
            return "read", described(reader.read(path))
    except GainfulError as error:
        assert str(error), reader
        return "refused", f"{type(error).__name__}: {error}"


def places(calls: int) -> Iterator[int]:
    """Return the numbers of the calls that fail: the first and the last ones."""
    if calls <= PLACES:
        yield from range(1, calls + 1)
    else:
        yield from range(1, PLACES // 2 + 1)
        yield from range(calls - PLACES // 2 + 1, calls + 1)


def check_readers(folder: Path, most: int) -> dict[str, Any]:
    """Return how many readings went how, and which went wrong; of each reader so many seeds."""
    faults = Faults(folder)
    count: Counter[str] = Counter()
    wrong: list[str] = []
    for name, reader in READERS.items():
        if reader.only_content:
            continue
        for number, seed in enumerate(reader.seeds[:most]):
            whole = outcome(reader, seed, folder, faults.counted(Call.READ))
            reads = faults.calls
            outcome(reader, seed, folder, faults.counted(Call.OPEN))
            opens = faults.calls
            # Interrupted calls and short reads change nothing.
            same = {
                "EINTR": faults.failing(Call.READ, 1, errno.EINTR, times=3),
                "EINTR of open": faults.failing(Call.OPEN, 1, errno.EINTR, times=3),
                "1 byte": faults.failing(Call.READ, 1, times=ALWAYS, most=1),
                "5 bytes": faults.failing(Call.READ, 1, times=ALWAYS, most=5),
            }
            # Errors are reported, unless what could not be read is not needed.
            reported = {
                **{
                    f"EIO of read {n}": faults.failing(Call.READ, n, errno.EIO, times=ALWAYS)
                    for n in places(reads)
                },
                **{
                    f"{errno.errorcode[error]} of open {n}": faults.failing(Call.OPEN, n, error)
                    for n, error in with_errors(places(opens), ERRORS)
                },
            }
            for fault, block in {**same, **reported}.items():
                try:
                    found = outcome(reader, seed, folder, block)
                except Exception as error:
                    wrong.append(f"{name}, seed {number}, {fault}: {error!r}")
                    continue
                if found == whole:
                    count["unchanged"] += 1
                elif fault in reported and found[0] == "refused":
                    count["refused"] += 1
                else:
                    wrong.append(f"{name}, seed {number}, {fault}: {found} instead of {whole}")
    return {"count": count, "wrong": wrong}
