"""Which modules a fresh interpreter loads."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ["numpy", "scipy", "rich", "pandas", "polars", "pyarrow", "typing", "dataclasses", "click"]


def loaded(code: str, *names: str) -> set[str]:
    """Which of the modules a fresh interpreter has after some code, beyond what it starts with."""
    script = (
        "import sys; before = set(sys.modules)\n"
        f"{code}\n"
        f"print(*[name for name in {list(names)!r} if name in sys.modules and name not in before])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.split())
