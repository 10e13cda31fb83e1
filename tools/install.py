"""Install requirements that pyproject.toml states into the environment that runs this file.

``build`` is what builds the wheel, ``runtime`` what Gainful imports, ``alone`` and ``model`` the
dependency groups of what is installed without its own dependencies, and any other name one of the
extras or of the groups. So nothing is listed twice, and the packages can be installed before
Gainful is built.

    .venv/bin/python tools/install.py build runtime
"""

import subprocess
import sys
import tomllib
from pathlib import Path

#: The groups of packages whose dependencies are not installed.
WITHOUT_DEPENDENCIES = {"alone", "model"}


def requirements(names: list[str]) -> list[str]:
    """Return the requirements under each of the names, in the order they are stated."""
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    stated = tomllib.loads(text)
    groups: dict[str, list[str]] = {
        **stated["project"]["optional-dependencies"],
        **stated["dependency-groups"],
        "build": stated["build-system"]["requires"],
        "runtime": stated["project"]["dependencies"],
    }
    return [requirement for name in names for requirement in groups[name]]


def install(names: list[str], *options: str) -> int:
    """Install the named groups of packages; return pip's exit status."""
    if not names:
        return 0
    pip = [sys.executable, "-m", "pip", "install", "--quiet", *options]
    return subprocess.run([*pip, *requirements(names)], check=False).returncode


if __name__ == "__main__":
    alone = [name for name in sys.argv[1:] if name in WITHOUT_DEPENDENCIES]
    others = [name for name in sys.argv[1:] if name not in WITHOUT_DEPENDENCIES]
    sys.exit(install(others) or install(alone, "--no-deps"))
