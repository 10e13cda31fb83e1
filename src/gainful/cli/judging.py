"""Open judging sessions from files, and serve their pages."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gainful.judging import Session

__all__ = ["Files", "Serving", "choose_files", "serve"]

#: How SQLite files begin.
_MAGIC = b"SQLite format 3\0"


@dataclass(frozen=True)
class Files:
    """What the arguments of ``gainful judge`` are.

    Attributes
    ----------
    session : str
        The path of the session.
    pool : str or None
        The path of the pool.
    qrels : str or None
        The path of judgments, if the documents are those of `runs` that they lack.
    runs : dict of str to str
        The paths of runs by name.
    """

    session: str
    pool: str | None = None
    qrels: str | None = None
    runs: dict[str, str] = field(default_factory=dict)


def choose_files(words: Sequence[str], session: str | None) -> Files:
    """Return what each file is: a session, a pool, or judgments; all further ones are runs."""
    from gainful.cli.reading import parse_runs

    first, runs = words[0], parse_runs(words[1:])
    if _begins_with(first, _MAGIC) or first.endswith(".session"):
        return Files(first, runs=runs)
    if not runs or _is_pool(first):
        return Files(session or f"{_stem(first)}.session", pool=first, runs=runs)
    return Files(session or f"{_stem(first)}.session", qrels=first, runs=runs)


def _stem(path: str) -> str:
    stem = os.path.basename(path).partition(".")[0]
    return os.path.join(os.path.dirname(path), stem or "judging")


def _is_pool(path: str) -> bool:
    """Return whether a file is a pool of Gainful, whose rows have a number of judges."""
    return _begins_with(path, b'{"query_id": ') and b'"judges": ' in _start(path)


def _begins_with(path: str, start: bytes) -> bool:
    return _start(path).startswith(start)


def _start(path: str) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read(4096)
    except OSError:
        return b""


@dataclass(frozen=True)
class Serving:
    """How a page is served.

    Attributes
    ----------
    host, port
        Where it listens.
    name : str or None
        The name of the only judge. Default: the name of the account.
    users : str or None
        The file of the people of a team.
    certificate, key : str or None
        The files of a TLS certificate and its key.
    insecure : bool
        Whether other computers may reach the page without TLS.
    browser : bool
        Whether to open the page.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    name: str | None = None
    users: str | None = None
    certificate: str | None = None
    key: str | None = None
    insecure: bool = False
    browser: bool = True

    def check(self) -> None:
        """Refuse to serve a network without names for its people, and without encryption."""
        from gainful.judging_page.server import is_local

        if (self.certificate is None) != (self.key is None):
            raise ParameterError("a certificate needs its key, and a key its certificate")
        if is_local(self.host):
            return
        if self.users is None:
            raise ParameterError(
                "other computers can reach this address, so each person needs a name",
                where="host",
                hint="add --users FILE with one name per line",
            )
        if self.certificate is None and not self.insecure:
            raise ParameterError(
                "other computers can reach this address, and could read all traffic",
                where="host",
                hint="add --tls-cert and --tls-key, or --insecure-lan if you trust everybody in"
                " this network",
            )


def serve(
    session: Session, path: str, site: Mapping[str, Any], serving: Serving, say: Callable[..., None]
) -> None:
    """Serve the page of a session until Ctrl-C.

    Parameters
    ----------
    session : Session
        The session.
    path : str
        Its file.
    site : mapping
        The arguments of `gainful.judging_page.documents.Site` without the session.
    serving : Serving
        Where, and for whom.
    say : callable
        Prints a line.
    """
    from gainful.extras import load_package
    from gainful.judging_page import Access, Role, make_app
    from gainful.judging_page.access import read_users
    from gainful.judging_page.documents import Site
    from gainful.judging_page.server import Server

    load_package("starlette", where="the judging page", extra="judge")
    people = {serving.name or _account(): Role.OWNER}
    if serving.users is not None:
        people = read_users(serving.users)
    access = Access(f"{path}.access", people, serving.users)
    server = Server(serving.host, serving.port, certificate=serving.certificate, key=serving.key)
    app = make_app(
        Site(session, **site, stop=server.stop),
        access,
        server.hosts,
        scheme=server.scheme,
        cookie=f"gainful-judge-{server.port}",
    )
    server.run(app, lambda: _greet(session, path, access, server, serving, say))
    if session.end is not None:
        raise session.end
    done, requested = session.requested - session.needed, session.requested
    say(f"\nStopped. {done:,} of {requested:,} labels are in {path}.")


def _greet(
    session: Session,
    path: str,
    access: Any,
    server: Any,
    serving: Serving,
    say: Callable[..., None],
) -> None:
    from gainful.cli.output import on_terminal
    from gainful.judging_page.server import qr_code

    done, requested = session.requested - session.needed, session.requested
    say(f"{path}: {done:,} of {requested:,} labels. Every answer is saved at once.")
    team = serving.users is not None
    for name, (_, browsers) in access.people().items():
        if team and browsers:
            say(f"{name}: has entered with {browsers} browser{'s' * (browsers > 1)}")
            continue
        address = f"{server.address}#{access.issue(name)}"
        say(f"{name}: {address}" if team else f"Open {address}")
        if on_terminal():
            say(qr_code(address))
            if serving.browser and not team:
                import webbrowser

                webbrowser.open(address)
    say("An address works once, in one browser. Ctrl-C stops the page; start it again to go on.")


def _account() -> str:
    from getpass import getuser

    try:
        return getuser()
    except (OSError, KeyError, ImportError):
        return "judge"
