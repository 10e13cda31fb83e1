"""Read and write files while calls fail, and print how it went as JSON.

Run by `test_faulty_io.py` with ``faulty_io.c`` loaded: ``fail_calls.py FOLDER SEEDS PLACES``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from faulty_readers import check_readers
from faulty_writers import check_writers

folder, seeds, places = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
checks = {"readers": check_readers(folder, seeds), "writers": check_writers(folder, places)}
json.dump(checks, sys.stdout)
