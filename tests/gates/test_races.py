"""Several gates that update one snapshot at the same time: no look is lost."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest

import gainful
from awaiting import await_true
from gainful import writing
from gainful.errors import FormatError
from gainful.gates import read_snapshot
from gainful.gates.call import save_snapshot
from gate_data import qrels, run

BEFORE = [1, 2] * 10
HERE = Path(__file__).parent

#: A gate in a process of its own. It reports that it has read the snapshot, and waits for a line.
GATE = """
import sys
import gainful
from gate_data import qrels, run

path, first, name = sys.argv[1], int(sys.argv[2]), sys.argv[3]

def rows():
    print("read", flush=True)
    sys.stdin.readline()
    for query, documents in run([first, *[2, 1] * 9, 2]).items():
        for rank, document in enumerate(documents):
            yield query, document, -rank

result = gainful.gate(qrels(20), rows(), path, margin=0.6, alpha=0.04, count=True, name=name)
print(result.look, result.verdict, result.alpha_used, result.counted, flush=True)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "snapshot.json"
    gainful.make_snapshot(qrels(20), run(BEFORE), "RR", budget=2).write(path)
    return path


def started(path: Path, first: int) -> subprocess.Popen[str]:
    """Start a gate, and return when it has read the snapshot."""
    process = subprocess.Popen(
        [sys.executable, "-c", GATE, str(path), str(first), f"run{first}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(HERE)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "read\n"
    return process


def finished(process: subprocess.Popen[str]) -> list[str]:
    output, _ = process.communicate("go on\n", timeout=60)
    assert process.returncode == 0
    return output.split()


def look(path: Path, first: int) -> gainful.GateResult:
    ranked = run([first, *BEFORE[1:]])
    return gainful.gate(qrels(20), ranked, path, margin=0.6, alpha=0.04, count=True, name="mine")


def systems(path: Path) -> list[str]:
    return [each.system for each in read_snapshot(path).looks]


def test_a_look_that_is_counted_after_the_snapshot_was_read(file: Path) -> None:
    other = started(file, 3)
    assert look(file, 2).look == 1
    assert finished(other) == ["2", "pass", "0.02", "True"]
    assert systems(file) == ["mine", "run3"]
    assert os.listdir(file.parent) == [file.name]


def test_the_first_run_uses_the_budget(file: Path) -> None:
    other = started(file, 3)
    assert (look(file, 2).look, look(file, 4).look) == (1, 2)
    # It was the first look when the snapshot was read, and would have passed.
    assert finished(other) == ["3", "inconclusive", "0.0", "True"]
    assert [each.verdict for each in read_snapshot(file).looks] == ["pass", "pass", "inconclusive"]


def test_the_same_run_twice_at_once_is_one_look(file: Path) -> None:
    first, second = started(file, 3), started(file, 3)
    assert finished(first)[0] == finished(second)[0] == "1"
    assert systems(file) == ["run3"]


def test_many_gates_at_once(file: Path) -> None:
    gates = [started(file, first) for first in range(2, 7)]
    for gate in gates:
        assert gate.stdin is not None
        gate.stdin.write("go on\n")
        gate.stdin.flush()
    outputs = [gate.communicate(timeout=60)[0].split() for gate in gates]
    assert sorted(look for look, *_ in outputs) == [str(number) for number in range(1, 6)]
    assert sorted(systems(file)) == [f"run{first}" for first in range(2, 7)]
    assert os.listdir(file.parent) == [file.name]


def test_a_gate_waits_for_one_that_writes(file: Path) -> None:
    other = started(file, 3)
    assert other.stdin is not None
    before = file.read_bytes()
    with writing.locked(str(file)):
        other.stdin.write("go on\n")
        other.stdin.flush()
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(timeout=0.5)  # short: it waits, and does not end
        assert file.read_bytes() == before
    assert other.communicate(timeout=60)[0].split()[0] == "1"
    assert systems(file) == ["run3"]


def test_the_lock_of_a_killed_process_is_released(file: Path) -> None:
    holder = subprocess.Popen(
        [
            *(sys.executable, "-c"),
            "import sys\nfrom gainful.writing import locked\n"
            "with locked(sys.argv[1]):\n    print('locked', flush=True)\n    sys.stdin.read()",
            str(file),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "locked\n"
    holder.kill()
    holder.communicate()
    assert (file.parent / f".{file.name}.lock").exists()
    assert look(file, 2).counted is True
    assert os.listdir(file.parent) == [file.name]


def test_a_snapshot_that_was_replaced_meanwhile(file: Path) -> None:
    class Rows:
        def __iter__(self):
            gainful.make_snapshot(qrels(20), run([1] * 20), "RR").write(file)
            yield from (("q000", "right", 1.0),)

    with pytest.raises(FormatError, match="replaced while the gate ran.*Hint: run the gate again"):
        gainful.gate(qrels(20), Rows(), file, count=True)


def test_a_snapshot_that_is_saved_keeps_looks_counted_meanwhile(file: Path) -> None:
    before = read_snapshot(file)
    made = gainful.make_snapshot(qrels(20), run([1] * 20), "RR", after=before)
    look(file, 2)
    saved = save_snapshot(made, file, before)
    assert saved == read_snapshot(file)
    assert (systems(file), saved.run) == (["mine"], made.run)
    fresh = file.with_name("fresh.json")
    assert save_snapshot(made, fresh) == read_snapshot(fresh) == made


def test_threads_take_turns(file: Path) -> None:
    entered = []

    def enter() -> None:
        with writing.locked(str(file)):
            entered.append(threading.get_ident())

    with writing.locked(str(file)):
        other = threading.Thread(target=enter)
        other.start()
        other.join(timeout=0.3)  # short: it waits, and does not end
        assert not entered
    other.join(timeout=60)
    assert len(entered) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has its own module")
def test_the_lock_of_windows(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    msvcrt = ModuleType("msvcrt")
    msvcrt.LK_NBLCK, msvcrt.LK_UNLCK = 2, 0  # type: ignore[attr-defined]
    refused = []

    def lock(handle: int, mode: int, count: int) -> None:
        how = fcntl.LOCK_UN if mode == 0 else fcntl.LOCK_EX | fcntl.LOCK_NB
        try:
            fcntl.flock(handle, how)
        except BlockingIOError:
            refused.append(handle)
            raise PermissionError(13, "Permission denied") from None

    msvcrt.locking = lock  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "msvcrt", msvcrt)
    monkeypatch.setattr(sys, "platform", "win32")
    spec = importlib.util.spec_from_file_location("windows_locking", writing.__file__)
    assert spec is not None
    assert spec.loader is not None
    windows = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(windows)
    monkeypatch.undo()

    entered = []

    def enter() -> None:
        with windows.locked(str(file)):
            entered.append(True)

    with windows.locked(str(file)):
        other = threading.Thread(target=enter)
        other.start()
        await_true(lambda: refused, "the lock is refused")
        assert not entered
    other.join(timeout=60)
    assert entered
