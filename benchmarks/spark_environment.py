"""The environment of the Spark rows: PySpark, its requirements and the measured Gainful.

It is installed on first use, about 500 MB, and only for these rows. It needs Java.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from measure_process import ProcessError
from peers import make_environment, site_packages

REQUIREMENTS = [
    "numpy==2.4.6",
    "pandas==2.3.3",  # PySpark 4.3 does not support pandas 3.
    "pyarrow==26.0.1",
    "pyspark==4.3.0",
]


def install(folder: Path, gainful: Path) -> Path:
    """Return a Python with PySpark, and Gainful from the environment of `gainful`.

    Raises
    ------
    ProcessError
        If Java is not installed.
    """
    if shutil.which("java") is None:
        raise ProcessError("Spark needs Java, and `java` was not found")
    python = make_environment(folder / "spark-venv", gainful, REQUIREMENTS)
    # A path file works for workers that Spark starts, too, and comes after their own packages.
    found = site_packages(python) / "gainful.pth"
    found.write_text(f"{site_packages(gainful)}\n", encoding="utf-8")
    return python
