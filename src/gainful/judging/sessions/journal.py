"""The journal of a judging session, an append-only SQLite file, and who may write it."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections import deque
from contextlib import ExitStack, closing, contextmanager
from threading import Condition, Lock
from uuid import uuid4

from gainful.errors import SourceError, SourceNotFoundError
from gainful.judging.sessions.assignment import Lease
from gainful.judging.sessions.events import ANSWERS, Event, Kind
from gainful.sqlite_files import FileKind, transaction
from gainful.writing import locked, write_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gainful.judging.sessions.state import Task

__all__ = [
    "SESSION_FILE",
    "SessionJournal",
    "backup_of",
    "check_place",
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


def _connected(path: str) -> sqlite3.Connection:
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


def _inode_of(path: str) -> tuple[int, int] | None:
    """Return what tells a file from others of the same name; None if it is missing."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _create_private(path: str) -> None:
    """Create a file that only its owner can read, unless it exists; SQLite adds files like it."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError as error:
        raise write_error(path, error) from error


def backup_of(path: str) -> str:
    """Return the name of the backup of a session."""
    return f"{path}.backup"


def _keep_backup(connection: sqlite3.Connection, path: str) -> bool:
    """Replace the backup of an intact session with events; return whether that was possible."""
    # A link may lead to another disk.
    target = backup_of(os.path.realpath(path))
    unfinished = f"{target}.new"
    try:
        _create_private(unfinished)
        with closing(_connected(unfinished)) as copy:
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


def _deleted_error(path: str, *, is_saved: bool) -> SourceError:
    """Return the error after a session was deleted while it was in use."""
    hint = f"confirmed labels are in {backup_of(path)}"
    return SourceError(
        "the session was deleted, moved or replaced while it was in use, so it ends here",
        file=path,
        hint=hint if is_saved else None,
    )


class Queued:
    """An event that waits to be written; `error` is why it was not."""

    __slots__ = ("error", "event", "is_done")

    def __init__(self, event: Event) -> None:
        self.event = event
        self.is_done = False
        self.error: SourceError | None = None


class SessionJournal:
    """A file of settings, tasks and events, which one process at a time can write.

    Parameters
    ----------
    path : str
        The file.
    create : bool
        Whether to create it if it does not exist.
    read_only : bool
        Whether to only read it, also while another process writes it.

    Raises
    ------
    SourceError
        If another process writes it, if it is damaged, not a journal, of another version, or on a
        network file system.
    SourceNotFoundError
        If it does not exist.
    """

    def __init__(self, path: str, *, create: bool, read_only: bool = False) -> None:
        self.path = path
        self._lock = Lock()
        self._pending: deque[Queued] = deque()
        #: The event that was queued last; None if nothing is queued since the last failure.
        self.last: Queued | None = None
        self._turn = Condition()
        self._is_writing = False
        #: Why the last events were not written, and these events, until `discard`.
        self._failure: SourceError | None = None
        self._failed: list[Event] = []
        #: Why nothing can be written any more.
        self.end: SourceError | None = None
        self._closing = ExitStack()
        exists = os.path.exists(path)
        check_place(path, exists or create)
        with ExitStack() as opening:
            if not read_only:
                opening.enter_context(one_writer(path))
                _create_private(path)
            with SESSION_FILE.errors(path):
                self._connection = _connected(path)
                opening.callback(self._connection.close)
                if read_only:
                    self._connection.execute("PRAGMA query_only = ON")
                    if SESSION_FILE.is_empty(self._connection, path):
                        raise SESSION_FILE.foreign(path, "the file is empty")
                else:
                    with transaction(self._connection):
                        if SESSION_FILE.is_empty(self._connection, path):
                            self._create()
                    (mode,) = self._connection.execute("PRAGMA journal_mode = WAL").fetchone()
                    self._log = f"{os.path.realpath(path)}-wal" if mode == "wal" else path
                    opening.callback(_keep_backup, self._connection, path)
                    # On macOS, fsync alone does not put a commit on the disk.
                    self._connection.execute("PRAGMA fullfsync = ON")
                self._identity = self._read_identity()
                self._inode = _inode_of(path)
            self._closing = opening.pop_all()
        if not read_only:
            _keep_backup(self._connection, path)

    def _read_identity(self) -> str:
        row = self._connection.execute("SELECT value FROM setting WHERE name = 'identity'")
        (identity,) = row.fetchone()
        return str(identity)

    @property
    def identity(self) -> str:
        """The random id of the file."""
        return self._identity

    def _create(self) -> None:
        SESSION_FILE.create(self._connection)
        self._connection.execute("INSERT INTO setting VALUES ('identity', ?)", (uuid4().hex,))

    # --- settings and tasks ---------------------------------------------------------------------

    def setting(self, name: str) -> str | None:
        """Return the value of a setting."""
        with self._lock, SESSION_FILE.errors(self.path):
            row = self._connection.execute(
                "SELECT value FROM setting WHERE name = ?", (name,)
            ).fetchone()
        return None if row is None else row[0]

    def set(self, name: str, value: str) -> None:
        """Change a setting."""
        with self._transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", (name, value))

    def tasks(self) -> list[tuple[str, str, int, str]]:
        """Return query, document, number of judges and digest of the text, in pool order."""
        with self._lock, SESSION_FILE.errors(self.path):
            return self._connection.execute(
                "SELECT query, document, judges, content FROM task ORDER BY id"
            ).fetchall()

    def add_tasks(self, tasks: Iterable[Task], contents: dict[str, str]) -> None:
        """Add tasks; for known ones, increase the number of judges."""
        with self._transaction() as connection:
            connection.executemany(
                "INSERT INTO task (query, document, judges, content) VALUES (?, ?, ?, '')"
                " ON CONFLICT DO UPDATE SET judges = max(judges, excluded.judges)",
                tasks,
            )
            connection.executemany(
                "UPDATE task SET content = ? WHERE document = ? AND content = ''",
                [(content, document) for document, content in contents.items()],
            )

    # --- leases ---------------------------------------------------------------------------------

    def leases(self) -> list[Lease]:
        """Return the leases of all judges, in order."""
        with self._lock, SESSION_FILE.errors(self.path):
            rows = self._connection.execute("SELECT * FROM lease ORDER BY rowid").fetchall()
        return [Lease(*row) for row in rows]

    def set_leases(self, judge: str, leases: Iterable[Lease]) -> None:
        """Replace the leases of a judge. They survive the end of the process, not a power cut."""
        with self._transaction(durable=False) as connection:
            connection.execute("DELETE FROM lease WHERE judge = ?", (judge,))
            connection.executemany("INSERT INTO lease VALUES (?, ?, ?, ?)", leases)

    # --- events ---------------------------------------------------------------------------------

    def events(self) -> Iterator[Event]:
        """Yield all committed events in order."""
        with self._lock, SESSION_FILE.errors(self.path):
            rows = self._connection.execute("SELECT * FROM event ORDER BY id").fetchall()
        for row in rows:
            try:
                yield Event(row[0], row[1], Kind(row[2]), *row[3:])
            except ValueError:
                raise SESSION_FILE.damaged(self.path, "an event of an unknown kind") from None

    def queue(self, event: Event) -> Queued:
        """Add an event to the next commit. Events must be queued in the order of their numbers."""
        self.last = Queued(event)
        self._pending.append(self.last)
        return self.last

    def commit(self, queued: Queued) -> None:
        """Commit all events up to one; they are on the disk when this returns.

        One of several threads writes the events of all in one transaction. The others wait for it,
        and then either their events are written, or one of them writes all that came since.
        """
        taken: list[Queued] = []
        with self._turn:
            self._turn.wait_for(lambda: queued.is_done or not self._is_writing)
            if not queued.is_done:
                self._check_usable()
                self._is_writing = True
                taken = [self._pending.popleft() for _ in range(len(self._pending))]
        if taken:
            self._write(taken)
        if queued.error is not None:
            raise queued.error

    def _write(self, taken: list[Queued]) -> None:
        failure: SourceError | None = SourceError("the last events are lost", file=self.path)
        try:
            with self._transaction() as connection:
                connection.executemany(
                    f"INSERT INTO event VALUES ({', '.join('?' * len(Event._fields))})",
                    [(*event[:2], event.kind.value, *event[3:]) for event in _events(taken)],
                )
                connection.executemany(
                    "DELETE FROM lease WHERE judge = ? AND query = ? AND document = ?",
                    [event[3:6] for event in _events(taken) if event.kind in ANSWERS],
                )
            failure = None
        except SourceError as error:
            failure = error
        finally:
            with self._turn:
                self._is_writing = False
                self._finish(taken, failure)

    def _finish(self, queued: Iterable[Queued], failure: SourceError | None) -> None:
        if failure is not None:
            self._failure = failure
            self._failed += _events(queued)
        for waiting in queued:
            waiting.error, waiting.is_done = failure, True
        self._turn.notify_all()

    @property
    def has_failed(self) -> bool:
        """Whether there are events to `discard`."""
        return self._failure is not None

    def discard(self) -> list[Event]:
        """Forget the events that could not be written, so that others can be; return them.

        No event may be queued meanwhile.
        """
        with self._turn:
            self._turn.wait_for(lambda: not self._is_writing)
            self._finish(self._pending, self._failure)
            failed, self._failed = self._failed, []
            self._pending.clear()
            self._failure, self.last = None, None
            return failed

    def back_up(self, path: str) -> None:
        """Write a copy of the file, with all committed events."""
        with self._lock, SESSION_FILE.errors(path):
            if os.path.exists(path):
                raise SourceError("the file exists", file=path)
            _create_private(path)
            with closing(_connected(path)) as copy:
                self._connection.backup(copy)

    def close(self) -> None:
        """Close the file and release its lock."""
        with self._lock:
            self.end = self.end or SourceError("the session is closed", file=self.path)
            self._closing.close()

    @contextmanager
    def _transaction(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """Commit what a block does; if `durable`, it is on the disk afterwards."""
        with self._lock:
            self._check_usable()
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            with SESSION_FILE.errors(self.path), transaction(self._connection):
                yield self._connection
            if _inode_of(self.path) != self._inode or _inode_of(self._log) is None:
                is_saved = _keep_backup(self._connection, self.path)
                self.end = _deleted_error(self.path, is_saved=is_saved)
                raise self.end

    def _check_usable(self) -> None:
        failure = self.end or self._failure
        if failure is not None:
            raise failure


def _events(queued: Iterable[Queued]) -> list[Event]:
    return [waiting.event for waiting in queued]
