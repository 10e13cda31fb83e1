"""Ctrl-C ends long work soon; forked workers and executors do not hang."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import time

import pytest

import gainful

posix = pytest.mark.skipif(os.name != "posix", reason="signals and forks are POSIX")

QRELS = {f"q{n}": {"d1": 1, "d2": 2} for n in range(50)}
RUN = {f"q{n}": {f"d{d}": float(d * n % 7) for d in range(1000)} for n in range(50)}


def mean(threads: int | None = None) -> float:
    return gainful.evaluate(QRELS, RUN, "nDCG@10", threads=threads).mean()


@posix
def test_an_interrupt_ends_the_work_within_half_a_second(tmp_path) -> None:
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    code = (
        "import gainful, sys\n"
        "print('ready', flush=True)\n"
        "try:\n"
        f"    gainful.evaluate({str(tmp_path / 'qrels')!r}, {str(tmp_path / 'big')!r})\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(77)\n"
    )
    with open(tmp_path / "big", "w") as file:
        block = "".join(f"q{{0}} Q0 d{n} {n} {1000 - n}.5 t\n" for n in range(1000))
        for query in range(3000):
            file.write(block.replace("{0}", str(query)))
    environment = {**os.environ, "GAINFUL_THREADS": "1"}
    # Whether the work is still going on when the signal comes is a matter of timing; of several
    # delays one meets it, and none may end in anything but an interrupt or a finished job.
    codes = []
    for delay in (0.02, 0.05, 0.1, 0.15, 0.2):
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            # What a shell starts in the background ignores the signal, and so would this.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        process.communicate(timeout=20)
        codes.append(process.returncode)
        if process.returncode == 77:
            assert time.monotonic() - start < 5
    assert 77 in codes
    assert set(codes) <= {77, 0, 1, -signal.SIGINT}


@posix
def test_an_interrupt_ends_resampling() -> None:
    # A minute of work.
    code = (
        "import sys, numpy as np\n"
        "from gainful.inference import randomization_test\n"
        "print('ready', flush=True)\n"
        "try:\n"
        "    randomization_test(np.arange(200_000) - 9e4, resamples=4_000_000, threads=1)\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(77)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
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
