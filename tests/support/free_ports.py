"""Ports for servers that cannot choose one themselves."""

from __future__ import annotations

import random
import socket

__all__ = ["free_port"]


def free_port() -> int:
    """Return a port that nobody uses.

    No other program gets it by chance, because systems choose ports above 32,000.
    """
    while True:
        port = random.SystemRandom().randrange(20_000, 32_000)
        try:
            with socket.create_server(("127.0.0.1", port)):
                return port
        except OSError:
            continue
