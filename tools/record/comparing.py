"""Compare outputs with the record, and accept differences with a reason."""

from __future__ import annotations

import difflib
import json
import tomllib
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from sessions import Record, compact

__all__ = ["accept", "check_differences", "describe_difference", "read_differences"]


def read_differences(folder: Path) -> list[dict[str, str]]:
    """Return the entries of ``differences.toml``: globs of cases and the reasons."""
    path = folder / "differences.toml"
    entries: list[dict[str, str]] = tomllib.loads(path.read_text("utf-8")).get("difference", [])
    return entries


def check_differences(record: Record) -> list[str]:
    """Return what is wrong with the list of intended differences."""
    recorded, accepted = record.read_outputs(), record.read_accepted()
    entries = read_differences(record.folder)
    faults = []
    for entry in entries:
        glob = entry.get("cases", "")
        if len(entry.get("reason", "").split()) < 3:
            faults.append(f"differences.toml: {glob!r} has no reason")
        if not any(fnmatchcase(case, glob) for case in accepted):
            faults.append(f"differences.toml: no case that differs matches {glob!r}: remove it")
    for case, output in accepted.items():
        if not any(fnmatchcase(case, entry.get("cases", "")) for entry in entries):
            faults.append(f"accepted.jsonl: {case}: differences.toml gives no reason")
        if case not in recorded:
            faults.append(f"accepted.jsonl: {case} is not recorded")
        elif compact(recorded[case]) == compact(output):
            faults.append(f"accepted.jsonl: {case} no longer differs: remove its line")
    return faults


def accept(record: Record, glob: str, reason: str, outputs: dict[str, Any]) -> int:
    """List the outputs that differ from the record as intended; return their number."""
    recorded, accepted = record.read_outputs(), record.read_accepted()
    number = 0
    for case, output in outputs.items():
        if not fnmatchcase(case, glob) or case not in recorded:
            continue
        if compact(output) == compact(recorded[case]):
            accepted.pop(case, None)
        elif compact(output) != compact(accepted.get(case)):
            accepted[case] = output
            number += 1
    record.write_accepted(accepted)
    kept = [
        entry
        for entry in read_differences(record.folder)
        if any(fnmatchcase(case, entry["cases"]) for case in accepted)
    ]
    if number:
        kept.append({"cases": glob, "reason": reason})
    path = record.folder / "differences.toml"
    comments = [line for line in path.read_text("utf-8").splitlines() if line.startswith("#")]
    entries = [
        f"\n[[difference]]\ncases = {json.dumps(entry['cases'])}\n"
        f"reason = {json.dumps(entry['reason'], ensure_ascii=False)}\n"
        for entry in kept
    ]
    path.write_text("\n".join(comments) + "\n" + "".join(entries), "utf-8")
    return number


def describe_difference(case: str, before: Any, after: Any) -> str:
    """Return a difference as lines that begin with minus and plus."""
    lines = difflib.unified_diff(_lines(before), _lines(after), "recorded", "now", n=2, lineterm="")
    return "\n".join([f"=== {case}", *list(lines)[2:]])


def _lines(output: Any) -> list[str]:
    """Return an output as the lines that a reader compares."""
    lines: list[str] = []
    for name, value in output.items():
        if isinstance(value, str):
            lines += [f"{name}: {line}" for line in value.splitlines() or [""]]
        elif isinstance(value, dict):
            parts = json.dumps(value, ensure_ascii=False, indent=1)
            lines += [f"{name}: {line}" for line in parts.replace("\\n", "\n").splitlines()]
        else:
            lines.append(f"{name}: {value}")
    return lines


def count_by_group(cases: list[str]) -> str:
    """Return how many cases there are of every group, which is the name up to the first slash."""
    counts = Counter(case.split("/")[0] for case in cases)
    return ", ".join(f"{group} {number}" for group, number in sorted(counts.items()))
