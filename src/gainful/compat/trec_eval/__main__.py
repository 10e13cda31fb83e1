"""Run ``gainful-trec-eval`` as ``python -m gainful.compat.trec_eval``."""

from __future__ import annotations

import sys

from gainful.compat.trec_eval import main

if __name__ == "__main__":
    sys.exit(main())
