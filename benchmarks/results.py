"""The rows of the table of results, and their output as text and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from compare import Measured

GAINFUL = "Gainful"


@dataclass(frozen=True)
class Target:
    """A target, and the measured value (None if it could not be measured)."""

    text: str
    value: float | None
    limit: float
    unit: str
    at_least: bool
    judged: bool

    @property
    def verdict(self) -> str:
        """Whether the target is met, in words, or why that is unknown."""
        if self.value is None:
            return "not measured"
        if not self.judged:
            return "judged at full size only"
        kept = self.value >= self.limit if self.at_least else self.value <= self.limit
        return "met" if kept else "NOT MET"


@dataclass
class Row:
    """One row of the table: the measurements of each subject, targets and remarks.

    `rows` and `size` are the number of rows and the bytes on disk of Gainful's data, for rates.
    """

    job: str
    measured: Mapping[str, Measured] = field(default_factory=dict)
    targets: list[Target] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    error: str = ""
    rows: int | None = None
    size: int | None = None

    def aim_ratio(
        self, text: str, slower: str, faster: str, limit: float, *, judged: bool = True
    ) -> None:
        """Add the target that `slower` takes at least `limit` times as long as `faster`."""
        value = self._ratio(slower, faster)
        self.targets.append(Target(text, value, limit, "×", at_least=True, judged=judged))

    def aim_within(
        self, text: str, name: str, other: str, limit: float, *, judged: bool = True
    ) -> None:
        """Add the target that `name` takes at most `limit` times as long as `other`."""
        value = self._ratio(name, other)
        self.targets.append(Target(text, value, limit, "×", at_least=False, judged=judged))

    def aim_seconds(self, text: str, name: str, limit: float, *, judged: bool = True) -> None:
        """Add the target that `name` takes at most `limit` seconds."""
        value = self.measured[name].seconds if name in self.measured else None
        self.targets.append(Target(text, value, limit, "s", at_least=False, judged=judged))

    def aim_memory(self, text: str, name: str, limit: float, *, judged: bool = True) -> None:
        """Add the target that the process of `name` uses at most `limit` million bytes."""
        value = self.measured[name].peak_mb if name in self.measured else None
        self.targets.append(Target(text, value, limit, "MB", at_least=False, judged=judged))

    def _ratio(self, name: str, other: str) -> float | None:
        if name not in self.measured or other not in self.measured:
            return None
        return self.measured[name].seconds / self.measured[other].seconds

    def to_text(self) -> str:
        """Return the row as text."""
        lines = [self.job]
        if self.error:
            return "\n".join([*lines, f"  FAILED: {self.error}"])
        lines += [*self._table(), *self._answers()]
        for note in self.notes:
            lines.append(f"  ({note})")
        for target in self.targets:
            value = "" if target.value is None else quantity(target.value, target.unit)
            lines.append(f"  target: {target.text:40}{value:>12}  {target.verdict}")
        return "\n".join(lines)

    def _table(self) -> list[str]:
        if not self.measured:
            return []
        leader = next((name for name in self.measured if name.startswith(GAINFUL)), None)
        width = max(map(len, self.measured))
        heads = f"{'median':>10}{'fastest':>10}{'slowest':>10}{'CPU':>10}{'memory':>11}"
        lines = [f"  {'':{width}}{heads}" + (f"{'to Gainful':>12}" if leader else "")]
        for name, measured in self.measured.items():
            times = (measured.seconds, measured.fastest, measured.slowest, measured.cpu_seconds)
            cells = "".join(f"{duration(seconds):>10}" for seconds in times)
            memory = f"{measured.peak_mb:,.0f} MB"
            ratio = measured.seconds / self.measured[leader].seconds if leader else 0
            against = f"{ratio:>11.2f}×" if leader else ""
            lines.append(f"  {name:{width}}{cells}{memory:>11}{against}")
        return lines

    def _answers(self) -> list[str]:
        """Format the correct value and the tolerance of each program."""
        groups: dict[float, list[str]] = {}
        for name, measured in self.measured.items():
            if measured.tolerance is not None:
                groups.setdefault(measured.tolerance, []).append(name)
        if not groups:
            return []
        exact = self.measured[groups[min(groups)][0]].answers[0]
        limits = [f"{', '.join(names)} to {bound:.0e}" for bound, names in sorted(groups.items())]
        return [f"  right answers: {exact:.12f} ({'; '.join(limits)})"]

    def to_dict(self) -> dict[str, Any]:
        """Return the row for the JSON file: every sample, in seconds and millions of bytes."""
        return {
            "job": self.job,
            "rows": self.rows,
            "size": self.size,
            "error": self.error,
            "notes": self.notes,
            "subjects": {
                name: {
                    "median_seconds": measured.seconds,
                    "cpu_seconds": measured.cpu_seconds,
                    "peak_mb": measured.peak_mb,
                    "seconds": [sample.seconds for sample in measured.samples],
                    "answers": list(measured.answers),
                    "extras": measured.samples[-1].extras,
                }
                for name, measured in self.measured.items()
            },
            "targets": [
                {
                    "text": target.text,
                    "value": target.value,
                    "limit": target.limit,
                    "unit": target.unit,
                    "verdict": target.verdict,
                }
                for target in self.targets
            ],
        }


def duration(seconds: float) -> str:
    """Return a time with three digits and a suitable unit."""
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1 or unit == "µs":
            value = seconds * factor
            return f"{value:.{max(0, 3 - len(str(int(value))))}f} {unit}"
    raise AssertionError


def quantity(value: float, unit: str) -> str:
    """Return a measured value with its unit."""
    if unit == "s":
        return duration(value)
    return f"{value:.2f}×" if unit == "×" else f"{value:,.0f} {unit}"
