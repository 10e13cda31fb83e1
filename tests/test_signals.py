"""Ctrl-C ends long work in the middle; forked workers and executors do not hang."""

from __future__ import annotations

import concurrent.futures
import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import gainful
from awaiting import await_reader

posix = pytest.mark.skipif(os.name != "posix", reason="signals and forks are POSIX")

QRELS = {f"q{n}": {"d1": 1, "d2": 2} for n in range(50)}
RUN = {f"q{n}": {f"d{d}": float(d * n % 7) for d in range(1000)} for n in range(50)}


def mean(threads: int | None = None) -> float:
    return gainful.evaluate(QRELS, RUN, "nDCG@10", threads=threads).mean()


def start(code: str, *words: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        stdout=subprocess.PIPE,
        env={**os.environ, "GAINFUL_THREADS": "1"},
        # What a shell starts in the background ignores the signal, and so would this.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


@posix
def test_an_interrupt_ends_the_work_in_the_middle(tmp_path: Path) -> None:
    """A pipe delivers rows until the interrupted process has ended: the work has no other end."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q1 0 d1 1\n")
    os.mkfifo(run)
    code = (
        "import gainful, sys\n"
        "try:\n"
        "    gainful.evaluate(*sys.argv[1:])\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(77)\n"
    )
    block = "".join(f"q{{0}} Q0 d{n} {n} {1000 - n}.5 t\n" for n in range(1000))
    process = start(code, qrels, run)
    written = 0
    with contextlib.suppress(BrokenPipeError), open(await_reader(run, process), "wb") as pipe:
        for query in range(40_000):
            written += pipe.write(block.replace("{0}", str(query)).encode())
            if query == 1000:
                process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)
    assert process.returncode == 77
    # A tenth of a second of reading; all rows are a gigabyte.
    assert written < 800_000_000


@posix
def test_an_interrupt_ends_resampling() -> None:
    code = (
        "import sys, numpy as np\n"
        "from gainful.inference import randomization_test\n"
        "differences = np.arange(4_000_000) - 1.9e6\n"
        "try:\n"
        "    print('ready', flush=True)\n"
        "    randomization_test(differences, resamples=4_000_000, threads=1)\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(77)\n"
    )
    process = start(code)
    assert process.stdout is not None
    process.stdout.readline()
    # So that it is in the middle of the work, where the machine is not busy.
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    try:
        # The work takes more than ten minutes.
        process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 77


@posix
def test_a_forked_child_evaluates_after_its_parent_did() -> None:
    expected = mean(threads=2)
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        assert pool.map_async(mean, [2, 2, 2, None]).get(timeout=60) == [expected] * 4


def test_threads_of_an_executor_evaluate_side_by_side() -> None:
    expected = mean()
    with concurrent.futures.ThreadPoolExecutor(4) as executor:
        assert list(executor.map(lambda _: mean(), range(12))) == [expected] * 12


def test_one_thread_inside_executors() -> None:
    from gainful.threads import thread_count

    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        assert executor.submit(thread_count).result() == 1
        assert executor.submit(thread_count, 3).result() == 3


def test_the_environment_sets_the_threads(monkeypatch) -> None:
    from gainful.threads import thread_count

    monkeypatch.setenv("GAINFUL_THREADS", "5")
    assert thread_count() == 5
    assert thread_count(2) == 2
    monkeypatch.setenv("GAINFUL_THREADS", "many")
    with pytest.raises(gainful.errors.ParameterError, match="GAINFUL_THREADS"):
        thread_count()
