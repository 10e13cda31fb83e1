"""Install requirements that pyproject.toml states into the environment that runs this file.

``build`` is what builds the wheel, ``runtime`` what Gainful imports, ``development`` all that
``make test`` needs, and any other name one of the extras or of the dependency groups. Nothing is
listed twice, and the packages can be installed before Gainful is built. uv installs them where it
is in the environment, otherwise pip.

    .venv/bin/python tools/install.py build runtime
    .venv/bin/python tools/install.py --into target/tools runtime tools
    .venv/bin/python tools/install.py --build release        # build the wheel, and install it
    .venv/bin/python tools/install.py --locked development   # as LOCKED=1 in the environment
    .venv/bin/python tools/install.py --lowest runtime test  # the lowest versions allowed; needs uv
    .venv/bin/python tools/install.py --lock                 # write requirements-dev.txt; needs uv
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "requirements-dev.txt"

#: The groups of packages whose dependencies are not installed.
WITHOUT_DEPENDENCIES = {"alone"}

#: The groups that are left out where they cannot be installed: there are wheels of the language
#: model's server for few platforms, and its tests are skipped elsewhere.
OPTIONAL = {"model"}

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


def install(names: list[str], python: str, *options: str) -> int:
    """Install the named groups of packages for a Python; return the installer's exit status."""
    if not names:
        return 0
    return pip(python, *options, *requirements(names))


def pip(python: str, *words: str) -> int:
    """Install into the environment of a Python, with uv if that is here; return the status."""
    command = [python, "-m", "pip", "install", "--quiet"]
    if importlib.util.find_spec("uv"):
        command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--compile-bytecode"]
        command += ["--python", python]
    return subprocess.run([*command, *words], check=False).returncode


def build(profile: str, python: str) -> int:
    """Build the wheel with a profile of Cargo, and install it for a Python.

    ``release`` is what the tests run, and finds what `cargo test --release` built; ``dist`` what is
    released.
    """
    toolchain = [sys.executable, str(ROOT / "tools/check_toolchain.py")]
    wheels = ROOT / "target" / ("wheels" if profile == "release" else f"wheels-{profile}")
    shutil.rmtree(wheels, ignore_errors=True)
    maturin = [str(Path(sys.executable).parent / "maturin"), "build", "--profile", profile]
    maturin += ["--auditwheel", "skip", "-i", sys.executable, "--out", str(wheels)]
    for command in (toolchain, maturin):
        status = subprocess.run(command, cwd=ROOT, check=False).returncode
        if status:
            return status
    return install_wheel(python, wheels)


def install_wheel(python: str, wheels: Path = ROOT / "target" / "wheels") -> int:
    """Install the wheel that was built for a Python; return the status."""
    (wheel,) = wheels.glob("*.whl")
    return pip(python, "--no-deps", "--force-reinstall", str(wheel))


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
    parser.add_argument("--into", metavar="FOLDER", help="an environment, made if it is not there")
    parser.add_argument("--build", metavar="PROFILE", help="build the wheel, and install it")
    parser.add_argument("names", nargs="*", help="build, runtime, development, extras, groups")
    arguments = parser.parse_args()
    if arguments.lock:
        return lock()
    python = sys.executable
    if arguments.into:
        folder = Path(arguments.into)
        python = str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")
        if not Path(python).exists():
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    groups, alone = split_names([name for name in arguments.names if name not in OPTIONAL])
    # The lock has none of the tools and clusters.
    lockable = {*groups, *alone} <= {*DEVELOPMENT}
    locked = arguments.locked or (lockable and os.environ.get("LOCKED"))
    options = ["--constraint", str(LOCK)] if locked else []
    options += ["--resolution", "lowest-direct"] if arguments.lowest else []
    status = install(groups, python, *options) or install(alone, python, *options, "--no-deps")
    for name in OPTIONAL.intersection(arguments.names):
        install([name], python, "--no-deps")
    return status or (build(arguments.build, python) if arguments.build else 0)


if __name__ == "__main__":
    sys.exit(main())
