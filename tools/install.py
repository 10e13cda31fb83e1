"""Install requirements that pyproject.toml states into the environment that runs this file.

``build`` is what builds the wheel, ``runtime`` what Gainful imports, and any other name one of the
extras. So nothing is listed twice, and the packages can be installed before Gainful is built.

    .venv/bin/python tools/install.py build runtime
"""

import subprocess
import sys
import tomllib
from pathlib import Path


def requirements(names: list[str]) -> list[str]:
    """Return the requirements under each of the names, in the order they are stated."""
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    stated = tomllib.loads(text)
    groups: dict[str, list[str]] = {
        **stated["project"]["optional-dependencies"],
        "build": stated["build-system"]["requires"],
        "runtime": stated["project"]["dependencies"],
    }
    return [requirement for name in names for requirement in groups[name]]


if __name__ == "__main__":
    command = [sys.executable, "-m", "pip", "install", "--quiet", *requirements(sys.argv[1:])]
    sys.exit(subprocess.run(command, check=False).returncode)
