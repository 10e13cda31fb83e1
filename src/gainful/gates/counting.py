"""Update the file of a snapshot without losing the updates of other processes."""

from __future__ import annotations

import os
import sys
import time

from gainful.errors import FormatError, SourceError
from gainful.gates.creation import carry_over_looks
from gainful.gates.files import read_snapshot
from gainful.gates.snapshot import Look, Snapshot
from gainful.locking import locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gainful.data.paths import Path
    from gainful.gates.result import GateResult

__all__ = ["count_look", "save_snapshot"]


def count_look(
    result: GateResult, path: Path, judge: Callable[[Snapshot], GateResult]
) -> GateResult:
    """Write the look of a result into the snapshot's file.

    Parameters
    ----------
    result : GateResult
        The result against the snapshot as it was read.
    path : path
        The file of the snapshot.
    judge : callable
        Returns the result for the same snapshot with other looks. If another process counted a
        look after the snapshot was read, the number of this look and its error rate change.

    Returns
    -------
    GateResult
        The result with the look counted, or marked as not counted if the file cannot be written.

    Raises
    ------
    FormatError
        If the file contains another snapshot than the one that was read.
    """
    name = os.fspath(path)
    if result.look <= len(result.snapshot.looks):
        return result.replace(counted=True)
    if not os.path.isfile(name):
        # A pipe cannot be read a second time.
        return result.replace(counted=False)
    try:
        with locked(name):
            result = _up_to_date(result, read_snapshot(name), judge)
            if result.look > len(result.snapshot.looks):
                look = Look(
                    run=result.runs.now,
                    system=result.system,
                    verdict=result.verdict,
                    alpha=result.alpha_used,
                )
                after = result.snapshot.with_look(look)
                _write(after, name)
                result = result.replace(snapshot=after)
    except SourceError:
        return result.replace(counted=False)
    return result.replace(counted=True)


def _up_to_date(
    result: GateResult, now: Snapshot, judge: Callable[[Snapshot], GateResult]
) -> GateResult:
    read = result.snapshot
    if now == read:
        return result
    if now.replace(looks=read.looks) != read:
        raise _replaced(now, "while the gate ran")
    return judge(now)


def _replaced(now: Snapshot, when: str) -> FormatError:
    return FormatError(
        file=now.file,
        found=f"a snapshot that was replaced {when}",
        expected="the same snapshot",
        hint="run the gate again",
    )


def save_snapshot(made: Snapshot, path: Path, after: Snapshot | None = None) -> Snapshot:
    """Write a snapshot to a file, keeping the looks of the snapshot that it replaces.

    Parameters
    ----------
    made : Snapshot
        The snapshot to write.
    path : path
        The file.
    after : Snapshot, optional
        The snapshot that `made` was made after, as it was read from the file.

    Returns
    -------
    Snapshot
        The written snapshot, including looks that were counted after `made` was made.

    Raises
    ------
    FormatError
        If the file contains another snapshot than `after`, whose anchor would be lost.
    GainfulError
        If the file cannot be read or written.
    """
    name = os.fspath(path)
    if os.path.exists(name) and not os.path.isfile(name):
        made.write(name)
        return made
    with locked(name):
        if os.path.exists(name) and os.path.getsize(name):
            now = read_snapshot(name)
            if after is None or now.replace(looks=after.looks) != after:
                raise _replaced(now, "while the run was evaluated")
            made = carry_over_looks(now, made)
        _write(made, name)
    return made


def _write(snapshot: Snapshot, name: str) -> None:
    if sys.platform == "win32":
        # Windows cannot replace a file while another process reads it.
        for _ in range(100):
            try:
                return snapshot.write(name)
            except SourceError as error:
                if not isinstance(error.__cause__, PermissionError):
                    raise
                time.sleep(0.02)
    snapshot.write(name)
