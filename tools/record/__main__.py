"""Record what Gainful prints, returns and writes, and compare a build with the record.

    python tools/record make [GLOB …]           record the cases that are not recorded yet
    python tools/record same [GLOB …]           compare this build with the record
    python tools/record accept GLOB --reason …  list differences as intended
    python tools/record show GLOB               print recorded outputs
    python tools/record collect PAGE …          make inputs of a page of the documentation

`record/inputs` says what is run, and needs nothing else of the repository. A recorded case is never
changed: an intended difference is listed in `record/differences.toml`, with its reason, and its new
output in `record/accepted.jsonl` is compared from then on. A case is named SESSION:STEP; a GLOB
selects the sessions that it or the part before its colon matches.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from collecting import collect_pages
from comparing import accept, check_differences, count_by_group, describe_difference
from running import missing_needs, run_sessions
from sessions import Record, Session, compact

FOLDER = Path(__file__).resolve().parents[2] / "record"
#: The differences that are printed in full.
SHOWN = 25


class RecordError(Exception):
    """The record or a comparison has a fault, which the message names."""


def main() -> int:
    """Run a command and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="record", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=FOLDER, help="the folder of the record")
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make")
    making.add_argument("names", nargs="*", metavar="GLOB")
    same = commands.add_parser("same")
    same.add_argument("names", nargs="*", metavar="GLOB")
    same.add_argument("--full", action="store_true", help="print all differences in full")
    accepting = commands.add_parser("accept")
    accepting.add_argument("names", nargs=1, metavar="GLOB")
    accepting.add_argument("--reason", required=True)
    showing = commands.add_parser("show")
    showing.add_argument("names", nargs=1, metavar="GLOB")
    collecting = commands.add_parser("collect")
    collecting.add_argument("names", nargs="+", metavar="PAGE")
    arguments = parser.parse_args()
    record = Record(arguments.folder.resolve())
    try:
        if arguments.command == "make":
            return make(record, arguments.names)
        if arguments.command == "same":
            return compare(record, arguments.names, SHOWN if not arguments.full else sys.maxsize)
        if arguments.command == "accept":
            return accept_differences(record, arguments.names[0], arguments.reason)
        if arguments.command == "collect":
            return collect(record, arguments.names)
        return show(record, arguments.names[0])
    except RecordError as failure:
        print(f"record: {failure}", file=sys.stderr)
        return 1


def select(sessions: list[Session], names: list[str]) -> list[Session]:
    """Return the sessions that names select; all without names."""
    selected = [
        session
        for session in sessions
        if not names
        or any(
            fnmatchcase(text, glob) or fnmatchcase(session.name, glob.split(":")[0])
            for glob in names
            for text in [session.name, *[step.case for step in session.steps]]
        )
    ]
    if not selected:
        raise RecordError(f"no session matches {' '.join(names)}")
    return selected


def run(record: Record, sessions: list[Session]) -> tuple[dict[str, Any], Counter[str]]:
    """Return outputs by case, and the number of cases that are skipped by reason."""
    skipped: Counter[str] = Counter()
    required = os.environ.get("GAINFUL_REQUIRE", "").split(",")
    runnable = []
    for session in sessions:
        missing = missing_needs(session)
        for name in missing:
            if required == ["all"] or name.removeprefix("program:") in required:
                raise RecordError(f"{session.name} needs {name}, which GAINFUL_REQUIRE names")
        if missing:
            skipped[f"no {missing[0].removeprefix('program:')}"] += len(session.steps)
        else:
            runnable.append(session)
    outputs: dict[str, Any] = {}
    for session, found in run_sessions(record, runnable):
        for case, output in found.items():
            outputs[case] = {"input": session.digest, **output}
    return outputs, skipped


def make(record: Record, names: list[str]) -> int:
    """Record the cases that have no output yet; fail if a recorded one differs."""
    started = time.monotonic()
    recorded = record.read_outputs()
    outputs, skipped = run(record, select(record.sessions, names))
    added = {case: output for case, output in outputs.items() if case not in recorded}
    if ended := [case for case, output in added.items() if "ended" in output]:
        raise RecordError(f"not recorded, because its process ended: {', '.join(ended)}")
    record.add_outputs(added)
    print(f"recorded {len(added):,} cases: {count_by_group(list(added)) or 'none is new'}")
    return report(record, outputs, skipped, SHOWN, started, whole=not names)


def compare(record: Record, names: list[str], shown: int) -> int:
    """Compare this build with the record."""
    started = time.monotonic()
    outputs, skipped = run(record, select(record.sessions, names))
    return report(record, outputs, skipped, shown, started, whole=not names)


def report(
    record: Record,
    outputs: dict[str, Any],
    skipped: Counter[str],
    shown: int,
    started: float,
    *,
    whole: bool,
) -> int:
    """Print what differs from the record, and return the exit status."""
    expected = record.read_outputs() | record.read_accepted()
    faults = check_differences(record)
    differing = []
    for case, output in outputs.items():
        if case not in expected:
            faults.append(f"{case} is not recorded: run `make record`")
        elif expected[case]["input"] != output["input"]:
            faults.append(f"{case}: the input of a recorded session was changed")
        elif compact(expected[case]) != compact(output):
            differing.append(case)
    if whole:
        cases = {step.case for session in record.sessions for step in session.steps}
        faults += [
            f"{case}: the input of a recorded case is missing"
            for case in expected
            if case not in cases
        ]
    for case in sorted(differing)[:shown]:
        print(describe_difference(case, expected[case], outputs[case]), end="\n\n")
    for fault in faults[:SHOWN]:
        print(fault)
    if len(faults) > SHOWN:
        print(f"and {len(faults) - SHOWN:,} more faults")
    if len(differing) > shown:
        print(f"and {len(differing) - shown:,} more cases differ; --full prints them")
    if differing:
        print(f"{len(differing):,} cases differ: {count_by_group(differing)}")
    intended = len(record.read_accepted().keys() & outputs.keys())
    used = os.times()
    print(
        f"{len(outputs):,} cases compared, {len(differing):,} differ, {intended:,} as listed in "
        f"differences.toml; {time.monotonic() - started:.0f} s, "
        f"{used.user + used.system + used.children_user + used.children_system:.0f} s of processors"
    )
    for reason, number in sorted(skipped.items()):
        print(f"{number:,} cases skipped: {reason}")
    return 1 if differing or faults else 0


def accept_differences(record: Record, glob: str, reason: str) -> int:
    """List the cases that differ and match as intended."""
    if len(reason.split()) < 3:
        raise RecordError(f"this is no reason: {reason!r}")
    outputs, _ = run(record, select(record.sessions, [glob]))
    number = accept(record, glob, reason, outputs)
    print(f"accepted {number:,} cases")
    return 0


def collect(record: Record, pages: list[str]) -> int:
    """Add inputs of pages; leave out by hand what is slow or needs a server, before `make`."""
    number = collect_pages(record, [Path(page) for page in pages])
    print(f"added {number} sessions to inputs/documentation.jsonl")
    return 0


def show(record: Record, glob: str) -> int:
    """Print the outputs of the record."""
    outputs = record.read_outputs() | record.read_accepted()
    for case, output in outputs.items():
        if fnmatchcase(case, glob) or fnmatchcase(case.rsplit(":", 1)[0], glob):
            print(f"=== {case}\n{json.dumps(output, ensure_ascii=False, indent=1)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
