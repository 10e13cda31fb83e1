"""Who may use a judging page: one-time tokens, cookies and revocation."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from secrets import token_urlsafe
from threading import Lock, RLock

from gainful.errors import FormatError, ParameterError, SourceError
from gainful.judging.sessions.assignment import check_name
from gainful.writing import write_error, write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Access", "Role", "read_users"]


class Role(StrEnum):
    """What a person may see.

    Attributes
    ----------
    JUDGE
        Only their own labels.
    OWNER
        Also the agreement, the disagreements and the people.
    """

    JUDGE = "judge"
    OWNER = "owner"


@dataclass(slots=True)
class _Person:
    role: Role
    #: Digests of tokens that are not used yet, and of the cookies of browsers.
    tokens: set[str] = field(default_factory=set)
    browsers: set[str] = field(default_factory=set)


class Access:
    """The people of a session and their browsers, in a file that only its owner can read.

    A token enters one browser, which gets a secret of its own, and is then void. The file contains
    digests of both, so a copy of it lets nobody in.

    Parameters
    ----------
    path : str
        The file. It is created if it is missing.
    people : mapping of str to Role
        The people. Others in the file lose their access.
    users : str, optional
        The file of `read_users` that `people` come from. It is read again when it changes.

    Raises
    ------
    SourceError
        If the file cannot be read or written.
    """

    def __init__(self, path: str, people: Mapping[str, Role], users: str | None = None) -> None:
        self._path = path
        self._users = users
        self._changed = _changed(users)
        # Requests look people up while the file is written, which can take long.
        self._lock, self._writing = RLock(), Lock()
        self._changes, self._written = 0, 0
        self._people = _read(path)
        self._set_people(people)
        self._save()

    def _set_people(self, people: Mapping[str, Role]) -> None:
        self._people = {
            check_name("name", name): _Person(role, known.tokens, known.browsers)
            for name, role in people.items()
            for known in (self._people.get(name, _Person(role)),)
        }
        self._changes += 1

    def _refresh(self) -> None:
        """Follow a change of the users' file; a damaged one lets nobody in until it is repaired."""
        changed = _changed(self._users)
        if self._users is None or changed == self._changed:
            return
        with self._lock:
            if changed == self._changed:
                return
            self._changed = changed
            try:
                people = read_users(self._users)
            except (FormatError, ParameterError, SourceError):
                self._people = {}
                return
            self._set_people(people)
        self._save()

    def issue(self, name: str) -> str:
        """Return a new token that lets a person enter with one browser.

        Raises
        ------
        ParameterError
            For an unknown person.
        """
        self._refresh()
        with self._lock:
            token = token_urlsafe(24)
            self._person(name).tokens.add(_digest(token))
            self._changes += 1
        self._save()
        return token

    def enter(self, token: str) -> str | None:
        """Exchange a token for the secret of a browser; None if it is void."""
        digest = _digest(token)
        self._refresh()
        with self._lock:
            person = next(
                (person for person in self._people.values() if digest in person.tokens), None
            )
            if person is None:
                return None
            secret = token_urlsafe(32)
            person.tokens.remove(digest)
            person.browsers.add(_digest(secret))
            self._changes += 1
        try:
            self._save()
        except SourceError:
            # The address works when there is space again.
            with self._lock:
                person.tokens.add(digest)
                person.browsers.discard(_digest(secret))
            raise
        return secret

    def identify(self, secret: str) -> tuple[str, Role] | None:
        """Return the name and role of a person by the secret of a browser."""
        digest = _digest(secret)
        self._refresh()
        with self._lock:
            for name, person in self._people.items():
                if digest in person.browsers:
                    return name, person.role
        return None

    def revoke(self, name: str) -> None:
        """Void all tokens and browsers of a person, who needs a new token.

        Raises
        ------
        ParameterError
            For an unknown person.
        """
        self._refresh()
        with self._lock:
            person = self._person(name)
            person.tokens.clear()
            person.browsers.clear()
            self._changes += 1
        self._save()

    def people(self) -> dict[str, tuple[Role, int]]:
        """Return the role and the number of browsers of each person."""
        self._refresh()
        with self._lock:
            return {
                name: (person.role, len(person.browsers)) for name, person in self._people.items()
            }

    def _person(self, name: str) -> _Person:
        if name not in self._people:
            raise ParameterError(
                where="name", found=repr(name)[:80], expected=f"one of {', '.join(self._people)}"
            )
        return self._people[name]

    def _save(self) -> None:
        """Write the file, unless another thread has written the latest change already."""
        needed = self._changes
        with self._writing:
            if self._written >= needed:
                return
            with self._lock:
                changes = self._changes
                content = {
                    name: {
                        "role": person.role,
                        "tokens": sorted(person.tokens),
                        "browsers": sorted(person.browsers),
                    }
                    for name, person in self._people.items()
                }
            try:
                # A replaced file keeps its permissions.
                os.close(os.open(self._path, os.O_CREAT | os.O_WRONLY, 0o600))
            except OSError as error:
                raise write_error(self._path, error) from error
            write_whole(self._path, [json.dumps(content, indent=1).encode()])
            self._written = changes


def read_users(path: str) -> dict[str, Role]:
    """Read the people of a team: one name per line, with ``, owner`` for who runs it.

    Parameters
    ----------
    path : str
        The file. Empty lines and lines that begin with ``#`` are ignored.

    Raises
    ------
    FormatError
        For an empty file, another role, or a name twice.
    SourceError
        If it cannot be read.
    """
    try:
        with open(path, encoding="utf-8-sig") as stream:
            lines = stream.read().splitlines()
    except (OSError, ValueError) as error:
        raise SourceError(f"cannot read the file ({error})", file=path) from error
    users: dict[str, Role] = {}
    for number, line in enumerate(lines, start=1):
        name, comma, role = (part.strip() for part in line.partition(","))
        if not line.strip() or line.startswith("#"):
            continue
        if comma and role not in list(Role):
            raise FormatError(file=path, line=number, found=repr(role), expected="judge or owner")
        if name in users:
            raise FormatError(file=path, line=number, found=repr(name), expected="each name once")
        users[check_name(f"{path}, line {number}", name)] = Role(role or Role.JUDGE)
    if not users:
        raise FormatError("no names, expected one per line", file=path)
    return users


def _read(path: str) -> dict[str, _Person]:
    try:
        with open(path, encoding="utf-8") as stream:
            content = json.load(stream)
        return {
            name: _Person(Role(entry["role"]), _texts(entry["tokens"]), _texts(entry["browsers"]))
            for name, entry in content.items()
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise SourceError(
            "the people of the session cannot be read",
            file=path,
            hint="remove the file; all browsers then need a new address",
        ) from error


def _texts(value: object) -> set[str]:
    if not isinstance(value, list) or not all(isinstance(value, str) for value in value):
        raise TypeError(value)
    return set(value)


def _changed(path: str | None) -> tuple[int, int] | None:
    """Return what changes with a file; None if it is missing."""
    if path is None:
        return None
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()
