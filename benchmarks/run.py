"""Time Gainful and its peers on the same data, and compare the results with the targets.

Usage: ``python benchmarks/run.py [--only NAME] [--quick] [--output FILE]``; README.md in
this folder explains the output.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

from bench import Bench
from compare import DisagreementError, progress
from measure_process import ProcessError
from peers import ask, install
from results import Row
from rows import ROWS, SCALE

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "target" / "bench"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    names = list(dict.fromkeys([*ROWS, *SCALE]))
    rows = f"one row ({', '.join(ROWS)}; with --scale {', '.join(SCALE)}); repeatable"
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help=rows)
    parser.add_argument("--quick", action="store_true", help="a twentieth of the data, few rounds")
    parser.add_argument("--scale", action="store_true", help="only the rows of the largest data")
    parser.add_argument("--ranx", action="store_true", help="also time ranx, for some minutes")
    parser.add_argument("--peers-only", action="store_true", help="leave Gainful out")
    parser.add_argument("--gainful-python", type=Path, metavar="PYTHON", help="its environment")
    parser.add_argument("--trec-eval", type=Path, metavar="PROGRAM", help="a trec_eval to time")
    parser.add_argument("--output", type=Path, default=BENCH / "results.json", metavar="FILE")
    return parser.parse_args()


def find_gainful(named: Path | None) -> Path:
    """Return the Python of the environment with Gainful.

    Default: the Python that runs this script if it has Gainful, else that of the project.
    """
    if named is None:
        here = importlib.util.find_spec("gainful") is not None
        named = Path(sys.executable) if here else ROOT / ".venv" / "bin" / "python"
    # Not resolved, because the link determines the environment.
    python = Path(os.path.abspath(named))
    if not python.exists():
        raise SystemExit(f"No {python}. Run `make install`, or give --gainful-python PYTHON.")
    if not python.with_name("gainful").exists():
        raise SystemExit(f"No `gainful` in the folder of {python}. Run `make install`.")
    return python


def describe(bench: Bench) -> dict[str, Any]:
    """Return the machine, the versions and the settings of the measurement."""
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": platform.platform(),
        "processor": processor(),
        "processors": available(),
        "python": ask(bench.python, "import platform; print(platform.python_version())"),
        "gainful": gainful_version(bench.gainful),
        "peers": bench.peers.versions(),
        "trec_eval": str(bench.peers.trec_eval or bench.peers.missing),
        "quick": bench.quick,
    }


def processor() -> str:
    """Return the name of the processor, if known."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
        return names[0]
    except (OSError, IndexError):
        return platform.processor()


def available() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def gainful_version(python: Path | None) -> str:
    if python is None:
        return "left out"
    return ask(python, "import importlib.metadata as m; print(m.version('gainful'))")


def measure(bench: Bench, name: str, *, scale: bool) -> list[Row]:
    """Return the rows of one family; a failure becomes a row with the error."""
    progress(f"{name} ...")
    try:
        return (SCALE if scale else ROWS)[name](bench)
    except DisagreementError as error:
        return [Row(name, error=f"ANSWERS DISAGREE: {error}")]
    except ProcessError as error:
        return [Row(name, error=str(error))]


def main() -> int:
    """Measure, print and save the results; return 1 if a row failed, else 0."""
    arguments = parse_arguments()
    gainful = None if arguments.peers_only else find_gainful(arguments.gainful_python)
    BENCH.mkdir(parents=True, exist_ok=True)
    peers = install(BENCH, gainful or Path(sys.executable), arguments.trec_eval)
    bench = Bench(gainful, peers, BENCH / "data", quick=arguments.quick, ranx=arguments.ranx)

    setting = describe(bench)
    words = ", ".join(f"{name} {version}" for name, version in setting["peers"].items())
    print(f"{setting['processor']}, {setting['processors']} processors, {setting['machine']}")
    print(f"Python {setting['python']}, Gainful {setting['gainful']}; {words}")
    if arguments.quick:
        print("A quick run: a twentieth of the data, so most targets are shown but not judged.")

    rows: list[Row] = []
    written: list[dict[str, Any]] = []
    families = SCALE if arguments.scale else ROWS
    for name in [name for name in arguments.only or families if name in families]:
        for row in measure(bench, name, scale=arguments.scale):
            rows.append(row)
            written.append({"family": name, **row.to_dict()})
            print(f"\n{row.to_text()}", flush=True)

    verdicts = [target.verdict for row in rows for target in row.targets]
    met, unmet = verdicts.count("met"), verdicts.count("NOT MET")
    failed = sum(bool(row.error) for row in rows)
    others = len(verdicts) - met - unmet
    print(f"\nTargets: {met} met, {unmet} not met, {others} not judged. Rows failed: {failed}.")

    content = {"setting": setting, "rows": written}
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"Written: {arguments.output}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
