"""Write files for `test_power_loss.py`, which records the calls.

``write_files.py FOLDER replace`` replaces every file of `WRITERS`; ``write_files.py FOLDER extend
NAME`` extends a file of `STORES`, and prints what is acknowledged.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("data", "support")]

from file_writers import STORES, WRITERS  # noqa: E402


def main() -> None:
    folder = Path(sys.argv[1])
    if sys.argv[2] == "replace":
        for name, write in WRITERS.items():
            write(folder / name)
    else:
        store = STORES[sys.argv[3]]
        store.store(folder / store.name, lambda entry: os.write(1, f"stored {entry}\n".encode()))


if __name__ == "__main__":
    main()
