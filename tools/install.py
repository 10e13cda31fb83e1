"""Install requirements that pyproject.toml states into the environment that runs this file.

``build`` is what builds the wheel, ``runtime`` what Gainful imports, ``development`` all that
``make test`` needs, and any other name one of the extras or of the dependency groups. Nothing is
listed twice, and the packages can be installed before Gainful is built. uv installs them where it
is in the environment, otherwise pip.

    .venv/bin/python tools/install.py build runtime
    .venv/bin/python tools/install.py --locked development   # the versions of requirements-dev.txt
    .venv/bin/python tools/install.py --lowest runtime test  # the lowest versions allowed; needs uv
    .venv/bin/python tools/install.py --lock                 # write requirements-dev.txt; needs uv
"""

import argparse
import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "requirements-dev.txt"

#: The groups of packages whose dependencies are not installed.
WITHOUT_DEPENDENCIES = {"alone", "model"}

#: What `make test` installs.
DEVELOPMENT = (
    *("build", "runtime", "report", "search", "judge", "baselines", "terminal", "warehouses"),
    *("test", "docs", "alone"),
)

HEADER = """\
# The versions of the packages that `make test` installs, for every system and Python.
# `python tools/install.py --lock` writes this file; dependencies are stated in pyproject.toml.
"""


def requirements(names: list[str]) -> list[str]:
    """Return the requirements under each of the names, in the order they are stated."""
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups: dict[str, list[str]] = {
        **stated["project"]["optional-dependencies"],
        **stated["dependency-groups"],
        "build": stated["build-system"]["requires"],
        "runtime": stated["project"]["dependencies"],
    }
    return [requirement for name in names for requirement in groups[name]]


def split_names(names: list[str]) -> tuple[list[str], list[str]]:
    """Return the names of groups installed with their dependencies, and of those without."""
    groups = [g for name in names for g in (DEVELOPMENT if name == "development" else (name,))]
    alone = [group for group in groups if group in WITHOUT_DEPENDENCIES]
    return [group for group in groups if group not in WITHOUT_DEPENDENCIES], alone


def install(names: list[str], *options: str) -> int:
    """Install the named groups of packages; return the installer's exit status."""
    if not names:
        return 0
    pip = [sys.executable, "-m", "pip", "install", "--quiet"]
    uv = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--compile-bytecode"]
    uv += ["--python", sys.executable]
    installer = uv if importlib.util.find_spec("uv") else pip
    command = [*installer, *options, *requirements(names)]
    return subprocess.run(command, check=False).returncode


def lock() -> int:
    """Write the lock file; return uv's exit status."""
    python = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = python["requires-python"].removeprefix(">=")
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--no-header"]
    command += ["--no-annotate", "--universal", "--generate-hashes", "--python-version", oldest]
    parts = [HEADER]
    groups, alone = split_names(["development"])
    for names, options in ((groups, ["--upgrade"]), (alone, ["--upgrade", "--no-deps"])):
        done = subprocess.run(
            [*command, *options, "-"],
            input="\n".join(requirements(names)),
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode:
            return done.returncode
        parts.append(done.stdout)
    LOCK.write_text("".join(parts), encoding="utf-8")
    return 0


def main() -> int:
    """Install what the command line names."""
    parser = argparse.ArgumentParser(description="Install requirements of pyproject.toml.")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--locked", action="store_true", help=f"versions of {LOCK.name}")
    mode.add_argument("--lowest", action="store_true", help="lowest versions allowed (uv)")
    mode.add_argument("--lock", action="store_true", help=f"write {LOCK.name} (uv)")
    parser.add_argument("names", nargs="*", help="build, runtime, development, extras, groups")
    arguments = parser.parse_args()
    if arguments.lock:
        return lock()
    options = ["--constraint", str(LOCK)] if arguments.locked else []
    options += ["--resolution", "lowest-direct"] if arguments.lowest else []
    groups, alone = split_names(arguments.names)
    return install(groups, *options) or install(alone, *options, "--no-deps")


if __name__ == "__main__":
    sys.exit(main())
