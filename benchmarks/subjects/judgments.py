"""Whole process: judgments into memory. Prints how many there are.

Usage: judgments.py QRELS
"""

from __future__ import annotations

import sys

import gainful_calls

print(gainful_calls.count_judgments(sys.argv[1]))
