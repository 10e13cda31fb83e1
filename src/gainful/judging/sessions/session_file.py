"""The SQLite file of a judging session: where it may be, who may write it, and its backup."""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import ExitStack, closing, contextmanager

from gainful.errors import SourceError, SourceNotFoundError
from gainful.locking import locked
from gainful.sqlite_files import FileKind
from gainful.writing import write_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "SESSION_FILE",
    "backup_of",
    "check_place",
    "connected",
    "create_private",
    "deleted_error",
    "inode_of",
    "keep_backup",
    "network_file_system",
    "one_writer",
]


#: Types of network file systems as Linux and macOS name them. 9p is missing: containers and virtual
#: machines use it for local disks.
_NETWORK = frozenset(
    (
        *("nfs", "nfs3", "nfs4", "cifs", "smb2", "smb3", "smbfs", "afpfs", "webdav"),
        *("davfs", "ncpfs", "afs", "ceph", "lustre", "gpfs", "beegfs", "glusterfs", "orangefs"),
        *("fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.gcsfuse", "fuse.glusterfs", "fuse.ceph"),
        *("fuse.davfs2", "fuse.blobfuse2", "macfuse", "osxfuse"),
    )
)


def network_file_system(folder: str) -> str | None:
    """Return the type of the network file system of a folder; None if it is local or unknown.

    Examples
    --------
    >>> network_file_system("/")
    """
    path = os.path.realpath(folder)
    if sys.platform == "win32":
        return _windows_drive(path)
    kind = _type_of(path, _mounts())
    return kind if kind in _NETWORK else None


def _type_of(path: str, mounts: list[tuple[str, str]]) -> str | None:
    """Return the type of the last mount with the longest path above a path."""
    best_type, longest = None, 0
    for place, kind in mounts:
        above = place.rstrip("/") + "/"
        if (path + "/").startswith(above) and len(above) >= longest:
            best_type, longest = kind, len(above)
    return best_type


def _mounts() -> list[tuple[str, str]]:
    """Return the path and type of each mount; an empty list where they are unknown."""
    if sys.platform == "darwin":
        import subprocess

        listed = subprocess.run(["/sbin/mount"], capture_output=True, text=True, check=False).stdout
        return _mac_mounts(listed)
    try:
        with open("/proc/self/mounts", encoding="utf-8", errors="surrogateescape") as stream:
            return _linux_mounts(stream.read())
    except OSError:
        return []


def _linux_mounts(text: str) -> list[tuple[str, str]]:
    r"""Parse lines of device, path, type and options, in which \040 is a space.

    Examples
    --------
    >>> _linux_mounts("srv:/x /mnt/my\\040share nfs4 rw 0 0\n/dev/sda / ext4 rw 0 0\n")
    [('/mnt/my share', 'nfs4'), ('/', 'ext4')]
    """
    mounts = []
    for line in text.splitlines():
        words = line.split(" ")
        if len(words) > 2:
            place = words[1]
            for code, character in (("040", " "), ("011", "\t"), ("012", "\n"), ("134", "\\")):
                place = place.replace("\\" + code, character)
            mounts.append((place, words[2]))
    return mounts


def _mac_mounts(text: str) -> list[tuple[str, str]]:
    """Parse the output of mount on macOS.

    Examples
    --------
    >>> _mac_mounts("//me@srv/x on /Volumes/x (smbfs, nodev, nosuid)")
    [('/Volumes/x', 'smbfs')]
    """
    mounts = []
    for line in text.splitlines():
        place, _, options = line.partition(" on ")[2].rpartition(" (")
        mounts.append((place, options.rstrip(")").partition(",")[0]))
    return mounts


def _windows_drive(path: str) -> str | None:
    drive = os.path.splitdrive(path)[0]
    if drive.startswith("\\\\"):
        return "a network share"
    import ctypes

    remote = 4  # DRIVE_REMOTE
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 (it exists on Windows only)
    return "a network drive" if kernel.GetDriveTypeW(drive + "\\") == remote else None


_SCHEMA = """
CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
CREATE TABLE task (
    id INTEGER PRIMARY KEY,            -- the order of the pool
    query TEXT NOT NULL,
    document TEXT NOT NULL,
    judges INTEGER NOT NULL,           -- how many people should judge it
    content TEXT NOT NULL,             -- a digest of the text; empty if it is unknown
    UNIQUE (query, document)
);
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    client TEXT NOT NULL UNIQUE,       -- the client's id: an event that is sent twice counts once
    kind TEXT NOT NULL,
    judge TEXT NOT NULL,
    query TEXT NOT NULL,
    document TEXT NOT NULL,
    grade REAL,
    text TEXT NOT NULL,
    time REAL NOT NULL,                -- seconds since 1970
    seconds REAL,                      -- how long the judge took
    guidelines TEXT NOT NULL           -- their version
);
CREATE TRIGGER event_is_not_changed BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER event_is_not_deleted BEFORE DELETE ON event
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TABLE lease (                   -- documents, or queries, that are reserved for a judge
    judge TEXT NOT NULL,
    query TEXT NOT NULL,
    document TEXT NOT NULL,
    end REAL NOT NULL,                 -- seconds since 1970
    UNIQUE (judge, query, document)
);
"""

SESSION_FILE = FileKind(
    word="session",
    title="judging session",
    application=0x47616E4A,  # "GanJ"
    version=2,
    schema=_SCHEMA,
    busy=("another process is using the session", "try again in a moment"),
    damaged_hint="the file was not changed; ⟪recover⟫ saves the labels of a damaged session",
)

#: Seconds to wait for a process that reads the file, and may lock it for a moment.
_READER = 5.0


def connected(path: str) -> sqlite3.Connection:
    """Open a session with SQLite."""
    return SESSION_FILE.connect(path, timeout=_READER)


def check_place(path: str, usable: bool) -> None:
    """Refuse names, folders and file systems that cannot contain a session."""
    SESSION_FILE.check_path(path)
    if not usable:
        raise SourceNotFoundError(f"no such session: {path}", hint="pass a pool to begin one")
    kind = network_file_system(os.path.dirname(os.path.realpath(path)))
    if kind is not None:
        raise SourceError(
            f"labels cannot be stored safely on a network file system ({kind})",
            where="session",
            file=path,
            hint="use a file on a local disk",
        )


@contextmanager
def one_writer(path: str) -> Iterator[None]:
    """Refuse a session that another process writes."""
    try:
        lock = locked(path, wait=False)
        lock.__enter__()
    except BlockingIOError:
        raise SourceError(
            "another process is judging in this session",
            where="session",
            file=path,
            hint="stop it first, or only read the session",
        ) from None
    with ExitStack() as stack:
        stack.push(lock)
        yield


def inode_of(path: str) -> tuple[int, int] | None:
    """Return what tells a file from others of the same name; None if it is missing."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def create_private(path: str) -> None:
    """Create a file that only its owner can read, unless it exists; SQLite adds files like it."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError as error:
        raise write_error(path, error) from error


def backup_of(path: str) -> str:
    """Return the name of the backup of a session."""
    return f"{path}.backup"


def keep_backup(connection: sqlite3.Connection, path: str) -> bool:
    """Replace the backup of an intact session with events; return whether that was possible."""
    # A link may lead to another disk.
    target = backup_of(os.path.realpath(path))
    unfinished = f"{target}.new"
    try:
        create_private(unfinished)
        with closing(connected(unfinished)) as copy:
            connection.backup(copy)
            (state,) = copy.execute("PRAGMA quick_check(1)").fetchone()
            (count,) = copy.execute("SELECT count(*) FROM event").fetchone()
        if state != "ok" or not count:
            os.unlink(unfinished)
            return False
        os.replace(unfinished, target)
    except (OSError, sqlite3.Error):
        return False
    return True


def deleted_error(path: str, *, is_saved: bool) -> SourceError:
    """Return the error after a session was deleted while it was in use."""
    hint = f"confirmed labels are in {backup_of(path)}"
    return SourceError(
        "the session was deleted, moved or replaced while it was in use, so it ends here",
        file=path,
        hint=hint if is_saved else None,
    )
