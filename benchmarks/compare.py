"""Run subjects with the same job in turn; compare their answers, then their times."""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import measure_process

FULL = 1e-9  # tolerance for answers in full precision
PRINTED = 0.5e-4 + 1e-9  # tolerance for answers printed with four digits
SLOW = 2.0  # seconds


class DisagreementError(AssertionError):
    """Two subjects gave different answers."""


@dataclass(frozen=True)
class Sample:
    """One run of a subject: its answers, times and the peak memory of its process.

    `extras` are further values that a worker reports, such as the bytes that it shuffled.
    """

    answers: tuple[float, ...]
    seconds: float
    cpu_seconds: float
    peak_mb: float
    extras: Mapping[str, float] = field(default_factory=dict)


class Subject(ABC):
    """A program that does the job of a row: Gainful, a peer, or a lower bound such as `cat`.

    `expected` are the correct answers if known; otherwise those of the first subject are used.
    A `tolerance` of None means that the answers are not compared.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        expected: Sequence[float] | None = None,
        tolerance: float | None = FULL,
        runs_each_round: int = 1,
    ) -> None:
        self.name = name
        self.command = [str(word) for word in command]
        self.expected = expected
        self.tolerance = tolerance
        self.runs_each_round = runs_each_round

    @abstractmethod
    def run(self) -> Sample:
        """Run the job once."""

    def first_counts(self, seconds: float) -> bool:
        """Return whether to count the first run, which took `seconds` and warmed the caches."""
        return False

    def start(self) -> None:
        """Start to prepare, without waiting."""

    def close(self) -> None:
        """Release the resources of `run`."""


class Process(Subject):
    """A whole process; `parse` reads the answers from its output."""

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        parse: Callable[[str], Sequence[float]] | None = None,
        *,
        expected: Sequence[float] | None = None,
        tolerance: float | None = FULL,
        runs_each_round: int = 1,
    ) -> None:
        super().__init__(
            name,
            command,
            expected=expected,
            tolerance=tolerance if parse else None,
            runs_each_round=runs_each_round,
        )
        self.parse = parse

    def first_counts(self, seconds: float) -> bool:
        """Return whether the run is so long that cold caches do not matter."""
        return seconds >= SLOW

    def run(self) -> Sample:
        """Run the command once."""
        done = measure_process.run(self.command)
        answers = tuple(self.parse(done.output)) if self.parse else ()
        return Sample(answers, done.seconds, done.cpu_seconds, done.peak_mb)


class Worker(Subject):
    """A call inside a long-running process, which runs `subjects/worker.py`.

    A first call of at least `first_counts_from` seconds counts, since repeating it would take too
    long.
    """

    process: subprocess.Popen[str] | None = None

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        expected: Sequence[float] | None = None,
        tolerance: float | None = FULL,
        runs_each_round: int = 1,
        first_counts_from: float = math.inf,
    ) -> None:
        super().__init__(
            name,
            command,
            expected=expected,
            tolerance=tolerance,
            runs_each_round=runs_each_round,
        )
        self.first_counts_from = first_counts_from

    def first_counts(self, seconds: float) -> bool:
        """Return whether the call is so long that warming up is a small part of it."""
        return seconds >= self.first_counts_from

    def start(self) -> None:
        """Start the process, which prepares its data in parallel to the others."""
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=measure_process.environment(),
        )

    def run(self) -> Sample:
        """Request one timed call."""
        process = self.process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write("run\n")
            process.stdin.flush()
        except BrokenPipeError:
            pass  # The process has ended; its stderr has the reason.
        reply = process.stdout.readline()
        if not reply:
            raise measure_process.ProcessError(f"{self.name} ended with {process.wait()}")
        report = json.loads(reply)
        return Sample(
            tuple(report["answers"]),
            report["seconds"],
            report["cpu_seconds"],
            report["peak_bytes"] / 1e6,
            report["extras"],
        )

    def close(self) -> None:
        """End the process, so that the next row has its memory."""
        if self.process is not None:
            try:
                self.process.communicate()
            except BrokenPipeError:
                self.process.wait()
            self.process = None


@dataclass
class Measured:
    """All samples of one subject, and the tolerance for its answers (None: not compared)."""

    name: str
    tolerance: float | None
    samples: list[Sample] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """The median wall time of a run."""
        return statistics.median(sample.seconds for sample in self.samples)

    @property
    def cpu_seconds(self) -> float:
        return statistics.median(sample.cpu_seconds for sample in self.samples)

    @property
    def fastest(self) -> float:
        return min(sample.seconds for sample in self.samples)

    @property
    def slowest(self) -> float:
        return max(sample.seconds for sample in self.samples)

    @property
    def peak_mb(self) -> float:
        return max(sample.peak_mb for sample in self.samples)

    @property
    def answers(self) -> tuple[float, ...]:
        return self.samples[0].answers


def check(name: str, found: Sequence[float], expected: Sequence[float], tolerance: float) -> None:
    """Raise DisagreementError unless `found` equals `expected` within `tolerance`."""
    if len(found) != len(expected):
        raise DisagreementError(f"{name}: {len(found)} answers, expected {len(expected)}")
    for position, (mine, theirs) in enumerate(zip(found, expected, strict=True), start=1):
        if not abs(mine - theirs) <= tolerance:
            raise DisagreementError(
                f"{name}: found {mine!r}, expected {theirs!r} "
                f"(answer {position} of {len(found)}, tolerance {tolerance:.1e})"
            )


def compare_answers(subjects: Sequence[Subject], samples: dict[str, Sample]) -> None:
    """Raise DisagreementError unless all answers are correct and equal the first subject's.

    The first subject is Gainful, if included. Subjects with other `expected` answers, which run
    the job on other data, are compared with these only.
    """
    compared = [subject for subject in subjects if subject.tolerance is not None]
    for subject in compared:
        assert subject.tolerance is not None
        found = samples[subject.name].answers
        if subject.expected is not None:
            check(subject.name, found, subject.expected, subject.tolerance)
        first = compared[0]
        assert first.tolerance is not None
        if subject.expected == first.expected:
            names = f"{subject.name} vs. {first.name}"
            tolerance = max(subject.tolerance, first.tolerance)
            check(names, found, samples[first.name].answers, tolerance)


def compare(subjects: Sequence[Subject], *, rounds: int) -> dict[str, Measured]:
    """Run `subjects` in turn, `rounds` times; return the measurements by name.

    First, all run once to warm the caches, and their answers are compared. All later answers must
    equal the first.

    Raises
    ------
    DisagreementError
        If an answer is wrong, or changes.
    """
    try:
        for subject in subjects:
            subject.start()
        first = {}
        for subject in subjects:
            first[subject.name] = subject.run()
            progress(f"  {subject.name}: {first[subject.name].seconds:.3g} s")
        compare_answers(subjects, first)
        measured = {s.name: Measured(s.name, s.tolerance) for s in subjects}
        for subject in subjects:
            if subject.first_counts(first[subject.name].seconds):
                measured[subject.name].samples.append(first[subject.name])
        for _ in range(rounds):
            for subject in subjects:
                samples = measured[subject.name].samples
                if len(samples) >= rounds * subject.runs_each_round:
                    continue
                for _ in range(subject.runs_each_round):
                    samples.append(subject.run())
                    # A sum over threads may differ in its last bits from run to run.
                    before = first[subject.name].answers
                    check(f"{subject.name}, again", samples[-1].answers, before, 1e-12)
    finally:
        for subject in subjects:
            subject.close()
    return measured


def progress(line: str) -> None:
    """Print a progress line on stderr."""
    print(line, file=sys.stderr, flush=True)
