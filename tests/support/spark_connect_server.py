"""A local Spark Connect server: prints its port, and stops when its input ends."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession


def main() -> None:
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.plugins", "org.apache.spark.sql.connect.SparkConnectPlugin")
        # Any free port.
        .config("spark.connect.grpc.binding.port", "0")
        .config("spark.connect.grpc.binding.address", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "1g")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    # In Java, the names of Scala objects end with a dollar sign.
    services = session.sparkContext._jvm.org.apache.spark.sql.connect.service
    service = getattr(getattr(services, "SparkConnectService$"), "MODULE$")
    print(service.localPort(), flush=True)
    sys.stdin.read()
    session.stop()


if __name__ == "__main__":
    main()
