"""A MariaDB server for the tests, with its own folder, on a socket without a port."""

from __future__ import annotations

import getpass
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from awaiting import await_true

_CLEANING = 'read forever; kill -9 "$1"; rm -rf "$2"'


class MariaDBServer:
    """A MariaDB server that starts when it is constructed.

    Parameters
    ----------
    program
        The path of ``mariadbd``.
    """

    def __init__(self, program: str) -> None:
        # A socket's path has to be short.
        self._folder = Path(tempfile.mkdtemp(prefix="gainful-maria-", dir="/tmp"))
        self._log = (self._folder / "log").open("wb")
        self._process = subprocess.Popen(
            [
                program,
                "--no-defaults",
                f"--datadir={self._folder}",
                f"--aria-log-dir-path={self._folder}",
                f"--socket={self._folder / 'socket'}",
                f"--pid-file={self._folder / 'pid'}",
                f"--user={getpass.getuser()}",
                # There are no users, and no tables of them.
                "--skip-grant-tables",
                "--skip-networking",
                "--innodb-buffer-pool-size=8M",
                "--innodb-log-file-size=4M",
                "--innodb-flush-log-at-trx-commit=0",
            ],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            cwd="/",
        )
        # If the tests are killed, this process sees its input end and removes the server.
        self._warden = subprocess.Popen(
            ["sh", "-c", _CLEANING, "sh", str(self._process.pid), self._folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
        await_true(self._answers_or_ended, "an answer of mariadbd")
        if self._process.poll() is not None:
            raise RuntimeError(f"mariadbd ended: {(self._folder / 'log').read_text()}")

    def _answers_or_ended(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            connected = probe.connect_ex(str(self._folder / "socket")) == 0
        return connected or self._process.poll() is not None

    def connect(self) -> Any:
        """Return a connection."""
        import pymysql

        path = str(self._folder / "socket")
        return pymysql.connect(unix_socket=path, charset="utf8mb4", autocommit=True)

    def remove(self) -> None:
        """Stop the server and delete its folder."""
        self._warden.communicate(timeout=60)
        self._process.wait(60)
        self._log.close()
