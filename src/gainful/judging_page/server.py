"""Serve a judging page: its socket, its addresses and TLS."""

from __future__ import annotations

import socket
import sys
from contextlib import suppress
from ipaddress import ip_address

from gainful.errors import ParameterError, SourceError
from gainful.extras import load_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["Server", "qr_code"]

#: How many seconds a connection may wait for the rest of a request's headers.
_HEADER_SECONDS = 30.0


class Server:
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
        """Serve an application until the process is interrupted.

        Parameters
        ----------
        app : ASGI application
            What answers.
        ready : callable
            Called before the first request is answered.

        Raises
        ------
        SourceError
            If the certificate or its key cannot be used.
        """
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
    """Return a QR code of an address for a terminal; empty if it cannot show one.

    Raises
    ------
    MissingPackageError
        If segno is not installed.
    """
    import io

    code = load_package("segno", where="QR codes", extra="judge").make(address, micro=False)
    stream = io.StringIO()
    code.terminal(out=stream, compact=True, border=2)
    try:
        stream.getvalue().encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return ""
    return stream.getvalue()
