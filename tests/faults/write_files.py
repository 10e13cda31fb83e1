"""Write files for `test_power_loss.py`, which records the calls.

``write_files.py FOLDER`` replaces every file of `WRITERS` in its folder ``replace``, extends those
of `STORES` in folders with their names, and prints what is acknowledged.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("data", "support")]

from file_writers import STORES, WRITERS  # noqa: E402


def main() -> None:
    folder = Path(sys.argv[1])
    for name, write in WRITERS.items():
        write(folder / "replace" / name)
    for name, store in STORES.items():
        store.store(
            folder / name / store.name,
            lambda entry, name=name: os.write(1, f"{name}: {entry}\n".encode()),
        )


if __name__ == "__main__":
    main()
