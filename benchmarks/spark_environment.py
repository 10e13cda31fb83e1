"""The environment of the row of Spark: PySpark, what it needs, and the Gainful that is measured.

It is installed on first use, some 500 MB, and only for that row. Java has to be there.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from measure_process import ProcessError
from peers import make_environment, site_packages

REQUIREMENTS = [
    "numpy==2.4.6",
    "pandas==2.3.3",  # PySpark 4.3 says that it does not yet know pandas 3.
    "pyarrow==26.0.1",
    "pyspark==4.3.0",
]


def install(folder: Path, gainful: Path) -> Path:
    """Return the Python that has PySpark, and Gainful from the environment of `gainful`.

    Raises
    ------
    ProcessError
        If there is no Java.
    """
    if shutil.which("java") is None:
        raise ProcessError("there is no `java`, which Spark runs on")
    python = make_environment(folder / "spark-venv", gainful, REQUIREMENTS)
    # After its own packages: workers that Spark starts find Gainful by the same file.
    found = site_packages(python) / "gainful.pth"
    found.write_text(f"{site_packages(gainful)}\n", encoding="utf-8")
    return python
