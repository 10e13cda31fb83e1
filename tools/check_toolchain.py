"""Say what this machine lacks for building Gainful, and what to install.

The oldest versions that do are read from pyproject.toml (Python) and Cargo.toml (Rust). Everything
that is wrong is said at once, so that nobody installs one thing only to hear of the next.

This file has to run on a Python that is too old for Gainful: no syntax newer than Python 3.6.
"""

import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Iterator, Tuple

ROOT = Path(__file__).resolve().parent.parent
ON_DEBIAN = shutil.which("apt-get") is not None
RUSTUP = "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y"


def stated_version(file: str, pattern: str) -> Tuple[int, ...]:
    """Return the version that the pattern finds in a file of the repository, as numbers."""
    text = (ROOT / file).read_text(encoding="utf-8")
    return numbers(re.findall(pattern, text, re.MULTILINE)[0])


def numbers(version: str) -> Tuple[int, ...]:
    """Return the leading numbers of a version: ``"1.95.0-nightly"`` is ``(1, 95, 0)``."""
    return tuple(int(part) for part in re.split(r"[^\d.]", version)[0].split("."))


def dotted(version: Tuple[int, ...]) -> str:
    """Return the numbers as people write them."""
    return ".".join(str(number) for number in version)


def python_problems() -> Iterator[str]:
    """Yield what is wrong with the Python that runs this file."""
    oldest = stated_version("pyproject.toml", r'^requires-python = ">=([\d.]+)"')
    if sys.version_info[:2] < oldest:
        yield (
            "Python {} or newer is needed; {} is {}.\n"
            "    Install one, then name it: make PYTHON=python{} demo".format(
                dotted(oldest), sys.executable, platform.python_version(), dotted(oldest)
            )
        )
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        yield "{} cannot make virtual environments (it lacks venv or ensurepip).\n    {}".format(
            sys.executable,
            "Install them: sudo apt-get install python3-venv"
            if ON_DEBIAN
            else "Install Python in full, for instance from https://www.python.org/downloads/",
        )


def rust_problems() -> Iterator[str]:
    """Yield what is wrong with the Rust toolchain."""
    oldest = stated_version("Cargo.toml", r'^rust-version = "([\d.]+)"')
    for program in ("cargo", "rustc"):
        try:
            answer = subprocess.check_output([program, "--version"], cwd=str(ROOT))
        except (OSError, subprocess.CalledProcessError):
            yield "{} {} or newer is needed, and there is none.\n    Install Rust: {}".format(
                program, dotted(oldest), RUSTUP
            )
            return
        found = answer.decode().split()[1]
        if numbers(found) < oldest:
            yield "{} {} or newer is needed; this is {}.\n    {}".format(
                program,
                dotted(oldest),
                found,
                "Update it: rustup update stable"
                if shutil.which("rustup")
                else "Install a newer Rust: " + RUSTUP,
            )
            return


def linker_problems() -> Iterator[str]:
    """Yield what is wrong with the C linker that Rust calls."""
    if not any(shutil.which(program) for program in ("cc", "gcc", "clang")):
        if sys.platform == "darwin":
            remedy = "xcode-select --install"
        elif ON_DEBIAN:
            remedy = "sudo apt-get install gcc libc6-dev"
        else:
            remedy = "a C compiler such as gcc, from your system's packages"
        yield "A C linker is needed, and there is none.\n    Install one: " + remedy


def main() -> int:
    """Print every problem; the exit status is 1 where there is one."""
    problems = list(python_problems()) + list(rust_problems()) + list(linker_problems())
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
