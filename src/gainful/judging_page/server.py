"""The server of a judging page, and who may use it."""

from __future__ import annotations

import json
import os
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from ipaddress import ip_address
from secrets import token_urlsafe
from threading import Lock, RLock

from gainful.errors import FormatError, ParameterError, SourceError
from gainful.judging.sessions.events import check_name
from gainful.packages import load_package
from gainful.writing import write_error, write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

__all__ = ["Access", "PageServer", "Role", "qr_code", "read_users"]

#: How many seconds a connection may wait for the rest of a request's headers.
_HEADER_SECONDS = 30.0


class PageServer:
    """A listening socket and the addresses that lead to it.

    Parameters
    ----------
    host : str
        The address of the network interface. Other computers reach any but ``127.0.0.1``,
        ``::1`` and ``localhost``.
    port : int
        The port; 0 chooses a free one.
    certificate, key : str, optional
        The files of a TLS certificate and its key.

    Raises
    ------
    ParameterError
        If the port is in use, or the address is not one of this computer.
    """

    def __init__(
        self, host: str, port: int, *, certificate: str | None = None, key: str | None = None
    ) -> None:
        self._tls = (certificate, key)
        self._host = host
        self._running: Any = None
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            self._socket = socket.create_server((host, port), family=family, backlog=512)
        except OSError as error:
            raise ParameterError(
                f"cannot listen on {host}, port {port}: {error.strerror or error}",
                where="port",
                hint="choose another one with ⟪port=8766⟫, or stop the program that uses it",
            ) from None
        self.port: int = self._socket.getsockname()[1]

    @property
    def scheme(self) -> str:
        """How the server is reached: ``http`` or ``https``."""
        return "http" if self._tls[0] is None else "https"

    @property
    def names(self) -> list[str]:
        """The names of this server for browsers, the best first."""
        local = ["127.0.0.1", "localhost", "[::1]"]
        if is_local(self._host):
            return local
        if self._host in ("0.0.0.0", "::"):
            return [*_own_addresses(), socket.gethostname().lower(), *local]
        host = f"[{self._host}]" if ":" in self._host else self._host.lower()
        return list(dict.fromkeys([host, *local]))

    @property
    def hosts(self) -> list[str]:
        """The names with the port, as browsers send them."""
        usual = 443 if self.scheme == "https" else 80
        ports = [f":{self.port}", *([""] if self.port == usual else [])]
        return [name + port for name in self.names for port in ports]

    @property
    def address(self) -> str:
        """The address of the page, without a token."""
        return f"{self.scheme}://{self.names[0]}:{self.port}/"

    def run(self, app: Any, ready: Callable[[], object]) -> None:
        """Serve an application until the process is interrupted."""
        uvicorn = load_package("uvicorn", where="the judging page", extra="judge")
        certificate, key = self._tls
        config = uvicorn.Config(
            app,
            http=_protocol(),
            # No logs: addresses contain the names of queries.
            log_config=None,
            access_log=False,
            log_level="critical",
            lifespan="off",
            ws="none",
            proxy_headers=False,
            server_header=False,
            ssl_certfile=certificate,
            ssl_keyfile=key,
            timeout_graceful_shutdown=2,
        )
        with self._socket, suppress(KeyboardInterrupt):
            try:
                config.load()
            except OSError as error:
                raise SourceError(
                    f"cannot use the certificate ({error})", where="tls-cert", file=certificate
                ) from None
            ready()
            self._running = uvicorn.Server(config)
            # After Ctrl-C it answers what it has received, and raises the signal again.
            self._running.run(sockets=[self._socket])

    def stop(self) -> None:
        """Let `run` return, from another thread."""
        if self._running is not None:
            self._running.should_exit = True


def _protocol() -> Any:
    """Return uvicorn's protocol, which alone waits for unfinished headers forever."""
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    class Protocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        timer: Any = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            # Without, a body waits until the browser has confirmed the headers.
            connection = transport.get_extra_info("socket")
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self.watch()

        def connection_lost(self, error: Exception | None) -> None:
            self.stop_timer()
            super().connection_lost(error)

        def watch(self) -> None:
            """Close the connection later if it waits for a request."""
            if self.cycle is not None and not self.cycle.response_complete:
                self.stop_timer()
            elif self.timer is None:
                self.timer = self.loop.call_later(_HEADER_SECONDS, self.transport.close)

        def stop_timer(self) -> None:
            if self.timer is not None:
                self.timer.cancel()
                self.timer = None

    return Protocol


def is_local(host: str) -> bool:
    """Return whether only this computer can reach an address.

    Examples
    --------
    >>> is_local("127.0.0.1"), is_local("localhost"), is_local("0.0.0.0"), is_local("192.168.1.5")
    (True, True, False, False)
    """
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _own_addresses() -> list[str]:
    """Return the addresses of this computer in its networks, the most used first."""
    addresses = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: this only asks which interface would be used.
            probe.connect(("192.0.2.1", 9))
            addresses.append(probe.getsockname()[0])
        except OSError:
            pass
    try:
        listed = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
        addresses += [str(entry[4][0]) for entry in listed]
    except OSError:
        pass
    return list(dict.fromkeys(addresses)) or ["127.0.0.1"]


def qr_code(address: str) -> str:
    """Return a QR code of an address for a terminal; empty if it cannot show one."""
    import io

    code = load_package("segno", where="QR codes", extra="judge").make(address, micro=False)
    stream = io.StringIO()
    code.terminal(out=stream, compact=True, border=2)
    try:
        stream.getvalue().encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return ""
    return stream.getvalue()


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
    """Read the people of a team: one name per line, with ``, owner`` for who runs it."""
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
