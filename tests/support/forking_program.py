"""A program ``gainful`` that begins at once, for pages that call it hundreds of times.

A process that has imported the package forks for every call; the program that a shell finds hands
its arguments, folder, environment and streams to it, and exits with its status.
"""

from __future__ import annotations

import atexit
import gc
import os
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

#: Without the modules of ``site``, Python starts in a few milliseconds.
CALLER = """#!{python} -IS
import _socket, os, sys
server = _socket.socket(_socket.AF_UNIX)
server.connect({address!r})
words = [os.getcwd(), str(len(sys.argv)), *sys.argv, *map("=".join, os.environ.items())]
streams = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2))
rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)]
data = "\\0".join(words).encode("utf-8", "surrogateescape")
server.sendmsg([len(data).to_bytes(4, "big")], rights)
server.sendall(data)
sys.exit(int(server.recv(4) or b"1"))
"""
#: The longest that a command may take.
SECONDS = 300
#: What the commands of pages import, where it is installed.
IMPORTED = (
    *("altair", "bm25s", "click", "numpy", "rich.table", "scipy.sparse", "vl_convert"),
    *("gainful.cli.compare", "gainful.cli.evaluate", "gainful.cli.program", "gainful.comparison"),
    *("gainful.demo.demonstration", "gainful.evaluation", "gainful.judging", "gainful.report.page"),
)
#: The exit status of a command that returned one.
STATUS: list[int] = []


@cache
def folder() -> str:
    """Start the server; return the folder of the program."""
    made = Path(tempfile.mkdtemp(prefix="gf"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    program = made / "gainful"
    program.write_text(CALLER.format(python=sys.executable, address=f"{made}/s"), "utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    server = subprocess.Popen(
        [sys.executable, __file__, f"{made}/s"],
        env={**os.environ, "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    atexit.register(server.kill)
    assert server.stdout is not None
    assert server.stdout.readline(), "the server ended"
    return str(made)


def call(words: Sequence[str], current: Path, environment: Mapping[str, str]) -> tuple[int, bytes]:
    """Run the program without a shell; return its status, and both of its streams in one."""
    reading, writing = os.pipe()
    with socket.socket(socket.AF_UNIX) as server, open(os.devnull) as nothing:
        server.settimeout(SECONDS)
        server.connect(f"{folder()}/s")
        texts = [str(current), str(len(words)), *words, *map("=".join, environment.items())]
        data = "\0".join(texts).encode("utf-8", "surrogateescape")
        socket.send_fds(
            server, [len(data).to_bytes(4, "big")], [nothing.fileno(), writing, writing]
        )
        server.sendall(data)
        os.close(writing)
        printed = b""
        while select.select([reading], [], [], SECONDS)[0] and (part := os.read(reading, 1 << 16)):
            printed += part
        os.close(reading)
        return int(server.recv(4) or b"1"), printed


def folders() -> list[str]:
    """Return folders for the start of a PATH: of the program, if it can fork, and of Python."""
    return [folder()] * hasattr(os, "fork") + [str(Path(sys.executable).parent)]


def serve(address: str) -> None:
    """Answer every call in a process of its own, and return in those that run the program."""
    from contextlib import suppress
    from importlib import import_module

    # Processes share what is never written to, as a search for garbage does.
    gc.disable()
    for name in IMPORTED:
        with suppress(ModuleNotFoundError):
            import_module(name)
    gc.freeze()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address)
    listening.listen(64)
    print("ready", flush=True)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        call, _ = listening.accept()
        if os.fork() == 0:
            break
        call.close()
    gc.enable()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    listening.close()
    start, streams, _, _ = socket.recv_fds(call, 4, 3)
    with call.makefile("rb") as rest:
        text = rest.read(int.from_bytes(start, "big")).decode("utf-8", "surrogateescape")
    running = os.fork()
    if running:
        status = os.waitstatus_to_exitcode(os.waitpid(running, 0)[1])
        call.sendall(str(status if status >= 0 else 128 - status).encode())
        os._exit(0)
    call.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    current, count, *words = text.split("\0")
    os.chdir(current)
    sys.argv = words[: int(count)]
    os.environ.clear()
    os.environ.update(word.split("=", 1) for word in words[int(count) :])
    folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[1:1] = [folder for folder in folders if folder and folder not in sys.path]


def end() -> None:
    """End without taking apart what was imported, which takes longer than most commands.

    A process that is measured writes its coverage later.
    """
    if STATUS and "coverage" not in sys.modules:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(STATUS[0])


if __name__ == "__main__":
    # What is registered first is called last.
    atexit.register(end)
    serve(sys.argv[1])
    from gainful.cli import main

    sys.path[0] = str(Path(sys.executable).parent)
    STATUS.append(main())
    sys.exit(STATUS[0])
