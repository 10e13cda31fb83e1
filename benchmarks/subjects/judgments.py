"""Whole process: read judgments into memory and print their number.

Usage: judgments.py QRELS
"""

from __future__ import annotations

import sys

import gainful_calls

print(float(gainful_calls.read_qrels(sys.argv[1]).rows))
