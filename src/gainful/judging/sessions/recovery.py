"""Save what can be read of a damaged session."""

from __future__ import annotations

import os
import shutil
import struct
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from tempfile import TemporaryDirectory

from gainful.errors import ParameterError, SourceError
from gainful.judging.sessions.events import UNDOS, Event, Kind, Scale
from gainful.judging.sessions.journal import (
    SESSION_FILE,
    SessionJournal,
    backup_of,
    check_place,
    one_writer,
)
from gainful.judging.sessions.state import Task
from gainful.judging.sessions.stored import StoredSession
from gainful.keywords import suggest_keywords
from gainful.writing import write_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike
    from typing import TypeAlias

    Value: TypeAlias = int | float | str | bytes | None

__all__ = ["Recovery", "recover_session"]


_INTERIOR_INDEX, _LEAF_INDEX, _LEAF_TABLE = 2, 10, 13

#: The number of bytes of an integer, by its type.
_WIDTHS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


def rows_of_pages(path: str) -> Iterator[tuple[int | None, list[Value]]]:
    """Yield row number and values of each row that can be read; index entries have no number.

    Pages are read one by one (https://sqlite.org/fileformat2.html), those of the write-ahead log up
    to its last commit too. Rows can repeat, and include deleted and replaced ones.
    """
    with open(path, "rb") as stream:
        content = stream.read()
    size = int.from_bytes(content[16:18]) if content.startswith(b"SQLite format 3\0") else 4096
    size = 65536 if size == 1 else size if size >= 512 and size & (size - 1) == 0 else 4096
    pages = {
        offset // size + 1: content[offset : offset + size]
        for offset in range(0, len(content) - size + 1, size)
    }
    logged = {**pages, **_logged_pages(f"{path}-wal", size)}
    for number, page in pages.items():
        yield from _Pages(pages, size).rows(number, page)
    for number, page in logged.items():
        if page is not pages.get(number):
            yield from _Pages(logged, size).rows(number, page)


def _logged_pages(path: str, size: int) -> dict[int, bytes]:
    try:
        with open(path, "rb") as stream:
            content = stream.read()
    except OSError:
        return {}
    committed: dict[int, bytes] = {}
    waiting: dict[int, bytes] = {}
    for offset in range(32, len(content) - size - 23, size + 24):
        number, is_commit = struct.unpack_from(">II", content, offset)
        # Frames of an earlier log have other salts.
        if content[offset + 8 : offset + 16] != content[16:24]:
            break
        waiting[number] = content[offset + 24 : offset + 24 + size]
        if is_commit:
            committed |= waiting
            waiting.clear()
    return committed


@dataclass(frozen=True)
class _Pages:
    """The pages of a file by number, and the size of a page."""

    pages: dict[int, bytes]
    size: int

    def rows(self, number: int, page: bytes) -> Iterator[tuple[int | None, list[Value]]]:
        start = 100 if number == 1 else 0
        kind = page[start]
        if kind not in (_INTERIOR_INDEX, _LEAF_INDEX, _LEAF_TABLE):
            return
        pointers = start + (12 if kind == _INTERIOR_INDEX else 8)
        count = int.from_bytes(page[start + 3 : start + 5])
        for offset in range(pointers, min(pointers + 2 * count, self.size - 1), 2):
            try:
                yield self._row(kind, page, int.from_bytes(page[offset : offset + 2]))
            except (LookupError, ValueError, struct.error):
                continue  # The cell is damaged.

    def _row(self, kind: int, page: bytes, offset: int) -> tuple[int | None, list[Value]]:
        length, offset = _varint(page, offset + (4 if kind == _INTERIOR_INDEX else 0))
        number = None
        if kind == _LEAF_TABLE:
            number, offset = _varint(page, offset)
        return number, _values(self._payload(kind, page, offset, length))

    def _payload(self, kind: int, page: bytes, offset: int, length: int) -> bytes:
        """Return the bytes of a row, which can continue on further pages."""
        # Gainful's files have no reserved bytes at the ends of pages.
        least = (self.size - 12) * 32 // 255 - 23
        most = self.size - 35 if kind == _LEAF_TABLE else (self.size - 12) * 64 // 255 - 23
        local = length
        if length > most:
            local = least + (length - least) % (self.size - 4)
            local = local if local <= most else least
        parts = [page[offset : offset + local]]
        missing = length - local
        following = page[offset + local : offset + local + 4]
        while missing > 0:
            further = self.pages.get(int.from_bytes(following))
            if further is None:
                raise ValueError("a page is missing")
            parts.append(further[4 : 4 + missing])
            missing -= len(parts[-1])
            following = further[:4]
        return b"".join(parts)


def _values(payload: bytes) -> list[Value]:
    end, offset = _varint(payload, 0)
    kinds = []
    while offset < end:
        kind, offset = _varint(payload, offset)
        kinds.append(kind)
    values: list[Value] = []
    for kind in kinds:
        width = _WIDTHS.get(kind, 8 if kind == 7 else max(0, (kind - 12) // 2))
        field = payload[offset : offset + width]
        offset += width
        if len(field) < width:
            raise ValueError("the row is cut")
        if kind in _WIDTHS:
            values.append(int.from_bytes(field, signed=True))
        elif kind == 7:
            values.append(struct.unpack(">d", field)[0])
        elif kind >= 12:
            values.append(field.decode() if kind % 2 else field)
        else:
            values.append({0: None, 8: 0, 9: 1}[kind])
    return values


def _varint(data: bytes, offset: int) -> tuple[int, int]:
    """Return an integer of 1 to 9 bytes, and where the next value begins."""
    value = 0
    for length in range(8):
        byte = data[offset + length]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, offset + length + 1
    return value << 8 | data[offset + 8], offset + 9


_KINDS = frozenset(Kind)

#: Times in seconds of damaged rows can be anything; this is the year 5138.
_END = 1e11


@dataclass(frozen=True, slots=True)
class Recovery:
    """What was saved of a damaged session.

    Attributes
    ----------
    answers : int
        Number of answers that were saved: labels, notes, decisions and what takes them back.
    lost : int
        Number of answers that are known to be lost.
    damaged : str
        The path of the damaged file, which is kept.
    """

    answers: int
    lost: int
    damaged: str


@suggest_keywords
def recover_session(path: str | PathLike[str]) -> Recovery | None:
    """Replace a damaged judging session by one with all answers that can be read.

    Answers are read page by page from the file and from its backup.

    Parameters
    ----------
    path : path
        The file of the session.

    Returns
    -------
    Recovery or None
        What was saved; None if the session is not damaged, and was not changed.

    Raises
    ------
    SourceError
        If another process writes the session, or no answer can be read.
    SourceNotFoundError
        If the file does not exist.

    Examples
    --------
    >>> from gainful.judging import Session, recover_session
    >>> with Session("labels.session", [("q1", "r01")]) as session:
    ...     _ = session.label("ana", "q1", "r01", 1)
    >>> recover_session("labels.session")
    """
    name = os.fspath(path)
    check_place(name, os.path.exists(name))
    with one_writer(name):
        if _is_intact(name):
            return None
        place = os.path.realpath(name)
        try:
            rows = _read(place)
            if os.path.exists(backup_of(place)):
                rows = _read(backup_of(place)).updated(rows)
            answers = rows.answers()
            if not answers:
                raise SESSION_FILE.damaged(name, "no answer can be read")
            with TemporaryDirectory(dir=os.path.dirname(place)) as folder:
                recovered = os.path.join(folder, "session")
                rows.write(recovered, answers)
                damaged = _set_aside(place)
                os.replace(recovered, place)
        except OSError as error:
            raise (error if isinstance(error, SourceError) else write_error(name, error)) from None
    return Recovery(len(answers), rows.count - len(answers), damaged)


def _is_intact(path: str) -> bool:
    try:
        StoredSession(path, read_only=True).close()
    except (SourceError, ParameterError):
        return False
    return True


def _set_aside(path: str) -> str:
    """Copy a session to a new name, and move its log there; return the name."""
    names = (f"{path}.damaged{'' if number == 1 else number}" for number in count(1))
    damaged = next(name for name in names if not os.path.exists(name))
    shutil.copy2(path, damaged)
    if os.path.exists(f"{path}-wal"):
        os.replace(f"{path}-wal", f"{damaged}-wal")
    return damaged


@dataclass
class _Rows:
    """The rows of a session that can be read.

    Attributes
    ----------
    settings : dict of str to str
        The settings.
    tasks : dict of int to (Task, str)
        The tasks and the digests of their texts, by number.
    events : dict of int to Event
        The events by number.
    numbers : set of int
        The numbers of events, also of those that are lost.
    """

    settings: dict[str, str] = field(default_factory=dict)
    tasks: dict[int, tuple[Task, str]] = field(default_factory=dict)
    events: dict[int, Event] = field(default_factory=dict)
    numbers: set[int] = field(default_factory=set)

    def updated(self, rows: _Rows) -> _Rows:
        """Return these rows with those of a later state of the same session."""
        if len({self.settings.get("identity"), rows.settings.get("identity")} - {None}) > 1:
            return rows
        return _Rows(
            self.settings | rows.settings,
            self.tasks | rows.tasks,
            self.events | rows.events,
            self.numbers | rows.numbers,
        )

    @cached_property
    def scale(self) -> Scale:
        """The scale; without one, the grades that occur."""
        try:
            return Scale.parse(self.settings["scale"])
        except (KeyError, ParameterError):
            grades = {0.0, 1.0} | {
                event.grade
                for event in self.events.values()
                if event.grade is not None and event.kind is not Kind.PREFER
            }
            return Scale({grade: f"{grade:g}" for grade in sorted(grades)})

    @property
    def count(self) -> int:
        """The number of events that the session had.

        They have the numbers from 1, so one that is too high for its place is damaged.
        """
        places = enumerate(sorted(self.numbers), start=1)
        plausible = (number for place, number in places if number <= 2 * place)
        return max([len(self.events), *plausible])

    def answers(self) -> list[Event]:
        """Return the events that a session can have, with new numbers."""
        valid: dict[str, Event] = {}
        for _, event in sorted(self.events.items()):
            if (
                event.client_id not in valid
                and (event.kind not in UNDOS or event.text in valid)
                and (event.kind is Kind.PREFER or event.grade is None or event.grade in self.scale)
            ):
                valid[event.client_id] = event._replace(number=len(valid) + 1)
        return list(valid.values())

    def write(self, path: str, answers: list[Event]) -> None:
        """Write a session with answers. Its tasks include the documents of all answers."""
        tasks = [task for _, (task, _) in sorted(self.tasks.items())]
        for event in answers:
            documents = [event.doc_id, event.text if event.kind is Kind.PREFER else ""]
            if event.kind is not Kind.PRACTICE:
                tasks += [Task(event.query_id, document) for document in documents if document]
        contents = {task.doc_id: content for task, content in self.tasks.values() if content}
        with closing(SessionJournal(path, create=True)) as journal:
            for name, value in {**self.settings, "scale": str(self.scale)}.items():
                journal.set(name, value)
            journal.add_tasks(tasks, contents)
            for event in answers:
                queued = journal.queue(event)
            journal.commit(queued)


def _read(path: str) -> _Rows:
    rows = _Rows()
    for number, values in rows_of_pages(path):
        match number, values:
            case int(), [str(name), str(value)]:
                rows.settings[name] = value
            case None, [str(), int(event_number)]:
                rows.numbers.add(event_number)
            case int(), [None, str(query), str(document), int(judges), str(content)]:
                rows.tasks[number] = (Task(query, document, judges), content)
            case int(), [
                None,
                str(client),
                str(kind),
                str(judge),
                str(query),
                str(document),
                int() | float() | None as grade,
                str(text),
                int() | float() as time,
                int() | float() | None as seconds,
                str(guidelines),
            ] if kind in _KINDS and 0 <= time < _END and 0 <= (seconds or 0) < _END:
                rows.numbers.add(number)
                rows.events[number] = Event(
                    *(number, client, Kind(kind), judge, query, document),
                    None if grade is None else float(grade),
                    *(text, float(time), None if seconds is None else float(seconds), guidelines),
                )
    return rows
