"""Local Spark sessions: a classic one, and one on a Spark Connect server."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from requirements import need

SERVER = Path(__file__).parent / "spark_connect_server.py"


def classic() -> Any:
    """Return the session of this process; create it if necessary."""
    need("pyspark")
    from pyspark.sql import SparkSession

    # Without it Spark starts whichever python3 is on the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with warnings.catch_warnings():
        # PySpark warns of pandas 3, which nothing here calls.
        warnings.simplefilter("ignore")
        session = (
            # Two cores, and a task that fails is tried once more.
            SparkSession.builder.master("local[2,2]")
            .config("spark.driver.memory", "2g")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "4")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .getOrCreate()
        )
    session.sparkContext.setLogLevel("OFF")
    return session


@contextmanager
def connected() -> Iterator[Any]:
    """Yield a session on a new Spark Connect server, which is stopped afterwards."""
    need("pyspark")
    from pyspark.sql.connect.session import SparkSession

    with subprocess.Popen(
        [sys.executable, str(SERVER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYSPARK_PYTHON": sys.executable},
        text=True,
    ) as server:
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        assert port.isdigit(), "the server of Spark Connect did not start"
        # Not through pyspark.sql, which would make the whole process a Connect client.
        session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()
        try:
            yield session
        finally:
            session.stop()
            server.communicate(timeout=120)
