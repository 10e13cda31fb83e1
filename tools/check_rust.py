"""Check the Rust: its modules, its shape, its lints and its tests, in the build that maturin left.

rustfmt and clippy are parts of Rust that a machine may lack. What is lacking is skipped with a
reason, and fails where ``GAINFUL_REQUIRE`` names it, as in the Python tests.

    python tools/check_rust.py
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Unit tests are compiled with the whole core: four times as fast without optimization, and with
# checks that a release leaves out. Dependencies stay as they are.
CHECKED = [
    word
    for setting in ("opt-level=0", "overflow-checks=true", "debug-assertions=true")
    for word in ("--config", f"profile.release.package.gainful-core.{setting}")
]
# The others of the whole workspace: for some of its crates, Cargo selects other features of
# dependencies, and compiles Parquet and Arrow again.
STEPS = {
    "modules": [sys.executable, "tools/check_modules.py"],
    "rustfmt": ["cargo", "fmt", "--all", "--check"],
    "clippy": [
        "cargo", "clippy", "--workspace", "--all-targets", "--release", "--quiet",
        "--", "-D", "warnings",
    ],
    "unit tests": [
        "cargo", "test", "--package", "gainful-core", "--lib", "--release", "--quiet", *CHECKED,
    ],
    "tests": ["cargo", "test", "--workspace", "--test", "*", "--release", "--quiet"],
}  # fmt: skip


def environment() -> dict[str, str]:
    """Return the environment with the variables that maturin sets for PyO3.

    PyO3 is compiled again when these change, so a check without them would throw away what the
    build made, and the next build what the check made: seconds each time.
    """
    bits = 64 if sys.maxsize > 2**32 else 32
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return {
        **os.environ,
        "PYO3_BUILD_EXTENSION_MODULE": "1",
        "PYO3_ENVIRONMENT_SIGNATURE": f"{sys.implementation.name}-{version}-{bits}bit",
        "PYO3_PYTHON": sys.executable,
        "PYTHON_SYS_EXECUTABLE": sys.executable,
    }


def lacks(name: str) -> bool:
    """Return whether a part of Rust is missing; the tests come with cargo itself."""
    if name in ("modules", "unit tests", "tests"):
        return False
    probe = ["cargo", STEPS[name][1], "--version"]
    return subprocess.run(probe, capture_output=True, check=False).returncode != 0


def main() -> int:
    """Run every step, the later ones too when one fails; return the exit status."""
    required = {name.strip() for name in os.environ.get("GAINFUL_REQUIRE", "").split(",")}
    failed = []
    for name, command in STEPS.items():
        if lacks(name):
            must = bool(required & {name, "all"})
            verdict = "FAILED" if must else "skipped"
            print(f"{name}: {verdict}, it is not installed: rustup component add {name}")
            if must:
                failed.append(name)
            continue
        print(" ".join(command), flush=True)
        if subprocess.run(command, cwd=ROOT, env=environment(), check=False).returncode != 0:
            failed.append(name)
    if failed:
        print(f"Rust: {', '.join(failed)} failed", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
