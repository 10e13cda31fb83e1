"""``python -m gainful`` is ``gainful``."""

from __future__ import annotations

import sys

from gainful.cli import main

if __name__ == "__main__":
    sys.exit(main())
