"""A PostgreSQL server for the tests, with its own folder, on a socket without a port."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

# The server refuses to run as root; Debian's user for it, or else the one for nobody.
_USERS = ("postgres", "nobody")

_CLEANING = 'read forever; "$1" -D "$2/data" -w -m immediate stop; rm -rf "$2"'

_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "max_connections": "12",
    "superuser_reserved_connections": "2",
    "shared_buffers": "16MB",
    "lc_messages": "C",
}


class PostgresServer:
    """A PostgreSQL server that starts when it is constructed.

    Parameters
    ----------
    programs
        The folder of ``initdb`` and ``pg_ctl``.
    """

    def __init__(self, programs: Path) -> None:
        self._as = _other_user()
        # A socket's path has to be short, and every folder above it open to the server's user.
        self._folder = Path(tempfile.mkdtemp(prefix="gainful-pg-", dir="/tmp"))
        self._data = self._folder / "data"
        if self._as:
            shutil.chown(self._folder, self._as["user"])
        self._programs = self._reachable(programs)
        self._call("initdb", "-U", "tester", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        lines = [f"{name} = '{value}'" for name, value in _SETTINGS.items()]
        lines.append(f"unix_socket_directories = '{self._folder}'")
        with (self._data / "postgresql.conf").open("a") as configuration:
            configuration.write("\n".join(lines) + "\n")
        # If the tests are killed, this process sees its input end and removes the server.
        self._warden = subprocess.Popen(
            ["sh", "-c", _CLEANING, "sh", self._programs / "pg_ctl", self._folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
            **self._as,
        )
        self.start()

    def _reachable(self, programs: Path) -> Path:
        """Return a folder of the programs that the server's user can read."""
        if not self._as or all(each.stat().st_mode & 0o001 for each in programs.parents):
            return programs
        # The programs look for a wheel's libraries next to the package.
        package = programs.parents[1]
        copy = self._folder / "installed" / package.name / programs.parent.name
        shutil.copytree(programs.parent, copy, ignore=shutil.ignore_patterns("include"))
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, self._folder / "installed" / libraries.name)
        return copy / programs.name

    def _call(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [self._programs / program, "-D", self._data, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            cwd=self._folder,
            text=True,
            timeout=120,
            check=False,
            **self._as,
        )
        if done.returncode:
            log = self._folder / "log"
            text = log.read_text() if log.exists() else ""
            raise RuntimeError(f"{program} ended with {done.returncode}: {done.stdout}{text}")

    def start(self) -> None:
        """Start the server and wait until it accepts connections."""
        self._call("pg_ctl", "-w", "-l", str(self._folder / "log"), "start")

    def stop(self) -> None:
        """Stop the server at once and close all connections."""
        self._call("pg_ctl", "-w", "-m", "fast", "stop")

    def remove(self) -> None:
        """Stop the server and delete its folder."""
        self._warden.communicate(timeout=60)

    def url(self, user: str = "tester", password: str = "", database: str = "postgres") -> str:
        """Return a connection string."""
        host = str(self._folder).replace("/", "%2F")
        return f"postgresql://{user}{password and ':' + password}@{host}/{database}"

    def log(self) -> str:
        """Return the server's log."""
        return (self._folder / "log").read_text()

    def refuse_without_password(self) -> None:
        """Require a password from all users but the tester."""
        rules = "local all tester trust\nlocal all all scram-sha-256\n"
        (self._data / "pg_hba.conf").write_text(rules)
        self._call("pg_ctl", "reload")


def _other_user() -> dict[str, Any]:
    if os.name != "posix" or os.geteuid() != 0:
        return {}
    import grp
    import pwd

    for name in _USERS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        group = grp.getgrgid(entry.pw_gid).gr_name
        return {"user": name, "group": group, "extra_groups": []}
    raise RuntimeError(f"no user among {', '.join(_USERS)} to run the server as")
