"""The modules that a new interpreter loads."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ["numpy", "scipy", "rich", "pandas", "polars", "pyarrow", "typing", "dataclasses", "click"]


def loaded(code: str, *names: str) -> set[str]:
    """Return which of the modules are loaded by running code in a new interpreter."""
    script = (
        "import sys; before = set(sys.modules)\n"
        f"{code}\n"
        f"print(*[name for name in {list(names)!r} if name in sys.modules and name not in before])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.split())
