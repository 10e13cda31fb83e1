"""Power failures: records what a program does to the files of a folder, and replays parts of it.

strace records the calls. `crashes` returns the folders that may be left by a power failure after
each call: what was synchronized is there. Of later writes, any may be missing, or only their first
sectors may be there, whatever their order; a missing write may have made the file longer, by zeros.
Files that were created, renamed or removed since their folder was synchronized may not be so yet,
in order, as journaling file systems guarantee, but independently of their content.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

__all__ = ["Crash", "crashes", "events_of", "record"]

_CALLS = (
    "open,openat,creat,write,pwrite64,writev,lseek,fsync,fdatasync,sync_file_range,"
    "rename,renameat,renameat2,unlink,unlinkat,ftruncate,link,linkat,fallocate,dup,dup2,fcntl"
)
#: The unit that a disk writes.
_SECTOR = 512

_LINE = re.compile(r"(\d+) +(.*)")
_CALL = re.compile(r"(\w+)\((.*)\) += (-?\d+|\?)(?:<([^>]*)>)?")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_FILE = re.compile(r"(?:\d+|AT_FDCWD)<((?:\\x[0-9a-f]{2})*)>")


class Event(NamedTuple):
    """A call: its kind, the path, a second path, an offset or size, and bytes."""

    kind: str
    path: str = ""
    to: str = ""
    at: int = 0
    content: bytes = b""


def _bytes(escaped: str) -> bytes:
    return bytes.fromhex(escaped.replace("\\x", ""))


def record(program: list[str], log: Path) -> None:
    """Run a program, and write its calls to a file."""
    command = ["strace", "-f", "-y", "-xx", "-s", "10000000", "-e", f"trace={_CALLS}"]
    done = subprocess.run(
        [*command, "-o", str(log), *program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]


def events_of(log: Path, folder: Path) -> list[Event]:
    """Return what a recorded program did to the files of a folder, in order.

    The lines that it prints are events of the kind ``"printed"``.
    """
    return list(_events(log, str(folder.resolve())))


def _complete(log: Path) -> Iterator[str]:
    """Yield the calls in the order in which they returned."""
    begun: dict[str, str] = {}
    for line in log.read_text().splitlines():
        found = _LINE.fullmatch(line)
        assert found is not None, line
        process, call = found.groups()
        if call.endswith("<unfinished ...>"):
            begun[process] = call.removesuffix("<unfinished ...>").rstrip()
        elif call.startswith("<... "):
            yield begun.pop(process) + call.partition(" resumed>")[2]
        else:
            yield call


def _events(log: Path, folder: str) -> Iterator[Event]:
    at: dict[str, int] = {}
    size: dict[str, int] = {}
    appended: set[str] = set()

    def inside(path: str) -> bool:
        return path.startswith(folder + "/") and not path.endswith(" (deleted)")

    escaped = "".join(f"\\x{byte:02x}" for byte in folder.encode())
    for line in _complete(log):
        if escaped not in line and "(1<" not in line:
            continue
        found = _CALL.match(line)
        if found is None or found[3] == "?" or int(found[3]) < 0:
            continue
        name, arguments, result = found[1], found[2], int(found[3])
        texts = [_bytes(each) for each in _TEXT.findall(arguments)]
        files = [_bytes(each).decode() for each in _FILE.findall(arguments)]
        own = files[0] if files else ""
        if name in ("open", "openat", "creat"):
            path = _bytes(found[4] or "").decode()
            if not inside(path):
                continue
            at[path] = 0
            appended.discard(path)
            if "O_APPEND" in arguments:
                appended.add(path)
            if "O_CREAT" in arguments or name == "creat":
                yield Event("create", path)
            if "O_TRUNC" in arguments or name == "creat":
                size[path] = 0
                yield Event("truncate", path, at=0)
        elif name in ("write", "writev", "pwrite64"):
            if arguments.startswith("1<"):
                for each in b"".join(texts).decode(errors="replace").splitlines():
                    yield Event("printed", each)
            elif inside(own):
                content = b"".join(texts)[:result]
                if name == "pwrite64":
                    place = int(arguments.rpartition(",")[2])
                else:
                    place = size.get(own, 0) if own in appended else at.get(own, 0)
                    at[own] = place + result
                size[own] = max(size.get(own, 0), place + result)
                yield Event("write", own, at=place, content=content)
        elif name == "lseek" and inside(own):
            at[own] = result
        elif name in ("fsync", "fdatasync"):
            if inside(own):
                yield Event("sync", own)
            elif own == folder:
                yield Event("sync folder")
        elif name.startswith("rename"):
            before, after = (each.decode() for each in texts)
            if inside(after):
                size[after] = size.get(before, 0)
                yield Event("rename", before, after)
        elif name.startswith("unlink"):
            path = texts[0].decode()
            if inside(path):
                yield Event("unlink", path)
        elif name == "ftruncate" and inside(own):
            size[own] = int(arguments.rpartition(",")[2])
            yield Event("truncate", own, at=size[own])
        elif name in ("link", "linkat", "fallocate", "sync_file_range"):
            assert not any(map(inside, [*files, *(each.decode() for each in texts)])), line


@dataclass
class _File:
    """The synchronized content of a file, and what happened to it since."""

    durable: bytes = b""
    pending: list[Event] = field(default_factory=list)

    def applied(self, events: list[Event]) -> bytes:
        content = bytearray(self.durable)
        for event in events:
            if event.kind == "truncate":
                del content[event.at :]
                content.extend(bytes(event.at - len(content)))
            else:
                content.extend(bytes(max(event.at - len(content), 0)))
                content[event.at : event.at + len(event.content)] = event.content
        return bytes(content)

    def damaged(self, chance: random.Random) -> bytes:
        """Return what a power failure may leave: a random part of what is pending."""
        kept = []
        share = chance.choice([0.1, 0.5, 0.9])
        for event in self.pending:
            if chance.random() < share:
                kept.append(event)
            elif event.kind == "write" and chance.random() < 0.5:
                whole = event.content
                sectors = _SECTOR * chance.randrange(len(whole) // _SECTOR + 1)
                lost = bytes(len(whole) - sectors) if chance.random() < 0.3 else b""
                kept.append(event._replace(content=whole[:sectors] + lost))
        return self.applied(kept)


class Crash(NamedTuple):
    """The files after a power failure, by path, and the lines that had been printed."""

    files: dict[str, bytes]
    printed: tuple[str, ...]


def crashes(
    events: list[Event], initial: dict[str, bytes], chance: random.Random, samples: int
) -> Iterator[Crash]:
    """Yield different possible states after a power failure, for each number of events.

    Parameters
    ----------
    events
        What the program did.
    initial
        The files before, by path.
    chance
        The source of random numbers.
    samples
        The number of random states per event.
    """
    durable = {path: _File(content) for path, content in initial.items()}
    current = dict(durable)
    # The changes of the folder since it was synchronized.
    changes: list[tuple[str, str, _File | None]] = []
    printed: list[str] = []
    seen: set[tuple[tuple[str, ...], frozenset[tuple[str, bytes]]]] = set()
    for event in events:
        if event.kind == "printed":
            printed.append(event.path)
        elif event.kind == "create":
            if event.path not in current:
                current[event.path] = _File()
                changes.append(("put", event.path, current[event.path]))
        elif event.kind in ("write", "truncate"):
            current[event.path].pending.append(event)
        elif event.kind == "sync":
            file = current[event.path]
            file.durable, file.pending = file.applied(file.pending), []
        elif event.kind == "sync folder":
            durable, changes = dict(current), []
        elif event.kind == "rename":
            current[event.to] = current.pop(event.path)
            changes.append(("move", event.path, current[event.to]))
            changes.append(("put", event.to, current[event.to]))
        elif event.kind == "unlink":
            current.pop(event.path, None)
            changes.append(("move", event.path, None))
        for state in _states(durable, changes, chance, samples):
            crash = Crash(state, tuple(printed))
            mark = (crash.printed, frozenset(state.items()))
            if mark not in seen:
                seen.add(mark)
                yield crash


def _states(
    durable: dict[str, _File],
    changes: list[tuple[str, str, _File | None]],
    chance: random.Random,
    samples: int,
) -> Iterator[dict[str, bytes]]:
    def folder(count: int) -> dict[str, _File]:
        found = dict(durable)
        for kind, path, file in changes[:count]:
            if kind == "put" and file is not None:
                found[path] = file
            else:
                found.pop(path, None)
        return found

    # A rename is two changes, of which both happen or none.
    whole = [
        count
        for count in range(len(changes) + 1)
        if not (count and changes[count - 1][0] == "move" and changes[count - 1][2] is not None)
    ]
    for count in (0, len(changes)):
        for everything in (False, True):
            yield {
                path: file.applied(file.pending if everything else [])
                for path, file in folder(count).items()
            }
    for _ in range(samples):
        count = chance.choice(whole)
        yield {path: file.damaged(chance) for path, file in folder(count).items()}


def write_folder(files: dict[str, bytes], folder: Path, recorded: Path) -> None:
    """Write files to a folder, under the names that they had in the recorded one."""
    for path, content in files.items():
        (folder / Path(path).relative_to(recorded.resolve())).write_bytes(content)


def python(script: str, *arguments: object) -> list[str]:
    """Return the command that runs a script with this Python."""
    return [sys.executable, script, *map(str, arguments)]
