"""Run sessions, each in a fork of a process that has loaded Gainful, and observe their steps."""

from __future__ import annotations

import contextlib
import doctest
import gc
import glob
import importlib.util
import json
import os
import pkgutil
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from observing import Observer, snapshot
from sessions import Record, Session, Step, compact

__all__ = ["missing_needs", "run_sessions"]

#: The seconds that a session may take on a busy machine.
SECONDS = 300
WORKERS = 2
#: As many sessions start sooner if all modules are imported once.
MANY = 10
#: What many sessions import, so that it is loaded once. Forks of a larger process take longer, so
#: the sessions that need the larger packages run at the end.
PACKAGES = ("numpy", "click")
LARGE_PACKAGES = ("pandas", "polars", "pyarrow", "pyarrow.parquet")


def missing_needs(session: Session) -> list[str]:
    """Return what a session needs and this machine lacks."""
    return [name for name in session.needs if not _is_present(name)]


def _is_present(name: str) -> bool:
    if name.startswith("program:"):
        return shutil.which(name.removeprefix("program:")) is not None
    return importlib.util.find_spec(name) is not None


def load_packages(names: Iterable[str]) -> None:
    """Import packages, if they are there, so that every fork has them."""
    for name in names:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()


def load_gainful(*, whole: bool) -> None:
    """Import Gainful, or all of its modules; warnings are printed without their lines."""
    import gainful

    for module in pkgutil.walk_packages(gainful.__path__ if whole else [], "gainful."):
        with contextlib.suppress(ImportError):
            importlib.import_module(module.name)
    warnings.simplefilter("default")
    warnings.simplefilter("ignore", ResourceWarning)
    warnings.formatwarning = lambda message, category, *_, **__: f"{category.__name__}: {message}\n"


def needs_large_packages(session: Session) -> bool:
    """Return whether a session runs at the end, with the larger packages."""
    return not set(LARGE_PACKAGES).isdisjoint(session.needs)


def set_environment(home: Path) -> None:
    """Make the environment the same on all machines."""
    for name in [name for name in os.environ if name.startswith(("GAINFUL_", "PYTEST_", "LC_"))]:
        del os.environ[name]
    os.environ |= {
        "COLUMNS": "100",
        "GAINFUL_THREADS": "1",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "TERM": "dumb",
        "TMPDIR": str(home),
        "TZ": "UTC",
    }
    time.tzset()
    tempfile.tempdir = None


def run_sessions(record: Record, sessions: Iterable[Session]) -> Iterator[tuple[Session, Any]]:
    """Yield every session with the outputs of its steps by case, in the order of their ends."""
    waiting = sorted(sessions, key=needs_large_packages, reverse=True)
    load_gainful(whole=len(waiting) >= MANY)
    load_packages(PACKAGES)
    running: dict[int, tuple[Session, Path, float]] = {}
    with tempfile.TemporaryDirectory(prefix="record-") as name:
        top = Path(name).resolve()
        number = 0
        while waiting or running:
            while waiting and len(running) < WORKERS:
                session = waiting.pop()
                if needs_large_packages(session):
                    load_packages(LARGE_PACKAGES)
                number += 1
                folder = top / f"{number:06}"
                folder.mkdir()
                process = fork(lambda: run_session(record, session, folder))  # noqa: B023
                running[process] = (session, folder, time.monotonic())
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                for process, (_, _, started) in running.items():
                    if time.monotonic() - started > SECONDS:
                        os.killpg(process, signal.SIGKILL)
                time.sleep(0.002)
                continue
            if process not in running:
                continue
            session, folder, _ = running.pop(process)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process, signal.SIGKILL)
            outputs = read_results(folder / "results.jsonl")
            for step in session.steps:
                outputs.setdefault(step.case, {"ended": os.waitstatus_to_exitcode(status)})
            shutil.rmtree(folder, ignore_errors=True)
            yield session, outputs


def fork(action: Callable[[], None]) -> int:
    """Run a function in a new process, and return its id."""
    sys.stdout.flush()
    sys.stderr.flush()
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        action()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stderr.flush()
        os._exit(status)


def read_results(path: Path) -> dict[str, Any]:
    """Return the outputs that a session has written, as far as it came."""
    if not path.exists():
        return {}
    outputs = {}
    for line in path.read_text("utf-8").splitlines():
        case, output = json.loads(line)
        outputs[case] = output
    return outputs


def run_session(record: Record, session: Session, top: Path) -> None:
    """Run the steps of a session, and write what they do to ``results.jsonl``."""
    os.setpgid(0, 0)
    home, folder = top / "home", top / "files"
    home.mkdir()
    set_environment(home)
    record.write_files(session, folder)
    import gainful

    observer = Observer(
        {
            str(folder): "FOLDER",
            str(home): "HOME",
            gainful.__version__: "VERSION",
            str(Path(gainful.__file__).parent): "GAINFUL",
            sys.prefix: "PREFIX",
        }
    )
    names: dict[str, Any] = {"__name__": "__main__"}
    sys.path.insert(0, "")
    with (top / "results.jsonl").open("w", encoding="utf-8") as results:
        for number, step in enumerate(session.steps):
            place = folder
            if step.is_aside:
                # The name has the length of the other's, in case that lines are broken.
                place = top / f"a{number:04}"
                shutil.copytree(folder, place)
            os.chdir(place)
            output = run_step(step, place, top, observer, names)
            text = compact([step.case, output])
            results.write(text.replace(str(place), "FOLDER") + "\n")
            results.flush()


def run_step(
    step: Step, folder: Path, top: Path, observer: Observer, names: dict[str, Any]
) -> dict[str, Any]:
    """Run a step and return what is stored of it."""
    before = snapshot(folder)
    printed, errors = top / "stdout", top / "stderr"
    output: dict[str, Any] = {}
    with printed.open("wb") as sink, errors.open("wb") as error_sink:
        streams = (sink.fileno(), error_sink.fileno())
        if step.kind == "bash":
            script = subprocess.run(
                ["bash", "-c", str(step.input)],
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=error_sink,
                check=False,
            )
            output["status"] = script.returncode
        elif step.kind == "gainful":
            process = fork(lambda: run_program(expand(step.input), streams))
            output["status"] = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        else:
            with redirected(*streams):
                raised = run_python(step, names)
            if raised is not None:
                output["raised"] = observer.clean(raised)
    for name, path in (("out", printed), ("err", errors)):
        if content := path.read_bytes():
            output[name] = observer.describe_text(content)
    after = snapshot(folder)
    changed = [name for name in after if after[name] != before.get(name)]
    files = {observer.clean(name): observer.describe_file(folder / name) for name in changed}
    files |= {name: None for name in before if name not in after}
    if files:
        output["files"] = files
    return output


def expand(words: Iterable[str]) -> list[str]:
    """Return arguments with the files that patterns such as ``*.run`` match, as a shell does."""
    return [
        name for word in words for name in (("*" in word and sorted(glob.glob(word))) or [word])
    ]


@contextlib.contextmanager
def redirected(out: int, err: int) -> Iterator[None]:
    """Send both streams to files, as descriptors, which the kernel also writes to."""
    kept = [os.dup(1), os.dup(2)]
    os.dup2(out, 1)
    os.dup2(err, 2)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for descriptor, copy in enumerate(kept, start=1):
            os.dup2(copy, descriptor)
            os.close(copy)


def run_program(words: list[str], streams: tuple[int, int]) -> None:
    """Run the command line in this process, and end it with its status."""
    from gainful.cli import main

    null = os.open(os.devnull, os.O_RDONLY)
    for target, descriptor in enumerate((null, *streams)):
        os.dup2(descriptor, target)
    sys.argv = ["gainful", *words]
    try:
        status = main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException as error:
        sys.stderr.write(f"Traceback: {type(error).__qualname__}: {error}\n")
        status = 1
    with contextlib.suppress(Exception):
        sys.stdout.flush()
    with contextlib.suppress(Exception):
        sys.stderr.flush()
    os._exit(status)


def run_python(step: Step, names: dict[str, Any]) -> str | None:
    """Execute Python; return the exception that ends it."""
    text = str(step.input)
    try:
        if step.kind == "python":
            exec(compile(text, f"<{step.case}>", "exec", dont_inherit=True), names)
            return None
        for example in doctest.DocTestParser().get_examples(text):
            exec(compile(example.source, f"<{step.case}>", "single", dont_inherit=True), names)
    except BaseException as error:
        return f"{type(error).__qualname__}: {error}"
    return None
